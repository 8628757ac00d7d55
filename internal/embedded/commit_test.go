// Group commit: changes that share a transaction succeed and fail independently, and are committed
// together.

package embedded

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

// grouped runs the changes as one group and returns their errors. A first writer keeps the lead
// until all of them wait.
func grouped(t *testing.T, s *Store, runs ...func() error) []error {
	t.Helper()
	leads, holds := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		err := s.storage.update(func(*tx) error {
			close(leads)
			<-holds
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-leads
	errs := make([]error, len(runs))
	for i, run := range runs {
		wg.Go(func() { errs[i] = run() })
		for { // in this order
			s.storage.commits.mu.Lock()
			n := len(s.storage.commits.waiting)
			s.storage.commits.mu.Unlock()
			if n > i {
				break
			}
			runtime.Gosched()
		}
	}
	close(holds)
	wg.Wait()
	return errs
}

// write1 sends a request that must have this status.
func write1(t *testing.T, s *Store, target, body string, want int) func() error {
	return func() error {
		if status, out := call(t, s, target, body); status != want {
			return fmt.Errorf("%s: %d %s, want %d", target, status, out, want)
		}
		return nil
	}
}

// fileWrites returns how many times the file was written.
func fileWrites(s *Store) int64 {
	stats := s.storage.db.Stats()
	return stats.TxStats.GetWrite()
}

func TestGroupedWritesCheckTheirConditionsInOrder(t *testing.T) {
	s := filled(t, 0)
	create := `{"TableName":"bench","Item":{"PK":{"S":"a"},"SK":{"S":"1"},"G1":{"S":"%s"}},"ConditionExpression":"attribute_not_exists(PK)"}`
	add := `{"TableName":"bench","Key":{"PK":{"S":"a"},"SK":{"S":"n"}},"UpdateExpression":"ADD n :one","ExpressionAttributeValues":{":one":{"N":"1"}}}`
	before := fileWrites(s)
	errs := grouped(t, s,
		write1(t, s, "PutItem", fmt.Sprintf(create, "first"), http.StatusOK),
		write1(t, s, "PutItem", fmt.Sprintf(create, "second"), http.StatusBadRequest),
		write1(t, s, "UpdateItem", add, http.StatusOK),
		write1(t, s, "TransactWriteItems", `{"TransactItems":[{"Put":{"TableName":"bench","Item":{"PK":{"S":"b"},"SK":{"S":"1"}}}},{"Put":`+
			fmt.Sprintf(create, "third")+`}]}`, http.StatusBadRequest),
		write1(t, s, "UpdateItem", add, http.StatusOK),
	)
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	all := string(mustCall(t, s, "Scan", `{"TableName":"bench"}`))
	for _, want := range []string{`"Count":2`, `"first"`, `"n":{"N":"2"}`} {
		if !strings.Contains(all, want) {
			t.Errorf("no %s in %s", want, all)
		}
	}
	shared := fileWrites(s) - before
	before = fileWrites(s)
	mustCall(t, s, "UpdateItem", add)
	if one := fileWrites(s) - before; shared > one+2 {
		t.Errorf("five changes wrote the file %d times, one change writes it %d times", shared, one)
	}
}

func TestFailedChangeDoesNotAffectItsGroup(t *testing.T) {
	s := filled(t, 1)
	broken := errors.New("broken")
	tb := s.tables["bench"]
	halfway := func(fail func() error) func() error {
		return func() error {
			return s.storage.update(func(t *tx) error {
				it := attribute.Item{"PK": {Kind: attribute.S, Str: "half"}, "SK": {Kind: attribute.S, Str: "done"}}
				if err := t.write(tb, tb.rowKey(it), nil, it); err != nil {
					return err
				}
				return fail()
			})
		}
	}
	errs := grouped(t, s,
		write1(t, s, "PutItem", `{"TableName":"bench","Item":`+benchItem(1)+`}`, http.StatusOK),
		halfway(func() error { return broken }),
		halfway(func() error { panic("broken as well") }),
		write1(t, s, "PutItem", `{"TableName":"bench","Item":`+benchItem(2)+`}`, http.StatusOK),
	)
	if errs[0] != nil || errs[3] != nil {
		t.Errorf("the others: %v, %v", errs[0], errs[3])
	}
	if !errors.Is(errs[1], broken) || errs[2] == nil || !strings.Contains(errs[2].Error(), "broken as well") {
		t.Errorf("the broken ones: %v, %v", errs[1], errs[2])
	}
	if all := string(mustCall(t, s, "Scan", `{"TableName":"bench"}`)); !strings.Contains(
		all, `"Count":3`,
	) || strings.Contains(all, "half") {
		t.Errorf("the table holds %s", all)
	}
}

// BenchmarkDurablePuts measures puts of eight concurrent clients on disk.
func BenchmarkDurablePuts(b *testing.B) {
	s, err := Open(Options{Path: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	}()
	mustCall(b, s, "CreateTable", `{"TableName":"bench","BillingMode":"PAY_PER_REQUEST",
		"AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"}],
		"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}]}`)
	var n atomic.Int64
	b.SetParallelism(8 / min(8, runtime.GOMAXPROCS(0)))
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			measure(b, s, "PutItem", `{"TableName":"bench","Item":`+benchItem(int(n.Add(1)%1000))+`}`)
		}
	})
}

// Concurrent readers and writers, while tables are created, changed and deleted.

func TestConcurrentRequestsAreSafe(t *testing.T) {
	s := filled(t, 50)
	var wg sync.WaitGroup
	// try accepts client errors, such as a table that does not exist at the moment, but no
	// internal error.
	try := func(target, body string) {
		if status, out := call(t, s, target, body); status >= http.StatusInternalServerError {
			t.Errorf("%s: %d %s", target, status, out)
		}
	}
	for worker := range 8 {
		wg.Go(func() {
			for i := range 40 {
				n := worker*40 + i
				try("PutItem", `{"TableName":"bench","Item":`+benchItem(n)+`}`)
				try("UpdateItem", fmt.Sprintf(`{"TableName":"bench","Key":{"PK":{"S":"CUSTOMER#0000"},"SK":{"S":"ORDER#%06d"}},
					"UpdateExpression":"SET G1 = :g","ExpressionAttributeValues":{":g":{"S":"STATE#%d"}}}`, n%50, i%7))
				try(
					"Query",
					`{"TableName":"bench","IndexName":"byG1","KeyConditionExpression":"G1 = :g","ExpressionAttributeValues":{":g":{"S":"STATE#1"}}}`,
				)
				try("PutItem", fmt.Sprintf(`{"TableName":"short","Item":{"PK":{"S":"%d"}}}`, n))
				try("DeleteItem", fmt.Sprintf(`{"TableName":"bench","Key":{"PK":{"S":"CUSTOMER#0000"},"SK":{"S":"ORDER#%06d"}}}`, n))
			}
		})
	}
	wg.Go(func() {
		for range 20 {
			try("CreateTable", `{"TableName":"short","BillingMode":"PAY_PER_REQUEST",
				"AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"}],"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"}]}`)
			try("UpdateTable", `{"TableName":"bench","AttributeDefinitions":[{"AttributeName":"note","AttributeType":"S"}],"GlobalSecondaryIndexUpdates":[
				{"Create":{"IndexName":"byNote","KeySchema":[{"AttributeName":"note","KeyType":"HASH"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}}]}`)
			try("ListTables", `{}`)
			try("UpdateTable", `{"TableName":"bench","GlobalSecondaryIndexUpdates":[{"Delete":{"IndexName":"byNote"}}]}`)
			try("DeleteTable", `{"TableName":"short"}`)
		}
	})
	wg.Wait()
	// Every index entry must have its item, and the counts must be correct.
	table := string(mustCall(t, s, "Scan", `{"TableName":"bench","Select":"COUNT"}`))
	index := string(mustCall(t, s, "Scan", `{"TableName":"bench","IndexName":"byG1","Select":"COUNT"}`))
	if table != index {
		t.Errorf("the table returns %s, its index %s", table, index)
	}
}
