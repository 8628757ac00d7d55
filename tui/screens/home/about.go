package home

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// An about is the part of home about databases: what needs attention in all of them, and the numbers and the text of the
// selected profile. On a wide terminal, a preview beside it shows the items behind a number, or the text.
type about struct {
	h *Home

	needs   *rowList
	numbers *rowList
	preview *widget.Pager
	live    map[string]*tables.Comparison // of the live tables, by profile
	shown   *profiles.Profile             // whose numbers these are
	lay     layout                        // that the rows were made for; none to make them again
	beside  string                        // the entry that the preview shows
}

func (a *about) describeAgain() {
	a.lay = layout{}
	a.refresh()
}

func (a *about) refresh() {
	lay := a.h.frame.layout()
	p := a.h.Selected()
	if p != a.shown || lay != a.lay || a.h.err != nil {
		same := p == a.shown
		a.shown, a.lay, a.beside = p, lay, ""
		needs := a.attention(max(lay.needs.Inner().W-2, 10))
		a.needs.set(needs, true)
		a.numbers.set(a.make(p, max(lay.about.Inner().W-2, 10)), same)
		if a.h.err != nil {
			a.lay = layout{} // The error may be another one the next time.
		}
	}
	a.showBeside()
}

// mostNeeds keeps the height of the pane the same while queues are counted.
func (a *about) mostNeeds() int {
	n := 0
	for _, p := range a.h.profiles {
		n += len(p.Queues)
		if b := a.h.counter.of(p); p.Requests != "" || b != nil && b.sum.Review.Table != "" {
			n++
		}
	}
	return n
}

func (a *about) attention(w int) []row {
	if a.h.frame.layout().needs.H == 0 {
		return nil
	}
	n := needs{h: a.h, w: w}
	if rows := n.rows(); len(rows) > 0 {
		return rows
	}
	return textRows(n.first())
}

func (a *about) make(p *profiles.Profile, w int) []row {
	var rows []row
	if a.h.err != nil {
		rows = textRows(a.errorLines(w))
	}
	rows = append(rows, textRows(a.faultLines(w))...)
	if p == nil {
		return rows
	}
	lay := a.h.frame.layout()
	if w < titleFrom {
		rows = append(rows, row{text: a.h.styles.Paint(widget.RoleTitle, models.Truncate(models.Printable(p.Title), w))})
	}
	if live := liveLines(a.h.styles, a.live[p.Name], w); len(live) > 0 {
		rows = append(rows, textRows(append(live, ""))...)
	}
	n := &numbers{h: a.h, p: p, w: w, b: a.h.counter.of(p)}
	if lay.needs.H == 0 {
		all := needs{h: a.h, w: w}
		list := all.rows()
		if len(list) == 0 {
			list = textRows(all.first())
		}
		rows = append(append(append(rows, n.heading("Needs attention", "")), list...), row{})
	}
	rows = append(rows, n.rows()...)
	if !lay.wide() {
		for i, line := range append([]string{""}, describe(a.h.styles, p, w)...) {
			r := row{text: line}
			if i > 0 && line != "" {
				r.id = fmt.Sprintf("text %d", i) // The cursor scrolls through the text.
			}
			rows = append(rows, r)
		}
	}
	return rows
}

func (a *about) focused() *rowList {
	switch a.h.has {
	case paneNeeds:
		return a.needs
	case paneAbout:
		return a.numbers
	default:
		return nil
	}
}

func (a *about) showBeside() {
	lay := a.h.frame.layout()
	if !lay.wide() || a.shown == nil {
		return
	}
	w := max(lay.preview.Inner().W-2, 10)
	e := a.besideEntry()
	id := "text"
	if e != nil {
		id = e.id
	}
	if a.beside == id {
		return
	}
	a.beside = id
	a.preview.ScrollTo(0)
	if e == nil {
		a.preview.SetLines(describe(a.h.styles, a.shown, w))
		return
	}
	a.preview.SetLines(e.items(w))
}

func (a *about) besideEntry() *entry {
	if list := a.focused(); list != nil {
		if e := list.entry(); e != nil && e.items != nil {
			return e
		}
	}
	return nil
}

func (a *about) besideTitle() string {
	if e := a.besideEntry(); e != nil && e.title != "" {
		return e.title
	}
	return "Schema"
}

func (a *about) errorLines(w int) []string {
	what := "Cannot load the profiles"
	if a.h.failed != "" {
		what = models.Printable(a.h.failed) + " cannot be opened"
	}
	lines := []string{a.h.styles.Paint(widget.RoleBad, "✗ "+what)}
	lines = append(lines, widget.Wrap(a.h.styles, widget.RoleText, a.h.err.Error(), w)...)
	lines = append(lines, widget.Wrap(a.h.styles, widget.RoleMuted, "Press enter to retry, or ctrl+r to reload the profiles.", w)...)
	return append(lines, "")
}

func (a *about) faultLines(w int) []string {
	if a.h.faults == nil {
		return nil
	}
	lines := []string{a.h.styles.Paint(widget.RoleBad, "✗ Profiles with errors")}
	for line := range strings.Lines(a.h.faults.Error()) {
		lines = append(lines, widget.Wrap(a.h.styles, widget.RoleText, strings.TrimSpace(line), w)...)
	}
	return append(lines, a.h.styles.Paint(widget.RoleMuted, "ctrl+r reloads the profiles"), "")
}

func describe(s *widget.Styles, p *profiles.Profile, w int) []string {
	lines := widget.Wrap(s, widget.RoleText, p.Description, w)
	lines = append(lines, "", figures(s, p, w), "")
	lines = append(lines, tableLines(s, p, w)...)
	lines = append(lines, guardrailLines(s, p, w)...)
	if len(p.Findings) > 0 {
		lines = append(lines, "", present.Heading(s, "Schema issues", w), findingCounts(s, p, w))
	}
	return lines
}

func liveLines(s *widget.Styles, live *tables.Comparison, w int) []string {
	if live == nil {
		return nil
	}
	text, good := live.Summary()
	role, sign := widget.RoleGood, "✓ "
	if !good {
		role, sign = widget.RoleWarn, "✗ "
	}
	return widget.Wrap(s, role, sign+"live tables: "+text+" · "+live.At.Format("15:04"), w)
}

func figures(s *widget.Styles, p *profiles.Profile, w int) string {
	parts := []struct {
		n   int
		one string
	}{{len(p.Tables), "table"}, {len(p.Entities), "entity"}, {len(p.Patterns), "pattern"}, {len(p.Findings), "issue"}}
	words := make([]string, len(parts))
	for i, f := range parts {
		n, word, _ := strings.Cut(present.Plural(f.n, f.one), " ")
		words[i] = s.Paint(widget.RoleInfo, n) + s.Paint(widget.RoleMuted, " "+word)
	}
	line := strings.Join(words, s.Paint(widget.RoleFaint, " · "))
	if more := "   M map  F issues"; ansi.StringWidth(line)+len(more) <= w {
		line += s.Paint(widget.RoleFaint, more)
	}
	return line
}

func tableLines(s *widget.Styles, p *profiles.Profile, w int) []string {
	var lines []string
	nameWidth := 0
	for _, e := range p.Entities {
		nameWidth = max(nameWidth, len([]rune(e.Name)))
	}
	nameWidth = min(nameWidth, 20) + 1
	row := func(role widget.Role, name, keys string) {
		lines = append(lines, s.PaintCell(role, widget.SurfacePlain, name, nameWidth, widget.AlignLeft)+" "+keys)
	}
	for i, t := range p.Tables {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, present.Heading(s, models.Printable(t.Name), w))
		for _, e := range p.EntitiesOf(t) {
			var keys []string
			for _, k := range []models.Key{t.PartitionKey, t.SortKey} {
				if tpl, ok := e.KeyTemplate(k.Name); ok {
					keys = append(keys, s.Paint(widget.RoleMuted, k.Name+" ")+present.Template(s, tpl))
				}
			}
			row(widget.RoleKey, e.Name, strings.Join(keys, s.Paint(widget.RoleFaint, "  ")))
		}
		for _, x := range t.Indexes {
			names := models.NamesOf(x.KeyAttributes(), func(k models.Key) string { return k.Name })
			keys := s.Paint(widget.RoleMuted, strings.Join(names, ", "))
			if x.Label != "" {
				keys += s.Paint(widget.RoleFaint, "  "+x.Label)
			}
			row(widget.RoleFaint, "⌕ "+x.Name, keys)
		}
	}
	return lines
}

func guardrailLines(s *widget.Styles, p *profiles.Profile, w int) []string {
	g := p.Guardrails
	var lines []string
	add := func(label, text string) {
		lines = append(lines, present.Labeled(s, widget.RoleText, label, text, w)...)
	}
	add("regions", strings.Join(g.Regions, ", "))
	add("production", strings.Join(g.Production, ", "))
	add("retention", g.Retention)
	label := "notes"
	for _, n := range g.Notes {
		add(label, n)
		label = ""
	}
	if len(lines) == 0 {
		return nil
	}
	return append([]string{"", present.Heading(s, "Guardrails", w)}, lines...)
}

func findingCounts(s *widget.Styles, p *profiles.Profile, w int) string {
	count := map[accesspatterns.FindingKind]int{}
	for _, f := range p.Findings {
		count[f.Kind]++
	}
	var parts []string
	for _, k := range accesspatterns.FindingKinds() {
		if n := count[k]; n > 0 {
			kind := s.Paint(widget.RoleMuted, " "+strings.ToLower(string(k)))
			parts = append(parts, s.Paint(present.FindingRole(k), strconv.Itoa(n))+kind)
		}
	}
	return widget.Place(strings.Join(parts, s.Paint(widget.RoleFaint, "  ·  ")), w, 1)
}
