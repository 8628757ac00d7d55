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
			list[i].Disabled = func() string { return "close the open dialog first" }
		}
	}
	return list
}

func (s *compareScreen) makeActions() widget.Actions {
	return widget.Actions{
		{Name: "enter", Binding: widget.Bind(
			"enter", "enter", "space",
		), Desc: "unfold", Long: "unfold or fold a document; compare with the choice", Disabled: s.enterDisabled, Run: s.enter},
		{
			Name: "differences", Binding: widget.Bind("d", "d"), Desc: "differences",
			Long: "switch between the differences and all attributes", Disabled: s.notCompared, Run: s.moves.toggleOnly,
		},
		{
			Name: "next", Binding: widget.Bind("n", "n"), Desc: "next", Long: "go to the next difference",
			Disabled: s.notCompared, Run: s.moves.goNext,
		},
		{
			Name: "previous", Binding: widget.Bind("N", "N"), Long: "go to the previous difference", Disabled: s.notCompared,
			Run: s.moves.goPrevious,
		},
		{
			Name: "other", Binding: widget.Bind("o", "o"), Desc: "other", Long: "choose what to compare with",
			Disabled: s.otherDisabled, Run: s.choose.pick,
		},
		{Name: "swap", Binding: widget.Bind("s", "s"), Desc: "swap", Long: "swap left and right", Disabled: s.notCompared, Run: s.swap},
		{
			Name: "copy", Binding: widget.Bind("y", "y"), Desc: "copy",
			Long: "copy the differences, or a side, as text or JSON", Disabled: s.notCompared, Run: s.openCopy,
		},
		{
			Name: "fold", Binding: widget.Bind("←/h", "left", "h"), Long: "fold, or go to the parent", Disabled: s.notCompared,
			Run: s.moves.foldRow,
		},
		{
			Name: "unfold", Binding: widget.Bind("→/l", "right", "l"), Long: "unfold a document", Disabled: s.notCompared,
			Run: s.moves.unfoldRow,
		},
	}
}

func (s *compareScreen) notCompared() string {
	if s.choose.picking {
		return "choose first what to compare with"
	}
	return ""
}

func (s *compareScreen) otherDisabled() string {
	if s.choose.picking {
		return "this is the choice"
	}
	return ""
}

func (s *compareScreen) enterDisabled() string {
	if s.choose.picking {
		return ""
	}
	if i, ok := s.moves.selectedRow(); !ok || !s.diff.rows[i].fold {
		return "there is nothing to unfold"
	}
	return ""
}

func (s *compareScreen) enter() tea.Cmd {
	if s.choose.picking {
		return s.choose.choose()
	}
	s.moves.toggle()
	return nil
}

// toggle folds or unfolds the row under the cursor.
func (mv *compareMoves) toggle() {
	i, ok := mv.selectedRow()
	if !ok || !mv.s.diff.rows[i].fold {
		return
	}
	mv.s.diff.toggle(&mv.s.diff.rows[i])
	mv.s.refresh()
}

func (mv *compareMoves) unfoldRow() tea.Cmd {
	if i, ok := mv.selectedRow(); ok && mv.s.diff.rows[i].fold && !mv.s.diff.unfolded(&mv.s.diff.rows[i]) {
		mv.toggle()
	}
	return nil
}

// foldRow closes the row under the cursor, or goes to the one that holds it.
func (mv *compareMoves) foldRow() tea.Cmd {
	i, ok := mv.selectedRow()
	if !ok {
		return nil
	}
	rows := mv.s.diff.rows
	if rows[i].fold && mv.s.diff.unfolded(&rows[i]) {
		mv.toggle()
		return nil
	}
	for parent := i - 1; parent >= 0 && rows[i].depth > 0; parent-- {
		if rows[parent].depth < rows[i].depth {
			mv.goTo(parent)
			return nil
		}
	}
	return nil
}

// toggleOnly shows differences only, or everything. The cursor stays on its row
// as far as that is left.
func (mv *compareMoves) toggleOnly() tea.Cmd {
	path := ""
	if i, ok := mv.selectedRow(); ok {
		path = mv.s.diff.rows[i].path
	}
	mv.s.diff.only = !mv.s.diff.only
	mv.s.refresh()
	for i := range mv.s.diff.rows {
		if mv.s.diff.rows[i].path == path {
			mv.goTo(i)
			break
		}
	}
	return nil
}

func (mv *compareMoves) goNext() tea.Cmd {
	from, _ := mv.selectedRow()
	if !mv.nextDifference(from + 1) {
		return screen.Send(screen.NoticeMsg{Text: "no difference further down"})
	}
	return nil
}

// nextDifference goes to the first row from on that is not the same, and has no
// parts that say more.
func (mv *compareMoves) nextDifference(from int) bool {
	for i := from; i < len(mv.s.diff.rows); i++ {
		if mv.tells(i) {
			mv.goTo(i)
			return true
		}
	}
	return false
}

func (mv *compareMoves) goPrevious() tea.Cmd {
	from, _ := mv.selectedRow()
	for i := from - 1; i >= 0; i-- {
		if mv.tells(i) {
			mv.goTo(i)
			return nil
		}
	}
	return screen.Send(screen.NoticeMsg{Text: "no difference further up"})
}

// tells reports a row that is a difference by itself.
func (mv *compareMoves) tells(i int) bool {
	r := &mv.s.diff.rows[i]
	return r.state != compareSame && (!r.fold || !mv.s.diff.unfolded(r))
}

func (ch *compareChoices) pick() tea.Cmd {
	ch.picking, ch.s.reading.load.err = true, nil
	ch.choices.StartTyping()
	return nil
}

func (s *compareScreen) swap() tea.Cmd {
	s.left, s.right = s.right, s.left
	s.remake()
	return nil
}

func (s *compareScreen) openCopy() tea.Cmd {
	m := &overlay.Menu{Title: "Copy", Note: "masked values stay masked", Key: "y"}
	left, right := s.drawing.sideTitles()
	if i, ok := s.moves.selectedRow(); ok {
		r := s.diff.rows[i]
		m.Add(
			"v", "this difference", models.PrintableCell(r.path, 40), "the difference of "+models.PrintableCell(r.path, 40),
			func() models.Display { return compareText(&r) },
		)
	}
	m.Add("d", "all differences", "as text", "the differences", s.differencesText)
	m.Add("l", "left side as JSON", models.PrintableCell(left, 40), "the left side", func() models.Display { return asJSON(s.left.masked) })
	m.Add(
		"r", "right side as JSON", models.PrintableCell(right, 40), "the right side",
		func() models.Display { return asJSON(s.right.masked) },
	)
	s.Box = m
	return nil
}

// differencesText is everything that differs, for a mail or a report.
func (s *compareScreen) differencesText() models.Display {
	left, right := s.drawing.sideTitles()
	whole := comparison{only: true, folds: map[string]bool{}}
	whole.compareItems(s.left, s.right)
	var b strings.Builder
	masked := false
	b.WriteString("- " + models.Printable(s.left.name(s.env)) + ", " + models.Printable(left) + "\n")
	b.WriteString("+ " + models.Printable(s.right.name(s.env)) + ", " + models.Printable(right) + "\n")
	for i := range whole.rows {
		r := &whole.rows[i]
		if !r.fold || r.state != compareDiffers {
			d := compareText(r)
			b.WriteString("\n" + d.Text)
			masked = masked || d.Masked
		}
	}
	return models.Display{Text: b.String(), Masked: masked}
}

func asJSON(it models.Item) models.Display {
	return models.Display{Text: string(it.AppendJSON(nil)), Masked: it.Masked()}
}

// compareText is one difference: the path, and the values of both sides. What
// is hidden is told, not shown.
func compareText(r *compareRow) models.Display {
	glyph, words := r.state.words(r.hidden)
	text := glyph + " " + models.Printable(r.path) + ": " + words + "\n"
	if r.left.stored != nil {
		text += "- " + string(models.AppendValueJSON(nil, r.left.shown)) + "\n"
	}
	if r.right.stored != nil {
		text += "+ " + string(models.AppendValueJSON(nil, r.right.shown)) + "\n"
	}
	return models.Display{Text: text, Masked: models.IsMasked(r.left.shown) || models.IsMasked(r.right.shown)}
}

// enterWord says what enter does.
func (s *compareScreen) enterWord() string {
	if i, ok := s.moves.selectedRow(); ok && !s.choose.picking && s.diff.unfolded(&s.diff.rows[i]) {
		return "fold"
	}
	if s.choose.picking {
		return "compare"
	}
	return "unfold"
}

// guide introduces the screen in its help.
var guide = screen.Guide{
	Purpose: "Two items, or two states of one item, side by side: what is equal, what differs, and what only one of them has.",
	First:   "choose what to compare with, or paste a key or an item.",
	Signs: screen.Signs([]screen.Sign{
		{Glyph: "≠", Means: "different on both sides"},
		{Glyph: "◂", Means: "only at the left"},
		{Glyph: "▸", Means: "only at the right, or a folded part"},
		{Glyph: "▾", Means: "an unfolded part"},
	}, screen.StateSigns, screen.MaskSigns),
}

// Scope describes the keys of the screen.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "compare", Title: "Compare",
		Does:    "An item next to another item, or another state of it.",
		Actions: (&compareScreen{}).makeActions(), Pieces: screen.MovingKeys(),
	}
}
