package interchange

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// features maps the kind and name of each schema feature to its definition.
type features map[string]map[string]string

// add ignores features that the schema does not use.
func (f features) add(kind, name string, args ...any) {
	text := strings.Trim(fmt.Sprint(args...), " []")
	if text == "" || text == "false" {
		return
	}
	if f[kind] == nil {
		f[kind] = map[string]string{}
	}
	f[kind][name] = text
}

// kindsOfTables contains the kinds of table features, and kindsOfItems all other kinds, in message order.
var (
	kindsOfTables = []string{"variable", "table key", "billing mode", "TTL attribute", "stream", "index", "index condition"}
	kindsOfItems  = []string{
		"entity", "entity condition", "key template", "key condition", "attribute", "required attribute",
		"key-only attribute", "format", "enum",
		"masked attribute", "reference", "equality", "title", "description", "pattern", "lifecycle", "action", "queue", "issue",
	}
)

func featuresOf(p *profiles.Profile) features {
	f := features{}
	for _, v := range p.Variables {
		f.add("variable", v.Name, v.Default)
	}
	for _, t := range p.Tables {
		f.add("table key", t.Name, t.PartitionKey, t.SortKey)
		f.add("TTL attribute", t.Name, t.TTL)
		f.add("stream", t.Name, t.Stream)
		f.add("billing mode", t.Name, t.Billing)
		f.add("description", t.Name, t.Description)
		for _, x := range t.Indexes {
			f.add("index", t.Name+" "+x.Name, x.PartitionKeys, x.SortKeys, x.Local, projection(x), x.Include)
			f.add("index condition", t.Name+" "+x.Name, x.Optional)
		}
	}
	for _, e := range p.Entities {
		f.add("entity", e.Name, e.Name)
		f.add("title", e.Name, e.Title)
		f.add("entity condition", e.Name, e.Has, e.Lacks, e.Is)
		for _, k := range e.KeyNames() {
			template, _ := e.KeyTemplate(k)
			f.add("key template", e.Name+"."+k, template)
			f.add("key condition", e.Name+"."+k, e.KeyCondition(k))
		}
		f.attributes(e.Name, e.Attributes)
	}
	for _, q := range p.Patterns {
		f.add("pattern", q.ID, signature(q))
	}
	for _, l := range p.Lifecycles {
		f.add("lifecycle", l.Name, l.Name)
	}
	for _, a := range p.Actions {
		f.add("action", a.ID, a.ID)
	}
	for _, q := range p.Queues {
		f.add("queue", q.ID, q.ID)
	}
	for _, x := range p.Findings {
		f.add("issue", x.ID, x.ID)
	}
	return f
}

func (f features) attributes(above string, list []*models.Attribute) {
	for _, a := range list {
		name := above + "." + a.Name
		f.add("attribute", name, a.Type, a.Items)
		f.add("required attribute", name, a.Required)
		f.add("key-only attribute", name, a.KeyOnly)
		f.add("format", name, a.Prefix, a.Format)
		f.add("enum", name, a.Enum)
		if a.Sensitive != models.NotSensitive {
			f.add("masked attribute", name, a.Sensitive)
		}
		f.add("reference", name, a.Refers)
		f.add("equality", name, a.Equals)
		f.add("title", name, a.Title)
		f.add("description", name, a.Description)
		f.attributes(name, a.Attributes)
	}
}

func signature(q *accesspatterns.Pattern) string {
	read, index, fanOut := q.Read, "", accesspatterns.FanOut{}
	if read.Index != nil {
		index = read.Index.Name
	}
	if read.FanOut != nil {
		fanOut = *read.FanOut
	}
	return fmt.Sprint(q.Table.Name, " ", index, " ", models.MapSlice(q.Returns, func(e *models.Entity) string { return e.Name }),
		q.PageSize, read.Operation,
		read.Descending, read.Consistent, read.Projection, fanOut, read.Key, read.Filter, len(q.Variants))
}

// maxNamed is the maximum number of features of one kind to name in a message. Patterns have no limit.
const maxNamed = 4

// lostFeatures reads the file back and returns the schema's features that the file lacks. It does not compare entities
// and patterns in table-only formats, because drafted ones would match by chance. It does not read Terraform back,
// because the import reads Terraform's output instead of its configuration.
func (f *Format) lostFeatures(p *profiles.Profile, text []byte) ([]string, error) {
	var actual features
	expected, present := featuresOf(p), slices.Concat(kindsOfTables, kindsOfItems)
	if f == &terraform {
		actual = maps.Clone(expected)
		actual["index condition"], actual["billing mode"] = nil, nil
	} else {
		in, err := f.Read([]File{{Name: p.Name, Text: text}}, Options{})
		if err != nil {
			return nil, err
		}
		reimported, err := profiles.Load(p.Name+".yaml", in.Profile.Text(), nil)
		if err != nil {
			return nil, err
		}
		actual = featuresOf(reimported)
	}
	if f == &terraform || f == &cloudFormation {
		present = kindsOfTables
	}
	var list, missing []string
	for _, kind := range slices.Concat(kindsOfTables, kindsOfItems) {
		var names []string
		for _, name := range slices.Sorted(maps.Keys(expected[kind])) {
			entity, _, _ := strings.Cut(name, ".")
			declared, same := expected[kind][name], slices.Contains(present, kind) && actual[kind][name] == expected[kind][name]
			if same || slices.Contains(missing, entity) || kind == "billing mode" && declared == "on-demand" {
				continue
			}
			names = append(names, name)
		}
		if kind == "entity" {
			missing = names
		}
		if n := len(names); n > 0 {
			plural := map[string]string{"index": "indexes", "entity": "entities"}[kind]
			text := english.Plural(n, kind, plural)
			if n <= maxNamed || kind == "pattern" && len(missing) == 0 {
				text += " (" + strings.Join(names, ", ") + ")"
			}
			list = append(list, text)
		}
	}
	return list, nil
}
