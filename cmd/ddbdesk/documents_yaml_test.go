package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v4"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A yamlExample is a YAML block of a document. Its outermost keys are not indented.
type yamlExample struct {
	text  string
	value any
}

var yamlBlocks = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// has reports whether the example has all of the keys.
func (e yamlExample) has(keys ...string) bool {
	m, _ := e.value.(map[string]any)
	return !slices.ContainsFunc(keys, func(k string) bool { _, ok := m[k]; return !ok })
}

// Every YAML example of the documents is a valid configuration, bookmarks file, schema or part of a schema. A part
// contains only the keys of its place, with values of the right types.
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
			t.Errorf("the invalid example %s was accepted", wrong)
		}
	}
	found := map[string]int{}
	for _, file := range documents(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range yamlBlocks.FindAllSubmatchIndex(text, -1) {
			e := yamlExample{text: string(text[at[2]:at[3]])}
			line := 1 + bytes.Count(text[:at[2]], []byte("\n"))
			if err := yaml.Unmarshal([]byte(e.text), &e.value); err != nil {
				t.Errorf("%s:%d: %v", file, line, err)
				continue
			}
			subject, problem := e.check(t, parts)
			found[subject]++
			if problem != "" {
				t.Errorf("%s:%d: %s: %s", file, line, subject, problem)
			}
		}
	}
	for subject, minimum := range map[string]int{"configuration": 1, "bookmarks": 1, "profile": 1, "part": 8} {
		if found[subject] < minimum {
			t.Errorf("got %d examples of a %s, want at least %d", found[subject], subject, minimum)
		}
	}
}

// check returns the kind of the example and its error, or "".
func (e yamlExample) check(t *testing.T, parts *profileParts) (subject, problem string) {
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
	if slices.ContainsFunc(parts.names, func(name string) bool { return parts.fits(name, e.value) }) {
		return "part", ""
	}
	return "part", "neither a part of a profile nor a map or a list of such parts:\n" + e.text
}

// bookmarksProblem runs the queries of an example for the schema authbridge, without sending them.
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

// invalidParts contains values that every part of a schema must reject.
var invalidParts = []any{
	map[string]any{"no-such-word": 7},
	map[string]any{"no-such-word": []any{"x"}},
	map[string]any{"no-such-word": map[string]any{"no-such-word": "x"}},
	map[string]any{"no-such-word": map[string]any{"no-such-word": map[string]any{"no-such-word": "x"}}},
	[]any{"x"},
	"x", 7,
}

// profileParts contains the parts of a schema, and maps and lists of them, as properties of a schema. Each part may
// lack required keys.
type profileParts struct {
	names  []string
	schema *jsonschema.Resolved
}

// fits reports whether the value is valid for the part.
func (p *profileParts) fits(name string, value any) bool {
	return p.schema.Validate(map[string]any{name: value}) == nil
}

// partSchemas returns the parts that reject all invalidParts. A part that accepts any key, such as a map of values,
// would prove nothing, and neither would an overlay.
func partSchemas(t *testing.T) *profileParts {
	t.Helper()
	var document map[string]any
	if err := json.Unmarshal(profiles.JSONSchema(), &document); err != nil {
		t.Fatal(err)
	}
	requireNothing(document)
	properties := map[string]any{}
	for name := range document["$defs"].(map[string]any) {
		part := map[string]any{"$ref": "#/$defs/" + name}
		if name != "overlay" {
			properties[name] = part
			properties["map of "+name] = map[string]any{"type": "object", "additionalProperties": part}
			properties["list of "+name] = map[string]any{"type": "array", "items": part}
		}
	}
	p := &profileParts{schema: resolved(t, map[string]any{"$defs": document["$defs"], "properties": properties})}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if !slices.ContainsFunc(invalidParts, func(v any) bool { return p.fits(name, v) }) {
			p.names = append(p.names, name)
		}
	}
	return p
}

// requireNothing removes the required keys from a schema.
func requireNothing(schema any) {
	switch schema := schema.(type) {
	case []any:
		for _, v := range schema {
			requireNothing(v)
		}
	case map[string]any:
		for name, v := range schema {
			if _, words := v.([]any); words && name == "required" || name == "dependentRequired" {
				delete(schema, name)
			}
			requireNothing(v)
		}
	}
}

// resolved compiles a schema.
func resolved(t *testing.T, schema any) *jsonschema.Resolved {
	t.Helper()
	text, err := json.Marshal(schema)
	var parsed jsonschema.Schema
	if err == nil {
		err = json.Unmarshal(text, &parsed)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := parsed.Resolve(nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return s
}
