package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/testing/canary"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/screens/workbench"
)

func (x *canaryUser) closeBoxes() {
	x.m.layers.palette, x.m.layers.dialog, x.m.layers.offer = nil, nil, nil
}

// reset closes all boxes and returns to the workbench.
func (x *canaryUser) reset() {
	x.closeBoxes()
	for len(x.m.screens.stack) > 2 {
		x.m.back()
	}
	x.settle()
	if x.m.isAtHome() {
		x.feed(x.m.home.Enter(x.p, nil)) // The key opens the row under the cursor, maybe a queue.
		x.settle()
	}
}

// items opens one item of every kind, and uses all its views.
func (x *canaryUser) items() {
	of := map[*models.Entity]bool{}
	for _, marked := range x.g.Items {
		if of[marked.Entity] || x.one && marked.Entity != x.g.Profile.Entities[0] {
			continue
		}
		of[marked.Entity] = true
		name := "(no kind)"
		if marked.Entity != nil {
			name = marked.Entity.Name
		}
		x.reset()
		x.where = name
		x.openMarked(marked)
		x.item(name)
	}
}

// openMarked opens an item, and records how to open it again.
func (x *canaryUser) openMarked(marked canary.MarkedItem) {
	table := x.p.Table(marked.Table.ID)
	x.found = marked
	x.reopen = func() {
		x.feed(x.m.show(screen.Item{Table: table, Item: marked.Item}))
		x.place = x.m.top()
		x.settle()
	}
	x.reopen()
}

// openFullest opens the item with the most personal data.
func (x *canaryUser) openFullest() {
	best, maximum := x.found, -1
	for _, marked := range x.g.Items {
		if n := len(x.markers(marked)); marked.Entity != nil && n > maximum {
			best, maximum = marked, n
		}
	}
	x.openMarked(best)
}

// markers returns the personal data in an item.
func (x *canaryUser) markers(marked canary.MarkedItem) []canary.Marker {
	var list []canary.Marker
	for _, s := range x.g.Watch.Find(items.JSON.Item(marked.Item)) {
		if !s.Marker.Secret && s.Marker.Value != "" {
			list = append(list, s.Marker)
		}
	}
	return list
}

// item uses every operation on the current item.
func (x *canaryUser) item(name string) {
	for tab := 1; tab <= 5; tab++ {
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
	x.pressAccepted(name)
	x.where = name + ", export"
	x.press("o", "E", "right", "esc")
	x.where = name + ", compare"
	x.press("=", "down", "enter", "2", "G", "y", "j", "s", "esc")
	x.back()
	x.where = name + ", bookmark"
	x.pressAction("bookmark")
	x.press("enter", "esc", ":bookmarks", "down", "enter", "esc")
	x.back()
	x.where = name + ", decoded"
	x.pressAction("decode-key")
	x.press("tab", "tab", "esc")
	x.back()
	x.where = name + ", related"
	x.press("3")
	for i := range x.variants(5) {
		x.press("g")
		for range i {
			x.press("down")
		}
		x.press("enter")
		if x.m.top() != x.place {
			x.rows()
		}
		x.back()
		x.press("3")
	}
	x.where = name + ", history"
	x.press(":visited", "down", "down", "esc")
	x.where = name + ", palette"
	x.press(":")
	x.text("person")
	x.press("esc")
	x.back()
	x.changes(name)
}

// variants returns how many of n variants to use.
func (x *canaryUser) variants(n int) int {
	if x.quick {
		return (n + 3) / 4
	}
	return n
}

// back returns to the item from any screen.
func (x *canaryUser) back() {
	x.t.Helper()
	x.checkRevealed()
	x.closeBoxes()
	for len(x.m.screens.stack) > 3 {
		x.m.back()
	}
	for range 3 { // Close a box or a screen, but not all of them, because home ends the reveal.
		if x.m.top() == x.place {
			x.send(pressed("esc"))
		}
	}
	x.settle()
	if x.m.top() != x.place {
		x.reset()
		x.reopen()
	}
}

// pressAccepted copies, pages and saves with every entry of the copy menu.
func (x *canaryUser) pressAccepted(name string) {
	x.where = name + ", take"
	for i := range x.variants(14) {
		for _, keys := range [][]string{{"enter"}, {"right", "down", "enter"}}[:x.variants(2)] {
			x.press("y")
			for range i {
				x.send(pressed("down"))
			}
			x.press(append(keys, "esc")...)
			x.back()
		}
	}
}

// rows uses every operation on rows.
func (x *canaryUser) rows() {
	x.toRows()
	defer x.keepScreens()()
	x.press("down", "right", "right", "G", "g", "x")
	x.press("y", "esc", "o", "I", "esc", "v", "c", "esc", "v", "g", "l", "l", "G", "esc", "v", "r", "G", "esc", "s", "enter", "esc", "space")
	for _, key := range []string{"r", "T", "K", "g", "i", "c", "p", "j", "d", "k", "v"}[:x.variants(11)] {
		x.press("y", key, "esc")
	}
	x.press("o", "E", "esc")
}

// changes plans every action on the item, and applies those that it can.
func (x *canaryUser) changes(name string) {
	x.where = name + ", changes"
	x.press("o")
	for i := range x.variants(6) {
		x.press("o")
		for range i {
			x.send(pressed("down"))
		}
		if strings.Contains(x.screen(), "▌ R  Reveal") {
			x.press("esc")
			continue // The dialog repeats the value that it asks for.
		}
		x.press("enter")
		x.text("because")
		x.press("enter", "pgdown", "pgdown", "y")
		time.Sleep(queueGrace)
		x.press("tab", "enter")
		time.Sleep(queueGrace)
		x.press("enter", "u", "esc", "esc")
		x.back()
	}
	x.press("a", "down", "enter", "G", "esc")
	x.back()
	x.restore()
}

// patterns runs every pattern with arguments that items show.
func (x *canaryUser) patterns() {
	requested := map[string]bool{}
	for _, marked := range x.g.Items {
		if marked.Entity == nil {
			continue
		}
		view := accesspatterns.ItemView(marked.Entity, marked.Item)
		for _, r := range accesspatterns.Relations(x.g.Profile.Patterns, x.g.Profile.Entities, view) {
			if requested[r.Pattern.ID] || len(x.g.Watch.Find(fmt.Sprint(r.Args))) > 0 {
				continue
			}
			requested[r.Pattern.ID] = true
			x.ask(r.Pattern.ID, r.Args)
			x.rows()
		}
	}
	for _, p := range x.g.Profile.Patterns {
		if p.IsRead() && !requested[p.ID] && !slices.ContainsFunc(p.Params, func(q *accesspatterns.Param) bool { return q.Required }) {
			x.ask(p.ID, map[string]string{})
			x.rows()
		}
	}
}

// typedPatterns runs patterns with masked values that the user types. The screen may show them to this user, but no
// file may contain them.
func (x *canaryUser) typedPatterns() {
	requested := map[string]bool{}
	for _, marked := range x.g.Items {
		if marked.Entity == nil {
			continue
		}
		view := accesspatterns.ItemView(marked.Entity, marked.Item)
		for _, r := range accesspatterns.Relations(x.g.Profile.Patterns, x.g.Profile.Entities, view) {
			found := x.g.Watch.Find(fmt.Sprint(r.Args))
			if requested[r.Pattern.ID] || len(found) == 0 || slices.ContainsFunc(
				found, func(s canary.Sighting) bool { return s.Marker.Secret },
			) {
				continue
			}
			requested[r.Pattern.ID] = true
			for _, arg := range r.Args {
				x.typed = append(x.typed, arg)
			}
			x.ask(r.Pattern.ID, r.Args)
			x.pressAction("bookmark")
			x.text("canaryFixture")
			x.press("enter", "esc")
			x.rows()
		}
	}
	x.reset()
	x.press(":visited", "down", "enter", "esc", ":bookmarks", "enter", "esc")
	x.reset()
}

func (x *canaryUser) ask(id string, args map[string]string) {
	x.reset()
	x.where = id
	b, ok := x.m.top().screen.(*workbench.Workbench)
	if !ok {
		x.t.Fatalf("the workbench is not open:\n%s", x.screen())
	}
	x.feed(x.m.route(x.m.top(), b.Show(x.p.Pattern(id), args, true)))
	x.settle()
	time.Sleep(queueGrace)
	if strings.Contains(x.screen(), "Read the whole table?") {
		x.press("tab", "enter")
	}
	x.toRows()
}

// toRows moves the focus to the rows.
func (x *canaryUser) toRows() {
	if strings.Contains(x.screen(), "enter go to rows") {
		x.press("enter")
	}
}

// revealAndHide reveals an item with a reason, copies its data and hides it again.
func (x *canaryUser) revealAndHide() {
	x.reset()
	defer x.keepScreens()() // Home would end the reveal.
	x.openFullest()
	x.reveal("a request of the customer")
	quick := x.quick
	x.quick = true
	x.item("revealed")
	x.quick = quick
	x.checkRevealed()
	x.where = "revealed, all of it"
	x.press("5", "g")
	for before := ""; before != x.screen(); { // to the end, one page at a time
		before = x.screen()
		x.press("pgdown")
	}
	x.exportRevealed()
	x.checkRevealed()
	for _, marker := range x.markers(x.found) {
		if !x.shown[marker.Value] {
			x.t.Errorf("%s: %s is revealed but not shown", x.role, marker.Where)
		}
	}
	x.hideEverywhere()
	x.where = "hidden again"
	if !x.one {
		x.item("hidden again")
	}
}

// reveal reveals the data of the current item.
func (x *canaryUser) reveal(reason string) {
	x.where, x.reason, x.noted, x.shown = "revealed", reason, false, map[string]bool{}
	x.pressAction("reveal")
	x.text(reason)
	time.Sleep(queueGrace)
	if x.journal(reason) {
		x.t.Errorf("%s: the journal contains a reveal before it was confirmed", x.role)
	}
	x.open = true
	x.press("tab", "tab", "enter")
	x.checkRevealed()
}

// checkRevealed fails if the reveal has ended.
func (x *canaryUser) checkRevealed() {
	x.t.Helper()
	if x.open && x.m.env.Session.Masker().Hides(models.PII) {
		x.t.Fatalf("%s, %s: the reveal has ended:\n%s", x.role, x.where, x.screen())
	}
}

// exportRevealed exports revealed data. The journal records it, and the file contains no secrets.
func (x *canaryUser) exportRevealed() {
	x.where = "revealed, export"
	for _, keys := range [][]string{{"o", "E", "tab"}, {"y", "down", "down", "down", "down", "right", "up", "enter"}} {
		x.press(keys...)
		x.saveAs("item by " + keys[0])
		x.back()
	}
	const everybody = "list-people"
	if x.p.Pattern(everybody) == nil {
		return // Only the awkward profile reads all at once.
	}
	x.where = "revealed, rows"
	x.ask(everybody, map[string]string{})
	x.press("down", "y", "down", "right", "up", "enter")
	x.saveAs("row")
	x.press("y", "down", "right", "down", "enter")
}

// saveAs enters the path of a file, and searches the file.
func (x *canaryUser) saveAs(as string) {
	x.t.Helper()
	name := ""
	for line := range strings.Lines(x.screen()) {
		if _, rest, found := strings.Cut(line, "file*"); found {
			name, _, _ = strings.Cut(rest, "│")
		}
	}
	if name == "" {
		x.t.Errorf("%s, %s: the file has no name:\n%s", x.role, as, x.screen())
	}
	x.inspect("name of a file", name)
	path := filepath.Join(x.t.TempDir(), as)
	x.press("ctrl+u")
	x.text(path)
	x.press("enter", "esc")
	text, err := os.ReadFile(path)
	if err != nil || !x.journal(path) {
		x.t.Fatalf("%s, %s: saved: %v, journaled: %v\n%s", x.role, as, err, x.journal(path), x.screen())
	}
	x.inspect(as, string(text))
	if x.seen[as+", revealed"] == 0 {
		x.t.Errorf("%s: %s contains no revealed data:\n%s", x.role, as, text)
	}
	x.checkRevealed()
	x.m.layers.dialog = nil
}

// hideEverywhere opens screens with revealed data on top of each other and hides the data. None of the screens may
// still show it.
func (x *canaryUser) hideEverywhere() {
	for i := range 4 {
		if !x.open {
			x.reopen()
			x.reveal(fmt.Sprintf("to look again, time %d", i))
		}
		x.where = fmt.Sprintf("revealed, on many screens, %d", i)
		x.openRevealed(i)
		x.checkRevealed()
		x.where = fmt.Sprintf("hidden, on many screens, %d", i)
		x.open, x.frames = false, map[uint64]bool{}
		if i == 3 {
			x.goesHome()
		} else {
			for range 6 { // A list cannot reveal data itself.
				if _, ok := x.m.top().screen.Actions().Named("reveal"); !ok {
					x.press("alt+left")
				}
			}
			x.pressAction("reveal")
			x.frame() // before the screen reads its rows again
			x.settle()
		}
		if !x.m.env.Session.Masker().Hides(models.PII) {
			x.t.Fatalf("%s: the data is still revealed:\n%s", x.role, x.screen())
		}
		for _, key := range []string{"alt+left", "alt+right"} {
			for range 6 {
				if key == "alt+right" || len(x.m.screens.stack) > x.floor {
					x.press(key, ":visited", "down", "enter", ":", "esc", "tab", "y", "enter", "esc", "|", "enter", "esc", "?", "esc", "E", "esc")
				}
			}
		}
		x.press(":bookmarks", "enter", "esc")
		x.reset()
	}
}

// openRevealed opens several screens with revealed data.
func (x *canaryUser) openRevealed(i int) {
	for _, marked := range x.g.Items { // The top line keeps their titles.
		if marked.Entity != x.found.Entity {
			x.feed(x.m.show(screen.Item{Table: x.p.Table(marked.Table.ID), Item: marked.Item}))
			x.settle()
		}
	}
	x.reopen()
	x.press("3")
	for range i {
		x.press("down")
	}
	x.press("enter")
	x.toRows()
	x.leaveInputs()
	leave := x.keepScreens()
	defer leave()
	if i == 1 { // the result of a query
		x.press("/")
		x.text(".email")
		x.press("enter", "y", "enter", "esc")
	}
	if i != 1 {
		x.press("enter")
	}
	x.press("y", "enter", "P", "alt+left")
	x.leaveInputs()
}

// goesHome goes home and returns to each screen of the profile.
func (x *canaryUser) goesHome() {
	x.press("alt+home", ":", "esc")
	if !x.m.isAtHome() {
		x.t.Fatalf("%s: not at home:\n%s", x.role, x.screen())
	}
	for len(x.m.screens.ahead) > 0 {
		x.press("alt+right")
	}
	x.press("alt+home", ":visited", "alt+home")
	x.reset()
}

// leaveInputs closes every text input.
func (x *canaryUser) leaveInputs() {
	for range 3 {
		if isTyping(x.m.top().screen) {
			x.press("esc")
		}
	}
}

// queues opens the queues, the drift search, and the screens about the schema.
func (x *canaryUser) queues() {
	x.reset()
	for _, key := range []string{"i", ":drift", "S", ":issues", ":bookmarks", "a", ":audit", ":tail", ":visited", "?", ":"} {
		x.where = "screen " + key
		x.press(
			key, "enter", "tab", "enter", "down", "right", "G", "y", "enter", "esc", "o", "E", "esc", "tab", "y", "esc", "o", "f",
			"esc", "o", "esc",
		)
		x.reset()
	}
	x.where = "sweep"
	x.press("i", "space", "space", "space", "o", "enter")
	x.text("because")
	x.press("enter", "pgdown", "pgdown")
	time.Sleep(queueGrace)
	x.press("tab", "enter")
	time.Sleep(queueGrace)
	x.press("enter", "y", "enter", "esc")
	x.reset()
	x.restore()
}
