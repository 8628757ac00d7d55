package home

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/lookup"
	"github.com/ddbdesk/ddbdesk/internal/find"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A hitRow is one line of the results: a hit, something to do when there is none, or a remark.
type hitRow struct {
	hit  *find.Hit
	card find.Card
	also int // further hits of the same kind, folded into this row
	role widget.Role
	text string         // of a row without a hit
	run  func() tea.Cmd // what enter does, nil for a remark
}

// widestTitle is the most cells of the column of IDs, and narrowTitle those of it beside the last event. narrowAge are those
// of the age on a narrow screen: "10 min ago" and a blank.
const (
	narrowAge   = 11
	widestTitle = 60
	narrowTitle = 44
)

// hits draws the results.
type hits struct {
	h     *Home
	lines *widget.Lines
	rows  []hitRow
	// chosen says that the user moved the cursor. Before that, enter opens a hit, and nothing else: it may have been
	// pressed before the result was there, and must not agree to a scan.
	chosen   bool
	unfolded map[*models.Entity]bool // kinds whose hits are listed one by one
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
	if on != widget.SurfacePlain && (r.hit != nil || d.chosen) {
		sign = "› "
	}
	t.Put(widget.RoleAccent, sign)
	w = t.Room()
	if r.hit == nil {
		t.Put(r.role, models.PrintableCell(r.text, w))
		return t.String()
	}
	entity, state, schema, age := min(24, w/4), min(20, w/4), min(15, w/6), 13
	title := min(max(w-entity-state-schema-age-2, 8), widestTitle)
	switch {
	case w < 70:
		age = 0
	case w < present.NarrowBelow:
		age = narrowAge
	case w >= lastFrom:
		title = min(title, narrowTitle)
	}
	if r.also > 0 {
		kind := models.PrintableCell(r.card.Entity, 40) + fmt.Sprintf(" ×%d", r.also+1)
		t.Cell(widget.RoleKey, kind, max(entity, models.Width(kind)+2), widget.AlignLeft)
		t.Put(widget.RoleMuted, "refer to it; press enter to list them")
		return t.String()
	}
	t.Cell(widget.RoleKey, models.PrintableCell(r.card.Entity, entity-1), entity, widget.AlignLeft)
	t.Cell(widget.RoleStrong, models.PrintableCell(r.card.Title, 200), title, widget.AlignLeft)
	t.Put(widget.RoleText, "  ")
	badge := widget.Cell{}
	if len(r.card.States) > 0 {
		badge = present.StateBadge(r.card.States[0].Lifecycle, r.card.States[0].Name)
	}
	t.Cell(badge.Role, models.PrintableCell(badge.Text, state-1), state, widget.AlignLeft)
	if age > 0 {
		t.Cell(widget.RoleMuted, d.age(r), age, widget.AlignLeft)
	}
	t.Cell(widget.RoleMuted, r.hit.Workspace.Session.Profile().Name, schema, widget.AlignLeft)
	if w >= lastFrom {
		t.Put(widget.RoleFaint, models.PrintableCell(lastWords(r), max(t.Room()-1, 0)))
	}
	return t.String()
}

// lastFrom is the width in cells from which a hit has its last event beside it.
const lastFrom = 130

func lastWords(r hitRow) string {
	e := r.card.Last
	if e == nil {
		return ""
	}
	text := e.What
	if e.Who != "" {
		text = present.Join(text, "by "+e.Who, " ")
	}
	if !e.When.IsZero() {
		text = present.Join(text, present.Stamp(e.When, r.hit.Workspace.Session.Now()), ", ")
	}
	return text
}

func (d *hits) age(r hitRow) string {
	if r.card.Changed.IsZero() {
		return ""
	}
	return present.Age(r.card.Changed, r.hit.Workspace.Session.Now())
}

func (d *hits) selected() (hitRow, bool) {
	i, ok := d.lines.At()
	if !ok || i >= len(d.rows) || d.rows[i].run == nil || d.rows[i].hit == nil && !d.chosen {
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
	d.rows = d.rows[:0]
	for i := range f.result.Hits {
		d.add(f, f.result.Hits[i])
	}
	if f.err != nil {
		d.remark(widget.RoleBad, "✗ "+f.err.Error())
	}
	if f.result.Done {
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
	d.lines.SetFocused(d.chosen || len(f.result.Hits) > 0)
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
	d.rows = append(d.rows, hitRow{hit: &h, card: h.Card(), run: func() tea.Cmd { return f.open(h) }})
}

func (d *hits) remark(role widget.Role, text string) {
	d.rows = append(d.rows, hitRow{role: role, text: text})
}

// mostMissing is how many patterns with missing parameters are listed.
const mostMissing = 6

func (d *hits) conclude(f *searcher) {
	r := f.result
	if len(r.Hits) > 0 {
		d.remark(widget.RoleText, "")
	} else {
		d.failures(r)
		if len(r.Failures) == 0 {
			d.remark(widget.RoleStrong, noMatch(r))
		}
		first := len(d.rows)
		defer func() {
			if len(d.rows) > first && d.rows[first].run != nil {
				d.rows[first-1].text += " Press down to choose:"
			}
		}()
		d.corrections(f, r.Similar)
		d.near(r.Near, f.text)
		d.missing(r.Missing, f.text)
		d.scans(f)
	}
	if len(r.Absent) > 0 && len(r.Hits)+len(r.Failures) > 0 {
		d.remark(widget.RoleFaint, "Not found in "+namesOf(r.Absent)+".")
	}
	if len(r.Unused) > 0 {
		d.remark(widget.RoleFaint, "The database has no tables of "+namesOf(r.Unused)+".")
	}
	if len(r.Hits) > 0 {
		d.failures(r)
	}
	if r.Cut {
		d.remark(widget.RoleWarn, "The search ended at its limit; some reads were not sent.")
	}
}

// failures lists the schemas that could not be searched. Those with the same error share a line.
func (d *hits) failures(r find.Result) {
	role := widget.RoleBad
	if len(r.Hits) > 0 {
		role = widget.RoleMuted
	}
	for i, failure := range r.Failures {
		same := func(f find.Failure) bool { return f.Err.Error() == failure.Err.Error() }
		if slices.IndexFunc(r.Failures, same) < i {
			continue
		}
		var names []*profiles.Profile
		for _, f := range r.Failures {
			if same(f) {
				names = append(names, f.Profile)
			}
		}
		d.remark(role, "Could not search "+namesOf(names)+": "+failure.Err.Error())
		if signIn := connection.OfferSignIn(failure.Err); signIn != nil {
			d.rows = append(d.rows, hitRow{role: widget.RoleAccent, text: "Sign in", run: func() tea.Cmd { return signIn }})
		}
	}
}

func namesOf(list []*profiles.Profile) string {
	return strings.Join(models.NamesOf(list, func(p *profiles.Profile) string { return p.Name }), ", ")
}

func (d *hits) corrections(f *searcher, list []string) {
	for _, text := range list {
		d.rows = append(d.rows, hitRow{
			role: widget.RoleAccent, text: "Did you mean " + text + "?", run: func() tea.Cmd { return f.start(text) },
		})
	}
}

func noMatch(r find.Result) string {
	if len(r.Near) > 0 {
		return "No match. The key does not fit its template."
	}
	return "No item found. Check that the ID or key is complete."
}

func (d *hits) near(list []find.Near, text string) {
	for _, n := range list {
		d.rows = append(d.rows, hitRow{
			role: widget.RoleText,
			text: fmt.Sprintf("Decode as %s %s: %s (%s)", present.EntityName(n.Entity), n.Attribute, n.Mismatch.Template, n.Profile.Name),
			run: func() tea.Cmd {
				return d.h.Enter(n.Profile, func(*screen.Env) screen.Target { return screen.Decode{Text: text} })
			},
		})
		d.remark(widget.RoleMuted, "  "+n.Why())
	}
}

func (d *hits) missing(list []find.Missing, value string) {
	for i, m := range list {
		if i == mostMissing {
			d.remark(widget.RoleFaint, fmt.Sprintf("and %d more patterns", len(list)-i))
			return
		}
		text := fmt.Sprintf("%s: %s also needs %s", m.Profile.Name, m.Pattern.Title, strings.Join(m.Parameters, " and "))
		if p := lookup.SourceOf(m.Profile.Patterns, m.Missing); p != nil {
			text += "; find it with " + p.Title
		}
		d.rows = append(d.rows, hitRow{role: widget.RoleText, text: text, run: func() tea.Cmd {
			return d.openMissing(m, value)
		}})
	}
}

func (d *hits) scans(f *searcher) {
	for _, scan := range slices.Concat(f.result.Scans, f.rest) {
		e := scan.Estimate
		text := fmt.Sprintf("Scan %s: about %s, %g RCU", scan.Table.Name, present.Plural(int(e.Items), "item"), e.ReadUnits)
		if e.Duration() > 0 {
			text += ", " + present.Short(e.Duration().Round(time.Second))
		}
		d.rows = append(d.rows, hitRow{role: widget.RoleWarn, text: text, run: func() tea.Cmd { return f.scan([]find.Scan{scan}) }})
	}
}

func (d *hits) details(w int) []string {
	row, ok := d.selected()
	st := d.h.styles
	switch {
	case !ok || row.also > 0:
		return nil
	case row.hit == nil:
		return []string{"", st.Paint(widget.RoleMuted, models.PrintableCell(row.text, w)), ""}
	}
	h := row.hit
	key := h.Table.KeyText(h.Workspace.Session.Masker().Item(h.Table, h.Item))
	next, states := strings.Join(row.card.Next, " · "), ""
	switch {
	case len(row.card.States) > 0 && next == "":
		next = "none: final state"
	case next != "" && h.Workspace.Session.Role() != session.Admin:
		next += " (by an admin)"
	}
	for _, s := range row.card.States {
		states = present.Join(states, s.Name, ", ")
	}
	how := map[find.Way]string{find.Followed: "found through another item", find.Scanned: "found by a scan"}[h.Way]
	line := func(label, text string) string {
		if text == "" {
			return ""
		}
		return st.Paint(widget.RoleFaint, label) + st.Paint(widget.RoleMuted, models.PrintableCell(text, max(w-len(label), 1)))
	}
	return []string{
		line("key   ", h.Table.Name+"  "+key), line("state ", present.Join(states, how, " · ")), line("last  ", lastWords(row)),
		line("next  ", next),
	}
}

func (d *hits) openMissing(m find.Missing, text string) tea.Cmd {
	return d.h.Enter(m.Profile, func(env *screen.Env) screen.Target {
		return screen.Patterns{Pattern: env.Session.Profile().Pattern(m.Pattern.ID), Args: map[string]string{m.Param: text}}
	})
}
