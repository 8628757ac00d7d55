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
	l     *models.Lifecycle
	stays []timeline.StatePeriod // current state last; empty if the item has no state
	moves []changes.Move         // possible moves from the current state
}

func newLifecyclePath(s *itemData, l *models.Lifecycle) *lifecyclePath {
	path := &lifecyclePath{l: l, stays: timeline.StatePeriods(l, s.facts.masked, s.past)}
	for _, m := range s.moves {
		if m.Lifecycle == l {
			path.moves = append(path.moves, m)
		}
	}
	return path
}

// path returns the states that the item passed through, with the time spent in each.
func (path *lifecyclePath) path(st *widget.Styles, w int, now time.Time) []string {
	row := wrapped{w: w, line: " "}
	for i, stay := range path.stays {
		role, text := path.stateLook(stay.State)
		spent, until := "", stay.Until
		if i == len(path.stays)-1 {
			until = now
		}
		if !stay.Since.IsZero() && until.After(stay.Since) {
			spent = " " + present.Span(until.Sub(stay.Since))
		}
		if i == len(path.stays)-1 {
			if spent != "" {
				spent = " for" + spent
			}
			row.put(st, role, text+cmp.Or(spent, ", now"))
			break
		}
		row.put(st, widget.RoleText, text+" ─"+cmp.Or(spent, "─")+" ▸ ")
	}
	return row.all()
}

// lines draws the path, the transitions from the last state, and the other states in at most h lines.
func (path *lifecyclePath) lines(st *widget.Styles, w, h int, now time.Time) []string {
	lines, known := path.path(st, w, now), map[string]bool{}
	for _, stay := range path.stays {
		known[stay.State] = true
	}
	for i, m := range path.moves {
		known[m.Transition.To] = true
		role, text := path.stateLook(m.Transition.To)
		row, sign := wrapped{w: w, line: "   "}, "├─▸ "
		if i == len(path.moves)-1 {
			sign = "╰─▸ "
		}
		row.put(st, widget.RoleFaint, sign)
		row.put(st, role, text)
		row.put(st, widget.RoleMuted, "  "+models.PrintableCell(present.StepOf(m).Title, titleID))
		if m.Transition.Actor != "" {
			row.put(st, widget.RoleFaint, " ("+models.PrintableCell(m.Transition.Actor, titleID)+")")
		}
		lines = append(lines, row.all()...)
	}
	var others []string
	for _, s := range path.l.States {
		if !known[s.Name] {
			_, text := path.stateLook(s.Name)
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
	lines = append(lines, row.all()...)
	return lines[:min(len(lines), max(h, 1))]
}

// stateLook returns the name of a state. Except for open states, it adds the symbol of the state's kind.
func (path *lifecyclePath) stateLook(name string) (widget.Role, string) {
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

// A wrapped builds lines of w cells from text in several roles.
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
