package home

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// fieldHeight is the height of the search field with its frame.
const fieldHeight = 3

// SetSize sets the size of the screen in cells.
func (h *Home) SetSize(w, height int) {
	h.w, h.h = w, height
	h.frame.arrange()
	found := h.frame.below().Inner()
	h.find.draw.lines.SetSize(found.W, max(found.H-detailLines, 0))
}

// A frame places and draws the parts of home.
type frame struct{ h *Home }

func (f frame) arrange() {
	h := f.h
	lay := f.layout()
	h.list.SetSize(widget.PanelInner(lay.list.W, lay.list.H))
	needs, about := lay.needs.Inner(), lay.about.Inner()
	h.about.needs.lines.SetSize(needs.W, needs.H)
	h.about.numbers.lines.SetSize(about.W, about.H)
	preview := lay.preview.Inner()
	h.about.preview.SetSize(max(preview.W-1, 0), preview.H)
	h.about.refresh()
}

// detailLines is the height of the description of a hit with the rule above it.
const detailLines = 5

func (f frame) below() widget.Rect {
	h := f.h
	top := min(fieldHeight, h.h)
	return widget.Rect{Y: top, W: h.w, H: h.h - top}
}

// wideFrom is the width in cells from which a preview is beside the numbers.
const wideFrom = 160

// A layout has the rectangles of the parts below the search field, with their frames:
//
//	╭ list ────────╮╭ needs ─────────────────────────────────╮
//	│ the profiles ││ queues and defects of all profiles     │
//	╰──────────────╯╰────────────────────────────────────────╯
//	╭ about ─────────────────────────────────╮╭ preview ─────╮
//	│ numbers and description of the profile ││ from 160     │
//	│                                        ││ cells only   │
//	╰────────────────────────────────────────╯╰──────────────╯
//
// On a low screen, needs is a part of about, which is beside the list, and below 100 cells it is below the list.
type layout struct{ list, needs, about, preview widget.Rect }

// bandFrom is the height below the search field from which needs is a pane of its own.
const bandFrom = 24

// titleFrom is the width of the rows of about from which the title of the profile is beside its name.
const titleFrom = 80

func (l layout) wide() bool { return l.preview.W > 0 }

func (f frame) layout() layout {
	h := f.h
	all := f.below()
	if h.w < present.NarrowBelow {
		list := widget.Rect{Y: all.Y, W: h.w, H: min(len(h.profiles)+len(h.shelf.recent)+3, max(all.H*2/5, min(all.H, 4)))}
		return layout{list: list, about: widget.Rect{Y: list.Y + list.H, W: h.w, H: all.H - list.H}}
	}
	list := widget.Rect{Y: all.Y, W: min(max(h.w*28/100, 26), 48), H: all.H}
	if all.H < bandFrom {
		return layout{list: list, about: widget.Rect{X: list.W, Y: all.Y, W: h.w - list.W, H: all.H}}
	}
	list.H = min(max(len(h.profiles)+len(h.shelf.recent)+h.shelf.headings(), h.about.mostNeeds(), 5)+2, all.H*2/5)
	needs := widget.Rect{X: list.W, Y: all.Y, W: h.w - list.W, H: list.H}
	about := widget.Rect{Y: all.Y + list.H, W: h.w, H: all.H - list.H}
	if h.w < wideFrom {
		return layout{list: list, needs: needs, about: about}
	}
	preview := widget.Rect{Y: about.Y, W: about.W * 40 / 100, H: about.H}
	about.W -= preview.W
	preview.X = about.W
	return layout{list, needs, about, preview}
}

// View draws the search field, and below it the results, or the list and the description.
func (h *Home) View() string {
	if h.w <= 0 || h.h <= 0 {
		return ""
	}
	field := h.find.fieldView()
	if h.find.shows() {
		return widget.Place(widget.Rows(field, h.find.resultsView()), h.w, h.h)
	}
	return widget.Place(widget.Rows(field, h.frame.profilesView()), h.w, h.h)
}

func (f *searcher) fieldView() string {
	h := f.h
	r := h.frame.field()
	w := r.Inner().W
	text, _ := f.field.Shown(max(w-2, 0))
	role := widget.RoleText
	if text == "" {
		role, text = widget.RoleFaint, "paste an ID, key, email, domain or JSON"
	}
	line := " " + h.styles.PaintCell(role, widget.SurfacePlain, text, max(w-1, 0), widget.AlignLeft)
	panel := widget.Panel{Title: "Find", Note: f.status(), Focused: h.has == paneField}.Render(h.styles, line, r.W, r.H)
	if r.X == 0 {
		return panel
	}
	var mark []string
	for _, line := range widget.Wordmark() {
		mark = append(mark, "  "+h.styles.PaintCell(widget.RoleAccent, widget.SurfacePlain, line, r.X-2, widget.AlignLeft))
	}
	return widget.Columns(strings.Join(mark, "\n"), panel)
}

func (f frame) field() widget.Rect {
	r := widget.Rect{W: f.h.w, H: min(fieldHeight, f.h.h)}
	if f.h.w >= present.NarrowBelow && r.H == fieldHeight {
		r.X = ansi.StringWidth(widget.Wordmark()[0]) + 4
		r.W -= r.X
	}
	return r
}

func (f *searcher) resultsView() string {
	h := f.h
	r := h.frame.below()
	if r.H < fieldHeight {
		return ""
	}
	in := r.Inner()
	content := f.draw.lines.View()
	if len(f.draw.rows) == 0 {
		text := "Press enter to search."
		if f.search != nil || f.text != "" {
			text = "Searching " + present.Plural(len(h.profiles), "schema") + "…"
		}
		content = " " + h.styles.Paint(widget.RoleMuted, text)
	}
	if in.H > detailLines {
		content = widget.Rows(widget.Place(content, in.W, in.H-detailLines), widget.Rule(h.styles, "", "", in.W),
			widget.Indent(strings.Join(f.draw.details(in.W-1), "\n"), in.W, detailLines-1))
	}
	return widget.Panel{Title: "Results", Focused: false}.Render(h.styles, content, r.W, r.H)
}

func (f frame) profilesView() string {
	h := f.h
	lay := f.layout()
	list := widget.Panel{Title: "Profiles", Focused: h.has == paneList}.Render(h.styles, h.list.View(), lay.list.W, lay.list.H)
	about := f.aboutView(lay.about)
	switch {
	case h.w < present.NarrowBelow:
		return widget.Rows(list, about)
	case lay.needs.H == 0:
		return widget.Columns(list, about)
	}
	needs := widget.Panel{Title: "Needs attention", Focused: h.has == paneNeeds}.Render(
		h.styles, h.about.needs.lines.View(), lay.needs.W, lay.needs.H)
	if lay.wide() {
		inner := lay.preview.Inner()
		preview := widget.Panel{Title: h.about.besideTitle()}.Render(
			h.styles, widget.Indent(h.about.preview.View(), inner.W, inner.H), lay.preview.W, lay.preview.H)
		about = widget.Columns(about, preview)
	}
	return widget.Rows(widget.Columns(list, needs), about)
}

func (f frame) aboutView(r widget.Rect) string {
	h := f.h
	inner := r.Inner()
	title := ""
	if p := h.about.shown; p != nil {
		if title = p.Name; inner.W-2 >= titleFrom {
			title = present.Join(p.Name, models.PrintableCell(p.Title, inner.W/2), " · ")
		}
	}
	content := h.about.numbers.lines.View()
	if !h.loaded {
		content = " " + h.styles.Paint(widget.RoleFaint, "loading the profiles…")
	}
	if o := h.connect.opening; o != nil {
		content = widget.Rows(" "+widget.Busy{
			What: "opening " + o.profile.Name, Detail: "getting credentials and the caller identity", Cancel: "esc cancels",
			Elapsed: o.Elapsed, Fraction: -1,
		}.Render(h.styles, inner.W-1), content)
	}
	return widget.Panel{Title: title, Note: h.counter.status(), Focused: h.has == paneAbout}.Render(h.styles, content, r.W, r.H)
}

func (f frame) panes() widget.Panes {
	h := f.h
	field := widget.Pane{Rect: h.frame.field(), Other: func(int, int) tea.Cmd {
		h.focus(paneField)
		return nil
	}}
	if h.find.shows() {
		return widget.Panes{field, {Rect: f.below(), Framed: true, Content: h.find.draw.lines, Open: h.find.enter, Moved: func() tea.Cmd {
			h.find.draw.choose()
			return nil
		}}}
	}
	lay := f.layout()
	moved := func() tea.Cmd {
		h.about.refresh()
		return h.counter.consider()
	}
	open := func() tea.Cmd {
		h.about.refresh()
		if h.connect.opening != nil {
			return nil
		}
		return h.open()
	}
	return widget.Panes{
		field,
		{
			Rect: lay.list, Framed: true, Content: h.list, Focus: func() { h.focus(paneList) }, Unfocused: h.has == paneField,
			Open: open, Moved: moved,
		},
		{
			Rect: lay.needs, Framed: true, Content: h.about.needs, Focus: func() { h.focus(paneNeeds) }, Unfocused: h.has != paneNeeds,
			Open: open, Moved: moved,
		},
		{
			Rect: lay.about, Framed: true, Content: h.about.numbers, Focus: func() { h.focus(paneAbout) },
			Unfocused: h.has != paneAbout, Open: open, Moved: moved,
		},
		{Rect: lay.preview, Scroll: h.about.preview.Wheel},
	}
}

// Cursor returns the cursor in the search field, which takes typed text wherever the focus is.
func (h *Home) Cursor() *tea.Cursor {
	r := h.frame.field()
	w := r.Inner().W
	if h.h < fieldHeight || w <= 2 {
		return nil
	}
	_, at := h.find.field.Shown(w - 2)
	return widget.Caret(r.X+2+at, 1)
}

// Click selects a profile; a second click opens it.
func (h *Home) Click(x, y int) tea.Cmd { return h.frame.panes().Click(x, y) }

// Wheel scrolls the list or the description.
func (h *Home) Wheel(x, y int, up bool) tea.Cmd { return h.frame.panes().Wheel(x, y, up) }
