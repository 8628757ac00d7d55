package placed_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/placed"
	"go.yaml.in/yaml/v4"
)

// These are the cases of RFC 7396, appendix A, whose targets are mappings.
func TestPatchIsMergePatch(t *testing.T) {
	for _, c := range []struct{ base, patch, want string }{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d","c":null}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`{"e":null}`, `{"a":1}`, `{"a":1,"e":null}`},
		{`{"x":{"y":{"a":1,"b":2}}}`, `{"x":{"y":{"a":3}}}`, `{"x":{"y":{"a":3,"b":2}}}`},
	} {
		var s placed.Source
		base := s.Parse("", []byte(c.base))
		got := s.Patch(base, s.Parse("over", []byte(c.patch)))
		if text := asJSON(t, got); text != c.want {
			t.Errorf("%s with %s: got %s, want %s", c.base, c.patch, text, c.want)
		}
		if asJSON(t, base) != asJSON(t, s.Parse("", []byte(c.base))) {
			t.Errorf("%s changed its base to %s", c.patch, asJSON(t, base))
		}
	}
}

// A patch of a mapping does not change other mappings that share it through an alias or a merge key.
func TestPatchKeepsValuesSharedByAliases(t *testing.T) {
	var s placed.Source
	base := s.Parse("", []byte("x: &x {n: {a: 1, b: 1}}\ny: {<<: *x}\nz: *x\n"))
	got := s.Patch(base, s.Parse("over", []byte("y: {n: {a: 2}}\nz: {<<: {n: {b: 3}}}\n")))
	const want = `{"x":{"n":{"a":1,"b":1}},"y":{"n":{"a":2,"b":1}},"z":{"n":{"a":1,"b":3}}}`
	if text := asJSON(t, got); text != want {
		t.Errorf("got %s, want %s", text, want)
	}
}

func TestUnionReportsDuplicateParts(t *testing.T) {
	var list []string
	s := placed.Source{Subject: "text", Report: func(f placed.Fault) { list = append(list, f.Format("main", "error")) }}
	base := s.Parse("", []byte("m: {a: 1}\nl: [1]\nt: x\n"))
	base = s.Union(base, s.Parse("one", []byte("m: {b: 2}\nl: [2]\nn: {c: 3}\n")))
	if text := asJSON(t, base); text != `{"l":[1,2],"m":{"a":1,"b":2},"n":{"c":3},"t":"x"}` || len(list) > 0 {
		t.Errorf("got %s, %q", text, list)
	}
	s.Union(base, s.Parse("two", []byte("m: {a: 1, b: 1}\nt: y\n")))
	want := `["two:1:5: error: m.a: \"a\" is already defined in the text, line 1; rename or remove one of the two"` +
		` "two:1:11: error: m.b: \"b\" is already defined in one:1; rename or remove one of the two"` +
		` "two:2:1: error: t: \"t\" is already defined in the text, line 3; rename or remove one of the two"]`
	if got := fmt.Sprintf("%q", list); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// asJSON returns a parsed text as JSON with sorted keys.
func asJSON(t *testing.T, n *yaml.Node) string {
	t.Helper()
	var v map[string]any
	if err := n.Decode(&v); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
