package interchange

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/models"
)

// awsSchema is the schema.json from which the AWS data modeling tools generate a data access layer, plus optional usage
// data. https://github.com/awslabs/mcp, src/dynamodb-mcp-server
var awsSchema = Format{
	Name: "aws-schema", Title: "AWS data access schema",
	Obtain: "pass the schema.json of the DynamoDB MCP server, then its usage data",
	recognizes: func(top map[string]any) bool {
		return firstTable(top)["table_config"] != nil || isUsageData(top)
	},
	read:  readAWSSchema,
	write: writeAWSSchema,
}

func firstTable(top map[string]any) map[string]any {
	list, _ := top["tables"].([]any)
	if len(list) == 0 {
		return nil
	}
	t, _ := list[0].(map[string]any)
	return t
}

func isUsageData(top map[string]any) bool {
	list, _ := top["entities"].(map[string]any)
	for _, e := range list {
		m, _ := e.(map[string]any)
		return m["sample_data"] != nil
	}
	return false
}

type schemaTable struct {
	Config struct {
		Name         string `json:"table_name"`
		PartitionKey string `json:"partition_key"`
		SortKey      string `json:"sort_key,omitempty"`
	} `json:"table_config"`
	Indexes  []schemaIndex            `json:"gsi_list,omitempty"`
	Entities map[string]*schemaEntity `json:"entities"`
}

type schemaIndex struct {
	Name         string   `json:"name"`
	PartitionKey oneOrAll `json:"partition_key"`
	SortKey      oneOrAll `json:"sort_key,omitempty"`
	Projection   string   `json:"projection,omitempty"`
	Included     []string `json:"included_attributes,omitempty"`
}

// oneOrAll is a name or a list of names.
type oneOrAll []string

// UnmarshalJSON implements json.Unmarshaler.
func (o *oneOrAll) UnmarshalJSON(text []byte) error {
	var one *string
	if err := json.Unmarshal(text, &one); err == nil {
		if one != nil {
			*o = oneOrAll{*one}
		}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(o))
}

// MarshalJSON implements json.Marshaler.
func (o oneOrAll) MarshalJSON() ([]byte, error) {
	if len(o) == 1 {
		return json.Marshal(o[0])
	}
	return json.Marshal([]string(o))
}

func (o oneOrAll) at(i int) string {
	if i >= len(o) {
		return ""
	}
	return o[i]
}

func namesOf(keys []models.Key) oneOrAll {
	return models.MapSlice(keys, func(k models.Key) string { return k.Name })
}

type schemaEntity struct {
	Type     string          `json:"entity_type"`
	PK       string          `json:"pk_template"`
	SK       string          `json:"sk_template,omitempty"`
	Mappings []schemaMapping `json:"gsi_mappings,omitempty"`
	Fields   []schemaField   `json:"fields"`
	Patterns []schemaPattern `json:"access_patterns"`
}

type schemaMapping struct {
	Name string   `json:"name"`
	PK   oneOrAll `json:"pk_template"`
	SK   oneOrAll `json:"sk_template,omitempty"`
}

type schemaField struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Required bool   `json:"required"`
	ItemType string `json:"item_type,omitempty"`
}

type schemaPattern struct {
	ID          any           `json:"pattern_id"`
	Name        string        `json:"name"`
	Description string        `json:"description"`
	Operation   string        `json:"operation"`
	Index       string        `json:"index_name,omitempty"`
	Range       string        `json:"range_condition,omitempty"`
	Consistent  bool          `json:"consistent_read,omitempty"`
	Parameters  []schemaParam `json:"parameters"`
	ReturnType  string        `json:"return_type"`
	Filter      *schemaFilter `json:"filter_expression,omitempty"`
}

type schemaParam struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

type schemaFilter struct {
	Conditions []schemaCondition `json:"conditions"`
	Logical    string            `json:"logical_operator,omitempty"`
}

type schemaCondition struct {
	Field    string   `json:"field"`
	Operator string   `json:"operator,omitempty"`
	Function string   `json:"function,omitempty"`
	Param    string   `json:"param,omitempty"`
	Param2   string   `json:"param2,omitempty"`
	Params   []string `json:"params,omitempty"`
}

// A schemaFile contains a schema or usage data.
type schemaFile struct {
	Tables   []schemaTable `json:"tables"`
	Cross    []any         `json:"cross_table_access_patterns"`
	Entities map[string]struct {
		Sample  map[string]any `json:"sample_data"`
		Others  map[string]any `json:"access_pattern_data"`
		Updates map[string]any `json:"update_data"` // new values in updates, which are not items
	} `json:"entities"`
}

func readAWSSchema(r *reader, f File) error {
	var d schemaFile
	if err := r.decode(f.Text, &d); err != nil {
		return err
	}
	for i, t := range d.Tables {
		if err := readSchemaTable(r, t); err != nil {
			return fmt.Errorf("tables[%d]: %w", i, err)
		}
	}
	if len(d.Cross) > 0 {
		r.warnf("%s of several tables were skipped; write them as actions", english.Plural(len(d.Cross), "access pattern", ""))
	}
	for _, name := range slices.Sorted(maps.Keys(d.Entities)) {
		e := r.profile().Entity(name)
		if e == nil {
			return fmt.Errorf("entity %q is not in the schema; pass the schema.json before its usage data", name)
		}
		for _, plain := range []map[string]any{d.Entities[name].Sample, d.Entities[name].Others} {
			if len(plain) == 0 {
				continue
			}
			it, err := plainItem(r.profile().Table(e.Table), e, plain)
			if err != nil {
				r.warnf("%s: sample data skipped: %v", name, err)
				continue
			}
			r.newItems(r.profile().Table(e.Table), []models.Item{it})
		}
	}
	return nil
}

func readSchemaTable(r *reader, d schemaTable) error {
	c := d.Config
	if c.Name == "" || c.PartitionKey == "" {
		return errors.New("table_config needs table_name and partition_key")
	}
	t := &draft.Table{Table: models.Table{ID: r.tableID(c.Name), Name: c.Name, Source: c.Name}}
	newKey := func(name string, template func(*schemaEntity) string) models.Key {
		return keyOf(name, d.keyType(template))
	}
	t.PartitionKey = newKey(c.PartitionKey, func(e *schemaEntity) string { return e.PK })
	t.SortKey = newKey(c.SortKey, func(e *schemaEntity) string { return e.SK })
	for _, x := range d.Indexes {
		index := &models.Index{Name: x.Name, Projection: models.Projection(x.Projection), Include: x.Included}
		if x.Projection == "" {
			index.Projection = models.ProjectionAll
		}
		for i, name := range x.PartitionKey {
			index.PartitionKeys = append(index.PartitionKeys,
				newKey(name, func(e *schemaEntity) string { return e.mapping(x.Name).PK.at(i) }))
		}
		for i, name := range x.SortKey {
			index.SortKeys = append(index.SortKeys, newKey(name, func(e *schemaEntity) string { return e.mapping(x.Name).SK.at(i) }))
		}
		r.addIndex(t, index)
	}
	p := r.profile()
	p.Tables = append(p.Tables, t)
	names := slices.Sorted(maps.Keys(d.Entities))
	for _, name := range names {
		e := d.Entities[name]
		p.Entities = append(p.Entities, schemaEntityDraft(t, name, e))
	}
	for _, name := range names {
		w := schemaPatterns{reader: r, table: t, name: name, entity: p.Entity(name)}
		for _, a := range d.Entities[name].Patterns {
			w.add(a)
		}
	}
	return nil
}

func (e *schemaEntity) mapping(index string) schemaMapping {
	for _, m := range e.Mappings {
		if m.Name == index {
			return m
		}
	}
	return schemaMapping{}
}

// keyType returns N if the template of every entity is a single numeric field, because the format has no key types.
func (d schemaTable) keyType(template func(*schemaEntity) string) models.Type {
	kind := models.TypeS
	for _, e := range d.Entities {
		if template(e) == "" {
			continue
		}
		name, ok := strings.CutPrefix(strings.TrimSuffix(template(e), "}"), "{")
		i := slices.IndexFunc(e.Fields, func(f schemaField) bool { return f.Name == name })
		if !ok || i < 0 || e.Fields[i].Type != "integer" && e.Fields[i].Type != "decimal" {
			return models.TypeS
		}
		kind = models.TypeN
	}
	return kind
}

var schemaTypes = map[string]models.Attribute{
	"string": {Type: models.TypeS}, "integer": {Type: models.TypeN}, "decimal": {Type: models.TypeN}, "boolean": {Type: models.TypeBOOL},
	"array": {Type: models.TypeL}, "object": {Type: models.TypeM, Undocumented: true}, "uuid": {Type: models.TypeS, Format: models.UUID},
}

func schemaEntityDraft(t *draft.Table, name string, d *schemaEntity) *draft.Entity {
	e := &draft.Entity{Name: name, Table: t.ID, Source: d.Type}
	addKey := func(attribute, template string) {
		if attribute != "" && template != "" && template != "{"+attribute+"}" && template != e.Template(attribute) {
			e.Keys = append(e.Keys, draft.Key{Attribute: attribute, Template: template})
		}
	}
	addKey(t.PartitionKey.Name, d.PK)
	addKey(t.SortKey.Name, d.SK)
	for _, x := range t.Indexes {
		m := d.mapping(x.Name)
		for i, k := range x.PartitionKeys {
			addKey(k.Name, m.PK.at(i))
		}
		for i, k := range x.SortKeys {
			addKey(k.Name, m.SK.at(i))
		}
	}
	for _, f := range d.Fields {
		if slices.ContainsFunc(e.Keys, func(k draft.Key) bool { return k.Attribute == f.Name }) {
			continue // the field repeats the key
		}
		a := &draft.Attribute{Attribute: schemaTypes[f.Type]}
		a.Name, a.Required, a.Documented = f.Name, f.Required, true
		if a.Type == "" {
			a.Type, a.Note = models.TypeS, draft.CheckNote("type %s", f.Type)
		}
		if a.Type == models.TypeL {
			a.Items = schemaTypes[f.ItemType].Type
		}
		a.GuessSensitivity(a.Name)
		e.Attributes = append(e.Attributes, a)
	}
	return e
}

// A schemaPatterns adds the patterns of one entity.
type schemaPatterns struct {
	*reader
	table  *draft.Table
	name   string
	entity *draft.Entity
}

func (w schemaPatterns) add(a schemaPattern) {
	q := &draft.Pattern{
		ID: draft.Kebab(a.Name), Title: models.Printable(a.Description), Table: w.table.ID, Returns: []string{w.name}, Documented: true,
		Source: []string{"pattern " + fmt.Sprint(a.ID)},
	}
	q.Title = cmp.Or(q.Title, a.Name)
	if q.Operation = operationWords[a.Operation]; q.Operation == "write" {
		q.Writes = a.Operation
	}
	if q.Operation == "" {
		w.warnf("pattern %s: operation %s was skipped", q.ID, models.Printable(a.Operation))
		return
	}
	if a.Index != "" && w.table.Index(a.Index) == nil {
		w.warnf("pattern %s was skipped: its index %s is not in the file, or was skipped", q.ID, models.Printable(a.Index))
		return
	}
	if q.Operation == "get" || q.Operation == "query" {
		w.setKeys(q, a)
	}
	if q.Operation == "query" || q.Operation == "scan" {
		w.setFilter(q, a.Filter)
	}
	index := w.table.Index(a.Index)
	switch {
	case !a.Consistent || q.Operation == "get": // A get is always consistent.
	case index != nil && !index.Local:
		q.NotInTheLanguage = append(q.NotInTheLanguage, "strongly consistent read, which a global index does not support")
	default:
		q.Consistent = true
	}
	w.addPattern(q)
}

func (r *reader) addPattern(q *draft.Pattern) {
	p, id := r.profile(), q.ID
	for n := 2; slices.ContainsFunc(p.Patterns, func(other *draft.Pattern) bool { return other.ID == q.ID }); n++ {
		q.ID = id + "-" + strconv.Itoa(n)
	}
	p.Patterns = append(p.Patterns, q)
}

func (w schemaPatterns) setKeys(q *draft.Pattern, a schemaPattern) {
	index := w.table.Index(a.Index)
	pk, sk := w.table.KeysOf(index)
	if index != nil {
		q.Index = index.Name
	}
	partition := ""
	for _, k := range pk {
		q.Key = append(q.Key, draft.Field{Key: k.Name, Value: w.entity.Template(k.Name)})
		partition += w.entity.Template(k.Name)
	}
	for _, k := range sk {
		if !w.setSortKey(q, a, k, partition) {
			return
		}
	}
}

// setSortKey sets the sort key's condition, and reports whether it is an equality that another condition may follow.
func (w schemaPatterns) setSortKey(q *draft.Pattern, a schemaPattern, sk models.Key, partition string) bool {
	template := w.entity.Template(sk.Name)
	if template == "" {
		return false
	}
	var keyParams, rangeParams []string
	for _, p := range a.Parameters {
		switch {
		case strings.Contains(partition, "{"+p.Name+"}"):
		case strings.Contains(template, "{"+p.Name+"}"):
			keyParams = append(keyParams, p.Name)
		case !w.filtersBy(a.Filter, p.Name):
			rangeParams = append(rangeParams, p.Name)
		}
	}
	prefix, nextName := prefixUpTo(template, keyParams)
	switch {
	case a.Range != "" && nextName != "" && len(rangeParams) > 0:
		q.Key = append(q.Key, draft.Field{Key: sk.Name, Value: w.rangeCondition(q, a, prefix, nextName, rangeParams)})
	case nextName == "" || q.Operation == "get":
		q.Key = append(q.Key, draft.Field{Key: sk.Name, Value: template})
	case prefix != "":
		q.Key = append(q.Key, draft.Field{Key: sk.Name, Value: draft.Map{{Key: "begins_with", Value: prefix}}})
	}
	if a.Range == "" && len(rangeParams) > 0 {
		q.NotInTheLanguage = append(q.NotInTheLanguage, "parameter "+strings.Join(rangeParams, ", "))
	}
	return nextName == ""
}

func prefixUpTo(template string, given []string) (prefix, next string) {
	rest := template
	for {
		head, tail, ok := strings.Cut(rest, "{")
		prefix += head
		if !ok {
			return prefix, ""
		}
		name, after, _ := strings.Cut(tail, "}")
		placeholder, _, _ := strings.Cut(name, ":")
		if !slices.Contains(given, placeholder) {
			return prefix, placeholder
		}
		prefix += "{" + name + "}"
		rest = after
	}
}

func (w schemaPatterns) rangeCondition(q *draft.Pattern, a schemaPattern, prefix, attribute string, params []string) draft.Map {
	if w.entity.Attribute(attribute) != nil {
		for _, p := range params {
			q.Define(p, w.name+"."+attribute)
		}
	}
	if a.Range == "begins_with" {
		return draft.Map{{Key: "begins_with", Value: prefix + "{" + params[0] + "}"}}
	}
	return rangeOf(q, a.Range, attribute, params)
}

// rangeOf replaces < and > with <= and >= and adds a note, because the schema language has only inclusive ranges.
func rangeOf(q *draft.Pattern, operator, attribute string, params []string) draft.Map {
	m := draft.Map{{Key: "range", Value: attribute}}
	if operator == "between" || !strings.HasPrefix(operator, "<") {
		m = append(m, draft.Field{Key: "from", Value: "{" + params[0] + "}"})
	}
	if operator == "between" || strings.HasPrefix(operator, "<") {
		m = append(m, draft.Field{Key: "to", Value: "{" + params[min(len(m)-1, len(params)-1)] + "}"})
	}
	if operator == "<" || operator == ">" {
		q.NotInTheLanguage = append(q.NotInTheLanguage, "the range excludes its bound ("+operator+")")
	}
	return m
}

func (w schemaPatterns) filtersBy(f *schemaFilter, name string) bool {
	if f == nil {
		return false
	}
	return slices.ContainsFunc(f.Conditions, func(c schemaCondition) bool {
		return c.Param == name || c.Param2 == name || slices.Contains(c.Params, name)
	})
}

// setFilter notes unsupported conditions. Silently omitting them would make the pattern return other rows.
func (w schemaPatterns) setFilter(q *draft.Pattern, f *schemaFilter) {
	if f == nil {
		return
	}
	var list []draft.Map
	for _, c := range f.Conditions {
		params := append(slices.DeleteFunc([]string{c.Param, c.Param2}, func(name string) bool { return name == "" }), c.Params...)
		m, ok := condition(c.Field, c.Operator+c.Function, params, func(name string) {
			if w.entity.Attribute(name) == nil && w.entity.Attribute(c.Field) != nil {
				q.Define(name, w.name+"."+c.Field)
			}
		})
		if !ok {
			q.NotInTheLanguage = append(q.NotInTheLanguage, "condition "+models.Printable(c.Operator+c.Function)+" on "+c.Field)
			if f.Logical == "OR" {
				return // The remaining alternatives alone would omit rows.
			}
			continue
		}
		list = append(list, m)
	}
	if q.Filter = list; f.Logical == "OR" && len(list) > 1 {
		q.Filter = []draft.Map{{{Key: "any", Value: list}}}
	}
}

// operationWords maps DynamoDB operations to words in the schema language.
var operationWords = map[string]string{
	"GetItem": "get", "Query": "query", "Scan": "scan", "PutItem": "write", "UpdateItem": "write", "DeleteItem": "write",
	"BatchWriteItem": "write", "TransactWriteItems": "write",
}

// filterWords maps operators to the filter words for their parameters.
var filterWords = map[string][]string{
	"=": {"equals"}, "<>": {"differs"}, ">": {"gt"}, "<": {"lt"}, ">=": {"from"}, "<=": {"to"}, "between": {"from", "to"},
	"begins_with": {"begins_with"}, "contains": {"contains"},
}

// condition defines the parameters of a filter condition. It returns false for an unsupported operator.
func condition(attribute, operator string, params []string, define func(name string)) (draft.Map, bool) {
	m := draft.Map{{Key: "attribute", Value: attribute}}
	words := filterWords[operator]
	switch {
	case operator == "attribute_exists", operator == "attribute_not_exists":
		return append(m, draft.Field{Key: "exists", Value: operator == "attribute_exists"}), true
	case len(params) == 0 || operator != "in" && len(words) != len(params):
		return nil, false
	}
	values := make([]string, len(params))
	for i, name := range params {
		define(name)
		if values[i] = "{" + name + "}"; operator != "in" {
			m = append(m, draft.Field{Key: words[i], Value: values[i]})
		}
	}
	if operator == "in" {
		m = append(m, draft.Field{Key: "in", Value: values})
	}
	return m, true
}
