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
