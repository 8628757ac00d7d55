package workbench

import (
	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// about is the text in the place of rows.
type about struct {
	pages   *widget.Pager
	pattern *accesspatterns.Pattern
	wide    int
}

func (a *about) Forget() { a.pattern = nil }

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
		p.SetLines(b.draw.aboutLines(min(max(w-4, 10), 96)))
	}
	p.SetSize(w-2, h)
	return widget.Indent(p.View(), w-1, h)
}

// aboutLines are the lines of w cells about the chosen pattern, what is known
// against it first.
func (dr *drawing) aboutLines(w int) []string {
	lines := aboutLines(dr.b.env.Styles, dr.b.job.pattern, w)
	if o := dr.b.plans.obstacle(); o != nil {
		return append(append([]string{""}, present.ObstacleLines(dr.b.env.Styles, o, w)...), lines...)
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
		lines = append(lines, present.WritingLines(s, p, w)...)
	}
	text("behavior", widget.RoleText, p.Safe)
	text("returns", widget.RoleKey, present.EntityNames(p.Returns))
	if p.Table != nil {
		text("table", widget.RoleText, p.Table.Name)
	}
	text("order", widget.RoleText, p.OrderNote)
	if p.StopAfter > 0 {
		text("ends", widget.RoleText, "after "+present.Plural(p.StopAfter, "match"))
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
