package compare

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

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
