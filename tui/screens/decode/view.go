package decode

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func (s *decodeScreen) SetSize(w, h int) {
	s.w, s.h = max(w, 0), max(h, 0)
	s.layout()
}

func (s *decodeScreen) layout() {
	s.form.SetSize(max(s.w-1, 0), 1)
	iw, ih := widget.PanelInner(s.w, s.h-decodeHead)
	w := iw - 2
	if w > 1 {
		s.pager.Make(nil, w, func(w int) []string { return s.lines(w - 1) })
	}
	openHeight := 0
	if s.visibleMatch < len(s.result.matches) {
		openHeight = min(len(s.result.matches[s.visibleMatch].patterns), 12)
	}
	room := ih
	if openHeight > 0 {
		room = max(min(ih-openHeight-1, s.pager.Len()+1), min(ih, 5))
	}
	s.patternsTop = room
	s.pager.SetSize(w, room)
	s.patterns.SetSize(iw, max(ih-room-1, 0))
}

// decodeHead is the number of lines above the panel: the input, a blank line and the matches.
const decodeHead = 3

func (s *decodeScreen) View() string {
	if s.w <= 0 || s.h <= 0 {
		return ""
	}
	s.checkMasker()
	st := s.env.Styles
	input := " " + s.form.View()
	if s.pastedText != "" {
		input = s.pastedLine()
	}
	view := widget.Rows(widget.Place(input, s.w, 1), widget.BlankLine(s.w), s.matchTabs())
	if h := s.h - decodeHead; h > 0 {
		view = widget.Rows(view, s.panel(st, s.w, h))
	}
	return widget.Place(view, s.w, s.h)
}

func (s *decodeScreen) pastedLine() string {
	st := s.env.Styles
	note := "  " + present.Plural(len(s.pastedText), "byte") + " pasted; typing replaces it"
	room := max(s.w-len(note)-10, 0)
	return st.Paint(widget.RoleMuted, " Decode  ") + st.Paint(
		widget.RoleText, models.PrintableCell(s.pastedText, room),
	) + st.Paint(widget.RoleFaint, note)
}

func (s *decodeScreen) matchTabs() string {
	if len(s.result.matches) < 2 {
		return widget.BlankLine(s.w) // The panel already shows the only match.
	}
	s.bar.Titles = models.MapSlice(s.result.matches, func(r match) string { return models.PrintableCell(r.title, 40) })
	s.bar.Active = s.visibleMatch
	return s.bar.Render(s.env.Styles, s.w)
}

func (s *decodeScreen) panel(st *widget.Styles, w, h int) string {
	iw, ih := widget.PanelInner(w, h)
	p := widget.Panel{Title: "Meaning", Focused: true}
	content := widget.Indent(s.pager.View(), iw, min(s.patternsTop, ih))
	switch {
	case s.result.problem != "":
		p.Title, p.Role = "Cannot be decoded", widget.RoleWarn
	case s.result.empty:
		p.Title = "Accepted input"
	case len(s.result.matches) == 0:
		p.Title, p.Role = "No match", widget.RoleWarn
	default:
		r := s.result.matches[s.visibleMatch]
		p.Title = r.title
		if n := len(s.result.matches); n > 1 {
			p.Note = "match " + strconv.Itoa(s.visibleMatch+1) + " of " + strconv.Itoa(n)
		}
		if len(r.patterns) > 0 && ih > s.patternsTop+1 {
			content = widget.Rows(content, widget.Rule(st, "Patterns", present.Plural(len(r.patterns), "pattern"), iw), s.patterns.View())
		}
	}
	return p.Render(st, content, w, h)
}

func (s *decodeScreen) lines(w int) []string {
	st := s.env.Styles
	r := &s.result
	switch {
	case r.problem != "":
		return append([]string{""}, widget.Wrap(st, widget.RoleText, r.problem, w)...)
	case r.empty:
		return s.emptyLines(w)
	case len(r.matches) == 0:
		return s.nearLines(w)
	}
	return s.matchLines(&r.matches[s.visibleMatch], w)
}

func (s *decodeScreen) matchLines(r *match, w int) []string {
	st := s.env.Styles
	lines := []string{""}
	if r.id != "" {
		lines = append(lines, st.Paint(widget.RoleText, "ID ")+st.Paint(widget.RoleInfo, models.PrintableCell(r.id, w-8)),
			st.Paint(widget.RoleMuted, "matches the prefix of "+r.attribute+" in "+present.EntityName(r.entity)))
	}
	for _, k := range r.keys {
		lines = append(lines, st.Paint(widget.RoleStrong, k.attribute)+st.Paint(widget.RoleMuted, "  "+k.uses+" of "+r.entity.Table.Name),
			st.Paint(widget.RoleFaint, "  template  ")+present.PaintTemplate(st, k.template))
		lines = append(lines, present.PaintPieces(st, "  key       ", k.pieces, w)...)
		lines = append(lines, s.partLines(r, k, w)...)
		lines = append(lines, "")
	}
	for _, warning := range r.warnings {
		lines = append(lines, widget.Wrap(st, widget.RoleWarn, "! "+warning, w)...)
	}
	if r.item != nil {
		lines = append(lines, st.Paint(widget.RoleText, present.Plural(len(r.item), "attribute")+". ")+
			st.Paint(widget.RoleMuted, "Press enter to open the item."))
	} else if len(r.patterns) == 0 {
		lines = append(lines, st.Paint(widget.RoleMuted, "No pattern can run with this text alone."))
	}
	return lines
}

func (s *decodeScreen) partLines(r *match, k decodedKey, w int) []string {
	st := s.env.Styles
	var lines []string
	n, width := 0, 0
	for _, p := range k.pieces {
		width = max(width, min(ansi.StringWidth(p.Name), 32))
	}
	for _, p := range k.pieces {
		if p.Name == "" {
			continue
		}
		role := present.PieceRole(n)
		n++
		text := ""
		if v := present.ValueOf(r.entity, p.Name); v.Lifecycle != nil {
			text = present.StateBadge(s.env.Plain(), v.Lifecycle, p.Text).Text
			if state := v.Lifecycle.State(p.Text); state != nil && state.Description != "" {
				text += ": " + state.Description
			}
		} else if t, ok := v.Format.ReadTime(p.Text); ok {
			text = present.Exact(t, s.env.Now()) + ", " + present.Age(t, s.env.Now())
		} else {
			text = present.MeaningOf(r.entity, p.Name)
		}
		if text != "" {
			lines = append(lines, "            "+st.PaintCell(role, widget.SurfacePlain, p.Name, width, widget.AlignLeft)+
				st.Paint(widget.RoleMuted, "  "+models.PrintableCell(text, max(w-width-14, 4))))
		}
	}
	return lines
}

func (s *decodeScreen) nearLines(w int) []string {
	st, schema := s.env.Styles, s.env.Session.Profile().Name
	if len(s.result.nearMatches) == 0 {
		text := "No key template of " + schema + " begins like this. Find on Home searches all schemas. The templates are:"
		lines := append([]string{""}, widget.Wrap(st, widget.RoleText, text, w)...)
		return append(append(lines, ""), s.templateLines(w)...)
	}
	lines := []string{"", st.Paint(widget.RoleText, "The nearest templates of "+schema+", and the first character that differs:")}
	for _, n := range s.result.nearMatches {
		t, _ := n.Entity.KeyTemplate(n.Attribute)
		text, caret := excerpt(n.text, n.Mismatch.Pos, w-2)
		lines = append(
			lines, "",
			st.Paint(
				widget.RoleStrong, present.EntityName(n.Entity)+" "+n.Attribute,
			)+st.Paint(widget.RoleMuted, "  ")+present.PaintTemplate(st, t),
			"  "+st.Paint(widget.RoleText, text),
			"  "+strings.Repeat(" ", caret)+st.Paint(widget.RoleBad, "^ ")+
				st.Paint(widget.RoleWarn, models.PrintableCell(n.Mismatch.Reason, max(w-caret-4, 24))),
		)
	}
	return lines
}

func excerpt(text string, pos, room int) (part string, caret int) {
	pos = min(max(pos, 0), len(text))
	head, tail := models.Printable(text[:pos]), text[pos:]
	maxHead := max(room*2/3, 4)
	if width := ansi.StringWidth(head); width > maxHead {
		head = ansi.TruncateLeft(head, width-maxHead+1, "…")
	}
	caret = ansi.StringWidth(head)
	return head + models.PrintableCell(tail, max(room-caret, 1)), caret
}

func (s *decodeScreen) emptyLines(w int) []string {
	st := s.env.Styles
	lines := []string{""}
	for _, example := range [][2]string{
		{"a key", "as in a log or in the AWS console"},
		{"PK / SK", "a pair, separated by  /  or |, a tab or a line break"},
		{"an item", "as JSON or DynamoDB JSON"},
		{"an ID", "with a prefix that the schema defines"},
	} {
		lines = append(
			lines,
			st.PaintCell(widget.RoleKey, widget.SurfacePlain, example[0], 10, widget.AlignLeft)+st.Paint(widget.RoleMuted, example[1]),
		)
	}
	lines = append(lines, "", st.Paint(widget.RoleStrong, "Key templates of "+s.env.Session.Profile().Title), "")
	return append(lines, s.templateLines(w)...)
}

func (s *decodeScreen) templateLines(w int) []string {
	st := s.env.Styles
	var lines []string
	entities := s.env.Session.Profile().Entities
	width := 8
	for _, e := range entities {
		width = max(width, min(ansi.StringWidth(models.PrintableCell(present.EntityName(e), 28)), w/3))
	}
	for _, e := range entities {
		pk, _ := e.KeyTemplate(e.Table.PartitionKey.Name)
		line := st.PaintCell(
			widget.RoleMuted, widget.SurfacePlain, present.EntityName(e), width, widget.AlignLeft,
		) + "  " + present.PaintTemplate(st, pk)
		if sk, ok := e.KeyTemplate(e.Table.SortKey.Name); ok {
			line += st.Paint(widget.RoleFaint, " / ") + present.PaintTemplate(st, sk)
		}
		lines = append(lines, line)
	}
	return lines
}

func (s *decodeScreen) panes() widget.Panes {
	panel := widget.Rect{Y: decodeHead, W: s.w, H: max(s.h-decodeHead, 0)}
	in := panel.Inner()
	below := widget.Rect{X: in.X, Y: in.Y + s.patternsTop + 1, W: in.W, H: max(in.H-s.patternsTop-1, 0)}
	return widget.Panes{
		{Rect: widget.Rect{Y: decodeHead - 1, W: s.w, H: 1}, Other: func(x, _ int) tea.Cmd {
			if s.bar.Click(x) {
				s.visibleMatch = s.bar.Active
				s.showResult()
			}
			return nil
		}},
		{Rect: below, Content: s.patterns, Open: func() tea.Cmd {
			if s.enterDisabled() != "" {
				return nil
			}
			return s.enter()
		}},
		{Rect: panel, Scroll: s.pager.Wheel},
	}
}

func (s *decodeScreen) Cursor() *tea.Cursor {
	if s.pastedText != "" {
		return nil
	}
	return widget.MoveCursor(s.form.Cursor(), 1, 0)
}
