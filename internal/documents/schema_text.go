package documents

import (
	"fmt"
	"io"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// WriteProfile writes the profile for people. Its text may change; scripts use -o json.
func WriteProfile(w io.Writer, p *profiles.Profile) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", p.Name, p.Title)
	if p.Description != "" {
		fmt.Fprintf(&b, "%s\n", strings.TrimSpace(p.Description))
	}
	if p.Overlay != "" {
		fmt.Fprintf(&b, "overlay %s\n", p.Overlay)
	}
	for _, t := range p.Tables {
		fmt.Fprintf(&b, "\ntable %s   %s\n", t.Name, keyText(t.KeysOf(nil)))
		for _, x := range t.Indexes {
			optional := ""
			if x.Optional {
				optional = "   optional"
			}
			fmt.Fprintf(&b, "  index %s   %s%s\n", x.Name, keyText(x.PartitionKeys, x.SortKeys), optional)
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
		names := models.NamesOf(l.States, func(s *models.State) string { return s.Name })
		fmt.Fprintf(&b, "\nlifecycle %s (%s.%s): %s\n", l.Name, l.Entity.Name, l.Attribute, strings.Join(names, ", "))
	}
	b.WriteString("\n")
	_ = PatternTable(p).Write(&b) // a strings.Builder returns no error
	if len(p.Actions) > 0 {
		b.WriteString("\n")
		_ = actionTable(p).Write(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// keyText describes the key of a table or index.
func keyText(partition, sort []models.Key) string {
	name := func(k models.Key) string { return k.Name }
	text := "partition key " + strings.Join(models.NamesOf(partition, name), " + ")
	if len(sort) > 0 {
		text += ", sort key " + strings.Join(models.NamesOf(sort, name), " + ")
	}
	return text
}

// parameterList lists the names of parameters, with optional ones in brackets.
func parameterList(params []Param) string {
	names := models.NamesOf(params, func(p Param) string {
		if p.Required {
			return p.Name
		}
		return "[" + p.Name + "]"
	})
	return strings.Join(names, " ")
}

// PatternTable returns the patterns for pattern list and schema show.
func PatternTable(p *profiles.Profile) *export.TextTable {
	t := export.NewTextTable("PATTERN", "KIND", "OPERATION", "TABLE", "INDEX", "PARAMETERS", "FINDING")
	for _, q := range OfPatterns(p.Patterns) {
		index, finding := "", ""
		if q.Index != nil {
			index = *q.Index
		}
		if q.Finding != nil {
			finding = q.Finding.ID + " " + string(q.Finding.Kind)
		}
		t.Add(strings.TrimPrefix(q.ID, p.Name+"."), q.Kind, q.Operation, q.Table, index, parameterList(q.Parameters), finding)
	}
	return t
}

// actionTable returns the actions for schema show.
func actionTable(p *profiles.Profile) *export.TextTable {
	t := export.NewTextTable("ACTION", "TITLE", "ENTITY", "CHANGE", "INPUTS", "NOTES", "FINDINGS")
	for _, act := range p.Actions {
		a := OfAction(act)
		change := string(a.Kind)
		if m := a.Transition; m != nil {
			to := "…"
			if m.To != nil {
				to = *m.To
			}
			change = strings.Join(m.From, ", ") + " → " + to
		}
		list := parameterList(inputParams(a))
		t.Add(a.Name, a.Title, a.Entity, change, list, actionNotes(a), strings.Join(a.Findings, " "))
	}
	return t
}

// inputParams returns the inputs of an action as parameters.
func inputParams(a Action) []Param {
	list := make([]Param, len(a.Inputs))
	for i, in := range a.Inputs {
		list[i] = in.Param
	}
	return list
}

// actionNotes lists in a few words what is special about an action.
func actionNotes(a Action) string {
	var notes []string
	if !a.Enabled {
		notes = append(notes, "disabled")
	}
	if a.Reason == change.ReasonRequired {
		notes = append(notes, "needs a reason")
	}
	if a.FourEyes {
		notes = append(notes, "needs two people")
	}
	if !a.Undo {
		notes = append(notes, "no undo")
	}
	return strings.Join(notes, ", ")
}
