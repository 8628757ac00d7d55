package item

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/models"
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
	changed func()             // called when entries change
	line    *timeline.Timeline // nil before the first read
	audit   []timeline.Entry
	entries []timeline.Entry // audit entries and changes from the stream, newest first
	more    bool
	err     error
	stopped bool

	loading *screen.Task // read of audit entries

	stream    *timeline.Stream // nil before the first read
	recent    timeline.Recent
	streaming *screen.Task
}

// begin starts reading the history. Unless the user asks, it skips reads that need many requests.
func (v *events) begin(byUser bool) tea.Cmd {
	e := v.facts.entity
	if e == nil || v.state == readRunning || v.state == readNone {
		return nil // A list row may lack attributes that the trails need, so read the item first.
	}
	var cmds []tea.Cmd
	if v.line == nil {
		line := timeline.New(v.env.Session.Viewer, v.env.Reading, e, v.item)
		if byUser || line.Requests() <= v.historyRequests() {
			v.line = line
			cmds = append(cmds, v.load())
		}
	}
	if byUser && !v.env.Session.Production() && v.stream == nil && v.state == readDone {
		cmds = append(cmds, v.readStream())
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

func (v *events) reset() {
	v.cancel()
	v.cancelStream()
	v.line, v.audit, v.entries, v.more, v.err, v.stopped = nil, nil, nil, false, nil, false
	v.stream, v.recent = nil, timeline.Recent{}
	v.show()
}

func (v *events) load() tea.Cmd {
	if v.line == nil || v.loading.Running() || len(v.line.Trails()) == 0 {
		return nil
	}
	v.stopped, v.err = false, nil
	line := v.line
	var cmd tea.Cmd
	v.loading, cmd = screen.Run(v.env.Context, func(ctx context.Context) func() tea.Cmd {
		entries, err := line.Next(ctx, historyPage)
		return func() tea.Cmd { return v.addEntries(entries, line.More(), err) }
	})
	return cmd
}

// cancel stops the reads. It still accepts a page that is on its way, so that the next read continues after that page.
func (v *events) cancel() bool {
	if v.cancelStream() {
		return true
	}
	if !v.loading.Running() || v.stopped {
		return false
	}
	v.loading.Stop()
	v.stopped = true
	return true
}

func (v *events) close() {
	v.cancel()
	v.cancelStream()
}

// readStream reads the table's stream, or continues with older changes, within timeline.StreamLimits.
func (v *events) readStream() tea.Cmd {
	key, ok := v.table.PrimaryKey(v.item)
	if !ok || v.facts.entity == nil || v.streaming.Running() || v.stream != nil && !v.recent.More && v.recent.Err == nil {
		return nil
	}
	if v.stream == nil {
		v.stream = timeline.NewStream(v.env.Session.Viewer, v.table, key)
	}
	of := v.stream
	var cmd tea.Cmd
	v.streaming, cmd = screen.Run(v.env.Context, func(ctx context.Context) func() tea.Cmd {
		recent := of.Read(ctx, timeline.StreamLimits)
		return func() tea.Cmd {
			v.recent = recent
			v.merge()
			return nil
		}
	})
	return cmd
}

func (v *events) cancelStream() bool {
	if !v.streaming.Running() {
		return false
	}
	v.streaming.End()
	v.stream = nil // The canceled read may still use it.
	return true
}

func (v *events) addEntries(entries []timeline.Entry, more bool, err error) tea.Cmd {
	v.more = more
	if v.line == nil {
		return v.begin(false) // The history was reset in the meantime.
	}
	v.audit = append(v.audit, entries...)
	if !v.stopped {
		v.err = err
	}
	v.merge()
	return nil
}

func (v *events) merge() {
	v.entries = v.audit
	if v.facts.entity != nil && len(v.recent.Changes) > 0 {
		v.entries = timeline.Merge(v.facts.entity, v.audit, v.recent.Changes)
	}
	v.show()
	v.changed()
}

func (v *events) show() {
	v.past = make([]timeline.Entry, len(v.entries))
	for i, e := range v.entries {
		v.past[i] = e.Shown(v.masker)
	}
}

func (v *events) older() command {
	switch {
	case v.loading.Running() || v.streaming.Running():
		return command{reason: "already reading"}
	case v.line != nil && (v.more || v.err != nil || v.stopped):
		return command{run: v.load}
	case v.facts.entity != nil && (v.stream == nil || v.recent.More || v.recent.Err != nil):
		return command{run: v.readStream}
	}
	return command{reason: "no older entries"}
}

func (v *events) busy() widget.Busy {
	b := widget.Busy{What: "reading the history", Cancel: "esc stop", Elapsed: v.loading.Elapsed, Fraction: -1}
	if n, units := v.loading.Progress.Requests(); n > 0 && !v.env.Plain() {
		b.Detail = present.CostText(n, "request", units)
	}
	if retry := v.loading.Progress.Retrying(); retry != "" {
		b.Detail = retry
	}
	return b
}

func (v *events) readPart() string {
	text := present.Plural(len(v.entries), "entry")
	switch {
	case v.stopped:
		text += ", stopped · n continue"
	case v.more:
		text += " · n load older ones"
	case v.line != nil:
		text += ", complete"
	}
	if v.line != nil && len(v.audit) > 0 && !v.env.Plain() {
		for _, t := range v.line.Trails() {
			if !t.Documented {
				text += " · the format of " + t.Title + " is not documented"
			}
		}
	}
	if v.env.Plain() {
		return text
	}
	note := v.recent.Note(v.env.Now())
	switch {
	case v.streaming.Running():
		note = "reading the stream · esc stop"
	case v.stream == nil && !v.more:
		note = "n read the stream"
	}
	return present.Join(text, models.Printable(note), " · ")
}

// nothing returns the reason why there are no entries. It returns "" if there are any or the read is incomplete.
func (v *events) nothing() string {
	switch {
	case v.facts.entity == nil:
		return "No entity matches the item, so its history cannot be found."
	case len(v.entries) > 0 || v.loading.Running() || v.err != nil || v.stopped || v.more:
		return ""
	case len(v.env.Session.Profile().TrailsOf(v.facts.entity)) == 0 || v.line != nil && len(v.line.Trails()) == 0:
		return "The schema keeps no history of " + v.facts.name + "."
	case v.line == nil:
		return "Press 2 to read the history."
	}
	return "No history is recorded for this item."
}
