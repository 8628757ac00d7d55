package workbench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A job is a pattern with its parameters and its results. The workbench keeps the jobs of all selected patterns, so
// that their rows are still there when the user returns.
//
// The form creates the request in input.requestLine. sent is the request of the last run. Both are the same value until
// a parameter changes or relative times are bound again.
type job struct {
	b       *Workbench
	pattern *accesspatterns.Pattern

	// These fields describe the run: the request and the current position.
	run       *reading.Run
	sent      *accesspatterns.Request // request of the last run; nil before the first run
	sentLine  present.RequestLine     // sent as text
	consented bool                    // the user agreed to the scan
	task      *screen.Task            // last load
	readsAll  bool                    // the task reads all pages

	// These fields contain the result and its cost.
	rows              *results.Table
	hasPage           bool // a page has arrived
	openFirst         bool // enter was pressed before the first row arrived: open that row
	hasMore           bool // there are more pages
	err               error
	warnings          []string
	count             int // result of a count pattern
	totals            runTotals
	input             requestForm
	concurrentChanges []screen.CommittedChange // changes during the read
	watch             watchState
}

// runTotals contains the totals of a run.
type runTotals struct {
	pages, scanned, requests int
	capacity                 float64 // RCU
	took                     time.Duration
	at                       time.Time // time of the last page
}

// newJob masks args from an item or a bookmark, unless the role may see them.
func newJob(b *Workbench, p *accesspatterns.Pattern, args map[string]string) *job {
	j := &job{b: b, pattern: p, rows: results.NewTable(b.env, p)}
	j.input = requestForm{given: map[string]bool{}, masker: b.env.Session.Masker()}
	for name := range args {
		j.input.given[name] = true
	}
	j.input.hidden = b.env.Session.HiddenParams(p, j.input.given)
	if p.CustomQuery != nil {
		j.input.customArgs = args
	}
	j.input.form = widget.NewForm(b.env.Styles, j.formFields()...)
	j.input.form.SetFocused(false)
	j.input.form.SetValues(args)
	j.rows.LoadLayout()
	j.rows.Grid.SetColumns(j.rows.Columns()...)
	j.updateLine()
	return j
}

func (j *job) checkMasker() {
	masker := j.b.env.Session.Masker()
	if masker == j.input.masker {
		return
	}
	j.input.masker = masker
	j.input.hidden = j.b.env.Session.HiddenParams(j.pattern, j.input.given)
	for _, f := range j.formFields() {
		j.input.form.SetField(f)
	}
	j.updateLine()
	if j.sent != nil {
		j.sentLine = present.DescribeBoundRequest(j.b.env, j.sent, j.input.hidden)
	}
}

func (j *job) isBusy() bool { return j.task.Running() && !j.task.Stopped }

func (j *job) isStopped() bool { return j.task != nil && j.task.Stopped }

func (j *job) hasGrid() bool {
	return j.pattern.IsRead() && j.pattern.Read.Operation != accesspatterns.Count && j.sent != nil &&
		(j.err == nil || j.rows.Items.Len() > 0)
}

func (j *job) args() map[string]string {
	if j.pattern.CustomQuery != nil {
		return maps.Clone(j.input.customArgs)
	}
	args := j.input.form.Values()
	for name, text := range args {
		if q := j.pattern.Param(name); text == "" || q != nil && text == q.Default {
			delete(args, name)
		}
	}
	return args
}

// updateLine binds the request again only if a parameter changed, so that a run sends the request on the screen.
func (j *job) updateLine() {
	if r := j.input.requestLine.Request; r != nil && maps.Equal(r.Given, j.args()) {
		j.input.requestLine = present.DescribeBoundRequest(j.b.env, r, j.input.hidden)
		return
	}
	j.bindRequest()
}

func (j *job) bindRequest() {
	if j.pattern.IsRead() {
		j.input.requestLine = present.DescribeRequest(j.b.env, j.pattern, j.args(), j.input.hidden)
	}
}

func (j *job) request() (*accesspatterns.Request, error) {
	switch {
	case !j.pattern.IsRead():
		return nil, fmt.Errorf("%s is a write pattern; run an action instead", j.pattern.FullID())
	case j.run != nil && j.input.requestLine.Request == j.sent:
		return j.run.Request(), nil
	}
	return j.input.requestLine.Request, j.input.requestLine.Err
}

func (j *job) formFields() []widget.FormField {
	if j.pattern.CustomQuery != nil {
		return nil // The form is in the query dialog.
	}
	return present.Form{Table: j.pattern.Table, Hidden: j.input.hidden}.Fields(j.b.env, j.pattern.Params...)
}

func (j *job) paste(msg tea.PasteMsg) tea.Cmd {
	p := j.b.env.Session.Profile()
	args, entity := accesspatterns.Pasted(j.pattern, p.Patterns, p.Entities, msg.Content)
	maps.DeleteFunc(args, func(_, v string) bool { return models.LooksMasked(v) || v == strings.TrimSpace(msg.Content) })
	if len(args) == 0 {
		cmd, used := j.input.form.Update(msg)
		j.updateLine()
		if entity != nil && used {
			text := "This key of " + present.EntityName(entity) + " does not match any parameter; press ctrl+p and paste it to decode it"
			return tea.Batch(cmd, screen.Send(screen.NoticeMsg{Text: text}))
		}
		return cmd
	}
	j.input.form.SetValues(args)
	j.updateLine()
	var names []string
	for _, q := range j.pattern.Params {
		if _, ok := args[q.Name]; ok {
			names = append(names, present.ParamLabel(j.b.env.Plain(), q))
		}
	}
	return screen.Send(screen.NoticeMsg{Text: "From the key of " + present.EntityName(entity) + ": " + strings.Join(names, ", ")})
}

func (j *job) writeAction() *change.Action {
	if j.pattern.IsRead() {
		return nil
	}
	return j.b.env.Session.Profile().Action(j.pattern.ID)
}

func (j *job) cannotWrite() string {
	a := j.writeAction()
	if a == nil {
		return "write patterns cannot be run; there is no action for this one"
	}
	if err := j.b.env.Session.CanPlan(a); err != nil {
		return err.Error()
	}
	return ""
}

// planWrite is available to every role, because planning does not change anything.
func (j *job) planWrite() tea.Cmd {
	if reason := j.cannotWrite(); reason != "" {
		return screen.Send(screen.NoticeMsg{Text: reason})
	}
	return j.b.Plan(j.writeAction())
}

func (j *job) obstacle() *tables.Obstacle {
	switch a := j.writeAction(); {
	case a != nil:
		return j.b.env.Tables.ObstacleToChange(a)
	case !j.pattern.IsRead():
		return nil
	}
	return j.b.env.Tables.ObstacleTo(j.pattern, j.input.requestLine.Read)
}

// A requestForm is the form of a pattern, with its masked parameters and its request.
type requestForm struct {
	form        *widget.Form
	customArgs  map[string]string             // parameters of a custom query; nil for a pattern
	given       map[string]bool               // parameters from an item or a bookmark
	masker      *models.Masker                // masker that determined hidden
	hidden      map[string]models.Sensitivity // masked parameters
	requestLine present.RequestLine           // request of the form
}

// watchInterval is the time between two reads of a watched query.
const watchInterval = 10 * time.Second

// watchSigns contains the signs for the rows of a watched query.
var watchSigns = map[reading.RowKind]string{reading.Added: "+", reading.Changed: "~", reading.Removed: "-"}

// watchState is the state of a watched query.
type watchState struct {
	current *reading.Watch // nil unless the user watches the query
	round   reading.WatchRound
	task    *screen.Task // read, or the pause before the next read
}

func (j *job) toggleWatch() tea.Cmd {
	if j.watch.current != nil {
		j.endWatch()
		return screen.Send(screen.NoticeMsg{Text: "The watch ended"})
	}
	j.watch.current = reading.NewWatch(j.b.env.Reading, j.sent, reading.WatchOptions{AllowScan: j.consented})
	j.watch.round = reading.WatchRound{}
	return j.readWatch()
}

func (j *job) endWatch() {
	j.watch.task.End()
	j.watch.current = nil
}

func (j *job) readWatch() tea.Cmd {
	if j.isBusy() || j.b.hidden || j.b.Box != nil || j.b.job != j {
		return j.scheduleWatch()
	}
	watch, recordItems := j.watch.current, j.b.env.History.RecordItems
	var cmd tea.Cmd
	j.watch.task, cmd = screen.Run(j.b.ctx, func(ctx context.Context) func() tea.Cmd {
		round, err := watch.Next(ctx)
		recordItems(j.pattern.Table, round.Items)
		return func() tea.Cmd { return j.showRound(round, err) }
	})
	return cmd
}

func (j *job) scheduleWatch() (cmd tea.Cmd) {
	j.watch.task, cmd = screen.After(watchInterval, j.readWatch)
	return cmd
}

func (j *job) showRound(r reading.WatchRound, err error) tea.Cmd {
	switch {
	case errors.Is(err, reading.ErrBudgetSpent):
		j.endWatch()
		return screen.Send(screen.NoticeMsg{Text: "The watch ended: " + j.watch.round.Budget() + ". Press o W to watch again."})
	case err != nil:
		j.endWatch()
		return screen.Send(screen.NoticeMsg{Text: "The watch ended: " + err.Error(), Bad: true})
	case j.isBusy():
		return j.scheduleWatch() // The user is reading further pages.
	}
	j.watch.round = r
	j.totals = runTotals{pages: 1, requests: r.Reads, capacity: r.Spent, at: j.b.env.Session.Now()}
	j.run, j.hasMore, j.err, j.hasPage, j.count = r.Run, r.More, nil, true, r.Count
	if !j.hasGrid() {
		return j.scheduleWatch()
	}
	signs, items := map[string]string{}, r.Items
	for _, c := range r.Changes {
		signs[c.Key] = watchSigns[c.Kind]
		if c.Kind == reading.Removed {
			items = append(slices.Clip(items), c.Item)
		}
	}
	j.rows.KeepCursor(j.rows.Grid.Cursor())
	lost := j.rows.Clear()
	j.rows.Signs = signs
	j.rows.Add(items)
	for at := len(r.Items); at < len(items); at++ {
		j.rows.Removed.Set(at, true)
	}
	if j == j.b.job {
		j.b.arrange()
	}
	return tea.Batch(lost, j.rows.ArrangeAdded(false), j.scheduleWatch())
}

func (j *job) watchTitle() string {
	if j.watch.current == nil {
		return ""
	}
	changeCounts := map[reading.RowKind]int{}
	for _, c := range j.watch.round.Changes {
		changeCounts[c.Kind]++
	}
	text := fmt.Sprintf("watching every %s · +%d ~%d -%d · %s", present.RoundDuration(watchInterval), changeCounts[reading.Added],
		changeCounts[reading.Changed], changeCounts[reading.Removed],
		j.watch.round.Budget())
	if j.watch.round.More {
		text += fmt.Sprintf(" · first %s", present.Plural(len(j.watch.round.Items), "item"))
	}
	counts := j.watch.round.Counts
	return present.Join(text, models.Printable(widget.Sparkline(counts[max(len(counts)-sparkCells, 0):])), " · ")
}

// sparkCells is the width of the chart of counts in cells.
const sparkCells = 12
