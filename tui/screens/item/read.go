package item

import (
	"bytes"
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// readState is how far the reading came.
type readState uint8

const (
	readNone readState = iota
	readRunning
	readDone
	readGone
	readFailed
	readCancelled
)

// itemRead is the reading of the item. Only one is under way.
type itemRead struct {
	id       any // of the messages
	req      uint64
	began    time.Time
	elapsed  time.Duration
	at       time.Time // when the last one ended
	err      error
	cancel   context.CancelFunc
	own      bool // it follows a change made here: the item replaces the list's row
	progress *reading.Progress
}

func (rd *itemRead) stop() {
	if rd.cancel != nil {
		rd.cancel()
		rd.cancel = nil
	}
}

// itemReadMsg is the answer to a reading; item is nil when there is none.
type itemReadMsg struct {
	of   any
	req  uint64
	item models.Item
	err  error
}

// itemTickMsg moves the spinner of a reading.
type itemTickMsg struct {
	of  any
	req uint64
}

func (s *itemScreen) reread() tea.Cmd {
	rd := &s.read
	s.history.reset()
	rd.stop()
	key, ok := s.table.PrimaryKey(s.item)
	if !ok {
		s.state, rd.err = readFailed, errors.New("cannot read the item: its primary key is incomplete")
		return nil
	}
	ctx, cancel := context.WithCancel(s.env.Context)
	rd.progress, rd.cancel, rd.elapsed, rd.began = &reading.Progress{}, cancel, 0, s.env.Now()
	ctx = rd.progress.Watch(ctx)
	rd.req++
	s.state = readRunning
	from, table, id, req := s.env.Workspace, s.table, rd.id, rd.req
	return tea.Batch(func() tea.Msg {
		item, err := from.Reading.Get(ctx, table, key)
		return itemReadMsg{id, req, item, err}
	}, rd.nextTick(widget.BusyAfter))
}

func (rd *itemRead) nextTick(d time.Duration) tea.Cmd {
	msg := itemTickMsg{rd.id, rd.req}
	return tea.Tick(d, func(time.Time) tea.Msg { return msg })
}

func (rd *itemRead) tick(msg itemTickMsg, state readState) tea.Cmd {
	if msg.of != rd.id || msg.req != rd.req || state != readRunning {
		return nil
	}
	rd.elapsed = max(rd.elapsed+widget.BusyFrame, widget.BusyAfter)
	return rd.nextTick(widget.BusyFrame)
}

func (s *itemScreen) finish(msg itemReadMsg) tea.Cmd {
	rd := &s.read
	if msg.of != rd.id || msg.req != rd.req || s.state != readRunning {
		return nil // Answers of a reading that was cancelled or followed by another.
	}
	rd.stop()
	rd.at, rd.err = s.env.Now(), msg.err
	switch {
	case msg.err != nil:
		s.state = readFailed
	case msg.item == nil:
		s.state, rd.own = readGone, false
	default:
		s.state = readDone
		if rd.own {
			s.row, rd.own = msg.item, false
		}
		s.differ, s.item = differing(s.row, msg.item), msg.item
		s.env.History.Visit(s.table, s.item)
	}
	s.remake()
	return tea.Batch(s.active.opened(false), s.counts.start(), connection.OfferSignIn(msg.err))
}

// Retry reads the item again after the credentials were renewed.
func (s *itemScreen) Retry() tea.Cmd { return s.reread() }

// differing ignores attributes that only the item has: an index may hold a part.
func differing(row, item models.Item) map[string]string {
	changed := map[string]string{}
	for name, old := range row {
		now, ok := item[name]
		switch {
		case !ok:
			changed[name] = "gone"
		case !bytes.Equal(models.AppendTypedJSON(nil, old), models.AppendTypedJSON(nil, now)):
			changed[name] = "changed"
		}
	}
	return changed
}

// A currency says how current the shown item is, for an item that a list showed and for
// one of which only the key was known.
type currency struct {
	role         widget.Role
	row, keyOnly string
}

// currencies are the texts of each state in which the item was not read successfully.
var currencies = map[readState]currency{
	readGone:      {widget.RoleBad, "✗ deleted; this is its last known state", "✗ no item has this key"},
	readFailed:    {widget.RoleBad, "✗ refresh failed; showing the row from the list", "✗ read failed; only the key is known"},
	readCancelled: {widget.RoleWarn, "refresh stopped; showing the row from the list, press r to refresh", "read stopped; press r to read"},
	readRunning:   {widget.RoleFaint, "from the list, refreshing", "reading"},
	readNone:      {widget.RoleFaint, "from the list, refreshing", "reading"},
}

// freshness says what is shown if it is not the item as it was read; "" if it is.
func (s *subject) freshness() (widget.Role, string) {
	switch n := len(s.differ); {
	case s.state == readDone && n > 0 && !s.keyOnly():
		return widget.RoleWarn, "≠ " + present.Plural(n, "attribute") + " changed since the list"
	case s.state == readDone:
		return widget.RoleFaint, ""
	case s.keyOnly():
		return currencies[s.state].role, currencies[s.state].keyOnly
	}
	return currencies[s.state].role, currencies[s.state].row
}

func (s *subject) keyOnly() bool {
	if len(s.row) > 2 { // A primary key has at most two attributes.
		return false
	}
	key, ok := s.table.PrimaryKey(s.row)
	return ok && len(key) == len(s.row)
}

// Status is what is shown and when it was read.
func (s *itemScreen) Status() string {
	text := present.Plural(len(s.item), "attribute")
	switch s.state {
	case readDone:
		return "read at " + present.Clock(s.read.at, s.env.Now()) + " · " + text
	case readGone:
		return text + " · deleted"
	case readFailed:
		return text + " · not refreshed"
	case readRunning, readCancelled, readNone:
	}
	return text + " · from the list"
}
