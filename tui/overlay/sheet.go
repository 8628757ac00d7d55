package overlay

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A Hinter names other keys in the bottom line than the first of its actions,
// as where letters are text.
type Hinter interface {
	Hints() widget.Actions
}

// A Sheet is a box of text over a screen. Esc, enter and the key that opened it
// close it; y copies what it holds, when there is something to copy.
type Sheet struct {
	Title, Note string
	Key         string // the key that opened it and closes it again
	Copy        string // plain text for the clipboard, "" for none
	What        string // names Copy in the notice

	// search, when not nil, is told what is searched for before the lines are made
	// anew: "/" starts it.
	search func(text string)
	unfold func() // when not nil, z shows what is folded, or folds it again
	typing bool
	query  string

	lines  func(s *widget.Styles, w int) []string
	pager  *widget.Pager
	styles *widget.Styles
	wide   int // width that the lines were made for
	count  int
	box    Rect
}

// Rect is a rectangle of cells.
type Rect = widget.Rect

// NewSheet returns a sheet whose styled lines are made for a width. lines is called again when
// the width or the theme changes, not for every frame.
func NewSheet(s *widget.Styles, title string, lines func(s *widget.Styles, w int) []string) *Sheet {
	return &Sheet{Title: title, lines: lines, pager: widget.NewPager(s), styles: s}
}

// Redraw makes the lines anew with the next frame.
func (h *Sheet) Redraw() { h.wide = 0 }

// SetStyles changes the theme.
func (h *Sheet) SetStyles(s *widget.Styles) {
	h.styles, h.wide = s, 0
	h.pager.SetStyles(s)
}

// Update scrolls, copies or closes; done reports that the sheet is to be taken
// away.
func (h *Sheet) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		h.pager.Update(msg)
		return nil, false
	}
	switch key := press.String(); {
	case h.typing:
		h.edit(press)
		return nil, false
	case key == "/" && h.search != nil:
		h.typing = true
		return nil, false
	case key == "esc" && h.query != "":
		h.Find("")
		return nil, false
	case key == "z" && h.unfold != nil:
		h.unfold()
		h.wide = 0
		return nil, false
	case key == "esc" || key == "enter" || key == h.Key:
		return nil, true
	case key == "y" && h.Copy != "":
		return screen.Send(screen.CopyMsg{Text: h.Copy, What: h.What}), false
	default:
		h.pager.Update(msg)
		return nil, false
	}
}

// Typing reports whether the text of a search is typed.
func (h *Sheet) Typing() bool { return h.typing }

// Takes reports whether a printable key does something on the sheet.
func (h *Sheet) Takes(key string) bool {
	return key == h.Key || strings.Contains("/zyjkgG", key) || key == "space"
}

func (h *Sheet) edit(press tea.KeyPressMsg) {
	switch press.String() {
	case "esc":
		h.typing = false
		h.Find("")
	case "enter":
		h.typing = false
	case "up", "down", "pgup", "pgdown":
		h.pager.Update(press)
	case "ctrl+u":
		h.Find("")
	case "backspace":
		if runes := []rune(h.query); len(runes) > 0 {
			h.Find(string(runes[:len(runes)-1]))
		}
	default:
		if press.Text != "" {
			h.Find(h.query + press.Text)
		}
	}
}

// Find narrows the text to what is searched for. It must not be called for a sheet without a
// search.
func (h *Sheet) Find(query string) {
	h.query, h.wide = query, 0
	h.search(query)
	h.pager.ScrollTo(0)
}

func (h *Sheet) footLine(w int) string {
	foot := "esc closes"
	if h.Copy != "" {
		foot = "y copies · esc closes"
	}
	if h.search != nil {
		foot = "/ searches · " + foot
	}
	if !h.pager.AtEnd() {
		foot = "↓ more · " + foot
	}
	if !h.typing && h.query == "" {
		return h.styles.PaintCell(widget.RoleFaint, widget.SurfacePlain, foot+" ", w, widget.AlignRight)
	}
	caret, role, keys := "", widget.RoleMuted, "esc shows all "
	if h.typing {
		caret, role = "▏", widget.RoleAccent
	}
	room := max(w-len(keys), 0)
	return h.styles.PaintCell(role, widget.SurfacePlain, "  / "+h.query+caret, room, widget.AlignLeft) +
		h.styles.PaintCell(widget.RoleFaint, widget.SurfacePlain, keys, w-room, widget.AlignRight)
}

// Over draws the sheet over the middle of a screen of w by h cells.
func (h *Sheet) Over(_ *widget.Styles, background string, w, sh int) string {
	bw := min(w-4, 104)
	iw, _ := widget.PanelInner(bw, 3)
	if h.wide != iw-2 {
		h.wide = iw - 2
		lines := h.lines(h.styles, max(h.wide-2, 1))
		h.count = max(len(lines), h.count) // What a search leaves out does not make the box smaller.
		h.pager.SetLines(lines)
	}
	bh := max(min(h.count+4, sh-2), min(sh, 6))
	h.box = widget.Centered(w, sh, bw, bh)
	h.pager.SetSize(iw-2, bh-4)
	content := widget.Rows(widget.BlankLine(iw), widget.Indent(h.pager.View(), iw, bh-4), h.footLine(iw))
	box := widget.Panel{Title: h.Title, Note: h.Note, Focused: true}.Render(h.styles, content, bw, bh)
	return widget.Overlay(widget.Dim(h.styles, background), box, h.box.X, h.box.Y)
}

// Wheel scrolls the text.
func (h *Sheet) Wheel(up bool) { h.pager.Wheel(up) }

// Click is done with the sheet when x, y lies outside of it.
func (h *Sheet) Click(x, y int) (cmd tea.Cmd, done bool) { return nil, !h.box.Has(x, y) }

// Cursor is nil: the sheet draws its own.
func (h *Sheet) Cursor() *tea.Cursor { return nil }

// NewHelp returns the help of a screen: its guide, and every action of the groups with its keys. Those that are not
// possible now are folded at the end, each with its reason.
func NewHelp(s *widget.Styles, about screen.Screen, groups ...widget.HelpGroup) *Sheet {
	var guide screen.Guide
	if g, ok := about.(screen.Guided); ok {
		guide = g.Guide()
	}
	query, all := "", false
	h := NewSheet(s, "Help · "+about.Title(), func(s *widget.Styles, w int) []string {
		return HelpText(s, guide, groups, query, all, w)
	})
	h.Key = "?"
	h.search = func(text string) { query = text }
	h.unfold = func() { all = !all }
	return h
}

// GuideLines introduces a screen: what it is for, and the first step.
func GuideLines(s *widget.Styles, guide screen.Guide, purpose widget.Role, w int) []string {
	return append(widget.Wrap(s, purpose, guide.Purpose, w), widget.Wrap(s, widget.RoleInfo, "First: "+guide.First, w)...)
}

// HelpText is the help in lines of w cells; with a query only what holds it. Actions that are not possible now are
// counted at the end, and with all, or with a query, listed there with their reasons. The first
// group is that of the screen, so the signs come after it. A query is compared without regard
// to case and blanks at its ends.
func HelpText(s *widget.Styles, guide screen.Guide, groups []widget.HelpGroup, query string, all bool, w int) []string {
	var lines []string
	if query == "" && guide.Purpose != "" {
		lines = append(GuideLines(s, guide, widget.RoleText, w), "")
	}
	found, off := slices.Clone(groups), widget.HelpGroup{Title: "Not available now"}
	for i, g := range found {
		found[i].Actions = nil
		for _, a := range g.Actions {
			switch {
			case !holds(query, a.Keys(), a.Name, a.Desc, a.Long):
			case a.Why() != "":
				off.Actions = append(off.Actions, a)
			default:
				found[i].Actions = append(found[i].Actions, a)
			}
		}
	}
	hidden := 0
	if all || query != "" {
		found = append(found, off)
	} else {
		hidden = len(off.Actions)
	}
	found = slices.DeleteFunc(found, func(g widget.HelpGroup) bool { return len(g.Actions) == 0 })
	signs := signLines(s, guide.Signs, query, w)
	if len(found) > 0 {
		lines = append(lines, widget.HelpLines(s, w, found[0])...)
	}
	lines = append(lines, signs...)
	if len(found) > 1 {
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, widget.HelpLines(s, w, found[1:]...)...)
	}
	if hidden > 0 {
		word := "actions are"
		if hidden == 1 {
			word = "action is"
		}
		lines = append(append(lines, ""), widget.Wrap(s, widget.RoleMuted,
			fmt.Sprintf("▸ %d %s not available now. Press z to list them with their reasons.", hidden, word), w)...)
	}
	if len(lines) == 0 {
		lines = widget.Wrap(s, widget.RoleMuted, "no key and no sign is about that", w)
	}
	return lines
}

func signLines(s *widget.Styles, signs []screen.Sign, query string, w int) []string {
	var lines []string
	for _, sign := range signs {
		if !holds(query, sign.Glyph, sign.Means) {
			continue
		}
		glyph := sign.Glyph
		for _, line := range widget.Wrap(s, widget.RoleText, sign.Means, max(w-10, 8)) {
			lines = append(lines, s.PaintCell(widget.RoleInfo, widget.SurfacePlain, glyph, 8, widget.AlignRight)+"  "+line)
			glyph = ""
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return append([]string{"", s.Paint(widget.RoleTitle, "Signs")}, lines...)
}

func holds(query string, texts ...string) bool {
	query = strings.ToLower(strings.TrimSpace(query))
	return slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(strings.ToLower(t), query) })
}
