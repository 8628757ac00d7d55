package item

import (
	"bytes"
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// readState is the state of the read.
type readState uint8

const (
	readNone readState = iota
	readRunning
	readDone
	readGone
	readFailed
	readCancelled
)

// itemRead is the read of the item. Only one read runs at a time.
type itemRead struct {
	task        *screen.Task
	at          time.Time // end time of the last read
	err         error
	afterChange bool // the read follows a change on this screen, so the item replaces the list's row
	// earlyMenu is the menu that the user opened before the item arrived. The screen then remakes it if it has no changes,
	// such as for a key. Otherwise the user may be choosing from it, so the screen only updates its other actions.
	earlyMenu    *overlay.Menu
	rebuildsMenu bool
}

func (s *itemScreen) reread() tea.Cmd {
	rd := &s.read
	s.notChanged = false
	s.history.reset()
	rd.task.End()
	key, ok := s.table.PrimaryKey(s.item)
	if !ok {
		s.state, rd.err = readFailed, errors.New("cannot read the item: its primary key is incomplete")
		return nil
	}
	s.state = readRunning
	w, table := s.env.Workspace, s.table
	var cmd tea.Cmd
	rd.task, cmd = screen.Run(s.env.Context, func(ctx context.Context) func() tea.Cmd {
		item, err := w.Reading.Get(ctx, table, key)
		notChanged := w.Session.CanUndo() == nil && !w.Journal.MayHaveChanged(table, key)
		return func() tea.Cmd {
			s.notChanged = notChanged
			return s.finishRead(item, err)
		}
	})
	return cmd
}

// finishRead handles the result of a read. item is nil if there is none.
func (s *itemScreen) finishRead(item models.Item, err error) tea.Cmd {
	rd := &s.read
	rd.at, rd.err = s.env.Now(), err
	switch {
	case err != nil:
		s.state = readFailed
	case item == nil:
		s.state, rd.afterChange = readGone, false
	default:
		s.state = readDone
		if rd.afterChange {
			s.listedItem, rd.afterChange = item, false
		}
		s.differences, s.item = differences(s.listedItem, item), item
		s.env.History.RecordVisit(s.table, s.item)
	}
	s.remake()
	switch {
	case rd.earlyMenu == nil || s.Box != overlay.Overlay(rd.earlyMenu):
	case rd.rebuildsMenu:
		s.Box = s.actionMenu()
	default:
		s.updateReasons(rd.earlyMenu)
	}
	rd.earlyMenu = nil
	return tea.Batch(s.active.opened(false), s.counts.start(), s.readRequests(), connection.OfferSignIn(err))
}

func (s *itemScreen) readRequests() tea.Cmd {
	in := s.env.Requests
	if _, err := in.Register(); err != nil || in.Known() != nil || s.state != readDone {
		return nil
	}
	s.requestTask.End()
	var cmd tea.Cmd
	s.requestTask, cmd = screen.Run(s.env.Context, func(ctx context.Context) func() tea.Cmd {
		_, _, err := in.List(ctx)
		return func() tea.Cmd {
			s.checkMasker()
			if err != nil {
				return screen.Send(screen.NoticeMsg{Text: "cannot read change requests: " + err.Error(), Bad: true})
			}
			return nil
		}
	})
	return cmd
}

func (s *itemScreen) Retry() tea.Cmd { return s.reread() }

// differences compares only attributes in the row, because an index may project a subset.
func differences(row, item models.Item) map[string]string {
	changed := map[string]string{}
	for name, old := range row {
		current, ok := item[name]
		switch {
		case !ok:
			changed[name] = "gone"
		case !bytes.Equal(models.AppendTypedJSON(nil, old), models.AppendTypedJSON(nil, current)):
			changed[name] = "changed"
		}
	}
	return changed
}

// A freshnessText describes how current the item is: row for an item from a list, keyOnly if only the key is known.
type freshnessText struct {
	role         widget.Role
	row, keyOnly string
}

// freshnessByState contains a text for each state without a successful read.
var freshnessByState = map[readState]freshnessText{
	readGone:      {widget.RoleBad, "✗ deleted; this is its last known state", "✗ no item has this key"},
	readFailed:    {widget.RoleBad, "✗ refresh failed; showing the row from the list", "✗ read failed; only the key is known"},
	readCancelled: {widget.RoleWarn, "refresh stopped; showing the row from the list, press r to refresh", "read stopped; press r to read"},
	readRunning:   {widget.RoleFaint, "from the list, refreshing", "reading"},
	readNone:      {widget.RoleFaint, "from the list, refreshing", "reading"},
}

// freshness describes how the displayed item differs from the item that was read, or returns "".
func (d *itemData) freshness() (widget.Role, string) {
	switch n := len(d.differences); {
	case d.state == readDone && n > 0 && !d.isKeyOnly():
		return widget.RoleWarn, "≠ " + present.Plural(n, "attribute") + " changed since the list was read"
	case d.state == readDone:
		return widget.RoleFaint, ""
	case d.isKeyOnly():
		return freshnessByState[d.state].role, freshnessByState[d.state].keyOnly
	}
	return freshnessByState[d.state].role, freshnessByState[d.state].row
}

func (d *itemData) isKeyOnly() bool {
	if len(d.listedItem) > 2 { // A primary key has at most two attributes.
		return false
	}
	key, ok := d.table.PrimaryKey(d.listedItem)
	return ok && len(key) == len(d.listedItem)
}

func (s *itemScreen) Status() string {
	text := "from the list"
	switch s.state {
	case readDone:
		text = "read at " + present.Clock(s.read.at, s.env.Now())
	case readGone:
		text = "deleted"
	case readFailed:
		text = "not refreshed"
	case readRunning, readCancelled, readNone:
	}
	if s.env.Plain() { // The overview omits keys and other attributes.
		return text
	}
	return text + " · " + present.Plural(len(s.item), "attribute")
}
