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
	s *compareScreen

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

func (c *chooser) pick() tea.Cmd {
	c.picking, c.load.err = true, nil
	c.choices.StartTyping()
	return nil
}

func (c *chooser) updateChoices(msg tea.Msg) tea.Cmd {
	if paste, ok := msg.(tea.PasteMsg); ok && strings.TrimSpace(paste.Content) != "" {
		return c.comparePasted(paste.Content)
	}
	if press, ok := msg.(tea.KeyPressMsg); ok {
		switch press.String() {
		case "enter":
			return c.choose()
		case "esc":
			return c.leaveChoices()
		case "tab", "shift+tab":
			return nil // The list is the only pane.
		}
	}
	cmd, _ := c.choices.Update(msg)
	return cmd
}

func (c *chooser) leaveChoices() tea.Cmd {
	if c.load.what == "" && c.choices.Filter() != "" {
		c.choices.SetFilter("")
		return nil
	}
	if c.s.Cancel() {
		return nil
	}
	return screen.Send(screen.BackMsg{})
}

func (c *chooser) choose() tea.Cmd {
	chosen, ok := c.choices.Selected()
	if !ok {
		if text := strings.TrimSpace(c.choices.Filter()); text != "" {
			return c.comparePasted(text)
		}
		return nil
	}
	for _, source := range c.sources {
		if source.id == chosen.ID {
			return c.start(source.title, source.load)
		}
	}
	return nil
}

func (c *chooser) start(what string, load func(ctx context.Context) (compareSide, error)) tea.Cmd {
	c.load.stop()
	ctx, cancel := context.WithCancel(c.s.env.Context)
	c.load = compareLoad{req: c.load.req, what: what, from: load, started: c.s.env.Now(), cancel: cancel}
	req := c.load.req
	return tea.Batch(func() tea.Msg {
		side, err := load(ctx)
		return compareLoadedMsg{c.s, req, side, err}
	}, c.nextTick(widget.BusyAfter))
}

func (c *chooser) again() tea.Cmd {
	if c.load.what == "" {
		return nil
	}
	return c.start(c.load.what, c.load.from)
}

func (c *chooser) nextTick(d time.Duration) tea.Cmd {
	msg := compareTickMsg{c.s, c.load.req}
	return tea.Tick(d, func(time.Time) tea.Msg { return msg })
}

func (c *chooser) tick(msg compareTickMsg) tea.Cmd {
	if msg.screen != c.s || msg.req != c.load.req || c.load.what == "" {
		return nil
	}
	c.load.elapsed = max(c.s.env.Now().Sub(c.load.started), c.load.elapsed+widget.BusyFrame, widget.BusyAfter)
	return c.nextTick(widget.BusyFrame)
}

func (c *chooser) loaded(msg compareLoadedMsg) {
	if msg.screen != c.s || msg.req != c.load.req {
		return
	}
	c.load.stop()
	var asks *planAsks
	if errors.As(msg.err, &asks) {
		c.load.err = nil
		c.askInput(asks)
		return
	}
	if c.load.err = msg.err; msg.err != nil {
		return
	}
	c.s.right, c.picking = msg.side, false
	c.s.found.diff.folds = map[string]bool{}
	c.s.remake()
	c.s.found.lines.Go(0)
	c.s.found.goToDifference(0, 1)
}
