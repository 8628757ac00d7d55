package interchange

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/models"
)

// electroDB is the JSON of one or several ElectroDB entity schemas, which omits functions.
// https://electrodb.dev/en/modeling/schema/
var electroDB = Format{
	Name: "electrodb", Title: "ElectroDB schema",
	Obtain: `print the entities with node: console.log(JSON.stringify([User, Order].map(e => ({...e.schema, table: e.getTableName()}))))`,
	recognizes: func(top map[string]any) bool {
		if list, ok := top[""].([]any); ok && len(list) > 0 {
			top, _ = list[0].(map[string]any)
		}
		model, _ := top["model"].(map[string]any)
		return model["entity"] != nil && top["indexes"] != nil
	},
	read: readElectroDB,
}

type electroEntity struct {
	Table string `json:"table"`
	Model struct {
		Entity  string `json:"entity"`
		Service string `json:"service"`
		Version any    `json:"version"`
	} `json:"model"`
	Attributes map[string]electroAttribute `json:"attributes"`
	Indexes    map[string]electroIndex     `json:"indexes"`
}

type electroAttribute struct {
	Type       any                         `json:"type"`
	Field      string                      `json:"field"`
	Required   bool                        `json:"required"`
	Hidden     bool                        `json:"hidden"`
	Padding    *electroPadding             `json:"padding"`
	Properties map[string]electroAttribute `json:"properties"`
	Items      any                         `json:"items"`
}

type electroPadding struct {
	Length int    `json:"length"`
	Char   string `json:"char"`
}

type electroIndex struct {
	Index      string      `json:"index"`
	Collection oneOrAll    `json:"collection"`
	Type       string      `json:"type"`
	Scope      string      `json:"scope"`
	Condition  any         `json:"condition"`
	Projection any         `json:"projection"`
	PK         *electroKey `json:"pk"`
	SK         *electroKey `json:"sk"`
}

type electroKey struct {
	Field     string   `json:"field"`
	Composite []string `json:"composite"`
	Facets    oneOrAll `json:"facets"` // name before version 1; a single text is a template
	Template  string   `json:"template"`
	Casing    string   `json:"casing"`
	Cast      string   `json:"cast"`
}

func readElectroDB(r *reader, f File) error {
	list := make([]electroEntity, 1)
	target := any(&list[0])
	if text := bytes.TrimSpace(f.Text); text[0] == '[' {
		target = &list
	}
	if err := r.decode(f.Text, target); err != nil {
		return err
	}
	tables := map[*draft.Table]bool{}
	for i, d := range list {
		t, err := d.read(r)
		if err != nil {
			return fmt.Errorf("entity %d: %w", i+1, err)
		}
		tables[t] = true
	}
	for _, t := range r.profile().Tables {
		if tables[t] {
			draft.InferPatterns(r.profile(), t)
		}
	}
	return nil
}

func (d electroEntity) read(r *reader) (*draft.Table, error) {
	if d.Model.Entity == "" || d.Model.Service == "" || len(d.Indexes) == 0 {
		return nil, errors.New("needs model.entity, model.service and indexes")
	}
	p, t := r.profile(), r.newTable(d.Table, "electro")
	i := slices.IndexFunc(p.Tables, func(other *draft.Table) bool { return other.Name == t.Name })
	if i >= 0 {
		t = p.Tables[i]
	} else {
		r.setName(d.Model.Service)
	}
	for _, id := range d.sortedIndexes() {
		if err := d.addIndex(r, t, id); err != nil {
			return nil, err
		}
	}
	if t.PartitionKey.Name == "" {
		return nil, errors.New("the entity needs a primary index, which has no index: field")
	}
	if i < 0 {
		p.Tables = append(p.Tables, t)
	}
	e := d.entity(t)
	if p.Entity(e.Name) != nil {
		return nil, fmt.Errorf("duplicate entity %s", e.Name)
	}
	p.Entities = append(p.Entities, e)
	return t, nil
}

func (d electroEntity) sortedIndexes() []string {
	ids := slices.Sorted(maps.Keys(d.Indexes))
	slices.SortStableFunc(ids, func(a, b string) int { return strings.Compare(d.Indexes[a].Index, d.Indexes[b].Index) })
	return ids
}

func (d electroEntity) addIndex(r *reader, t *draft.Table, id string) error {
	x := d.Indexes[id]
	if x.PK == nil {
		return fmt.Errorf("index %s has no pk", id)
	}
	key := func(k *electroKey) models.Key {
		if k == nil {
			return models.Key{}
		}
		return keyOf(k.Field, electroTypes[k.Cast])
	}
	pk, sk := key(x.PK), key(x.SK)
	if x.Index == "" {
		if t.PartitionKey.Name != "" && (t.PartitionKey != pk || t.SortKey != sk) {
			return fmt.Errorf("its primary key differs from the key of another entity in table %s", t.Name)
		}
		t.PartitionKey, t.SortKey = pk, sk
		return nil
	}
	if t.Index(x.Index) != nil {
		return nil
	}
	index := &models.Index{Name: x.Index, Label: id, PartitionKeys: models.KeyList(pk), SortKeys: models.KeyList(sk)}
	if x.Type == "composite" {
		index.PartitionKeys, index.SortKeys = d.compositeKeys(x.PK), d.compositeKeys(x.SK)
	}
	setProjection(index, x.Projection, "keys_only", d.field)
	r.addIndex(t, index)
	return nil
}

func (d electroEntity) compositeKeys(k *electroKey) (list []models.Key) {
	if k == nil {
		return nil
	}
	for _, name := range k.Composite {
		t := models.TypeS
		if d.Attributes[name].Type == "number" {
			t = models.TypeN
		}
		list = append(list, keyOf(d.field(name), t))
	}
	return list
}

func (d electroEntity) field(name string) string {
	if a := d.Attributes[name]; a.Field != "" {
		return a.Field
	}
	return name
}

func (d electroEntity) entity(t *draft.Table) *draft.Entity {
	e := &draft.Entity{Name: draft.Pascal(d.Model.Entity), Table: t.ID, Source: d.Model.Service + "." + d.Model.Entity}
	for _, id := range d.sortedIndexes() {
		x := d.Indexes[id]
		if x.Type == "composite" {
			continue
		}
		if x.Condition != nil {
			e.Notes = append(e.Notes, draft.CheckNote("the condition of index %s is a function, which cannot be imported", x.Index))
		}
		d.addKey(e, x, x.PK, d.partitionPrefix(x), true)
		d.addKey(e, x, x.SK, d.sortPrefix(x), false)
	}
	for _, name := range slices.Sorted(maps.Keys(d.Attributes)) {
		stored := d.field(name)
		if slices.ContainsFunc(e.Keys, func(k draft.Key) bool { return k.Attribute == stored }) {
			continue
		}
		a := electroAttributeDraft(name, d.Attributes[name])
		if stored != name {
			a.Description = "property " + name
		}
		e.Attributes = append(e.Attributes, a)
	}
	e.Equals = draft.Map{{Key: "__edb_e__", Value: d.Model.Entity}}
	for name, value := range map[string]string{"__edb_e__": d.Model.Entity, "__edb_v__": fmt.Sprint(d.Model.Version)} {
		e.Attributes = append(e.Attributes, &draft.Attribute{Attribute: models.Attribute{
			Name: name, Type: models.TypeS, Required: true, Enum: []string{value}, Documented: true,
		}})
	}
	slices.SortStableFunc(e.Attributes, func(a, b *draft.Attribute) int {
		return strings.Compare(strings.TrimLeft(a.Name, "_"), strings.TrimLeft(b.Name, "_"))
	})
	return e
}

func (d electroEntity) partitionPrefix(x electroIndex) string {
	prefix := "$" + d.Model.Service
	if x.Scope != "" {
		prefix += "_" + x.Scope
	}
	return prefix
}

// sortPrefix omits the entity in a clustered index, because there addKey writes it after the attributes.
func (d electroEntity) sortPrefix(x electroIndex) string {
	entity := d.Model.Entity + "_" + fmt.Sprint(d.Model.Version)
	switch {
	case len(x.Collection) == 0:
		return "$" + entity
	case x.Type == "clustered":
		return "$" + strings.Join(x.Collection, "#")
	}
	return "$" + strings.Join(x.Collection, "#") + "#" + entity
}

// addKey applies the casing. By default ElectroDB writes lowercase keys, and ddbdesk must produce the same bytes.
func (d electroEntity) addKey(e *draft.Entity, x electroIndex, k *electroKey, prefix string, isPartition bool) {
	if k == nil || slices.ContainsFunc(e.Keys, func(have draft.Key) bool { return have.Attribute == k.Field }) {
		return
	}
	composite := k.Composite
	applyCasing := func(s string) string {
		switch k.Casing {
		case "none":
			return s
		case "upper":
			return strings.ToUpper(s)
		}
		return strings.ToLower(s)
	}
	placeholder := func(name string) string { return d.placeholder(e, k, name) }
	template, declared := "", k.Template
	if composite == nil && declared == "" {
		composite = k.Facets
		if text := firstOf(k.Facets); strings.Contains(text, "${") {
			declared = text
		}
	}
	switch {
	case declared == "${"+firstOf(composite)+"}" && k.Field == d.field(firstOf(composite)): // the attribute itself is the key
		return
	case declared != "":
		at := 0
		for _, ref := range oneTableRef().FindAllStringIndex(declared, -1) {
			template += applyCasing(declared[at:ref[0]]) + placeholder(declared[ref[0]+2:ref[1]-1])
			at = ref[1]
		}
		template += applyCasing(declared[at:])
	case k.Field == d.field(firstOf(composite)): // the attribute itself is the key
		return
	default:
		template = applyCasing(prefix)
		for _, name := range composite {
			template += applyCasing("#"+name+"_") + placeholder(name)
		}
		if !isPartition && x.Type == "clustered" && len(x.Collection) > 0 {
			template += applyCasing("#" + d.Model.Entity + "_" + fmt.Sprint(d.Model.Version))
		}
	}
	e.Keys = append(e.Keys, draft.Key{Attribute: k.Field, Template: template})
}

func (d electroEntity) placeholder(e *draft.Entity, k *electroKey, name string) string {
	stored, format := d.field(name), ""
	if stored == k.Field { // ElectroDB stores the attribute only in its key
		stored += "Value"
		if e.Attribute(stored) == nil {
			e.Attributes = append(e.Attributes, &draft.Attribute{
				Attribute: models.Attribute{Name: stored, Type: models.TypeS, KeyOnly: true},
				Note:      "the attribute " + name + ", which is only in the key",
			})
		}
	}
	switch a := d.Attributes[name]; {
	case a.Padding != nil && a.Padding.Char == "0" && a.Type == "number":
		format = fmt.Sprintf(":%02dd", a.Padding.Length)
	case a.Type == "number" || a.Type == "boolean" || k.Casing == "none":
	case k.Casing == "upper":
		format = ":upper"
	default:
		format = ":lower"
	}
	return "{" + stored + format + "}"
}

func firstOf(list []string) string {
	if len(list) == 1 {
		return list[0]
	}
	return ""
}

var electroTypes = map[string]models.Type{
	"string": models.TypeS, "number": models.TypeN, "boolean": models.TypeBOOL, "map": models.TypeM, "list": models.TypeL,
	"set": models.TypeSS,
}

func electroNested(properties map[string]electroAttribute) (list []*draft.Attribute) {
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		list = append(list, electroAttributeDraft(name, properties[name]))
	}
	return list
}

func electroAttributeDraft(name string, d electroAttribute) *draft.Attribute {
	a := &draft.Attribute{Attribute: models.Attribute{Name: cmp.Or(d.Field, name), Required: d.Required, Documented: true}}
	if enum, ok := d.Type.([]any); ok {
		a.Type = models.TypeS
		for _, v := range enum {
			a.Enum = append(a.Enum, fmt.Sprint(v))
		}
		return a
	}
	a.Type = electroTypes[fmt.Sprint(d.Type)]
	a.GuessSensitivity(name)
	switch a.Type {
	case models.TypeS, models.TypeN, models.TypeBOOL:
	case models.TypeM:
		a.Undocumented = len(d.Properties) == 0
		a.Nested = electroNested(d.Properties)
	case models.TypeL:
		var items electroAttribute
		if m, ok := d.Items.(map[string]any); ok && remarshal(m, &items) == nil {
			a.Items, a.Nested = electroTypes[fmt.Sprint(items.Type)], electroNested(items.Properties)
		}
	case models.TypeSS:
		if d.Items == "number" {
			a.Type = models.TypeNS
		}
	default:
		a.Type, a.Note = models.TypeS, draft.CheckNote("can have any type")
	}
	return a
}
