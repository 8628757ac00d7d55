// The test runs random operations on a table with indexes and compares the results with an in-memory model.

package embedded

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// modelRow is an item of the model: keys p0..p2 and numbers as sort keys.
type modelRow struct {
	pk, state string // an empty state keeps the item out of the index
	sk, n     int
}

func (r modelRow) key() string { return fmt.Sprintf(`{"PK":{"S":"%s"},"SK":{"N":"%d"}}`, r.pk, r.sk) }

func (r modelRow) id() string { return fmt.Sprintf("%s/%d", r.pk, r.sk) }

const modelTable = `{"TableName":"model","BillingMode":"PAY_PER_REQUEST",
	"AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"N"},
		{"AttributeName":"G","AttributeType":"S"},{"AttributeName":"n","AttributeType":"N"}],
	"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}],
	"GlobalSecondaryIndexes":[{"IndexName":"byState","KeySchema":[{"AttributeName":"G","KeyType":"HASH"},{"AttributeName":"n","KeyType":"RANGE"}],
		"Projection":{"ProjectionType":"ALL"}}]}`

func TestStoreMatchesInMemoryModel(t *testing.T) {
	s := openStore(t, Options{})
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		table := fmt.Sprintf("model%d", runs)
		runs++
		mustCall(t, s, "CreateTable", strings.Replace(modelTable, `"model"`, `"`+table+`"`, 1))
		m := &model{t: t, s: s, table: table, rows: map[string]modelRow{}}
		rt.Repeat(map[string]func(*rapid.T){
			"put":    m.put,
			"update": m.update,
			"delete": m.remove,
			"query":  m.query,
			"index":  m.queryIndex,
			"":       m.check,
		})
		mustCall(t, s, "DeleteTable", `{"TableName":"`+table+`"}`)
	})
}

type model struct {
	t     *testing.T
	s     *Store
	table string
	rows  map[string]modelRow
}

func drawRow(rt *rapid.T) modelRow {
	return modelRow{
		pk: rapid.SampledFrom([]string{"p0", "p1", "p2"}).Draw(rt, "pk"), sk: rapid.IntRange(-12, 12).Draw(rt, "sk"),
		state: rapid.SampledFrom([]string{"", "open", "done"}).Draw(rt, "state"), n: rapid.IntRange(-3, 3).Draw(rt, "n"),
	}
}

func (m *model) call(target, body string) []byte {
	m.t.Helper()
	return mustCall(m.t, m.s, target, `{"TableName":"`+m.table+`",`+body+`}`)
}

func (m *model) put(rt *rapid.T) {
	r := drawRow(rt)
	state := ""
	if r.state != "" {
		state = `,"G":{"S":"` + r.state + `"}`
	}
	m.call("PutItem", fmt.Sprintf(`"Item":{"PK":{"S":"%s"},"SK":{"N":"%d"},"n":{"N":"%d"}%s}`, r.pk, r.sk, r.n, state))
	m.rows[r.id()] = r
}

// update sets the state and increments the number of an item that may not exist yet.
func (m *model) update(rt *rapid.T) {
	r := drawRow(rt)
	old := m.rows[r.id()]
	if r.state == "" {
		m.call(
			"UpdateItem",
			fmt.Sprintf(`"Key":%s,"UpdateExpression":"REMOVE G ADD n :n","ExpressionAttributeValues":{":n":{"N":"%d"}}`, r.key(), r.n),
		)
	} else {
		m.call("UpdateItem", fmt.Sprintf(
			`"Key":%s,"UpdateExpression":"SET G = :g ADD n :n","ExpressionAttributeValues":{":n":{"N":"%d"},":g":{"S":"%s"}}`,
			r.key(), r.n, r.state,
		))
	}
	r.n += old.n
	m.rows[r.id()] = r
}

func (m *model) remove(rt *rapid.T) {
	r := drawRow(rt)
	m.call("DeleteItem", `"Key":`+r.key())
	delete(m.rows, r.id())
}

// matching returns the model's rows in the given order.
func (m *model) matching(keep func(modelRow) bool, order func(a, b modelRow) int, forward bool) []modelRow {
	var out []modelRow
	for _, r := range m.rows {
		if keep(r) {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, order)
	if !forward {
		slices.Reverse(out)
	}
	return out
}

func (m *model) query(rt *rapid.T) {
	r, high := drawRow(rt), rapid.IntRange(-12, 12).Draw(rt, "high")
	low := min(r.sk, high)
	high = max(r.sk, high)
	forward := rapid.Bool().Draw(rt, "forward")
	want := m.matching(func(o modelRow) bool { return o.pk == r.pk && o.sk >= low && o.sk <= high },
		func(a, b modelRow) int { return a.sk - b.sk }, forward)
	m.compare(want, fmt.Sprintf(`"KeyConditionExpression":"PK = :p AND SK BETWEEN :a AND :b","ScanIndexForward":%v,"Limit":%d,
		"ExpressionAttributeValues":{":p":{"S":"%s"},":a":{"N":"%d"},":b":{"N":"%d"}}`,
		forward, rapid.IntRange(1, 8).Draw(rt, "limit"), r.pk, low, high))
}

func (m *model) queryIndex(rt *rapid.T) {
	r, forward := drawRow(rt), rapid.Bool().Draw(rt, "forward")
	want := m.matching(func(o modelRow) bool { return o.state == "open" && o.n >= r.n },
		func(a, b modelRow) int { return cmp.Or(a.n-b.n, strings.Compare(a.pk, b.pk), a.sk-b.sk) }, forward)
	m.compare(want, fmt.Sprintf(`"IndexName":"byState","KeyConditionExpression":"G = :g AND n >= :n","ScanIndexForward":%v,"Limit":%d,
		"ExpressionAttributeValues":{":g":{"S":"open"},":n":{"N":"%d"}}`, forward, rapid.IntRange(1, 8).Draw(rt, "limit"), r.n))
}

// compare compares all pages of a query with the model.
func (m *model) compare(want []modelRow, body string) {
	m.t.Helper()
	var got []modelRow
	start := ""
	for {
		var page struct {
			Items []struct {
				PK, G struct{ S string }
				SK    struct{ N json.Number }
				Num   struct{ N json.Number } `json:"n"`
			}
			LastEvaluatedKey json.RawMessage
		}
		if err := json.Unmarshal(m.call("Query", body+start), &page); err != nil {
			m.t.Fatal(err)
		}
		for _, it := range page.Items {
			got = append(got, modelRow{pk: it.PK.S, state: it.G.S, sk: integer(m.t, it.SK.N), n: integer(m.t, it.Num.N)})
		}
		if page.LastEvaluatedKey == nil {
			break
		}
		start = `,"ExclusiveStartKey":` + string(page.LastEvaluatedKey)
	}
	if !slices.Equal(got, want) {
		m.t.Fatalf("%s\n got  %v\n want %v", body, got, want)
	}
}

func integer(t *testing.T, n json.Number) int {
	i, err := n.Int64()
	if err != nil {
		t.Fatal(err)
	}
	return int(i)
}

// check compares the counts of DescribeTable with the model.
func (m *model) check(*rapid.T) {
	var out struct {
		Table struct {
			ItemCount              int
			GlobalSecondaryIndexes []struct{ ItemCount int }
		}
	}
	if err := json.Unmarshal(mustCall(m.t, m.s, "DescribeTable", `{"TableName":"`+m.table+`"}`), &out); err != nil {
		m.t.Fatal(err)
	}
	indexed := 0
	for _, r := range m.rows {
		if r.state != "" {
			indexed++
		}
	}
	if out.Table.ItemCount != len(m.rows) || out.Table.GlobalSecondaryIndexes[0].ItemCount != indexed {
		m.t.Fatalf("the table counts %+v, want %d items and %d in the index", out.Table, len(m.rows), indexed)
	}
}
