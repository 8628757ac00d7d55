package store_test

import (
	"fmt"
	"maps"
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

// num is a number in DynamoDB's notation.
type num string

// value converts a Go value to a DynamoDB value.
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

// attrs contains attributes, or the values of an expression.
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

// sorted returns n items with the sort keys 00, 01, 02 and so on, and the numbers from 0 in n.
func sorted(n int) []attrs {
	items := make([]attrs, n)
	for i := range items {
		items[i] = attrs{"SK": fmt.Sprintf("%02d", i), "n": i}
	}
	return items
}

// A request contains the expressions of a Query or Scan.
type request struct {
	index      string
	key        string // follows PK = :pk; with an index, the complete condition
	filter     string
	projection string
	values     attrs
	names      map[string]string
	descending bool
	count      bool
}

// query returns a leg that queries the main table.
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
	maps.Copy(given, r.values)
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

// fetch reads a page, and fails if it gets an error.
func (e *env) fetch(t *testing.T, leg accesspatterns.Leg, start models.Item, limit int) accesspatterns.Page {
	t.Helper()
	page, err := e.reader.Fetch(t.Context(), leg, start, limit)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// all reads pages of limit items to the end and returns the rows and the number of pages.
func (e *env) all(t *testing.T, leg accesspatterns.Leg, limit int) (rows []models.Item, pages int) {
	t.Helper()
	var start models.Item
	for {
		page := e.fetch(t, leg, start, limit)
		if limit > 0 && page.Scanned > limit {
			t.Fatalf("a page with limit %d read %d items", limit, page.Scanned)
		}
		if page.Count != len(page.Items) {
			t.Fatalf("Count = %d for %d items", page.Count, len(page.Items))
		}
		rows = append(rows, page.Items...)
		pages++
		if start = page.LastKey; start == nil {
			return rows, pages
		}
		if pages > 1000 {
			t.Fatal("paging did not end after 1000 pages")
		}
	}
}

// sortKeys returns the sort key of each row.
func sortKeys(rows []models.Item) []string {
	out := make([]string, len(rows))
	for i, row := range rows {
		out[i], _ = row.Text("SK")
	}
	return out
}

func wantTexts(t *testing.T, rows []models.Item, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, sortKeys(rows), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("sort keys (-want +got):\n%s", diff)
	}
}

func wantClass(t *testing.T, err error, want store.Class) {
	t.Helper()
	if got := store.ClassOf(err); got != want {
		t.Errorf("got class %q, want %q: %v", got, want, err)
	}
}

// sameItem compares items in DynamoDB's typed JSON, where the order of sets is irrelevant.
func sameItem(t *testing.T, want, got models.Item) {
	t.Helper()
	if diff := cmp.Diff(string(want.AppendDynamoDBJSON(nil)), string(got.AppendDynamoDBJSON(nil))); diff != "" {
		t.Errorf("item (-want +got):\n%s", diff)
	}
}

func big(n int) string { return strings.Repeat("x", n) }
