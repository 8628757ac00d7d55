package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// stored returns the item of the main table with the attributes, in the case's
// partition.
func (e *env) stored(m attrs) models.Item {
	stored := item(m)
	stored["PK"] = value(e.partition)
	return stored
}

// key is the primary key of an item of the main table.
func (e *env) key(sortKey string) models.Item {
	return item(attrs{"PK": e.partition, "SK": sortKey})
}

// token is a client request token of the case's own.
func (e *env) token() string { return fmt.Sprintf("%s-%d", e.partition, time.Now().UnixNano()) }

func updateItem(table *models.Table, key models.Item, set, condition string, given attrs) change.Batch {
	return change.Batch{Update: &dynamodb.UpdateItemInput{
		TableName: aws.String(table.Name), Key: key, UpdateExpression: aws.String(set),
		ConditionExpression: aws.String(condition), ExpressionAttributeValues: values(given),
	}}
}

func transaction(token string, writes ...types.TransactWriteItem) change.Batch {
	in := &dynamodb.TransactWriteItemsInput{TransactItems: writes}
	if token != "" {
		in.ClientRequestToken = aws.String(token)
	}
	return change.Batch{Transact: in}
}

// commits commits a batch that must be accepted at the first attempt.
func (e *env) commits(t *testing.T, b change.Batch) {
	t.Helper()
	done, err := e.writer.Commit(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	if done.Capacity <= 0 || done.Attempts != 1 {
		t.Errorf("done as %+v", done)
	}
}

// refuses commits a batch that must fail without being written.
func (e *env) refuses(t *testing.T, b change.Batch, class store.Class, want ...store.Failure) {
	t.Helper()
	_, err := e.writer.Commit(t.Context(), b)
	wantFailure(t, err, class, store.NotWritten, want...)
}

// wantFailure checks the error of a commit. No text of a test's item that holds
// the word hidden may be in it.
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
		t.Errorf("an item's data is in the text: %v", err)
	}
	for _, words := range []string{"nothing was written", "is not known"} {
		if contradicts := outcome == store.Unknown; strings.Contains(err.Error(), words) && contradicts != (words == "is not known") {
			t.Errorf("%s, but the text says: %v", outcome, err)
		}
	}
}

// itemsByValue compares items as DynamoDB does.
var itemsByValue = cmp.Comparer(func(a, b models.Item) bool {
	return (a == nil) == (b == nil) && len(models.Diff(a, b)) == 0
})

// holds checks what the partition of the case holds in the main table.
func (e *env) holds(t *testing.T, want ...attrs) {
	t.Helper()
	items := e.fetch(t, e.query(request{}), nil, 0).Items
	if len(items) != len(want) {
		t.Fatalf("%d items, want %d", len(items), len(want))
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
		put := change.Batch{Put: &dynamodb.PutItemInput{
			TableName: aws.String(e.main.Name), Item: e.stored(attrs{"SK": "1", "s": "hidden"}),
			ConditionExpression: aws.String("attribute_not_exists(PK)"),
		}}
		e.commits(t, put)
		e.holds(t, attrs{"SK": "1", "s": "hidden"})
		other := *put.Put
		other.Item = e.stored(attrs{"SK": "1", "s": "other"})
		e.refuses(t, change.Batch{Put: &other}, store.ConditionFailed,
			store.Failure{Code: store.CodeConditionFailed, Item: e.stored(attrs{"SK": "1", "s": "hidden"})})
		e.holds(t, attrs{"SK": "1", "s": "hidden"})
	}},
	{"commit/delete", func(t *testing.T, e *env) {
		e.put(t, attrs{"SK": "1", "n": 1, "s": "hidden"})
		remove := func(n int) change.Batch {
			return change.Batch{Delete: &dynamodb.DeleteItemInput{
				TableName: aws.String(e.main.Name), Key: e.key("1"), ConditionExpression: aws.String("n = :n"),
				ExpressionAttributeValues: values(attrs{":n": n}),
			}}
		}
		e.refuses(t, remove(2), store.ConditionFailed,
			store.Failure{Code: store.CodeConditionFailed, Item: e.stored(attrs{"SK": "1", "n": 1, "s": "hidden"})})
		e.commits(t, remove(1))
		e.holds(t)
		e.refuses(t, remove(1), store.ConditionFailed, store.Failure{Code: store.CodeConditionFailed})
	}},
	{"commit/without a condition", func(t *testing.T, e *env) {
		b := updateItem(e.main, e.key("1"), "SET n = :new", "", attrs{":new": 2})
		b.Update.ConditionExpression = nil
		e.commits(t, b)
		e.holds(t, attrs{"SK": "1", "n": 2})
	}},
	{"commit/transaction of several tables", func(t *testing.T, e *env) {
		e.put(t, attrs{"SK": "1", "n": 1, "s": "hidden"}, attrs{"SK": "2", "n": 1})
		id := e.partition + e.token()
		writes := func(checked string) []types.TransactWriteItem {
			return []types.TransactWriteItem{
				e.write("1", "ADD n :one", "n = :one", attrs{":one": 1}),
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
	{"commit/the same token is done once", func(t *testing.T, e *env) {
		e.put(t, attrs{"SK": "1", "n": 1})
		b := transaction(e.token(), e.write("1", "ADD n :one", "n = :one", attrs{":one": 1}))
		for range 3 {
			e.commits(t, b)
		}
		e.holds(t, attrs{"SK": "1", "n": 2})
	}},
	{"commit/the same token with other content", func(t *testing.T, e *env) {
		e.put(t, attrs{"SK": "1", "n": 1})
		token := e.token()
		e.commits(t, transaction(token, e.write("1", "ADD n :v", "attribute_exists(PK)", attrs{":v": 1})))
		other := transaction(token, e.write("1", "ADD n :v", "attribute_exists(PK)", attrs{":v": 2}))
		e.refuses(t, other, store.Validation)
		_, err := e.writer.Commit(t.Context(), other)
		want := "another change used the same client request token; nothing was written; plan the change again, which gives it a new token"
		if err == nil || err.Error() != want {
			t.Errorf("got %v", err)
		}
		e.holds(t, attrs{"SK": "1", "n": 2})
	}},
	{"commit/transactions of one item at once", func(t *testing.T, e *env) {
		e.put(t, attrs{"SK": "1", "n": 1, "s": "hidden"})
		const rivals = 4
		failed := make(chan error, rivals)
		for range rivals {
			b := transaction(e.token(), e.write("1", "ADD n :one", "n = :one", attrs{":one": 1}))
			go func() {
				_, err := e.writer.Commit(t.Context(), b)
				failed <- err
			}()
		}
		won := 0
		for range rivals {
			err := <-failed
			if err == nil {
				won++
				continue
			}
			wantFailure(t, err, store.TransactionCancelled, store.NotWritten,
				store.Failure{Code: store.CodeConditionFailed, Item: e.stored(attrs{"SK": "1", "n": 2, "s": "hidden"})})
		}
		if won != 1 {
			t.Errorf("%d were done, want 1", won)
		}
		e.holds(t, attrs{"SK": "1", "n": 2, "s": "hidden"})
	}},
	{"commit/refused as wrong", func(t *testing.T, e *env) {
		e.put(t, attrs{"SK": "1", "s": "hidden"})
		wrong := attrs{":v": "hidden"}
		e.refuses(t, updateItem(e.main, e.key("1"), "SET SK = :v", "attribute_exists(PK)", wrong), store.Validation)
		e.refuses(t, updateItem(e.main, e.key("1"), "ADD s :v", "attribute_exists(PK)", wrong), store.Validation)
		twice := e.write("1", "SET x = :v", "attribute_exists(PK)", wrong)
		e.refuses(t, transaction("", twice, twice), store.Validation)
		e.holds(t, attrs{"SK": "1", "s": "hidden"})
	}},
	{"commit/refused as wrong in a transaction", func(t *testing.T, e *env) {
		e.put(t, attrs{"SK": "1", "s": "hidden"})
		b := transaction("", e.write("1", "SET SK = :v", "attribute_exists(PK)", attrs{":v": "hidden"}))
		e.refuses(t, b, store.TransactionCancelled, store.Failure{Code: store.CodeInvalid})
		e.holds(t, attrs{"SK": "1", "s": "hidden"})
	}},
	{"commit/missing table", func(t *testing.T, e *env) {
		nowhere := models.Table{Name: "ddbdesk-nowhere"}
		b := updateItem(&nowhere, e.key("1"), "SET n = :v", "attribute_exists(PK)", attrs{":v": 1})
		e.refuses(t, b, store.TableMissing)
		_, err := e.writer.Commit(t.Context(), b)
		wantText(t, err, nowhere.Name)
		one, two := e.write("1", "SET n = :v", "attribute_not_exists(PK)", attrs{":v": 1}), e.write("1", "SET n = :v",
			"attribute_not_exists(PK)", attrs{":v": 1})
		two.Update.TableName = aws.String(nowhere.Name)
		b = transaction("", one, two)
		e.refuses(t, b, store.TableMissing)
		_, err = e.writer.Commit(t.Context(), b)
		wantText(t, err, "one of the tables", nowhere.Name, e.main.Name)
		e.holds(t)
	}},
}

// updated is the item that every update case changes.
func updated() attrs {
	return attrs{
		"SK": "1", "n": 5, "s": "text", "letters": []any{"a", "b", "c"}, "deep": attrs{"x": 1, "y": attrs{"z": 2}},
		"tags": []string{"a", "b"},
	}
}

func (e *env) update(t *testing.T, expression, condition string, given attrs) error {
	t.Helper()
	in := &dynamodb.UpdateItemInput{
		TableName: aws.String(e.main.Name), Key: values(attrs{"PK": e.partition, "SK": "1"}),
		UpdateExpression: aws.String(expression), ExpressionAttributeValues: values(given),
	}
	if condition != "" {
		in.ConditionExpression = aws.String(condition)
	}
	_, err := e.raw.UpdateItem(t.Context(), in)
	return err
}

// updating is a case that updates the item; change says what is another then, nil
// what is gone.
func updating(name, expression string, given, change attrs) conformanceCase {
	return conformanceCase{"update/" + name, func(t *testing.T, e *env) {
		e.put(t, updated())
		if err := e.update(t, expression, "", given); err != nil {
			t.Fatal(err)
		}
		want := item(updated())
		want["PK"] = value(e.partition)
		for attribute, v := range change {
			delete(want, attribute)
			if v != nil {
				want[attribute] = value(v)
			}
		}
		got := e.fetch(t, e.get("1"), nil, 0).Items[0]
		sortSets(got["tags"])
		sameItem(t, want, got)
	}}
}

// misupdating is a case whose update must be refused and change nothing.
func misupdating(name, expression string, given attrs) conformanceCase {
	return conformanceCase{"update refused/" + name, func(t *testing.T, e *env) {
		e.put(t, updated())
		var api smithy.APIError
		if err := e.update(t, expression, "", given); !errors.As(err, &api) || api.ErrorCode() != "ValidationException" {
			t.Errorf("got %v", err)
		}
		want := item(updated())
		want["PK"] = value(e.partition)
		got := e.fetch(t, e.get("1"), nil, 0).Items[0]
		sortSets(got["tags"])
		sameItem(t, want, got)
	}}
}

// condition is a case that updates the item when the condition holds.
func condition(holds bool, text string, given attrs) conformanceCase {
	return conformanceCase{"condition/" + text, func(t *testing.T, e *env) {
		e.put(t, updated())
		values := attrs{":new": "changed"}
		for name, v := range given {
			values[name] = v
		}
		err := e.update(t, "SET s = :new", text, values)
		var failed *types.ConditionalCheckFailedException
		switch {
		case holds && err != nil:
			t.Error(err)
		case !holds && !errors.As(err, &failed):
			t.Errorf("got %v", err)
		}
		want := "text"
		if holds {
			want = "changed"
		}
		wantTexts(t, []models.Item{e.fetch(t, e.get("1"), nil, 0).Items[0]}, "s", want)
	}}
}

var updateCases = []conformanceCase{
	updating("set", "SET s = :v", attrs{":v": "new"}, attrs{"s": "new"}),
	updating("set another type", "SET s = :v", attrs{":v": 1}, attrs{"s": 1}),
	updating("set a new attribute", "SET fresh = :v", attrs{":v": true}, attrs{"fresh": true}),
	updating("plus", "SET n = n + :v", attrs{":v": num("0.5")}, attrs{"n": num("5.5")}),
	updating("minus", "SET n = n - :v", attrs{":v": 7}, attrs{"n": -2}),
	updating("copy", "SET fresh = s", nil, attrs{"fresh": "text"}),
	updating("old values on the right", "SET n = :v, fresh = n", attrs{":v": 9}, attrs{"n": 9, "fresh": 5}),
	updating("if_not_exists of what is there", "SET n = if_not_exists(n, :v)", attrs{":v": 9}, nil),
	updating("if_not_exists of what is not", "SET fresh = if_not_exists(fresh, :v)", attrs{":v": 9}, attrs{"fresh": 9}),
	updating("counter", "SET fresh = if_not_exists(fresh, :zero) + :one", attrs{":zero": 0, ":one": 1}, attrs{"fresh": 1}),
	updating("list_append", "SET letters = list_append(letters, :v)", attrs{":v": []any{"d"}}, attrs{"letters": []any{"a", "b", "c", "d"}}),
	updating("list_append in front", "SET letters = list_append(:v, letters)", attrs{":v": []any{"d"}},
		attrs{"letters": []any{"d", "a", "b", "c"}}),
	updating("list element", "SET letters[1] = :v", attrs{":v": 1}, attrs{"letters": []any{"a", 1, "c"}}),
	updating("beyond the end of a list", "SET letters[9] = :v", attrs{":v": "z"}, attrs{"letters": []any{"a", "b", "c", "z"}}),
	updating("nested", "SET deep.y.z = :v", attrs{":v": 3}, attrs{"deep": attrs{"x": 1, "y": attrs{"z": 3}}}),
	updating("remove", "REMOVE s, n", nil, attrs{"s": nil, "n": nil}),
	updating("remove what is not there", "REMOVE fresh", nil, nil),
	updating("remove list elements", "REMOVE letters[0], letters[2]", nil, attrs{"letters": []any{"b"}}),
	updating("remove nested", "REMOVE deep.y", nil, attrs{"deep": attrs{"x": 1}}),
	updating("add to a number", "ADD n :v", attrs{":v": -7}, attrs{"n": -2}),
	updating("add to nothing", "ADD fresh :v", attrs{":v": 3}, attrs{"fresh": 3}),
	updating("add to a set", "ADD tags :v", attrs{":v": []string{"b", "c"}}, attrs{"tags": []string{"a", "b", "c"}}),
	updating("delete from a set", "DELETE tags :v", attrs{":v": []string{"b", "z"}}, attrs{"tags": []string{"a"}}),
	updating("delete the last of a set", "DELETE tags :v", attrs{":v": []string{"a", "b"}}, attrs{"tags": nil}),
	updating("all clauses", "SET s = :s REMOVE letters ADD n :n DELETE tags :t",
		attrs{":s": "x", ":n": 1, ":t": []string{"a"}},
		attrs{"s": "x", "letters": nil, "n": 6, "tags": []string{"b"}}),
	misupdating("a key", "SET SK = :v", attrs{":v": "2"}),
	misupdating("an index key of another type", "SET A1 = :v", attrs{":v": 1}),
	misupdating("one path twice", "SET n = :v REMOVE n", attrs{":v": 1}),
	misupdating("overlapping paths", "SET deep = :v, deep.x = :v", attrs{":v": 1}),
	misupdating("arithmetic on text", "SET s = s + :v", attrs{":v": 1}),
	misupdating("a path through nothing", "SET nowhere.x = :v", attrs{":v": 1}),
	misupdating("copy of nothing", "SET s = nowhere", nil),
	misupdating("add to text", "ADD s :v", attrs{":v": 1}),
	misupdating("add a list", "ADD letters :v", attrs{":v": []any{"d"}}),
	misupdating("a set of another type", "DELETE tags :v", attrs{":v": "a"}),
	misupdating("too many digits", "SET n = n + :v", attrs{":v": num("1E40")}),
	misupdating("clause twice", "SET n = :v SET s = :v", attrs{":v": 1}),
	misupdating("empty", "SET ", nil),
	condition(true, "attribute_exists(PK)", nil),
	condition(false, "attribute_not_exists(PK)", nil),
	condition(true, "n = :v AND s = :t", attrs{":v": num("5.0"), ":t": "text"}),
	condition(false, "n = :v OR s = :t", attrs{":v": 4, ":t": "other"}),
	condition(false, "n = :v", attrs{":v": "5"}),
	condition(true, "n <> :v", attrs{":v": "5"}),
	condition(true, "nowhere <> :v", attrs{":v": "5"}),
	condition(false, "nowhere < :v", attrs{":v": 5}),
	condition(true, "NOT nowhere = :v", attrs{":v": 5}),
	condition(true, "n BETWEEN :a AND :b", attrs{":a": 5, ":b": 5}),
	condition(true, "s IN (:a, :b)", attrs{":a": 1, ":b": "text"}),
	condition(true, "deep.y.z = :v AND letters[2] = :c", attrs{":v": 2, ":c": "c"}),
	condition(true, "letters = :v", attrs{":v": []any{"a", "b", "c"}}),
	condition(true, "tags = :v", attrs{":v": []string{"b", "a"}}),
	condition(true, "deep = :v", attrs{":v": attrs{"y": attrs{"z": 2}, "x": 1}}),
	condition(true, "contains(letters, :v)", attrs{":v": "b"}),
	condition(true, "size(letters) = :v AND size(s) > :v", attrs{":v": 3}),
	condition(true, "attribute_type(deep, :v)", attrs{":v": "M"}),
	condition(true, "begins_with(s, :v)", attrs{":v": "te"}),
	condition(true, "s = :t OR n = :v AND n = :w", attrs{":t": "text", ":v": 5, ":w": 6}),
	condition(false, "(s = :t OR n = :v) AND n = :w", attrs{":t": "text", ":v": 5, ":w": 6}),
	{"update/makes an item that is not there", func(t *testing.T, e *env) {
		if err := e.update(t, "SET n = :v", "", attrs{":v": 1}); err != nil {
			t.Fatal(err)
		}
		sameItem(t, item(attrs{"PK": e.partition, "SK": "1", "n": 1}), e.fetch(t, e.get("1"), nil, 0).Items[0])
	}},
	{"update/moves the item within an index", func(t *testing.T, e *env) {
		e.put(t, attrs{"SK": "1", "A1": e.own("x"), "A2": "open#1"}, attrs{"SK": "2", "A1": e.own("x"), "A2": "open#2"})
		if err := e.update(t, "SET A2 = :v", "A2 = :old", attrs{":v": "paid#1", ":old": "open#1"}); err != nil {
			t.Fatal(err)
		}
		leg := e.query(request{index: "all", key: "A1 = :a", values: attrs{":a": e.own("x")}})
		wantTexts(t, e.fetch(t, leg, nil, 0).Items, "A2", "open#2", "paid#1")
	}},
}
