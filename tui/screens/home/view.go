package home

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// fieldHeight is the height of the search field with its frame.
const fieldHeight = 3

// SetSize sets the size of the screen in cells.
func (h *Home) SetSize(w, height int) {
	h.w, h.h = w, height
	h.arrange()
}

func (h *Home) below() widget.Rect {
	top := min(fieldHeight, h.h)
	return widget.Rect{Y: top, W: h.w, H: h.h - top}
}

// arrange places the sections. Below 100 cells there is one column; its lower part shows one of these:
//
//	Needs attention      Recent          Needs attention
//	Tables               shop by state   Tables · Recent · shop by state
func (h *Home) arrange() {
	h.placeSections()
	h.fillSections()
}

func (h *Home) placeSections() {
	h.find.resize()
	all := h.below()
	maxUpper := all.H * 2 / 5
	if h.isTall() {
		maxUpper = all.H / 2
	}
	if h.isNarrow() && h.lowerSection() == h.tables { // The decisions matter more than the tables.
		maxUpper = max(maxUpper, all.H-lowerLines)
	}
	upper := max(min(max(h.maxAttentionRows()+2, 5), maxUpper), min(all.H, 4))
	lower := widget.Rect{Y: all.Y + upper, H: all.H - upper, W: h.w}
	if h.isNarrow() {
		h.attention.setRect(widget.Rect{Y: all.Y, W: h.w, H: upper - 1})
		for _, c := range []*section{h.recent, h.tables, h.states} {
			c.setRect(lower)
		}
	} else {
		left := min(h.w*56/100, widestLeft)
		placeColumn := func(c *section, x, w int, at widget.Rect) { c.setRect(widget.Rect{X: x, Y: at.Y, W: w, H: at.H}) }
		top := widget.Rect{Y: all.Y, H: upper - 1}
		placeColumn(h.attention, 0, left, top)
		placeColumn(h.recent, left, h.w-left, top)
		placeColumn(h.tables, 0, left, lower)
		placeColumn(h.states, left, h.w-left, lower)
	}
}

// lowerLines is the minimum number of lines below the attention list on a narrow screen, including a blank line and a
// title.
const lowerLines = 6

// minTallHeight is the minimum height, in cells, for descriptions in the lists.
const minTallHeight = 48

func (h *Home) isTall() bool { return h.h >= minTallHeight }

// widestLeft is the maximum width of the left column in cells.
const widestLeft = 96

func (h *Home) isNarrow() bool { return h.w < present.NarrowBelow }

func (h *Home) lowerSection() *section {
	if h.focused != h.attention {
		return h.focused
	}
	return h.tables
}

// View draws the search field, and below it either the results or the sections.
func (h *Home) View() string {
	if h.w <= 0 || h.h <= 0 {
		return ""
	}
	content := ""
	switch {
	case h.find.hasText():
		content = h.find.resultsView()
	case h.isNarrow():
		content = widget.Rows(h.attention.view(), widget.BlankLine(h.w), h.lowerSection().view())
	default:
		content = widget.Rows(widget.Columns(h.attention.view(), h.recent.view()), widget.BlankLine(h.w),
			widget.Columns(h.tables.view(), h.states.view()))
	}
	return widget.Place(widget.Rows(h.find.fieldView(), content), h.w, h.h)
}

func (h *Home) fieldRect() widget.Rect { return widget.Rect{W: h.w, H: min(fieldHeight, h.h)} }

func (f *searcher) fieldView() string {
	r := f.h.fieldRect()
	w := r.Inner().W
	text, _ := f.field.Shown(max(w-2, 0))
	role := widget.RoleText
	if text == "" {
		role, text = widget.RoleFaint, "paste an ID, email, link or log line"
	}
	on := widget.SurfacePlain
	if f.resultOpened {
		on = widget.SurfaceCursor
	}
	line := " " + widget.Place(f.h.styles.PaintOn(role, on, text), max(w-1, 0), 1)
	return widget.Panel{Title: "Find", Note: f.status(), Focused: true}.Render(f.h.styles, line, r.W, r.H)
}

// Cursor returns the terminal cursor in the search field, which always receives typed text.
func (h *Home) Cursor() *tea.Cursor {
	r := h.fieldRect()
	w := r.Inner().W
	if h.h < fieldHeight || w <= 2 {
		return nil
	}
	_, at := h.find.field.Shown(w - 2)
	return widget.Caret(2+at, 1)
}

func (h *Home) panes() widget.Panes {
	if h.find.hasText() {
		return widget.Panes{{Rect: h.below(), Framed: true, Content: h.find.lines, Open: h.find.enter, Moved: func() tea.Cmd {
			h.find.choose()
			return nil
		}}}
	}
	newPane := func(c *section) widget.Pane {
		return widget.Pane{
			Rect: c.rect, Content: c, Unfocused: h.focused != c, Open: h.open,
			Focus: func() {
				if c.hasRow() {
					h.focusSection(c)
				}
			},
			Moved: func() tea.Cmd { return h.handleMove() },
		}
	}
	if h.isNarrow() {
		return widget.Panes{newPane(h.attention), newPane(h.lowerSection())}
	}
	return widget.Panes{newPane(h.attention), newPane(h.recent), newPane(h.tables), newPane(h.states)}
}

// Click selects a row. A second click opens it.
func (h *Home) Click(x, y int) tea.Cmd { return h.panes().Click(x, y) }

// Wheel scrolls a section.
func (h *Home) Wheel(x, y int, up bool) tea.Cmd { return h.panes().Wheel(x, y, up) }

// Status describes the row under the cursor, or the running operation.
func (h *Home) Status() string {
	switch {
	case h.opening != nil:
		return "opening " + h.opening.profile.Name + " · esc cancel"
	case h.drafting.Running():
		return "drafting a schema"
	case h.err != nil:
		return "✗ no schema opened"
	case !h.loaded || h.reading:
		return "loading the schemas"
	case h.find.hasText() && (h.find.result.Done || h.find.err != nil):
		return h.find.hitSummary()
	}
	if r := h.focused.current(); r != nil && r.title != "" {
		return r.title
	}
	return fmt.Sprintf("%d schemas", len(h.profiles))
}

func (h *Home) focusSection(c *section) {
	if h.focused != nil {
		h.focused.focused = false
	}
	if h.focused, c.focused = c, true; h.w > 0 {
		h.placeSections()
	}
}

func (h *Home) cycle(step int) tea.Cmd {
	all := []*section{h.tables, h.states, h.attention, h.recent}
	at := slices.Index(all, h.focused)
	for i := 1; i < len(all); i++ {
		if c := all[(at+i*step+len(all)*i)%len(all)]; c.hasRow() {
			h.focusSection(c)
			break
		}
	}
	return h.handleMove()
}

// sectionFor returns the section that an arrow key reaches from the edge of the current section, or nil.
func (h *Home) sectionFor(key string) *section {
	grid := [2][2]*section{{h.attention, h.recent}, {h.tables, h.states}}
	if h.isNarrow() {
		grid = [2][2]*section{{h.attention, nil}, {h.lowerSection(), nil}}
	}
	for y := range grid {
		for x := range grid[y] {
			if grid[y][x] != h.focused {
				continue
			}
			switch key {
			case "up":
				return grid[0][x]
			case "down":
				return grid[1][x]
			case "left":
				return grid[y][0]
			case "right":
				return grid[y][1]
			}
		}
	}
	return nil
}

// move moves the cursor within its section, or from the edge to the next section.
func (h *Home) move(msg tea.KeyPressMsg) tea.Cmd {
	key := msg.String()
	leavesSection := key == "left" || key == "right" || (key == "up" || key == "down") && h.focused.isAtEdge(key == "up")
	if !leavesSection {
		h.focused.lines.Update(msg)
	} else if c := h.sectionFor(key); c != nil && c != h.focused && c.hasRow() {
		if key == "up" || key == "down" {
			c.moveToEnd(key == "up")
		}
		h.focusSection(c)
	}
	return h.handleMove()
}

func (h *Home) handleMove() tea.Cmd {
	h.showSelected()
	return h.db.describe()
}
