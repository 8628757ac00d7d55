// This file describes a profile for `schema show` and `pattern list`: the
// shapes that scripts rely on.

package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

type profileJSON struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Source      string          `json:"source"`
	Guardrails  guardrailsJSON  `json:"guardrails"`
	Variables   []variableJSON  `json:"variables"`
	Tables      []tableJSON     `json:"tables"`
	Entities    []entityJSON    `json:"entities"`
	Lifecycles  []lifecycleJSON `json:"lifecycles"`
	Flags       []lifecycleJSON `json:"flags"` // lifecycles of a boolean: on and off
	Patterns    []patternJSON   `json:"patterns"`
	Actions     []actionJSON    `json:"actions"`
	Findings    []findingJSON   `json:"findings"`
}

type guardrailsJSON struct {
	Regions    []string `json:"regions"`
	Production []string `json:"production"`
	Retention  string   `json:"retention,omitempty"`
	Notes      []string `json:"notes,omitempty"`
}

type variableJSON struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Default string `json:"default"`
}

type keyJSON struct {
	Name string      `json:"name"`
	Type models.Type `json:"type"`
}

type tableJSON struct {
	ID           string      `json:"id"`
	Name         string      `json:"name"`
	PartitionKey keyJSON     `json:"partitionKey"`
	SortKey      *keyJSON    `json:"sortKey"`
	TTL          string      `json:"ttl,omitempty"`
	Indexes      []indexJSON `json:"indexes"`
}

type indexJSON struct {
	Name         string            `json:"name"`
	PartitionKey keyJSON           `json:"partitionKey"`
	SortKey      *keyJSON          `json:"sortKey"`
	Projection   models.Projection `json:"projection"`
	Optional     bool              `json:"optional"`
}

type entityJSON struct {
	Name       string            `json:"name"`
	Title      string            `json:"title"`
	Table      string            `json:"table"`
	Keys       map[string]string `json:"keys"`
	Attributes []attributeJSON   `json:"attributes"`
	Findings   []string          `json:"findings"`
}

type attributeJSON struct {
	Name        string             `json:"name"`
	Type        models.Type        `json:"type"`
	Required    bool               `json:"required"`
	Format      models.Format      `json:"format,omitempty"`
	Prefix      string             `json:"prefix,omitempty"`
	Enum        []string           `json:"enum,omitempty"`
	Open        bool               `json:"open,omitempty"`
	Sensitive   models.Sensitivity `json:"sensitive,omitempty"`
	KeyOnly     bool               `json:"keyOnly,omitempty"`
	Documented  bool               `json:"documented"`
	Description string             `json:"description,omitempty"`
	Attributes  []attributeJSON    `json:"attributes,omitempty"`
}

type lifecycleJSON struct {
	Name        string           `json:"name"`
	Entity      string           `json:"entity"`
	Attribute   string           `json:"attribute"`
	States      []stateJSON      `json:"states"`
	Transitions []transitionJSON `json:"transitions"`
}

type stateJSON struct {
	Name    string           `json:"name"`
	Label   string           `json:"label"`
	Kind    models.StateKind `json:"kind"`
	Initial bool             `json:"initial,omitempty"`
}

type transitionJSON struct {
	Name       string   `json:"name,omitempty"`
	From       []string `json:"from"`
	To         string   `json:"to"`
	Documented bool     `json:"documented"`
}

type patternJSON struct {
	ID         string       `json:"id"`
	Title      string       `json:"title"`
	Kind       string       `json:"kind"`
	Operation  string       `json:"operation"`
	Table      string       `json:"table"`
	Index      *string      `json:"index"`
	Parameters []paramJSON  `json:"parameters"`
	Documented bool         `json:"documented"`
	Source     []string     `json:"source"`
	Safe       string       `json:"safe,omitempty"`
	Writes     *writesJSON  `json:"writes,omitempty"`
	Finding    *findingJSON `json:"finding"`
	Caveats    []string     `json:"caveats"` // further findings, by id
}

// writesJSON is what the document says of a write.
type writesJSON struct {
	Sets      []string `json:"sets"`
	Condition string   `json:"condition,omitempty"`
}

type paramJSON struct {
	Name     string                   `json:"name"`
	Type     accesspatterns.ParamType `json:"type"`
	Required bool                     `json:"required"`
	Default  *string                  `json:"default"`
	Enum     []string                 `json:"enum,omitempty"`
}

type findingJSON struct {
	ID        string                     `json:"id"`
	Kind      accesspatterns.FindingKind `json:"kind"`
	Title     string                     `json:"title,omitempty"`
	Text      string                     `json:"text"`
	Behaviour string                     `json:"behaviour"`
	Source    string                     `json:"source,omitempty"`
	Patterns  []string                   `json:"patterns,omitempty"`
	Entities  []string                   `json:"entities,omitempty"`
	Tables    []string                   `json:"tables,omitempty"`
}

func itoa(n int) string { return strconv.Itoa(n) }

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func describeProfile(p *profiles.Profile) profileJSON {
	out := profileJSON{
		Name: p.Name, Title: p.Title, Description: p.Description, Source: p.Source,
		Guardrails: guardrailsJSON{orEmpty(p.Guardrails.Regions), orEmpty(p.Guardrails.Production), p.Guardrails.Retention, p.Guardrails.Notes},
		Variables:  []variableJSON{}, Lifecycles: []lifecycleJSON{}, Flags: []lifecycleJSON{}, Findings: []findingJSON{}, Actions: describeActions(p),
	}
	for _, v := range p.Variables {
		out.Variables = append(out.Variables, variableJSON{v.Name, v.Value, v.Default})
	}
	for _, t := range p.Tables {
		out.Tables = append(out.Tables, describeTable(t))
	}
	for _, e := range p.Entities {
		out.Entities = append(out.Entities, describeEntity(p, e))
	}
	for _, l := range p.Lifecycles {
		if a := l.Entity.Attribute(l.Attribute); a != nil && a.Type == models.TypeBOOL {
			out.Flags = append(out.Flags, describeLifecycle(l))
			continue
		}
		out.Lifecycles = append(out.Lifecycles, describeLifecycle(l))
	}
	out.Patterns = describePatterns(p)
	for _, f := range p.Findings {
		out.Findings = append(out.Findings, *describeFinding(f))
	}
	return out
}

func describeKey(k models.Key) *keyJSON {
	if k.Name == "" {
		return nil
	}
	return &keyJSON{k.Name, k.Type}
}

func describeTable(t *models.Table) tableJSON {
	out := tableJSON{ID: t.ID, Name: t.Name, PartitionKey: *describeKey(t.PartitionKey), SortKey: describeKey(t.SortKey), TTL: t.TTL, Indexes: []indexJSON{}}
	for _, x := range t.Indexes {
		out.Indexes = append(out.Indexes, indexJSON{x.Name, *describeKey(x.PartitionKey), describeKey(x.SortKey), x.Projection, x.Optional})
	}
	return out
}

func describeEntity(p *profiles.Profile, e *models.Entity) entityJSON {
	out := entityJSON{Name: e.Name, Title: e.Title, Table: e.Table.Name, Keys: map[string]string{}, Attributes: describeAttributes(e.Attributes), Findings: []string{}}
	for _, name := range e.KeyNames() {
		if t, ok := e.KeyTemplate(name); ok {
			out.Keys[name] = t.String()
		}
	}
	for _, f := range p.FindingsOf(e) {
		out.Findings = append(out.Findings, f.ID)
	}
	return out
}

func describeAttributes(list []*models.Attribute) []attributeJSON {
	out := []attributeJSON{}
	for _, a := range list {
		out = append(out, attributeJSON{
			Name: a.Name, Type: a.Type, Required: a.Required, Format: a.Format, Prefix: a.Prefix, Enum: a.Enum, Open: a.OpenEnum,
			Sensitive: a.Sensitive, KeyOnly: a.KeyOnly, Documented: a.Documented, Description: a.Description,
			Attributes: describeAttributes(a.Attributes),
		})
	}
	return out
}

func describeLifecycle(l *models.Lifecycle) lifecycleJSON {
	out := lifecycleJSON{Name: l.Name, Entity: l.Entity.Name, Attribute: l.Attribute, States: []stateJSON{}, Transitions: []transitionJSON{}}
	for _, s := range l.States {
		out.States = append(out.States, stateJSON{s.Name, s.Label, s.Kind, s.Initial})
	}
	for _, t := range l.Transitions {
		out.Transitions = append(out.Transitions, transitionJSON{t.Name, orEmpty(t.From), t.To, t.Documented})
	}
	return out
}

func describePatterns(p *profiles.Profile) []patternJSON {
	out := []patternJSON{}
	for _, q := range p.Patterns {
		out = append(out, describePattern(q))
	}
	return out
}

func describePattern(q *accesspatterns.Pattern) patternJSON {
	out := patternJSON{
		ID: q.FullID(), Title: q.Title, Kind: "read", Operation: q.Read.Operation.API(), Table: q.Table.Name,
		Parameters: []paramJSON{}, Documented: q.Documented, Source: orEmpty(q.Source), Safe: strings.TrimSpace(q.Safe),
		Finding: describeFinding(q.Defect()), Caveats: []string{},
	}
	for _, f := range q.Findings {
		if f != q.Defect() {
			out.Caveats = append(out.Caveats, f.ID)
		}
	}
	if !q.IsRead() {
		out.Kind, out.Operation = "write", q.Writing.API
		out.Writes = &writesJSON{orEmpty(q.Writing.Sets), q.Writing.Condition}
		if out.Operation == "" {
			out.Operation = "unspecified" // the document names no operation
		}
	}
	if q.Read.Index != nil {
		out.Index = &q.Read.Index.Name
	}
	for _, a := range q.Params {
		param := paramJSON{Name: a.Name, Type: a.Type, Required: a.Required, Enum: a.Enum}
		if a.Default != "" {
			param.Default = &a.Default
		}
		out.Parameters = append(out.Parameters, param)
	}
	return out
}

func describeFinding(f *accesspatterns.Finding) *findingJSON {
	if f == nil {
		return nil
	}
	return &findingJSON{f.ID, f.Kind, f.Title, f.Text, f.Behaviour, f.Source, f.Patterns, f.Entities, f.Tables}
}

// showProfile writes the profile for people.
func showProfile(w io.Writer, p *profiles.Profile) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", p.Name, p.Title)
	if p.Description != "" {
		fmt.Fprintf(&b, "%s\n", strings.TrimSpace(p.Description))
	}
	for _, t := range p.Tables {
		fmt.Fprintf(&b, "\ntable %s   %s\n", t.Name, keyWords(t.PartitionKey, t.SortKey))
		for _, x := range t.Indexes {
			optional := ""
			if x.Optional {
				optional = "   optional"
			}
			fmt.Fprintf(&b, "  index %s   %s%s\n", x.Name, keyWords(x.PartitionKey, x.SortKey), optional)
		}
		for _, e := range p.EntitiesOf(t) {
			fmt.Fprintf(&b, "  entity %s\n", e.Name)
			for _, name := range e.KeyNames() {
				if tpl, ok := e.KeyTemplate(name); ok {
					fmt.Fprintf(&b, "    %-28s %s\n", name, tpl)
				}
			}
		}
	}
	for _, l := range p.Lifecycles {
		names := make([]string, len(l.States))
		for i, s := range l.States {
			names[i] = s.Name
		}
		fmt.Fprintf(&b, "\nlifecycle %s (%s.%s): %s\n", l.Name, l.Entity.Name, l.Attribute, strings.Join(names, ", "))
	}
	b.WriteString("\n")
	if _, err := io.WriteString(w, b.String()); err != nil {
		return err
	}
	if err := patternTable(p).Write(w); err != nil || len(p.Actions) == 0 {
		return err
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return err
	}
	return actionTable(p).Write(w)
}

func keyWords(partition, sort models.Key) string {
	words := "partition key " + partition.Name
	if sort.Name != "" {
		words += ", sort key " + sort.Name
	}
	return words
}

func patternTable(p *profiles.Profile) *export.TextTable {
	t := export.NewTextTable("PATTERN", "KIND", "OPERATION", "TABLE", "INDEX", "PARAMETERS", "FINDING")
	for _, q := range describePatterns(p) {
		index, finding := "", ""
		if q.Index != nil {
			index = *q.Index
		}
		if q.Finding != nil {
			finding = q.Finding.ID + " " + string(q.Finding.Kind)
		}
		var params []string
		for _, a := range q.Parameters {
			name := a.Name
			if !a.Required {
				name = "[" + name + "]"
			}
			params = append(params, name)
		}
		t.Add(strings.TrimPrefix(q.ID, p.Name+"."), q.Kind, q.Operation, q.Table, index, strings.Join(params, " "), finding)
	}
	return t
}
