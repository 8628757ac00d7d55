package item

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/asof"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// An itemStream is what the timeline has from the stream of the table, and the look at an item as it was. It reads when the
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

// asOfMsg brings the item as it was.
type asOfMsg struct {
	screen *itemScreen
	req    uint64
	past   timeline.Past
	err    error
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

func (p *itemStream) ask() tea.Cmd {
	s := p.t.s
	now := s.env.Now()
	q := overlay.NewCalmQuestion("Compare with an earlier state", "", "Compare", nil,
		"Compares the current item with its state at this time, from the stream and the journal on this machine.")
	q.Ask(s.env.Styles, widget.FormField{
		Name: "time", Label: "Time (UTC)", Required: true, Placeholder: "14:05, now-2h, 2026-01-14T10:00:00Z", Width: 36,
		Note: func(text string) string {
			at, err := asof.ParseTime(text, now)
			if err != nil {
				return ""
			}
			return at.UTC().Format("2006-01-02 15:04:05")
		},
	}, func(text string) string {
		switch at, err := asof.ParseTime(text, now); {
		case text == "":
			return "enter a time"
		case err != nil:
			return err.Error()
		case at.After(now):
			return "the time is in the future"
		}
		return ""
	})
	q.Yes = func() tea.Cmd {
		at, _ := asof.ParseTime(q.Value(), now) // the dialog allows valid times only
		return p.look(at)
	}
	s.Box = q
	return nil
}

func (p *itemStream) look(at time.Time) tea.Cmd {
	s := p.t.s
	key, ok := s.table.PrimaryKey(s.item)
	if !ok {
		return screen.Send(screen.NoticeMsg{Text: "the primary key of the item is incomplete"})
	}
	ctx, req := p.begin("reading the earlier state")
	h := timeline.Historian{Viewer: s.env.Session.Viewer, Reading: s.env.Reading, Journal: s.env.Journal}
	return func() tea.Msg {
		past, err := h.AsOf(ctx, s.table, key, at, timeline.StreamLimits)
		return asOfMsg{s, req, past, err}
	}
}

func (p *itemStream) looked(msg asOfMsg) tea.Cmd {
	if msg.screen != p.t.s || msg.req != p.req || p.what == "" {
		return nil
	}
	p.abort()
	p.what = ""
	past := msg.past
	at := past.At.UTC().Format("2006-01-02 15:04:05")
	var unknown *asof.Unknown
	switch {
	case errors.As(msg.err, &unknown):
		return p.say("Earlier state unknown", unknown.Error()+".", past.Note)
	case msg.err != nil:
		return screen.Send(screen.NoticeMsg{Text: msg.err.Error(), Bad: true})
	case past.Item == nil:
		return p.say("No item", "The item did not exist at "+at+" UTC.", past.Note)
	}
	was := "as of " + at + " · " + string(past.Source)
	if past.Partial {
		was += ", known attributes only"
	}
	to := screen.Compare{Table: past.Table, Item: past.Now, As: "as it is", Was: past.Item, WasAs: was}
	if past.Now == nil {
		to.Item, to.As = models.Item{}, "deleted"
	}
	return screen.Open(to)
}

func (p *itemStream) say(title string, text ...string) tea.Cmd {
	q := overlay.NewCalmQuestion(title, "", "", nil, text...)
	q.Dialog.Buttons = []widget.Button{{Name: "cancel", Label: "Close"}}
	p.t.s.Box = q
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
