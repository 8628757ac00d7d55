package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// stored returns the item with these attributes in the case's partition of the main table.
func (e *env) stored(m attrs) models.Item {
	stored := item(m)
	stored["PK"] = value(e.partition)
	return stored
}

// key returns a primary key in the case's partition of the main table.
func (e *env) key(sortKey string) models.Item {
	return item(attrs{"PK": e.partition, "SK": sortKey})
}

// token returns a client request token that is unique to the case.
func (e *env) token() string { return fmt.Sprintf("%s-%d", e.partition, time.Now().UnixNano()) }

func updateItem(table *models.Table, key models.Item, set, condition string, given attrs) change.Batch {
	return transaction("", types.TransactWriteItem{Update: &types.Update{
		TableName: aws.String(table.Name), Key: key, UpdateExpression: aws.String(set),
		ConditionExpression: aws.String(condition), ExpressionAttributeValues: values(given),
	}})
}

// transaction returns a batch that requests the items whose conditions fail, as a plan does. A single write without a
// token is not sent as a transaction.
func transaction(token string, writes ...types.TransactWriteItem) change.Batch {
	const old = types.ReturnValuesOnConditionCheckFailureAllOld
	for _, w := range writes {
		switch {
		case w.Update != nil && w.Update.ConditionExpression != nil:
			w.Update.ReturnValuesOnConditionCheckFailure = old
		case w.Put != nil && w.Put.ConditionExpression != nil:
			w.Put.ReturnValuesOnConditionCheckFailure = old
		case w.Delete != nil && w.Delete.ConditionExpression != nil:
			w.Delete.ReturnValuesOnConditionCheckFailure = old
		case w.ConditionCheck != nil:
			w.ConditionCheck.ReturnValuesOnConditionCheckFailure = old
		}
	}
	return change.Batch{Writes: writes, Token: token}
}

// commits commits a batch that must be accepted at the first attempt.
func (e *env) commits(t *testing.T, b change.Batch) {
	t.Helper()
	done, err := e.writer.Commit(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	if done.Capacity <= 0 || done.Attempts != 1 {
		t.Errorf("got %+v, want one attempt with capacity", done)
	}
}

// refuses commits a batch that must fail and write nothing.
func (e *env) refuses(t *testing.T, b change.Batch, class store.Class, want ...store.Failure) {
	t.Helper()
	_, err := e.writer.Commit(t.Context(), b)
	wantFailure(t, err, class, store.NotWritten, want...)
}

// wantFailure checks the error of a commit. The error must not contain the word "hidden", which marks the data of test
// items.
func wantFailure(t *testing.T, err error, class store.Class, outcome store.Outcome, want ...store.Failure) {
	t.Helper()
	var failed *store.Error
	if !errors.As(err, &failed) {
		t.Fatalf("got %v, want an error of class %q", err, class)
	}
	if failed.Class != class || failed.Outcome() != outcome {
		t.Errorf("class %q, %s, want %q, %s: %v", failed.Class, failed.Outcome(), class, outcome, err)
	}
	if diff := cmp.Diff(want, failed.Failures, itemsByValue); diff != "" {
		t.Errorf("failures (-want +got):\n%s", diff)
	}
	if strings.Contains(err.Error(), "hidden") {
		t.Errorf("the error contains item data: %v", err)
	}
	for _, words := range []string{"nothing was written", "is not known"} {
		if contradicts := outcome == store.Unknown; strings.Contains(err.Error(), words) && contradicts != (words == "is not known") {
			t.Errorf("the outcome is %s, but the error is %v", outcome, err)
		}
	}
}

// itemsByValue compares items as DynamoDB does.
var itemsByValue = cmp.Comparer(func(a, b models.Item) bool {
	return (a == nil) == (b == nil) && len(models.Diff(a, b)) == 0
})

// holds checks the items in the case's partition of the main table.
func (e *env) holds(t *testing.T, want ...attrs) {
	t.Helper()
	items := e.fetch(t, e.query(request{}), nil, 0).Items
	if len(items) != len(want) {
		t.Fatalf("got %d items, want %d", len(items), len(want))
	}
	for i := range want {
		sameItem(t, e.stored(want[i]), items[i])
	}
}

var commitCases = []conformanceCase{
	{"commit/update", func(t *testing.T, e *env) {
		e.put(t, attrs{"SK": "1", "n": 1, "s": "hidden"})
		set := updateItem(e.main, e.key("1"), "SET n = :new", "n = :old", attrs{":new": 2, ":old": 1})
		e.commits(t, set)
		e.holds(t, attrs{"SK": "1", "n": 2, "s": "hidden"})
		e.refuses(t, set, store.ConditionFailed,
			store.Failure{Code: store.CodeConditionFailed, Item: e.stored(attrs{"SK": "1", "n": 2, "s": "hidden"})})
		e.holds(t, attrs{"SK": "1", "n": 2, "s": "hidden"})
		e.refuses(t, updateItem(e.main, e.key("nowhere"), "SET n = :new", "attribute_exists(PK)", attrs{":new": 2}),
			store.ConditionFailed, store.Failure{Code: store.CodeConditionFailed})
		e.holds(t, attrs{"SK": "1", "n": 2, "s": "hidden"})
	}},
	{"commit/put", func(t *testing.T, e *env) {
		put := func(s string) change.Batch {
			return transaction("", types.TransactWriteItem{Put: &types.Put{
				TableName: aws.String(e.main.Name), Item: e.stored(attrs{"SK": "1", "s": s}),
				ConditionExpression: aws.String("attribute_not_exists(PK)"),
			}})
		}
		e.commits(t, put("hidden"))
		e.holds(t, attrs{"SK": "1", "s": "hidden"})
		e.refuses(t, put("other"), store.ConditionFailed,
			store.Failure{Code: store.CodeConditionFailed, Item: e.stored(attrs{"SK": "1", "s": "hidden"})})
		e.holds(t, attrs{"SK": "1", "s": "hidden"})
	}},
	{"commit/delete", func(t *testing.T, e *env) {
		e.put(t, attrs{"SK": "1", "n": 1, "s": "hidden"})
		remove := func(n int) change.Batch {
			return transaction("", types.TransactWriteItem{Delete: &types.Delete{
				TableName: aws.String(e.main.Name), Key: e.key("1"), ConditionExpression: aws.String("n = :n"),
				ExpressionAttributeValues: values(attrs{":n": n}),
			}})
		}
		e.refuses(t, remove(2), store.ConditionFailed,
			store.Failure{Code: store.CodeConditionFailed, Item: e.stored(attrs{"SK": "1", "n": 1, "s": "hidden"})})
		e.commits(t, remove(1))
		e.holds(t)
		e.refuses(t, remove(1), store.ConditionFailed, store.Failure{Code: store.CodeConditionFailed})
	}},
	{"commit/without a condition", func(t *testing.T, e *env) {
		b := updateItem(e.main, e.key("1"), "SET n = :new", "", attrs{":new": 2})
		b.Writes[0].Update.ConditionExpression = nil
		e.commits(t, b)
		e.holds(t, attrs{"SK": "1", "n": 2})
	}},
	{"commit/transaction of several tables", func(t *testing.T, e *env) {
		e.put(t, attrs{"SK": "1", "n": 1, "s": "hidden"}, attrs{"SK": "2", "n": 1})
		id := e.partition + e.token()
		writes := func(checked string) []types.TransactWriteItem {
			return []types.TransactWriteItem{
				e.write("ADD n :one", "n = :one", attrs{":one": 1}),
				{Put: &types.Put{
					TableName: aws.String(e.single.Name), Item: values(attrs{"id": id, "s": "hidden"}),
					ConditionExpression: aws.String("attribute_not_exists(id)"),
				}},
				{Put: &types.Put{TableName: aws.String(e.numbers.Name), Item: values(attrs{"id": id, "n": 7})}},
				{Delete: &types.Delete{
					TableName: aws.String(e.main.Name), Key: e.key("2"), ConditionExpression: aws.String("attribute_exists(PK)"),
				}},
				{ConditionCheck: &types.ConditionCheck{
					TableName: aws.String(e.main.Name), Key: e.key(checked), ConditionExpression: aws.String("attribute_not_exists(PK)"),
				}},
			}
		}
		e.commits(t, transaction(e.token(), writes("3")...))
		e.holds(t, attrs{"SK": "1", "n": 2, "s": "hidden"})
		e.refuses(t, transaction(e.token(), writes("1")[1:]...), store.TransactionCancelled,
			store.Failure{Index: 0, Code: store.CodeConditionFailed, Item: item(attrs{"id": id, "s": "hidden"})},
			store.Failure{Index: 2, Code: store.CodeConditionFailed},
			store.Failure{Index: 3, Code: store.CodeConditionFailed, Item: e.stored(attrs{"SK": "1", "n": 2, "s": "hidden"})})
		e.holds(t, attrs{"SK": "1", "n": 2, "s": "hidden"})
	}},
	{"commit/same token applies once", func(t *testing.T, e *env) {
		e.put(t, attrs{"SK": "1", "n": 1})
		b := transaction(e.token(), e.write("ADD n :one", "n = :one", attrs{":one": 1}))
		for range 3 {
			e.commits(t, b)
		}
		e.holds(t, attrs{"SK": "1", "n": 2})
	}},
	{"commit/same token with other writes", func(t *testing.T, e *env) {
		e.put(t, attrs{"SK": "1", "n": 1})
		token := e.token()
		e.commits(t, transaction(token, e.write("ADD n :v", "attribute_exists(PK)", attrs{":v": 1})))
		other := transaction(token, e.write("ADD n :v", "attribute_exists(PK)", attrs{":v": 2}))
		e.refuses(t, other, store.Validation)
		_, err := e.writer.Commit(t.Context(), other)
		want := "another change used the same client request token; nothing was written; plan the change again, which gives it a new token"
		if err == nil || err.Error() != want {
			t.Errorf("got %v", err)
		}
		e.holds(t, attrs{"SK": "1", "n": 2})
	}},
	{"commit/concurrent transactions on one item", func(t *testing.T, e *env) {
		e.put(t, attrs{"SK": "1", "n": 1, "s": "hidden"})
		const rivals = 4
		failed := make(chan error, rivals)
		for range rivals {
			b := transaction(e.token(), e.write("ADD n :one", "n = :one", attrs{":one": 1}))
			go func() {
				_, err := e.writer.Commit(t.Context(), b)
				failed <- err
			}()
		}
		succeeded := 0
		for range rivals {
			err := <-failed
			if err == nil {
				succeeded++
				continue
			}
			wantFailure(t, err, store.TransactionCancelled, store.NotWritten,
				store.Failure{Code: store.CodeConditionFailed, Item: e.stored(attrs{"SK": "1", "n": 2, "s": "hidden"})})
		}
		if succeeded != 1 {
			t.Errorf("%d writes succeeded, want 1", succeeded)
		}
		e.holds(t, attrs{"SK": "1", "n": 2, "s": "hidden"})
	}},
	{"commit/validation error", func(t *testing.T, e *env) {
		e.put(t, attrs{"SK": "1", "s": "hidden"})
		wrong := attrs{":v": "hidden"}
		e.refuses(t, updateItem(e.main, e.key("1"), "SET SK = :v", "attribute_exists(PK)", wrong), store.Validation)
		e.refuses(t, updateItem(e.main, e.key("1"), "ADD s :v", "attribute_exists(PK)", wrong), store.Validation)
		twice := e.write("SET x = :v", "attribute_exists(PK)", wrong)
		e.refuses(t, transaction("", twice, twice), store.Validation)
		e.holds(t, attrs{"SK": "1", "s": "hidden"})
	}},
	{"commit/validation error in a transaction", func(t *testing.T, e *env) {
		e.put(t, attrs{"SK": "1", "s": "hidden"})
		b := transaction(e.token(), e.write("SET SK = :v", "attribute_exists(PK)", attrs{":v": "hidden"}))
		e.refuses(t, b, store.TransactionCancelled, store.Failure{Code: store.CodeInvalid})
		e.holds(t, attrs{"SK": "1", "s": "hidden"})
	}},
	{"commit/missing table", func(t *testing.T, e *env) {
		nowhere := models.Table{Name: "ddbdesk-nowhere"}
		b := updateItem(&nowhere, e.key("1"), "SET n = :v", "attribute_exists(PK)", attrs{":v": 1})
		e.refuses(t, b, store.TableMissing)
		_, err := e.writer.Commit(t.Context(), b)
		wantText(t, err, nowhere.Name)
		one, two := e.write("SET n = :v", "attribute_not_exists(PK)", attrs{":v": 1}), e.write("SET n = :v",
			"attribute_not_exists(PK)", attrs{":v": 1})
		two.Update.TableName = aws.String(nowhere.Name)
		b = transaction("", one, two)
		e.refuses(t, b, store.TableMissing)
		_, err = e.writer.Commit(t.Context(), b)
		wantText(t, err, "one of the tables", nowhere.Name, e.main.Name)
		e.holds(t)
	}},
}
