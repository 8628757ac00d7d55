package schema

import (
	"cmp"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// Schema is the document of schema show. It contains the schema as ddbdesk interprets it, with derived keys,
// parameters and defaults, instead of the file's text. Lists are in the schema's order.
type Schema struct {
	Name        string                    `json:"name"`
	Title       string                    `json:"title"`
	Description string                    `json:"description"`
	Source      string                    `json:"source"`
	Guardrails  Guardrails                `json:"guardrails"`
	Variables   []profiles.Variable       `json:"variables"`
	Tables      []Table                   `json:"tables"`
	Entities    []Entity                  `json:"entities"`
	Lifecycles  []Lifecycle               `json:"lifecycles"`
	Flags       []Lifecycle               `json:"flags"` // lifecycles of a BOOL attribute
	Patterns    []Pattern                 `json:"patterns"`
	Actions     []Action                  `json:"actions"`
	Findings    []*accesspatterns.Finding `json:"findings"`
}

// Guardrails lists the regions that a schema allows and the names of its production environments. If Regions is empty,
// the schema allows all regions.
type Guardrails struct {
	Regions    []string `json:"regions"`
	Production []string `json:"production"`
	Retention  string   `json:"retention,omitempty"`
	Notes      []string `json:"notes,omitempty"`
}

// A Table describes a table. ID is its name in the schema. Name is its name in DynamoDB, with variables resolved.
// SortKey is null for a table without a sort key. TTL is the time-to-live attribute.
type Table struct {
	ID           string      `json:"id"`
	Name         string      `json:"name"`
	PartitionKey models.Key  `json:"partitionKey"`
	SortKey      *models.Key `json:"sortKey"`
	TTL          string      `json:"ttl,omitempty"`
	Indexes      []Index     `json:"indexes"`
}

// An Index describes a secondary index. The table need not have an optional index. For a key of several attributes,
// PartitionKey and SortKey are the first ones, and PartitionKeys and SortKeys contain all of them.
type Index struct {
	Name          string            `json:"name"`
	PartitionKey  models.Key        `json:"partitionKey"`
	SortKey       *models.Key       `json:"sortKey"`
	PartitionKeys []models.Key      `json:"partitionKeys,omitempty"`
	SortKeys      []models.Key      `json:"sortKeys,omitempty"`
	Projection    models.Projection `json:"projection"`
	Optional      bool              `json:"optional"`
}

// An Entity describes an entity. Keys maps the key attributes of the table and its indexes to key templates. Findings
// contains IDs.
type Entity struct {
	Name       string              `json:"name"`
	Title      string              `json:"title"`
	Table      string              `json:"table"`
	Keys       map[string]string   `json:"keys"`
	Attributes []*models.Attribute `json:"attributes"`
	Findings   []string            `json:"findings"`
}

// A Lifecycle describes the states of an attribute and the transitions between them. Attribute is a path.
type Lifecycle struct {
	Name        string          `json:"name"`
	Entity      string          `json:"entity"`
	Attribute   string          `json:"attribute"`
	States      []*models.State `json:"states"`
	Transitions []Transition    `json:"transitions"`
}

// A Transition describes a transition. Name is absent if no action refers to it. Documented is false if the source
// document does not describe it.
type Transition struct {
	Name       string   `json:"name,omitempty"`
	From       []string `json:"from"`
	To         string   `json:"to"`
	Documented bool     `json:"documented"`
}

// A Pattern describes an access pattern. ID is the full ID, with the name of the schema. Kind is read or write.
// Operation is the name in DynamoDB's API. If the pattern does not work as documented, Safe is the request that ddbdesk
// runs instead. Documented is false for a pattern that the schema adds to the document.
type Pattern struct {
	Short      string                  `json:"-" col:"PATTERN"` // ID without the schema
	ID         string                  `json:"id"`
	Parameters Params                  `json:"parameters" col:"PARAMETERS"`
	Title      string                  `json:"title" col:"TITLE"`
	Kind       string                  `json:"kind"`
	Operation  string                  `json:"operation" col:"OPERATION"`
	Table      string                  `json:"table" col:"TABLE"`
	Index      *string                 `json:"index" col:"INDEX"`
	Documented bool                    `json:"documented"`
	Source     []string                `json:"source"`
	Safe       string                  `json:"safe,omitempty"`
	Writes     *Writes                 `json:"writes,omitempty"`
	Finding    *accesspatterns.Finding `json:"finding" col:"ISSUE"`
	Caveats    []string                `json:"caveats"` // IDs of further findings
}

// Writes describes the attributes that a write pattern sets, and its condition.
type Writes struct {
	Sets      []string `json:"sets"`
	Condition string   `json:"condition,omitempty"`
}

// A Param describes a parameter of a pattern. Default may be relative, such as now-7d; null means that there is none.
// Enum lists the allowed values if they are known. Type is a type in the schema language. An optional parameter
// without a default has no value unless the user sets one.
type Param struct {
	Name     string                   `json:"name"`
	Type     accesspatterns.ParamType `json:"type"`
	Required bool                     `json:"required"`
	Default  *string                  `json:"default"`
	Enum     []string                 `json:"enum,omitempty"`
	Labels   models.Labels            `json:"labels,omitempty"`
	List     bool                     `json:"list,omitempty"`
}

// An Action describes an action. Roles lists the roles that may apply it while it is enabled. Inputs contains the
// placeholders of the entity's key, then the inputs of the action. FourEyes means that the user who plans a change
// cannot apply it. Manual lists the steps that users must perform themselves.
type Action struct {
	Name        string            `json:"name"`
	Title       string            `json:"title"`
	Description string            `json:"description,omitempty"`
	Kind        change.ActionKind `json:"kind"`
	Replace     bool              `json:"replace,omitempty"` // a put also replaces the item with the same key
	Entity      string            `json:"entity"`
	Roles       []session.Role    `json:"roles"`
	Enabled     bool              `json:"enabled"`
	Off         *string           `json:"off"` // reason why it is disabled
	Transition  *ActionTransition `json:"transition"`
	Inputs      []Input           `json:"inputs"`
	FourEyes    bool              `json:"fourEyes"`
	Documented  bool              `json:"documented"`
	Reason      change.ReasonRule `json:"reason"`
	Undo        bool              `json:"undo"`
	NoUndo      *string           `json:"noUndo"` // reason why it cannot be undone
	Manual      []string          `json:"manual"`
	Source      []string          `json:"source"`
	Findings    []string          `json:"findings"`
}

// Params contains the parameters of a pattern or an action.
type Params []Param

// String lists the names, with optional ones in brackets.
func (list Params) String() string {
	names := models.MapSlice(list, func(p Param) string {
		if p.Required {
			return p.Name
		}
		return "[" + p.Name + "]"
	})
	return strings.Join(names, " ")
}

// An ActionTransition describes the transition of an action. If an input selects the target state, To is null and the
// input's enum lists the states. Exactly one of To and Input is not null.
type ActionTransition struct {
	Lifecycle string   `json:"lifecycle"`
	From      []string `json:"from"`
	To        *string  `json:"to"`
	Input     *string  `json:"input"`
}

// An Input describes an input of an action.
type Input struct {
	Param
	Description string `json:"description,omitempty"`
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func findingID(f *accesspatterns.Finding) string { return f.ID }

// NewSchema returns the document of schema show. It shares slices with the schema, so the caller must not modify the
// document.
func NewSchema(p *profiles.Profile) Schema {
	out := Schema{
		Name: p.Name, Title: p.Title, Description: p.Description, Source: p.Source,
		Guardrails: Guardrails{
			orEmpty(p.Guardrails.Regions), orEmpty(p.Guardrails.Production), p.Guardrails.Retention, p.Guardrails.Notes,
		},
		Variables:  append([]profiles.Variable{}, p.Variables...),
		Lifecycles: []Lifecycle{}, Flags: []Lifecycle{},
		Tables:   models.MapSlice(p.Tables, newTable),
		Entities: models.MapSlice(p.Entities, func(e *models.Entity) Entity { return newEntity(p, e) }),
		Patterns: models.MapSlice(p.Patterns, NewPattern), Actions: models.MapSlice(p.Actions, NewAction),
		Findings: append([]*accesspatterns.Finding{}, p.Findings...),
	}
	for _, l := range p.Lifecycles {
		list := &out.Lifecycles
		if a := l.Entity.Attribute(l.Attribute); a != nil && a.Type == models.TypeBOOL {
			list = &out.Flags
		}
		*list = append(*list, newLifecycle(l))
	}
	return out
}

func newKey(k models.Key) *models.Key {
	if k.Name == "" {
		return nil
	}
	return &k
}

func newTable(t *models.Table) Table {
	return Table{
		ID: t.ID, Name: t.Name, PartitionKey: t.PartitionKey, SortKey: newKey(t.SortKey), TTL: t.TTL,
		Indexes: models.MapSlice(t.Indexes, func(x *models.Index) Index {
			out := Index{Name: x.Name, PartitionKey: x.PartitionKeys[0], Projection: x.Projection, Optional: x.Optional}
			if len(x.SortKeys) > 0 {
				out.SortKey = newKey(x.SortKeys[0])
			}
			if max(len(x.PartitionKeys), len(x.SortKeys)) > 1 {
				out.PartitionKeys, out.SortKeys = x.PartitionKeys, x.SortKeys
			}
			return out
		}),
	}
}

func newEntity(p *profiles.Profile, e *models.Entity) Entity {
	out := Entity{
		Name: e.Name, Title: e.Title, Table: e.Table.Name, Keys: map[string]string{},
		Attributes: append([]*models.Attribute{}, e.Attributes...), Findings: models.MapSlice(p.FindingsOf(e), findingID),
	}
	for _, name := range e.KeyNames() {
		if t, ok := e.KeyTemplate(name); ok {
			out.Keys[name] = t.String()
		}
	}
	return out
}

func newLifecycle(l *models.Lifecycle) Lifecycle {
	return Lifecycle{
		Name: l.Name, Entity: l.Entity.Name, Attribute: l.Attribute,
		States: append([]*models.State{}, l.States...),
		Transitions: models.MapSlice(l.Transitions, func(t *models.Transition) Transition {
			return Transition{t.Name, orEmpty(t.From), t.To, t.Documented}
		}),
	}
}

// NewPatterns returns the document of pattern list.
func NewPatterns(list []*accesspatterns.Pattern) []Pattern { return models.MapSlice(list, NewPattern) }

// NewPattern returns a pattern's entry in pattern list.
func NewPattern(q *accesspatterns.Pattern) Pattern {
	out := Pattern{
		Short: q.ID, ID: q.FullID(), Title: q.Title, Kind: "read", Operation: q.Read.Operation.API(), Table: q.Table.Name,
		Parameters: models.MapSlice(q.Params, newParam), Documented: q.Documented, Source: orEmpty(q.Source),
		Safe:    strings.TrimSpace(q.Safe),
		Finding: q.Defect(), Caveats: []string{},
	}
	for _, f := range q.Findings {
		if f != q.Defect() {
			out.Caveats = append(out.Caveats, f.ID)
		}
	}
	if !q.IsRead() {
		out.Kind, out.Operation = "write", cmp.Or(q.DocumentedWrite.API, "unspecified")
		out.Writes = &Writes{orEmpty(q.DocumentedWrite.Sets), q.DocumentedWrite.Condition}
	}
	if q.Read.Index != nil {
		out.Index = &q.Read.Index.Name
	}
	return out
}

func newParam(p *accesspatterns.Param) Param {
	return Param{
		Name: p.Name, Type: p.Type, Required: p.Required, Default: op.OrNull(p.Default), Enum: p.Enum,
		Labels: p.Labels, List: p.List,
	}
}

// NewAction returns an action's entry in schema show.
func NewAction(a *change.Action) Action {
	out := Action{
		Name: a.ID, Title: a.Title, Description: strings.TrimSpace(a.Description), Kind: a.Kind, Replace: a.Replace, Entity: a.Entity.Name,
		Roles: []session.Role{session.Admin}, Enabled: a.Disabled == "", Off: op.OrNull(a.Disabled), FourEyes: a.FourEyes,
		Documented: a.Documented, Reason: a.Reason, Undo: a.NoUndo == "", NoUndo: op.OrNull(a.NoUndo), Manual: orEmpty(a.Manual),
		Source: orEmpty(a.Source), Findings: models.MapSlice(a.Findings, findingID),
	}
	if a.Lifecycle != nil {
		out.Transition = &ActionTransition{a.Lifecycle.Name, orEmpty(a.From()), op.OrNull(a.To()), op.OrNull(a.Target)}
	}
	out.Inputs = models.MapSlice(a.Inputs, func(in *accesspatterns.Param) Input {
		param := newParam(in)
		if f, ok := a.Defaults[in.Name]; ok {
			param.Default = op.OrNull(f.String())
		}
		return Input{param, strings.TrimSpace(in.Description)}
	})
	return out
}
