package profiles

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/placed"
	"github.com/ddbdesk/ddbdesk/models"
)

func TestJSONSchemaMatchesDeclarations(t *testing.T) {
	want := makeJSONSchema(t)
	if flag.Lookup("update").Value.String() == "true" { // a flag of package golden
		if err := os.WriteFile("profile.schema.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(JSONSchema(), want) {
		t.Error("profile.schema.json is outdated; run go test ./profiles -update")
	}
}

// makeJSONSchema returns the indented JSON Schema of the declarations, which is the same in every run.
func makeJSONSchema(t *testing.T) []byte {
	g := schemaMaker{defs: object{}, comments: fieldComments(t)}
	root := object{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"title":       "ddbdesk schema",
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
	defs     object
	comments map[string]string // comments of fields, by declaration.Field
}

// fieldComments returns the comments of the declarations' fields, which become descriptions in the schema.
func fieldComments(t *testing.T) map[string]string {
	t.Helper()
	comments := map[string]string{}
	for _, name := range []string{"declare.go", "declare_action.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for node := range ast.Preorder(file) {
			spec, ok := node.(*ast.TypeSpec)
			if !ok {
				continue
			}
			decl, ok := spec.Type.(*ast.StructType)
			if !ok {
				continue
			}
			for _, f := range decl.Fields.List {
				for _, id := range f.Names {
					comments[spec.Name.Name+"."+id.Name] = strings.Join(strings.Fields(cmp.Or(f.Doc.Text(), f.Comment.Text())), " ")
				}
			}
		}
	}
	return comments
}

var (
	orderedMapType = reflect.TypeFor[placed.Mapping]()
	scalarFormType = reflect.TypeFor[placed.Scalar]()
	formulaType    = reflect.TypeFor[formulaDecl]()
	overlayType    = reflect.TypeFor[overlayDecl]()
)

// plain accepts any YAML scalar, because 50, true and 3.2 are valid texts.
func plain() object { return object{"type": []string{"string", "number", "boolean", "null"}} }

// of returns the schema of a declaration's type.
func (m *schemaMaker) of(t reflect.Type) object {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(orderedMapType) {
		value, _ := t.Elem().FieldByName("Value")
		return object{"type": []string{"object", "null"}, "additionalProperties": m.of(value.Type)}
	}
	switch t.Kind() {
	case reflect.Struct:
		if t == reflect.TypeFor[valuesDecl]() {
			return object{"anyOf": []object{m.of(reflect.TypeFor[[]string]()), m.structure(reflect.TypeFor[numbersDecl]())}}
		}
		return m.structure(t)
	case reflect.Slice:
		item := m.of(t.Elem())
		list := object{"type": []string{"array", "null"}, "items": item}
		if t == reflect.TypeFor[keysDecl]() {
			list["maxItems"] = models.MaxKeyAttributes
			return object{"anyOf": []object{list, item}}
		}
		if t.Elem().Kind() == reflect.String {
			return object{"anyOf": []object{list, plain()}} // A single element needs no brackets.
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
func (m *schemaMaker) structure(t reflect.Type) object {
	name := strings.TrimSuffix(t.Name(), "Decl")
	ref := object{"$ref": "#/$defs/" + name}
	if _, known := m.defs[name]; known {
		return ref
	}
	if t == formulaType {
		m.defs[name] = object{
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
	if t == overlayType {
		properties := object{} // The sections of an overlay may be incomplete.
		for _, f := range reflect.VisibleFields(reflect.TypeFor[profileDecl]()) {
			if word := f.Tag.Get("yaml"); !slices.Contains(profileOnlyKeys, word) {
				properties[word] = object{"description": cmp.Or(m.comments["profileDecl."+f.Name], schemaTexts[word])}
			}
		}
		def["properties"], def["patternProperties"] = properties, object{"^x-": object{}}
		m.defs[name] = def
		return ref
	}
	if reflect.PointerTo(t).Implements(scalarFormType) {
		m.defs[name] = object{"oneOf": []object{{"type": []string{"string", "number", "boolean"}}, def}}
	} else {
		m.defs[name] = def // before the fields, because attributes contain attributes
	}
	properties := object{}
	for _, f := range reflect.VisibleFields(t) {
		tag := f.Tag.Get("yaml")
		if tag == "" {
			continue
		}
		s := m.of(f.Type)
		if words, ok := schemaWords()[name+"."+tag]; ok {
			s = object{"enum": words}
			if tag == "format" {
				s = object{"anyOf": []object{s, {"type": "string", "pattern": "%"}}}
			}
		}
		owner := t
		if n := len(f.Index) - 1; n > 0 {
			owner = t.FieldByIndex(f.Index[:n]).Type
		}
		if text := m.comments[owner.Name()+"."+f.Name]; text != "" {
			s["description"] = text
		} else if text, ok := schemaTexts[tag]; ok {
			s["description"] = text
		}
		properties[tag] = s
	}
	def["patternProperties"] = object{"^x-": object{}}
	def["properties"] = properties
	if need, ok := schemaRequired[name]; ok {
		def["required"] = need
		def["type"] = "object"
	}
	return ref
}

// schemaRequired lists the required fields of each declaration.
var schemaRequired = map[string][]string{
	"profile":   {"name"}, // An included file can contain the tables.
	"table":     {"partition_key"},
	"entity":    {"table"},
	"attribute": {"type"},
	"lifecycle": {"entity", "attribute"},
	"pattern":   {"operation"},
	"variant":   {"when"},
	"finding":   {"kind", "text"},
	"trail":     {"about"},
}

// schemaWords lists the allowed values of the fields that accept only a few.
var schemaWords = sync.OnceValue(func() map[string][]string {
	kinds, types := texts(accesspatterns.FindingKinds()...), texts(accesspatterns.ParamTypes()...)
	operations, order := texts(accesspatterns.Operations()...), []string{"ascending", "descending"}
	return map[string][]string{
		"key.type":             texts(models.TypeS, models.TypeN, models.TypeB),
		"table.stream":         streamWords(),
		"index.projection":     texts(models.ProjectionAll, models.ProjectionKeysOnly, models.ProjectionInclude),
		"keyTemplate.digest":   models.Digests(),
		"condition.digest":     models.Digests(),
		"attribute.type":       typeWords(),
		"attribute.items":      typeWords(),
		"attribute.format":     formatWords(),
		"attribute.sensitive":  sensitivities(),
		"state.kind":           texts(models.StateOpen, models.StateGood, models.StateBad, models.StateFinal),
		"pattern.operation":    operations,
		"pattern.order":        order,
		"pattern.expect":       {"one", "many"},
		"pattern.writes":       writeOperations,
		"variant.operation":    operations,
		"variant.order":        order,
		"documented.operation": operations,
		"documented.order":     order,
		"param.type":           types,
		"param.format":         formatWords(),
		"param.sensitive":      sensitivities(),
		"inline.operation":     operations,
		"inline.order":         order,
		"action.kind":          actionKinds(),
		"action.reason":        reasonRules(),
		"finding.kind":         kinds,
	}
})

// schemaTexts describes the fields that have the same meaning in every declaration.
var schemaTexts = map[string]string{
	"title":       "Title that the console shows.",
	"description": "One sentence that describes the part.",
	"source":      "Position in the design document: line numbers or a quotation.",
	"documented":  "false marks facts that the document does not state.",
	"findings":    "IDs of findings.",
	"table":       "ID of a table of this schema.",
}

func TestSchemaWordsNameFields(t *testing.T) {
	fields := map[string]bool{}
	names := map[string]bool{}
	var walk func(reflect.Type)
	walk = func(v reflect.Type) {
		for v.Kind() == reflect.Pointer || v.Kind() == reflect.Slice {
			v = v.Elem()
		}
		name := strings.TrimSuffix(v.Name(), "Decl")
		if v.Kind() != reflect.Struct || names[name] {
			return
		}
		names[name] = true
		for _, f := range reflect.VisibleFields(v) {
			fields[f.Tag.Get("yaml")] = true
			fields[name+"."+f.Tag.Get("yaml")] = true
			walk(f.Type)
			if reflect.PointerTo(f.Type).Implements(orderedMapType) {
				value, _ := f.Type.Elem().FieldByName("Value")
				walk(value.Type)
			}
		}
	}
	walk(reflect.TypeFor[profileDecl]())
	for key := range schemaTexts {
		if !fields[key] {
			t.Errorf("schemaTexts explains %s, which is not a field", key)
		}
	}
	for key := range schemaWords() {
		if !fields[key] {
			t.Errorf("schemaWords has values of %s, which is not a field", key)
		}
	}
	for name, list := range schemaRequired {
		for _, f := range list {
			if !fields[name+"."+f] {
				t.Errorf("schemaRequired contains %s.%s, which is not a field", name, f)
			}
		}
	}
}

// streamWords returns the stream views in the words of the schema language.
func streamWords() []string {
	var words []string
	for _, v := range models.StreamViews() {
		words = append(words, v.Word())
	}
	return words
}
