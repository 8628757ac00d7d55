package models

import (
	"math/big"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func s(text string) types.AttributeValue { return &types.AttributeValueMemberS{Value: text} }
func n(text string) types.AttributeValue { return &types.AttributeValueMemberN{Value: text} }
func m(it Item) types.AttributeValue     { return &types.AttributeValueMemberM{Value: it} }

func paths(changes []Change) []string {
	var out []string
	for _, c := range changes {
		text := c.Path
		switch {
		case c.Before == nil:
			text = "+" + text
		case c.After == nil:
			text = "-" + text
		}
		out = append(out, text)
	}
	return out
}

func TestDiffReportsChangedPaths(t *testing.T) {
	tests := map[string]struct {
		before, after Item
		want          []string
	}{
		"nothing":               {Item{"a": n("1.0")}, Item{"a": n("1")}, nil},
		"set, removed, changed": {Item{"a": s("x"), "b": s("y")}, Item{"a": s("z"), "c": s("w")}, []string{"a", "-b", "+c"}},
		"type":                  {Item{"a": s("1")}, Item{"a": n("1")}, []string{"a"}},
		"inside a map": {
			Item{"a": m(Item{"x": n("1"), "y": n("2")})}, Item{"a": m(Item{"x": n("1"), "y": n("3")})}, []string{"a.y"},
		},
		"a new map":                      {Item{}, Item{"a": m(Item{"x": n("1")})}, []string{"+a"}},
		"a map in place of another type": {Item{"a": s("x")}, Item{"a": m(Item{"x": n("1")})}, []string{"a"}},
		"a dot inside a name":            {Item{"a": m(Item{"x.y": n("1")})}, Item{"a": m(Item{"x.y": n("2")})}, []string{"a"}},
		"sets have no order": {
			Item{"a": &types.AttributeValueMemberSS{Value: []string{"x", "y"}}},
			Item{"a": &types.AttributeValueMemberSS{Value: []string{"y", "x"}}},
			nil,
		},
		"lists have an order": {
			Item{"a": &types.AttributeValueMemberL{Value: []types.AttributeValue{n("1"), n("2")}}},
			Item{"a": &types.AttributeValueMemberL{Value: []types.AttributeValue{n("2"), n("1")}}},
			[]string{"a"},
		},
		"null is a value":          {Item{"a": &types.AttributeValueMemberNULL{Value: true}}, Item{}, []string{"-a"}},
		"everything of a new item": {nil, Item{"a": s("x"), "b": m(Item{"c": s("d")})}, []string{"+a", "+b"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(test.want, paths(Diff(test.before, test.after))); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestApplyingDiffProducesNewItem(t *testing.T) {
	value := rapid.Custom(func(t *rapid.T) types.AttributeValue {
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			return s(rapid.StringMatching(`[ab]{0,2}`).Draw(t, "s"))
		case 1:
			return n(rapid.StringMatching(`[0-3]`).Draw(t, "n"))
		case 2:
			return &types.AttributeValueMemberBOOL{Value: rapid.Bool().Draw(t, "b")}
		default:
			inner := Item{}
			for _, name := range rapid.SliceOfN(rapid.SampledFrom([]string{"x", "y", "x.y"}), 0, 3).Draw(t, "names") {
				inner[name] = n(rapid.StringMatching(`[0-3]`).Draw(t, "inner"))
			}
			return m(inner)
		}
	})
	item := rapid.Custom(func(t *rapid.T) Item {
		it := Item{}
		for _, name := range rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 3).Draw(t, "names") {
			it[name] = value.Draw(t, name)
		}
		return it
	})
	rapid.Check(t, func(t *rapid.T) {
		before, after := item.Draw(t, "before"), item.Draw(t, "after")
		original, got := string(before.AppendDynamoDBJSON(nil)), before.Clone()
		for _, c := range Diff(before, after) {
			if c.After == nil {
				got.Remove(c.Path)
			} else {
				got.SetNames(strings.Split(c.Path, "."), c.After)
			}
		}
		if !EqualItems(got, after) {
			t.Fatalf("%s became %s, want %s", before.AppendJSON(nil), got.AppendJSON(nil), after.AppendJSON(nil))
		}
		if now := string(before.AppendDynamoDBJSON(nil)); now != original {
			t.Fatalf("Apply changed its argument: %s", now)
		}
	})
}

func TestAddNumbers(t *testing.T) {
	tests := []struct {
		a, b     string
		subtract bool
		want     string
	}{
		{"1", "1", false, "2"},
		{"0.1", "0.2", false, "0.3"},
		{"5", "5", true, "0"},
		{"1", "2.50", true, "-1.5"},
		{"99999999999999999999999999999999999999", "0", false, "99999999999999999999999999999999999999"},
		{"99999999999999999999999999999999999998", "1", false, "99999999999999999999999999999999999999"},
		{"1e2", "1", false, "101"},
		{"-0.5", "0.5", false, "0"},
	}
	for _, test := range tests {
		got, err := AddNumbers(test.a, test.b, test.subtract)
		if err != nil || got != test.want {
			t.Errorf("%s and %s: got %q, %v, want %q", test.a, test.b, got, err, test.want)
		}
	}
	for _, bad := range [][2]string{{"", "1"}, {"1", "x"}, {"99999999999999999999999999999999999999", "0.1"}} {
		if got, err := AddNumbers(bad[0], bad[1], false); err == nil {
			t.Errorf("AddNumbers(%q, %q) = %s, want an error", bad[0], bad[1], got)
		}
	}
}

func TestAddNumbersIsExact(t *testing.T) {
	number := rapid.StringMatching(`-?[1-9][0-9]{0,12}(\.[0-9]{1,12})?`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		sum, err := AddNumbers(a, b, false)
		if err != nil {
			t.Fatal(err)
		}
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		z, ok := new(big.Rat).SetString(sum)
		if !ok || x.Add(x, y).Cmp(z) != 0 {
			t.Fatalf("%s + %s = %s", a, b, sum)
		}
		if difference, err := AddNumbers(sum, b, true); err != nil || CompareNumbers(difference, a) != 0 {
			t.Fatalf("%s - %s = %s, %v, want %s", sum, b, difference, err, a)
		}
	})
}

// The cases come from the Developer Guide's page on item sizes, and cover its rules for documents.
func TestSizeFollowsDynamoDBRules(t *testing.T) {
	tests := map[string]struct {
		item Item
		want int
	}{
		"a string":        {Item{"name": s("Gaborone")}, 4 + 8},
		"a word in UTF-8": {Item{"n": s("né")}, 1 + 3},
		"a number":        {Item{"n": n("27")}, 1 + 2},
		"zeros":           {Item{"n": n("100000")}, 1 + 2},
		"negative":        {Item{"n": n("-15")}, 1 + 2},
		"a fraction":      {Item{"n": n("0.0015")}, 1 + 2},
		"an exponent":     {Item{"n": n("1.50E+120")}, 1 + 2},
		"38 digits":       {Item{"n": n("12345678901234567890123456789012345678")}, 1 + 20},
		"true":            {Item{"b": &types.AttributeValueMemberBOOL{Value: true}}, 1 + 1},
		"an empty map":    {Item{"m": m(Item{})}, 1 + 3},
		"a map":           {Item{"m": m(Item{"a": s("bc")})}, 1 + 3 + 1 + 1 + 2},
		"a list":          {Item{"l": &types.AttributeValueMemberL{Value: []types.AttributeValue{s("ab"), n("1")}}}, 1 + 3 + 1 + 2 + 1 + 2},
		"a set":           {Item{"s": &types.AttributeValueMemberSS{Value: []string{"a", "bc"}}}, 1 + 3},
		"bytes":           {Item{"b": &types.AttributeValueMemberB{Value: []byte{1, 2, 3}}}, 1 + 3},
		"nothing":         {nil, 0},
	}
	for name, test := range tests {
		if got := test.item.Size(); got != test.want {
			t.Errorf("%s: Size() = %d, want %d", name, got, test.want)
		}
	}
}

// A document with undeclared attributes shows the declared ones and masks the others.
func TestMaskUndocumentedDocuments(t *testing.T) {
	table := &Table{Name: "log", PartitionKey: Key{"PK", TypeS}}
	e := &Entity{
		Name: "Entry", Table: table, Keys: map[string]Template{"PK": MustTemplate("LOG#{id}")},
		Attributes: []*Attribute{
			{Name: "id", Path: "id", Type: TypeS, KeyOnly: true},
			{
				Name: "before", Path: "before", Type: TypeM, Undocumented: true,
				Attributes: []*Attribute{{Name: "status", Path: "before.status", Type: TypeS}},
			},
		},
	}
	e.Seal()
	it := Item{
		"PK":     StringValue("LOG#1"),
		"before": &types.AttributeValueMemberM{Value: Item{"status": StringValue("open"), "mail": StringValue("ann@example.com")}},
	}
	if got, want := string(NewMasker(
		[]*Entity{e}, false,
	).Item(table, it).AppendJSON(nil)), `{"PK":"LOG#1","before":{"mail":"•••","status":"open"}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := NewMasker([]*Entity{e}, true).Item(table, it); !EqualItems(got, it) {
		t.Errorf("a revealed item is shown as %s", got.AppendJSON(nil))
	}
	odd := Item{"PK": StringValue("LOG#1"), "before": StringValue("ann@example.com")}
	if text, _ := NewMasker([]*Entity{e}, false).Item(table, odd).Text("before"); text != "•••" {
		t.Errorf("text instead of the document is shown as %q", text)
	}
}
