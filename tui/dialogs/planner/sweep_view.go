package planner

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/dustin/go-humanize"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/sweep"
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
		return x.text.question(s, background, w, h)
	}
	return x.text.progress(s, background, w, h)
}

func (tx *sweepText) question(s *widget.Styles, background string, w, h int) string {
	wide := min(w-8, 84)
	about := widget.Wrap(s, widget.RoleText, tx.b.about(), wide)
	named := max(min(sweepNamed, h-tx.b.Form.Height(wide)-len(about)-13), 0)
	lines := slices.Concat(about, []string{""}, tx.itemLines(s, wide, named), []string{""}, tx.stateLines(s, wide))
	return tx.b.Draw(s, background, w, h, wide, lines, []string{tx.hintLine(s)})
}

func (tx *sweepText) hintLine(s *widget.Styles) string {
	hints := [][2]string{{"up", "to the reason"}, {"tab", "next button"}, {"esc", "leaves"}}
	if tx.b.OnForm() {
		hints = [][2]string{{"enter", "to the buttons"}, {"tab", "next"}, {"esc", "leaves"}}
	}
	line := ""
	for _, h := range hints {
		line += s.Paint(widget.RoleKey, h[0]) + s.Paint(widget.RoleFaint, " "+h[1]+"   ")
	}
	return line
}

func (tx *sweepText) itemLines(s *widget.Styles, w, most int) []string {
	if most == 0 {
		return nil // The title counts them.
	}
	masker := tx.b.env.Session.Masker()
	items := tx.b.sweep.Items[:min(most, len(tx.b.sweep.Items))]
	names, states, wide := make([]string, len(items)), make([]widget.Cell, len(items)), 0
	is, kinds := make([]models.Recognition, len(items)), map[*models.Entity]bool{}
	for i, it := range items {
		is[i], _ = tx.b.env.Session.Recognize(it.Table, it.Item)
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
		if tx.b.obstacles[i] != "" {
			mark, role = "⊘ ", widget.RoleWarn
		}
		state := s.PaintCell(states[i].Role, widget.SurfacePlain, states[i].Text, wide, widget.AlignLeft)
		lines = append(lines, s.Paint(role, mark)+state+s.PaintCell(role, widget.SurfacePlain, name, max(w-2-wide, 1), widget.AlignLeft))
	}
	if more := len(tx.b.sweep.Items) - len(items); more > 0 {
		lines = append(lines, s.Paint(widget.RoleFaint, fmt.Sprintf("  … and %d more", more)))
	}
	return lines
}

func obstacle(env *screen.Env, a *change.Action, it sweep.Item) string {
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

func (tx *sweepText) known() *tables.Obstacle {
	if tx.b.sweep.Action == nil {
		return nil
	}
	return tx.b.env.Tables.ObstacleToChange(tx.b.sweep.Action)
}

func (tx *sweepText) stateLines(s *widget.Styles, w int) []string {
	n, reasons := 0, []string{}
	for _, why := range tx.b.obstacles {
		if why == "" {
			continue
		}
		n++
		if !slices.Contains(reasons, why) {
			reasons = append(reasons, why)
		}
	}
	if known := tx.known(); known != nil && tx.b.why == "" {
		return present.AsksAgain(s, known, w)
	}
	switch {
	case tx.b.why != "":
		return present.Hanging(s, widget.RoleBad, "✗ ", tx.b.why, w)
	case n == 0:
		return widget.Wrap(s, widget.RoleMuted, "Each item is one transaction. esc stops between items.", w)
	}
	text := fmt.Sprintf("%d of %d cannot be changed: %s", n, len(tx.b.sweep.Items), reasons[0])
	if len(reasons) > 1 {
		text += ", and for " + present.Plural(len(reasons)-1, "other reason")
	}
	if key := tx.b.First(); key != "" {
		text += " (key " + key + ")"
	}
	return present.Hanging(s, widget.RoleWarn, "⊘ ", text, w)
}

func (tx *sweepText) progress(s *widget.Styles, background string, w, h int) string {
	bw, bh := min(w-4, 110), min(h-2, len(tx.b.sweep.Items)+10)
	at := widget.Centered(w, h, bw, bh)
	iw, ih := widget.PanelInner(bw, bh)
	const rest = 6 // lines around the grid
	tx.setColumns(iw)
	tx.b.grid.SetSize(iw, max(ih-rest, 0))
	done, all := tx.b.run.outcomes.Len(), len(tx.b.sweep.Items)
	bar := min(40, iw/3)
	line := " " + widget.ProgressBar(s, float64(done)/float64(max(all, 1)), bar, tx.b.run.elapsed) +
		s.Paint(widget.RoleText, fmt.Sprintf("  %d of %d", done, all)) + s.Paint(widget.RoleMuted, tx.progressWord())
	foot := "esc stops after the current item"
	note := "whole items only"
	switch {
	case tx.b.Phase == SweepDone:
		foot = "e exports CSV · E exports JSON · y copies · esc closes"
		if len(tx.b.undoable()) > 0 {
			foot = "u undoes · " + foot
		}
		if offer := tx.b.run.leads(); offer != nil {
			foot = "o opens " + offer.Queue.Title + " · " + foot
		}
		if tx.b.said != "" {
			foot = tx.b.said + " · esc closes"
		}
		note = present.Plural(all, "item")
	case tx.b.run.stopping:
		foot = "stopping after the current item …"
	}
	body := tx.b.grid.View()
	if tx.b.run.err != nil {
		body = widget.Place(strings.Join(present.ErrorLines(s, tx.b.run.err, iw-4, "nothing was written"), "\n"), iw, max(ih-rest, 0))
		foot = "esc closes"
	}
	content := widget.Rows(widget.Place(line, iw, 1), widget.Place(" "+tx.countLine(s), iw, 1), body,
		widget.Indent(tx.whyLines(s, max(iw-2, 1)), iw, 2), widget.BlankLine(iw),
		s.PaintCell(widget.RoleFaint, widget.SurfacePlain, " "+foot, iw, widget.AlignLeft))
	box := widget.Panel{Title: tx.b.title, Note: note, Focused: true}.Render(s, content, bw, bh)
	return widget.Overlay(widget.Dim(s, background), box, at.X, at.Y)
}

func (tx *sweepText) setColumns(w int) {
	if w == tx.b.wide {
		return
	}
	tx.b.wide = w
	item := min(max(w/2, 20), 60)
	tx.b.grid.SetColumns(widget.Column{Title: "outcome", Min: 11, Max: 11, Frozen: true},
		widget.Column{Title: "item", Min: 20, Max: item, Middle: true}, widget.Column{Title: "why", Weight: 1, Max: 120})
}

func (tx *sweepText) whyLines(s *widget.Styles, w int) string {
	i := tx.b.grid.Cursor()
	if i < 0 || i >= tx.b.run.outcomes.Len() || tx.b.Phase != SweepDone {
		return ""
	}
	return strings.Join(widget.Wrap(s, widget.RoleText, tx.b.run.outcomes.list[i].Why, w), "\n")
}

func (tx *sweepText) progressWord() string {
	switch {
	case tx.b.Phase == SweepDone && tx.b.run.stopping:
		return "   stopped; the remaining items are unchanged"
	case tx.b.Phase == SweepDone:
		return "   done"
	case tx.b.run.stopping:
		return "   stopping"
	}
	return tx.paceWord()
}

func (tx *sweepText) paceWord() string {
	run := tx.b.run
	done, rest := run.outcomes.Len(), len(tx.b.sweep.Items)-run.outcomes.Len()
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
	if units := run.capacity(); units > 0 {
		word += fmt.Sprintf(" · %s WCU", humanize.Commaf(math.Round(units*10)/10))
	}
	return word
}

func (tx *sweepText) countLine(s *widget.Styles) string {
	parts := make([]string, 0, 6)
	for _, c := range tx.b.run.counts() {
		badge := sweepBadge(c.status)
		parts = append(parts, s.Paint(badge.Role, fmt.Sprintf("%d %s", c.n, c.status)))
	}
	return strings.Join(parts, s.Paint(widget.RoleFaint, " · "))
}
