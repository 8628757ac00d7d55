package planner

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/changes"

	"github.com/charmbracelet/x/ansi"
	"github.com/dustin/go-humanize"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// sweepNamed is how many of the items the question names.
const sweepNamed = 5

// Over draws the dialog over a screen of w by h cells.
func (x *SweepDialog) Over(s *widget.Styles, background string, w, h int) string {
	if x.Phase == sweepAsks {
		return x.question(s, background, w, h)
	}
	return x.progress(s, background, w, h)
}

func (x *SweepDialog) question(s *widget.Styles, background string, w, h int) string {
	wide := min(w-8, 84)
	about := widget.Wrap(s, widget.RoleText, x.about(), wide)
	named := max(min(sweepNamed, h-x.Form.Height(wide)-len(about)-13), 0)
	lines := slices.Concat(about, []string{""}, x.itemLines(s, wide, named), []string{""}, x.stateLines(s, wide))
	return x.Draw(s, background, w, h, wide, lines, []string{x.hintLine(s)})
}

func (x *SweepDialog) hintLine(s *widget.Styles) string {
	hints := [][2]string{{"up", "to the reason"}, {"tab", "next button"}, {"esc", "leaves"}}
	if x.OnForm() {
		hints = [][2]string{{"enter", "to the buttons"}, {"tab", "next"}, {"esc", "leaves"}}
	}
	line := ""
	for _, h := range hints {
		line += s.Paint(widget.RoleKey, h[0]) + s.Paint(widget.RoleFaint, " "+h[1]+"   ")
	}
	return line
}

func (x *SweepDialog) itemLines(s *widget.Styles, w, most int) []string {
	if most == 0 {
		return nil // The title counts them.
	}
	masker := x.env.Session.Masker()
	items := x.sweep.Items[:min(most, len(x.sweep.Items))]
	names, states, wide := make([]string, len(items)), make([]widget.Cell, len(items)), 0
	is, kinds := make([]models.Recognition, len(items)), map[*models.Entity]bool{}
	for i, it := range items {
		is[i], _ = x.env.Session.Recognize(it.Table, it.Item)
		kinds[is[i].Entity] = true
	}
	for i, it := range items {
		shown := masker.Item(it.Table, it.Item)
		names[i] = it.Table.KeyText(shown)
		r := is[i]
		if r.Entity == nil {
			continue
		}
		names[i] = cmp.Or(present.ItemTitle(r.Entity, masker, r, it.Item).Text, names[i])
		if len(kinds) > 1 { // A repair can change items of several entities.
			names[i] = present.EntityName(r.Entity) + " " + names[i]
		}
		if len(r.Entity.Lifecycles) > 0 {
			l := r.Entity.Lifecycles[0]
			if now, ok := shown.Text(l.Attribute); ok {
				states[i] = present.StateBadge(l, now)
				wide = max(wide, min(ansi.StringWidth(states[i].Text)+2, w/3))
			}
		}
	}
	var lines []string
	for i, name := range names {
		mark, role := "  ", widget.RoleText
		if x.obstacles[i] != "" {
			mark, role = "⊘ ", widget.RoleWarn
		}
		state := s.PaintCell(states[i].Role, widget.SurfacePlain, states[i].Text, wide, widget.AlignLeft)
		lines = append(lines, s.Paint(role, mark)+state+s.PaintCell(role, widget.SurfacePlain, name, max(w-2-wide, 1), widget.AlignLeft))
	}
	if more := len(x.sweep.Items) - len(items); more > 0 {
		lines = append(lines, s.Paint(widget.RoleFaint, fmt.Sprintf("  … and %d more", more)))
	}
	return lines
}

func obstacle(env *screen.Env, a *change.Action, it changes.Item) string {
	if it.Undoes != nil {
		return "" // Only the journal and the item as it is now tell.
	}
	r, ok := env.Session.Recognize(it.Table, it.Item)
	if !ok || a == nil {
		return ""
	}
	for _, o := range env.Planner.Offers(r.Entity, it.Item) {
		if o.Action == a {
			return o.Why
		}
	}
	return ""
}

// First names the key of the action that the first item which does not allow
// this one needs before, "" where none is known.
func (x *SweepDialog) First() string {
	for i, why := range x.obstacles {
		if why == "" || x.sweep.Action == nil {
			continue
		}
		for _, a := range x.env.Planner.Prerequisites(x.sweep.Action, x.sweep.Items[i].Item) {
			if x.Letters[a] != "" {
				return x.Letters[a]
			}
		}
		return ""
	}
	return ""
}

func (x *SweepDialog) known() *tables.Obstacle {
	if x.sweep.Action == nil {
		return nil
	}
	return x.env.Tables.ObstacleToChange(x.sweep.Action)
}

func (x *SweepDialog) stateLines(s *widget.Styles, w int) []string {
	n, reasons := 0, []string{}
	for _, why := range x.obstacles {
		if why == "" {
			continue
		}
		n++
		if !slices.Contains(reasons, why) {
			reasons = append(reasons, why)
		}
	}
	if known := x.known(); known != nil && x.why == "" {
		return present.AsksAgain(s, known, w)
	}
	switch {
	case x.why != "":
		return present.Hanging(s, widget.RoleBad, "✗ ", x.why, w)
	case n == 0:
		return widget.Wrap(s, widget.RoleMuted, "Each item is one transaction. esc stops between items.", w)
	}
	text := fmt.Sprintf("%d of %d cannot be changed: %s", n, len(x.sweep.Items), reasons[0])
	if len(reasons) > 1 {
		text += ", and for " + present.Plural(len(reasons)-1, "other reason")
	}
	if key := x.First(); key != "" {
		text += " (key " + key + ")"
	}
	return present.Hanging(s, widget.RoleWarn, "⊘ ", text, w)
}

func (x *SweepDialog) progress(s *widget.Styles, background string, w, h int) string {
	bw, bh := min(w-4, 110), min(h-2, len(x.sweep.Items)+10)
	at := widget.Centered(w, h, bw, bh)
	iw, ih := widget.PanelInner(bw, bh)
	const rest = 6 // lines around the grid
	x.setColumns(iw)
	x.grid.SetSize(iw, max(ih-rest, 0))
	done, all := x.run.outcomes.Len(), len(x.sweep.Items)
	bar := min(40, iw/3)
	line := " " + widget.ProgressBar(s, float64(done)/float64(max(all, 1)), bar, x.run.elapsed) +
		s.Paint(widget.RoleText, fmt.Sprintf("  %d of %d", done, all)) + s.Paint(widget.RoleMuted, x.progressWord())
	foot := "esc stops after the current item"
	note := "whole items only"
	switch {
	case x.Phase == SweepDone:
		foot = "e exports CSV · y copies · esc closes"
		if len(x.undoable()) > 0 {
			foot = "u undoes · " + foot
		}
		if offer := x.leads(); offer != nil {
			foot = "o opens " + offer.Queue.Title + " · " + foot
		}
		if x.said != "" {
			foot = x.said + " · esc closes"
		}
		note = present.Plural(all, "item")
	case x.run.stopping:
		foot = "stopping after the current item …"
	}
	body := x.grid.View()
	if x.run.err != nil {
		body = widget.Place(strings.Join(present.ErrorLines(s, x.run.err, iw-4, "nothing was written"), "\n"), iw, max(ih-rest, 0))
		foot = "esc closes"
	}
	content := widget.Rows(widget.Place(line, iw, 1), widget.Place(" "+x.countLine(s), iw, 1), body,
		widget.Indent(x.whyLines(s, max(iw-2, 1)), iw, 2), widget.BlankLine(iw),
		s.PaintCell(widget.RoleFaint, widget.SurfacePlain, " "+foot, iw, widget.AlignLeft))
	box := widget.Panel{Title: x.title, Note: note, Focused: true}.Render(s, content, bw, bh)
	return widget.Overlay(widget.Dim(s, background), box, at.X, at.Y)
}

func (x *SweepDialog) setColumns(w int) {
	if w == x.wide {
		return
	}
	x.wide = w
	item := min(max(w/2, 20), 60)
	x.grid.SetColumns(widget.Column{Title: "outcome", Min: 11, Max: 11, Frozen: true},
		widget.Column{Title: "item", Min: 20, Max: item, Middle: true}, widget.Column{Title: "why", Weight: 1, Max: 120})
}

func (x *SweepDialog) whyLines(s *widget.Styles, w int) string {
	i := x.grid.Cursor()
	if i < 0 || i >= x.run.outcomes.Len() || x.Phase != SweepDone {
		return ""
	}
	return strings.Join(widget.Wrap(s, widget.RoleText, x.run.outcomes.list[i].Why, w), "\n")
}

func (x *SweepDialog) progressWord() string {
	switch {
	case x.Phase == SweepDone && x.run.stopping:
		return "   stopped; the remaining items are unchanged"
	case x.Phase == SweepDone:
		return "   done"
	case x.run.stopping:
		return "   stopping"
	}
	return x.paceWord()
}

func (x *SweepDialog) paceWord() string {
	run := x.run
	done, rest := run.outcomes.Len(), len(x.sweep.Items)-run.outcomes.Len()
	if done == 0 || run.elapsed < time.Second { // too little to tell
		return "   under way"
	}
	rate := float64(done) / run.elapsed.Seconds()
	word := fmt.Sprintf("   %.1f items/s", rate)
	if rate < 1 {
		word = fmt.Sprintf("   %.1f items/min", rate*60)
	}
	if rest > 0 {
		word += " · about " + present.Span(time.Duration(float64(rest)/rate*float64(time.Second))) + " left"
	}
	if units := x.capacity(); units > 0 {
		word += fmt.Sprintf(" · %s WCU", humanize.Commaf(math.Round(units*10)/10))
	}
	return word
}

func (x *SweepDialog) countLine(s *widget.Styles) string {
	parts := make([]string, 0, 6)
	for _, c := range x.counts() {
		badge := sweepBadge(c.status)
		parts = append(parts, s.Paint(badge.Role, fmt.Sprintf("%d %s", c.n, c.status)))
	}
	return strings.Join(parts, s.Paint(widget.RoleFaint, " · "))
}
