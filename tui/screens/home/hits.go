package home

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/find"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A hitRow is one line of the results: a hit, something to do, or a remark.
type hitRow struct {
	hit  *find.Hit
	card find.Card
	also int // further hits of the same kind, folded into this row
	role widget.Role
	text string         // of a row without a hit
	run  func() tea.Cmd // what enter does, nil for a remark
	sure bool           // enter runs it before the user moved the cursor
}

// hits draws the results.
type hits struct {
	h     *Home
	lines *widget.Lines
	rows  []hitRow
	// chosen says that the user moved the cursor. Before that, enter opens a hit or a table, and nothing else: it may have been
	// pressed before the result was there, and must not agree to a scan.
	chosen   bool
	several  bool                    // contexts are searched, which the rows name
	unfolded map[*models.Entity]bool // kinds whose hits are listed one by one
	listed   map[find.Kind]bool      // kinds whose offers are listed one by one
}

// Len implements widget.LineSource.
func (d *hits) Len() int { return len(d.rows) }

// Skip implements widget.LineSource: the cursor passes over remarks.
func (d *hits) Skip(i int) bool { return d.rows[i].run == nil }

// Line implements widget.LineSource.
func (d *hits) Line(i int, on widget.Surface, w int) string {
	t := widget.NewStrip(d.h.styles, on, w)
	r := d.rows[i]
	sign := "  "
	if on != widget.SurfacePlain && (r.sure || d.chosen) {
		sign = "› "
	}
	t.Put(widget.RoleAccent, sign)
	if r.hit == nil {
		t.Put(r.role, models.PrintableCell(r.text, t.Room()))
		return t.String()
	}
	w = t.Room()
	entity, state, age, how := min(19, w/4), min(20, w/4), 13, 0
	if w < present.NarrowBelow {
		age = 11
	} else {
		how = 22
	}
	where := 0
	if d.several {
		where = min(16, w/6)
	}
	if r.also > 0 {
		kind := models.PrintableCell(r.card.Entity, 40) + fmt.Sprintf(" ×%d", r.also+1)
		t.Cell(widget.RoleKey, kind, max(entity, models.Width(kind)+2), widget.AlignLeft)
		t.Put(widget.RoleMuted, howWords(r.hit)+"; press enter to list them")
		if d.several {
			t.Put(widget.RoleStrong, "  "+models.PrintableCell(contextOf(r.hit), max(t.Room()-2, 0)))
		}
		return t.String()
	}
	t.Cell(widget.RoleKey, models.PrintableCell(r.card.Entity, entity-1), entity, widget.AlignLeft)
	title := min(max(w-entity-state-age-how-where-2, 8), 60)
	t.Cell(widget.RoleStrong, widget.Shorten(r.card.Title, title), title, widget.AlignLeft)
	t.Put(widget.RoleText, "  ")
	badge := widget.Cell{}
	if len(r.card.States) > 0 {
		badge = present.StateBadge(r.card.States[0].Lifecycle, r.card.States[0].Name)
	}
	t.Cell(badge.Role, models.PrintableCell(badge.Text, state-1), state, widget.AlignLeft)
	changed, role := "", widget.RoleMuted
	switch {
	case !r.card.Expired.IsZero():
		changed, role = "expired", widget.RoleWarn
	case !r.card.Changed.IsZero():
		changed = present.Age(r.card.Changed, r.hit.Workspace.Session.Now())
	}
	t.Cell(role, changed, age, widget.AlignLeft)
	if d.several {
		t.Cell(widget.RoleStrong, models.PrintableCell(contextOf(r.hit), where-1), where, widget.AlignLeft)
	}
	t.Put(widget.RoleFaint, models.PrintableCell(howWords(r.hit), min(how, t.Room())))
	return t.String()
}

func contextOf(h *find.Hit) string { return cmp.Or(h.Workspace.Session.Context(), "this connection") }

func howWords(h *find.Hit) string {
	switch {
	case h.Own:
		return "its own ID or key"
	case h.Begins:
		return "its ID starts with it"
	case h.Way == find.Followed:
		return "through another item"
	}
	return "contains it"
}

func lastWords(r hitRow) string {
	e := r.card.Last
	if e == nil {
		return ""
	}
	of := r.hit.Entity
	text := e.Sentence(of, r.hit.Workspace.Session.Profile().ActionsOf(of))
	if who := e.By(); who != "" {
		text = present.Join(text, "by "+who, " ")
	}
	if !e.When.IsZero() {
		text = present.Join(text, present.Stamp(e.When, r.hit.Workspace.Session.Now()), ", ")
	}
	return text
}

func (d *hits) selected() (hitRow, bool) {
	i, ok := d.lines.At()
	if !ok || i >= len(d.rows) || d.rows[i].run == nil || !d.rows[i].sure && !d.chosen {
		return hitRow{}, false
	}
	return d.rows[i], true
}

func (d *hits) move(msg tea.KeyPressMsg) {
	if _, ok := d.selected(); ok {
		d.lines.Update(msg)
	}
	d.choose()
}

func (d *hits) choose() {
	d.chosen = true
	d.lines.SetFocused(true)
}

// make keeps the cursor on its hit if the user moved it there.
func (d *hits) make(f *searcher) {
	var kept *find.Hit
	if at, ok := d.lines.At(); ok && at > 0 {
		if row, ok := d.selected(); ok {
			kept = row.hit
		}
	}
	d.rows, d.several = d.rows[:0], f.finder != nil && f.finder.Several()
	for i := range f.result.Hits {
		d.add(f, f.result.Hits[i])
	}
	failed := f.result.Done && len(f.result.Hits) == 0 && len(f.result.Failures) > 0
	if failed {
		d.failed(f)
	}
	if !failed || d.h.db.known {
		if l, p, ok := d.h.linkedQuery(f.typed()); ok {
			d.rows = append(d.rows, hitRow{
				role: widget.RoleText, text: "Run " + p.Pattern(l.Name).Title + " · " + p.Name, sure: true,
				run: func() tea.Cmd { return d.h.Enter(p, Linked(l)) },
			})
		}
		alone := f.result.Done && len(f.result.Hits) == 0
		d.schemas(f.typed(), alone)
		d.tables(f.typed(), alone)
	}
	if f.err != nil && len(d.rows) == 0 {
		d.remark(widget.RoleBad, "✗ "+f.err.Error())
	}
	if l := f.result.Elsewhere; l != nil {
		d.remark(widget.RoleWarn, "The link is of table "+models.PrintableCell(l.Table, 255)+", which no schema has.")
		d.rows = append(d.rows, hitRow{
			role: widget.RoleAccent, text: "Open the item in that table", sure: len(f.result.Hits) == 0,
			run: func() tea.Cmd { return d.h.db.openBare(l.Table, keyOf(*l)) },
		})
	}
	if f.result.Done && (!failed || len(f.result.Absent) > 0) {
		d.conclude(f)
	}
	d.lines.SetSource(d)
	at := 0
	for i, r := range d.rows {
		if kept != nil && r.hit != nil && r.hit.Table == kept.Table && models.EqualItems(r.hit.Item, kept.Item) {
			at = i
		}
	}
	d.lines.Go(at)
	d.lines.SetFocused(d.chosen || slices.ContainsFunc(d.rows, func(r hitRow) bool { return r.sure }))
}

// schemas lists the schemas with the text in their name.
func (d *hits) schemas(text string, alone bool) {
	for _, p := range d.h.profiles {
		if isBare(p) || len(text) < shortest || !strings.Contains(strings.ToLower(p.Name), strings.ToLower(text)) {
			continue
		}
		d.rows = append(d.rows, hitRow{
			role: widget.RoleText, text: present.Join("Open schema "+p.Name, p.Title, " · "), sure: alone || p.Name == text,
			run: func() tea.Cmd { return d.h.connect.open(p, nil) },
		})
	}
}

// mostTables is how many tables with the text in their name are listed.
const mostTables = 5

// tables lists the tables of the connection whose name contains the text, or the one with this name if they cannot be listed.
func (d *hits) tables(text string, alone bool) {
	db := &d.h.db
	list := slices.DeleteFunc(slices.Clone(db.list), func(t tables.Listed) bool {
		return len(text) < shortest || !strings.Contains(strings.ToLower(t.Name), strings.ToLower(text))
	})
	if !db.known && db.conn != nil && models.IsTableName(text) {
		list = []tables.Listed{{Name: text}}
	}
	for _, t := range list[:min(len(list), mostTables)] {
		run, note := func() tea.Cmd { return db.openBare(t.Name, scanOf) }, ""
		if i := slices.IndexFunc(t.Schemas, func(p *profiles.Profile) bool { return !isBare(p) }); i >= 0 {
			run, note = func() tea.Cmd { return d.h.connect.open(t.Schemas[i], nil) }, " · "+t.Schemas[i].Name
		}
		d.rows = append(d.rows, hitRow{
			role: widget.RoleText, text: "Open table " + t.Name + note, run: run,
			sure: db.known && (alone || t.Name == text),
		})
	}
}

func (d *hits) add(f *searcher, h find.Hit) {
	same := func(r hitRow) bool {
		return r.hit != nil && !r.hit.Own && r.hit.Entity == h.Entity && r.hit.Workspace == h.Workspace
	}
	if at := slices.IndexFunc(d.rows, same); at >= 0 && !h.Own && h.Entity != nil && !d.unfolded[h.Entity] {
		d.rows[at].also++
		d.rows[at].run = func() tea.Cmd {
			if d.unfolded == nil {
				d.unfolded = map[*models.Entity]bool{}
			}
			d.unfolded[h.Entity] = true
			d.make(f)
			d.lines.Go(at)
			return nil
		}
		return
	}
	d.rows = append(d.rows, hitRow{hit: &h, card: h.Card(), run: func() tea.Cmd { return f.open(h) }, sure: true})
}

func (d *hits) remark(role widget.Role, text string) {
	d.rows = append(d.rows, hitRow{role: role, text: text})
}

func (d *hits) offer(role widget.Role, text string, run func() tea.Cmd) {
	d.rows = append(d.rows, hitRow{role: role, text: text, run: run})
}

// conclude lists what to do if the item itself was not found, and what was searched and what was not.
func (d *hits) conclude(f *searcher) {
	r := f.result
	itself := slices.ContainsFunc(r.Hits, func(h find.Hit) bool { return h.Own })
	switch {
	case len(r.Hits) == 0 && len(r.Failures) > 0: // The first rows say so.
		if meant := r.Meant(); meant != "" {
			d.remark(widget.RoleText, "It looks like a "+meant+".")
		}
	case len(r.Hits) == 0 && len(r.Near) > 0:
		d.remark(widget.RoleStrong, "No match. The key does not fit its template.")
	case len(r.Hits) == 0:
		d.remark(widget.RoleStrong, d.missed(r))
	default:
		d.remark(widget.RoleText, "")
	}
	if first := len(d.rows); !itself {
		for _, text := range r.Similar {
			d.offer(widget.RoleAccent, "Did you mean "+text+"?", func() tea.Cmd { return f.start(text) })
		}
		d.near(r.Near, f.text)
		d.offers(f)
		d.otherContexts(f)
		d.missing(f)
		if len(r.Hits) == 0 && len(d.rows) > first && d.rows[first].run != nil {
			d.rows[first-1].text += " Press down to choose:"
		}
	}
	d.searched(r)
}

func (d *hits) searched(r find.Result) {
	if len(r.Absent) > 0 && len(r.Hits)+len(r.Failures) > 0 {
		d.remark(widget.RoleFaint, "Searched, not found: "+find.Places(r.Absent)+".")
	}
	if len(r.Hits) > 0 {
		d.failures(r, widget.RoleWarn, "Not searched: ")
	}
	if len(r.Unused) > 0 {
		d.remark(widget.RoleFaint, "Not searched, no tables here: "+find.Places(r.Unused)+".")
	}
	if r.Cut {
		d.remark(widget.RoleWarn, "The search ended at its limit; some reads were not sent.")
	}
}

// failures lists the schemas that could not be searched, with a button if a sign-in helps. Those with the same error share a
// line.
func (d *hits) failures(r find.Result, role widget.Role, lead string) {
	for _, failure := range r.Failed() {
		d.remark(role, lead+find.Places(failure.Places)+": "+failure.Err.Error())
		if signIn := connection.OfferSignIn(failure.Err); signIn != nil {
			d.rows = append(d.rows, hitRow{role: widget.RoleAccent, text: "[ Sign in ]", run: func() tea.Cmd { return signIn }, sure: true})
		}
	}
}

// failed is the headline of a search without a result: the failure that a sign-in helps against, or the first.
func (d *hits) failed(f *searcher) {
	list := f.result.Failed()
	at := max(slices.IndexFunc(list, func(x find.Failures) bool { return connection.OfferSignIn(x.Err) != nil }), 0)
	first, lead := list[at], "Could not search: "
	if len(f.result.Absent) > 0 {
		lead = "Could not search " + find.Places(first.Places) + ": "
	}
	if signIn := connection.OfferSignIn(first.Err); signIn != nil {
		what, _, _ := strings.Cut(first.Err.Error(), "; ")
		d.rows = append(d.rows, hitRow{
			role: widget.RoleBad, text: lead + what + ".  [ Sign in ]", run: func() tea.Cmd { return signIn }, sure: true,
		})
	} else {
		d.wrapped(widget.RoleBad, lead+first.Err.Error())
		d.rows = append(d.rows, hitRow{
			role: widget.RoleAccent, text: "[ Try again ]", run: func() tea.Cmd { return f.start(f.text) }, sure: true,
		})
	}
	for _, x := range slices.Delete(list, at, at+1) {
		d.wrapped(widget.RoleMuted, "Not searched: "+find.Places(x.Places)+": "+x.Err.Error())
	}
}

func (d *hits) wrapped(role widget.Role, text string) {
	for line := range strings.SplitSeq(ansi.Wordwrap(text, max(d.h.below().Inner().W-3, 1), ""), "\n") {
		d.remark(role, line)
	}
}

func namesOf(list []*profiles.Profile) string {
	return strings.Join(models.NamesOf(list, func(p *profiles.Profile) string { return p.Name }), ", ")
}

func (d *hits) details(w int) []string {
	row, ok := d.selected()
	st := d.h.styles
	switch {
	case !ok || row.also > 0:
		return nil
	case row.hit == nil:
		return []string{"", st.Paint(widget.RoleMuted, models.PrintableCell(row.text, w))}
	}
	h := row.hit
	key := h.Table.KeyText(h.Workspace.Session.Masker().Item(h.Table, h.Item))
	next := strings.Join(models.NamesOf(row.card.Next, timeline.Spoken), " · ")
	switch {
	case len(row.card.States) > 0 && next == "":
		next = "none: final state"
	case next != "" && h.Workspace.Session.Role() != session.Admin:
		next += " (by an admin)"
	}
	line := func(label, text string) string {
		return st.Paint(widget.RoleFaint, label) + st.Paint(widget.RoleMuted, models.PrintableCell(cmp.Or(text, "–"), max(w-len(label), 1)))
	}
	return []string{
		line("match ", present.Join(present.Join(howWords(h), h.From, ", from "), map[bool]string{true: "found by a scan"}[h.Way == find.Scanned], " · ")),
		line("in    ", present.Join(h.Context, h.Workspace.Session.Profile().Name, " · ")+" · "+h.Table.Name+"  "+key),
		line("last  ", lastWords(row)), line("next  ", next),
	}
}

// detailLines is the height of the description of a hit with the rule above it.
const detailLines = 5

func (f *searcher) resultsView() string {
	r := f.h.below()
	if r.H < fieldHeight {
		return ""
	}
	in := r.Inner()
	content := f.draw.lines.View()
	if len(f.draw.rows) == 0 {
		text := "Press enter to search."
		if f.search != nil || f.text != "" {
			text = "Searching " + present.Plural(len(f.schemas()), "schema") + "…"
		}
		content = " " + f.h.styles.Paint(widget.RoleMuted, text)
	}
	if in.H > detailLines {
		content = widget.Rows(widget.Place(content, in.W, in.H-detailLines), widget.Rule(f.h.styles, "", "", in.W),
			widget.Indent(strings.Join(f.draw.details(in.W-1), "\n"), in.W, detailLines-1))
	}
	return widget.Panel{Title: "Results"}.Render(f.h.styles, content, r.W, r.H)
}
