package home

import (
	"cmp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/dashboard"
	"github.com/ddbdesk/ddbdesk/internal/find"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A hitRow is a row of the results: a hit, an action or a remark.
type hitRow struct {
	hit       *find.Hit
	card      find.Card
	otherHits int // number of other hits of the same kind in this row
	role      widget.Role
	text      string         // text of a row without a hit
	verb      string         // what enter does, "" for open
	run       func() tea.Cmd // handles enter; nil for a remark
	immediate bool           // enter works as soon as it is listed
}

func (r hitRow) isAction() bool { return r.run != nil }

func (f *searcher) Len() int { return len(f.rows) }

// Skip implements widget.LineSource. The cursor skips remarks.
func (f *searcher) Skip(i int) bool { return f.rows[i].run == nil }

func (f *searcher) Line(i int, on widget.Surface, w int) string {
	t := widget.NewStrip(f.h.styles, on, w)
	r := f.rows[i]
	sign := "  "
	if on != widget.SurfacePlain && (r.immediate || f.chosen) {
		sign = "› "
	}
	t.Put(widget.RoleAccent, sign)
	if r.hit == nil {
		t.Put(r.role, models.PrintableCell(r.text, t.Room()))
		return t.String()
	}
	w = t.Room()
	entity, state, age, match := min(f.columns.entity, w/3), min(f.columns.state, w*2/5), f.columns.age, f.columns.match
	if w < present.NarrowBelow {
		match = 0
	}
	context := 0
	if f.showsContexts {
		context = min(16, w/6)
	}
	if r.otherHits > 0 {
		t.Cell(widget.RoleKey, models.PrintableCell(r.card.Entity, entity-1), entity, widget.AlignLeft)
		t.Put(widget.RoleStrong, itemCount(r.otherHits+1, r.hit.More)+" ")
		t.Put(widget.RoleMuted, r.groupMatchDescription())
		if f.showsContexts {
			t.Put(widget.RoleStrong, "  "+models.PrintableCell(contextOf(r.hit), max(t.Room()-2, 0)))
		}
		return t.String()
	}
	t.Cell(widget.RoleKey, models.PrintableCell(r.card.Entity, entity-1), entity, widget.AlignLeft)
	title, badge := min(max(w-entity-state-age-match-context-2, 8), f.columns.title), r.badge()
	if badge.Text == "" { // An audit entry without a state needs the width for its text.
		title, state = title+state, 0
	}
	t.Cell(widget.RoleStrong, widget.Shorten(r.card.Title, title), title, widget.AlignLeft)
	t.Put(widget.RoleText, "  ")
	t.Cell(badge.Role, models.PrintableCell(badge.Text, state-1), state, widget.AlignLeft)
	ageCell := r.age()
	t.Cell(ageCell.Role, ageCell.Text, age, widget.AlignLeft)
	if subject := min(f.columns.subject, w-entity-title-state-age-context-match-2); subject > 15 { // The details show the whole ID.
		t.Cell(widget.RoleText, widget.Shorten(r.card.Subject, subject-2), subject, widget.AlignLeft)
	}
	if f.showsContexts {
		t.Cell(widget.RoleStrong, models.PrintableCell(contextOf(r.hit), context-1), context, widget.AlignLeft)
	}
	t.Put(widget.RoleFaint, models.PrintableCell(matchDescription(r.hit), min(match, t.Room())))
	return t.String()
}

func (r hitRow) badge() widget.Cell {
	if len(r.card.States) == 0 {
		return widget.Cell{}
	}
	return present.StateBadge(r.hit.Workspace.Session.Plain(), r.card.States[0].Lifecycle, r.card.States[0].Name)
}

func (r hitRow) age() widget.Cell {
	switch {
	case !r.card.Expired.IsZero():
		return widget.Cell{Text: "item expired", Role: widget.RoleWarn}
	case !r.card.Changed.IsZero():
		return widget.Cell{Text: present.Age(r.card.Changed, r.hit.Workspace.Session.Now()), Role: widget.RoleMuted}
	}
	return widget.Cell{}
}

// hitColumns contains the widths of the columns in cells, including the space after them. match is 0 if the text
// matches every hit in the same way; the details then describe the match.
type hitColumns struct{ entity, title, state, age, subject, match int }

func (f *searcher) measureColumns() {
	c, first, differ := hitColumns{title: 8}, "", false
	for _, r := range f.rows {
		if r.hit == nil {
			continue
		}
		c.entity = max(c.entity, models.Width(r.card.Entity)+2)
		c.title = max(c.title, models.Width(r.card.Title)+2)
		c.state = max(c.state, models.Width(r.badge().Text)+2)
		c.age = max(c.age, models.Width(r.age().Text)+2)
		c.subject = max(c.subject, models.Width(r.card.Subject)+2)
		text := matchDescription(r.hit)
		c.match = max(c.match, min(models.Width(text), maxMatchWidth))
		differ, first = differ || first != "" && text != first, text
	}
	if !differ {
		c.match = 0
	}
	f.columns = c
}

// maxMatchWidth is the maximum width of the description of a match in cells.
const maxMatchWidth = 22

func contextOf(h *find.Hit) string { return cmp.Or(h.Workspace.Session.Context(), "this connection") }

func matchDescription(h *find.Hit) string {
	switch {
	case h.Identified:
		return "its own ID or key"
	case h.IsPrefixMatch:
		return "start of its ID"
	case h.Way == find.Followed:
		return "through another item"
	case h.Attribute != "":
		return "found by " + present.Presenter{Titles: h.Workspace.Session.Plain()}.Label(h.Entity, h.Attribute)
	}
	return "contains it"
}

func (r hitRow) groupMatchDescription() string {
	switch {
	case r.hit.IsPrefixMatch:
		return "have IDs that start with it"
	case r.hit.Way == find.Followed:
		return "found through another item"
	case r.hit.Attribute != "":
		return matchDescription(r.hit)
	}
	return "contain it"
}

func itemCount(n int, more bool) string {
	count := dashboard.Count{N: n, More: more}
	if !more && n == 1 {
		return "1 item"
	}
	return count.String() + " items"
}

func lastEventText(r hitRow) string {
	e := r.card.Last
	if e == nil {
		return ""
	}
	entity := r.hit.Entity
	text := e.Sentence(entity, r.hit.Workspace.Session.Profile().ActionsOf(entity))
	if user := e.User(); user != "" {
		text = present.Join(text, "by "+user, " ")
	}
	if !e.When.IsZero() {
		text = present.Join(text, present.Stamp(e.When, r.hit.Workspace.Session.Now()), ", ")
	}
	return text
}

func (f *searcher) selected() (hitRow, bool) {
	i, ok := f.lines.At()
	if !ok || i >= len(f.rows) || f.rows[i].run == nil || !f.rows[i].immediate && !f.chosen {
		return hitRow{}, false
	}
	return f.rows[i], true
}

func (f *searcher) move(msg tea.KeyPressMsg) {
	if _, ok := f.selected(); ok {
		f.lines.Update(msg)
	}
	f.choose()
}

func (f *searcher) choose() {
	f.chosen = true
	f.lines.SetFocused(true)
}

// refresh rebuilds the rows. The cursor stays on its hit if the user moved it there.
func (f *searcher) refresh() {
	var previous *find.Hit
	if at, ok := f.lines.At(); ok && at > 0 {
		if row, ok := f.selected(); ok {
			previous = row.hit
		}
	}
	f.rows, f.showsContexts = f.rows[:0], f.finder != nil && f.finder.SearchesSeveral()
	folded := f.foldedKinds()
	for _, h := range f.result.Hits {
		f.addHit(h, folded[kindOf(h)])
	}
	if f.result.Done {
		f.offerQueries()
	}
	failed, hasErrors := f.result.Done && f.hasFailed(), len(f.result.Failures) > 0
	if failed && hasErrors {
		f.addFailureHeadline()
	}
	if !failed || !hasErrors || f.h.db.isListed {
		f.addTypedTargets()
	}
	f.addError()
	if l := f.result.Elsewhere; l != nil {
		f.addRemark(widget.RoleWarn, "The link points to table "+models.PrintableCell(l.Table, 255)+", which no schema describes.")
		f.rows = append(f.rows, hitRow{
			role: widget.RoleAccent, text: "Open the item in that table", immediate: len(f.result.Hits) == 0,
			run: func() tea.Cmd { return f.h.db.openSchemaless(l.Table, consoleLinkTarget(*l)) },
		})
	}
	if failed && !hasErrors {
		f.addFailureHeadline()
	}
	if f.result.Done && (!failed || len(f.result.Absent) > 0) {
		f.addConclusion()
	}
	f.measureColumns()
	f.resize()
	f.lines.SetSource(f)
	at := 0
	for i, r := range f.rows {
		if previous != nil && r.hit != nil && r.hit.Table == previous.Table && models.EqualItems(r.hit.Item, previous.Item) {
			at = i
		}
	}
	f.lines.Go(at)
	f.lines.SetFocused(f.chosen || slices.ContainsFunc(f.rows, func(r hitRow) bool { return r.immediate }))
}

func (f *searcher) addTypedTargets() {
	if l, p, ok := f.h.linkedQuery(f.typedText()); ok {
		f.rows = append(f.rows, hitRow{
			role: widget.RoleText, text: "Run " + p.Pattern(l.Name).Title + " · " + p.Name, immediate: true,
			run: func() tea.Cmd { return f.h.Enter(p, Linked(l)) },
		})
	}
	noHits := f.result.Done && len(f.result.Hits) == 0
	f.commandRows(f.typedText(), noHits)
	f.schemaRows(f.typedText(), noHits)
	f.tableRows(f.typedText(), noHits)
}

func (f *searcher) addError() {
	switch {
	case f.err != nil && f.h.source.Missing != "":
		f.addWrapped(widget.RoleBad, "Could not search: "+f.err.Error()+".")
		f.addWrapped(widget.RoleMuted, f.h.source.Missing)
		f.addConnectionButton()
	case f.err != nil && len(f.rows) == 0:
		f.addRemark(widget.RoleBad, "✗ "+f.err.Error())
	}
}

func (f *searcher) schemaRows(text string, noHits bool) {
	for _, p := range f.h.profiles {
		if p.IsSchemaless() || len(text) < minSearchLength || !strings.Contains(strings.ToLower(p.Name), strings.ToLower(text)) {
			continue
		}
		f.rows = append(f.rows, hitRow{
			role: widget.RoleText, text: present.Join("Open schema "+p.Name, p.Title, " · "), immediate: noHits || p.Name == text,
			run: func() tea.Cmd { return f.h.connect(p, nil) },
		})
	}
}

func (f *searcher) commandRows(text string, noHits bool) {
	remaining := maxTables
	for _, c := range f.h.Commands() {
		if len(text) < minSearchLength || remaining == 0 || !strings.Contains(strings.ToLower(c.Title+"\n"+c.Name), strings.ToLower(text)) {
			continue
		}
		remaining--
		f.rows = append(f.rows, hitRow{
			role: widget.RoleText, text: "Open " + c.Kind + " " + c.Title + " · " + c.Note, run: c.Run,
			immediate: noHits || strings.EqualFold(c.Title, text),
		})
	}
}

// maxTables is the maximum number of tables, and separately of queues and states, to list whose name contains the text.
const maxTables = 5

// tableRows lists the tables whose name contains the text, or this exact table if home cannot list tables.
func (f *searcher) tableRows(text string, noHits bool) {
	db := &f.h.db
	list := slices.DeleteFunc(slices.Clone(db.list), func(t tables.ListedTable) bool {
		return len(text) < minSearchLength || !strings.Contains(strings.ToLower(t.Name), strings.ToLower(text))
	})
	if !db.isListed && db.conn != nil && models.IsTableName(text) {
		list = []tables.ListedTable{{Name: text}}
	}
	for _, t := range list[:min(len(list), maxTables)] {
		run, note := func() tea.Cmd { return db.openSchemaless(t.Name, scanTarget) }, ""
		if i := slices.IndexFunc(t.Schemas, func(p *profiles.Profile) bool { return !p.IsSchemaless() }); i >= 0 {
			run, note = func() tea.Cmd { return f.h.connect(t.Schemas[i], nil) }, " · "+t.Schemas[i].Name
		}
		f.rows = append(f.rows, hitRow{
			role: widget.RoleText, text: "Open table " + t.Name + note, run: run,
			immediate: db.isListed && (noHits || t.Name == text),
		})
	}
}

// reservedRows reserves lines for offers and remarks, which follow if no hit is the item itself.
const reservedRows = 6

// A hitKind contains the hits that can share a row.
type hitKind struct {
	entity    *models.Entity
	workspace *workspace.Workspace
}

func kindOf(h find.Hit) hitKind { return hitKind{h.Entity, h.Workspace} }

// foldedKinds returns the kinds whose hits share a row: audit entries, and the longest kinds if the results do not fit.
// If no hit is the item itself, one kind stays open.
func (f *searcher) foldedKinds() map[hitKind]bool {
	room, total, open, reserved := f.h.below().Inner().H-hitDetailLines, len(f.result.Hits), 1, reservedRows
	var kinds []hitKind
	count, folded := map[hitKind]int{}, map[hitKind]bool{}
	for _, h := range f.result.Hits {
		k := kindOf(h)
		if h.Identified {
			open, reserved = 0, 0
		} else if h.Entity != nil && !f.unfolded[k] {
			if count[k]++; count[k] == 1 {
				kinds = append(kinds, k)
			}
		}
	}
	isTrail := func(k hitKind) bool {
		return slices.ContainsFunc(k.workspace.Session.Profile().Trails, func(t *change.Trail) bool { return t.Entity == k.entity })
	}
	slices.SortStableFunc(kinds, func(a, b hitKind) int {
		return cmp.Or(compareBool(isTrail(a), isTrail(b)), cmp.Compare(count[a], count[b]))
	})
	for ; len(kinds) > open && (total > room-reserved || isTrail(kinds[len(kinds)-1])); kinds = kinds[:len(kinds)-1] {
		k := kinds[len(kinds)-1]
		folded[k], total = true, total-count[k]+1
	}
	return folded
}

func (f *searcher) addHit(h find.Hit, fold bool) {
	isSameKind := func(r hitRow) bool { return r.hit != nil && !r.hit.Identified && kindOf(*r.hit) == kindOf(h) }
	if at := slices.IndexFunc(f.rows, isSameKind); at >= 0 && fold && !h.Identified {
		f.rows[at].otherHits++
		f.rows[at].hit.More = f.rows[at].hit.More || h.More
		f.rows[at].verb = "list them"
		f.rows[at].run = func() tea.Cmd {
			f.unfolded[kindOf(h)] = true
			f.refresh()
			f.lines.Go(slices.IndexFunc(f.rows, isSameKind))
			return nil
		}
		return
	}
	card, s := h.Card(), h.Workspace.Session
	if e := card.Entry; e != nil {
		if title := present.EntryTitle(s.Profile(), *e, s.Now()); title != "" {
			card.Title, card.Changed = title, time.Time{} // The title contains the time.
		}
	}
	f.rows = append(f.rows, hitRow{hit: &h, card: card, run: func() tea.Cmd { return f.open(h) }, immediate: true})
}

func (f *searcher) addRemark(role widget.Role, text string) {
	f.rows = append(f.rows, hitRow{role: role, text: text})
}

func (f *searcher) addOffer(role widget.Role, text, verb string, run func() tea.Cmd) {
	f.rows = append(f.rows, hitRow{role: role, text: text, verb: verb, run: run})
}

// addConclusion adds the next steps if the search did not find the item itself, and the schemas that it searched.
func (f *searcher) addConclusion() {
	r := f.result
	foundItem := slices.ContainsFunc(r.Hits, func(h find.Hit) bool { return h.Identified })
	switch {
	case len(r.Hits) == 0 && len(r.Failures) > 0: // The first rows report the failures.
		if meaning := r.OnlyMeaning(); meaning != "" {
			f.addRemark(widget.RoleText, "It looks like a "+meaning+".")
		}
	case len(r.Hits) == 0 && len(r.Near) > 0:
		f.addRemark(widget.RoleStrong, "No match. The key does not fit its template.")
	case len(r.Hits) == 0:
		f.addWrapped(widget.RoleStrong, strings.TrimSpace(f.noMatchText(r)+" "+f.maskedText(r)))
		if slices.ContainsFunc(r.Understood, find.Meaning.IsID) && len(r.Similar) == 0 && !f.isUnfinished() {
			f.addWrapped(widget.RoleText, "An ID must match in full. Check the ID, or search for another value, such as an email address.")
		}
	default:
		f.addRemark(widget.RoleText, "")
		if masked := f.maskedText(r); !foundItem && masked != "" {
			f.addWrapped(widget.RoleText, masked)
		}
	}
	var unscanned []string
	for _, o := range r.Offers {
		name := o.Table.Name
		if o.Priced {
			name += " (" + present.Plural(int(o.Estimate.Items), "item") + ")"
		}
		if o.Kind == find.SchemalessOffer {
			unscanned = append(unscanned, name)
		}
	}
	if len(unscanned) > maxListedOffers { // The offers share a row, without the names.
		f.addWrapped(widget.RoleText, "Not scanned, no schema: "+strings.Join(unscanned, ", ")+".")
	}
	if !foundItem {
		for _, text := range r.Similar {
			f.addOffer(widget.RoleAccent, "Did you mean "+text+"?", "find it", func() tea.Cmd { return f.searchFor(text) })
		}
		f.offerNearMatches(r.Near, f.text)
		f.addOffers()
		f.addOtherContexts()
		f.addMissing()
	} else {
		f.addOffers() // offers above the cost limit
	}
	f.addSearched(r)
}

func (f *searcher) addSearched(r find.Result) {
	if len(r.Absent) > 0 {
		lead := "Not found in "
		switch {
		case f.isUnfinished():
			lead = "Not found so far in "
		case len(r.Masked) > 0:
			lead = "Not found in the visible values of "
		}
		f.addWrapped(widget.RoleFaint, lead+find.Places(r.Absent)+".")
	}
	if len(r.Hits) > 0 {
		f.addFailures(r, widget.RoleWarn, "Not searched: ")
	}
	if len(r.Unsearched) > 0 {
		f.addWrapped(widget.RoleFaint, "Not searched, no schema: "+strings.Join(r.Unsearched, ", ")+".")
	}
	if len(r.Unused) > 0 {
		f.addRemark(widget.RoleFaint, "Not searched, no tables here: "+find.Places(r.Unused)+".")
	}
	if r.Incomplete {
		f.addRemark(widget.RoleWarn, "The search reached its limit and skipped some reads.")
	}
}

// addFailures lists the errors, and a sign-in button where it helps. Schemas with the same error share a row.
func (f *searcher) addFailures(r find.Result, role widget.Role, lead string) {
	for _, failure := range r.FailuresByError() {
		f.addRemark(role, lead+find.Places(failure.Places)+": "+failure.Err.Error())
		if signIn := connection.OfferSignIn(failure.Err); signIn != nil {
			f.rows = append(f.rows, hitRow{
				role: widget.RoleAccent, text: "[ Sign in ]", verb: "sign in",
				run: func() tea.Cmd { return signIn }, immediate: true,
			})
		}
	}
}

func (f *searcher) addWrapped(role widget.Role, text string) {
	for _, line := range widget.Wrap(f.h.styles, role, text, max(f.h.below().Inner().W-3, 1)) {
		f.addRemark(role, ansi.Strip(line))
	}
}

func namesOf(list []*profiles.Profile) string {
	return strings.Join(models.MapSlice(list, func(p *profiles.Profile) string { return p.Name }), ", ")
}

func (f *searcher) details(w int) []string {
	row, ok := f.selected()
	st := f.h.styles
	switch {
	case !ok || row.otherHits > 0:
		return nil
	case row.hit == nil && models.Width(row.text) < w:
		return nil // The row shows the whole text.
	case row.hit == nil:
		return append([]string{""}, widget.Wrap(st, widget.RoleMuted, row.text, w)...)
	}
	h := row.hit
	place := present.Join(h.Context, h.Workspace.Session.Profile().Name, " · ")
	if !h.Workspace.Session.Plain() {
		key := h.Table.Name + "  " + h.Table.KeyText(h.Workspace.Session.Masker().Item(h.Table, h.Item))
		if place == h.Table.Name { // A table without a schema names its own.
			place = ""
		}
		place = present.Join(place, key, " · ")
	}
	next := ""
	if h.Entity != nil {
		next = present.StepWords(models.MapSlice(h.Workspace.Planner.TransitionOffers(h.Entity, h.Item), present.StepOf))
	}
	if len(row.card.States) > 0 && next == "" {
		next = "none (final state)"
	}
	var lines []string
	line := func(label, text string) {
		if text != "" {
			lines = append(lines, st.Paint(widget.RoleFaint, label)+st.Paint(widget.RoleMuted,
				models.PrintableCell(text, max(w-len(label), 1))))
		}
	}
	line("match ", present.Join(present.Join(matchDescription(h), h.From, ", from "),
		map[bool]string{true: "found by a scan"}[h.Way == find.Scanned && !f.h.plain()], " · "))
	line("about ", row.card.Subject)
	line("in    ", place)
	line("last  ", lastEventText(row))
	line("next  ", next)
	return lines
}

// hitDetailLines is the height of a hit's description, including the rule above.
const hitDetailLines = 5

// detailHeight is the height of the details, or 0 if every row shows its whole text.
func (f *searcher) detailHeight() int {
	w := f.h.below().Inner().W - 3
	if slices.ContainsFunc(f.rows, func(r hitRow) bool { return r.hit != nil || r.isAction() && models.Width(r.text) > w }) {
		return hitDetailLines
	}
	return 0
}

func (f *searcher) resize() {
	r := f.h.below().Inner()
	f.lines.SetSize(r.W, max(r.H-f.detailHeight(), 0))
}

func (f *searcher) resultsView() string {
	r := f.h.below()
	if r.H < fieldHeight {
		return ""
	}
	in := r.Inner()
	content := f.lines.View()
	if len(f.rows) == 0 {
		text := "Searches as you type."
		if len(f.typedText()) < minSearchLength {
			text = "Press enter to search."
		}
		if f.search != nil || f.text != "" {
			text = "Searching " + present.Plural(len(f.schemas()), "schema") + "…"
		}
		content = " " + f.h.styles.Paint(widget.RoleMuted, text)
	}
	if n := f.detailHeight(); n > 0 && in.H > n {
		content = widget.Rows(widget.Place(content, in.W, in.H-n), widget.Rule(f.h.styles, "", "", in.W),
			widget.Indent(strings.Join(f.details(in.W-1), "\n"), in.W, n-1))
	}
	return widget.Panel{Title: "Results"}.Render(f.h.styles, content, r.W, r.H)
}
