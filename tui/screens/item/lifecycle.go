package item

import (
	"cmp"
	"slices"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A lifecycleWay is a lifecycle as one item goes through it.
type lifecycleWay struct {
	l     *models.Lifecycle
	stays []timeline.Stay // the present one last; empty without a state
}

func wayOf(s *subject, l *models.Lifecycle) *lifecycleWay {
	return &lifecycleWay{l: l, stays: timeline.Stays(l, s.facts.masked, s.past)}
}

// path is the states that the item went through, with the time spent in each.
func (way *lifecycleWay) path(st *widget.Styles, w int, now time.Time) []string {
	row := wrapped{w: w, line: " "}
	for i, stay := range way.stays {
		until, next := stay.Until, " ▸ "
		role, text := way.stateLook(stay.State)
		if i == len(way.stays)-1 {
			until, next, text = now, "", text+", here"
		} else {
			role = widget.RoleText
		}
		if !stay.Since.IsZero() && until.After(stay.Since) {
			text += " " + present.Span(until.Sub(stay.Since))
		}
		row.put(st, role, text+next)
	}
	return row.all()
}

// lines are the path and the states that the item was not in, in at most h lines.
func (way *lifecycleWay) lines(st *widget.Styles, w, h int, now time.Time) []string {
	var others []string
	for _, s := range way.l.States {
		if !slices.ContainsFunc(way.stays, func(stay timeline.Stay) bool { return stay.State == s.Name }) {
			_, text := way.stateLook(s.Name)
			others = append(others, text)
		}
	}
	row := wrapped{w: w, line: " "}
	for i, text := range others {
		if i == 0 {
			text = "Other states: " + text
		}
		if i < len(others)-1 {
			text += " · "
		}
		row.put(st, widget.RoleFaint, text)
	}
	lines := append(way.path(st, w, now), row.all()...)
	return lines[:min(len(lines), max(h, 1))]
}

// stateLook names a state, with the glyph of its kind unless it is an open one.
func (way *lifecycleWay) stateLook(name string) (widget.Role, string) {
	s := way.l.State(name)
	if s == nil {
		return widget.RoleText, models.PrintableCell(name, titleID)
	}
	kind, text := widget.KindOf(string(s.Kind)), models.PrintableCell(cmp.Or(s.Label, s.Name), titleID)
	if s.Kind != models.StateOpen {
		text = kind.Glyph() + " " + text
	}
	return kind.Role(), text
}

// wrapped is text of several roles in lines of w cells.
type wrapped struct {
	w, used int
	line    string
	lines   []string
}

func (r *wrapped) put(st *widget.Styles, role widget.Role, text string) {
	cells := ansi.StringWidth(text)
	if r.used > 0 && r.used+cells > r.w-3 {
		r.lines, r.line, r.used = append(r.lines, r.line), "   ", 2
	}
	r.line, r.used = r.line+st.Paint(role, text), r.used+cells
}

func (r *wrapped) all() []string {
	if r.used == 0 {
		return nil
	}
	return append(r.lines, r.line)
}
