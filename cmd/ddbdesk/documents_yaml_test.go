package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"go.yaml.in/yaml/v4"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A yamlExample is a YAML block of a document, with its keys at the left.
type yamlExample struct {
	text  string
	value any
}

var yamlFences = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// has reports whether the example has all of some keys.
func (e yamlExample) has(keys ...string) bool {
	m, _ := e.value.(map[string]any)
	return !slices.ContainsFunc(keys, func(k string) bool { _, ok := m[k]; return !ok })
}

// Every YAML example of the documents is what it seems to be: a configuration, bookmarks, a whole profile without errors, or a
// part of a profile that has only words of its place, with values of their types.
func TestDocumentedYAML(t *testing.T) {
	t.Setenv("DDBDESK_STATE_DIR", t.TempDir())
	t.Setenv("DDBDESK_CONFIG_DIR", t.TempDir())
	parts := partSchemas(t)
	for _, wrong := range []string{"fan_out: {placeholders: day}", "patterns: {p: {operation: query, indx: G}}", "reads: 7", "[x]"} {
		var value any
		if err := yaml.Unmarshal([]byte(wrong), &value); err != nil {
			t.Fatal(err)
		}
		if _, problem := (yamlExample{wrong, value}).check(t, parts); problem == "" {
			t.Errorf("%s passes", wrong)
		}
	}
	found := map[string]int{}
	for _, file := range documents(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range yamlFences.FindAllSubmatchIndex(text, -1) {
			e := yamlExample{text: string(text[at[2]:at[3]])}
			line := 1 + bytes.Count(text[:at[2]], []byte("\n"))
			if err := yaml.Unmarshal([]byte(e.text), &e.value); err != nil {
				t.Errorf("%s:%d: %v", file, line, err)
				continue
			}
			what, problem := e.check(t, parts)
			found[what]++
			if problem != "" {
				t.Errorf("%s:%d: %s: %s", file, line, what, problem)
			}
		}
	}
	for what, least := range map[string]int{"configuration": 3, "bookmarks": 1, "profile": 1, "part": 40} {
		if found[what] < least {
			t.Errorf("%d examples are a %s; the documents have more", found[what], what)
		}
	}
}

// check says what the example is, and what is wrong with it.
func (e yamlExample) check(t *testing.T, parts map[string]*jsonschema.Schema) (what, problem string) {
	switch {
	case e.has("contexts"):
		if _, err := config.Parse("config.yaml", []byte(e.text), vocabulary()); err != nil {
			return "configuration", err.Error()
		}
		return "configuration", ""
	case e.has("bookmarks"):
		return "bookmarks", bookmarksProblem(t, e)
	case e.has("name", "tables", "entities"):
		path := filepath.Join(t.TempDir(), "example.yaml")
		if err := os.WriteFile(path, []byte(e.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := profiles.Open(path, nil); err != nil {
			return "profile", err.Error()
		}
		return "profile", ""
	}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		if fits(parts[name], e.value) {
			return "part", ""
		}
	}
	return "part", "neither a part of a profile nor a map or a list of such parts:\n" + e.text
}

// bookmarksProblem runs the named queries of an example for the profile authbridge, without sending them.
func bookmarksProblem(t *testing.T, e yamlExample) string {
	file := filepath.Join(os.Getenv("DDBDESK_CONFIG_DIR"), "bookmarks", "authbridge.yaml")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(e.text), 0o600); err != nil {
		t.Fatal(err)
	}
	list, _ := e.value.(map[string]any)["bookmarks"].([]any)
	for _, item := range list {
		b, _ := item.(map[string]any)
		if name, _ := b["name"].(string); b["pattern"] != nil {
			if code, _, errs := ddbdesk(t, "run", "authbridge", "@"+name, "--explain"); code != cli.ExitOK {
				return errs
			}
		}
	}
	return ""
}

// nonsense are values that no part of a profile may have.
var nonsense = []any{
	map[string]any{"no-such-word": 7},
	map[string]any{"no-such-word": []any{"x"}},
	map[string]any{"no-such-word": map[string]any{"no-such-word": "x"}},
	map[string]any{"no-such-word": map[string]any{"no-such-word": map[string]any{"no-such-word": "x"}}},
	[]any{"x"},
	"x", 7,
}

// partSchemas returns the schemas of the parts of a profile, and those of maps and lists of such parts. A part that takes any
// word, such as a map of values, proves nothing and is left out; so is an overlay, which takes any change of a profile.
func partSchemas(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(profiles.JSONSchema()))
	if err != nil {
		t.Fatal(err)
	}
	definitions, _ := document.(map[string]any)["$defs"].(map[string]any)
	for name := range maps.Clone(definitions) {
		part := map[string]any{"$ref": "#/$defs/" + name}
		definitions["map of "+name] = map[string]any{"type": "object", "additionalProperties": part}
		definitions["list of "+name] = map[string]any{"type": "array", "items": part}
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("profile.json", document); err != nil {
		t.Fatal(err)
	}
	parts := map[string]*jsonschema.Schema{}
	for name := range definitions {
		s, err := c.Compile("profile.json#/$defs/" + strings.ReplaceAll(name, " ", "%20"))
		if err != nil {
			t.Fatal(err)
		}
		if name != "overlay" && !slices.ContainsFunc(nonsense, func(v any) bool { return fits(s, v) }) {
			parts[name] = s
		}
	}
	return parts
}

// fits reports whether a value is a part of what a schema describes: it may lack words that are required.
func fits(s *jsonschema.Schema, value any) bool {
	err, ok := s.Validate(value).(*jsonschema.ValidationError) //nolint:errorlint // The library says that it is one.
	return !ok || lacking(err)
}

// lacking reports whether an error only says that words are missing. Of alternatives, one of them has to.
func lacking(e *jsonschema.ValidationError) bool {
	only := func(c *jsonschema.ValidationError) bool { return lacking(c) }
	switch e.ErrorKind.(type) {
	case *kind.Required, *kind.DependentRequired:
		return true
	case *kind.AnyOf, *kind.OneOf:
		return slices.ContainsFunc(e.Causes, only)
	}
	return len(e.Causes) > 0 && !slices.ContainsFunc(e.Causes, func(c *jsonschema.ValidationError) bool { return !only(c) })
}
