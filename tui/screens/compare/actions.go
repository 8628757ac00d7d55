package compare

import (
	"context"
	"errors"
	"strings"
	"time"

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
		widget.NewAction("differences", "v", "view", "switch between the differences and all attributes",
			s.notCompared, s.toggleOnly),
		widget.NewAction("next", "n", "next", "go to the next difference",
			s.notCompared, func() tea.Cmd { return s.search(1, "no difference below") }),
		widget.NewAction("previous", "o>N", "previous", "go to the previous difference",
			s.notCompared, func() tea.Cmd { return s.search(-1, "no difference above") }),
		widget.NewAction("other", "=", "compare with", "choose what to compare with", func() string {
			if s.choice.picking {
				return "the choices are open"
			}
			return ""
		}, s.pick),
		widget.NewAction("swap", "o>s", "swap", "swap left and right", s.notCompared, func() tea.Cmd {
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

// A chooser is the choice of the other item: the list of what the left side can be
// compared with, and the read or plan of what was chosen.
type chooser struct {
	sources []compareSource
	choices *widget.List
	picking bool // the list is open
	load    compareLoad
}

// compareLoad is the read or the plan of the right side.
type compareLoad struct {
	req     uint64 // numbers the loads: a result of an older one is dropped
	what    string // "" while nothing is loading
	started time.Time
	elapsed time.Duration
	from    func(ctx context.Context) (compareSide, error)
	cancel  context.CancelFunc
	err     error // of the last load
}

// compareLoadedMsg is the right side, or why it could not be loaded.
type compareLoadedMsg struct {
	screen *compareScreen
	req    uint64
	side   compareSide
	err    error
}

// compareTickMsg moves the spinner.
type compareTickMsg struct {
	screen *compareScreen
	req    uint64
}

func (l *compareLoad) stop() {
	if l.cancel != nil {
		l.cancel()
		l.cancel = nil
	}
	l.what = ""
	l.req++
}

func (s *compareScreen) pick() tea.Cmd {
	s.choice.picking, s.choice.load.err = true, nil
	s.choice.choices.StartTyping()
	return nil
}

func (s *compareScreen) updateChoices(msg tea.Msg) tea.Cmd {
	if paste, ok := msg.(tea.PasteMsg); ok && strings.TrimSpace(paste.Content) != "" {
		return s.comparePasted(paste.Content)
	}
	if press, ok := msg.(tea.KeyPressMsg); ok {
		switch press.String() {
		case "enter":
			return s.choose()
		case "esc":
			return s.leaveChoices()
		case "tab", "shift+tab":
			return nil // The list is the only pane.
		}
	}
	cmd, _ := s.choice.choices.Update(msg)
	return cmd
}

func (s *compareScreen) leaveChoices() tea.Cmd {
	if s.choice.load.what == "" && s.choice.choices.Filter() != "" {
		s.choice.choices.SetFilter("")
		return nil
	}
	if s.Cancel() {
		return nil
	}
	return screen.Send(screen.BackMsg{})
}

func (s *compareScreen) choose() tea.Cmd {
	chosen, ok := s.choice.choices.Selected()
	if !ok {
		if text := strings.TrimSpace(s.choice.choices.Filter()); text != "" {
			return s.comparePasted(text)
		}
		return nil
	}
	for _, source := range s.choice.sources {
		if source.id == chosen.ID {
			return s.start(source.title, source.load)
		}
	}
	return nil
}

func (s *compareScreen) start(what string, load func(ctx context.Context) (compareSide, error)) tea.Cmd {
	s.choice.load.stop()
	ctx, cancel := context.WithCancel(s.env.Context)
	s.choice.load = compareLoad{req: s.choice.load.req, what: what, from: load, started: s.env.Now(), cancel: cancel}
	req := s.choice.load.req
	return tea.Batch(func() tea.Msg {
		side, err := load(ctx)
		return compareLoadedMsg{s, req, side, err}
	}, s.nextTick(widget.BusyAfter))
}

func (s *compareScreen) again() tea.Cmd {
	if s.choice.load.what == "" {
		return nil
	}
	return s.start(s.choice.load.what, s.choice.load.from)
}

func (s *compareScreen) nextTick(d time.Duration) tea.Cmd {
	msg := compareTickMsg{s, s.choice.load.req}
	return tea.Tick(d, func(time.Time) tea.Msg { return msg })
}

func (s *compareScreen) tick(msg compareTickMsg) tea.Cmd {
	if msg.screen != s || msg.req != s.choice.load.req || s.choice.load.what == "" {
		return nil
	}
	s.choice.load.elapsed = max(s.env.Now().Sub(s.choice.load.started), s.choice.load.elapsed+widget.BusyFrame, widget.BusyAfter)
	return s.nextTick(widget.BusyFrame)
}

func (s *compareScreen) loaded(msg compareLoadedMsg) {
	if msg.screen != s || msg.req != s.choice.load.req {
		return
	}
	s.choice.load.stop()
	var asks *planAsks
	if errors.As(msg.err, &asks) {
		s.choice.load.err = nil
		s.askInput(asks)
		return
	}
	if s.choice.load.err = msg.err; msg.err != nil {
		return
	}
	s.right, s.choice.picking = msg.side, false
	s.found.diff.folds = map[string]bool{}
	s.remake()
	s.found.lines.Go(0)
	s.goToDifference(0, 1)
}
