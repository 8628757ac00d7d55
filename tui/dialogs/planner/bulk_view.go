package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// bulkNamed is how many of the items the question names.
const bulkNamed = 5

func (x *bulkBox) Over(s *widget.Styles, background string, w, h int) string {
	if x.Phase == bulkAsks {
		return x.question(s, background, w, h)
	}
	return x.progress(s, background, w, h)
}

// question draws what is asked before.
func (x *bulkBox) question(s *widget.Styles, background string, w, h int) string {
	wide := min(w-8, 84)
	formHeight := x.form.Height(wide)
	x.form.SetSize(wide, formHeight)
	about := widget.Wrap(s, widget.RoleText, x.about(), wide)
	what := x.itemLines(s, wide, max(min(bulkNamed, h-formHeight-len(about)-13), 0))
	var lines []string
	lines = append(lines, about...)
	lines = append(lines, "")
	lines = append(lines, what...)
	lines = append(lines, "")
	lines = append(lines, x.stateLines(s, wide)...)
	x.formY = len(lines)
	lines = append(lines, x.form.View())
	lines = append(lines, x.hintLine(s))
	x.dialog.Body = widget.Place(strings.Join(lines, "\n"), wide, x.formY+formHeight+1)
	dw, dh := x.dialog.Size(w, h)
	x.box = overlay.Rect{X: (w - dw) / 2, Y: (h - dh) / 2, W: dw, H: dh}
	screen := widget.Overlay(widget.Dim(s, background), x.dialog.Render(s, dw, dh), x.box.X, x.box.Y)
	if popup, px, py, open := x.form.Popup(); open {
		left, top := x.dialog.BodyAt()
		screen = widget.OverlayInside(screen, popup, x.box.X+left+px, x.box.Y+top+x.formY+py)
	}
	return screen
}

// hintLine says which keys there are beside those of the buttons.
func (x *bulkBox) hintLine(s *widget.Styles) string {
	hints := [][2]string{{"up", "to the reason"}, {"tab", "next button"}, {"esc", "leaves"}}
	if x.onForm {
		hints = [][2]string{{"enter", "to the buttons"}, {"tab", "next"}, {"esc", "leaves"}}
	}
	line := ""
	for _, h := range hints {
		line += s.Paint(widget.RoleKey, h[0]) + s.Paint(widget.RoleFaint, " "+h[1]+"   ")
	}
	return line
}

// itemLines names the first items, masked.
func (x *bulkBox) itemLines(s *widget.Styles, w, most int) []string {
	masker := x.env.Session.Masker()
	var lines []string
	for i, it := range x.bulk.Items {
		if most == 0 {
			return nil // The title counts them.
		}
		if i == most && len(x.bulk.Items) > most {
			lines = append(lines, s.Paint(widget.RoleFaint, fmt.Sprintf("  … and %d more", len(x.bulk.Items)-most)))
			break
		}
		shown := masker.Item(it.Table, it.Item)
		r := &results.Row{Item: shown}
		if found, ok := x.env.Session.Recognise(it.Table, it.Item); ok {
			r.Entity = found.Entity
		}
		state := ""
		if r.Entity != nil && len(r.Entity.Lifecycles) > 0 {
			l := r.Entity.Lifecycles[0]
			if now, ok := shown.Text(l.Attribute); ok {
				badge := present.StateBadge(l, now)
				state = s.PaintCell(badge.Role, widget.SurfacePlain, badge.Text, min(24, w/3), widget.AlignLeft)
			}
		}
		mark, role := "  ", widget.RoleText
		if x.obstacles[i] != "" {
			mark, role = "⊘ ", widget.RoleWarn
		}
		text := s.PaintCell(role, widget.SurfacePlain, it.Table.KeyText(shown), max(w-2-min(24, w/3), 1), widget.AlignLeft)
		lines = append(lines, s.Paint(role, mark)+state+text)
	}
	return lines
}

// obstacle says why the item does not allow the action, as far as it tells by
// itself; such an item will be a conflict.
func obstacle(env *screen.Env, a *accesspatterns.Action, it session.BulkItem) string {
	r, ok := env.Session.Recognise(it.Table, it.Item)
	if !ok || a == nil {
		return ""
	}
	for _, o := range env.Session.Offers(r.Entity, it.Item) {
		if o.Action == a {
			return o.Why
		}
	}
	return ""
}

// first names the key of the action that the first item which does not allow
// this one needs before, "" where none is known.
func (x *bulkBox) First() string {
	for i, why := range x.obstacles {
		if why == "" || x.bulk.Action == nil {
			continue
		}
		for _, a := range x.env.Session.Ways(x.bulk.Action, x.bulk.Items[i].Item) {
			if x.Letters[a] != "" {
				return x.Letters[a]
			}
		}
		return ""
	}
	return ""
}

// known is what is known against the change of any of the items.
func (x *bulkBox) known() *session.Obstacle {
	if x.bulk.Action == nil {
		return nil
	}
	return x.env.Session.ObstacleToChange(x.bulk.Action)
}

// stateLines say why a button was not taken, or else how many of the items will
// be conflicts, and why.
func (x *bulkBox) stateLines(s *widget.Styles, w int) []string {
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
		return widget.Wrap(s, widget.RoleMuted, "Each item is written by itself, whole or not at all; esc stops between.", w)
	}
	text := fmt.Sprintf("%d of %d do not allow it and will stay as they are: %s", n, len(x.bulk.Items), reasons[0])
	if len(reasons) > 1 {
		text += ", and for " + present.Plural(len(reasons)-1, "other reason")
	}
	if key := x.First(); key != "" {
		text += " (key " + key + ")"
	}
	return present.Hanging(s, widget.RoleWarn, "⊘ ", text, w)
}

// progress draws what became of the items, while it runs and afterwards.
func (x *bulkBox) progress(s *widget.Styles, background string, w, h int) string {
	bw, bh := min(w-4, 110), min(h-2, max(len(x.bulk.Items)+9, 14))
	x.box = overlay.Rect{X: (w - bw) / 2, Y: (h - bh) / 2, W: bw, H: bh}
	iw, ih := widget.PanelInner(bw, bh)
	const rest = 6 // lines around the grid
	x.setColumns(iw)
	x.grid.SetSize(iw, max(ih-rest, 0))
	done, all := x.outcomes.Len(), len(x.bulk.Items)
	bar := min(40, iw/3)
	line := " " + widget.ProgressBar(s, float64(done)/float64(max(all, 1)), bar, x.elapsed) +
		s.Paint(widget.RoleText, fmt.Sprintf("  %d of %d", done, all)) + s.Paint(widget.RoleMuted, x.progressWord())
	foot := "esc stops after the item under way"
	note := "whole items only"
	switch {
	case x.Phase == BulkDone:
		foot = "e exports CSV · E exports JSON · y copies · esc closes"
		if x.said != "" {
			foot = x.said + " · esc closes"
		}
		note = present.Plural(all, "item")
	case x.stopping:
		foot = "stopping after the item under way …"
	}
	body := x.grid.View()
	if x.err != nil {
		body = widget.Place(strings.Join(present.ErrorLines(s, x.err, iw-4, "nothing was written"), "\n"), iw, max(ih-rest, 0))
		foot = "esc closes"
	}
	content := widget.Rows(widget.Place(line, iw, 1), widget.Place(" "+x.countLine(s), iw, 1), body,
		widget.Indent(x.whyLines(s, max(iw-2, 1)), iw, 2), widget.BlankLine(iw), s.PaintCell(widget.RoleFaint, widget.SurfacePlain, " "+foot, iw, widget.AlignLeft))
	box := widget.Panel{Title: x.title, Note: note, Focused: true}.Render(s, content, bw, bh)
	return widget.Overlay(widget.Dim(s, background), box, x.box.X, x.box.Y)
}

// setColumns leaves room for why beside the items.
func (x *bulkBox) setColumns(w int) {
	if w == x.wide {
		return
	}
	x.wide = w
	item := min(max(w/2, 20), 60)
	x.grid.SetColumns(widget.Column{Title: "outcome", Min: 11, Max: 11, Frozen: true},
		widget.Column{Title: "item", Min: 20, Max: item}, widget.Column{Title: "why", Weight: 1, Max: 120})
}

// whyLines say in full why the item under the cursor ended as it did.
func (x *bulkBox) whyLines(s *widget.Styles, w int) string {
	i := x.grid.Cursor()
	if i < 0 || i >= x.outcomes.Len() || x.Phase != BulkDone {
		return ""
	}
	return strings.Join(widget.Wrap(s, widget.RoleText, x.outcomes.list[i].Why, w), "\n")
}

func (x *bulkBox) progressWord() string {
	switch {
	case x.Phase == BulkDone && x.stopping:
		return "   stopped: the rest is as it was"
	case x.Phase == BulkDone:
		return "   done"
	case x.stopping:
		return "   stopping"
	}
	return "   under way"
}

// countLine is the summary: how many items had which outcome.
func (x *bulkBox) countLine(s *widget.Styles) string {
	parts := make([]string, 0, 6)
	for _, c := range x.counts() {
		badge := bulkBadge(c.status)
		parts = append(parts, s.Paint(badge.Role, fmt.Sprintf("%d %s", c.n, c.status)))
	}
	return strings.Join(parts, s.Paint(widget.RoleFaint, " · "))
}
