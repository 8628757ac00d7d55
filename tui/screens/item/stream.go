package item

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

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
