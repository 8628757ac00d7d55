package workbench

import (
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// watchEvery is the time between two reads of a watched query.
const watchEvery = 10 * time.Second

// watchSigns mark the rows of a watched query.
var watchSigns = map[reading.RowKind]string{reading.Came: "+", reading.Changed: "~", reading.Left: "-"}

// watching is the state of a query that is repeated.
type watching struct {
	of    *reading.Watch // nil unless the query is watched
	round reading.Round
	task  *screen.Task
}

// watchedMsg is the result of a read of a watched query.
type watchedMsg struct {
	of    *reading.Watch
	job   *job
	round reading.Round
	err   error
}

// watchDueMsg says that a watched query is to be read.
type watchDueMsg struct {
	of  *reading.Watch
	job *job
}

func (j *job) toggleWatch() tea.Cmd {
	if j.watch.of != nil {
		j.endWatch()
		return screen.Send(screen.NoticeMsg{Text: "The watch ended"})
	}
	j.watch.of = reading.NewWatch(j.b.env.Reading, j.sent, reading.WatchOptions{AllowScan: j.consented})
	j.watch.round = reading.Round{}
	return j.readWatched()
}

func (j *job) endWatch() {
	j.watch.task.End()
	j.watch.of, j.rows.Signs = nil, nil
}

func (j *job) readWatched() tea.Cmd {
	if j.busy() || j.b.hidden || j.b.Box != nil || j.b.job != j {
		return j.watchLater()
	}
	task, ctx, tick := screen.StartTask(j.b.ctx)
	j.watch.task = task
	of, see := j.watch.of, j.b.env.History.See
	return tea.Batch(tick, func() tea.Msg {
		round, err := of.Next(ctx)
		see(j.pattern.Table, round.Items)
		return watchedMsg{of, j, round, err}
	})
}

func (j *job) watchLater() tea.Cmd {
	of := j.watch.of
	return tea.Tick(watchEvery, func(time.Time) tea.Msg { return watchDueMsg{of, j} })
}

func (j *job) watchDue(msg watchDueMsg) tea.Cmd {
	if msg.of != j.watch.of {
		return nil
	}
	return j.readWatched()
}

func (j *job) watchArrived(msg watchedMsg) tea.Cmd {
	if msg.of != j.watch.of {
		return nil
	}
	j.watch.task.End()
	switch {
	case errors.Is(msg.err, reading.ErrSpent):
		j.endWatch()
		return screen.Send(screen.NoticeMsg{Text: "The watch ended: " + j.watch.round.Budget() + ". Press w to watch with another budget."})
	case msg.err != nil:
		j.endWatch()
		return screen.Send(screen.NoticeMsg{Text: "The watch ended: " + msg.err.Error(), Bad: true})
	case j.busy():
		return j.watchLater() // The user reads on.
	}
	j.watch.round = msg.round
	r := msg.round
	j.sums = sums{pages: 1, requests: r.Reads, capacity: r.Spent, at: j.b.env.Session.Now()}
	j.run, j.more, j.err, j.ran, j.count = nil, false, nil, true, r.Count
	if !j.gridded() {
		return j.watchLater()
	}
	signs, items := map[string]string{}, r.Items
	for _, c := range r.Changes {
		signs[c.Key] = watchSigns[c.Kind]
		if c.Kind == reading.Left {
			items = append(items[:len(items):len(items)], c.Item)
		}
	}
	j.rows.KeepCursor(j.rows.Grid.Cursor())
	lost := j.rows.Clear()
	j.rows.Signs = signs
	j.rows.Add(items)
	if j == j.b.job {
		j.b.arrange()
	}
	return tea.Batch(lost, j.rows.Added(false), j.watchLater())
}

func (j *job) watchTitle() string {
	if j.watch.of == nil {
		return ""
	}
	n := map[reading.RowKind]int{}
	for _, c := range j.watch.round.Changes {
		n[c.Kind]++
	}
	text := fmt.Sprintf("watching every %s · +%d ~%d -%d · %s", present.Span(watchEvery), n[reading.Came], n[reading.Changed], n[reading.Left],
		j.watch.round.Budget())
	if j.watch.round.More {
		text += fmt.Sprintf(" · first %s", present.Plural(len(j.watch.round.Items), "item"))
	}
	counts := j.watch.round.Counts
	return present.Join(text, models.Printable(widget.Sparkline(counts[max(len(counts)-sparkCells, 0):])), " · ")
}

// sparkCells is the width of the chart of the counts.
const sparkCells = 12

// An attention knows whether the workbench is in view: a watched query rests while it is not.
type attention struct{ hidden bool }

// Watch says whether the workbench is in view.
func (a *attention) Watch(on bool) tea.Cmd {
	a.hidden = !on
	return nil
}
