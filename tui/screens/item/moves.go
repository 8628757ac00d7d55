package item

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/planner"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// itemMoves are the moves out of the item's states, and all offers of its
// entity.
type itemMoves struct {
	s *itemScreen

	moves  []changes.Move
	offers []changes.Offer
	at     int
	top    int
}

// makeMoves asks what can be done with the item as it is.
func (ms *itemMoves) makeMoves() {
	first := ms.moves == nil
	ms.moves, ms.offers = nil, nil
	if e := ms.s.facts.entity; e != nil {
		ms.moves = ms.s.env.Planner.Moves(e, ms.s.item)
		ms.offers = append(ms.s.env.Planner.Offers(e, ms.s.item), ms.repairOffer(e)...)
	}
	ms.at = min(ms.at, max(len(ms.moves)-1, 0))
	if first {
		ms.at = max(slices.IndexFunc(ms.moves, func(m changes.Move) bool { return m.Why == "" }), 0)
	}
}

// repairOffer is the repair that every entity has, where keys of the item
// disagree with its attributes and the profile declares no other one.
func (ms *itemMoves) repairOffer(e *models.Entity) []changes.Offer {
	a := ms.s.env.Session.Profile().RepairOf(e)
	if a == nil || ms.s.facts.drifted() == 0 || ms.s.env.Session.Profile().Action(a.ID) == a {
		return nil
	}
	o := changes.Offer{Action: a, Args: changes.ActionArgs(a, e, ms.s.item)}
	if err := ms.s.env.Session.CanChange(a); err != nil {
		o.Why = err.Error()
	}
	return []changes.Offer{o}
}

// repairHint names the key that leads to the repair, "" when none can be made.
func (ms *itemMoves) repairHint() string {
	for _, o := range ms.offers {
		if o.Action.Kind == change.Repairs && o.Why == "" {
			return "; a offers the repair"
		}
	}
	return ""
}

// movesDetail is how many lines tell about the move under the cursor.
const movesDetail = 3

// movesRows is how many moves are seen at once when the panel has h lines; 0
// when there is none to show.
func (ms *itemMoves) movesRows(h int) int {
	n := len(ms.moves)
	if n == 0 || h < 8 {
		return min(n, max(h-3, 0))
	}
	return min(n, max(h/2-movesDetail, 2))
}

// movesHeight is the height of the list below the state machine, its rule and
// the detail included.
func (ms *itemMoves) movesHeight(h int) int {
	rows := ms.movesRows(h)
	if rows == 0 {
		return 0
	}
	if h < 8 {
		return rows + 1
	}
	return rows + 1 + movesDetail
}

// updateMoves moves the cursor in the list.
func (ms *itemMoves) updateMoves(msg tea.Msg) bool {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok || len(ms.moves) == 0 {
		return false
	}
	switch press.String() {
	case "up", "k":
		ms.at = max(ms.at-1, 0)
	case "down", "j":
		ms.at = min(ms.at+1, len(ms.moves)-1)
	default:
		return false
	}
	return true
}

// selectedMove is the move under the cursor.
func (ms *itemMoves) selectedMove() (changes.Move, bool) {
	if ms.s.tabs.Active != tabLifecycle || ms.at >= len(ms.moves) {
		return changes.Move{}, false
	}
	return ms.moves[ms.at], true
}

// movesView draws the list in w by movesHeight(h) cells.
func (ms *itemMoves) movesView(w, h int) string {
	rows := ms.movesRows(h)
	if rows == 0 {
		return ""
	}
	st := ms.s.env.Styles
	ms.top = min(max(ms.top, ms.at-rows+1), ms.at, len(ms.moves)-rows)
	note := "enter plans it"
	if rows < len(ms.moves) {
		note = strconv.Itoa(ms.at+1) + "/" + strconv.Itoa(len(ms.moves)) + " · " + note
	}
	lines := []string{widget.Rule(st, "Moves from here", note, w)}
	title, to := 0, 0
	for _, mv := range ms.moves {
		title = max(title, ansi.StringWidth(moveTitle(mv)))
		to = max(to, ansi.StringWidth(moveBadge(mv).Text))
	}
	title = min(title, max(w*2/5, 8))
	for i := ms.top; i < ms.top+rows; i++ {
		lines = append(lines, ms.moveLine(ms.moves[i], i == ms.at, w, title, to))
	}
	view := strings.Join(lines, "\n")
	if d := ms.movesHeight(h) - len(lines); d > 0 {
		view = widget.Rows(view, ms.moveDetail(w, d))
	}
	return view
}

func moveTitle(m changes.Move) string {
	if m.Action != nil {
		return m.Action.Title
	}
	return m.Transition.Name
}

func moveBadge(m changes.Move) widget.Cell { return present.StateBadge(m.Lifecycle, m.Transition.To) }

// moveLine is one move: its title, where it leads, and what it does or why it
// cannot be made.
func (ms *itemMoves) moveLine(m changes.Move, at bool, w, title, to int) string {
	st := ms.s.env.Styles
	on, bar := widget.SurfacePlain, "  "
	if at {
		on, bar = widget.SurfaceCursor, "▌ "
	}
	badge := moveBadge(m)
	name, role, about := widget.RoleStrong, widget.RoleMuted, moveAbout(m)
	if m.Why != "" {
		name, badge.Role, about = widget.RoleFaint, widget.RoleFaint, "⊘ "+m.Why
	} else if known := present.ChangeObstacle(ms.s.env, m.Action); known != "" {
		role, about = widget.RoleBad, "✗ "+known
	}
	head := st.PaintOn(widget.RoleAccent, on, bar) + st.PaintCell(name, on, moveTitle(m), title, widget.AlignLeft) +
		st.PaintOn(widget.RoleFaint, on, " ─▸ ") + st.PaintCell(badge.Role, on, badge.Text, to, widget.AlignLeft)
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

// moveDetail tells all about the move under the cursor.
func (ms *itemMoves) moveDetail(w, h int) string {
	st := ms.s.env.Styles
	m, ok := ms.selectedMove()
	if !ok {
		return widget.Place("", w, h)
	}
	var lines []string
	if m.Why != "" {
		lines = append(lines, ms.whyNot(st, m, max(w-2, 1))...)
	} else if m.Action != nil {
		if known := ms.s.env.Tables.ObstacleToChange(m.Action); known != nil {
			lines = append(lines, present.AsksAgain(st, known, max(w-2, 1))...)
		}
	}
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
		facts = append(facts, "not in the document")
	}
	if room := h - 1; len(lines) > room {
		lines = lines[:room]
		if room > 0 {
			lines[room-1] = ansi.Truncate(lines[room-1], max(w-3, 0), "") + st.Paint(widget.RoleFaint, "…")
		}
	}
	lines = append(lines, st.Paint(widget.RoleFaint, models.PrintableCell(strings.Join(facts, " · "), max(w-2, 1))))
	for i := range lines {
		lines[i] = " " + lines[i]
	}
	return widget.Place(strings.Join(lines, "\n"), w, h)
}

// whyNot says why a move cannot be made. What the session refuses takes one
// line, with who can: it is the same for every move.
func (ms *itemMoves) whyNot(st *widget.Styles, m changes.Move, w int) []string {
	var refused *session.Refusal
	if m.Action != nil && errors.As(ms.s.env.Session.CanChange(m.Action), &refused) && refused.Why == m.Why {
		return []string{st.Paint(widget.RoleWarn, models.PrintableCell("⊘ "+refused.Error(), w))}
	}
	return present.Hanging(st, widget.RoleWarn, "⊘ ", m.Why, w)
}

// clickMove puts the cursor on the move at line y of the tab's panel of h
// lines; again reports that it was there before.
func (ms *itemMoves) clickMove(y, h int) (again, ok bool) {
	at := ms.top + y - (h - ms.movesHeight(h)) - 1
	if at < ms.top || at >= min(ms.top+ms.movesRows(h), len(ms.moves)) {
		return false, false
	}
	again = at == ms.at
	ms.at = at
	return again, true
}

// change opens the dialog of an action of the item.
func (ms *itemMoves) change(a *change.Action, args map[string]string) tea.Cmd {
	r := planner.ChangeRequest{
		Action: a, Title: a.Title + " · " + ms.s.Title(), About: a.Description, Item: ms.s.item, Args: args, Done: ms.changed,
		Key: func(*change.Action) string { return "a" },
	}
	if a.Kind == change.Creates {
		r.Title, r.Item, r.Args = a.Title+" · new "+present.EntityName(a.Entity), nil, nil
	}
	ms.s.Box = planner.NewChange(ms.s.env, r)
	return nil
}

// changed reads everything again after a change, be it from here or, with nil,
// by somebody else.
func (ms *itemMoves) changed(done *changes.Commitment) tea.Cmd {
	ms.s.past.reset()
	ms.s.read.own = done != nil
	return ms.s.read.startRead()
}

// itemUndoMsg is the change that can be taken back.
type itemUndoMsg struct {
	screen *itemScreen
	past   changes.PastChange
	plan   *change.Plan
	found  bool
	err    error
}

// findUndo looks in the journal for the last change of the item.
func (ms *itemMoves) findUndo() tea.Cmd {
	key, ok := ms.s.table.PrimaryKey(ms.s.item)
	if !ok {
		return nil
	}
	from, table := ms.s.env.Workspace, ms.s.table
	return func() tea.Msg {
		past, plan, found, err := from.Journal.LastChange(table, key)
		return itemUndoMsg{ms.s, past, plan, found, err}
	}
}

func (ms *itemMoves) undoFound(msg itemUndoMsg) tea.Cmd {
	switch {
	case msg.screen != ms.s || ms.s.Box != nil:
		return nil
	case !msg.found && msg.err != nil:
		return screen.Send(screen.NoticeMsg{Text: "the journal cannot be read: " + msg.err.Error(), Bad: true})
	case !msg.found:
		return screen.Send(screen.NoticeMsg{Text: "no change of this item was made from this machine"})
	}
	r := planner.UndoRequest(ms.s.env, msg.past, msg.plan, ms.s.Title())
	r.Done = ms.changed
	ms.s.Box = planner.NewChange(ms.s.env, r)
	return nil
}

// undoDisabled says why nothing can be taken back here.
func (ms *itemMoves) undoDisabled() string {
	from := ms.s.env.Workspace
	switch {
	case from.Session.Role() != session.Admin:
		return "the role " + string(from.Session.Role()) + " may not change items"
	case from.Session.ReadOnly():
		return "this session is read-only"
	}
	return ""
}
