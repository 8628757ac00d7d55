package workbench

import (
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/watch"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// watchEvery is the time between two reads of a watched query.
const watchEvery = 10 * time.Second

// watchSigns mark the rows of a watched query.
var watchSigns = map[watch.Kind]string{watch.Came: "+", watch.Changed: "~", watch.Left: "-"}

// watching repeats the query of a job.
type watching struct {
	j     *job
	of    *watch.Watch // nil unless the query is watched
	round watch.Round
	task  *screen.Task
}

// watchedMsg is the result of a read of a watched query.
type watchedMsg struct {
	of    *watch.Watch
	job   *job
	round watch.Round
	err   error
}

// watchDueMsg says that a watched query is to be read.
type watchDueMsg struct {
	of  *watch.Watch
	job *job
}

func (w *watching) toggle() tea.Cmd {
	if w.of != nil {
		w.end()
		return screen.Send(screen.NoticeMsg{Text: "The watch ended"})
	}
	w.of = watch.New(w.j.b.env.Reading, w.j.sent, watch.Options{AllowScan: w.j.consented})
	w.round = watch.Round{}
	return w.read()
}

func (w *watching) end() {
	w.task.End()
	w.of, w.j.rows.Signs = nil, nil
}

func (w *watching) read() tea.Cmd {
	if w.j.busy() || w.j.b.hidden || w.j.b.Box != nil || w.j.b.job != w.j {
		return w.later()
	}
	task, ctx, tick := screen.StartTask(w.j.b.ctx)
	w.task = task
	of, j, see := w.of, w.j, w.j.b.env.History.See
	return tea.Batch(tick, func() tea.Msg {
		round, err := of.Next(ctx)
		see(j.pattern.Table, round.Items)
		return watchedMsg{of, j, round, err}
	})
}

func (w *watching) later() tea.Cmd {
	of, j := w.of, w.j
	return tea.Tick(watchEvery, func(time.Time) tea.Msg { return watchDueMsg{of, j} })
}

func (w *watching) due(msg watchDueMsg) tea.Cmd {
	if msg.of != w.of {
		return nil
	}
	return w.read()
}

func (w *watching) arrived(msg watchedMsg) tea.Cmd {
	if msg.of != w.of {
		return nil
	}
	w.task.End()
	switch {
	case errors.Is(msg.err, watch.ErrSpent):
		w.end()
		return screen.Send(screen.NoticeMsg{Text: "The watch ended: " + w.round.Budget() + ". Press w to watch with another budget."})
	case msg.err != nil:
		w.end()
		return screen.Send(screen.NoticeMsg{Text: "The watch ended: " + msg.err.Error(), Bad: true})
	case w.j.busy():
		return w.later() // The user reads on.
	}
	w.round = msg.round
	j, r := w.j, msg.round
	j.sums = sums{pages: 1, requests: r.Reads, capacity: r.Spent, at: j.b.env.Session.Now()}
	j.run, j.more, j.err, j.ran, j.count = nil, false, nil, true, r.Count
	if !j.gridded() {
		return w.later()
	}
	signs, items := map[string]string{}, r.Items
	for _, c := range r.Changes {
		signs[c.Key] = watchSigns[c.Kind]
		if c.Kind == watch.Left {
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
	return tea.Batch(lost, j.rows.Added(false), w.later())
}

func (w *watching) title() string {
	if w.of == nil {
		return ""
	}
	n := map[watch.Kind]int{}
	for _, c := range w.round.Changes {
		n[c.Kind]++
	}
	text := fmt.Sprintf("watching every %s · +%d ~%d -%d · %s", present.Span(watchEvery), n[watch.Came], n[watch.Changed], n[watch.Left],
		w.round.Budget())
	if w.round.More {
		text += fmt.Sprintf(" · first %s", present.Plural(len(w.round.Items), "item"))
	}
	counts := w.round.Counts
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
