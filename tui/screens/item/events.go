package item

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// historyPage is the number of entries to read at a time.
const historyPage = 50

// previewRequests is the maximum number of automatic requests for the last entries. A trail without an index needs one
// request for each day of the item's life.
const previewRequests = 40

// productionRequests is the same maximum on production, where a day of audit entries can be large.
const productionRequests = 8

// events reads the item's history: its audit entries page by page, and the changes in its table's stream.
type events struct {
	*itemData
	onChange func()             // called when entries change
	history  *timeline.Timeline // nil before the first read
	audit    []timeline.Entry
	entries  []timeline.Entry // audit entries and changes from the stream, newest first
	more     bool
	err      error
	stopped  bool

	loading *screen.Task // read of audit entries

	stream    *timeline.Stream // nil before the first read
	recent    timeline.Recent
	streaming *screen.Task
}

// begin starts reading the history. Unless the user asks, it skips reads that need many requests.
func (ev *events) begin(byUser bool) tea.Cmd {
	e := ev.facts.entity
	if e == nil || ev.state == readRunning || ev.state == readNone {
		return nil // A list row may lack attributes that the trails need, so read the item first.
	}
	var cmds []tea.Cmd
	if ev.history == nil {
		history := timeline.New(ev.env.Session.Viewer, ev.env.Reading, e, ev.item)
		if byUser || history.Requests() <= ev.historyRequests() {
			ev.history = history
			cmds = append(cmds, ev.load())
		}
	}
	if byUser && !ev.env.Session.Production() && ev.stream == nil && ev.state == readDone {
		cmds = append(cmds, ev.readStream())
	}
	return tea.Batch(cmds...)
}

// historyRequests returns the maximum number of requests to send for the last entries without the user's request.
func (s *itemData) historyRequests() int {
	if s.env.Session.Production() {
		return productionRequests
	}
	return previewRequests
}

func (ev *events) reset() {
	ev.loading.End()
	ev.cancelStream()
	ev.history, ev.audit, ev.entries, ev.more, ev.err, ev.stopped = nil, nil, nil, false, nil, false
	ev.stream, ev.recent = nil, timeline.Recent{}
	ev.show()
}

func (ev *events) load() tea.Cmd {
	if ev.history == nil || ev.loading.Running() || len(ev.history.Trails()) == 0 {
		return nil
	}
	ev.stopped, ev.err = false, nil
	history := ev.history
	var cmd tea.Cmd
	ev.loading, cmd = screen.Run(ev.env.Context, func(ctx context.Context) func() tea.Cmd {
		entries, err := history.Next(ctx, historyPage)
		return func() tea.Cmd { return ev.addEntries(entries, history.More(), err) }
	})
	return cmd
}

// cancel stops the reads. It still accepts a page that is on its way, so that the next read continues after that page.
func (ev *events) cancel() bool {
	if ev.cancelStream() {
		return true
	}
	if !ev.loading.Running() || ev.stopped {
		return false
	}
	ev.loading.Stop()
	ev.stopped = true
	return true
}

func (ev *events) close() {
	ev.loading.End()
	ev.cancelStream()
}

// readStream reads the table's stream, or continues with older changes, within timeline.StreamLimits.
func (ev *events) readStream() tea.Cmd {
	key, ok := ev.table.PrimaryKey(ev.item)
	if !ok || ev.facts.entity == nil || ev.streaming.Running() || ev.stream != nil && !ev.recent.More && ev.recent.Err == nil {
		return nil
	}
	if ev.stream == nil {
		ev.stream = timeline.NewStream(ev.env.Session.Viewer, ev.table, key)
	}
	stream := ev.stream
	var cmd tea.Cmd
	ev.streaming, cmd = screen.Run(ev.env.Context, func(ctx context.Context) func() tea.Cmd {
		recent := stream.Read(ctx, timeline.StreamLimits)
		return func() tea.Cmd {
			ev.recent = recent
			ev.merge()
			return nil
		}
	})
	return cmd
}

func (ev *events) cancelStream() bool {
	if !ev.streaming.Running() {
		return false
	}
	ev.streaming.End()
	ev.stream = nil // The canceled read may still use it.
	return true
}

func (ev *events) addEntries(entries []timeline.Entry, more bool, err error) tea.Cmd {
	ev.more = more
	ev.audit = append(ev.audit, entries...)
	if !ev.stopped {
		ev.err = err
	}
	ev.merge()
	return nil
}

func (ev *events) merge() {
	ev.entries = ev.audit
	if ev.facts.entity != nil && len(ev.recent.Changes) > 0 {
		ev.entries = timeline.Merge(ev.facts.entity, ev.audit, ev.recent.Changes)
	}
	ev.show()
	ev.onChange()
}

func (ev *events) show() {
	ev.pastEntries = make([]timeline.Entry, len(ev.entries))
	for i, e := range ev.entries {
		ev.pastEntries[i] = e.Shown(ev.masker)
	}
}

func (ev *events) loadOlder() command {
	switch {
	case ev.loading.Running() || ev.streaming.Running():
		return command{reason: "already reading"}
	case ev.history != nil && (ev.more || ev.err != nil || ev.stopped):
		return command{run: ev.load}
	case ev.facts.entity != nil && (ev.stream == nil || ev.recent.More || ev.recent.Err != nil):
		return command{run: ev.readStream}
	}
	return command{reason: "no older entries"}
}

func (ev *events) busy() widget.BusyIndicator {
	b := widget.BusyIndicator{What: "reading the history", Cancel: "esc stop", Elapsed: ev.loading.Elapsed, Fraction: -1}
	if n, units := ev.loading.Progress.Requests(); n > 0 && !ev.env.Plain() {
		b.Detail = present.CostText(n, "request", units)
	}
	if retry := ev.loading.Progress.Retrying(); retry != "" {
		b.Detail = retry
	}
	return b
}

func (ev *events) progressText() string {
	text := present.Plural(len(ev.entries), "entry")
	switch {
	case ev.stopped:
		text += ", stopped · n continue"
	case ev.more || ev.recent.More && ev.recent.Err == nil:
		text += " · n load older entries"
	case ev.history != nil:
		text += ", complete"
	}
	switch {
	case ev.env.Plain():
	case ev.streaming.Running():
		text += " · reading the stream · esc stop"
	case ev.recent.Failed():
		text += " · " + models.Printable(ev.recent.Note(ev.env.Now()))
	}
	return text
}

func (t *historyTab) explanation() *overlay.Sheet {
	note := "Press n to read the changes of the last 24 hours in the table's stream."
	if t.stream != nil {
		note = models.Printable(t.recent.Note(t.env.Now()))
	}
	sheet := overlay.NewSheet(t.env.Styles, "History sources", func(st *widget.Styles, w int) []string {
		return widget.Wrap(st, widget.RoleText, note, w)
	})
	sheet.Key = "x"
	return sheet
}

// emptyReason returns the reason why there are no entries. It returns "" if there are any or the read is incomplete.
func (ev *events) emptyReason() string {
	switch {
	case ev.facts.entity == nil:
		return "No entity matches the item, so its history cannot be found."
	case len(ev.entries) > 0 || ev.loading.Running() || ev.err != nil || ev.stopped || ev.more:
		return ""
	case len(ev.env.Session.Profile().TrailsOf(ev.facts.entity)) == 0 || ev.history != nil && len(ev.history.Trails()) == 0:
		return "The schema keeps no history of " + ev.facts.name + "."
	case ev.history == nil:
		return "Press 2 to read the history."
	}
	return "No history is recorded for this item."
}
