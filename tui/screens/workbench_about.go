package screens

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// about is the text in the place of rows.
type about struct {
	pages   *widget.Pager
	pattern *accesspatterns.Pattern
	wide    int
}

func (a *about) forget() { a.pattern = nil }

func (a *about) pager(b *Workbench) *widget.Pager {
	if a.pages == nil {
		a.pages = widget.NewPager(b.env.Styles)
	}
	return a.pages
}

func (a *about) view(b *Workbench, w, h int) string {
	p := a.pager(b)
	if a.pattern != b.job.pattern || a.wide != w {
		if a.pattern != b.job.pattern {
			p.ScrollTo(0)
		}
		a.pattern, a.wide = b.job.pattern, w
		p.SetStyles(b.env.Styles)
		p.SetLines(b.aboutLines(min(max(w-4, 10), 96)))
	}
	p.SetSize(w-2, h)
	return widget.Indent(p.View(), w-1, h)
}

// aboutLines are the lines of w cells about the chosen pattern, what is known
// against it first.
func (b *Workbench) aboutLines(w int) []string {
	lines := aboutLines(b.env.Styles, b.job.pattern, w)
	if o := b.obstacle(); o != nil {
		return append(append([]string{""}, obstacleLines(b.env.Styles, o, w)...), lines...)
	}
	return lines
}

// aboutLines explains a pattern in lines of w cells.
func aboutLines(s *widget.Styles, p *accesspatterns.Pattern, w int) []string {
	lines := []string{""}
	text := func(label string, role widget.Role, body string) {
		if body == "" {
			return
		}
		for i, line := range widget.Wrap(s, role, body, w-12) {
			if i > 0 {
				label = ""
			}
			lines = append(lines, s.PaintCell(widget.RoleMuted, widget.SurfacePlain, label, 12, widget.AlignLeft)+line)
		}
	}
	if p.Writing != nil {
		lines = append(lines, writingLines(s, p, w)...)
	}
	text("ddbdesk", widget.RoleText, p.Safe)
	text("returns", widget.RoleKey, entityNames(p.Returns))
	if p.Table != nil {
		text("table", widget.RoleText, p.Table.Name)
	}
	text("order", widget.RoleText, p.OrderNote)
	if p.StopAfter > 0 {
		text("ends", widget.RoleText, "after "+plural(p.StopAfter, "match"))
	}
	for i, src := range p.Source {
		label := ""
		if i == 0 {
			label = "document"
		}
		text(label, widget.RoleFaint, src)
	}
	if !p.IsRead() {
		return append(lines, findingBlocks(s, p, w)...)
	}
	return lines
}

func entityNames(list []*models.Entity) string {
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = e.Name
		if e.Title != "" && e.Title != e.Name {
			names[i] += " (" + e.Title + ")"
		}
	}
	return strings.Join(names, ", ")
}

// writeLine is a write in one line.
func writeLine(s *widget.Styles, p *accesspatterns.Pattern) string {
	if p.Writing == nil {
		return ""
	}
	line := s.Paint(widget.RoleFaint, "✎ ") + s.Paint(widget.RoleKey, p.Writing.API)
	if len(p.Writing.Sets) > 0 {
		line += s.Paint(widget.RoleMuted, " sets ") + s.Paint(widget.RoleText, strings.Join(p.Writing.Sets, ", "))
	}
	if p.Writing.Condition != "" {
		line += s.Paint(widget.RoleMuted, " only if ") + s.Paint(widget.RoleText, p.Writing.Condition)
	}
	return line
}

// writingLines say what a write would do.
func writingLines(s *widget.Styles, p *accesspatterns.Pattern, w int) []string {
	row := func(label, value string, role widget.Role) string {
		return s.PaintCell(widget.RoleMuted, widget.SurfacePlain, label, 12, widget.AlignLeft) +
			s.PaintCell(role, widget.SurfacePlain, value, max(w-12, 1), widget.AlignLeft)
	}
	lines := []string{heading(s, "What it would write", w), row("request", p.Writing.API, widget.RoleKey)}
	for i, c := range p.Read.Key {
		label := ""
		if i == 0 {
			label = "key"
		}
		lines = append(lines, s.PaintCell(widget.RoleMuted, widget.SurfacePlain, label, 12, widget.AlignLeft)+
			s.Paint(widget.RoleKey, c.Attribute.Name)+s.Paint(widget.RoleMuted, " = ")+template(s, c.Template))
	}
	if len(p.Writing.Sets) > 0 {
		lines = append(lines, row("sets", strings.Join(p.Writing.Sets, ", "), widget.RoleText))
	}
	condition := p.Writing.Condition
	if condition == "" {
		condition = "none: it writes whatever is there"
	}
	lines = append(lines, row("only if", condition, widget.RoleText))
	for i, q := range p.Params {
		label := "takes"
		if i > 0 {
			label = ""
		}
		about := q.Description
		if !q.Required {
			about = join(about, "optional", " · ")
		}
		lines = append(lines, s.PaintCell(widget.RoleMuted, widget.SurfacePlain, label, 12, widget.AlignLeft)+
			s.Paint(widget.RoleKey, q.Name)+s.Paint(widget.RoleMuted, "  "+about))
	}
	return append(lines, "")
}

// digits are five lines high and three cells wide.
var digits = [...][5]string{
	{"█▀█", "█ █", "█ █", "█ █", "▀▀▀"},
	{"▄█ ", " █ ", " █ ", " █ ", "▀▀▀"},
	{"▀▀█", "  █", "█▀▀", "█  ", "▀▀▀"},
	{"▀▀█", "  █", "▀▀█", "  █", "▀▀▀"},
	{"█ █", "█ █", "▀▀█", "  █", "  ▀"},
	{"█▀▀", "█  ", "▀▀█", "  █", "▀▀▀"},
	{"█▀▀", "█  ", "█▀█", "█ █", "▀▀▀"},
	{"▀▀█", "  █", "  █", "  █", "  ▀"},
	{"█▀█", "█ █", "█▀█", "█ █", "▀▀▀"},
	{"█▀█", "█ █", "▀▀█", "  █", "▀▀▀"},
}

// bigCount draws a number in the middle of w by h cells.
func bigCount(s *widget.Styles, n, w, h int, label string) string {
	text := thousands(n)
	var lines []string
	if len(text)*4 <= w-4 && h >= 8 {
		for y := range 5 {
			var b strings.Builder
			for _, c := range text {
				if c < '0' || c > '9' {
					b.WriteString([5]string{"  ", "  ", "  ", "  ", "▗ "}[y])
					continue
				}
				b.WriteString(digits[c-'0'][y] + " ")
			}
			lines = append(lines, s.Paint(widget.RoleAccent, b.String()[:b.Len()-1]))
		}
	} else {
		lines = append(lines, s.Paint(widget.RoleTitle, text))
	}
	lines = append(lines, "", s.Paint(widget.RoleMuted, label))
	for i, line := range lines {
		lines[i] = widget.BlankLine((w-ansi.StringWidth(line))/2) + line
	}
	above := strings.Repeat("\n", max((h-len(lines))/2, 0))
	return widget.Place(above+strings.Join(lines, "\n"), w, h)
}
