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

func (u *canaryUser) closeBoxes() {
	u.m.layers.palette, u.m.layers.dialog, u.m.layers.offer = nil, nil, nil
}

// reset closes all boxes and returns to the workbench.
func (u *canaryUser) reset() {
	u.closeBoxes()
	for len(u.m.screens.stack) > 2 {
		u.m.back()
	}
	u.settle()
	if u.m.isAtHome() {
		u.feed(u.m.home.Enter(u.p, nil)) // The key opens the row under the cursor, maybe a queue.
		u.settle()
	}
}

// useItems opens one item of every kind, and uses all its views.
func (u *canaryUser) useItems() {
	opened := map[*models.Entity]bool{}
	for _, marked := range u.g.Items {
		if opened[marked.Entity] || u.oneKind && marked.Entity != u.g.Profile.Entities[0] {
			continue
		}
		opened[marked.Entity] = true
		name := "(no kind)"
		if marked.Entity != nil {
			name = marked.Entity.Name
		}
		u.reset()
		u.where = name
		u.openMarked(marked)
		u.useItem(name)
	}
}

// openMarked opens an item, and records how to open it again.
func (u *canaryUser) openMarked(marked canary.MarkedItem) {
	table := u.p.Table(marked.Table.ID)
	u.currentItem = marked
	u.reopenItem = func() {
		u.feed(u.m.show(screen.Item{Table: table, Item: marked.Item}))
		u.place = u.m.top()
		u.settle()
	}
	u.reopenItem()
}

// openFullest opens the item with the most personal data.
func (u *canaryUser) openFullest() {
	best, maximum := u.currentItem, -1
	for _, marked := range u.g.Items {
		if n := len(u.markers(marked)); marked.Entity != nil && n > maximum {
			best, maximum = marked, n
		}
	}
	u.openMarked(best)
}

// markers returns the personal data in an item.
func (u *canaryUser) markers(marked canary.MarkedItem) []canary.Marker {
	var list []canary.Marker
	for _, s := range u.g.Watch.Find(items.JSON.Item(marked.Item)) {
		if !s.Marker.Secret && s.Marker.Value != "" {
			list = append(list, s.Marker)
		}
	}
	return list
}

// useItem uses every operation on the current item.
func (u *canaryUser) useItem(name string) {
	for tab := 1; tab <= 5; tab++ {
		u.where = fmt.Sprintf("%s, tab %d", name, tab)
		u.press(fmt.Sprint(tab), "z", "G")
		if !u.quick {
			u.press("pgup", "g")
		}
		u.press("down", "enter")
		u.returnToItem()
	}
	u.where = name + ", search"
	u.press("1", "/")
	u.text("note")
	u.press("enter", "esc")
	u.useCopyMenu(name)
	u.where = name + ", export"
	u.press("o", "E", "right", "esc")
	u.where = name + ", compare"
	u.press("=", "down", "enter", "2", "G", "y", "j", "s", "esc")
	u.returnToItem()
	u.where = name + ", bookmark"
	u.pressAction("bookmark")
	u.press("enter", "esc", ":bookmarks", "down", "enter", "esc")
	u.returnToItem()
	u.where = name + ", decoded"
	u.pressAction("decode-key")
	u.press("tab", "tab", "esc")
	u.returnToItem()
	u.where = name + ", related"
	u.press("3")
	for i := range u.variantCount(5) {
		u.press("g")
		for range i {
			u.press("down")
		}
		u.press("enter")
		if u.m.top() != u.place {
			u.useRows()
		}
		u.returnToItem()
		u.press("3")
	}
	u.where = name + ", history"
	u.press(":visited", "down", "down", "esc")
	u.where = name + ", palette"
	u.press(":")
	u.text("person")
	u.press("esc")
	u.returnToItem()
	u.planChanges(name)
}

// variantCount returns how many of n variants to use.
func (u *canaryUser) variantCount(n int) int {
	if u.quick {
		return (n + 3) / 4
	}
	return n
}

// returnToItem returns to the item from any screen.
func (u *canaryUser) returnToItem() {
	u.t.Helper()
	u.checkRevealed()
	u.closeBoxes()
	for len(u.m.screens.stack) > 3 {
		u.m.back()
	}
	for range 3 { // Close a box or a screen, but not all of them, because home ends the reveal.
		if u.m.top() == u.place {
			u.send(pressed("esc"))
		}
	}
	u.settle()
	if u.m.top() != u.place {
		u.reset()
		u.reopenItem()
	}
}

// useCopyMenu copies each entry of the copy menu and opens it in the pager, the second destination of an entry. A quick
// run uses only the first entries, and only copies them.
func (u *canaryUser) useCopyMenu(name string) {
	u.where = name + ", copy"
	for i := range u.variantCount(14) {
		for _, keys := range [][]string{{"enter"}, {"right", "down", "enter"}}[:u.variantCount(2)] {
			u.press("y")
			for range i {
				u.send(pressed("down"))
			}
			u.press(append(keys, "esc")...)
			u.returnToItem()
		}
	}
}

// useRows uses every operation on rows.
func (u *canaryUser) useRows() {
	u.focusRows()
	defer u.keepScreens()()
	u.press("down", "right", "right", "G", "g", "x")
	u.press("y", "esc", "o", "I", "esc", "v", "c", "esc", "v", "g", "l", "l", "G", "esc", "v", "r", "G", "esc", "s", "enter", "esc", "space")
	for _, key := range []string{"r", "T", "K", "g", "i", "c", "p", "j", "d", "k", "v"}[:u.variantCount(11)] {
		u.press("y", key, "esc")
	}
	u.press("o", "E", "esc")
}

// planChanges plans every action on the item, and applies those that it can.
func (u *canaryUser) planChanges(name string) {
	u.where = name + ", changes"
	u.press("o")
	for i := range u.variantCount(6) {
		u.press("o")
		for range i {
			u.send(pressed("down"))
		}
		if strings.Contains(u.screen(), "▌ R  Reveal") {
			u.press("esc")
			continue // The dialog repeats the value that it asks for.
		}
		u.press("enter")
		u.text("because")
		u.press("enter", "pgdown", "pgdown", "y")
		time.Sleep(queueGrace)
		u.press("tab", "enter")
		time.Sleep(queueGrace)
		u.press("enter", "u", "esc", "esc")
		u.returnToItem()
	}
	u.press("a", "down", "enter", "G", "esc")
	u.returnToItem()
	u.restore()
}

// runPatterns runs every pattern with arguments that items show.
func (u *canaryUser) runPatterns() {
	requested := map[string]bool{}
	for _, marked := range u.g.Items {
		if marked.Entity == nil {
			continue
		}
		view := accesspatterns.ItemView(marked.Entity, marked.Item)
		for _, r := range accesspatterns.Relations(u.g.Profile.Patterns, u.g.Profile.Entities, view) {
			if requested[r.Pattern.ID] || len(u.g.Watch.Find(fmt.Sprint(r.Args))) > 0 {
				continue
			}
			requested[r.Pattern.ID] = true
			u.ask(r.Pattern.ID, r.Args)
			u.useRows()
		}
	}
	for _, p := range u.g.Profile.Patterns {
		if p.IsRead() && !requested[p.ID] && !slices.ContainsFunc(p.Params, func(q *accesspatterns.Param) bool { return q.Required }) {
			u.ask(p.ID, map[string]string{})
			u.useRows()
		}
	}
}

// runTypedPatterns runs patterns with masked values that the user types. The screen may show them to this user, but no
// file may contain them.
func (u *canaryUser) runTypedPatterns() {
	requested := map[string]bool{}
	for _, marked := range u.g.Items {
		if marked.Entity == nil {
			continue
		}
		view := accesspatterns.ItemView(marked.Entity, marked.Item)
		for _, r := range accesspatterns.Relations(u.g.Profile.Patterns, u.g.Profile.Entities, view) {
			found := u.g.Watch.Find(fmt.Sprint(r.Args))
			if requested[r.Pattern.ID] || len(found) == 0 || slices.ContainsFunc(
				found, func(s canary.Sighting) bool { return s.Marker.Secret },
			) {
				continue
			}
			requested[r.Pattern.ID] = true
			for _, arg := range r.Args {
				u.typed = append(u.typed, arg)
			}
			u.ask(r.Pattern.ID, r.Args)
			u.pressAction("bookmark")
			u.text("canaryFixture")
			u.press("enter", "esc")
			u.useRows()
		}
	}
	u.reset()
	u.press(":visited", "down", "enter", "esc", ":bookmarks", "enter", "esc")
	u.reset()
}

func (u *canaryUser) ask(id string, args map[string]string) {
	u.reset()
	u.where = id
	b, ok := u.m.top().screen.(*workbench.Workbench)
	if !ok {
		u.t.Fatalf("the workbench is not open:\n%s", u.screen())
	}
	u.feed(u.m.route(u.m.top(), b.Show(u.p.Pattern(id), args, true)))
	u.settle()
	time.Sleep(queueGrace)
	if strings.Contains(u.screen(), "Read the whole table?") {
		u.press("tab", "enter")
	}
	u.focusRows()
}

// focusRows moves the focus to the rows.
func (u *canaryUser) focusRows() {
	if strings.Contains(u.screen(), "enter go to rows") {
		u.press("enter")
	}
}

// revealAndHide reveals an item with a reason, copies its data and hides it again.
func (u *canaryUser) revealAndHide() {
	u.reset()
	defer u.keepScreens()() // Home would end the reveal.
	u.openFullest()
	u.reveal("a request of the customer")
	quick := u.quick
	u.quick = true
	u.useItem("revealed")
	u.quick = quick
	u.checkRevealed()
	u.where = "revealed, all of it"
	u.press("5", "g")
	for before := ""; before != u.screen(); { // to the end, one page at a time
		before = u.screen()
		u.press("pgdown")
	}
	u.exportRevealed()
	u.checkRevealed()
	for _, marker := range u.markers(u.currentItem) {
		if !u.shown[marker.Value] {
			u.t.Errorf("%s: %s is revealed, but not visible", u.role, marker.Where)
		}
	}
	u.hideEverywhere()
	u.where = "hidden again"
	if !u.oneKind {
		u.useItem("hidden again")
	}
}

// reveal reveals the data of the current item.
func (u *canaryUser) reveal(reason string) {
	u.where, u.reason, u.isJournaled, u.shown = "revealed", reason, false, map[string]bool{}
	u.pressAction("reveal")
	u.text(reason)
	time.Sleep(queueGrace)
	if u.journal(reason) {
		u.t.Errorf("%s: the journal contains a reveal before it was confirmed", u.role)
	}
	u.wasRevealed = true
	u.press("tab", "tab", "enter")
	u.checkRevealed()
}

// checkRevealed fails if the reveal has ended.
func (u *canaryUser) checkRevealed() {
	u.t.Helper()
	if u.wasRevealed && u.m.env.Session.Masker().Hides(models.PII) {
		u.t.Fatalf("%s, %s: the reveal ended:\n%s", u.role, u.where, u.screen())
	}
}

// exportRevealed exports revealed data. The journal records it, and the file contains no secrets.
func (u *canaryUser) exportRevealed() {
	u.where = "revealed, export"
	for _, keys := range [][]string{{"o", "E", "tab"}, {"y", "down", "down", "down", "down", "right", "up", "enter"}} {
		u.press(keys...)
		u.saveAs("item by " + keys[0])
		u.returnToItem()
	}
	const everybody = "list-people"
	if u.p.Pattern(everybody) == nil {
		return // Only the awkward schema reads all at once.
	}
	u.where = "revealed, rows"
	u.ask(everybody, map[string]string{})
	u.press("down", "y", "down", "right", "up", "enter")
	u.saveAs("row")
	u.press("y", "down", "right", "down", "enter")
}

// saveAs enters the path of a file, and searches the file.
func (u *canaryUser) saveAs(file string) {
	u.t.Helper()
	name := ""
	for line := range strings.Lines(u.screen()) {
		if _, rest, found := strings.Cut(line, "file*"); found {
			name, _, _ = strings.Cut(rest, "│")
		}
	}
	if name == "" {
		u.t.Errorf("%s, %s: the file name is empty:\n%s", u.role, file, u.screen())
	}
	u.inspect("name of a file", name)
	path := filepath.Join(u.t.TempDir(), file)
	u.press("ctrl+u")
	u.text(path)
	u.press("enter", "esc")
	text, err := os.ReadFile(path)
	if err != nil || !u.journal(path) {
		u.t.Fatalf("%s, %s: saved: %v, journaled: %v\n%s", u.role, file, err, u.journal(path), u.screen())
	}
	u.inspect(file, string(text))
	if u.seen[file+", revealed"] == 0 {
		u.t.Errorf("%s: %s contains no revealed data:\n%s", u.role, file, text)
	}
	u.checkRevealed()
	u.m.layers.dialog = nil
}

// hideEverywhere opens screens with revealed data on top of each other and hides the data. None of the screens may
// still show it.
func (u *canaryUser) hideEverywhere() {
	for i := range 4 {
		if !u.wasRevealed {
			u.reopenItem()
			u.reveal(fmt.Sprintf("to look again, time %d", i))
		}
		u.where = fmt.Sprintf("revealed, on many screens, %d", i)
		u.openRevealed(i)
		u.checkRevealed()
		u.where = fmt.Sprintf("hidden, on many screens, %d", i)
		u.wasRevealed, u.frames = false, map[uint64]bool{}
		if i == 3 {
			u.leaveProfile()
		} else {
			for range 6 { // A list cannot reveal data itself.
				if _, ok := u.m.top().screen.Actions().Named("reveal"); !ok {
					u.press("alt+left")
				}
			}
			u.pressAction("reveal")
			u.frame() // before the screen reads its rows again
			u.settle()
		}
		if !u.m.env.Session.Masker().Hides(models.PII) {
			u.t.Fatalf("%s: the personal data is still visible:\n%s", u.role, u.screen())
		}
		for _, key := range []string{"alt+left", "alt+right"} {
			for range 6 {
				if key == "alt+right" || len(u.m.screens.stack) > u.minScreens {
					u.press(key, ":visited", "down", "enter", ":", "esc", "tab", "y", "enter", "esc", "|", "enter", "esc", "?", "esc", "E", "esc")
				}
			}
		}
		u.press(":bookmarks", "enter", "esc")
		u.reset()
	}
}

// openRevealed opens several screens with revealed data.
func (u *canaryUser) openRevealed(i int) {
	for _, marked := range u.g.Items { // The top line keeps their titles.
		if marked.Entity != u.currentItem.Entity {
			u.feed(u.m.show(screen.Item{Table: u.p.Table(marked.Table.ID), Item: marked.Item}))
			u.settle()
		}
	}
	u.reopenItem()
	u.press("3")
	for range i {
		u.press("down")
	}
	u.press("enter")
	u.focusRows()
	u.leaveInputs()
	leave := u.keepScreens()
	defer leave()
	if i == 1 { // the result of a query
		u.press("/")
		u.text(".email")
		u.press("enter", "y", "enter", "esc")
	}
	if i != 1 {
		u.press("enter")
	}
	u.press("y", "enter", "P", "alt+left")
	u.leaveInputs()
}

// leaveProfile goes home and returns to each screen of the schema.
func (u *canaryUser) leaveProfile() {
	u.press("alt+home", ":", "esc")
	if !u.m.isAtHome() {
		u.t.Fatalf("%s: home is not open:\n%s", u.role, u.screen())
	}
	for len(u.m.screens.ahead) > 0 {
		u.press("alt+right")
	}
	u.press("alt+home", ":visited", "alt+home")
	u.reset()
}

// leaveInputs closes every text input.
func (u *canaryUser) leaveInputs() {
	for range 3 {
		if isTyping(u.m.top().screen) {
			u.press("esc")
		}
	}
}

// useQueues opens the queues, the drift search, and the screens about the schema.
func (u *canaryUser) useQueues() {
	u.reset()
	for _, key := range []string{"i", ":drift", "S", ":issues", ":bookmarks", "a", ":audit", ":tail", ":visited", "?", ":"} {
		u.where = "screen " + key
		u.press(
			key, "enter", "tab", "enter", "down", "right", "G", "y", "enter", "esc", "o", "E", "esc", "tab", "y", "esc", "o", "f",
			"esc", "o", "esc",
		)
		u.reset()
	}
	u.where = "sweep"
	u.press("i", "space", "space", "space", "o", "enter")
	u.text("because")
	u.press("enter", "pgdown", "pgdown")
	time.Sleep(queueGrace)
	u.press("tab", "enter")
	time.Sleep(queueGrace)
	u.press("enter", "y", "enter", "esc")
	u.reset()
	u.restore()
}
