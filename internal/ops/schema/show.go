package schema

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// showSchema is ddbdesk schema show.
var showSchema = op.New(op.Op{
	Path: "schema show", Title: "Show the tables, entities, lifecycles, patterns and actions of a schema",
	Needs: op.Offline, Formats: op.TextJSON,
}, inputs, func(_ context.Context, c *op.Call, in *input) (op.Result, error) {
	p, err := c.Profile(in.schema)
	if err != nil {
		return nil, err
	}
	return shown{p}, nil
})

// shown is a schema as the result of show.
type shown struct{ *profiles.Profile }

func (p shown) JSON() any { return OfSchema(p.Profile) }

func (p shown) Text(to op.Output) error {
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
	_ = op.Table(OfPatterns(p.Patterns)).Write(&b) // a strings.Builder returns no error
	if len(p.Actions) > 0 {
		b.WriteString("\n")
		_ = actionTable(p.Profile).Write(&b)
	}
	_, err := io.WriteString(to, b.String())
	return err
}

func keyText(partition, sort []models.Key) string {
	name := func(k models.Key) string { return k.Name }
	text := "partition key " + strings.Join(models.NamesOf(partition, name), " + ")
	if len(sort) > 0 {
		text += ", sort key " + strings.Join(models.NamesOf(sort, name), " + ")
	}
	return text
}

func actionTable(p *profiles.Profile) *items.TextTable {
	t := items.NewTextTable("ACTION", "TITLE", "ENTITY", "CHANGE", "INPUTS", "NOTES", "FINDINGS")
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
		params := make(Params, len(a.Inputs))
		for i, in := range a.Inputs {
			params[i] = in.Param
		}
		t.Add(a.Name, a.Title, a.Entity, change, params.String(), actionNotes(a), strings.Join(a.Findings, " "))
	}
	return t
}

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
