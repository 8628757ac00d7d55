package item

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// lifecycleTab draws the state machines of the item, and below them the moves out of its
// states.
type lifecycleTab struct {
	textTab
	ways   map[*models.Lifecycle]*lifecycleWay
	here   int // line of the first current state, 0 for none
	height int // of the tab; the text above the moves has h

	moves []changes.Move
	at    int // move under the cursor
	top   int // first visible move
}

func newLifecycleTab(s *itemScreen) *lifecycleTab {
	t := &lifecycleTab{}
	t.textTab = newTextTab(s, t.stateLines)
	return t
}

func (t *lifecycleTab) title() string { return "Lifecycle" }

func (t *lifecycleTab) remake() {
	t.textTab.remake()
	t.makeMoves()
	t.ways = map[*models.Lifecycle]*lifecycleWay{}
}

func (t *lifecycleTab) note() string {
	line := t.s.timeline
	switch {
	case line.loading && !line.stopped:
		return "reading the audit trail"
	case line.err != nil:
		return "audit trail not read; press 4 to retry"
	case line.stopped, line.more:
		return "audit trail incomplete; press 4 to read the rest"
	}
	return ""
}

func (t *lifecycleTab) opened() tea.Cmd { return t.s.timeline.opened() }

func (t *lifecycleTab) cancel() bool { return t.s.timeline.cancel() }

func (t *lifecycleTab) retell() {
	t.ways = map[*models.Lifecycle]*lifecycleWay{}
	t.redraw()
	t.showHere()
}

func (t *lifecycleTab) redraw() {
	if t.made > 1 {
		t.pager.SetLines(t.lines(t.made - 1))
	}
}

func (t *lifecycleTab) setSize(w, h int) {
	was := t.made
	t.height = h
	t.textTab.setSize(w, h-t.movesHeight())
	if t.made != was {
		t.showHere()
	}
}

func (t *lifecycleTab) showHere() {
	t.pager.ScrollTo(0)
	if t.here+1 >= t.h {
		t.pager.ScrollTo(t.here - t.h/2)
	}
}

func (t *lifecycleTab) view() string {
	return widget.Rows(t.textTab.view(), t.movesView(t.w))
}

func (t *lifecycleTab) mouse() widget.Clickable { return t }

// Wheel scrolls the state machines.
func (t *lifecycleTab) Wheel(up bool) { t.pager.Wheel(up) }

// Click moves the cursor to the move at y; again reports that it already was there.
func (t *lifecycleTab) Click(_, y int) (again, ok bool) {
	at := t.top + y - (t.height - t.movesHeight()) - 1
	if at < t.top || at >= min(t.top+t.movesRows(), len(t.moves)) {
		return false, false
	}
	again = at == t.at
	t.moveTo(at)
	return again, true
}

func (t *lifecycleTab) update(msg tea.Msg) (tea.Cmd, bool) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok || len(t.moves) == 0 {
		return t.textTab.update(msg)
	}
	switch press.String() {
	case "up", "k":
		t.moveTo(max(t.at-1, 0))
	case "down", "j":
		t.moveTo(min(t.at+1, len(t.moves)-1))
	default:
		return t.textTab.update(msg)
	}
	return nil, true
}

func (t *lifecycleTab) moveTo(at int) {
	if at != t.at {
		t.at = at
		t.redraw()
	}
}

func (t *lifecycleTab) enter() command {
	m, ok := t.selected()
	if !ok {
		return command{word: "plan", why: "final state: no further transitions"}
	}
	return command{word: "plan", why: m.Why, run: func() tea.Cmd { return t.s.change(m.Action, m.Args) }}
}

func (t *lifecycleTab) selected() (changes.Move, bool) {
	if t.at >= len(t.moves) {
		return changes.Move{}, false
	}
	return t.moves[t.at], true
}

func (t *lifecycleTab) makeMoves() {
	first := t.moves == nil
	t.moves = nil
	if e := t.s.facts.entity; e != nil {
		t.moves = t.s.env.Planner.Moves(e, t.s.item)
	}
	t.s.offers.remake()
	t.at = min(t.at, max(len(t.moves)-1, 0))
	if first {
		t.at = max(slices.IndexFunc(t.moves, func(m changes.Move) bool { return m.Why == "" }), 0)
	}
}

// movesDetail is how many lines tell about the move under the cursor.
const movesDetail = 3

func (t *lifecycleTab) movesRows() int {
	n, h := len(t.moves), t.height
	if n == 0 || h < 8 {
		return min(n, max(h-3, 0))
	}
	return min(n, max(h/2-movesDetail, 2))
}

func (t *lifecycleTab) movesHeight() int {
	rows := t.movesRows()
	if rows == 0 {
		return 0
	}
	if t.height < 8 {
		return rows + 1
	}
	return rows + 1 + movesDetail
}

func (t *lifecycleTab) movesView(w int) string {
	rows := t.movesRows()
	if rows == 0 {
		return ""
	}
	st := t.s.env.Styles
	t.top = min(max(t.top, t.at-rows+1), t.at, len(t.moves)-rows)
	note := "press enter to see why not"
	if onePossible(t.moves) {
		note = "press its keys or enter to plan"
	}
	if rows < len(t.moves) {
		note = strconv.Itoa(t.at+1) + "/" + strconv.Itoa(len(t.moves)) + " · " + note
	}
	lines := []string{widget.Rule(st, "Transitions from here", note, w)}
	title, to := 0, 0
	for _, mv := range t.moves {
		title = max(title, ansi.StringWidth(moveTitle(mv)))
		to = max(to, ansi.StringWidth(moveBadge(mv).Text))
	}
	title = min(title, max(w*2/5, 8))
	for i := t.top; i < t.top+rows; i++ {
		lines = append(lines, t.moveLine(t.moves[i], i == t.at, w, title, to))
	}
	view := strings.Join(lines, "\n")
	if d := t.movesHeight() - len(lines); d > 0 {
		view = widget.Rows(view, t.moveDetail(w, d))
	}
	return view
}

func onePossible(moves []changes.Move) bool {
	return slices.ContainsFunc(moves, func(m changes.Move) bool { return m.Why == "" })
}

func moveTitle(m changes.Move) string {
	if m.Action != nil {
		return m.Action.Title
	}
	return m.Transition.Name
}

func moveBadge(m changes.Move) widget.Cell { return present.StateBadge(m.Lifecycle, m.Transition.To) }

func (t *lifecycleTab) moveLine(m changes.Move, at bool, w, title, to int) string {
	st := t.s.env.Styles
	on, bar := widget.SurfacePlain, "  "
	if at {
		on, bar = widget.SurfaceCursor, "▌ "
	}
	badge := moveBadge(m)
	name, role, about := widget.RoleStrong, widget.RoleMuted, moveAbout(m)
	if m.Why != "" {
		name, badge.Role, role = widget.RoleFaint, widget.RoleFaint, widget.RoleFaint
		if t.refusal(m) == nil { // what the session refuses is below the list, once
			about = "⊘ " + m.Why
		}
	} else if known := present.ChangeObstacle(t.s.env, m.Action); known != "" {
		role, about = widget.RoleBad, "✗ "+known
	}
	letter, keys := "", 0
	for _, other := range t.moves {
		if other.Why == "" {
			keys = max(keys, ansi.StringWidth(t.s.offers.keys(other.Action))+1)
		}
	}
	if m.Why == "" {
		letter = t.s.offers.keys(m.Action)
	}
	head := st.PaintOn(widget.RoleAccent, on, bar) + st.PaintCell(widget.RoleKey, on, letter, keys, widget.AlignLeft) +
		st.PaintCell(name, on, moveTitle(m), title, widget.AlignLeft) + st.PaintOn(widget.RoleFaint, on, " ─▸ ") +
		st.PaintCell(badge.Role, on, badge.Text, to, widget.AlignLeft)
	return head + st.PaintCell(role, on, "  "+about, max(w-ansi.StringWidth(head), 0), widget.AlignLeft)
}

func moveAbout(m changes.Move) string {
	if m.Action != nil && m.Action.Description != "" {
		return m.Action.Description
	}
	if m.To != nil {
		return m.To.Description
	}
	return ""
}

func (t *lifecycleTab) moveDetail(w, h int) string {
	st := t.s.env.Styles
	m, ok := t.selected()
	if !ok {
		return widget.Place("", w, h)
	}
	var lines []string
	if m.Why != "" {
		lines = append(lines, t.whyNot(st, m, max(w-2, 1))...)
	} else if m.Action != nil {
		if known := t.s.env.Tables.ObstacleToChange(m.Action); known != nil {
			lines = append(lines, present.AsksAgain(st, known, max(w-2, 1))...)
		}
	}
	why := len(lines)
	if about := moveAbout(m); about != "" {
		lines = append(lines, widget.Wrap(st, widget.RoleText, about, max(w-2, 1))...)
	}
	facts := []string{m.Transition.Name + ": " + strings.Join(m.Transition.From, ", ") + " → " + m.Transition.To}
	if m.Transition.Actor != "" {
		facts = append(facts, "by "+m.Transition.Actor)
	}
	if m.Transition.Documented {
		facts = append(facts, "documented "+m.Transition.Source)
	} else {
		facts = append(facts, "not documented")
	}
	if room := h - 1; len(lines) > room {
		if lines = lines[:room]; room > why {
			lines[room-1] = ansi.Truncate(lines[room-1], max(w-3, 0), "") + st.Paint(widget.RoleFaint, "…")
		}
	}
	lines = append(lines, st.Paint(widget.RoleFaint, models.PrintableCell(strings.Join(facts, " · "), max(w-2, 1))))
	for i := range lines {
		lines[i] = " " + lines[i]
	}
	return widget.Place(strings.Join(lines, "\n"), w, h)
}

func (t *lifecycleTab) whyNot(st *widget.Styles, m changes.Move, w int) []string {
	if refused := t.refusal(m); refused != nil {
		return present.Hanging(st, widget.RoleWarn, "⊘ ", refused.Error(), w)
	}
	return present.Hanging(st, widget.RoleWarn, "⊘ ", m.Why, w)
}

func (t *lifecycleTab) refusal(m changes.Move) *session.Refusal {
	var refused *session.Refusal
	if m.Action != nil && errors.As(t.s.env.Session.CanChange(m.Action), &refused) && refused.Why == m.Why {
		return refused
	}
	return nil
}
