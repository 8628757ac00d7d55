package item

import (
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// explainedRunes is the maximum length of a value in the explanation. The user can copy the whole value.
const explainedRunes = 20_000

func (o *overviewTab) explanation() *overlay.Sheet {
	r := o.selectedRow()
	if r == nil {
		return nil
	}
	sheet := overlay.NewSheet(o.s.env.Styles, models.PrintableCell(o.s.label(r.path), titleID), func(st *widget.Styles, w int) []string {
		var lines []string
		addText := func(role widget.Role, text string) {
			if text != "" {
				lines = append(lines, widget.Wrap(st, role, text, w)...)
			}
		}
		text, role := explainedValue(r)
		addText(role, text)
		addText(widget.RoleText, models.Printable(r.meaning))
		for _, fact := range o.attributeFacts(r) {
			addText(widget.RoleMuted, models.Printable(fact))
		}
		return lines
	})
	sheet.Key = "x"
	return sheet
}

func explainedValue(r *attributeRow) (string, widget.Role) {
	switch text, ok := models.ValueText(r.value); {
	case r.value == nil:
		return "", widget.RoleText
	case !ok:
		return models.PrintableCell(present.Summary(r.value), explainedRunes), widget.RoleText
	case models.IsMasked(r.value):
		return models.PrintableCell(text, explainedRunes), widget.RoleFaint
	default:
		return models.PrintableCell(text, explainedRunes), widget.RoleText
	}
}

func (o *overviewTab) attributeFacts(r *attributeRow) []string {
	e := o.s.facts.entity
	if e == nil {
		return nil
	}
	a := e.Attribute(r.path)
	switch {
	case a == nil && e.ByName != nil && models.IsMasked(r.value):
		return []string{
			maskingReason(e, o.s.plain),
			"to see it, press o R as a developer, or draft a schema of the table (on home, ctrl+o n)",
		}
	case a == nil:
		return nil
	}
	text, _ := models.ValueText(r.value)
	var facts []string
	if l := e.Lifecycle(r.path); l != nil {
		facts = append(facts, stateMeaning(l, text))
	} else if len(a.Enum) > 0 {
		list := "one of " + strings.Join(models.MapSlice(a.Enum, a.Labeled), ", ")
		if a.OpenEnum {
			list += ", or another"
		}
		facts = append(facts, list)
	}
	if a.Format.IsTime() && !models.IsMasked(r.value) {
		if t, ok := a.Format.ReadTime(text); ok && !a.Format.IsPeriod() {
			facts = append(facts, present.When(t, o.s.env.Now()))
		}
	}
	if a.Format != "" && !o.s.plain {
		facts = append(facts, strings.TrimSuffix("format "+string(a.Format)+", begins with "+a.Prefix, ", begins with "))
	}
	if target := o.related.targetTitle(r); target != "" {
		facts = append(facts, "refers to a "+target+"; press enter to open it")
	}
	switch a.Sensitive {
	case models.PII:
		facts = append(facts, "personal data: masked until revealed with o R and a reason")
	case models.Secret:
		facts = append(facts, "secret: never shown, copied or exported")
	case models.NotSensitive:
	}
	return facts
}

func stateMeaning(l *models.Lifecycle, state string) string {
	found := l.State(state)
	switch {
	case found == nil:
		return "not a state of the lifecycle" + models.DidYouMean(state,
			models.MapSlice(l.States, func(s *models.State) string { return s.Name }))
	case found.Description != "":
		return state + ": " + found.Description
	case l.Terminal(state):
		return state + ": final state"
	}
	return ""
}
