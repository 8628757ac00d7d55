package interchange

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/models"
)

// oneTable is a DynamoDB OneTable schema in JSON, or the item in which OneTable stores the schema.
// https://github.com/sensedeep/dynamodb-onetable, doc/schema-1.1.0.md
var oneTable = Format{
	Name: "onetable", Title: "OneTable schema",
	Obtain: `print the schema with node: import('./schema.js').then(m => console.log(JSON.stringify(m.default, ` +
		`(k, v) => typeof v === 'function' ? v.name.toLowerCase() : v instanceof RegExp ? String(v) : v))); or pass the ` +
		`output of aws dynamodb get-item for the item _schema, _schema:Current`,
	recognizes: func(top map[string]any) bool {
		if item, ok := top["Item"].(map[string]any); ok {
			return item["models"] != nil && item["indexes"] != nil
		}
		indexes, _ := top["indexes"].(map[string]any)
		return top["models"] != nil && indexes["primary"] != nil
	},
	read: readOneTable,
}

type oneTableSchema struct {
	Format  string                              `json:"format"`
	Name    string                              `json:"name"`
	Indexes map[string]oneTableIndex            `json:"indexes"`
	Models  map[string]map[string]oneTableField `json:"models"`
	Params  oneTableParams                      `json:"params"`
}

type oneTableParams struct {
	TypeField  string `json:"typeField"`
	ISODates   bool   `json:"isoDates"`
	Timestamps any    `json:"timestamps"`
	Created    string `json:"createdField"`
	Updated    string `json:"updatedField"`
}

type oneTableIndex struct {
	Hash    string `json:"hash"`
	Sort    string `json:"sort"`
	Type    string `json:"type"`
	Project any    `json:"project"`
}

type oneTableField struct {
	Type     any                      `json:"type"`
	Value    any                      `json:"value"`
	Required bool                     `json:"required"`
	Enum     []any                    `json:"enum"`
	Generate any                      `json:"generate"`
	UUID     any                      `json:"uuid"` // the name of generate in old versions
	Unique   bool                     `json:"unique"`
	Scope    string                   `json:"scope"`
	Crypt    bool                     `json:"crypt"`
	Map      string                   `json:"map"`
	Schema   map[string]oneTableField `json:"schema"`
	Items    *oneTableField           `json:"items"`
	TTL      bool                     `json:"ttl"`
	ISODates *bool                    `json:"isoDates"`
	Encode   []any                    `json:"encode"`

	Description string `json:"description"`
}

// oneTableFormats lists the schema formats that oneTable can read.
var oneTableFormats = []string{"onetable:1.1.0", "onetable:1.0.0"}

func readOneTable(r *reader, f File) error {
	var d oneTableSchema
	var stored struct{ Item map[string]any }
	if err := decodeJSON(f.Text, &stored); err != nil {
		return err
	}
	if stored.Item != nil { // an item as the AWS CLI's get-item prints it
		it, err := models.TypedItem(stored.Item)
		if err != nil {
			return err
		}
		f.Text = it.AppendJSON(nil)
		r.warnf("date formats and timestamps come from the stored parameters, which can be defaults; " +
			"ddbdesk schema init also checks the items")
	}
	if err := r.decode(f.Text, &d); err != nil {
		return err
	}
	if d.Format != "" && !slices.Contains(oneTableFormats, d.Format) {
		r.warnf("unknown schema format %s; reading it as %s", models.Printable(d.Format), oneTableFormats[0])
	}
	primary := d.Indexes["primary"]
	if primary.Hash == "" {
		return errors.New("indexes.primary has no hash attribute")
	}
	if d.Name != "Current" { // all stored schemas have this name
		r.setName(d.Name)
	}
	r.setName(r.options.Table)
	key := func(attribute string) models.Key { return keyOf(attribute, d.keyType(attribute)) }
	t := r.newTable("", "OneTable")
	t.PartitionKey, t.SortKey = key(primary.Hash), key(primary.Sort)
	for _, id := range slices.Sorted(maps.Keys(d.Indexes)) {
		x := d.Indexes[id]
		if id == "primary" {
			continue
		}
		index := &models.Index{Name: id, PartitionKeys: models.KeyList(key(x.Hash)), SortKeys: models.KeyList(key(x.Sort))}
		if x.Hash == "" || x.Type == "local" {
			index.PartitionKeys, index.Local = models.KeyList(t.PartitionKey), true
		}
		setProjection(index, x.Project, "keys", func(name string) string { return name })
		r.addIndex(t, index)
	}
	p := r.profile()
	p.Tables = append(p.Tables, t)
	for _, model := range slices.Sorted(maps.Keys(d.Models)) {
		p.Entities = append(p.Entities, d.entity(r, t, model))
		p.Entities = append(p.Entities, d.uniqueEntities(r, t, model)...)
	}
	draft.InferPatterns(p, t)
	return nil
}

func (d *oneTableSchema) keyType(attribute string) models.Type {
	for _, fields := range d.Models {
		if f, ok := fields[attribute]; ok && d.attribute(attribute, attribute, f).Type == models.TypeN {
			return models.TypeN
		}
	}
	return models.TypeS
}

// oneTableRef matches the references in a value template, such as ${id} and ${number:6:0}.
var oneTableRef = models.LazyRegexp(`\$\{([^}]*)\}`)

func (d *oneTableSchema) entity(r *reader, t *draft.Table, model string) *draft.Entity {
	fields := d.Models[model]
	e := &draft.Entity{Name: model, Table: t.ID}
	keys := models.MapSlice(t.KeyAttributes(), func(k models.Key) string { return k.Name })
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		f := fields[name]
		stored := name
		if f.Map != "" {
			stored, _, _ = strings.Cut(f.Map, ".")
		}
		if value, ok := f.Value.(string); ok && slices.Contains(keys, stored) {
			d.addKey(r, e, t, stored, value, fields)
			continue
		}
		if f.Unique {
			r.warnf("%s.%s is unique: OneTable keeps another item for it, which an action must also write", model, name)
		}
		_, inner, isPacked := strings.Cut(f.Map, ".")
		a := d.attribute(cmp.Or(inner, stored), name, f)
		a.Required = a.Required || f.generates()
		if stored != name {
			a.Description = "property " + name
		}
		if len(f.Encode) > 0 {
			a.Note, a.Type = draft.CheckNote("OneTable packs several properties into it"), models.TypeS
		}
		if isPacked {
			addNested(e, stored, a)
			continue
		}
		if other := e.Attribute(stored); other != nil {
			other.Description += ", " + name
			continue
		}
		if f.TTL {
			t.TTL, a.Type, a.Format = stored, models.TypeN, models.EpochSeconds
		}
		e.Attributes = append(e.Attributes, a)
	}
	for _, k := range t.PrimaryKeys() {
		if e.Template(k.Name) == "" {
			e.Attributes = append(e.Attributes, &draft.Attribute{
				Attribute: models.Attribute{Name: k.Name, Type: k.Type, Required: true},
				Note:      draft.CheckNote("computed by a function, which cannot be imported"),
			})
		}
	}
	d.addType(e, model)
	d.addTimestamps(e)
	return e
}

// addNested adds a property that OneTable stores in a map attribute.
func addNested(e *draft.Entity, name string, inner *draft.Attribute) {
	parent := e.Attribute(name)
	if parent == nil {
		parent = &draft.Attribute{Attribute: models.Attribute{Name: name, Type: models.TypeM, Documented: true}}
		e.Attributes = append(e.Attributes, parent)
	}
	parent.Nested = append(parent.Nested, inner)
}

func (d *oneTableSchema) addType(e *draft.Entity, value string) {
	name := cmp.Or(d.Params.TypeField, "_type")
	e.Equals = draft.Map{{Key: name, Value: value}}
	if e.Attribute(name) == nil {
		e.Attributes = append(e.Attributes, &draft.Attribute{Attribute: models.Attribute{
			Name: name, Type: models.TypeS, Required: true, Enum: []string{value}, Documented: true,
		}})
	}
}

// uniqueEntities returns the entities of items that reserve the values of unique fields, which their keys contain.
func (d *oneTableSchema) uniqueEntities(r *reader, t *draft.Table, model string) (list []*draft.Entity) {
	for _, name := range slices.Sorted(maps.Keys(d.Models[model])) {
		f := d.Models[model][name]
		stored := cmp.Or(f.Map, name)
		if !f.Unique || stored == t.PartitionKey.Name || stored == t.SortKey.Name {
			continue
		}
		e := &draft.Entity{
			Name: model + draft.Pascal(name) + "Unique", Table: t.ID,
			Notes: []string{"OneTable writes it so that " + name + " is unique"},
		}
		value := strings.TrimPrefix(f.Scope+"#", "#") + model + "#" + strings.Replace(stored, ".", ",", 1) + "#${" + name + "}"
		d.addKey(r, e, t, t.PartitionKey.Name, "_unique#"+value, nil)
		if t.SortKey.Name != "" {
			d.addKey(r, e, t, t.SortKey.Name, "_unique#", nil)
		}
		for _, a := range e.Attributes {
			from := d.attribute(a.Name, a.Name, d.Models[model][a.Name])
			a.Required, a.Format, a.Sensitive, a.Note = true, from.Format, from.Sensitive, draft.JoinNotes(a.Note, from.Note)
		}
		d.addType(e, "_Unique")
		list = append(list, e)
	}
	return list
}

// addTimestamps declares the attributes that OneTable maintains, because models do not declare them.
func (d *oneTableSchema) addTimestamps(e *draft.Entity) {
	format, kind := models.EpochMillis, models.TypeN
	if d.Params.ISODates {
		format, kind = models.ISO8601Millis, models.TypeS
	}
	add := func(name, fallback string, documented bool) string {
		name = cmp.Or(name, fallback)
		if documented && e.Attribute(name) == nil {
			e.Attributes = append(e.Attributes, &draft.Attribute{Attribute: models.Attribute{
				Name: name, Type: kind, Format: format, Documented: true,
			}})
		}
		if documented {
			return name
		}
		return ""
	}
	timestamps := fmt.Sprint(d.Params.Timestamps)
	add(d.Params.Created, "created", timestamps == "true" || timestamps == "create")
	e.Updated = add(d.Params.Updated, "updated", timestamps == "true" || timestamps == "update")
}

// addKey converts a value template to a key template. If the schema language cannot express it, it declares a plain
// attribute with a note, because a wrong key would be worse.
func (d *oneTableSchema) addKey(r *reader, e *draft.Entity, t *draft.Table, attribute, value string, fields map[string]oneTableField) {
	note := ""
	var clearValues []string
	template := oneTableRef().ReplaceAllStringFunc(value, func(ref string) string {
		parts := strings.Split(ref[2:len(ref)-1], ":")
		name := parts[0]
		if name == "_type" || name == d.Params.TypeField {
			return e.Name
		}
		f := fields[name]
		name = cmp.Or(f.Map, name)
		if f.Crypt { // the attribute contains the encrypted value
			note = "the key contains the unencrypted value of " + name
			name += "Clear"
			clearValues = append(clearValues, name)
		}
		if len(parts) == 3 && parts[2] == "0" {
			return "{" + name + ":" + fmt.Sprintf("%02sd", parts[1]) + "}"
		}
		return "{" + name + "}"
	})
	parsed, err := models.ParseTemplate(template, nil)
	if err != nil {
		r.warnf("%s.%s: template %s: %v", e.Name, attribute, models.Printable(value), err)
		e.Attributes = append(e.Attributes, &draft.Attribute{
			Attribute: models.Attribute{
				Name: attribute, Type: models.TypeS, Required: t.PartitionKey.Name == attribute || t.SortKey.Name == attribute,
			},
			Note: draft.CheckNote("OneTable computes it from %s", value),
		})
		return
	}
	e.Keys = append(e.Keys, draft.Key{Attribute: attribute, Template: template, Note: note})
	for _, name := range parsed.Placeholders() {
		stored := func(f oneTableField) bool { return f.Map == name }
		if _, ok := fields[name]; ok || e.Attribute(name) != nil || slices.ContainsFunc(slices.Collect(maps.Values(fields)), stored) {
			continue
		}
		a := &draft.Attribute{Attribute: models.Attribute{Name: name, Type: models.TypeS, KeyOnly: true}, Note: "only in the key"}
		if slices.Contains(clearValues, name) {
			a.Sensitive, a.Note = models.PII, "the unencrypted value of an encrypted attribute, only in the key"
		}
		e.Attributes = append(e.Attributes, a)
	}
}

var oneTableTypes = map[string]models.Attribute{
	"string": {Type: models.TypeS}, "number": {Type: models.TypeN}, "boolean": {Type: models.TypeBOOL}, "object": {Type: models.TypeM},
	"array": {Type: models.TypeL}, "set": {Type: models.TypeSS}, "buffer": {Type: models.TypeB}, "binary": {Type: models.TypeB},
	"arraybuffer": {Type: models.TypeB}, "typed-array": {Type: models.TypeB},
}

func (f oneTableField) generates() bool { return cmp.Or(f.Generate, f.UUID) != nil }

func (d *oneTableSchema) attribute(stored, name string, f oneTableField) *draft.Attribute {
	kind := strings.ToLower(fmt.Sprint(f.Type))
	a := &draft.Attribute{Attribute: oneTableTypes[kind]}
	a.Name, a.Required, a.Documented, a.Description = stored, f.Required, true, models.Printable(f.Description)
	if kind == "date" {
		a.Type, a.Format = models.TypeN, models.EpochMillis
		if iso := d.Params.ISODates; f.ISODates != nil && *f.ISODates || f.ISODates == nil && iso {
			a.Type, a.Format = models.TypeS, models.ISO8601Millis
		}
	}
	if a.Type == "" {
		a.Type, a.Note = models.TypeS, draft.CheckNote("type %s", kind)
	}
	for _, v := range f.Enum {
		a.Enum = append(a.Enum, fmt.Sprint(v))
	}
	if text, _ := cmp.Or(f.Generate, f.UUID).(string); text == "uuid" || text == "ulid" {
		a.Format = models.Format(text)
	}
	if a.GuessSensitivity(name); f.Crypt {
		a.Sensitive, a.Note = models.Secret, "stored encrypted"
	}
	switch {
	case a.Type == models.TypeM && len(f.Schema) == 0:
		a.Undocumented = true
	case a.Type == models.TypeM:
		a.Nested = d.nestedAttributes(f.Schema)
	case a.Type == models.TypeL && f.Items != nil:
		inner := d.attribute(name, name, *f.Items)
		a.Items, a.Nested = inner.Type, inner.Nested
	}
	return a
}

func (d *oneTableSchema) nestedAttributes(fields map[string]oneTableField) []*draft.Attribute {
	var list []*draft.Attribute
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		list = append(list, d.attribute(name, name, fields[name]))
	}
	return list
}
