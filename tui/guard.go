package tui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

const (
	// maxPastePause is the longest pause between two keys of an unmarked paste. Nobody types this fast.
	maxPastePause = 40 * time.Millisecond
	// maxWordPause is the longest pause between two letters of a typed word.
	maxWordPause = 600 * time.Millisecond
	// maxFormPause is the longest pause between a letter that opens a field and the next letter of the same word. A user
	// who opens the field on purpose pauses longer.
	maxFormPause = 300 * time.Millisecond
	// minPasteKeys is the minimum number of different keys in a paste. A held key repeats one key, and a user can press
	// two keys together.
	minPasteKeys = 3
)

// guard distinguishes text typed outside of fields from key commands, and offers to find the text. The first keys of a
// text may act, because no single key changes data.
type guard struct {
	lastKeyAt   time.Time // time of the last key press
	word        string    // printable keys outside of fields, at most maxWordPause apart
	burst       string    // end of word with keys at most maxPastePause apart
	refused     bool      // a key of the word had no effect
	boxWasOpen  bool      // a box was open when the word began
	openedField bool      // the last key opened a field, though it may be part of a text
	choseEntry  bool      // the last key was the letter of a menu entry that opened a field
	afterEnter  bool      // the last key was enter, and the screen that it opens may not be open yet
	pasting     bool      // the guard adds the rest of a paste to the offer
	heldKeys    []tea.KeyPressMsg
	pause       *screen.Task // pause after which the waiting keys act
}

// guardKey handles a key. It holds a quick key that would choose a menu entry, or whose screen is not open yet.
func (m *Model) guardKey(msg tea.KeyPressMsg) tea.Cmd {
	g, now := &m.guard, m.o.Now()
	msg = withoutShift(msg)
	since := now.Sub(g.lastKeyAt)
	fast, paused := since <= maxPastePause, since > maxWordPause
	g.lastKeyAt = now
	text := ""
	if widget.IsText(msg.String()) && (msg.Text != " " || g.word != "") { // A space marks rows.
		text = msg.Text
	}
	choseEntry := g.choseEntry
	g.choseEntry = false
	switch g.pasting = g.pasting && fast; {
	case choseEntry && msg.String() == "tab": // The field has the focus already.
		g.openedField = false
		return nil
	case g.pasting && (msg.Code == tea.KeyEnter || msg.String() == "ctrl+j"):
		return m.press(tea.KeyPressMsg{Code: tea.KeySpace, Text: " "})
	case len(g.heldKeys) == 0 && fast && g.afterEnter && text != "" && m.isAtHome() && !m.hasBox():
		return m.holdKey(msg) // The key is part of a text that opens a schema, not of a search.
	case text != "" && g.openedField && since <= maxFormPause:
		g.pasting = fast
		return m.offerText(g.word + text) // The user was typing text, not commands.
	case len(g.heldKeys) == 0 && (text == "" || m.isInField()):
		confirming := m.isConfirming()
		cmd := m.pressInDialog(msg)
		g.word, g.burst, g.refused = "", "", confirming && !m.isConfirming() // The rest of the typed text may follow.
		g.openedField = false
		g.afterEnter = msg.Code == tea.KeyEnter
		return cmd
	}
	return m.guardWord(msg, text, fast, paused)
}

// guardWord acts on a key, holds it back, or treats it as part of a text.
func (m *Model) guardWord(msg tea.KeyPressMsg, text string, fast, paused bool) tea.Cmd {
	g := &m.guard
	if paused {
		g.word, g.refused = "", false
	}
	if !fast {
		g.burst = ""
	}
	if g.word == "" {
		g.boxWasOpen = m.hasBox()
	}
	g.word, g.burst = g.word+text, g.burst+text
	switch {
	case distinctRunes(g.burst) >= minPasteKeys || len(g.heldKeys) > 0 && text != "" && distinctRunes(g.burst) > 1:
		fallthrough
	case g.refused && fast && text != "/":
		g.pasting = true
		return m.offerText(g.burst)
	case g.refused && text != "" && text != "/" && !m.isUnusedKey():
		return m.offerText(g.word)
	case len(g.heldKeys) > 0 || fast && (g.afterEnter || m.hasBox() && !g.boxWasOpen):
		return m.holdKey(msg)
	}
	return m.actOnKey(msg)
}

const unusedDialogKey = "No action for this key in the dialog · esc close"

func (m *Model) pressInDialog(msg tea.KeyPressMsg) tea.Cmd {
	hadBox := m.hasBox()
	cmd := m.press(msg)
	if hadBox && !m.hasBox() {
		m.toasts.Remove(unusedDialogKey)
	}
	return cmd
}

func (m *Model) holdKey(msg tea.KeyPressMsg) tea.Cmd {
	g := &m.guard
	g.heldKeys = append(g.heldKeys, msg)
	g.pause.End()
	var cmd tea.Cmd
	g.pause, cmd = screen.After(maxPastePause, m.actOnHeldKeys)
	return cmd
}

func (m *Model) isMenuOpen() bool {
	if box := m.topBox(); box != nil {
		return box == m.layers.dialog && overlay.IsMenu(box)
	}
	s, ok := m.top().screen.(interface{ IsMenu() bool })
	return ok && s.IsMenu()
}

// actOnHeldKeys acts on the held keys, because no text followed them.
func (m *Model) actOnHeldKeys() tea.Cmd {
	g := &m.guard
	keys := g.heldKeys
	g.heldKeys, g.afterEnter = nil, false
	return tea.Batch(models.MapSlice(keys, m.actOnKey)...)
}

func (m *Model) actOnKey(msg tea.KeyPressMsg) tea.Cmd {
	g := &m.guard
	if g.word == msg.Text && m.topBox() == nil { // After a pause, the user types text for the fields.
		m.focusFields(true)
	}
	text, inField := widget.IsText(msg.String()), m.isInField()
	refused := text && !inField && !m.acceptsKey(msg)
	if g.afterEnter = false; refused && m.hasBox() {
		if !m.isUnusedKey() {
			return m.offerText(g.word)
		}
		g.refused = true
		return m.notify(widget.RoleWarn, unusedDialogKey)
	}
	choosesEntry, inBox := text && m.isMenuOpen(), m.hasBox()
	cmd := m.pressInDialog(msg)
	if choosesEntry {
		m.focusFields(false) // The next letters may belong to the same word.
	}
	g.refused = g.refused || refused
	// A letter in a dialog that was open before starts the text that the dialog asked for.
	g.openedField = text && msg.Text != "/" && !inField && m.layers.palette == nil && m.isInField() &&
		(choosesEntry && m.hasBox() || !choosesEntry && !inBox)
	g.choseEntry = g.openedField && choosesEntry
	return cmd
}

// isUnusedKey reports whether the last keys are too few for a text, and the open box stays open.
func (m *Model) isUnusedKey() bool { return m.hasBox() && distinctRunes(m.guard.word) < minPasteKeys }

func (m *Model) focusFields(on bool) {
	if s, ok := m.top().screen.(interface{ FocusFields(on bool) }); ok {
		s.FocusFields(on)
	}
}

// offerText offers to find a text. It closes an open menu, and any box that the first keys of the text opened.
func (m *Model) offerText(text string) tea.Cmd {
	boxOpened, keepsBox := !m.guard.boxWasOpen && m.hasBox(), false
	m.guard.pause.End()
	m.guard = guard{lastKeyAt: m.guard.lastKeyAt, pasting: m.guard.pasting}
	switch box := m.topBox(); {
	case box != nil && box == m.layers.offer:
		return m.sendToTopBox(tea.PasteMsg{Content: text})
	case !boxOpened && !m.isMenuOpen():
		keepsBox = m.hasBox()
	case box != nil:
		m.removeBox(box)
	default:
		cancel(m.top().screen)
	}
	// Enter in the field finds the text, unless that would close a form or a plan.
	note := "enter find · esc discard"
	if keepsBox {
		note = "enter discard · tab find"
	}
	q := overlay.NewHarmlessQuestion("You typed outside a field", note, "Find", nil)
	q.Prompt(m.styles, widget.FormField{Name: "text", Label: "Text", Width: 48}, func(string) string { return "" })
	q.Form.SetValues(map[string]string{"text": text})
	q.Dialog.Buttons[0].Label = "Discard"
	if keepsBox {
		slices.Reverse(q.Dialog.Buttons) // Enter chooses the last one.
	}
	q.Yes = func() tea.Cmd { return m.findText(q.Value()) }
	m.layers.offer = q
	return nil
}

func distinctRunes(text string) int {
	n := 0
	for i, r := range text {
		if strings.IndexRune(text, r) == i {
			n++
		}
	}
	return n
}

func (m *Model) hasBox() bool {
	_, hasBox := m.fieldState()
	return hasBox
}

func (m *Model) isInField() bool {
	inField, hasBox := m.fieldState()
	return inField || !hasBox && isTyping(m.top().screen)
}

func (m *Model) fieldState() (inField, boxed bool) {
	if box := m.topBox(); box != nil {
		return overlay.InField(box), true
	}
	if s, ok := m.top().screen.(interface{ Field() (in, boxed bool) }); ok {
		return s.Field()
	}
	return false, false
}

func (m *Model) isConfirming() bool {
	s, ok := m.top().screen.(interface{ Confirming() bool })
	return ok && s.Confirming()
}

// acceptsKey reports whether a key has an effect. A key that only explains why an action is unavailable has none.
func (m *Model) acceptsKey(msg tea.KeyPressMsg) bool {
	key := msg.String()
	if box := m.topBox(); box != nil {
		return overlay.AcceptsKey(box, key)
	}
	top := m.top().screen
	if s, ok := top.(interface{ AcceptsKey(key string) bool }); ok && m.hasBox() {
		return s.AcceptsKey(key)
	}
	if key >= "1" && key <= "9" { // Digits select tabs and panes.
		return true
	}
	for _, as := range []widget.Actions{m.actions, top.Actions(), widget.NavigationActions(), screen.GridKeys()} {
		if a, ok := as.Match(msg); ok {
			return a.Why() == ""
		}
	}
	return false
}

// openActions opens the menu with the screen's actions, the selected row's actions, and some global actions.
func (m *Model) openActions() tea.Cmd {
	if cmd, blocked := m.blockIfPending(); blocked {
		return cmd
	}
	box, named := m.actionMenu()
	if m.layers.dialog, m.layers.earlyMenu = box, nil; !named {
		m.layers.earlyMenu = box
	}
	return nil
}

// rebuildMenu rebuilds a menu that the user opened before the rows arrived, as soon as a row is selected.
func (m *Model) rebuildMenu() {
	if early := m.layers.earlyMenu; early == nil || m.layers.dialog != overlay.Overlay(early) {
		m.layers.earlyMenu = nil
	} else if box, named := m.actionMenu(); named {
		m.layers.dialog, m.layers.earlyMenu = box, nil
	}
}

// actionMenu returns the menu. named reports whether the screen names the target of its actions.
func (m *Model) actionMenu() (box *overlay.Menu, named bool) {
	p := m.top()
	box = &overlay.Menu{Title: "Actions", Key: widget.MenuKey}
	if s, ok := p.screen.(interface{ On() string }); ok {
		named = s.On() != ""
		box.Title = strings.TrimSuffix("Actions · "+models.Printable(s.On()), " · ")
	}
	entries := menuEntries(p.screen.Actions(), func(a widget.Action) tea.Cmd { return m.route(p, runIfAvailable(a)) })
	entries = append(m.rowEntries(), entries...)
	if reason := commonReason(entries); reason != "" {
		box.AddUnavailable(reason, entries)
	} else {
		slices.SortStableFunc(entries, func(a, b overlay.MenuEntry) int { return min(len(a.Why), 1) - min(len(b.Why), 1) })
		box.Entries = entries // possible actions first
	}
	box.Entries = append(box.Entries, overlay.MenuEntry{Label: "Everywhere"})
	box.Entries = append(box.Entries, menuEntries(m.actions, func(a widget.Action) tea.Cmd { return a.Run() })...)
	box.Begin()
	return box, named
}

func menuEntries(as widget.Actions, run func(a widget.Action) tea.Cmd) []overlay.MenuEntry {
	var list []overlay.MenuEntry
	for _, a := range as {
		letter, in := a.InMenu()
		if !in || a.Run == nil {
			continue
		}
		list = append(list, overlay.NewActionEntry(letter, a, func() tea.Cmd { return run(a) }))
	}
	return list
}

// commonReason returns the reason why the entries are unavailable if all of them share it, otherwise "".
func commonReason(list []overlay.MenuEntry) string {
	if len(list) < 2 || slices.ContainsFunc(list, func(e overlay.MenuEntry) bool { return e.Why != list[0].Why }) {
		return ""
	}
	return list[0].Why
}

func (m *Model) rowEntries() []overlay.MenuEntry {
	runner := m.patternRunner()
	if runner == nil {
		return nil
	}
	letters := present.ActionKeys(m.o.Keys, m.env.Session.Profile())
	digit := 0
	var list []overlay.MenuEntry
	for _, o := range runner.Offers() {
		key := letters[o.Action]
		if key == "" && o.Action.Disabled == "" && digit < 9 {
			if digit++; o.Reason == "" { // Each action keeps its digit in every state.
				key = strconv.Itoa(digit)
			}
		}
		if key == "" {
			continue
		}
		list = append(list, overlay.MenuEntry{
			Key: key, Label: o.Action.Title, Note: o.Action.Description, Why: o.MenuReason(),
			Run: func() tea.Cmd { return m.route(m.top(), o.Plan()) },
		})
	}
	return list
}
