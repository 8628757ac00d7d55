package profiles

import (
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// schemaRequired lists the fields that a declaration cannot do without.
var schemaRequired = map[string][]string{
	"profile":   {"name"}, // its tables can be in an included file
	"table":     {"partition_key"},
	"entity":    {"table"},
	"attribute": {"type"},
	"life":      {"entity", "attribute"},
	"pattern":   {"operation"},
	"finding":   {"kind", "text"},

	"reading": {"entity"},
	"trail":   {"about"},
}

// schemaWords lists the values of the fields that take only some.
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

// schemaTexts explains the fields that mean the same in every declaration.
var schemaTexts = map[string]string{
	"title":       "Title shown in the console.",
	"description": "One sentence for readers.",
	"source":      "Place in the document: lines, or the text itself.",
	"documented":  "false marks what the document does not state.",
	"findings":    "IDs of findings. A finding can also list what it concerns.",
	"table":       "ID of a table of this profile.",
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
				t.Errorf("schemaRequired wants %s.%s, which is not a field", name, f)
			}
		}
	}
}

// streamWords are the views of streams in the profile language.
func streamWords() []string {
	var words []string
	for _, v := range models.StreamViews() {
		words = append(words, v.Word())
	}
	return words
}
