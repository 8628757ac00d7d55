package findings

import (
	"slices"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// link leads to something that an issue affects.
type link struct {
	row widget.FieldRow
	to  screen.Target
}

// findingLinks lists what an issue affects: patterns, first those that do not run as
// documented because of it, then actions, entities and tables. f may be nil.
func findingLinks(env *screen.Env, f *accesspatterns.Finding) []link {
	if f == nil {
		return nil
	}
	p := env.Session.Profile()
	var links []link
	add := func(section, label, value, note string, to screen.Target) {
		row := widget.FieldRow{Section: section, Label: label, Value: value, Note: note, Role: widget.RoleText}
		links = append(links, link{row, to})
	}
	for _, decides := range []bool{true, false} {
		for _, q := range p.Patterns {
			if !slices.Contains(f.Patterns, q.ID) && !slices.Contains(q.Findings, f) || f.DecidesPattern(q.ID) != decides {
				continue
			}
			note := ""
			if decides {
				note = "⚠ not run as documented"
			}
			add("Patterns", env.OperationWord(q.Read.Operation), q.Title, note, screen.Patterns{Pattern: q})
		}
	}
	for _, a := range p.Actions {
		if slices.Contains(a.Findings, f) {
			add("Changes", "change", a.Title, present.EntityTitle(a.Entity), screen.Patterns{Pattern: p.Pattern(a.ID), Plan: a})
		}
	}
	for _, name := range f.Entities {
		if e := p.Entity(name); e != nil {
			add("Entities", "entity", present.TitleOf(e), "", screen.Map{Entity: e})
		}
	}
	for _, name := range f.Tables {
		if t := p.Table(name); t != nil {
			add("Tables", "table", t.Name, "", screen.Map{Table: t})
		}
	}
	return links
}
