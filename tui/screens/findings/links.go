package findings

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// findingLink is something that a finding touches.
type findingLink struct {
	row widget.FieldRow
	to  screen.Target
}

// findingLinks lists what a finding touches: patterns first, those that do not
// work because of it before the others, then actions, entities and tables.
func findingLinks(env *screen.Env, f *accesspatterns.Finding) []findingLink {
	p := env.Session.Profile()
	var links []findingLink
	add := func(section, label, value, note string, to screen.Target) {
		links = append(
			links,
			findingLink{widget.FieldRow{Section: section, Label: label, Value: value, Note: note, Role: widget.RoleText}, to},
		)
	}
	for _, decides := range []bool{true, false} {
		for _, q := range p.Patterns {
			if !touches(q.Findings, f) || f.DecidesPattern(q.ID) != decides {
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
		if touches(a.Findings, f) {
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

func touches(list []*accesspatterns.Finding, f *accesspatterns.Finding) bool {
	for _, g := range list {
		if g == f {
			return true
		}
	}
	return false
}

// makeActions is the table of keys, the most important first.
func (s *findingsScreen) makeActions() widget.Actions {
	return widget.Actions{
		{
			Name: "enter", Binding: widget.Bind("enter", "enter"), Desc: "go there",
			Long:     "open what the issue affects: a pattern, the plan of a change, an entity on the schema map",
			Disabled: s.noLinks, Run: s.enter,
		},
		{
			Name: "pane", Binding: widget.Bind("tab", "tab", "shift+tab"), Desc: "what it touches",
			Long: "switch between the issues and what they affect", Disabled: s.noLinks, Run: s.swap,
		},
		{
			Name: "copy", Binding: widget.Bind("y", "y"), Desc: "copy", Long: "copy the issue as text", Disabled: s.nothing,
			Run: s.copyFinding,
		},
	}
}

// Actions are the keys of the screen.
func (s *findingsScreen) Actions() widget.Actions { return s.actions }

// Hints are the keys of the bottom line.
func (s *findingsScreen) Hints() widget.Actions {
	as := append(widget.Actions{}, s.actions...)
	if s.onLinks {
		as[1].Desc = "findings"
	}
	return append(as, widget.Action{Name: "search", Binding: widget.Bind("/", "/"), Desc: "search"})
}

// scrolls reports whether a key scrolls the explanation: a long one does so while
// the list has the keys.
func (s *findingsScreen) scrolls(key string) bool {
	return key == "pgdown" && !s.text.AtEnd() || key == "pgup" && s.text.Top() > 0
}

func (s *findingsScreen) nothing() string {
	if s.chosen() == nil {
		return "no finding is chosen"
	}
	return ""
}

func (s *findingsScreen) noLinks() string {
	switch {
	case s.chosen() == nil:
		return "no finding is chosen"
	case len(s.links) == 0:
		return "it is about the document as a whole"
	}
	return ""
}

// enter goes to what is chosen. From the list it chooses first, unless there is
// one place only.
func (s *findingsScreen) enter() tea.Cmd {
	if !s.onLinks && len(s.links) > 1 {
		s.focusLinks(true)
		return nil
	}
	if _, i, ok := s.touches.Selected(); ok && i < len(s.links) {
		return screen.Open(s.links[i].to)
	}
	return nil
}

func (s *findingsScreen) swap() tea.Cmd {
	s.focusLinks(!s.onLinks)
	return nil
}

func (s *findingsScreen) copyFinding() tea.Cmd {
	f := s.chosen()
	return screen.Send(screen.CopyMsg{Text: findingText(s.env.Session.Profile().Name, f), What: "finding " + f.ID})
}

// Update handles what the root does not take for itself.
func (s *findingsScreen) Update(msg tea.Msg) tea.Cmd {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok && !s.list.Typing() {
		return nil
	}
	if !s.list.Typing() {
		if cmd, used := screen.Press(s.actions, press); used {
			return cmd
		}
		if press.String() == "/" {
			s.focusLinks(false)
		}
	}
	switch {
	case s.onLinks:
		s.touches.Update(msg)
		return nil
	case ok && s.scrolls(press.String()):
		s.text.Update(msg)
		return nil
	}
	cmd, _ := s.list.Update(msg)
	s.refresh()
	return cmd
}

// Click chooses a finding, or goes to what it touches.
func (s *findingsScreen) Click(x, y int) tea.Cmd {
	switch l := s.lay; {
	case l.list.Has(x, y):
		s.focusLinks(false)
		s.list.Click(x-l.list.X-1, y-l.list.Y-1)
		s.refresh()
	case l.links.Has(x, y) && len(s.links) > 0:
		focused := s.onLinks
		s.focusLinks(true)
		if again, _ := s.touches.Click(x-l.links.X-1, y-l.links.Y-1); again && focused {
			return s.enter()
		}
	}
	return nil
}

// Wheel scrolls what the pointer is on.
func (s *findingsScreen) Wheel(x, y int, up bool) tea.Cmd {
	switch l := s.lay; {
	case l.list.Has(x, y):
		s.list.Wheel(up)
		s.refresh()
	case l.links.Has(x, y):
		s.touches.Wheel(up)
	default:
		s.text.Wheel(up)
	}
	return nil
}

// Cursor is the terminal's cursor in the search.
func (s *findingsScreen) Cursor() *tea.Cursor {
	return widget.MoveCursor(s.list.Cursor(), s.lay.list.X+1, s.lay.list.Y+1)
}
