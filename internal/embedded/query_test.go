// Query and Scan with the AWS client: order, ranges, pages, indexes, errors.

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
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
	"github.com/ddbdesk/ddbdesk/internal/embedded/expression"
)

// withRows fills "orders" with ten items in partition p and two in partition q. All items except
// s0, s3, s6, s9 have the status "open"; the amounts decrease.
func withRows(t testing.TB) *dynamodb.Client {
	c := withOrders(t)
	for i := range 10 {
		it := av{"PK": str("p"), "SK": str(fmt.Sprintf("s%d", i)), "amount": num(fmt.Sprint(10 - i)), "note": str("n"), "extra": str("x")}
		if i%3 != 0 {
			it["G1"], it["G2"] = str("open"), num(fmt.Sprint(-(i % 2)))
		}
		put(t, c, it)
	}
	put(t, c, av{"PK": str("q"), "SK": str("s5"), "G1": str("open"), "G2": num("0")})
	put(t, c, av{"PK": str("q"), "SK": str("z")})
	return c
}

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

func TestKeyConditionsSelectItems(t *testing.T) {
	c := withRows(t)
	for key, want := range map[string]string{
		"PK = :p": "s0 s1 s2 s3 s4 s5 s6 s7 s8 s9", "PK = :p AND SK = :a": "s4", "PK = :p AND SK < :a": "s0 s1 s2 s3",
		"PK = :p AND SK <= :a": "s0 s1 s2 s3 s4",
		"PK = :p AND SK > :a":  "s5 s6 s7 s8 s9", ":a <= SK AND PK = :p": "s4 s5 s6 s7 s8 s9",
		"PK = :p AND SK BETWEEN :a AND :b":    "s4 s5 s6 s7",
		"(PK = :p) AND (begins_with(SK, :s))": "s0 s1 s2 s3 s4 s5 s6 s7 s8 s9", "PK = :p AND begins_with(SK, :p)": "", "PK = :a": "",
	} {
		values := av{}
		for name, v := range (av{":p": str("p"), ":a": str("s4"), ":b": str("s7"), ":s": str("s")}) {
			if strings.Contains(key+" ", name+" ") || strings.Contains(key, name+")") {
				values[name] = v
			}
		}
		in := query(key, values)
		out, err := c.Query(t.Context(), in)
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		if got := names(out.Items); got != want || int(out.Count) != len(out.Items) || out.LastEvaluatedKey != nil {
			t.Errorf("%s: got %q, count %d, last %v, want %q", key, got, out.Count, out.LastEvaluatedKey, want)
		}
		in.ScanIndexForward = aws.Bool(false)
		back, err := c.Query(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(back.Items)
		if diff := cmp.Diff(want, names(back.Items)); diff != "" {
			t.Errorf("%s backwards: %s", key, diff)
		}
	}
}

func TestEveryPageSizeReadsTheSameItems(t *testing.T) {
	c := withRows(t)
	for _, index := range []string{"", "byStatus", "byAmount"} {
		key, values := "PK = :p", av{":p": str("p")}
		if index == "byStatus" {
			key, values = "G1 = :g", av{":g": str("open")}
		}
		for _, forward := range []bool{true, false} {
			var want string
			for limit := int32(20); limit > 0; limit-- {
				in := query(key, values)
				in.Limit, in.ScanIndexForward = aws.Int32(limit), aws.Bool(forward)
				if index != "" {
					in.IndexName = aws.String(index)
				}
				var all []map[string]types.AttributeValue
				for {
					out, err := c.Query(t.Context(), in)
					if err != nil {
						t.Fatal(err)
					}
					all = append(all, out.Items...)
					if in.ExclusiveStartKey = out.LastEvaluatedKey; out.LastEvaluatedKey == nil {
						break
					}
				}
				if got := names(all); want == "" {
					want = got
				} else if got != want {
					t.Errorf("index %q, limit %d: got %s, want %s", index, limit, got, want)
				}
			}
		}
	}
}

func TestIndexesOrderAndProjectItems(t *testing.T) {
	c := withRows(t)
	in := query("G1 = :g", av{":g": str("open")})
	in.IndexName = aws.String("byStatus")
	out, err := c.Query(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	// G2 is -1 for odd and 0 for even numbers; equal keys follow in table key order.
	if got, want := names(out.Items), "s1 s5 s7 s2 s4 s8 s5"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	in.Limit = aws.Int32(1)
	out, err = c.Query(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	wantItem(t, out.LastEvaluatedKey, av{"G1": str("open"), "G2": num("-1"), "PK": str("p"), "SK": str("s1")})

	in.IndexName = aws.String("keysOnly")
	out, err = c.Query(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	wantItem(t, out.Items[0], av{"G1": str("open"), "PK": str("p"), "SK": str("s1")})

	local := query("PK = :p AND amount < :n", av{":p": str("p"), ":n": num("3")})
	local.IndexName = aws.String("byAmount")
	out, err = c.Query(t.Context(), local)
	if err != nil {
		t.Fatal(err)
	}
	if got := names(out.Items); got != "s9 s8" {
		t.Errorf("local index: got %s", got)
	}
	wantItem(t, out.Items[0], av{"PK": str("p"), "SK": str("s9"), "amount": num("1"), "note": str("n")})
	local.Select = types.SelectAllAttributes
	if out, err = c.Query(t.Context(), local); err != nil || out.Items[0]["extra"] == nil {
		t.Errorf("a local index fetches what it does not project: %v %v", out, err)
	}
}

func TestFilteredQueryCountsScannedItems(t *testing.T) {
	c := withRows(t)
	in := query("PK = :p", av{":p": str("p"), ":n": num("5")})
	in.FilterExpression, in.Limit, in.ReturnConsumedCapacity = aws.String("amount < :n"), aws.Int32(8), types.ReturnConsumedCapacityTotal
	out, err := c.Query(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if names(out.Items) != "s6 s7" || out.ScannedCount != 8 || out.LastEvaluatedKey == nil || *out.ConsumedCapacity.CapacityUnits != 0.5 {
		t.Errorf("got %s, scanned %d, capacity %v", names(out.Items), out.ScannedCount, out.ConsumedCapacity)
	}
	in.Select = types.SelectCount
	if out, err = c.Query(t.Context(), in); err != nil || out.Count != 2 || out.Items != nil {
		t.Errorf("counting: %v %v", out, err)
	}
}

func TestInvalidQueriesAreRejected(t *testing.T) {
	c := withRows(t)
	values := av{":p": str("p"), ":s": str("s1"), ":n": num("1"), ":e": str("")}
	for name, test := range map[string]struct {
		change func(*dynamodb.QueryInput)
		want   string
	}{
		"SK = :s":                      {nil, "Query condition missed key schema element: PK"},
		"PK = :p AND x = :s":           {nil, "Query condition missed key schema element: SK"},
		"PK > :p":                      {nil, "Query key condition not supported"},
		"PK = :p OR PK = :s":           {nil, "Invalid operator used in KeyConditionExpression: OR"},
		"PK = :p AND SK <> :s":         {nil, "Invalid operator used in KeyConditionExpression: <>"},
		"PK = :p AND contains(SK, :s)": {nil, "Invalid operator used in KeyConditionExpression: contains"},
		"PK = :p AND PK = :s": {
			nil, "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key",
		},
		"PK = :p AND size(SK) = :n": {nil, "KeyConditionExpressions cannot contain nested operations"},
		"PK = :n": {
			nil, "One or more parameter values were invalid: Condition parameter type does not match schema type",
		},
		"PK = :e": {
			nil,
			"One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string " +
				"value. Key: PK",
		},
		"PK = :p AND begins_with(:s, SK)": {
			nil,
			"Invalid condition in KeyConditionExpression: begins_with operator must have the key attribute as its first operand",
		},
		"status = :p": {nil, "Invalid KeyConditionExpression: Attribute name is a reserved keyword; " +
			"reserved keyword: status"},
		"PK = :p AND SK BETWEEN :s AND :p": {nil, "Invalid KeyConditionExpression: The BETWEEN operator requires upper " +
			"bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {S:s1}, upper bound " +
			"operand: AttributeValue: {S:p}"},
		"PK = :p": {
			func(in *dynamodb.QueryInput) { in.FilterExpression = aws.String("SK = :p") },
			"Filter Expression can only contain non-primary key attributes: Primary key attribute: SK",
		},
		"PK = :p ": {
			func(in *dynamodb.QueryInput) { in.IndexName = aws.String("absent") },
			"The table does not have the specified index: absent",
		},
		"G1 = :p": {
			func(in *dynamodb.QueryInput) {
				in.IndexName, in.ConsistentRead = aws.String("byStatus"), aws.Bool(true)
			},
			"Consistent reads are not supported on global secondary indexes",
		},
		"G1 = :p ": {
			func(in *dynamodb.QueryInput) {
				in.IndexName, in.Select = aws.String("keysOnly"), types.SelectAllAttributes
			},
			"One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary index " +
				"keysOnly because its projection type is not ALL",
		},
		" G1 = :p": {
			func(in *dynamodb.QueryInput) {
				in.IndexName, in.ProjectionExpression = aws.String("keysOnly"), aws.String("note")
			},
			"One or more parameter values were invalid: Global secondary index keysOnly does not project [note]",
		},
		" G1 = :p ": {
			func(in *dynamodb.QueryInput) {
				in.IndexName, in.FilterExpression = aws.String("keysOnly"), aws.String("note = :p")
			},
			"One or more parameter values were invalid: Secondary index keysOnly does not project one or more filter attributes: [note]",
		},
		" PK = :p": {
			func(in *dynamodb.QueryInput) { in.ExpressionAttributeNames = map[string]string{"#a": "b"} },
			"Value provided in ExpressionAttributeNames unused in expressions: keys: {#a}",
		},
		" PK = :p ": {
			func(in *dynamodb.QueryInput) { in.ExclusiveStartKey = av{"PK": str("q"), "SK": str("z")} },
			"The provided starting key is outside query boundaries based on provided conditions",
		},
		"PK=:p": {
			func(in *dynamodb.QueryInput) { in.ExclusiveStartKey = av{"PK": str("p")} },
			"The provided starting key is invalid",
		},
		"PK = :p AND SK < :s": {
			func(in *dynamodb.QueryInput) { in.ExclusiveStartKey = av{"PK": str("p"), "SK": str("s5")} },
			"The provided starting key does not match the range key predicate",
		},
	} {
		in := query(name, av{})
		for placeholder, v := range values {
			if strings.Contains(name, placeholder) {
				in.ExpressionAttributeValues[placeholder] = v
			}
		}
		if test.change != nil {
			test.change(in)
		}
		_, err := c.Query(t.Context(), in)
		t.Run(name, func(t *testing.T) { wantError(t, err, "ValidationException", test.want) })
	}
	in := query("PK = :p", av{":p": str("p"), ":s": str("x")})
	_, err := c.Query(t.Context(), in)
	wantError(t, err, "ValidationException", "Value provided in ExpressionAttributeValues unused in expressions: keys: {:s}")
	in.TableName = aws.String("absent")
	in.ExpressionAttributeValues = av{":p": str("p")}
	_, err = c.Query(t.Context(), in)
	wantError(t, err, "ResourceNotFoundException", "Requested resource not found")
}

func TestParallelScanReadsEveryItemOnce(t *testing.T) {
	c := withOrders(t)
	want := map[string]int{}
	for i := range 200 {
		pk := fmt.Sprintf("customer-%d", i)
		put(t, c, av{"PK": str(pk), "SK": str("x")})
		want[pk] = 1
	}
	for _, total := range []int32{1, 2, 7, 64} {
		got := map[string]int{}
		for segment := range total {
			pages := dynamodb.NewScanPaginator(c, &dynamodb.ScanInput{
				TableName: aws.String("orders"), Segment: aws.Int32(segment), TotalSegments: aws.Int32(total), Limit: aws.Int32(9),
			})
			for pages.HasMorePages() {
				out, err := pages.NextPage(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				for _, it := range out.Items {
					got[it["PK"].(*types.AttributeValueMemberS).Value]++
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d segments: %s", total, diff)
		}
	}
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
		t.Errorf("a page has %d items of 100 kB, last key %v", out.Count, out.LastEvaluatedKey)
	}
	counted, err := c.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("orders"), Select: types.SelectCount})
	if err != nil || counted.Count != 11 || counted.LastEvaluatedKey == nil {
		t.Errorf("counting reads pages of the same size: %v %v", counted, err)
	}
}

func TestScanOfSparseIndexOmitsItemsWithoutTheKey(t *testing.T) {
	c := withRows(t)
	out, err := c.Scan(
		t.Context(),
		&dynamodb.ScanInput{TableName: aws.String("orders"), IndexName: aws.String("byStatus"), Select: types.SelectCount},
	)
	if err != nil || out.Count != 7 {
		t.Errorf("the index holds %v items, want 7: %v", out, err)
	}
	_, err = c.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("orders"), Segment: aws.Int32(2), TotalSegments: aws.Int32(2)})
	wantError(
		t, err, "ValidationException",
		"The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: 2 is not less than TotalSegments: 2",
	)
}

// statementRows fills the table of modelTable with items of three partitions, some of them in
// the index, and returns them by ID.
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

// drawWhere draws a condition on the keys and an attribute, nested up to depth.
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
	t.Fatalf("%s: no end", statement)
	return nil
}

// TestSelectReturnsTheItemsThatSatisfyItsWhere checks that a plan, whether a query or a scan,
// loses no item and adds none, whatever the pages.
func TestSelectReturnsTheItemsThatSatisfyItsWhere(t *testing.T) {
	s := openStore(t, Options{})
	rows := statementRows(t, s)
	rapid.Check(t, func(rt *rapid.T) {
		where := drawWhere(rt, 3)
		from := rapid.SampledFrom([]string{"model", "model.byState"}).Draw(rt, "from")
		st, err := expression.ParseStatement("SELECT * FROM model WHERE "+where, nil)
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
		got := selectAll(t, s, "SELECT PK, SK FROM "+from+" WHERE "+where, rapid.IntRange(1, 30).Draw(rt, "limit"))
		slices.Sort(want)
		if slices.Sort(got); !slices.Equal(got, want) {
			rt.Fatalf("SELECT FROM %s WHERE %s:\n got %v\nwant %v", from, where, got, want)
		}
	})
}

func TestSelectWithAPartitionKeyReadsOnePartition(t *testing.T) {
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

func TestSelectOrdersByTheSortKey(t *testing.T) {
	s := openStore(t, Options{})
	statementRows(t, s)
	up := selectAll(t, s, "SELECT PK, SK FROM model WHERE PK = 'p0' ORDER BY SK", 2)
	down := selectAll(t, s, "SELECT PK, SK FROM model WHERE PK = 'p0' ORDER BY SK DESC", 3)
	slices.Reverse(down)
	if len(up) != 8 || !slices.Equal(up, down) {
		t.Errorf("got %v and reversed %v", up, down)
	}
}

// The background sweep in fake time: it runs every minute and ends with the store.

func TestSweepRunsEveryMinute(t *testing.T) {
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
			t.Errorf("before the delay has passed: %s", got)
		}
		time.Sleep(2 * time.Minute)
		if got := count(); got != `{"Count":0,"ScannedCount":0}` {
			t.Errorf("after it has passed: %s", got)
		}
		// A sweep that continued after Close would block the end of the test.
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}
