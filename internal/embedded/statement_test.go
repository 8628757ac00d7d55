package embedded

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// statementRows fills the table of modelTable with items of three partitions, some of them in
// the index, and returns them by ID.
func statementRows(t *testing.T, s *Store) map[string]item {
	t.Helper()
	mustCall(t, s, "CreateTable", modelTable)
	rows := map[string]item{}
	for i := range 24 {
		r := modelRow{pk: "p" + strconv.Itoa(i%3), sk: i - 12, n: i % 5, state: []string{"", "open", "done"}[i%7%3]}
		it := item{
			"PK": stringValue(r.pk), "SK": {kind: kindN, str: strconv.Itoa(r.sk)}, "n": {kind: kindN, str: strconv.Itoa(r.n)},
		}
		if r.state != "" {
			it["G"] = stringValue(r.state)
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
		st, err := parseStatement("SELECT * FROM model WHERE "+where, nil)
		if err != nil {
			rt.Skip(err) // too many conditions on one operand
		}
		want := []string{}
		for id, it := range rows {
			_, indexed := it["G"]
			if st.where.holds(it) && (indexed || from == "model") {
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
		st, err := parseStatement(text, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := (&statement{st}).page(s, &readParameters{TableName: &st.table, IndexName: st.index}, nil)
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

// FuzzStatement parses a text as a PartiQL statement and evaluates the valid ones.
func FuzzStatement(f *testing.F) {
	for _, src := range []string{
		"SELECT * FROM t", `SELECT a.b[0], "c" FROM "t"."i" WHERE n = 5 AND begins_with(s, 'h') ORDER BY n DESC, s`,
		"INSERT INTO t VALUE {'a':1,'b':[true,null,<<'x','y'>>],'c':{'d':-1.5e3}}", "INSERT INTO t VALUE {'a':?}",
		"UPDATE t SET n = n + 1 - 2, s = 'x' REMOVE l[0] SET ss = set_add(ss, <<'c'>>) WHERE n = 5 RETURNING ALL OLD *",
		"DELETE FROM t WHERE n IN [1,5] OR n IN (1, 5) RETURNING ALL OLD *", "EXISTS(SELECT * FROM t WHERE n IS NOT MISSING)",
		"SELECT * FROM t WHERE m['b'].c IS NULL AND NOT ((n != 5))", "SELECT n FROM t WHERE n IN ?", "select value from t -- x",
		"", "'", `"`, "<<", "SELECT", "SELECT * FROM t WHERE", "INSERT INTO t VALUE {", "UPDATE t SET", "1e", "1.", ".5.5", "SELECT - FROM",
		strings.Repeat("(", 4000), "SELECT * FROM t WHERE " + strings.Repeat("(", 4000), "INSERT INTO t VALUE " + strings.Repeat("{'a':", 2000),
		"INSERT INTO t VALUE {'a':" + strings.Repeat("[", 4000), "SELECT * FROM t WHERE " + strings.Repeat("NOT ", 1000) + "n = 5",
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		it := sample()
		st, err := parseStatement(src, []value{stringValue("x")})
		if !refusedOrNil(t, src, err) {
			st, err = parseStatement(src, nil)
		}
		if !refusedOrNil(t, src, err) {
			return
		}
		st.where.holds(it)
		st.where.holds(nil)
		if st.columns != nil {
			st.columns.of(it)
		}
		if _, _, err := splitKeys(st.where, []keyAttribute{{"n", kindN}, {"s", kindS}}, 1); !refusedOrNil(t, src, err) {
			return
		}
		if after, err := apply(it, st.actions); refusedOrNil(t, src, err) {
			if _, err := decodeItem(encodeItem(after)); err != nil {
				t.Fatal(err)
			}
		}
		if !it.equal(sample()) {
			t.Fatalf("%q changed its input item", src)
		}
	})
}
