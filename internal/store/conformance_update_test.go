package store_test

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/ddbdesk/ddbdesk/models"
)

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
