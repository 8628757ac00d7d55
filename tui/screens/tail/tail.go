// Package tail is the screen that lists the changes of a schema's items as they happen.
package tail

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/tail"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

const (
	// readEvery is the time between two reads of a stream that has nothing new.
	readEvery = time.Second
	// begin is how far back the list begins.
	begin = time.Hour
	// kept is how many events are listed.
	kept = 1000
)

// tailScreen lists events, the newest first.
type tailScreen struct {
	screen.Base
	overlay.Host
	env      *screen.Env
	ctx      context.Context // ends with the screen
	end      context.CancelFunc
	reads    context.Context   // of the reads since the screen came into view, nil while it reads nothing
	recorded func(error) error // ends their entry in the journal

	tail    *tail.Tail
	err     error  // why nothing is read
	notes   string // tables without a stream, or with lost changes
	ready   bool   // the streams were read once
	hidden  bool
	waiting bool          // a read is under way or due
	events  []*tail.Event // the newest first
	paused  bool
	held    []*tail.Event // that came while the list was paused

	list    *widget.List
	top     string // ID of the newest event in the list
	actions widget.Actions
	w, h    int
}

// eventsMsg is what a read returned.
type eventsMsg struct {
	of    *tailScreen
	tail  *tail.Tail
	batch tail.Batch
	err   error
}

// dueMsg starts the next read.
type dueMsg struct{ of *tailScreen }

// New returns the screen of the changes of the last hour and those to come.
func New(env *screen.Env, _ screen.Tail) screen.Screen {
	s := &tailScreen{env: env, list: widget.NewList(env.Styles), Base: screen.Base{
		Name: "Changes", Kind: "tail", About: screen.Guide{
			Purpose: "The changes of items as they happen: entity, key, transition, who made the change, and what differs.",
			First:   "press space to pause, enter to open the item, and / to filter.",
			Signs: []screen.Sign{
				{Glyph: "+", Means: "created"}, {Glyph: "~", Means: "changed"}, {Glyph: "-", Means: "deleted, also by time to live"},
			},
		},
	}}
	s.list.SetPlaceholder("filter by entity, key, state or user")
	s.list.SetFocused(true)
	s.Panes = func() widget.Panes {
		return widget.Panes{{Rect: widget.Rect{W: s.w, H: s.h}, Framed: true, Content: s.list, Open: s.openSelected}}
	}
	s.actions = env.Keys.Rebind("tail", s.makeActions())
	s.ctx, s.end = context.WithCancel(env.Context)
	s.fill()
	return s
}

// Scope describes the keys of the screen.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "tail", Title: "Changes", Does: "The changes of items as they happen.",
		Actions: (&tailScreen{}).makeActions(), Pieces: screen.ListKeys(),
	}
}

func (s *tailScreen) makeActions() widget.Actions {
	return widget.Actions{
		widget.NewAction("open", "enter", "open", "open the item as it is now", s.cannotOpen, s.open),
		widget.NewAction("pause", "space", "pause", "pause the list, or continue with the changes that came meanwhile", nil, s.pause),
		widget.NewAction("copy", "y", "copy", "copy the change as text", s.noEvent, s.copy),
		widget.NewAction("retry", "r", "retry", "read the streams again after an error", s.noError, s.retry),
	}
}

// Actions returns the keys of the screen.
func (s *tailScreen) Actions() widget.Actions { return s.actions }

// Hints returns the keys of the bottom line.
func (s *tailScreen) Hints() widget.Actions {
	return append(s.actions[:len(s.actions):len(s.actions)], widget.NewAction("find", "/", "filter", "", nil, nil))
}

func (s *tailScreen) noEvent() string {
	if s.selected() == nil {
		return "no change is selected"
	}
	return ""
}

func (s *tailScreen) cannotOpen() string {
	e := s.selected()
	if e != nil && (e.Event == timeline.Deleted || e.Event == timeline.Expired) {
		return "the item was deleted"
	}
	return s.noEvent()
}

func (s *tailScreen) open() tea.Cmd {
	e := s.selected()
	return screen.Open(screen.Item{Table: e.Table, Item: e.Item()})
}

// openSelected opens the item of a change, if there is one.
func (s *tailScreen) openSelected() tea.Cmd {
	if s.cannotOpen() != "" {
		return nil
	}
	return s.open()
}

func (s *tailScreen) copy() tea.Cmd {
	return screen.Send(screen.CopyMsg{Text: models.Printable(tail.Line(s.selected(), s.env.Session.Masker())), What: "the change"})
}

// pause stops the list, or continues with what came meanwhile.
func (s *tailScreen) pause() tea.Cmd {
	s.paused = !s.paused
	if !s.paused {
		s.add(s.held)
		s.held = nil
	}
	return nil
}

// Init finds the streams and reads them.
func (s *tailScreen) Init() tea.Cmd { return s.read() }

// Close ends the reads.
func (s *tailScreen) Close() {
	s.end()
	if s.reads != nil {
		// The console ends, or a read was under way: the next change of the session reports a journal that cannot be written.
		_ = s.recorded(nil)
	}
}

// Watch stops reading while another screen is in view; the streams keep what happens.
func (s *tailScreen) Watch(on bool) tea.Cmd {
	switch s.hidden = !on; {
	case s.waiting:
		return nil
	case s.hidden:
		return s.record()
	case s.err != nil:
		return nil
	}
	return s.read()
}

// record ends the journal's entry of the reads so far, and reports a journal that cannot be written.
func (s *tailScreen) record() tea.Cmd {
	if s.reads == nil {
		return nil
	}
	s.reads = nil
	if err := s.recorded(nil); err != nil {
		return screen.Send(screen.NoticeMsg{Text: err.Error(), Bad: true})
	}
	return nil
}

// retry reads the streams again after an error. What happened meanwhile is listed.
func (s *tailScreen) retry() tea.Cmd {
	s.err = nil
	s.fill()
	return s.read()
}

func (s *tailScreen) noError() string {
	if s.err == nil {
		return "changes are read as they happen"
	}
	return ""
}

// read reads what is new in the streams.
func (s *tailScreen) read() tea.Cmd {
	s.waiting = true
	if s.reads == nil {
		s.reads, s.recorded = s.env.Session.Look(s.ctx, &session.Lookup{Subject: "tail " + s.env.Session.Profile().Name})
	}
	of, ctx, viewer := s.tail, s.reads, s.env.Session.Viewer
	return func() tea.Msg {
		if of == nil {
			var err error
			if of, err = tail.New(ctx, viewer, tail.Options{Since: viewer.Now().Add(-begin)}); err != nil {
				return eventsMsg{of: s, err: err}
			}
		}
		b, err := of.Next(ctx)
		return eventsMsg{s, of, b, err}
	}
}

// arrived lists what was read, and reads again.
func (s *tailScreen) arrived(msg eventsMsg) tea.Cmd {
	s.waiting = false
	if s.tail = msg.tail; msg.err != nil {
		s.err = msg.err
		s.fill()
		return s.record()
	}
	s.ready, s.notes = true, ""
	if n := len(s.tail.Off); n > 0 {
		s.notes = present.Plural(n, "table") + " without a stream"
	}
	for _, t := range msg.batch.Trimmed {
		s.notes = present.Join(s.notes, "changes of "+models.Printable(t.Name)+" are missing: older than 24 hours", " · ")
	}
	if s.paused {
		s.held = append(s.held, msg.batch.Events...)
	} else {
		s.add(msg.batch.Events)
	}
	if s.hidden {
		return s.record()
	}
	s.waiting = true
	if msg.batch.More {
		return s.read()
	}
	return tea.Tick(readEvery, func(time.Time) tea.Msg { return dueMsg{s} })
}

// add lists events, which are the oldest first.
func (s *tailScreen) add(events []*tail.Event) {
	for _, e := range events {
		s.events = slices.Insert(s.events, 0, e)
	}
	s.events = s.events[:min(len(s.events), kept)]
	s.fill()
}

// signs are the glyphs of events.
var signs = map[timeline.Kind]string{timeline.Created: "+", timeline.Changed: "~", timeline.Deleted: "-", timeline.Expired: "-"}

// fill makes the lines of the list. The cursor stays at its event, or at the newest one.
func (s *tailScreen) fill() {
	at, had := s.list.Selected()
	newest := !had || at.ID == s.top
	items := make([]widget.ListItem, len(s.events))
	for i, e := range s.events {
		items[i] = s.line(e)
	}
	switch {
	case s.err != nil:
		s.list.SetEmpty("Changes cannot be read")
	case !s.ready:
		s.list.SetEmpty("Reading the streams …")
	default:
		s.list.SetEmpty("No change in the last hour. Changes appear here as they happen.")
	}
	s.list.SetItems(items)
	switch {
	case len(items) == 0:
		return
	case newest:
		s.list.Select(items[0].ID)
	default:
		s.list.Select(at.ID)
	}
	s.top = items[0].ID
}

func idOf(e *tail.Event) string { return e.Table.ID + " " + e.Sequence }

// line is an event in the list.
func (s *tailScreen) line(e *tail.Event) widget.ListItem {
	m := s.env.Session.Masker()
	key, changes := e.Shown(m)
	entity := "–"
	if e.Entity != nil {
		entity = e.Entity.Name
	}
	title := fmt.Sprintf("%s %-16s %s  %s", signs[e.Event], entity, tail.Sentence(e, changes), e.Table.KeyText(key))
	it := widget.ListItem{ID: idOf(e), Lead: e.At.UTC().Format("15:04:05"), Title: models.Printable(title), BadgeRole: widget.RoleMuted}
	if entry, ok := e.ShownEntry(m); ok {
		it.Badge = models.Printable(entry.Who)
	}
	return it
}

func (s *tailScreen) selected() *tail.Event {
	if s.list == nil {
		return nil
	}
	it, ok := s.list.Selected()
	for _, e := range s.events {
		if ok && idOf(e) == it.ID {
			return e
		}
	}
	return nil
}
