package item

import (
	"errors"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// itemSummary is the part above the attributes for those who handle items: where the item is and since when, what can
// follow, who may do it, and what happened last.
type itemSummary struct{ s *itemScreen }

const (
	summaryEvents = 3  // last entries of the audit trail
	summaryWide   = 90 // width in cells from which they are beside the state
	summaryTall   = 22 // height of the tab from which they are shown at all
)

// shown reports whether there is a summary: developers see keys, and an item without a lifecycle has no state.
func (m itemSummary) shown() bool {
	e := m.s.facts.entity
	return e != nil && m.s.facts.states > 0 && m.s.env.Workspace != nil && m.s.env.Session.Role() != session.Developer
}

// height is the number of lines in a tab of w by h cells, its rule included. It does not depend on what was read, so
// that nothing moves.
func (m itemSummary) height(w, h int) int {
	switch {
	case !m.shown() || h < 12:
		return 0
	case h < summaryTall:
		return 3
	case w < summaryWide:
		return 4 + summaryEvents
	}
	return 4
}

// view draws the summary in w cells and as many lines.
func (m itemSummary) view(w, lines int) string {
	if lines == 0 {
		return ""
	}
	st := m.s.env.Styles
	state := []string{m.stateLine(), m.nextLine(), m.mayLine()}
	events := m.eventLines()
	var all []string
	switch {
	case lines == 3:
		all = state[:2]
	case w < summaryWide:
		all = append(state, events...)
	default:
		left := w * 58 / 100
		for i := range state {
			all = append(all, widget.Place(ansi.Truncate(state[i], left-2, "…"), left-1, 1)+st.Paint(widget.RoleBorder, "│ ")+events[i])
		}
	}
	for i := range all {
		all[i] = " " + ansi.Truncate(all[i], max(w-2, 0), "…")
	}
	return widget.Place(strings.Join(append(all, widget.Rule(st, "", "", w)), "\n"), w, lines)
}

// way is the way of the item through its first lifecycle.
func (m itemSummary) way() *lifecycleWay {
	for _, l := range m.s.facts.entity.Lifecycles {
		if way := m.s.lifecycle.wayOf(l); len(way.stays) > 0 {
			return way
		}
	}
	return &lifecycleWay{l: m.s.facts.entity.Lifecycles[0]}
}

// stateLine says where the item is, and since when.
func (m itemSummary) stateLine() string {
	st, way := m.s.env.Styles, m.way()
	now, _ := way.now()
	label := models.PrintableCell(now.State, titleID)
	kind := widget.RoleWarn
	if s := way.l.State(now.State); s != nil {
		label, kind = models.PrintableCell(s.Label, titleID), widget.KindOf(string(s.Kind)).Role()
	}
	text := st.Paint(kind, "● ") + st.Paint(widget.RoleStrong, label)
	switch e := m.s.facts.entity; {
	case !now.Since.IsZero():
		text += st.Paint(widget.RoleText, " "+present.SinceWords(now.Since, m.s.env.Now()))
	case e.Updated != "":
		if v, ok := m.s.facts.masked.Text(e.Updated); ok {
			if a := e.Attribute(e.Updated); a != nil {
				if at, ok := a.Format.ReadTime(v); ok {
					text += st.Paint(widget.RoleMuted, ", changed "+present.Age(at, m.s.env.Now()))
				}
			}
		}
	}
	return text
}

// nextLine names the transitions from here and who makes them.
func (m itemSummary) nextLine() string {
	st, way := m.s.env.Styles, m.way()
	var actors []string
	titles := map[string][]string{}
	for _, mv := range m.s.lifecycle.moves {
		if mv.Lifecycle != way.l {
			continue
		}
		who := mv.Transition.Actor
		if titles[who] == nil {
			actors = append(actors, who)
		}
		titles[who] = append(titles[who], models.PrintableCell(moveTitle(mv), 32))
	}
	if len(actors) == 0 {
		return st.Paint(widget.RoleMuted, "Next  ") + st.Paint(widget.RoleText, "nothing: final state")
	}
	var parts []string
	for _, who := range actors {
		text := st.Paint(widget.RoleText, strings.Join(titles[who], ", "))
		if who != "" {
			text += st.Paint(widget.RoleMuted, " by "+models.PrintableCell(who, 24))
		}
		parts = append(parts, text)
	}
	return st.Paint(widget.RoleMuted, "Next  ") + strings.Join(parts, st.Paint(widget.RoleFaint, " · "))
}

// mayLine says whether the user can make one of these transitions, and otherwise why not.
func (m itemSummary) mayLine() string {
	st, way := m.s.env.Styles, m.way()
	moves := slices.DeleteFunc(slices.Clone(m.s.lifecycle.moves), func(mv changes.Move) bool { return mv.Lifecycle != way.l })
	if len(moves) == 0 {
		return ""
	}
	var can []string
	may := "You can  "
	for _, mv := range moves {
		if mv.Why != "" {
			continue
		}
		can = append(can, models.PrintableCell(moveTitle(mv), 32))
		if m.s.env.Session.CanChange(mv.Action) != nil {
			may = "You can request  "
		}
	}
	if len(can) > 0 {
		return st.Paint(widget.RoleMuted, may) + st.Paint(widget.RoleText, strings.Join(can, ", ")) +
			st.Paint(widget.RoleFaint, " (") + st.Paint(widget.RoleKey, m.s.changeKey()) + st.Paint(widget.RoleFaint, ")")
	}
	why := moves[0].Why
	for _, mv := range moves {
		var refused *session.Refusal
		if mv.Action != nil && errors.As(m.s.env.Session.CanChange(mv.Action), &refused) {
			why = refused.Error()
			break
		}
	}
	return st.Paint(widget.RoleMuted, "⊘ "+models.PrintableCell(why, 120))
}

// eventLines are the last entries of the audit trail, always summaryEvents lines.
func (m itemSummary) eventLines() []string {
	st, t := m.s.env.Styles, m.s.timeline
	lines := make([]string, summaryEvents)
	if len(t.entries) == 0 {
		lines[0] = st.Paint(widget.RoleFaint, m.noEvents())
		return lines
	}
	for i := range min(len(t.entries), summaryEvents) {
		e := t.entry(i)
		when := models.PrintableCell(e.WhenText, 16)
		if !e.When.IsZero() {
			when = present.ExactMoment(e.When, m.s.env.Now())
		}
		words := models.PrintableCell(e.What, 40)
		if e.Who != "" {
			words += " by " + models.PrintableCell(e.Who, 24)
		}
		lines[i] = st.PaintCell(widget.RoleMuted, widget.SurfacePlain, when, 14, widget.AlignLeft) + st.Paint(widget.RoleText, words)
	}
	return lines
}

// noEvents says why there is no entry.
func (m itemSummary) noEvents() string {
	t := m.s.timeline
	switch {
	case t.loading:
		return "reading the audit trail"
	case t.nothing() != "":
		text, _, _ := strings.Cut(t.nothing(), ".")
		return text
	case t.err != nil:
		return "audit trail not read; press 4 to retry"
	}
	return "4 reads the audit trail"
}

// below are the parts of a tab that take the mouse below some lines that do not.
type below struct {
	widget.Clickable
	lines int
}

// Click moves the cursor to the entry at a cell.
func (b below) Click(x, y int) (again, ok bool) {
	if y < b.lines {
		return false, false
	}
	return b.Clickable.Click(x, y-b.lines)
}
