package main

import (
	"cmp"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// The types below are the documents of `schema show -o json` and `pattern list -o json`.
// Scripts rely on the names of their fields, so they are independent of the types of the
// profile. A field with omitempty is absent when it does not apply; a pointer is null then,
// where the command contract requires the field. Lists are never null.

// profileJSON is the document of schema show.
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
	Flags       []lifecycleJSON `json:"flags"` // lifecycles of a BOOL attribute
	Patterns    []patternJSON   `json:"patterns"`
	Actions     []actionJSON    `json:"actions"`
	Findings    []findingJSON   `json:"findings"`
}

// guardrailsJSON lists the regions that a profile allows, none for all, and the names of
// its production environments.
type guardrailsJSON struct {
	Regions    []string `json:"regions"`
	Production []string `json:"production"`
	Retention  string   `json:"retention,omitempty"`
	Notes      []string `json:"notes,omitempty"`
}

// variableJSON is a variable of table names, with its current value.
type variableJSON struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Default string `json:"default"`
}

// keyJSON is a key attribute. Type is S, N or B.
type keyJSON struct {
	Name string      `json:"name"`
	Type models.Type `json:"type"`
}

// tableJSON is a table. ID is its name in the profile, Name that in DynamoDB.
type tableJSON struct {
	ID           string      `json:"id"`
	Name         string      `json:"name"`
	PartitionKey keyJSON     `json:"partitionKey"`
	SortKey      *keyJSON    `json:"sortKey"`
	TTL          string      `json:"ttl,omitempty"`
	Indexes      []indexJSON `json:"indexes"`
}

// indexJSON is a secondary index. An optional one may be missing in the live table.
type indexJSON struct {
	Name         string            `json:"name"`
	PartitionKey keyJSON           `json:"partitionKey"`
	SortKey      *keyJSON          `json:"sortKey"`
	Projection   models.Projection `json:"projection"`
	Optional     bool              `json:"optional"`
}

// entityJSON is an entity. Keys maps the key attributes of the table and its indexes to
// key templates; Findings are IDs.
type entityJSON struct {
	Name       string            `json:"name"`
	Title      string            `json:"title"`
	Table      string            `json:"table"`
	Keys       map[string]string `json:"keys"`
	Attributes []attributeJSON   `json:"attributes"`
	Findings   []string          `json:"findings"`
}

// attributeJSON is an attribute. Format is the spelling of its values, such as iso8601, and
// Prefix the beginning of an ID. Open means that values outside Enum may occur, KeyOnly that
// the value is stored in keys only. Sensitive is pii or secret. Attributes are those of a map.
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

// lifecycleJSON is the states of an attribute and the transitions between them.
type lifecycleJSON struct {
	Name        string           `json:"name"`
	Entity      string           `json:"entity"`
	Attribute   string           `json:"attribute"`
	States      []stateJSON      `json:"states"`
	Transitions []transitionJSON `json:"transitions"`
}

// stateJSON is a state. Kind is open, good, bad or final.
type stateJSON struct {
	Name    string           `json:"name"`
	Label   string           `json:"label"`
	Kind    models.StateKind `json:"kind"`
	Initial bool             `json:"initial,omitempty"`
}

// transitionJSON is a transition. Documented is false if the source document does not
// describe it.
type transitionJSON struct {
	Name       string   `json:"name,omitempty"`
	From       []string `json:"from"`
	To         string   `json:"to"`
	Documented bool     `json:"documented"`
}

// patternJSON is an access pattern. ID is the full one, with the name of the schema. Kind is
// read or write, Operation the name in DynamoDB's API, and Safe what ddbdesk does if the
// pattern does not work as documented. Documented is false for a pattern that the profile
// adds to the document.
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
	Caveats    []string     `json:"caveats"` // IDs of further findings
}

// writesJSON describes what a write pattern sets, and its condition.
type writesJSON struct {
	Sets      []string `json:"sets"`
	Condition string   `json:"condition,omitempty"`
}

// paramJSON is a parameter of a pattern. Default may be relative, such as now-7d; null means
// that there is none. Enum lists the allowed values, if they are known.
type paramJSON struct {
	Name     string                   `json:"name"`
	Type     accesspatterns.ParamType `json:"type"`
	Required bool                     `json:"required"`
	Default  *string                  `json:"default"`
	Enum     []string                 `json:"enum,omitempty"`
}

// findingJSON is a schema issue. Text is the defect of the document, Workaround what
// ddbdesk does instead; the command contract fixes its name in JSON.
type findingJSON struct {
	ID         string                     `json:"id"`
	Kind       accesspatterns.FindingKind `json:"kind"`
	Title      string                     `json:"title,omitempty"`
	Text       string                     `json:"text"`
	Workaround string                     `json:"behaviour"`
	Source     string                     `json:"source,omitempty"`
	Patterns   []string                   `json:"patterns,omitempty"`
	Entities   []string                   `json:"entities,omitempty"`
	Tables     []string                   `json:"tables,omitempty"`
}

// actionJSON is an action. Roles are those that may apply it, while it is enabled. Inputs
// are the placeholders of the entity's key, followed by the inputs of the action. FourEyes
// means that the user who plans a change cannot apply it. Manual lists steps that ddbdesk
// does not do.
type actionJSON struct {
	Name        string            `json:"name"`
	Title       string            `json:"title"`
	Description string            `json:"description,omitempty"`
	Kind        change.ActionKind `json:"kind"`
	Entity      string            `json:"entity"`
	Roles       []session.Role    `json:"roles"`
	Enabled     bool              `json:"enabled"`
	Off         *string           `json:"off"` // reason why it is disabled
	Transition  *moveJSON         `json:"transition"`
	Inputs      []inputJSON       `json:"inputs"`
	FourEyes    bool              `json:"fourEyes"`
	Documented  bool              `json:"documented"`
	Reason      change.ReasonRule `json:"reason"`
	Undo        bool              `json:"undo"`
	NoUndo      *string           `json:"noUndo"` // why it cannot be undone
	Manual      []string          `json:"manual"`
	Source      []string          `json:"source"`
	Findings    []string          `json:"findings"`
}

// moveJSON is the transition of an action. If an input selects the target state, to
// is null and the input's enum lists the states.
type moveJSON struct {
	Lifecycle string   `json:"lifecycle"`
	From      []string `json:"from"`
	To        *string  `json:"to"`
	Input     *string  `json:"input"`
}

// inputJSON is an input of an action.
type inputJSON struct {
	paramJSON
	Description string `json:"description,omitempty"`
}

// orEmpty returns list for a JSON field that is never null.
func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// each describes every element of list, for a JSON field that is never null.
func each[T, J any](list []T, describe func(T) J) []J {
	out := make([]J, len(list))
	for i, x := range list {
		out[i] = describe(x)
	}
	return out
}

// findingID returns the ID by which other parts of the document refer to a finding.
func findingID(f *accesspatterns.Finding) string { return f.ID }

// describeProfile returns the document of schema show.
func describeProfile(p *profiles.Profile) profileJSON {
	out := profileJSON{
		Name: p.Name, Title: p.Title, Description: p.Description, Source: p.Source,
		Guardrails: guardrailsJSON{
			orEmpty(p.Guardrails.Regions), orEmpty(p.Guardrails.Production), p.Guardrails.Retention, p.Guardrails.Notes,
		},
		Variables:  each(p.Variables, func(v profiles.Variable) variableJSON { return variableJSON{v.Name, v.Value, v.Default} }),
		Lifecycles: []lifecycleJSON{}, Flags: []lifecycleJSON{},
		Tables:   each(p.Tables, describeTable),
		Entities: each(p.Entities, func(e *models.Entity) entityJSON { return describeEntity(p, e) }),
		Patterns: each(p.Patterns, describePattern), Actions: each(p.Actions, describeAction),
		Findings: each(p.Findings, func(f *accesspatterns.Finding) findingJSON { return *describeFinding(f) }),
	}
	for _, l := range p.Lifecycles {
		list := &out.Lifecycles
		if a := l.Entity.Attribute(l.Attribute); a != nil && a.Type == models.TypeBOOL {
			list = &out.Flags
		}
		*list = append(*list, describeLifecycle(l))
	}
	return out
}

// describeKey returns nil for the sort key of a table or index without one.
func describeKey(k models.Key) *keyJSON {
	if k.Name == "" {
		return nil
	}
	key := keyJSON(k)
	return &key
}

// describeTable returns the entry of a table in schema show.
func describeTable(t *models.Table) tableJSON {
	return tableJSON{
		ID: t.ID, Name: t.Name, PartitionKey: keyJSON(t.PartitionKey), SortKey: describeKey(t.SortKey), TTL: t.TTL,
		Indexes: each(t.Indexes, func(x *models.Index) indexJSON {
			return indexJSON{x.Name, keyJSON(x.PartitionKey), describeKey(x.SortKey), x.Projection, x.Optional}
		}),
	}
}

// describeEntity returns the entry of an entity in schema show.
func describeEntity(p *profiles.Profile, e *models.Entity) entityJSON {
	out := entityJSON{
		Name: e.Name, Title: e.Title, Table: e.Table.Name, Keys: map[string]string{},
		Attributes: each(e.Attributes, describeAttribute), Findings: each(p.FindingsOf(e), findingID),
	}
	for _, name := range e.KeyNames() {
		if t, ok := e.KeyTemplate(name); ok {
			out.Keys[name] = t.String()
		}
	}
	return out
}

// describeAttribute returns an attribute with its nested attributes.
func describeAttribute(a *models.Attribute) attributeJSON {
	return attributeJSON{
		Name: a.Name, Type: a.Type, Required: a.Required, Format: a.Format, Prefix: a.Prefix, Enum: a.Enum, Open: a.OpenEnum,
		Sensitive: a.Sensitive, KeyOnly: a.KeyOnly, Documented: a.Documented, Description: a.Description,
		Attributes: each(a.Attributes, describeAttribute),
	}
}

// describeLifecycle returns the entry of a lifecycle or flag in schema show.
func describeLifecycle(l *models.Lifecycle) lifecycleJSON {
	return lifecycleJSON{
		Name: l.Name, Entity: l.Entity.Name, Attribute: l.Attribute,
		States: each(l.States, func(s *models.State) stateJSON { return stateJSON{s.Name, s.Label, s.Kind, s.Initial} }),
		Transitions: each(l.Transitions, func(t *models.Transition) transitionJSON {
			return transitionJSON{t.Name, orEmpty(t.From), t.To, t.Documented}
		}),
	}
}

// describePattern returns the entry of pattern list.
func describePattern(q *accesspatterns.Pattern) patternJSON {
	out := patternJSON{
		ID: q.FullID(), Title: q.Title, Kind: "read", Operation: q.Read.Operation.API(), Table: q.Table.Name,
		Parameters: each(q.Params, describeParam), Documented: q.Documented, Source: orEmpty(q.Source), Safe: strings.TrimSpace(q.Safe),
		Finding: describeFinding(q.Defect()), Caveats: []string{},
	}
	for _, f := range q.Findings {
		if f != q.Defect() {
			out.Caveats = append(out.Caveats, f.ID)
		}
	}
	if !q.IsRead() {
		out.Kind, out.Operation = "write", cmp.Or(q.Writing.API, "unspecified")
		out.Writes = &writesJSON{orEmpty(q.Writing.Sets), q.Writing.Condition}
	}
	if q.Read.Index != nil {
		out.Index = &q.Read.Index.Name
	}
	return out
}

// describeParam returns a parameter of a pattern or an input of an action.
func describeParam(p *accesspatterns.Param) paramJSON {
	return paramJSON{Name: p.Name, Type: p.Type, Required: p.Required, Default: optional(p.Default), Enum: p.Enum}
}

// describeFinding returns nil for a pattern without a finding.
func describeFinding(f *accesspatterns.Finding) *findingJSON {
	if f == nil {
		return nil
	}
	return &findingJSON{f.ID, f.Kind, f.Title, f.Text, f.Workaround, f.Source, f.Patterns, f.Entities, f.Tables}
}

// describeAction returns the entry of an action in schema show.
func describeAction(a *change.Action) actionJSON {
	out := actionJSON{
		Name: a.ID, Title: a.Title, Description: strings.TrimSpace(a.Description), Kind: a.Kind, Entity: a.Entity.Name,
		Roles: []session.Role{session.Admin}, Enabled: a.Off == "", Off: optional(a.Off), FourEyes: a.FourEyes,
		Documented: a.Documented, Reason: a.Reason, Undo: a.NoUndo == "", NoUndo: optional(a.NoUndo), Manual: orEmpty(a.Manual),
		Source: orEmpty(a.Source), Findings: each(a.Findings, findingID),
	}
	if a.Lifecycle != nil {
		out.Transition = &moveJSON{a.Lifecycle.Name, orEmpty(a.From()), optional(a.To()), optional(a.Target)}
	}
	out.Inputs = each(a.Inputs, func(in *accesspatterns.Param) inputJSON {
		param := describeParam(in)
		if f, ok := a.Defaults[in.Name]; ok {
			param.Default = optional(f.String())
		}
		return inputJSON{param, strings.TrimSpace(in.Description)}
	})
	return out
}
