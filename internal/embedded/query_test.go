package embedded

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
	"github.com/ddbdesk/ddbdesk/internal/embedded/expression"
)

func names(items []map[string]types.AttributeValue) string {
	var out []string
	for _, it := range items {
		sk, ok := it["SK"].(*types.AttributeValueMemberS)
		if !ok {
			return "an item without SK"
		}
		out = append(out, sk.Value)
	}
	return strings.Join(out, " ")
}

func query(key string, values av) *dynamodb.QueryInput {
	return &dynamodb.QueryInput{TableName: aws.String("orders"), KeyConditionExpression: aws.String(key), ExpressionAttributeValues: values}
}

func TestPagesEndAtOneMegabyte(t *testing.T) {
	c := withOrders(t)
	for i := range 12 {
		put(t, c, av{"PK": str("p"), "SK": str(fmt.Sprintf("%02d", i)), "note": str(strings.Repeat("x", 100_000))})
	}
	out, err := c.Query(t.Context(), query("PK = :p", av{":p": str("p")}))
	if err != nil {
		t.Fatal(err)
	}
	if out.Count != 11 || out.LastEvaluatedKey == nil {
		t.Errorf("got a page of %d items with last key %v, want 11", out.Count, out.LastEvaluatedKey)
	}
	counted, err := c.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("orders"), Select: types.SelectCount})
	if err != nil || counted.Count != 11 || counted.LastEvaluatedKey == nil {
		t.Errorf("counting returned a page of another size: %v %v", counted, err)
	}
}

// statementRows fills the table of modelTable with items of three partitions, some of them in the index, and returns
// them by ID.
func statementRows(t *testing.T, s *Store) map[string]attribute.Item {
	t.Helper()
	mustCall(t, s, "CreateTable", modelTable)
	rows := map[string]attribute.Item{}
	for i := range 24 {
		r := modelRow{pk: "p" + strconv.Itoa(i%3), sk: i - 12, n: i % 5, state: []string{"", "open", "done"}[i%7%3]}
		it := attribute.Item{
			"PK": attribute.String(r.pk), "SK": {Kind: attribute.N, Str: strconv.Itoa(r.sk)}, "n": {Kind: attribute.N, Str: strconv.Itoa(r.n)},
		}
		if r.state != "" {
			it["G"] = attribute.String(r.state)
		}
		body, err := it.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		mustCall(t, s, "PutItem", `{"TableName":"model","Item":`+string(body)+`}`)
		rows[r.id()] = it
	}
	return rows
}

// drawWhere generates a condition on the keys and an attribute, nested up to depth.
func drawWhere(rt *rapid.T, depth int) string {
	one := func(label string, from ...string) string { return rapid.SampledFrom(from).Draw(rt, label) }
	name := one("name", "PK", "PK", "SK", "SK", "n", "G")
	literal := func() string {
		if name == "SK" || name == "n" {
			return strconv.Itoa(rapid.IntRange(-13, 13).Draw(rt, "number"))
		}
		return one("text", "'p0'", "'p1'", "'open'", "'done'")
	}
	forms := 5
	if depth > 0 {
		forms = 9
	}
	switch rapid.IntRange(0, forms-1).Draw(rt, "form") {
	case 0, 1:
		return name + one("op", " = ", " = ", " = ", " < ", " <= ", " > ", " >= ", " <> ") + literal()
	case 2:
		return literal() + one("op", " = ", " < ", " >= ") + name
	case 3:
		return name + " IN [" + literal() + ", " + literal() + "]"
	case 4:
		low := rapid.IntRange(-13, 10).Draw(rt, "low")
		return fmt.Sprintf("SK BETWEEN %d AND %d", low, low+3)
	case 5:
		return "NOT (" + drawWhere(rt, depth-1) + ")"
	case 6:
		return "(" + drawWhere(rt, depth-1) + " OR " + drawWhere(rt, depth-1) + ")"
	default:
		return drawWhere(rt, depth-1) + " AND " + drawWhere(rt, depth-1)
	}
}

// selectAll follows the tokens of a SELECT and returns the IDs of its items in order.
func selectAll(t *testing.T, s *Store, statement string, limit int) []string {
	t.Helper()
	ids := []string{}
	request := map[string]any{"Statement": statement, "Limit": limit}
	for range 1000 {
		body, err := json.Marshal(request)
		if err != nil {
			t.Fatal(err)
		}
		var out struct {
			Items     []struct{ PK, SK map[string]string }
			NextToken string
		}
		if err := json.Unmarshal(mustCall(t, s, "ExecuteStatement", string(body)), &out); err != nil {
			t.Fatal(err)
		}
		for _, it := range out.Items {
			ids = append(ids, it.PK["S"]+"/"+it.SK["N"])
		}
		if out.NextToken == "" {
			return ids
		}
		request["NextToken"] = out.NextToken
	}
	t.Fatalf("%s: paging did not end", statement)
	return nil
}

// TestSelectReturnsItemsThatSatisfyItsWhere checks that a plan, whether a query or a scan, neither loses nor adds
// items, for any page size.
func TestSelectReturnsItemsThatSatisfyItsWhere(t *testing.T) {
	s := openStore(t, Options{})
	rows := statementRows(t, s)
	rapid.Check(t, func(rt *rapid.T) {
		place := drawWhere(rt, 3)
		from := rapid.SampledFrom([]string{"model", "model.byState"}).Draw(rt, "from")
		st, err := expression.ParseStatement("SELECT * FROM model WHERE "+place, nil)
		if err != nil {
			rt.Skip(err) // too many conditions on one operand
		}
		want := []string{}
		for id, it := range rows {
			_, indexed := it["G"]
			if st.Where.Holds(it) && (indexed || from == "model") {
				want = append(want, id)
			}
		}
		got := selectAll(t, s, "SELECT PK, SK FROM "+from+" WHERE "+place, rapid.IntRange(1, 30).Draw(rt, "limit"))
		slices.Sort(want)
		if slices.Sort(got); !slices.Equal(got, want) {
			rt.Fatalf("SELECT FROM %s WHERE %s:\n got %v\nwant %v", from, place, got, want)
		}
	})
}

func TestSelectWithPartitionKeyReadsOnePartition(t *testing.T) {
	s := openStore(t, Options{})
	statementRows(t, s)
	for text, query := range map[string]bool{
		"SELECT * FROM model WHERE PK = 'p0'":                      true,
		"SELECT * FROM model WHERE 'p0' = PK AND SK = 0 AND n = 1": true,
		"SELECT * FROM model.byState WHERE n > 1 AND G = 'open'":   true,
		"SELECT * FROM model WHERE PK > 'p0'":                      false,
		"SELECT * FROM model WHERE PK = 'p0' OR PK = 'p1'":         false,
		"SELECT * FROM model WHERE SK = 0":                         false,
		"SELECT * FROM model.byState WHERE PK = 'p0'":              false,
	} {
		st, err := expression.ParseStatement(text, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := (&statement{st}).page(s, &readParameters{TableName: &st.Table, IndexName: st.Index}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if (p.keys.from != nil) != query {
			t.Errorf("%s: is a query: %t, want %t", text, p.keys.from != nil, query)
		}
	}
}

func TestSelectOrdersBySortKey(t *testing.T) {
	s := openStore(t, Options{})
	statementRows(t, s)
	up := selectAll(t, s, "SELECT PK, SK FROM model WHERE PK = 'p0' ORDER BY SK", 2)
	down := selectAll(t, s, "SELECT PK, SK FROM model WHERE PK = 'p0' ORDER BY SK DESC", 3)
	slices.Reverse(down)
	if len(up) != 8 || !slices.Equal(up, down) {
		t.Errorf("got %v, and %v in reverse, want 8 rows", up, down)
	}
}

// The background sweep runs every minute and ends with the store. The test uses fake time.
func TestExpiryRunsEveryMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := Open(Options{Path: t.TempDir(), NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		mustCall(t, s, "CreateTable", `{"TableName":"sessions","BillingMode":"PAY_PER_REQUEST",
			"AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"}],"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"}]}`)
		mustCall(t, s, "UpdateTimeToLive", `{"TableName":"sessions","TimeToLiveSpecification":{"AttributeName":"expires","Enabled":true}}`)
		mustCall(t, s, "PutItem", fmt.Sprintf(`{"TableName":"sessions","Item":{"PK":{"S":"a"},"expires":{"N":"%d"}}}`, time.Now().Unix()))
		count := func() string {
			synctest.Wait()
			return string(mustCall(t, s, "Scan", `{"TableName":"sessions","Select":"COUNT"}`))
		}
		time.Sleep(59 * time.Second)
		if got := count(); got != `{"Count":1,"ScannedCount":1}` {
			t.Errorf("before the delay: got %s, want 1 item", got)
		}
		time.Sleep(2 * time.Minute)
		if got := count(); got != `{"Count":0,"ScannedCount":0}` {
			t.Errorf("after the delay: got %s, want no items", got)
		}
		// A sweep that continued after Close would block the end of the test.
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}
