package profiles

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/placed"
)

var update = flag.Bool("update", false, "write profile.schema.json")

func TestJSONSchemaMatchesDeclarations(t *testing.T) {
	want := makeJSONSchema(t)
	if *update {
		if err := os.WriteFile("profile.schema.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(JSONSchema(), want) {
		t.Error("profile.schema.json is outdated; run go test ./profiles -update")
	}
}

// makeJSONSchema returns the JSON Schema of the declarations, indented, the same
// for every run.
func makeJSONSchema(t *testing.T) []byte {
	g := schemaMaker{defs: object{}}
	root := object{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"title":       "ddbdesk profile",
		"description": "What a DynamoDB schema document says: tables, entities, lifecycles, access patterns and findings.",
		"$ref":        g.of(reflect.TypeFor[profileDecl]())["$ref"],
		"$defs":       g.defs,
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(root); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

type object map[string]any

// schemaMaker collects the schema definition of each declaration.
type schemaMaker struct {
	defs object
}

var (
	orderedMapType = reflect.TypeFor[placed.Mapping]()
	scalarFormType = reflect.TypeFor[placed.Scalar]()
	formulaType    = reflect.TypeFor[formulaDecl]()
)

// plain accepts any YAML scalar, because 50, true and 3.2 are valid texts.
func plain() object { return object{"type": []string{"string", "number", "boolean", "null"}} }

// of returns the schema of a declaration's type.
func (g *schemaMaker) of(t reflect.Type) object {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(orderedMapType) {
		value, _ := t.Elem().FieldByName("Value")
		return object{"type": []string{"object", "null"}, "additionalProperties": g.of(value.Type)}
	}
	switch t.Kind() {
	case reflect.Struct:
		return g.structure(t)
	case reflect.Slice:
		item := g.of(t.Elem())
		list := object{"type": []string{"array", "null"}, "items": item}
		if t.Elem().Kind() == reflect.String {
			return object{"anyOf": []object{list, plain()}} // one element needs no brackets
		}
		return list
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int:
		return object{"type": "integer"}
	default:
		return plain()
	}
}

// structure returns a reference to the definition of a struct.
func (g *schemaMaker) structure(t reflect.Type) object {
	name := strings.TrimSuffix(t.Name(), "Decl")
	ref := object{"$ref": "#/$defs/" + name}
	if _, known := g.defs[name]; known {
		return ref
	}
	if t == formulaType {
		g.defs[name] = object{
			"description": "Text with {references}, a sum of numbers, a document or a list of formulas.",
			"anyOf": []object{
				{"type": []string{"string", "number", "boolean"}},
				{"type": "object", "additionalProperties": ref},
				{"type": "array", "items": ref},
			},
		}
		return ref
	}
	def := object{"type": []string{"object", "null"}, "additionalProperties": false}
	if reflect.PointerTo(t).Implements(scalarFormType) {
		g.defs[name] = object{"oneOf": []object{{"type": []string{"string", "number", "boolean"}}, def}}
	} else {
		g.defs[name] = def // before the fields: attributes hold attributes
	}
	properties := object{}
	for _, f := range reflect.VisibleFields(t) {
		tag := f.Tag.Get("yaml")
		if tag == "" {
			continue
		}
		s := g.of(f.Type)
		if words, ok := schemaWords()[name+"."+tag]; ok {
			s = object{"enum": words}
		}
		if text, ok := schemaTexts[name+"."+tag]; ok {
			s["description"] = text
		} else if text, ok := schemaTexts[tag]; ok {
			s["description"] = text
		}
		properties[tag] = s
	}
	def["properties"] = properties
	if need, ok := schemaRequired[name]; ok {
		def["required"] = need
		def["type"] = "object"
	}
	return ref
}
