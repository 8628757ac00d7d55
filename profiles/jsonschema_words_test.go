package profiles

import (
	"reflect"
	"strings"
	"testing"
)

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
		for i := range v.NumField() {
			f := v.Field(i)
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
			t.Errorf("schemaTexts explains %s, which is no field", key)
		}
	}
	for key := range schemaWords() {
		if !fields[key] {
			t.Errorf("schemaWords has values of %s, which is no field", key)
		}
	}
	for name, list := range schemaRequired {
		for _, f := range list {
			if !fields[name+"."+f] {
				t.Errorf("schemaRequired wants %s.%s, which is no field", name, f)
			}
		}
	}
}
