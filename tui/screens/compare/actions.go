package compare

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Actions returns the keys of the screen, the most important first.
func (s *compareScreen) Actions() widget.Actions {
	list := s.env.Keys.Rebind("compare", s.makeActions())
	if r, _ := s.row(); s.choice.picking {
		list[0].Desc = "compare"
	} else if r != nil && s.found.diff.unfolded(r) {
		list[0].Desc = "fold"
	}
	if s.Box != nil {
		for i := range list {
			list[i].Disabled = func() string { return "close the open dialog first" }
		}
	}
	return list
}

func (s *compareScreen) makeActions() widget.Actions {
	return widget.Actions{
		widget.NewAction("enter", "enter space", "unfold", "unfold or fold a document; compare with the choice",
			s.cannotEnter, s.enter),
		widget.NewAction("differences", "d", "differences", "switch between the differences and all attributes",
			s.notCompared, s.toggleOnly),
		widget.NewAction("next", "n", "next", "go to the next difference",
			s.notCompared, func() tea.Cmd { return s.search(1, "no difference below") }),
		widget.NewAction("previous", "N", "", "go to the previous difference",
			s.notCompared, func() tea.Cmd { return s.search(-1, "no difference above") }),
		widget.NewAction("other", "o", "other", "choose what to compare with", func() string {
			if s.choice.picking {
				return "the choices are open"
			}
			return ""
		}, s.pick),
		widget.NewAction("swap", "s", "swap", "swap left and right", s.notCompared, func() tea.Cmd {
			s.left, s.right = s.right, s.left
			s.remake()
			return nil
		}),
		widget.NewAction("copy", "y", "copy", "copy the differences, or a side, as text or JSON", s.notCompared, s.openCopy),
		{
			Name: "fold", Binding: widget.Bind("←/h", "left", "h"), Long: "fold, or go to the parent", Disabled: s.notCompared,
			Run: s.fold,
		},
		{
			Name: "unfold", Binding: widget.Bind("→/l", "right", "l"), Long: "unfold a document", Disabled: s.notCompared,
			Run: s.unfold,
		},
	}
}

func (s *compareScreen) notCompared() string {
	if s.choice.picking {
		return "choose what to compare with first"
	}
	return ""
}

func (s *compareScreen) cannotEnter() string {
	if r, _ := s.row(); s.choice.picking || r != nil && r.fold {
		return ""
	}
	return "nothing to unfold"
}

func (s *compareScreen) enter() tea.Cmd {
	if s.choice.picking {
		return s.choose()
	}
	s.toggle()
	return nil
}

func (s *compareScreen) openCopy() tea.Cmd {
	m := &overlay.Menu{Title: "Copy", Note: "masked values stay masked", Key: "y"}
	left, right := s.sideTitles()
	if r, _ := s.row(); r != nil {
		row, path := *r, models.PrintableCell(r.path, 40)
		m.Add("v", "this difference", path, "the difference of "+path, func() models.Display { return compareText(&row) })
	}
	m.Add("d", "all differences", "as text", "the differences", s.differencesText)
	json := func(key, side, title string, it models.Item) {
		m.Add(key, side+" side as JSON", models.PrintableCell(title, 40), "the "+side+" side", func() models.Display {
			return models.Display{Text: string(it.AppendJSON(nil)), Masked: it.Masked()}
		})
	}
	json("l", "left", left, s.left.masked)
	json("r", "right", right, s.right.masked)
	s.Box = m
	return nil
}

func (s *compareScreen) differencesText() models.Display {
	left, right := s.sideTitles()
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

// Scope describes the keys of the screen.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "compare", Title: "Compare",
		Does:    "An item next to another item, or another state of it.",
		Actions: (&compareScreen{}).makeActions(), Pieces: screen.MovingKeys(),
	}
}
