package home

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/find"
	"github.com/ddbdesk/ddbdesk/internal/link"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

const (
	// typingPause is how long the user must stop typing before home searches for the text.
	typingPause = 300 * time.Millisecond
	// readingTime is the time after which the user has seen a result.
	readingTime = 300 * time.Millisecond
	// minSearchLength is the minimum number of characters for a search without enter.
	minSearchLength = 3
)

// A searcher contains the search field and the results.
type searcher struct {
	h *Home

	field  *widget.SearchInput
	finder *find.Finder // searches the loaded schemas; nil before the first search
	stale  bool         // the next search needs a new finder; the current result keeps its finder
	search *find.Search // last search, or nil
	text   string       // text of the current or the last search, or ""
	result find.Result
	err    error // reason why home cannot search for the text
	// openWhenFound means that enter was pressed before the search ended. Home then opens the item if the text is its
	// own ID.
	openWhenFound bool
	pendingOffers []find.Offer  // earlier offers that the user has not accepted yet
	accepted      []find.Offer  // the offers that the search runs
	prices        []find.Offer  // all offers with estimates, or nil
	earlier       find.Result   // result of the earlier searches for the text
	pasted        bool          // the search began with a paste, with which enter may come
	refused       bool          // the last key was an enter that came too early
	otherContexts []find.Source // schemas in other contexts
	pause         *screen.Task  // pause before the search

	lines   *widget.Lines
	rows    []hitRow
	columns hitColumns
	// chosen means that enter runs an offer: the user moved the cursor, or has had time to see it. Until then, enter only
	// opens a hit or a table: the user may have pressed it before seeing the result, so it must not consent to a scan.
	chosen    bool
	readPause *screen.Task // waits until the user has had time to see the result, unless it is one item
	// resultOpened means that the user opened a result of the text. The text then counts as selected: the next paste or
	// letter replaces it, and another key edits it.
	resultOpened  bool
	showsContexts bool                    // the search covers several contexts, so the rows name them
	unfolded      map[hitKind]bool        // kinds that the user unfolded
	listedKinds   map[find.OfferKind]bool // kinds whose offers appear one per row
}

// typedText returns the search text, without the slash that starts a search on other screens.
func (f *searcher) typedText() string {
	return strings.TrimPrefix(strings.TrimSpace(f.field.Text()), "/")
}

func (f *searcher) hasText() bool { return f.typedText() != "" }

func (f *searcher) press(msg tea.KeyPressMsg) tea.Cmd {
	f.refused = false
	switch key := msg.String(); {
	case key == "esc" && f.field.Text() != "":
		f.clear()
		return nil
	case key == "enter" && f.hasText():
		return f.enter()
	case f.hasText() && (key == "up" || key == "down" || key == "pgup" || key == "pgdown"):
		f.move(msg)
		return nil
	}
	if widget.IsText(msg.String()) {
		f.clearOpenedText()
	}
	cmd, changed := f.field.Update(msg)
	f.resultOpened = false
	if changed {
		return tea.Batch(cmd, f.scheduleSearch())
	}
	return cmd
}

func (f *searcher) clearOpenedText() {
	if f.resultOpened {
		f.clear()
	}
}

func (f *searcher) paste(msg tea.PasteMsg) tea.Cmd {
	defer func() { f.pasted = true }()
	if strings.HasPrefix(strings.TrimSpace(msg.Content), "{") || strings.ContainsAny(strings.TrimSpace(msg.Content), "\n\t") {
		return f.searchFor(msg.Content)
	}
	f.clearOpenedText()
	cmd, _ := f.field.Update(msg)
	return tea.Batch(cmd, f.startSearch(f.typedText()))
}

func (f *searcher) searchFor(text string) tea.Cmd {
	f.field.Clear()
	f.field.Start()
	f.field.Update(tea.PasteMsg{Content: text})
	return f.startSearch(strings.TrimSpace(text))
}

func (f *searcher) scheduleSearch() tea.Cmd {
	f.stop()
	if len(f.typedText()) < minSearchLength {
		return nil
	}
	var cmd tea.Cmd
	f.pause, cmd = screen.After(typingPause, func() tea.Cmd { return f.startSearch(f.typedText()) })
	return cmd
}

func (f *searcher) stop() {
	if f.search != nil {
		f.search.Cancel()
	}
	f.search, f.text, f.result, f.err, f.openWhenFound, f.pendingOffers, f.accepted = nil, "", find.Result{}, nil, false, nil, nil
	f.chosen, f.resultOpened, f.refused, f.prices, f.earlier = false, false, false, nil, find.Result{}
	f.pasted, f.unfolded, f.listedKinds = false, map[hitKind]bool{}, map[find.OfferKind]bool{}
	f.pause.End()
	f.readPause.End()
	f.refresh()
}

func (f *searcher) clear() {
	f.field.Clear()
	f.field.Start()
	f.stop()
}

func (f *searcher) startSearch(text string) tea.Cmd {
	openAtOnce := f.openWhenFound && text == f.text
	f.stop()
	f.text, f.openWhenFound = text, openAtOnce
	if text == "" || !f.h.loaded || f.h.reading {
		return nil
	}
	if _, _, ok := f.h.linkedQuery(text); ok {
		f.refresh()
		return nil
	}
	if f.h.source.Missing != "" {
		f.err = errors.New("no connection is set up")
		f.refresh()
		return nil
	}
	schemaless := f.h.db.schemalessSource()
	if len(f.sources()) == 0 && schemaless == nil {
		f.err = errors.New("no schema describes a table of this connection; open a table to query it")
		if f.h.db.isListed && len(f.h.db.list) == 0 {
			f.err = errors.New("this database has no tables")
		}
		f.refresh()
		return nil
	}
	if f.finder == nil || f.stale {
		o := f.h.limits
		o.Offers, o.Similar, o.Schemaless = true, true, schemaless
		f.finder, f.stale = find.New(f.sources(), o), false
	}
	return f.watchSearch(f.finder.Search(f.h.ctx, text))
}

// schemas returns the schemas to search. If home has listed the tables, it omits schemas without a table.
func (f *searcher) schemas() []*profiles.Profile {
	return slices.DeleteFunc(slices.Clone(f.h.profiles), func(p *profiles.Profile) bool {
		return p.IsSchemaless() || f.h.db.isListed && !f.h.db.covers(p)
	})
}

func (f *searcher) sources() []find.Source {
	schemas := f.schemas()
	if w, ok := f.h.opener.(ContextFinder); ok {
		f.otherContexts = w.FindIn()
	}
	return append(models.MapSlice(schemas, func(p *profiles.Profile) find.Source {
		return find.Source{Place: find.Place{Profile: p}, Open: f.h.connector(p)}
	}), f.otherContexts...)
}

func (f *searcher) watchSearch(s *find.Search, err error) tea.Cmd {
	f.search, f.err = s, err
	f.refresh()
	if err != nil {
		return nil
	}
	return f.await(s)
}

func (f *searcher) await(s *find.Search) tea.Cmd {
	return func() tea.Msg {
		_, more := <-s.Changed()
		return screen.Answer(func() tea.Cmd { return f.update(s, more) })
	}
}

func (f *searcher) update(s *find.Search, more bool) tea.Cmd {
	if s != f.search {
		return nil // The user started another search in the meantime.
	}
	wasDone := f.result.Done
	f.result = s.Result()
	if len(f.accepted) > 0 {
		f.result = f.earlier.Continue(f.result, f.accepted)
	}
	if f.h.plain() { // A search for words reads the attributes of the other one, too.
		f.result.Offers = slices.DeleteFunc(slices.Clone(f.result.Offers), func(o find.Offer) bool {
			isIncluded := func(other find.Offer) bool { return other.Kind != o.Kind && includes(other, o) }
			return slices.ContainsFunc(f.result.Offers, isIncluded)
		})
	}
	f.refresh()
	var offerCmd, readCmd tea.Cmd
	if f.result.Done && f.openWhenFound {
		f.openWhenFound = false
		if f.result.HasUniqueHit() {
			return f.open(f.result.Hits[0])
		}
		offerCmd = f.runOnlyOffer()
	}
	// A single hit may be only a part of the item with the ID, such as a line of an order; Missing then names the item.
	isAnswer := f.result.HasUniqueHit() || len(f.result.Hits) == 1 && len(f.result.Missing) == 0
	if f.result.Done && !wasDone && (len(f.result.Hits) == 0 || f.pasted && !isAnswer) {
		f.readPause, readCmd = screen.After(readingTime, func() tea.Cmd { f.choose(); return nil })
	}
	if more {
		return tea.Batch(f.await(s), offerCmd, readCmd)
	}
	priceCmd := f.requestPrices(slices.Concat(f.result.Offers, f.pendingOffers), func(priced []find.Offer) tea.Cmd {
		f.prices = priced
		f.refresh()
		return nil
	})
	return tea.Batch(offerCmd, readCmd, priceCmd)
}

func (f *searcher) hints() (list widget.Actions) {
	row, ok := f.selected()
	switch {
	case ok:
		list = append(list, widget.Hint("enter", cmp.Or(row.verb, "open")))
	case f.search == nil && f.err == nil:
		list = append(list, widget.Hint("enter", "find"))
	}
	if slices.ContainsFunc(f.rows, hitRow.isAction) {
		list = append(list, widget.Hint("↑↓", "choose", "down", "up"))
	}
	return append(list, widget.Hint("esc", "clear"))
}

func (f *searcher) enter() tea.Cmd {
	switch row, ok := f.selected(); {
	case f.readPause.Running() && slices.ContainsFunc(f.rows, hitRow.isAction) && (!ok || row.hit != nil && !f.chosen):
		if cmd := f.runOnlyOffer(); cmd != nil {
			return cmd
		}
		f.refused = true
	case ok && (f.result.Done || row.hit == nil || row.hit.Identified):
		return row.run()
	case f.search == nil && f.err == nil:
		cmd := f.startSearch(f.typedText())
		f.openWhenFound = f.search != nil || f.h.reading || !f.h.loaded
		return cmd
	case !f.result.Done:
		f.openWhenFound = true
	}
	return nil
}

func (f *searcher) open(h find.Hit) tea.Cmd {
	if h.Context != "" {
		name := h.Workspace.Session.Profile().Name
		key, _ := h.Table.PrimaryKey(h.Item)
		return screen.Send(screen.SwitchContextMsg{Name: h.Context, Schema: name, Then: func(env *screen.Env) screen.Target {
			for _, t := range env.Session.Profile().Tables {
				if t.ID == h.Table.ID {
					return screen.Item{Table: t, Item: key}
				}
			}
			return screen.Patterns{}
		}})
	}
	f.h.selectProfile(h.Workspace.Session.Profile())
	return f.h.openItem(h.Workspace, screen.Item{Table: h.Table, Item: h.Item})
}

func (f *searcher) accept(list []find.Offer) tea.Cmd {
	text := f.text
	rest := slices.DeleteFunc(slices.Concat(f.result.Offers, f.pendingOffers), func(o find.Offer) bool {
		return slices.ContainsFunc(list, func(accepted find.Offer) bool { return includes(accepted, o) })
	})
	earlier := f.result
	f.stop()
	f.text, f.pendingOffers, f.accepted, f.earlier = text, rest, list, earlier
	return f.watchSearch(f.finder.Accept(f.h.ctx, text, list))
}

func includes(o, other find.Offer) bool {
	isIncluded := o.Kind == other.Kind || o.Kind == find.WordOffer && other.Kind == find.UnsureOffer
	return isIncluded && o.Table == other.Table && o.Workspace == other.Workspace
}

// plain reports whether the role, once known, reads plain texts; see session.Role.Plain.
func (h *Home) plain() bool {
	role := session.Role(h.Access().Role)
	return role != "" && role.Plain()
}

func (f *searcher) status() string {
	switch {
	case f.err != nil:
		return "not searched"
	case !f.hasText() && (f.h.source.Missing != "" || tables.CannotConnect(f.h.db.err)):
		return "not connected"
	case !f.hasText() && len(f.h.profiles) > 0:
		schemas := f.schemas()
		n := len(schemas)
		if n == 0 && len(f.h.db.list) > 0 {
			return "searches " + present.Plural(len(f.h.db.list), "table")
		}
		if n == 0 || n > 3 {
			return "searches " + present.Plural(n, "schema")
		}
		return "searches " + namesOf(schemas)
	case f.search == nil && f.text == "":
		return "enter search"
	case f.search == nil && f.h.loaded:
		return "a link to a query"
	case f.search == nil:
		return "loading the schemas"
	case !f.result.Done:
		return "searching…"
	case f.refused:
		return "The results just changed. Press enter again."
	}
	found := f.hitSummary()
	if f.h.plain() || f.hasFailed() {
		return found
	}
	return found + " · " + present.CostText(f.result.Requests, "read", f.result.Capacity)
}

// hasFailed reports whether the search found nothing and could not search every schema, or any table.
func (f *searcher) hasFailed() bool {
	r := f.result
	hasSearched := len(r.Absent)+len(r.Offers)+len(r.Near)+len(r.Similar) > 0 || r.Elsewhere != nil
	return f.err != nil || len(r.Hits) == 0 && (len(r.Failures) > 0 || len(r.Unused) > 0 && !hasSearched)
}

// addFailureHeadline starts a search without results with the error that a sign-in resolves, or with the first error.
func (f *searcher) addFailureHeadline() {
	list := f.result.FailuresByError()
	if len(list) == 0 {
		list = []find.Failures{{Err: errors.New("this connection has no tables of " + find.Places(f.result.Unused))}}
	}
	first, lead := list[0], "Could not search: "
	if err := f.h.db.err; tables.CannotConnect(err) {
		list = slices.Insert(list, 0, find.Failures{Err: err})
		list = slices.DeleteFunc(list, func(x find.Failures) bool { return x.Places != nil && x.Err.Error() == err.Error() })
		first = list[0]
	} else if len(f.result.Absent) > 0 || len(list) > 1 {
		lead = "Could not search " + find.Places(first.Places) + ": "
	}
	f.addWrapped(widget.RoleBad, lead+first.Err.Error())
	button := hitRow{
		role: widget.RoleAccent, text: "[ Try again ]", verb: "try again",
		run: func() tea.Cmd { return f.searchFor(f.text) }, immediate: true,
	}
	if signIn := connection.OfferSignIn(first.Err); signIn != nil {
		button.text, button.verb, button.run = "[ Sign in ]", "sign in", func() tea.Cmd { return signIn }
	}
	f.rows = append(f.rows, button)
	f.addConnectionButton()
	for _, x := range list[1:] {
		f.addWrapped(widget.RoleMuted, "Not searched: "+find.Places(x.Places)+": "+x.Err.Error())
	}
}

func (f *searcher) addConnectionButton() {
	if open := f.h.connectionChooser(); open != nil {
		f.rows = append(f.rows, hitRow{role: widget.RoleAccent, text: "[ Another connection ]", verb: "choose", run: open, immediate: true})
	}
}

// isUnfinished reports whether there are offers that the user has not accepted, or reads that the search did not send.
func (f *searcher) isUnfinished() bool {
	isUnfinished := func(o find.Offer) bool { return o.Kind != find.SimilarOffer }
	return f.result.Incomplete || slices.ContainsFunc(slices.Concat(f.result.Offers, f.pendingOffers), isUnfinished)
}

// hitSummary describes the number of items. Failures without any hit do not count as an empty result.
func (f *searcher) hitSummary() string {
	if f.hasFailed() {
		return "not searched"
	}
	text := itemCount(len(f.result.Hits), slices.ContainsFunc(f.result.Hits, func(h find.Hit) bool { return !h.Identified && h.More }))
	if len(f.result.Hits) == 0 && f.isUnfinished() {
		text += " so far"
	}
	return text
}

// Linked returns a function that resolves the link in a session's schema. An invalid link opens the workbench.
func Linked(l link.Link) func(*screen.Env) screen.Target {
	return func(env *screen.Env) screen.Target {
		target, err := l.Resolve(env.Session.Profile())
		switch {
		case err != nil:
			return screen.Patterns{}
		case target.Pattern != nil:
			return screen.Patterns{Pattern: target.Pattern, Args: target.Args, Run: true}
		}
		return screen.Item{Table: target.Entity.Table, Item: target.Key, Tab: target.Section}
	}
}

// linkedQuery returns the query in a pasted ddbdesk link, and the query's schema. Find handles links to items.
func (h *Home) linkedQuery(text string) (link.Link, *profiles.Profile, bool) {
	l, ok := link.ParsePasted(text)
	if !ok {
		return l, nil, false
	}
	for _, p := range h.profiles {
		if at, ok := l.TryResolve(p); ok && at.Pattern != nil {
			return l, p, true
		}
	}
	return l, nil, false
}
