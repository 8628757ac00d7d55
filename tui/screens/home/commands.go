package home

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// Commands returns the queues, patterns and states of the schemas of the connection. Name is another name of the entry.
// Patterns and states have no Section, so the palette lists them only as matches.
func (h *Home) Commands() []screen.Command {
	var queues, matches []screen.Command
	for _, p := range h.find.schemas() {
		add := func(to *[]screen.Command, c screen.Command, then func(*screen.Env) screen.Target) {
			c.ID, c.Note, c.Words = p.Name+" "+c.Kind+" "+c.Name, present.Join(c.Note, p.Name, " · "), c.Words+" "+p.Name
			c.Run = func() tea.Cmd { return h.counter.openFunc(p, then)() }
			*to = append(*to, c)
		}
		for _, q := range p.Queues {
			words := q.Description
			for _, a := range q.Actions {
				words += " " + a.ID + " " + a.Title
			}
			add(&queues, screen.Command{Section: "Queues", Kind: "queue", Title: q.Title, Name: q.ID, Words: words},
				func(*screen.Env) screen.Target { return screen.Queue{ID: q.ID} })
		}
		for _, q := range p.Patterns {
			add(&matches, screen.Command{Kind: "pattern", Title: q.Title, Name: q.ID, Words: strings.ReplaceAll(q.ID, "-", " ")},
				func(env *screen.Env) screen.Target {
					return screen.Patterns{Pattern: env.Session.Profile().Pattern(q.ID)}
				})
		}
		for _, l := range p.Lifecycles {
			for _, s := range l.States {
				c := screen.Command{Kind: "state", Title: s.Name, Name: s.Label, Note: present.EntityName(l.Entity)}
				if h.plain() {
					c.Title, c.Name = cmp.Or(s.Label, s.Name), s.Name
				}
				c.Words = c.Note + " " + l.Attribute
				add(&matches, c, func(env *screen.Env) screen.Target { return stateTarget(env, l, s.Name) })
			}
		}
	}
	return append(queues, matches...)
}
