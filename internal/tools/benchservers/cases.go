package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	clients      = 8 // of the cases with several, and while a table is filled
	noteBytes    = 250
	perPartition = 1000
	// patience is the time that a server gets for a case before its remaining turns are
	// skipped.
	patience = 10 * time.Second
)

// item returns an item of about 400 bytes, noteBytes of them in its note.
func item(i, note int) string {
	return fmt.Sprintf(`{%s,"G1":{"S":"STATE#%d"},"total":{"N":"%d.5"},"createdAt":{"S":"2026-11-21T10:00:00Z"},`+
		`"address":{"M":{"city":{"S":"Utrecht"},"zip":{"S":"3511"}}},"paid":{"BOOL":true},"note":{"S":"%s"}}`, key(i), i%97, i, strings.Repeat("x", note))
}

func key(i int) string {
	return fmt.Sprintf(`"PK":{"S":"CUSTOMER#%05d"},"SK":{"S":"ORDER#%07d"}`, i/perPartition, i)
}

// benchCase is one row of the table.
type benchCase struct {
	name    string
	clients int
	// run performs the operation once, on a table of so many items.
	run func(ctx context.Context, s *server, items int) error
}

var cases = []benchCase{
	{"put", 1, func(ctx context.Context, s *server, items int) error {
		_, err := s.ask(ctx, "PutItem", `{"TableName":"bench","Item":`+item(rand.IntN(items), noteBytes)+`}`)
		return err
	}},
	{"get", 1, get},
	{"update with condition", 1, func(ctx context.Context, s *server, items int) error {
		_, err := s.ask(ctx, "UpdateItem", `{"TableName":"bench","Key":{`+key(rand.IntN(items))+`},"UpdateExpression":"ADD visits :n",
			"ConditionExpression":"attribute_exists(PK)","ExpressionAttributeValues":{":n":{"N":"1"}}}`)
		return err
	}},
	{"query, 50 items", 1, func(ctx context.Context, s *server, items int) error {
		return page(ctx, s, "Query", fmt.Sprintf(`,"Limit":50,"KeyConditionExpression":"PK = :p AND begins_with(SK, :s)",
			"ExpressionAttributeValues":{":p":{"S":"CUSTOMER#%05d"},":s":{"S":"ORDER#"}}`, rand.IntN(items/perPartition)), 50)
	}},
	{"query of index, 50 items", 1, func(ctx context.Context, s *server, _ int) error {
		return page(ctx, s, "Query", fmt.Sprintf(`,"IndexName":"byG1","Limit":50,"KeyConditionExpression":"G1 = :g",
			"ExpressionAttributeValues":{":g":{"S":"STATE#%d"}}`, rand.IntN(97)), 50)
	}},
	{"transaction of 10", 1, func(ctx context.Context, s *server, items int) error {
		var puts []string
		for _, i := range distinct(10, items) {
			puts = append(puts, `{"Put":{"TableName":"bench","Item":`+item(i, noteBytes)+`,"ConditionExpression":"attribute_exists(PK)"}}`)
		}
		_, err := s.ask(ctx, "TransactWriteItems", `{"TransactItems":[`+strings.Join(puts, ",")+`]}`)
		return err
	}},
	{"scan of everything", 1, func(ctx context.Context, s *server, items int) error { return page(ctx, s, "Scan", "", items) }},
	{"8 clients, get", clients, get},
	{"8 clients, put", clients, func(ctx context.Context, s *server, items int) error {
		_, err := s.ask(ctx, "PutItem", `{"TableName":"bench","Item":`+item(rand.IntN(items), noteBytes)+`}`)
		return err
	}},
}

func get(ctx context.Context, s *server, items int) error {
	_, err := s.ask(ctx, "GetItem", `{"TableName":"bench","Key":{`+key(rand.IntN(items))+`}}`)
	return err
}

// page reads until it has so many items, or all.
func page(ctx context.Context, s *server, operation, parameters string, want int) error {
	found := 0
	for start := ""; found < want; {
		answer, err := s.ask(ctx, operation, `{"TableName":"bench"`+parameters+start+`}`)
		if err != nil {
			return err
		}
		count, last, err := tail(answer)
		if err != nil {
			return err
		}
		found += count
		if last == nil {
			break
		}
		start = `,"ExclusiveStartKey":` + string(last)
	}
	if found != want {
		return fmt.Errorf("%s found %d items, want %d", operation, found, want)
	}
	return nil
}

// tail finds the part of a page after the items. Decoding all of a page would take longer than
// some servers need to produce it.
func tail(answer []byte) (count int, last json.RawMessage, err error) {
	_, after, ok := bytes.Cut(answer, []byte(`"Count":`))
	if !ok {
		return 0, nil, fmt.Errorf("a page without a count: %.200s", answer)
	}
	if err := json.NewDecoder(bytes.NewReader(after)).Decode(&count); err != nil {
		return 0, nil, err
	}
	if _, after, ok = bytes.Cut(answer, []byte(`"LastEvaluatedKey":`)); ok {
		err = json.NewDecoder(bytes.NewReader(after)).Decode(&last)
	}
	return count, last, err
}

func distinct(n, of int) []int {
	seen := map[int]bool{}
	for len(seen) < n {
		seen[rand.IntN(of)] = true
	}
	var list []int
	for i := range seen {
		list = append(list, i)
	}
	return list
}

// compare runs all cases on all servers in turns. It prints the times, and the ratio to
// ddbdesk in memory.
func compare(ctx context.Context, o options, servers []*server) error {
	fmt.Printf("\n%-26s", "")
	for _, s := range servers {
		fmt.Printf("%18s", s.name)
	}
	fmt.Println()
	for _, c := range cases {
		times := make([][]time.Duration, len(servers))
		spent := make([]time.Duration, len(servers))
		for range o.rounds {
			for i, s := range servers {
				if spent[i] > patience {
					continue
				}
				begin := time.Now()
				took, err := c.measure(ctx, s, o)
				if err != nil {
					return fmt.Errorf("%s: %s: %w", c.name, s.name, err)
				}
				times[i] = append(times[i], took)
				spent[i] += time.Since(begin)
			}
		}
		fmt.Printf("%-26s", c.name)
		first := median(times[0])
		for _, t := range times {
			fmt.Printf("%11s %5.1fx", round(median(t)), float64(median(t))/float64(first))
		}
		fmt.Println()
	}
	return nil
}

// measure returns the time of an operation: the time of the round divided by the number of
// operations of all clients.
func (c *benchCase) measure(ctx context.Context, s *server, o options) (time.Duration, error) {
	var done atomic.Int64
	errs := make([]error, c.clients)
	begin := time.Now()
	var wg sync.WaitGroup
	for i := range c.clients {
		wg.Go(func() {
			for time.Since(begin) < o.round {
				if errs[i] = c.run(ctx, s, o.items); errs[i] != nil {
					return
				}
				done.Add(1)
			}
		})
	}
	wg.Wait()
	return time.Since(begin) / time.Duration(max(1, done.Load())), errors.Join(errs...)
}

func median(times []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(times))[len(times)/2]
}

// round rounds to three digits.
func round(d time.Duration) time.Duration {
	unit := time.Nanosecond
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}
