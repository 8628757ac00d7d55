//go:build linux || darwin

// These benchmarks measure how the cost of a request grows with the table. The large size takes several minutes to
// fill, so it is not part of -short:
//
//	go test ./internal/embedded -run '^$' -bench Growth -benchtime 2s -timeout 20m

package embedded

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// growthSizes returns the numbers of items to compare.
func growthSizes() []int {
	if testing.Short() {
		return []int{10_000}
	}
	return []int{10_000, 1_000_000}
}

// growthSteps distribute items over the partitions of the indexes. They have no common factor with the number of
// partitions.
var growthSteps = [...]int{7, 11, 13, 17, 19}

// growthItem returns an item of about 370 bytes in its own partition. Fifty items share a partition of each index.
// Items with a suffix lie between items without one.
func growthItem(i, n int, suffix string) string {
	var keys strings.Builder
	for g := 1; g <= 5; g++ {
		fmt.Fprintf(&keys, `"G%d":{"S":"STATE#%07d"},`, g, i*growthSteps[g-1]%max(1, n/50))
	}
	return fmt.Sprintf(`{"PK":{"S":"CASE#%08d%s"},"SK":{"S":"CASE"},%s"T":{"S":"2026-11-21T10:%08d"},"total":{"N":"%d.5"},
		"address":{"M":{"city":{"S":"Utrecht"},"zip":{"S":"3511"}}},"paid":{"BOOL":true},"note":{"S":"%s"}}`, i, suffix, keys.String(), i, i, strings.Repeat("x", 90))
}

// growthStore returns a store with n items in a table with the given number of global indexes.
func growthStore(b *testing.B, n, indexes int, o Options) *Store {
	b.Helper()
	s := openStore(b, o)
	names, specs := []string{"PK", "SK", "T"}, []string{}
	for g := 1; g <= indexes; g++ {
		names = append(names, fmt.Sprintf("G%d", g))
		specs = append(specs, fmt.Sprintf(`{"IndexName":"by%d","KeySchema":[{"AttributeName":"G%d","KeyType":"HASH"},{"AttributeName":"T","KeyType":"RANGE"}],
			"Projection":{"ProjectionType":"ALL"}}`, g, g))
	}
	if indexes == 0 {
		names = names[:2]
	}
	definitions := []string{}
	for _, name := range names {
		definitions = append(definitions, `{"AttributeName":"`+name+`","AttributeType":"S"}`)
	}
	global := ""
	if indexes > 0 {
		global = `,"GlobalSecondaryIndexes":[` + strings.Join(specs, ",") + `]`
	}
	mustCall(b, s, "CreateTable", `{"TableName":"growth","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[`+strings.Join(definitions, ",")+`],
		"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}]`+global+`}`)
	const writers = 64
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := w * maxBatchWrite; i < n; i += writers * maxBatchWrite {
				var puts []string
				for at := i; at < min(i+maxBatchWrite, n); at++ {
					puts = append(puts, `{"PutRequest":{"Item":`+growthItem(at, n, "")+`}}`)
				}
				mustCall(b, s, "BatchWriteItem", `{"RequestItems":{"growth":[`+strings.Join(puts, ",")+`]}}`)
			}
		})
	}
	wg.Wait()
	return s
}

func BenchmarkGrowth(b *testing.B) {
	base := map[string]float64{}
	for _, n := range growthSizes() {
		for _, indexes := range []int{0, 3, 5} {
			if indexes != 3 && n != growthSizes()[0] {
				continue
			}
			s := growthStore(b, n, indexes, Options{NoSync: true})
			run := func(name string, request func(i int) (target, body string)) {
				name = fmt.Sprintf("%s/indexes=%d", name, indexes)
				b.Run(fmt.Sprintf("%s/items=%d", name, n), func(b *testing.B) {
					begin := processorTime(b)
					for b.Loop() {
						target, body := request(rand.IntN(n))
						measure(b, s, target, body)
					}
					each := float64((processorTime(b) - begin).Microseconds()) / float64(b.N)
					if base[name] == 0 {
						base[name] = each
					}
					b.ReportMetric(each, "cpu-µs/op")
					b.ReportMetric(each/base[name], "x-small")
				})
			}
			run("get", func(i int) (string, string) {
				return "GetItem", fmt.Sprintf(`{"TableName":"growth","Key":{"PK":{"S":"CASE#%08d"},"SK":{"S":"CASE"}}}`, i)
			})
			puts := 0
			run("put", func(i int) (string, string) { // always a new item
				puts++
				return "PutItem", `{"TableName":"growth","Item":` + growthItem(i, n, fmt.Sprintf("-%d", puts)) + `}`
			})
			if indexes > 0 {
				run("index", func(i int) (string, string) {
					return "Query", fmt.Sprintf(`{"TableName":"growth","IndexName":"by1","Limit":50,"KeyConditionExpression":"G1 = :g",
						"ExpressionAttributeValues":{":g":{"S":"STATE#%07d"}}}`, i%(n/50))
				})
			}
			b.Logf("%d items, %d indexes: %d MB", n, indexes, fileSize(b, s)>>20)
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// processorTime returns the processor time of this process, which depends less on other programs than the elapsed time.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// fileSize returns the number of bytes of the file that transactions have used.
func fileSize(b *testing.B, s *Store) (size int64) {
	b.Helper()
	if err := s.storage.view(func(t *tx) error { size = t.bolt.Size(); return nil }); err != nil {
		b.Fatal(err)
	}
	return size
}
