package interchange

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/internal/placed"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// Write returns a schema in the file format. omitted describes the parts that the format cannot express, such as "3
// actions". It returns an error if the format is read-only or cannot represent the schema at all.
func (f *Format) Write(p *profiles.Profile) (text []byte, omitted []string, err error) {
	if f.write == nil {
		return nil, nil, fmt.Errorf("%s cannot be written", f.Name)
	}
	text, err = f.write(p)
	if err != nil {
		return nil, nil, err
	}
	omitted, err = f.lostFeatures(p, text)
	return text, omitted, err
}

func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}

func projection(x *models.Index) string {
	if x.Projection == models.ProjectionUnknown {
		return string(models.ProjectionAll)
	}
	return string(x.Projection)
}

// writeCloudFormation sets a deletion policy that retains the tables, so that deleting the stack loses no data.
func writeCloudFormation(p *profiles.Profile) ([]byte, error) {
	var b strings.Builder
	title := placed.InlineScalar(models.Printable("Tables of " + cmp.Or(p.Title, p.Name)))
	fmt.Fprintf(&b, "AWSTemplateFormatVersion: \"2010-09-09\"\nDescription: %s\n", title)
	if len(p.Variables) > 0 {
		b.WriteString("Parameters:\n")
	}
	ids, parameters := map[string]bool{}, map[string]string{}
	for _, v := range p.Variables {
		parameters[v.Name] = addUnique(ids, draft.Pascal(v.Name))
		fmt.Fprintf(&b, "  %s: {Type: String, Default: %q}\n", parameters[v.Name], v.Default)
	}
	b.WriteString("Resources:\n")
	for _, t := range p.Tables {
		fmt.Fprintf(&b, "  %s:\n    Type: AWS::DynamoDB::Table\n", addUnique(ids, strings.TrimSuffix(draft.Pascal(t.ID), "Table")+"Table"))
		b.WriteString("    DeletionPolicy: Retain\n    UpdateReplacePolicy: Retain\n    Properties:\n")
		source := p.TableSource(t)
		name := variableText().ReplaceAllStringFunc(source, func(v string) string { return "${" + parameters[v[1:len(v)-1]] + "}" })
		if name == source {
			fmt.Fprintf(&b, "      TableName: %s\n", quoted(name))
		} else {
			fmt.Fprintf(&b, "      TableName: !Sub %q\n", name)
		}
		b.WriteString("      BillingMode: PAY_PER_REQUEST\n")
		if t.Stream != "" {
			fmt.Fprintf(&b, "      StreamSpecification: {StreamViewType: %s}\n", t.Stream)
		}
		b.WriteString("      AttributeDefinitions:\n")
		for _, k := range t.KeyAttributes() {
			fmt.Fprintf(&b, "        - {AttributeName: %s, AttributeType: %s}\n", quoted(k.Name), k.Type)
		}
		schema := func(indent string, partition, sort []models.Key) {
			fmt.Fprintf(&b, "%sKeySchema:\n", indent)
			for _, k := range partition {
				fmt.Fprintf(&b, "%s  - {AttributeName: %s, KeyType: HASH}\n", indent, quoted(k.Name))
			}
			for _, k := range sort {
				fmt.Fprintf(&b, "%s  - {AttributeName: %s, KeyType: RANGE}\n", indent, quoted(k.Name))
			}
		}
		partition, sort := t.KeysOf(nil)
		schema("      ", partition, sort)
		writeIndexes := func(property string, local bool) {
			for _, x := range t.Indexes {
				if x.Local != local {
					continue
				}
				if property != "" {
					fmt.Fprintf(&b, "      %s:\n", property)
					property = "" // written once, above the first index
				}
				fmt.Fprintf(&b, "        - IndexName: %s\n", quoted(x.Name))
				schema("          ", x.PartitionKeys, x.SortKeys)
				fmt.Fprintf(&b, "          Projection:\n            ProjectionType: %s\n", projection(x))
				if x.Projection == models.ProjectionInclude {
					b.WriteString("            NonKeyAttributes:\n")
					for _, a := range x.Include {
						fmt.Fprintf(&b, "              - %s\n", quoted(a))
					}
				}
			}
		}
		writeIndexes("GlobalSecondaryIndexes", false)
		writeIndexes("LocalSecondaryIndexes", true)
		if t.TTL != "" {
			fmt.Fprintf(&b, "      TimeToLiveSpecification: {AttributeName: %s, Enabled: true}\n", quoted(t.TTL))
		}
	}
	return []byte(b.String()), nil
}

func addUnique(previous map[string]bool, name string) string {
	unique := name
	for n := 2; previous[unique]; n++ {
		unique = name + strconv.Itoa(n)
	}
	previous[unique] = true
	return unique
}

// quoted returns a name as a YAML 1.1 scalar, as CloudFormation reads on as true.
func quoted(name string) string {
	if plainName().MatchString(name) && !boolWord().MatchString(name) {
		return placed.InlineScalar(name)
	}
	return fmt.Sprintf("%q", name)
}

var plainName = models.LazyRegexp(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// boolWord matches the Boolean values of YAML 1.1: https://yaml.org/type/bool.html
var boolWord = models.LazyRegexp(`^(?i:y|yes|n|no|true|false|on|off)$`)

// variableText matches the variables in a table name.
var variableText = models.LazyRegexp(`\{[^{}]*\}`)

func writeTerraform(p *profiles.Profile) ([]byte, error) {
	var b strings.Builder
	snake := func(name string) string { return strings.ReplaceAll(draft.Kebab(name), "-", "_") }
	ids, variables := map[string]bool{}, map[string]string{}
	for _, v := range p.Variables {
		variables[v.Name] = addUnique(ids, snake(v.Name))
		fmt.Fprintf(&b, "variable %q {\n  type = string\n  default = %s\n}\n\n", variables[v.Name], hcl(v.Default))
	}
	ids = map[string]bool{}
	for i, t := range p.Tables {
		name := variableText().ReplaceAllStringFunc(hcl(p.TableSource(t)),
			func(v string) string { return "${var." + variables[v[1:len(v)-1]] + "}" })
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "resource \"aws_dynamodb_table\" %q {\n  name = %s\n  billing_mode = \"PAY_PER_REQUEST\"\n",
			addUnique(ids, snake(t.ID)), name)
		fmt.Fprintf(&b, "  hash_key = %s\n", hcl(t.PartitionKey.Name))
		if t.SortKey.Name != "" {
			fmt.Fprintf(&b, "  range_key = %s\n", hcl(t.SortKey.Name))
		}
		if t.Stream != "" {
			fmt.Fprintf(&b, "\n  stream_enabled = true\n  stream_view_type = %q\n", t.Stream)
		}
		for _, k := range t.KeyAttributes() {
			fmt.Fprintf(&b, "\n  attribute {\n    name = %s\n    type = %q\n  }\n", hcl(k.Name), k.Type)
		}
		for _, x := range t.Indexes {
			kind := map[bool]string{false: "global", true: "local"}[x.Local]
			fmt.Fprintf(&b, "\n  %s_secondary_index {\n    name = %s\n%s", kind, hcl(x.Name), terraformKey(x))
			fmt.Fprintf(&b, "    projection_type = %q\n", projection(x))
			if x.Projection == models.ProjectionInclude {
				names := models.MapSlice(x.Include, hcl)
				fmt.Fprintf(&b, "    non_key_attributes = [%s]\n", strings.Join(names, ", "))
			}
			b.WriteString("  }\n")
		}
		if t.TTL != "" {
			fmt.Fprintf(&b, "\n  ttl {\n    attribute_name = %s\n    enabled = true\n  }\n", hcl(t.TTL))
		}
		b.WriteString("\n  lifecycle {\n    prevent_destroy = true\n  }\n}\n")
	}
	return []byte(alignArguments(b.String())), nil
}

// alignArguments aligns the equals signs: https://developer.hashicorp.com/terraform/language/style#code-formatting
func alignArguments(text string) string {
	lines := strings.Split(text, "\n")
	name := func(line string) (string, bool) {
		before, _, ok := strings.Cut(line, " = ")
		return before, ok && !strings.ContainsAny(strings.TrimSpace(before), ` "{`)
	}
	for from := 0; from < len(lines); from++ {
		to, width := from, 0
		for ; to < len(lines); to++ {
			before, ok := name(lines[to])
			if !ok {
				break
			}
			width = max(width, len(before))
		}
		for i := from; i < to; i++ {
			before, after, _ := strings.Cut(lines[i], " = ")
			lines[i] = before + strings.Repeat(" ", width-len(before)) + " = " + after
		}
		from = max(from, to)
	}
	return strings.Join(lines, "\n")
}

// terraformKey follows https://registry.terraform.io/providers/hashicorp/aws/latest/docs/resources/dynamodb_table.
func terraformKey(x *models.Index) string {
	var b strings.Builder
	if max(len(x.PartitionKeys), len(x.SortKeys)) > 1 {
		for _, k := range x.KeyAttributes() {
			kind := "HASH"
			if models.KeyPosition(x.SortKeys, k.Name) >= 0 {
				kind = "RANGE"
			}
			fmt.Fprintf(&b, "    key_schema {\n      attribute_name = %s\n      key_type = %q\n    }\n", hcl(k.Name), kind)
		}
		return b.String()
	}
	if !x.Local { // A local index uses the table's partition key.
		fmt.Fprintf(&b, "    hash_key = %s\n", hcl(x.PartitionKeys[0].Name))
	}
	for _, k := range x.SortKeys {
		fmt.Fprintf(&b, "    range_key = %s\n", hcl(k.Name))
	}
	return b.String()
}

// hcl quotes text literally: https://developer.hashicorp.com/terraform/language/expressions/strings
func hcl(text string) string {
	return strings.NewReplacer("${", "$${", "%{", "%%{").Replace(fmt.Sprintf("%q", text))
}

// writeWorkbench writes version 3.0. The dates are constant, so that equal schemas produce equal files.
func writeWorkbench(p *profiles.Profile) ([]byte, error) {
	type document struct {
		ModelName     string
		ModelMetadata map[string]string
		DataModel     []workbenchTable
	}
	d := document{ModelName: p.Title, ModelMetadata: map[string]string{
		"Author": "ddbdesk", "DateCreated": "Jan 01, 2026, 12:00 AM", "DateLastModified": "Jan 01, 2026, 12:00 AM",
		"Description": p.Description, "AWSService": "Amazon DynamoDB", "Version": "3.0",
	}}
	d.ModelName = cmp.Or(d.ModelName, p.Name)
	keyAttributes := func(pk, sk models.Key) workbenchKeys {
		keys := workbenchKeys{PartitionKey: workbenchKey{pk.Name, string(pk.Type)}}
		if sk.Name != "" {
			keys.SortKey = &workbenchKey{sk.Name, string(sk.Type)}
		}
		return keys
	}
	for _, t := range p.Tables {
		w := workbenchTable{
			TableName: t.Name, KeyAttributes: keyAttributes(t.PartitionKey, t.SortKey),
			DataAccess:  map[string]any{"MySql": map[string]any{}},
			BillingMode: "PAY_PER_REQUEST",
		}
		previous := map[string]bool{t.PartitionKey.Name: true, t.SortKey.Name: true}
		add := func(name string, kind models.Type) {
			if !previous[name] {
				previous[name] = true
				w.NonKeyAttributes = append(w.NonKeyAttributes, workbenchKey{name, string(kind)})
			}
		}
		for _, x := range t.Indexes {
			if max(len(x.PartitionKeys), len(x.SortKeys)) > 1 {
				return nil, fmt.Errorf("table %s: index %s has a key of several attributes, which a NoSQL Workbench model cannot have; "+
					"export to another format", t.ID, x.Name)
			}
			sort := append(slices.Clip(x.SortKeys), models.Key{})[0]
			index := workbenchIndex{IndexName: x.Name, KeyAttributes: keyAttributes(x.PartitionKeys[0], sort)}
			index.Projection.ProjectionType = projection(x)
			if x.Projection == models.ProjectionInclude {
				index.Projection.NonKeyAttributes = x.Include
			}
			if x.Local {
				w.LocalSecondaryIndexes = append(w.LocalSecondaryIndexes, index)
			} else {
				w.GlobalSecondaryIndexes = append(w.GlobalSecondaryIndexes, index)
			}
			for _, k := range x.KeyAttributes() {
				add(k.Name, k.Type)
			}
		}
		for _, e := range p.EntitiesOf(t) {
			facet := workbenchFacet{FacetName: e.Name}
			alias := func(k models.Key) string { // keep the braces, so that an import recognizes the placeholders
				if template, ok := e.KeyTemplate(k.Name); ok && !template.IsOneWay() {
					return withoutMapNames(p, template)
				}
				return ""
			}
			facet.KeyAttributeAlias.PartitionKeyAlias = alias(t.PartitionKey)
			facet.KeyAttributeAlias.SortKeyAlias = alias(t.SortKey)
			for _, a := range e.Attributes {
				if !a.KeyOnly && a.Name != t.PartitionKey.Name && a.Name != t.SortKey.Name {
					add(a.Name, a.Type)
					facet.NonKeyAttributes = append(facet.NonKeyAttributes, a.Name)
				}
			}
			w.TableFacets = append(w.TableFacets, facet)
		}
		d.DataModel = append(d.DataModel, w)
	}
	return indented(d)
}

// withoutMapNames returns the text of a template without map names, because no other format supports maps.
func withoutMapNames(p *profiles.Profile, t models.Template) string {
	text := t.String()
	for name := range p.ValueMaps {
		text = strings.ReplaceAll(text, ":"+name+"}", "}")
	}
	return text
}

// schemaFieldTypes maps attribute types to the types in schema.json.
var schemaFieldTypes = map[models.Type]string{
	models.TypeS: "string", models.TypeB: "string", models.TypeN: "decimal", models.TypeBOOL: "boolean", models.TypeM: "object",
	models.TypeL: "array", models.TypeSS: "array", models.TypeNS: "array", models.TypeBS: "array", models.TypeNULL: "string",
}

func writeAWSSchema(p *profiles.Profile) ([]byte, error) {
	var d struct {
		Tables []schemaTable `json:"tables"`
	}
	id := 0
	for _, t := range p.Tables {
		w := schemaTable{Entities: map[string]*schemaEntity{}}
		w.Config.Name, w.Config.PartitionKey, w.Config.SortKey = t.Name, t.PartitionKey.Name, t.SortKey.Name
		for _, x := range t.Indexes {
			index := schemaIndex{
				Name: x.Name, PartitionKey: namesOf(x.PartitionKeys), SortKey: namesOf(x.SortKeys), Projection: projection(x),
			}
			if x.Projection == models.ProjectionInclude {
				index.Included = x.Include
			}
			w.Indexes = append(w.Indexes, index)
		}
		for _, e := range p.EntitiesOf(t) {
			if name := unreadablePlaceholder(e); name != "" {
				return nil, fmt.Errorf("entity %s: the name %q cannot be in a key template of an aws-schema file; export to another format",
					e.Name, name)
			}
			w.Entities[e.Name] = exportedEntity(p, t, e, &id)
		}
		d.Tables = append(d.Tables, w)
	}
	return indented(d)
}

// unreadablePlaceholder returns the name of a key part that no template of the format can contain, or "".
func unreadablePlaceholder(e *models.Entity) string {
	for _, k := range e.KeyNames() {
		t, _ := e.KeyTemplate(k)
		for _, name := range t.Placeholders() {
			if _, err := models.ParseTemplate("{"+name+"}", nil); err != nil || !isField(e, name) {
				return name
			}
		}
	}
	return ""
}

func isField(e *models.Entity, name string) bool {
	return slices.ContainsFunc(e.Attributes, func(a *models.Attribute) bool { return a.Name == name })
}

func exportedEntity(p *profiles.Profile, t *models.Table, e *models.Entity, id *int) *schemaEntity {
	template := func(k models.Key) string {
		source, ok := e.KeyTemplate(k.Name)
		if !ok || k.Name == "" {
			return ""
		}
		var b strings.Builder
		for _, s := range source.Segments() {
			if s.Name == "" {
				b.WriteString(s.Literal)
			} else {
				b.WriteString("{" + s.Name + "}")
			}
		}
		return b.String()
	}
	out := &schemaEntity{
		Type: strings.ToUpper(strings.ReplaceAll(draft.Kebab(e.Name), "-", "_")), PK: template(t.PartitionKey), SK: template(t.SortKey),
		Patterns: []schemaPattern{}, Fields: []schemaField{},
	}
	for _, x := range t.Indexes {
		m := schemaMapping{Name: x.Name, PK: models.MapSlice(x.PartitionKeys, template), SK: models.MapSlice(x.SortKeys, template)}
		if !slices.Contains(slices.Concat(m.PK, m.SK), "") {
			out.Mappings = append(out.Mappings, m)
		}
	}
	for _, a := range e.Attributes {
		f := schemaField{Name: a.Name, Type: schemaFieldTypes[a.Type], Required: a.Required}
		if a.Format == models.UUID && a.Prefix == "" {
			f.Type = "uuid"
		}
		if f.Type == "array" {
			f.ItemType = "string"
			if a.Items != "" {
				f.ItemType = schemaFieldTypes[a.Items]
			}
		}
		out.Fields = append(out.Fields, f)
	}
	for _, q := range p.Patterns {
		if len(q.Returns) == 0 || q.Returns[0] != e || q.Table != t {
			continue
		}
		if a, ok := exportedPattern(q); ok {
			*id++
			a.ID = *id
			out.Patterns = append(out.Patterns, a)
		}
	}
	return out
}

func exportedPattern(q *accesspatterns.Pattern) (schemaPattern, bool) {
	operations := map[accesspatterns.Operation]string{
		accesspatterns.Get: "GetItem", accesspatterns.Query: "Query", accesspatterns.Count: "Query", accesspatterns.Scan: "Scan",
	}
	operation, ok := operations[q.Read.Operation]
	a := schemaPattern{
		Name: strings.ReplaceAll(q.ID, "-", "_"), Description: q.Title, Operation: operation, Consistent: q.Read.Consistent,
		Parameters: []schemaParam{}, ReturnType: "entity_list",
	}
	if q.Read.Operation == accesspatterns.Get {
		a.ReturnType = "single_entity"
	}
	if q.Read.Index != nil {
		a.Index = q.Read.Index.Name
	}
	for _, c := range q.Read.Key {
		switch segs := c.Template.Segments(); {
		case c.Compare == accesspatterns.Range:
			a.Range = map[bool]string{true: "between", false: ">="}[!c.To.IsZero()]
			if c.From.IsZero() {
				a.Range = "<="
			}
		case c.Compare == accesspatterns.BeginsWith && segs[len(segs)-1].Name != "":
			a.Range = "begins_with"
		}
	}
	a.Filter = exportedFilter(q.Returns[0], q.Read.Filter)
	for _, param := range q.Params {
		kind := "string"
		if slices.Contains([]string{"number", "integer"}, string(param.Type)) {
			kind = "decimal"
		}
		a.Parameters = append(a.Parameters, schemaParam{param.Name, kind})
	}
	return a, ok
}

// exportedFilter omits conditions that the format cannot express.
func exportedFilter(e *models.Entity, list []accesspatterns.FilterCondition) *schemaFilter {
	f := &schemaFilter{}
	if len(list) == 1 && len(list[0].Any) > 0 {
		f.Logical, list = "OR", list[0].Any
	}
	for _, c := range list {
		out := schemaCondition{Field: c.Attribute, Operator: strings.ToLower(string(c.Compare))}
		if strings.Contains(out.Operator, "_") || out.Operator == "contains" {
			out.Operator, out.Function = "", out.Operator
		}
		params := c.Placeholders()
		plain := !slices.ContainsFunc(c.Values, func(t models.Template) bool {
			return len(t.Segments()) != 1 || t.Segments()[0].Name == ""
		})
		switch {
		case c.Size || len(c.Any) > 0 || !plain || !isField(e, c.Attribute):
			continue
		case c.Compare == accesspatterns.In:
			out.Params = params
		case len(params) > 1:
			out.Param2 = params[1]
			fallthrough
		case len(params) > 0:
			out.Param = params[0]
		}
		f.Conditions = append(f.Conditions, out)
	}
	if len(f.Conditions) == 0 {
		return nil
	}
	return f
}
