package item

import (
	"cmp"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A lifecyclePath is the path of an item through a lifecycle.
type lifecyclePath struct {
	l           *models.Lifecycle
	periods     []timeline.StatePeriod    // current state last; empty if the item has no state
	transitions []changes.TransitionOffer // possible transitions from the current state
}

func newLifecyclePath(s *itemData, l *models.Lifecycle) *lifecyclePath {
	path := &lifecyclePath{l: l, periods: timeline.StatePeriods(l, s.facts.masked, s.pastEntries)}
	for _, m := range s.transitions {
		if m.Lifecycle == l {
			path.transitions = append(path.transitions, m)
		}
	}
	return path
}

// pathLines returns the states that the item passed through, with the time spent in each.
func (path *lifecyclePath) pathLines(st *widget.Styles, w int, now time.Time) []string {
	row := lineWrapper{w: w, line: " "}
	for i, period := range path.periods {
		role, text := path.stateBadge(period.State)
		duration, until := "", period.Until
		if i == len(path.periods)-1 {
			until = now
		}
		if !period.Since.IsZero() && until.After(period.Since) {
			duration = " " + present.RoundDuration(until.Sub(period.Since))
		}
		switch isLast := i == len(path.periods)-1; {
		case isLast && duration != "":
			row.add(st, role, text+" for"+duration)
		case isLast:
			row.add(st, role, text)
		case duration != "":
			row.add(st, widget.RoleText, text+" ─"+duration+" ▸ ")
		default:
			row.add(st, widget.RoleText, text+" ▸ ")
		}
	}
	return row.wrappedLines()
}

// lines draws the path, the transitions from the last state, and the other states in at most h lines.
func (path *lifecyclePath) lines(st *widget.Styles, w, h int, now time.Time) []string {
	lines, known := path.pathLines(st, w, now), map[string]bool{}
	for _, period := range path.periods {
		known[period.State] = true
	}
	for i, m := range path.transitions {
		known[m.Transition.To] = true
		role, text := path.stateBadge(m.Transition.To)
		row, sign := lineWrapper{w: w, line: "   "}, "├─▸ "
		if i == len(path.transitions)-1 {
			sign = "╰─▸ "
		}
		row.add(st, widget.RoleFaint, sign)
		row.add(st, role, text)
		row.add(st, widget.RoleMuted, "  "+models.PrintableCell(present.StepOf(m).Title, titleID))
		if m.Transition.Actor != "" {
			row.add(st, widget.RoleFaint, " ("+models.PrintableCell(m.Transition.Actor, titleID)+")")
		}
		lines = append(lines, row.wrappedLines()...)
	}
	var others []string
	for _, s := range path.l.States {
		if !known[s.Name] {
			_, text := path.stateBadge(s.Name)
			others = append(others, text)
		}
	}
	row := lineWrapper{w: w, line: " "}
	for i, text := range others {
		if i == 0 {
			text = "Other states: " + text
		}
		if i < len(others)-1 {
			text += " · "
		}
		row.add(st, widget.RoleFaint, text)
	}
	lines = append(lines, row.wrappedLines()...)
	return lines[:min(len(lines), max(h, 1))]
}

// stateBadge returns the name of a state. Except for open states, it adds the symbol of the state's kind.
func (path *lifecyclePath) stateBadge(name string) (widget.Role, string) {
	s := path.l.State(name)
	if s == nil {
		return widget.RoleText, models.PrintableCell(name, titleID)
	}
	kind, text := widget.KindOf(string(s.Kind)), models.PrintableCell(cmp.Or(s.Label, s.Name), titleID)
	if s.Kind != models.StateOpen {
		text = kind.Glyph() + " " + text
	}
	return kind.Role(), text
}

// A lineWrapper builds lines of w cells from text in several roles.
type lineWrapper struct {
	w, used int
	line    string
	lines   []string
}

func (w *lineWrapper) add(st *widget.Styles, role widget.Role, text string) {
	cells := ansi.StringWidth(text)
	if w.used > 0 && w.used+cells > w.w-3 {
		w.lines, w.line, w.used = append(w.lines, w.line), "   ", 2
	}
	w.line, w.used = w.line+st.Paint(role, text), w.used+cells
}

func (w *lineWrapper) wrappedLines() []string {
	if w.used == 0 {
		return nil
	}
	return append(w.lines, w.line)
}
