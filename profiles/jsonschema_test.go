package profiles_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"github.com/ddbdesk/ddbdesk/profiles"
)

func compileSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(profiles.JSONSchema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("profile.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("profile.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// instance converts YAML to the values that an editor validates.
func instance(t *testing.T, text []byte) any {
	t.Helper()
	var v any
	if err := yaml.Load(text, &v); err != nil {
		t.Fatal(err)
	}
	j, err := json.Marshal(textKeys(v))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(j))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// textKeys converts every mapping key to text, because true and 7 are valid keys.
func textKeys(v any) any {
	switch v := v.(type) {
	case map[any]any:
		m := map[string]any{}
		for k, x := range v {
			m[fmt.Sprint(k)] = textKeys(x)
		}
		return m
	case map[string]any:
		for k, x := range v {
			v[k] = textKeys(x)
		}
	case []any:
		for i, x := range v {
			v[i] = textKeys(x)
		}
	}
	return v
}

func TestJSONSchemaAcceptsBuiltinSchemas(t *testing.T) {
	s := compileSchema(t)
	for _, name := range profiles.Names() {
		t.Run(name, func(t *testing.T) {
			_, text, err := profiles.ReadSource(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Validate(instance(t, text)); err != nil {
				t.Error(err)
			}
		})
	}
}

// The cases are alternative forms of values, and keys that begin with x-.
func TestJSONSchemaAccepts(t *testing.T) {
	s := compileSchema(t)
	for name, add := range map[string]string{
		"range":              `patterns: {p: {operation: query, key: {id: {range: x}}}}`,
		"extension":          `x-text: {any: thing}`,
		"include":            `include: a.yaml`,
		"overlay":            `overlays: {qa: {tables: {t: {ttl: null}}, guardrails: {regions: [a]}}}`,
		"labels":             `entities: {e: {table: t, mixins: [m], item_title: "{a}", attributes: {a: {type: N, labels: {0: Open}}}}}`,
		"read of a pattern":  `actions: {a: {entity: e, reads: {last: {pattern: p, optional: true}}}}`,
		"several attributes": `tables: {t: {partition_key: id, indexes: {I: {partition_key: [a, {name: n, type: N}]}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			text := "name: x\n" + add + "\n"
			if !strings.Contains(add, "tables:") {
				text += "tables: {t: {partition_key: id}}\n"
			}
			if err := s.Validate(instance(t, []byte(text))); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestJSONSchemaRejects(t *testing.T) {
	s := compileSchema(t)
	const good = "name: x\ntables: {t: {partition_key: {name: id, type: N}}}\n"
	if err := s.Validate(instance(t, []byte(good))); err != nil {
		t.Fatal(err)
	}
	for name, add := range map[string]string{
		"unknown key":                 "entites: {}",
		"word of an enum":             "findings: {A: {kind: AWFUL, text: t}}",
		"list in place of a mapping":  "entities: [a]",
		"key type":                    "entities: {e: {table: t, attributes: {a: {type: BOOLEAN}}}}",
		"nested attribute":            "entities: {e: {table: t, attributes: {a: {type: M, attributes: {b: {typ: S}}}}}}",
		"unknown word in a condition": "patterns: {p: {operation: query, key: {id: {begins: x}}}}",
		"unknown word in an action":   "actions: {a: {transitions: pay}}",
		"kind of an action":           "actions: {a: {entity: e, kind: patch}}",
		"unknown companion write":     "actions: {a: {entity: e, also: [{insert: e}]}}",
		"unknown field of a trail":    "trails: {e: {put: {a: x}}}",
		"unknown word in an overlay":  "overlays: {qa: {tabels: {}}}",
		"missing operation":           "patterns: {p: {table: t}}",
	} {
		t.Run(name, func(t *testing.T) {
			if s.Validate(instance(t, []byte(good+add+"\n"))) == nil {
				t.Errorf("the JSON schema accepts %s", add)
			}
		})
	}
}
