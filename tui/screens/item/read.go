package item

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
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

// itemRead is the reading of the item.
type itemRead struct {
	s *itemScreen

	state   readState
	req     uint64
	started time.Time
	elapsed time.Duration
	at      time.Time
	err     error
	cancel  context.CancelFunc
	changed map[string]string // attributes that differ from the list, and how
	own     bool              // it follows a change made here: the item replaces the list's row
	after   bool              // the last one did
	// progress is of the reading under way.
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

func (rd *itemRead) start() tea.Cmd {
	rd.stop()
	key, ok := rd.s.table.PrimaryKey(rd.s.item)
	if !ok {
		rd.state, rd.err = readFailed, errors.New("cannot read the item: its primary key is incomplete")
		return nil
	}
	ctx, cancel := context.WithCancel(rd.s.env.Context)
	progress := &reading.Progress{}
	ctx = progress.Watch(ctx)
	*rd = itemRead{
		s: rd.s, state: readRunning, req: rd.req + 1, started: rd.s.env.Now(), cancel: cancel, changed: rd.changed,
		progress: progress, own: rd.own,
	}
	from, table, req := rd.s.env.Workspace, rd.s.table, rd.req
	return tea.Batch(func() tea.Msg {
		item, err := from.Reading.Get(ctx, table, key)
		return itemReadMsg{rd.s, req, item, err}
	}, rd.nextTick(widget.BusyAfter))
}

func (rd *itemRead) nextTick(d time.Duration) tea.Cmd {
	msg := itemTickMsg{rd.s, rd.req}
	return tea.Tick(d, func(time.Time) tea.Msg { return msg })
}

func (rd *itemRead) tick(msg itemTickMsg) tea.Cmd {
	if msg.screen != rd.s || msg.req != rd.req || rd.state != readRunning {
		return nil
	}
	rd.elapsed = max(rd.s.env.Now().Sub(rd.started), rd.elapsed+widget.BusyFrame, widget.BusyAfter)
	return rd.nextTick(widget.BusyFrame)
}

func (rd *itemRead) finish(msg itemReadMsg) tea.Cmd {
	if msg.screen != rd.s || msg.req != rd.req || rd.state != readRunning {
		return nil // Answers of a reading that was cancelled or followed by another.
	}
	rd.stop()
	rd.at, rd.err = rd.s.env.Now(), msg.err
	switch {
	case msg.err != nil:
		rd.state = readFailed
	case msg.item == nil:
		rd.state = readGone
	default:
		rd.state = readDone
		if rd.after = rd.own; rd.own {
			rd.s.row = msg.item
		}
		rd.changed = differing(rd.s.row, msg.item)
		rd.s.item = msg.item
		rd.s.env.History.Visit(rd.s.table, rd.s.item)
	}
	if msg.err == nil {
		rd.own = false
	}
	rd.s.remake()
	rd.s.layout()
	return tea.Batch(rd.s.tab().opened(), rd.s.counts.startCounts(), connection.OfferSignIn(msg.err))
}

// Retry reads the item again after the credentials were renewed.
func (s *itemScreen) Retry() tea.Cmd { return s.reread() }

func (s *itemScreen) reread() tea.Cmd {
	s.timeline.reset()
	return s.read.start()
}

func (rd *itemRead) busy() widget.Busy {
	return widget.Busy{
		What: "refreshing the item", Detail: rd.progress.Retrying(), Cancel: "esc stops", Elapsed: rd.elapsed, Fraction: -1,
	}
}

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
	readCancelled: {widget.RoleWarn, "refresh stopped; showing the row from the list, press ctrl+r to refresh", "read stopped; press ctrl+r to read"},
	readRunning:   {widget.RoleFaint, "from the list, refreshing", "reading"},
	readNone:      {widget.RoleFaint, "from the list, refreshing", "reading"},
}

func (rd *itemRead) freshness() (widget.Role, string) {
	if rd.state != readDone {
		c := currencies[rd.state]
		if rd.keyOnly() {
			return c.role, c.keyOnly
		}
		return c.role, c.row
	}
	text := "Refreshed " + rd.at.Format("15:04:05")
	more := len(rd.s.item) - len(rd.s.row)
	switch n := len(rd.changed); {
	case rd.keyOnly():
		return widget.RoleFaint, "Read " + rd.at.Format("15:04:05")
	case n > 0:
		return widget.RoleWarn, "≠ " + present.Plural(n, "attribute") + " changed since the list"
	case rd.after:
		return widget.RoleFaint, text + ", after the change"
	case more > 0:
		return widget.RoleFaint, text + ", " + strconv.Itoa(more) + " more than in the list"
	}
	return widget.RoleFaint, text + ", unchanged"
}

func (rd *itemRead) keyOnly() bool {
	if len(rd.s.row) > 2 { // A primary key has at most two attributes.
		return false
	}
	key, ok := rd.s.table.PrimaryKey(rd.s.row)
	return ok && len(key) == len(rd.s.row)
}

// An itemStream is what the timeline has from the stream of the table. It reads when the
// tab comes into view, on production only when asked to, and within timeline.StreamLimits.
type itemStream struct {
	t      *timelineTab
	of     *timeline.Stream // nil before it was read
	recent timeline.Recent
	what   string // that is being read, "" for nothing
	req    uint64
	abort  context.CancelFunc
}

// streamMsg brings what a stream has of the item.
type streamMsg struct {
	screen *itemScreen
	req    uint64
	recent timeline.Recent
}

func (p *itemStream) begin(what string) (ctx context.Context, req uint64) {
	p.cancel()
	p.req++
	p.what = what
	ctx, p.abort = context.WithCancel(p.t.s.env.Context)
	return ctx, p.req
}

func (p *itemStream) cancel() bool {
	if p.what == "" {
		return false
	}
	p.abort()
	p.what = ""
	p.req++
	p.of = nil // A reading that was cancelled may still use it.
	return true
}

func (p *itemStream) opened() tea.Cmd {
	s := p.t.s
	if p.of != nil || p.what != "" || s.tab() != tab(p.t) || s.env.Session.Production() || s.read.state != readDone {
		return nil
	}
	return p.read()
}

func (p *itemStream) read() tea.Cmd {
	s := p.t.s
	key, ok := s.table.PrimaryKey(s.item)
	switch {
	case !ok || s.facts.entity == nil:
		return screen.Send(screen.NoticeMsg{Text: "no entity matches the item"})
	case p.what != "":
		return screen.Send(screen.NoticeMsg{Text: "already reading"})
	case p.of != nil && !p.recent.More && p.recent.Err == nil:
		return screen.Send(screen.NoticeMsg{Text: "the stream has no older changes"})
	}
	if p.of == nil {
		p.of = timeline.NewStream(s.env.Session.Viewer, s.table, key)
	}
	of := p.of
	ctx, req := p.begin("reading the stream")
	p.of = of
	return func() tea.Msg { return streamMsg{s, req, of.Read(ctx, timeline.StreamLimits)} }
}

func (p *itemStream) arrived(msg streamMsg) tea.Cmd {
	if msg.screen != p.t.s || msg.req != p.req || p.what == "" {
		return nil
	}
	p.abort()
	p.what, p.recent = "", msg.recent
	p.t.merge()
	return nil
}

func (p *itemStream) note() string {
	switch note := p.recent.Note(p.t.s.env.Now()); {
	case p.what != "":
		return p.what + "; esc stops"
	case note == "" && p.of == nil && p.t.s.facts.entity != nil:
		return "press + to read the stream"
	case p.recent.More && p.recent.Err == nil && note != "":
		return note + " (+ reads on)"
	default:
		return note
	}
}

func (t *timelineTab) merge() {
	defer t.s.lifecycle.retell()
	if t.s.facts.entity == nil || len(t.stream.recent.Changes) == 0 {
		t.entries = t.audit
		return
	}
	at := ""
	if e, ok := t.selected(); ok && t.grid.Cursor() > 0 {
		at = entryID(e)
	}
	t.entries = timeline.Merge(t.s.facts.entity, t.audit, t.stream.recent.Changes)
	t.remake()
	if t.grid.SetSource(t); at != "" {
		for i, e := range t.entries {
			if entryID(e) == at {
				t.grid.SetCursor(i)
			}
		}
	}
}

func entryID(e timeline.Entry) string {
	if e.Trail == nil {
		return e.Change.Sequence
	}
	return e.Table.KeyText(e.Item)
}

func source(e timeline.Entry) string {
	if e.Trail == nil {
		return "Stream"
	}
	return present.Join(e.Trail.Title, map[bool]string{true: "stream"}[e.Change != nil], " and ")
}
