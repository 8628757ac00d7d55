package compare

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Actions are what can be done here, the most useful first.
func (s *compareScreen) Actions() widget.Actions {
	list := s.env.Keys.Rebind("compare", s.makeActions())
	list[0].Desc = s.enterWord()
	if s.Box != nil {
		for i := range list {
			list[i].Disabled = func() string { return "leave what is open first" }
		}
	}
	return list
}

func (s *compareScreen) makeActions() widget.Actions {
	return widget.Actions{
		{Name: "enter", Binding: widget.Bind("enter", "enter", "space"), Desc: "unfold", Long: "unfold or fold a document; compare with the choice", Disabled: s.enterDisabled, Run: s.enter},
		{Name: "differences", Binding: widget.Bind("d", "d"), Desc: "differences", Long: "show what differs only, or everything", Disabled: s.notCompared, Run: s.toggleOnly},
		{Name: "next", Binding: widget.Bind("n", "n"), Desc: "next", Long: "go to the next difference", Disabled: s.notCompared, Run: s.goNext},
		{Name: "previous", Binding: widget.Bind("N", "N"), Long: "go to the difference before", Disabled: s.notCompared, Run: s.goPrevious},
		{Name: "other", Binding: widget.Bind("o", "o"), Desc: "other", Long: "choose what the item is compared with", Disabled: s.otherDisabled, Run: s.pick},
		{Name: "swap", Binding: widget.Bind("s", "s"), Desc: "swap", Long: "exchange left and right", Disabled: s.notCompared, Run: s.swap},
		{Name: "copy", Binding: widget.Bind("y", "y"), Desc: "copy", Long: "copy the differences, or a side, as text or JSON", Disabled: s.notCompared, Run: s.openCopy},
		{Name: "fold", Binding: widget.Bind("←/h", "left", "h"), Long: "fold, or go to what holds the line", Disabled: s.notCompared, Run: s.foldRow},
		{Name: "unfold", Binding: widget.Bind("→/l", "right", "l"), Long: "unfold a document", Disabled: s.notCompared, Run: s.unfoldRow},
	}
}

func (s *compareScreen) notCompared() string {
	if s.picking {
		return "choose first what to compare with"
	}
	return ""
}

func (s *compareScreen) otherDisabled() string {
	if s.picking {
		return "this is the choice"
	}
	return ""
}

func (s *compareScreen) enterDisabled() string {
	if s.picking {
		return ""
	}
	if i, ok := s.selectedRow(); !ok || !s.diff.rows[i].fold {
		return "there is nothing to unfold"
	}
	return ""
}

func (s *compareScreen) enter() tea.Cmd {
	if s.picking {
		return s.choose()
	}
	s.toggle()
	return nil
}

// toggle folds or unfolds the row under the cursor.
func (s *compareScreen) toggle() {
	i, ok := s.selectedRow()
	if !ok || !s.diff.rows[i].fold {
		return
	}
	s.diff.toggle(&s.diff.rows[i])
	s.refresh()
}

func (s *compareScreen) unfoldRow() tea.Cmd {
	if i, ok := s.selectedRow(); ok && s.diff.rows[i].fold && !s.diff.unfolded(&s.diff.rows[i]) {
		s.toggle()
	}
	return nil
}

// foldRow closes the row under the cursor, or goes to the one that holds it.
func (s *compareScreen) foldRow() tea.Cmd {
	i, ok := s.selectedRow()
	if !ok {
		return nil
	}
	rows := s.diff.rows
	if rows[i].fold && s.diff.unfolded(&rows[i]) {
		s.toggle()
		return nil
	}
	for parent := i - 1; parent >= 0 && rows[i].depth > 0; parent-- {
		if rows[parent].depth < rows[i].depth {
			s.goTo(parent)
			return nil
		}
	}
	return nil
}

// toggleOnly shows differences only, or everything. The cursor stays on its row
// as far as that is left.
func (s *compareScreen) toggleOnly() tea.Cmd {
	path := ""
	if i, ok := s.selectedRow(); ok {
		path = s.diff.rows[i].path
	}
	s.diff.only = !s.diff.only
	s.refresh()
	for i := range s.diff.rows {
		if s.diff.rows[i].path == path {
			s.goTo(i)
			break
		}
	}
	return nil
}

func (s *compareScreen) goNext() tea.Cmd {
	from, _ := s.selectedRow()
	if !s.nextDifference(from + 1) {
		return screen.Send(screen.NoticeMsg{Text: "no difference further down"})
	}
	return nil
}

// nextDifference goes to the first row from on that is not the same, and has no
// parts that say more.
func (s *compareScreen) nextDifference(from int) bool {
	for i := from; i < len(s.diff.rows); i++ {
		if s.tells(i) {
			s.goTo(i)
			return true
		}
	}
	return false
}

func (s *compareScreen) goPrevious() tea.Cmd {
	from, _ := s.selectedRow()
	for i := from - 1; i >= 0; i-- {
		if s.tells(i) {
			s.goTo(i)
			return nil
		}
	}
	return screen.Send(screen.NoticeMsg{Text: "no difference further up"})
}

// tells reports a row that is a difference by itself.
func (s *compareScreen) tells(i int) bool {
	r := &s.diff.rows[i]
	return r.state != compareSame && (!r.fold || !s.diff.unfolded(r))
}

func (s *compareScreen) pick() tea.Cmd {
	s.picking, s.load.err = true, nil
	s.choices.StartTyping()
	return nil
}

func (s *compareScreen) swap() tea.Cmd {
	s.left, s.right = s.right, s.left
	s.remake()
	return nil
}

func (s *compareScreen) openCopy() tea.Cmd {
	m := &overlay.Menu{Title: "Copy", Note: "masked values stay masked", Key: "y"}
	left, right := s.sideTitles()
	if i, ok := s.selectedRow(); ok {
		r := s.diff.rows[i]
		m.Add("v", "this difference", models.PrintableCell(r.path, 40), "the difference of "+models.PrintableCell(r.path, 40), func() string { return compareText(&r) })
	}
	m.Add("d", "all differences", "as text", "the differences", s.differencesText)
	m.Add("l", "left side as JSON", models.PrintableCell(left, 40), "the left side", func() string { return string(s.left.masked.AppendJSON(nil)) })
	m.Add("r", "right side as JSON", models.PrintableCell(right, 40), "the right side", func() string { return string(s.right.masked.AppendJSON(nil)) })
	s.Box = m
	return nil
}

// differencesText is everything that differs, for a mail or a report.
func (s *compareScreen) differencesText() string {
	left, right := s.sideTitles()
	whole := comparison{only: true, folds: map[string]bool{}}
	whole.compareItems(s.left, s.right)
	var b strings.Builder
	b.WriteString("- " + models.Printable(s.left.name(s.env)) + ", " + models.Printable(left) + "\n")
	b.WriteString("+ " + models.Printable(s.right.name(s.env)) + ", " + models.Printable(right) + "\n")
	for i := range whole.rows {
		r := &whole.rows[i]
		if !r.fold || r.state != compareDiffers {
			b.WriteString("\n" + compareText(r))
		}
	}
	return b.String()
}

// compareText is one difference: the path, and the values of both sides. What
// is hidden is told, not shown.
func compareText(r *compareRow) string {
	glyph, words := r.state.words(r.hidden)
	text := glyph + " " + models.Printable(r.path) + ": " + words + "\n"
	if r.left.stored != nil {
		text += "- " + string(models.AppendValueJSON(nil, r.left.shown)) + "\n"
	}
	if r.right.stored != nil {
		text += "+ " + string(models.AppendValueJSON(nil, r.right.shown)) + "\n"
	}
	return text
}

// enterWord says what enter does.
func (s *compareScreen) enterWord() string {
	if i, ok := s.selectedRow(); ok && !s.picking && s.diff.unfolded(&s.diff.rows[i]) {
		return "fold"
	}
	if s.picking {
		return "compare"
	}
	return "unfold"
}

// compareScope describes the keys of the screen.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "compare", Title: "Compare",
		Does:    "An item beside another state of it, or another item.",
		Actions: (&compareScreen{}).makeActions(), Pieces: screen.MovingKeys(),
	}
}
