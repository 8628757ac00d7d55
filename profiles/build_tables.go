package profiles

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/ddbdesk/ddbdesk/models"
)

// schemaBuilder builds variables, tables, entities, lifecycles and findings.
type schemaBuilder struct{ *builder }

func (b schemaBuilder) variables(values Values) {
	for _, e := range b.decl.Variables {
		v := Variable{Name: e.Key, Value: e.Value.Default, Default: e.Value.Default, Description: e.Value.Description}
		if given, ok := values.of(e.Key); ok {
			v.Value = given
		}
		if v.Value == "" {
			b.Errorf("variables."+e.Key, "set a default, or pass --var "+e.Key+"=VALUE", "variable has no value")
		}
		b.p.Variables = append(b.p.Variables, v)
	}
	for name := range values.Given {
		if _, ok := b.decl.Variables.Get(name); !ok {
			b.Errorf("variables", near(name, b.decl.Variables.Keys()), "--var %s: unknown variable", models.Printable(name))
		}
	}
}

// valueMaps must be reversible, because keys are decoded with them.
func (b schemaBuilder) valueMaps() {
	b.p.ValueMaps = map[string]models.ValueMap{}
	for _, e := range b.decl.Maps {
		m := models.ValueMap{}
		keys := map[string]string{}
		for _, v := range e.Value.Values {
			if other, twice := keys[v.Value]; twice {
				b.Errorf("maps."+e.Key+".values."+v.Key, "", "%q and %q both map to %q, so a key cannot be decoded", other, v.Key, v.Value)
			}
			keys[v.Value] = v.Key
			m[v.Key] = v.Value
		}
		b.p.ValueMaps[e.Key] = m
	}
}

var variableText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{([^{}]*)\}`) })

func (b schemaBuilder) resolve(path, name string) string {
	return variableText().ReplaceAllStringFunc(name, func(ref string) string {
		for _, v := range b.p.Variables {
			if v.Name == ref[1:len(ref)-1] {
				return v.Value
			}
		}
		b.Errorf(path, near(ref[1:len(ref)-1], b.decl.Variables.Keys()), "unknown variable %s", ref)
		return ref
	})
}

func (b schemaBuilder) requests() {
	name := b.resolve("requests", b.decl.Requests)
	if b.Has("requests") && !models.IsTableName(name) {
		b.Errorf("requests", "use 3 to 255 letters, digits, '_', '.' and '-'", "invalid table name %q", models.Printable(name))
	}
	b.p.Requests = name
}

func (b schemaBuilder) session() {
	d := b.decl.Session
	b.word("session.reason", d.Reason, []string{"required", "optional"})
	b.Regexp("session.ticket", d.Ticket, "OPS-[0-9]+")
	b.p.Session = Terms{Reason: d.Reason == "required", Ticket: d.Ticket}
}

func (b schemaBuilder) key(path string, k keyDecl) models.Key {
	t := models.Type(k.Type)
	if k.Type == "" {
		t = models.TypeS
	}
	b.word(path+".type", k.Type, []string{"S", "N", "B"})
	return models.Key{Name: k.Name, Type: t}
}

func (b schemaBuilder) tables() {
	if len(b.decl.Tables) == 0 {
		b.Errorf("tables", "", "profile has no tables")
	}
	for _, e := range b.decl.Tables {
		path, d := "tables."+e.Key, e.Value
		name := d.Name
		name = cmp.Or(name, e.Key)
		t := &models.Table{
			ID: e.Key, Name: b.resolve(path+".name", name), TTL: d.TTL, TTLDocumented: d.TTLDocumented,
			Billing: d.Billing, Stream: b.streamView(path+".stream", d.Stream), Description: d.Description, Source: d.Source,
			PartitionKey: b.key(path+".partition_key", d.PartitionKey),
		}
		if d.PartitionKey.Name == "" {
			b.Errorf(path, "", "table has no partition_key")
		}
		if d.SortKey.Name != "" {
			t.SortKey = b.key(path+".sort_key", d.SortKey)
		}
		for _, x := range d.Indexes {
			t.Indexes = append(t.Indexes, b.index(path+".indexes."+x.Key, x.Key, x.Value, t))
		}
		b.p.Tables = append(b.p.Tables, t)
	}
}

func (b schemaBuilder) streamView(path, word string) models.StreamView {
	var known []string
	for _, v := range models.StreamViews() {
		known = append(known, v.Word())
	}
	if !b.word(path, word, known) {
		return ""
	}
	return models.StreamView(strings.ToUpper(word))
}

func (b schemaBuilder) keys(path string, list keysDecl) []models.Key {
	if len(list) > models.MaxKeyAttributes {
		b.Errorf(path, "combine some of them in an attribute", "key has %d attributes; DynamoDB allows %d", len(list),
			models.MaxKeyAttributes)
	}
	var keys []models.Key
	for i, d := range list {
		at := path
		if len(list) > 1 {
			at = fmt.Sprintf("%s.%d", path, i)
		}
		k := b.key(at, d)
		switch {
		case k.Name == "" && len(list) > 1:
			b.Errorf(at, "", "key attribute has no name")
		case models.KeyNamed(keys, k.Name) >= 0:
			b.Errorf(at, "remove it", "duplicate key attribute %s", models.Printable(k.Name))
		default:
			keys = append(keys, models.KeyList(k)...)
		}
	}
	return keys
}

// localIndex checks what DynamoDB demands of a local secondary index. Source: Amazon DynamoDB Developer Guide, "Local
// secondary indexes".
func (b schemaBuilder) localIndex(path string, x *models.Index, d indexDecl, t *models.Table) {
	switch {
	case !x.Local:
	case len(x.PartitionKeys) != 1 || x.PartitionKeys[0] != t.PartitionKey:
		b.Errorf(path+".partition_key", "remove it, or remove local:",
			"local index has the partition key of the table, which is %s", t.PartitionKey.Name)
	case len(x.SortKeys) == 0 || t.SortKey.Name == "":
		b.Errorf(path, "give the index and the table a sort_key", "local index needs a sort key, and so does its table")
	case len(x.SortKeys) > 1:
		b.Errorf(path+".sort_key", "remove local:, or the other attributes", "only a global index can have several key attributes")
	case d.Optional:
		b.Errorf(path+".optional", "remove it", "a local index is created with its table and cannot be missing")
	}
}

func (b schemaBuilder) index(path, name string, d indexDecl, t *models.Table) *models.Index {
	x := &models.Index{
		Name: name, Label: d.Label, Projection: models.Projection(d.Projection), Include: d.Include, Local: d.Local,
		Optional: d.Optional, Source: d.Source,
		PartitionKeys: b.keys(path+".partition_key", d.PartitionKey), SortKeys: b.keys(path+".sort_key", d.SortKey),
	}
	if d.Local && d.PartitionKey == nil {
		x.PartitionKeys = models.KeyList(t.PartitionKey)
	}
	b.localIndex(path, x, d, t)
	b.word(path+".projection", d.Projection, []string{"ALL", "KEYS_ONLY", "INCLUDE"})
	if len(x.PartitionKeys) == 0 {
		b.Errorf(path, "", "index has no partition_key")
	}
	for _, k := range x.SortKeys {
		if models.KeyNamed(x.PartitionKeys, k.Name) >= 0 {
			b.Errorf(path+".sort_key", "remove it from one of them", "%s is in the partition key and in the sort key", k.Name)
		}
	}
	return x
}
