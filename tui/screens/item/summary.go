package item

import (
	"errors"
	"slices"
	"strconv"
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

func (m itemSummary) shown() bool {
	e := m.s.facts.entity
	return e != nil && m.s.facts.states > 0 && m.s.env.Workspace != nil && m.s.env.Session.Role() != session.Developer
}

// height does not depend on what was read, so that nothing moves.
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

func (m itemSummary) view(w, lines int) string {
	if lines == 0 {
		return ""
	}
	st, left := m.s.env.Styles, w-2
	beside := lines > 3 && w >= summaryWide
	if beside {
		left = w*58/100 - 2
	}
	all := []string{m.stateLine(), m.nextLine(left), m.mayLine(left)}
	switch events := m.eventLines(); {
	case lines == 3:
		all = all[:2]
	case beside:
		for i := range all {
			all[i] = widget.Place(ansi.Truncate(all[i], left, "…"), left+1, 1) + st.Paint(widget.RoleBorder, "│ ") + events[i]
		}
	default:
		all = append(all, events...)
	}
	for i := range all {
		all[i] = " " + ansi.Truncate(all[i], max(w-2, 0), "…")
	}
	return widget.Place(strings.Join(append(all, widget.Rule(st, "", "", w)), "\n"), w, lines)
}

func (m itemSummary) way() *lifecycleWay {
	for _, l := range m.s.facts.entity.Lifecycles {
		if way := m.s.lifecycle.wayOf(l); len(way.stays) > 0 {
			return way
		}
	}
	return &lifecycleWay{l: m.s.facts.entity.Lifecycles[0]}
}

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
		text += st.Paint(widget.RoleText, " since "+present.When(now.Since, m.s.env.Now()))
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

func (m itemSummary) moves() []changes.Move {
	l := m.way().l
	return slices.DeleteFunc(slices.Clone(m.s.lifecycle.moves), func(mv changes.Move) bool { return mv.Lifecycle != l })
}

func (m itemSummary) fitting(moves []changes.Move, w int, text func(shown []changes.Move, rest string) string) string {
	for n := len(moves); n > 1; n-- {
		if line := text(moves[:n], m.more(len(moves)-n)); ansi.StringWidth(line) <= w {
			return line
		}
	}
	return text(moves[:1], m.more(len(moves)-1))
}

func (m itemSummary) more(n int) string {
	if n == 0 {
		return ""
	}
	return m.s.env.Styles.Paint(widget.RoleMuted, " +"+strconv.Itoa(n)+" more")
}

func (m itemSummary) nextLine(w int) string {
	st, moves := m.s.env.Styles, m.moves()
	next := st.Paint(widget.RoleMuted, "Next  ")
	if len(moves) == 0 {
		return next + st.Paint(widget.RoleText, "nothing: final state")
	}
	slices.SortStableFunc(moves, func(a, b changes.Move) int { return rankOf(a.Why == "") - rankOf(b.Why == "") })
	return m.fitting(moves, w, func(shown []changes.Move, rest string) string {
		var actors []string
		titles := map[string][]string{}
		for _, mv := range shown {
			who := mv.Transition.Actor
			if titles[who] == nil {
				actors = append(actors, who)
			}
			titles[who] = append(titles[who], models.PrintableCell(moveTitle(mv), 32))
		}
		var parts []string
		for _, who := range actors {
			text := st.Paint(widget.RoleText, strings.Join(titles[who], ", "))
			if who != "" {
				text += st.Paint(widget.RoleMuted, " by "+models.PrintableCell(who, 24))
			}
			parts = append(parts, text)
		}
		return next + strings.Join(parts, st.Paint(widget.RoleFaint, " · ")) + rest
	})
}

func (m itemSummary) mayLine(w int) string {
	st, moves := m.s.env.Styles, m.moves()
	if len(moves) == 0 {
		return ""
	}
	can := slices.DeleteFunc(slices.Clone(moves), func(mv changes.Move) bool { return mv.Why != "" })
	if len(can) > 0 {
		may := "You can  "
		if m.s.env.Session.CanChange(can[0].Action) != nil {
			may = "You can request  "
		}
		letters, menu := m.s.offers.letters, " "+st.Paint(widget.RoleKey, m.s.offers.menuKey())
		slices.SortStableFunc(can, func(a, b changes.Move) int {
			return rankOf(letters[a.Action] != "") - rankOf(letters[b.Action] != "")
		})
		return m.fitting(can, w, func(shown []changes.Move, rest string) string {
			var parts []string
			for _, mv := range shown {
				title := st.Paint(widget.RoleText, models.PrintableCell(moveTitle(mv), 32))
				if key := m.s.offers.keys(mv.Action); key != "" {
					title = st.Paint(widget.RoleKey, key) + " " + title
				}
				parts = append(parts, title)
			}
			if rest != "" {
				rest += menu
			}
			return st.Paint(widget.RoleMuted, may) + strings.Join(parts, st.Paint(widget.RoleFaint, " · ")) + rest
		})
	}
	why := moves[0].Why
	for _, mv := range moves {
		var refused *session.Refusal
		if mv.Action != nil && errors.As(m.s.env.Session.CanChange(mv.Action), &refused) {
			why = refused.Error()
			break
		}
	}
	why, _, _ = strings.Cut(why, ": ") // As the menu of changes does, which says the rest.
	if short, _, advises := strings.Cut(why, "; "); advises && ansi.StringWidth(why) > w-2 {
		return st.Paint(widget.RoleMuted, "⊘ "+models.PrintableCell(short, w)+"; ") + st.Paint(widget.RoleKey, m.s.offers.menuKey()) +
			st.Paint(widget.RoleMuted, " says how")
	}
	return st.Paint(widget.RoleMuted, "⊘ "+models.PrintableCell(why, 120))
}

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
			when = present.At(e.When, m.s.env.Now())
		}
		words := models.PrintableCell(e.What, 40)
		if e.Who != "" {
			words += " by " + models.PrintableCell(e.Who, 24)
		}
		lines[i] = st.PaintCell(widget.RoleMuted, widget.SurfacePlain, when, 14, widget.AlignLeft) + st.Paint(widget.RoleText, words)
	}
	return lines
}

func (m itemSummary) noEvents() string {
	t := m.s.timeline
	switch {
	case t.loading:
		return "reading the audit trail"
	case t.nothing() != "":
		text, _, _ := strings.Cut(t.nothing(), ".")
		text, _, _ = strings.Cut(text, ": ") // The tab says the rest.
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
