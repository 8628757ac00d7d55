package store_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/stored"
	"github.com/ddbdesk/ddbdesk/models"
)

// num is a number as DynamoDB writes it.
type num string

// value makes a DynamoDB value of a Go one.
func value(v any) types.AttributeValue {
	switch v := v.(type) {
	case types.AttributeValue:
		return v
	case nil:
		return &types.AttributeValueMemberNULL{Value: true}
	case string:
		return &types.AttributeValueMemberS{Value: v}
	case num:
		return &types.AttributeValueMemberN{Value: string(v)}
	case int:
		return &types.AttributeValueMemberN{Value: fmt.Sprint(v)}
	case bool:
		return &types.AttributeValueMemberBOOL{Value: v}
	case []byte:
		return &types.AttributeValueMemberB{Value: v}
	case []string:
		return &types.AttributeValueMemberSS{Value: v}
	case []any:
		list := make([]types.AttributeValue, len(v))
		for i := range v {
			list[i] = value(v[i])
		}
		return &types.AttributeValueMemberL{Value: list}
	case map[string]any:
		return &types.AttributeValueMemberM{Value: values(v)}
	}
	panic(fmt.Sprintf("no DynamoDB value for %T", v))
}

// attrs are attributes, or the values of an expression.
type attrs = map[string]any

func values(m attrs) map[string]types.AttributeValue {
	if len(m) == 0 {
		return nil
	}
	out := make(map[string]types.AttributeValue, len(m))
	for name, v := range m {
		out[name] = value(v)
	}
	return out
}

func item(m attrs) models.Item { return values(m) }

// put stores items of the main table in the case's partition.
func (e *env) put(t *testing.T, items ...attrs) {
	t.Helper()
	all := make([]models.Item, len(items))
	for i, m := range items {
		all[i] = item(m)
		all[i]["PK"] = value(e.partition)
	}
	if err := stored.Put(t.Context(), e.writer, e.main.Name, all); err != nil {
		t.Fatal(err)
	}
}

// sorted returns n items with the sort keys 00, 01, 02.., each with its number
// in n.
func sorted(n int) []attrs {
	items := make([]attrs, n)
	for i := range items {
		items[i] = attrs{"SK": fmt.Sprintf("%02d", i), "n": i}
	}
	return items
}

// A request is a Query or Scan in the words of its expressions.
type request struct {
	index      string
	key        string // the condition besides PK = :pk; for an index the whole one
	filter     string
	projection string
	values     attrs
	names      map[string]string
	descending bool
	count      bool
	limit      int
}

// query returns the request as a leg on the main table.
func (e *env) query(r request) accesspatterns.Leg {
	in := &dynamodb.QueryInput{TableName: aws.String(e.main.Name), ExpressionAttributeNames: r.names}
	given := attrs{}
	condition := "PK = :pk"
	switch {
	case r.index != "":
		in.IndexName = aws.String(r.index)
		condition = r.key
	case r.key != "":
		condition += " AND " + r.key
	}
	if r.index == "" {
		given[":pk"] = e.partition
	}
	for name, v := range r.values {
		given[name] = v
	}
	in.KeyConditionExpression = aws.String(condition)
	in.ExpressionAttributeValues = values(given)
	if r.filter != "" {
		in.FilterExpression = aws.String(r.filter)
	}
	if r.projection != "" {
		in.ProjectionExpression = aws.String(r.projection)
	}
	if r.descending {
		in.ScanIndexForward = aws.Bool(false)
	}
	if r.count {
		in.Select = types.SelectCount
	}
	return accesspatterns.Leg{Query: in}
}

// fetch asks for one page that must come.
func (e *env) fetch(t *testing.T, leg accesspatterns.Leg, start models.Item, limit int) accesspatterns.Page {
	t.Helper()
	page, err := e.reader.Fetch(t.Context(), leg, start, limit)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// all reads to the end in pages of limit and returns the rows and the number of
// pages.
func (e *env) all(t *testing.T, leg accesspatterns.Leg, limit int) (rows []models.Item, pages int) {
	t.Helper()
	var start models.Item
	for {
		page := e.fetch(t, leg, start, limit)
		if limit > 0 && page.Scanned > limit {
			t.Fatalf("a page of limit %d read %d items", limit, page.Scanned)
		}
		if page.Count != len(page.Items) {
			t.Fatalf("count is %d with %d items", page.Count, len(page.Items))
		}
		rows = append(rows, page.Items...)
		pages++
		if start = page.LastKey; start == nil {
			return rows, pages
		}
		if pages > 1000 {
			t.Fatal("the pages do not end")
		}
	}
}

// texts returns one attribute of each row.
func texts(rows []models.Item, attribute string) []string {
	out := make([]string, len(rows))
	for i, row := range rows {
		out[i], _ = row.Text(attribute)
	}
	return out
}

func wantTexts(t *testing.T, rows []models.Item, attribute string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, texts(rows, attribute), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", attribute, diff)
	}
}

func wantClass(t *testing.T, err error, want store.Class) {
	t.Helper()
	if got := store.ClassOf(err); got != want {
		t.Errorf("class is %q, want %q: %v", got, want, err)
	}
}

// sameItem compares items as DynamoDB's typed JSON, sets in any order.
func sameItem(t *testing.T, want, got models.Item) {
	t.Helper()
	if diff := cmp.Diff(string(want.AppendDynamoDBJSON(nil)), string(got.AppendDynamoDBJSON(nil))); diff != "" {
		t.Errorf("item (-want +got):\n%s", diff)
	}
}

func big(n int) string { return strings.Repeat("x", n) }

// keeping is a case that writes a value and expects the same one back.
func keeping(name string, v any) conformanceCase {
	return conformanceCase{"value/" + name, func(t *testing.T, e *env) {
		e.put(t, attrs{"SK": "1", "v": v})
		got := e.fetch(t, e.get("1"), nil, 0).Items[0]
		sortSets(got["v"])
		sameItem(t, item(attrs{"PK": e.partition, "SK": "1", "v": v}), got)
	}}
}

// sortSets brings a set into an order: it has none of its own.
func sortSets(v types.AttributeValue) {
	switch v := v.(type) {
	case *types.AttributeValueMemberSS:
		slices.Sort(v.Value)
	case *types.AttributeValueMemberNS:
		slices.SortFunc(v.Value, models.CompareNumbers)
	case *types.AttributeValueMemberBS:
		slices.SortFunc(v.Value, bytes.Compare)
	}
}

// equalling is a case that writes a number and expects an equal one back, in
// whatever spelling.
func equalling(n num) conformanceCase {
	return conformanceCase{"number/" + string(n), func(t *testing.T, e *env) {
		e.put(t, attrs{"SK": "1", "v": n})
		got, _ := e.fetch(t, e.get("1"), nil, 0).Items[0].Text("v")
		if models.CompareNumbers(string(n), got) != 0 {
			t.Errorf("wrote %s, read %s", n, got)
		}
	}}
}

// nested returns a map in a list in a map.. of so many levels.
func nested(levels int) any {
	var v any = "deepest"
	for i := range levels {
		if i%2 == 0 {
			v = []any{v}
		} else {
			v = attrs{"in": v}
		}
	}
	return v
}

// refusing is a case that puts an item which the store must refuse.
func refusing(name string, m attrs) conformanceCase {
	return conformanceCase{"refused/" + name, func(t *testing.T, e *env) {
		it := item(m)
		it["PK"] = value(e.partition)
		err := stored.Put(t.Context(), e.writer, e.main.Name, []models.Item{it})
		wantClass(t, err, "validation")
	}}
}

var valueCases = []conformanceCase{
	keeping("38 digits", num("12345678901234567890123456789012345678")),
	keeping("38 digits, negative", num("-99999999999999999999999999999999999999")),
	keeping("38 digits with a fraction", num("1234567890123456789.0123456789012345678")),
	keeping("beyond 2^53", num("9007199254740993")),
	keeping("decimal fraction", num("0.1")),
	keeping("zero", num("0")),
	equalling("1E125"),
	equalling("9.9999999999999999999999999999999999999E+125"),
	equalling("-9.9999999999999999999999999999999999999E+125"),
	equalling("1E-130"),
	equalling("-1E-130"),
	equalling("1.50"),
	equalling("007"),
	equalling("-0"),
	equalling("1e2"),
	keeping("text", "plain"),
	keeping("empty text", ""),
	keeping("unicode", "äöü 漢字 \u05e9\u05dc\u05d5\u05dd 👩‍👩‍👧 e\u0301"),
	keeping("control characters", "\x00\x01\x1b[31m\r\n\t\x7f\u0085\u202e"),
	keeping("quotes and slashes", `"\/<>&'`+"\u2028"),
	keeping("390 KB", big(390_000)),
	keeping("binary", []byte{0, 1, 2, 0xfe, 0xff}),
	keeping("empty binary", []byte{}),
	keeping("true", true),
	keeping("false", false),
	keeping("null", nil),
	keeping("empty list", []any{}),
	keeping("empty map", attrs{}),
	keeping("mixed list", []any{"a", 1, true, nil, []byte{1}, []any{}, attrs{"x": num("1.5")}}),
	keeping("string set", []string{"a", "b", "ä"}),
	keeping("number set", &types.AttributeValueMemberNS{Value: []string{"-3", "1.5", "12345678901234567890123456789012345678"}}),
	keeping("binary set", &types.AttributeValueMemberBS{Value: [][]byte{{0}, {1, 2}}}),
	keeping("31 levels inside the attribute", nested(31)),
	keeping("names with dots and spaces", attrs{"a.b": 1, " ": 2, "ä": 3, "select": 4}),
	refusing("empty string set", attrs{"SK": "1", "v": []string{}}),
	refusing("39 digits", attrs{"SK": "1", "v": num("123456789012345678901234567890123456789")}),
	refusing("too large a number", attrs{"SK": "1", "v": num("1E126")}),
	refusing("no number", attrs{"SK": "1", "v": num("one")}),
	refusing("more than 400 KB", attrs{"SK": "1", "v": big(410_000)}),
	refusing("33 levels", attrs{"SK": "1", "v": nested(33)}),
	refusing("sort key missing", attrs{"v": 1}),
	refusing("sort key empty", attrs{"SK": ""}),
	refusing("sort key of another type", attrs{"SK": 1}),
	refusing("sort key of more than 1024 bytes", attrs{"SK": big(1025)}),
	refusing("index key of another type", attrs{"SK": "1", "A1": 1}),
	{"key/number order", func(t *testing.T, e *env) {
		order := []string{
			"-1E100", "-10", "-9.5", "-1", "-0.001", "-1E-100", "0", "1E-100", "0.001", "1", "1.5", "2", "9.5", "10",
			"12345678901234567890123456789012345677", "12345678901234567890123456789012345678", "1E100",
		}
		var items []models.Item
		for i, n := range order {
			items = append(items, item(attrs{"id": e.partition, "n": num(n), "place": fmt.Sprintf("%02d", i)}))
		}
		slices.Reverse(items)
		if err := stored.Put(t.Context(), e.writer, e.numbers.Name, items); err != nil {
			t.Fatal(err)
		}
		leg := accesspatterns.Leg{Query: &dynamodb.QueryInput{
			TableName: aws.String(e.numbers.Name), KeyConditionExpression: aws.String("id = :id"),
			ExpressionAttributeValues: values(attrs{":id": e.partition}),
		}}
		for _, limit := range []int{0, 1, 5} {
			rows, _ := e.all(t, leg, limit)
			got := texts(rows, "place")
			if !slices.IsSorted(got) || len(got) != len(order) {
				t.Errorf("limit %d: order is %v", limit, got)
			}
		}
		leg.Query.KeyConditionExpression = aws.String("id = :id AND n BETWEEN :a AND :b")
		leg.Query.ExpressionAttributeValues = values(attrs{":id": e.partition, ":a": num("-9.50"), ":b": num("0.5")})
		rows, _ := e.all(t, leg, 0)
		wantTexts(t, rows, "place", "02", "03", "04", "05", "06", "07", "08")
	}},
	{"key/equal numbers are one key", func(t *testing.T, e *env) {
		for _, n := range []num{"1", "1.0", "10E-1", "01"} {
			it := item(attrs{"id": e.partition, "n": n})
			if err := stored.Put(t.Context(), e.writer, e.numbers.Name, []models.Item{it}); err != nil {
				t.Fatal(err)
			}
		}
		leg := accesspatterns.Leg{Query: &dynamodb.QueryInput{
			TableName: aws.String(e.numbers.Name), KeyConditionExpression: aws.String("id = :id"),
			ExpressionAttributeValues: values(attrs{":id": e.partition}),
		}}
		if page := e.fetch(t, leg, nil, 0); page.Count != 1 {
			t.Errorf("%d items", page.Count)
		}
	}},
	{"key/binary order is unsigned", func(t *testing.T, e *env) {
		order := [][]byte{{0}, {0, 0}, {0, 1}, {1}, {0x7f}, {0x80}, {0xff}, {0xff, 0}}
		var items []models.Item
		for i, b := range order {
			items = append(items, item(attrs{"id": e.partition, "b": b, "place": fmt.Sprintf("%02d", i)}))
		}
		slices.Reverse(items)
		if err := stored.Put(t.Context(), e.writer, e.binary.Name, items); err != nil {
			t.Fatal(err)
		}
		leg := accesspatterns.Leg{Query: &dynamodb.QueryInput{
			TableName: aws.String(e.binary.Name), KeyConditionExpression: aws.String("id = :id"),
			ExpressionAttributeValues: values(attrs{":id": e.partition}),
		}}
		for _, limit := range []int{0, 3} {
			rows, _ := e.all(t, leg, limit)
			wantTexts(t, rows, "place", "00", "01", "02", "03", "04", "05", "06", "07")
		}
	}},
	{"key/unicode", func(t *testing.T, e *env) {
		for _, sk := range []string{"ä", "a\u0308", "漢字", "👩‍👩‍👧", "\u05e9", "\x00", "\x1b[31m", "a#b:c/d"} {
			e.put(t, attrs{"SK": sk, "note": sk})
			page := e.fetch(t, e.get(sk), nil, 0)
			wantTexts(t, page.Items, "note", sk)
			prefix := request{key: "begins_with(SK, :s)", values: attrs{":s": sk}}
			wantTexts(t, e.fetch(t, e.query(prefix), nil, 0).Items, "SK", sk)
		}
		rows, _ := e.all(t, e.query(request{}), 1)
		got := texts(rows, "SK")
		if len(got) != 8 || !slices.IsSorted(got) {
			t.Errorf("order is %q", got)
		}
	}},
	{"key/1024 bytes", func(t *testing.T, e *env) {
		e.put(t, attrs{"SK": big(1024)})
		if page := e.fetch(t, e.get(big(1024)), nil, 0); len(page.Items) != 1 {
			t.Errorf("%d items", len(page.Items))
		}
	}},
	{"key/a table without sort key", func(t *testing.T, e *env) {
		want := item(attrs{"id": e.partition, "v": 1})
		if err := stored.Put(t.Context(), e.writer, e.single.Name, []models.Item{want}); err != nil {
			t.Fatal(err)
		}
		page := e.fetch(t, accesspatterns.Leg{Get: &dynamodb.GetItemInput{
			TableName: aws.String(e.single.Name), Key: values(attrs{"id": e.partition}),
		}}, nil, 0)
		if diff := cmp.Diff(1, len(page.Items)); diff != "" {
			t.Fatal(diff)
		}
		sameItem(t, want, page.Items[0])
	}},
}
