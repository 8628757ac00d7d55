// This file is the ways through the console on which planted values are looked
// for.

package tui

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/canary"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screens"
)

// reset goes back to the workbench, whatever lies over it.
func (x *miner) reset() {
	x.m.dialog, x.m.palette, x.m.help = nil, nil, nil
	for len(x.m.stack) > 2 {
		x.m.back()
	}
	x.settle()
	if x.m.atHome() {
		x.press("esc", "enter")
	}
}

// items opens an item of every kind, and everything about it.
func (x *miner) items() {
	of := map[*models.Entity]bool{}
	for _, planted := range x.g.Items {
		if of[planted.Entity] || x.one && planted.Entity != x.g.Profile.Entities[0] {
			continue
		}
		of[planted.Entity] = true
		name := "(no kind)"
		if planted.Entity != nil {
			name = planted.Entity.Name
		}
		x.reset()
		x.where = name
		table := x.p.Table(planted.Table.ID)
		x.there = func() {
			x.feed(x.m.push(screens.NewItem(x.m.env, table, planted.Item)))
			x.place = x.m.top()
			x.settle()
		}
		x.there()
		x.item(name)
	}
}

// item goes through everything that can be done with the item in view.
func (x *miner) item(name string) {
	for tab := 1; tab <= 7; tab++ {
		x.where = fmt.Sprintf("%s, tab %d", name, tab)
		x.press(fmt.Sprint(tab), "z", "G")
		if !x.quick {
			x.press("pgup", "g")
		}
		x.press("down", "enter")
		x.back()
	}
	x.where = name + ", search"
	x.press("1", "/")
	x.text("note")
	x.press("enter", "esc")
	x.takes(name)
	x.where = name + ", export"
	x.press("E", "right", "esc")
	x.where = name + ", compare"
	x.press("=", "down", "enter", "d", "z", "G", "y", "j", "y", "l", "y", "enter", "esc")
	x.back()
	x.where = name + ", pictures"
	x.press("alt+s", "right", "right", "esc")
	x.where = name + ", bookmark"
	x.press("b", "enter", "esc", "B", "down", "enter", "esc")
	x.back()
	x.where = name + ", decoded"
	x.press("P", "tab", "tab", "esc")
	x.back()
	x.where = name + ", related"
	x.press("5")
	for i := range x.most(5) {
		x.press("g")
		for range i {
			x.press("down")
		}
		x.press("enter")
		if x.m.top() != x.place {
			x.rows()
		}
		x.back()
		x.press("5")
	}
	x.where = name + ", history"
	x.press("H", "down", "down", "esc")
	x.where = name + ", palette"
	x.press(":")
	x.text("person")
	x.press("esc")
	x.back()
	x.changes(name)
}

// most is how many of n things are tried.
func (x *miner) most(n int) int {
	if x.quick {
		return (n + 3) / 4
	}
	return n
}

// back goes back to the item, wherever the keys have led.
func (x *miner) back() {
	x.m.dialog, x.m.palette, x.m.help = nil, nil, nil
	for len(x.m.stack) > 3 {
		x.m.back()
	}
	for range 3 { // a box lies over it
		x.send(pressed("esc"))
	}
	x.settle()
	if x.m.top() != x.place {
		x.reset()
		x.there()
	}
}

// takes copies, pages and saves everything in the menu of what can be taken.
func (x *miner) takes(name string) {
	x.where = name + ", take"
	for i := range x.most(14) {
		for _, key := range []string{"enter", "|"}[:x.most(2)] {
			x.press("y")
			for range i {
				x.send(pressed("down"))
			}
			x.press(key, "esc")
			x.back()
		}
	}
}

// rows goes through everything that can be done with rows.
func (x *miner) rows() {
	x.toRows()
	x.press("down", "right", "right", "G", "g", "x")
	x.press("y", "esc", "f", "esc", "c", "esc", "v", "G", "esc", "s", "enter", "esc", "space")
	for _, key := range []string{"r", "T", "K", "g", "i", "c", "p", "j", "d", "k", "v"}[:x.most(11)] {
		x.press("y", key, "esc")
	}
	x.press("E", "esc")
}

// changes plans every action of the item, and carries out what can be.
func (x *miner) changes(name string) {
	x.where = name + ", changes"
	x.press("a")
	for i := range x.most(6) {
		x.press("a")
		for range i {
			x.send(pressed("down"))
		}
		x.press("enter")
		x.text("because")
		x.press("enter", "pgdown", "pgdown", "y")
		time.Sleep(wardGrace)
		x.press("tab", "enter")
		time.Sleep(wardGrace)
		x.press("enter", "u", "esc", "esc")
		x.back()
	}
	x.press("J", "down", "enter", "G", "esc")
	x.back()
	x.restore()
}

// patterns asks every pattern with what no item hides.
func (x *miner) patterns() {
	asked := map[string]bool{}
	for _, planted := range x.g.Items {
		if planted.Entity == nil {
			continue
		}
		view := accesspatterns.ItemView(planted.Entity, planted.Item)
		for _, r := range accesspatterns.Relations(x.g.Profile.Patterns, x.g.Profile.Entities, view) {
			if asked[r.Pattern.ID] || len(x.g.Watch.Find(fmt.Sprint(r.Args))) > 0 {
				continue
			}
			asked[r.Pattern.ID] = true
			x.ask(r.Pattern.ID, r.Args)
			x.rows()
		}
	}
	for _, p := range x.g.Profile.Patterns {
		if p.IsRead() && !asked[p.ID] && !slices.ContainsFunc(p.Params, func(q *accesspatterns.Param) bool { return q.Required }) {
			x.ask(p.ID, map[string]string{})
			x.rows()
		}
	}
}

// typedPatterns asks what only a person can ask who knows the value: it may be
// shown to that person, and stays in no file.
func (x *miner) typedPatterns() {
	asked := map[string]bool{}
	for _, planted := range x.g.Items {
		if planted.Entity == nil {
			continue
		}
		view := accesspatterns.ItemView(planted.Entity, planted.Item)
		for _, r := range accesspatterns.Relations(x.g.Profile.Patterns, x.g.Profile.Entities, view) {
			found := x.g.Watch.Find(fmt.Sprint(r.Args))
			if asked[r.Pattern.ID] || len(found) == 0 || slices.ContainsFunc(found, func(s canary.Sighting) bool { return s.Marker.Secret }) {
				continue
			}
			asked[r.Pattern.ID] = true
			for _, arg := range r.Args {
				x.typed = append(x.typed, arg)
			}
			x.ask(r.Pattern.ID, r.Args)
			x.press("b")
			x.text("mine")
			x.press("enter", "esc")
			x.rows()
		}
	}
	x.reset()
	x.press("H", "down", "enter", "esc", "B", "enter", "esc")
	x.reset()
}

func (x *miner) ask(id string, args map[string]string) {
	x.reset()
	x.where = id
	b, ok := x.m.top().screen.(*screens.Workbench)
	if !ok {
		x.t.Fatalf("no workbench, but\n%s", x.screen())
	}
	x.feed(x.m.route(x.m.top(), b.Show(x.p.Pattern(id), args, true)))
	x.settle()
	time.Sleep(wardGrace)
	if strings.Contains(x.screen(), "Read the whole table?") {
		x.press("tab", "enter")
	}
	x.toRows()
}

// toRows goes to the rows that were read.
func (x *miner) toRows() {
	if strings.Contains(x.screen(), "enter to the rows") {
		x.press("enter")
	}
}

// reveals shows personal data for a reason, takes it away, and hides it again.
func (x *miner) reveals() {
	x.where = "revealed"
	x.there()
	x.press("R")
	x.text("a request of the customer")
	time.Sleep(wardGrace)
	x.open = true
	x.press("tab", "tab", "enter")
	if x.m.env.Session.Masker().Hides(models.PII) {
		x.t.Errorf("%s: nothing is revealed:\n%s", x.role, x.screen())
	}
	quick := x.quick
	x.quick = true
	x.item("revealed")
	x.quick = quick
	x.where = "revealed, export"
	x.press("E", "tab", "tab", "ctrl+u")
	x.text(filepath.Join(x.t.TempDir(), "item.json"))
	x.press("enter", "esc", "b", "enter")
	x.back()
	x.where = "hidden again"
	x.press("R")
	if !x.m.env.Session.Masker().Hides(models.PII) {
		x.t.Errorf("%s: nothing is hidden again:\n%s", x.role, x.screen())
	}
	x.open, x.frames = false, map[uint64]bool{}
	if !x.one {
		x.item("hidden again")
	}
}

// queues goes through queues, drift, and what is about the whole schema.
func (x *miner) queues() {
	x.reset()
	for _, key := range []string{"Q", "D", "M", "F", "B", "J", "H", "?", ":"} {
		x.where = "screen " + key
		x.press(key, "enter", "tab", "enter", "down", "right", "G", "y", "enter", "esc", "E", "esc", "tab", "y", "esc", "f", "esc", "o", "esc")
		x.reset()
	}
	x.where = "bulk"
	x.press("Q", "space", "space", "space", "o", "enter")
	x.text("because")
	x.press("enter", "pgdown", "pgdown")
	time.Sleep(wardGrace)
	x.press("tab", "enter")
	time.Sleep(wardGrace)
	x.press("enter", "y", "enter", "esc")
	x.reset()
	x.restore()
}
