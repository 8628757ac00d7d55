package item

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"time"

	"charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// itemReadMsg is the answer to a reading; item is nil when there is none.
type itemReadMsg struct {
	screen *itemScreen
	req    uint64
	item   models.Item
	err    error
}

// itemTickMsg moves the spinner of a reading.
type itemTickMsg struct {
	screen *itemScreen
	req    uint64
}

// startRead cancels a reading that is under way and starts another.
func (s *itemScreen) startRead() tea.Cmd {
	s.read.stop()
	key, ok := s.table.PrimaryKey(s.item)
	if !ok {
		s.read.state, s.read.err = readFailed, errors.New("the row has no complete primary key: it cannot be read again")
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	progress := &session.Progress{}
	ctx = progress.Watch(ctx)
	s.read = itemRead{state: readRunning, req: s.read.req + 1, started: s.now(), cancel: cancel, changed: s.read.changed, progress: progress, own: s.read.own}
	from, table, req := s.env.Session, s.table, s.read.req
	return tea.Batch(func() tea.Msg {
		item, err := from.Get(ctx, table, key)
		return itemReadMsg{s, req, item, err}
	}, s.nextTick(widget.BusyAfter))
}

func (s *itemScreen) nextTick(d time.Duration) tea.Cmd {
	msg := itemTickMsg{s, s.read.req}
	return tea.Tick(d, func(time.Time) tea.Msg { return msg })
}

func (s *itemScreen) tick(msg itemTickMsg) tea.Cmd {
	if msg.screen != s || msg.req != s.read.req || s.read.state != readRunning {
		return nil
	}
	s.read.elapsed = max(s.now().Sub(s.read.started), s.read.elapsed+widget.BusyFrame, widget.BusyAfter)
	return s.nextTick(widget.BusyFrame)
}

func (s *itemScreen) finishRead(msg itemReadMsg) tea.Cmd {
	if msg.screen != s || msg.req != s.read.req || s.read.state != readRunning {
		return nil // Answers of a reading that was cancelled or followed by another.
	}
	s.read.stop()
	s.read.at, s.read.err = s.now(), msg.err
	switch {
	case msg.err != nil:
		s.read.state = readFailed
	case msg.item == nil:
		s.read.state = readGone
	default:
		s.read.state = readDone
		if s.read.after = s.read.own; s.read.own {
			s.row = msg.item
		}
		s.read.changed = differing(s.row, msg.item)
		s.item = msg.item
		s.env.Session.Visit(s.table, s.item)
	}
	if msg.err == nil {
		s.read.own = false
	}
	s.remake()
	s.layout()
	return tea.Batch(s.openedTab(), s.startCounts(), connection.OfferSignIn(msg.err))
}

// Retry reads the item again that could not be read.
func (s *itemScreen) Retry() tea.Cmd { return s.reread() }

// differing compares an item with the row of a list. Attributes that only the
// item has are no difference: an index may hold a part.
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

// freshness says how current the item is; it stands at the right of the key.
func (s *itemScreen) freshness() (widget.Role, string) {
	if len(s.row) <= 2 && s.byKeyAlone() {
		return s.freshnessOfKey()
	}
	switch s.read.state {
	case readDone:
		if n := len(s.read.changed); n > 0 {
			return widget.RoleWarn, "≠ " + present.CountOf(n, "attribute") + " changed since the list"
		}
		text := "read again " + s.read.at.Format("15:04:05")
		if s.read.after {
			return widget.RoleFaint, text + ", after the change"
		}
		if n := len(s.item) - len(s.row); n > 0 {
			return widget.RoleFaint, text + ", " + strconv.Itoa(n) + " more than in the list"
		}
		return widget.RoleFaint, text + ", as in the list"
	case readGone:
		return widget.RoleBad, "✗ deleted meanwhile: this is what it was"
	case readFailed:
		return widget.RoleBad, "✗ not read again: this is the list's row"
	case readCancelled:
		return widget.RoleWarn, "reading stopped: this is the list's row, r reads it"
	case readRunning, readNone:
	}
	return widget.RoleFaint, "as the list showed it, reading it again"
}

// byKeyAlone reports whether nothing but a key was known of the item when it was
// opened: it was typed, or visited in an earlier run.
func (s *itemScreen) byKeyAlone() bool {
	key, ok := s.table.PrimaryKey(s.row)
	return ok && len(key) == len(s.row)
}

func (s *itemScreen) freshnessOfKey() (widget.Role, string) {
	switch s.read.state {
	case readDone:
		return widget.RoleFaint, "read " + s.read.at.Format("15:04:05")
	case readGone:
		return widget.RoleBad, "✗ there is no item with this key"
	case readFailed:
		return widget.RoleBad, "✗ not read: only its key is known"
	case readCancelled:
		return widget.RoleWarn, "reading stopped, r reads it"
	case readRunning, readNone:
	}
	return widget.RoleFaint, "reading it"
}
