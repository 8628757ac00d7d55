package home

import (
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

// A description is the text about the selected profile.
type description struct {
	h *Home

	details *widget.Pager
	waiting map[string]string             // what was last seen in queues, by profile and queue ID
	live    map[string]*tables.Comparison // of the live tables, by profile
	shown   *profiles.Profile             // whose description is in details
	width   int                           // that it was made for; 0 to make it again
}

// describeAgain makes the description again, because what it shows has changed.
func (d *description) describeAgain() {
	d.width = 0
	d.refresh()
}

// refresh makes the description of the selected profile, if it is another one.
func (d *description) refresh() {
	_, right := d.h.layout()
	width := max(right.Inner().W-4, 10)
	p := d.h.Selected()
	if p == d.shown && width == d.width && d.h.err == nil {
		return
	}
	if p != d.shown {
		d.details.ScrollTo(0)
	}
	d.shown, d.width = p, width
	var lines []string
	if d.h.err != nil {
		lines = d.errorLines(width)
		d.width = 0
	}
	lines = append(lines, d.faultLines(width)...)
	if p != nil {
		lines = append(lines, describe(d.h.styles, p, d.waiting, d.live[p.Name], width)...)
	}
	d.details.SetLines(lines)
}

// errorLines says what failed, and how to try again.
func (d *description) errorLines(w int) []string {
	what := "The profiles cannot be loaded"
	if d.h.failed != "" {
		what = d.h.failed + " cannot be opened"
	}
	lines := []string{d.h.styles.Paint(widget.RoleBad, "✗ "+what)}
	lines = append(lines, widget.Wrap(d.h.styles, widget.RoleText, d.h.err.Error(), w)...)
	return append(lines, d.h.styles.Paint(widget.RoleMuted, "enter tries again · r reloads the profiles"), "")
}

// faultLines says which profiles cannot be used as their files are now.
func (d *description) faultLines(w int) []string {
	if d.h.faults == nil {
		return nil
	}
	lines := []string{d.h.styles.Paint(widget.RoleBad, "✗ Profiles with errors")}
	for line := range strings.Lines(d.h.faults.Error()) {
		lines = append(lines, widget.Wrap(d.h.styles, widget.RoleText, strings.TrimSpace(line), w)...)
	}
	return append(lines, d.h.styles.Paint(widget.RoleMuted, "r reloads the profiles"), "")
}

// describe describes a profile in lines of w cells.
func describe(s *widget.Styles, p *profiles.Profile, waiting map[string]string, live *tables.Comparison, w int) []string {
	lines := []string{s.Paint(widget.RoleTitle, models.Truncate(models.Printable(p.Title), w))}
	lines = append(lines, widget.Wrap(s, widget.RoleText, p.Description, w)...)
	lines = append(lines, "", figures(s, p, w))
	lines = append(lines, liveLines(s, live, w)...)
	lines = append(lines, "")
	lines = append(lines, queueLines(s, p, waiting, w)...)
	lines = append(lines, tableLines(s, p, w)...)
	if len(p.Lifecycles) > 0 {
		lines = append(lines, "", present.Heading(s, "Lifecycles", w))
		for _, l := range p.Lifecycles {
			lines = append(lines, s.Paint(widget.RoleKey, l.Entity.Name)+s.Paint(widget.RoleMuted, "."+l.Attribute),
				"  "+strings.Join(present.LifecycleEnds(s, l), ""))
		}
	}
	lines = append(lines, guardrailLines(s, p, w)...)
	if len(p.Findings) > 0 {
		lines = append(lines, "", present.Heading(s, "Schema issues", w), findingCounts(s, p, w))
	}
	return lines
}

// liveLines says whether the live tables match the profile, which is known once the
// profile was opened.
func liveLines(s *widget.Styles, live *tables.Comparison, w int) []string {
	if live == nil {
		return []string{s.Paint(widget.RoleFaint, models.Truncate("live tables: compared when the profile is opened", w))}
	}
	text, good := live.Summary()
	role, sign := widget.RoleGood, "✓ "
	if !good {
		role, sign = widget.RoleWarn, "✗ "
	}
	return widget.Wrap(s, role, sign+"live tables: "+text+" · "+live.At.Format("15:04"), w)
}

// figures counts the parts of a profile in one line.
func figures(s *widget.Styles, p *profiles.Profile, w int) string {
	parts := []struct {
		n   int
		one string
	}{{len(p.Tables), "table"}, {len(p.Entities), "entity"}, {len(p.Patterns), "pattern"}, {len(p.Findings), "finding"}}
	words := make([]string, len(parts))
	for i, f := range parts {
		n, word, _ := strings.Cut(present.Plural(f.n, f.one), " ")
		words[i] = s.Paint(widget.RoleInfo, n) + s.Paint(widget.RoleMuted, " "+word)
	}
	line := strings.Join(words, s.Paint(widget.RoleFaint, " · "))
	if more := "   M map  F findings"; ansi.StringWidth(line)+len(more) <= w {
		line += s.Paint(widget.RoleFaint, more)
	}
	return line
}

// tableLines lists the tables with their entities, the keys of these, and their
// indexes.
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

// queueLines lists the queues with their actions, and the number of items when the
// queue was last read.
func queueLines(s *widget.Styles, p *profiles.Profile, waiting map[string]string, w int) []string {
	if len(p.Queues) == 0 {
		return nil
	}
	lines := []string{present.Heading(s, "Queues", w)}
	for i, q := range p.Queues {
		line := s.Paint(widget.RoleKey, q.Title)
		if text := waiting[p.Name+"."+q.ID]; text != "" {
			line += s.Paint(widget.RoleInfo, "  "+text)
		}
		if i == 0 {
			line += s.Paint(widget.RoleFaint, "  Q opens")
		}
		lines = append(lines, line)
		var names []string
		for _, a := range q.Actions {
			names = append(names, a.ID)
		}
		if len(names) > 0 {
			lines = append(lines, "  "+s.Paint(widget.RoleMuted, models.Truncate(strings.Join(names, " · "), max(w-2, 1))))
		}
	}
	return append(lines, "")
}

// guardrailLines lists the limits of the profile.
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

// findingCounts counts the schema issues of each kind in one line.
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
