// Package workbench contains the screen that shows the patterns, their forms and their results.
package workbench

import (
	"cmp"
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/planner"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A pane is a part of the workbench that can have the focus.
type pane uint8

// These are the panes in the order of the tab key.
const (
	panePatterns pane = iota
	paneForm
	paneRows
)

// A Workbench runs the patterns of one schema. The left side lists the patterns; the right side shows the form, the
// request and the rows of the selected pattern.
type Workbench struct {
	overlay.Host
	env    *screen.Env
	ctx    context.Context // ends when the screen closes
	end    context.CancelFunc
	hidden bool // a watched query then pauses

	list *widget.List
	// listings contains the scans among the patterns: those that the schema needs, and those that the user opened.
	listings []*accesspatterns.Pattern

	description *widget.Pager // description of the pattern, shown until it has rows
	filter      rowFilter
	jobs        map[*accesspatterns.Pattern]*job // parameters and results so far
	job         *job                             // job of the selected pattern; nil without patterns

	tablesVersion uint64  // version of the data about the tables
	initCmd       tea.Cmd // command for Init, set by New
	afterCancel   tea.Cmd // command to run after a Cancel

	focus        pane
	returnsOnEsc bool // opened to run a pattern, so esc returns to the requesting screen
	w, h         int
	layout       layout

	actions widget.Actions
}

// NewWorkbench returns the workbench for a session.
func NewWorkbench(env *screen.Env) *Workbench {
	b := &Workbench{env: env, list: widget.NewList(env.Styles), jobs: map[*accesspatterns.Pattern]*job{}}
	b.listings = env.Session.Profile().Listings()
	b.ctx, b.end = context.WithCancel(env.Context)
	b.Panes = b.mousePanes
	b.filter = rowFilter{line: results.NewFilterLine(env.Styles)}
	b.description = widget.NewPager(env.Styles)
	b.list.SetStill(true)
	b.list.SetEmpty("no pattern has this name")
	b.list.SetItems(present.PatternItems(env, b.listings...))
	b.actions = env.Keys.Rebind("workbench", b.makeActions())
	b.selectJob()
	return b
}

// New returns the workbench for a target.
func New(env *screen.Env, to screen.Patterns) screen.Screen {
	b := NewWorkbench(env)
	if to.Pattern != nil {
		b.returnsOnEsc = to.Run
		b.initCmd = b.Show(to.Pattern, to.Args, to.Run)
	}
	if to.Custom != nil {
		b.returnsOnEsc = true
		b.initCmd = tea.Batch(b.initCmd, b.openQueryDialog(*to.Custom))
	}
	if to.Plan != nil {
		b.initCmd = tea.Batch(b.initCmd, b.Plan(to.Plan))
	}
	return b
}

// Show selects a pattern and fills its form. If run is true, it also runs the pattern. It masks parameters from an item
// if the role must not see them.
func (b *Workbench) Show(p *accesspatterns.Pattern, args map[string]string, run bool) tea.Cmd {
	b.list.SetFilter("")
	if p.CustomQuery != nil {
		p = b.listCustomQuery(p)
	} else if pattern := b.env.Session.Profile().Pattern(p.ID); pattern == p && !b.list.Select(p.ID) {
		b.listings = append(slices.Clone(b.listings), p)
		b.list.SetItems(present.PatternItems(b.env, b.listings...))
	}
	if !b.list.Select(p.ID) {
		return screen.Send(screen.NoticeMsg{Text: "There is no pattern " + p.FullID(), Bad: true})
	}
	if args != nil {
		b.Forget(p)
		b.jobs[p] = newJob(b, p, args)
	}
	b.selectJob()
	if b.job == nil {
		return nil
	}
	b.setFocus(paneForm)
	if !run {
		return nil
	}
	return b.job.submit()
}

func (b *Workbench) selectJob() {
	it, ok := b.list.Selected()
	if !ok {
		return
	}
	p := b.pattern(it.ID)
	if p == nil || b.job != nil && b.job.pattern == p && b.jobs[p] == b.job {
		return
	}
	if b.job != nil {
		b.job.task.Stop()
		b.job.rows.Anchor(false)
	}
	j := b.jobs[p]
	if j == nil {
		j = newJob(b, p, nil)
		b.jobs[p] = j
	} else if j.sent == nil {
		j.bindRequest() // Bind now, because relative times refer to the time when the pattern appears.
	}
	b.leaveFilter()
	b.job = j
	if b.focus == paneForm && noForm(j) != "" || b.focus == paneRows && j.rows.Len() == 0 {
		b.focus = panePatterns
	}
	b.setFocus(b.focus)
	b.arrange()
}

// Forget discards a pattern's parameters and results.
func (b *Workbench) Forget(p *accesspatterns.Pattern) {
	if j := b.jobs[p]; j != nil {
		j.task.End()
		j.endWatch()
		delete(b.jobs, p)
	}
}

// Subject returns the selected pattern as the topic of the screen.
func (b *Workbench) Subject() screen.Subject {
	if b.job == nil {
		return screen.Subject{}
	}
	return screen.Subject{Pattern: b.job.pattern, Findings: b.job.pattern.Findings}
}

// Title returns the title of the selected pattern.
func (b *Workbench) Title() string {
	if b.job == nil {
		return "Patterns"
	}
	return b.job.pattern.Title
}

// On names the marked rows as the target of actions, or returns "" if there are none.
func (b *Workbench) On() string {
	if b.job == nil || b.job.rows.MarkCount() == 0 {
		return ""
	}
	return present.Plural(b.job.rows.MarkCount(), "marked row")
}

// Guide returns the introduction in the screen's help.
func (b *Workbench) Guide() screen.Guide {
	return screen.Guide{
		Purpose: "The access patterns of the schema. Select one, enter its parameters, and run it.",
		First: "select a pattern and press enter; tab moves to the form and the rows. Paste a key into any field to fill " +
			"in all its values.",
		Signs: screen.Signs([]screen.Sign{
			screen.FindingSign,
			{Glyph: "name*", Meaning: "a required parameter"},
			{Glyph: "+ ~ -", Meaning: "an item that was added, changed or removed while the query is watched"},
			{Glyph: "≠", Meaning: "an item whose index key does not match its attributes"},
			{Glyph: "▾", Meaning: "a list of values; press space to open it"},
			{Glyph: "→", Meaning: "the request as DynamoDB receives it, updated while you type"},
		}, screen.GridSigns, results.FilterSigns, screen.StateSigns, screen.MaskSigns),
	}
}

// Stage returns the user's progress for the tour.
func (b *Workbench) Stage() screen.Stage {
	return screen.Stage{Place: "workbench", Covered: b.Box != nil}
}

// Init runs the pattern that New received.
func (b *Workbench) Init() tea.Cmd {
	cmd := b.initCmd
	b.initCmd = nil
	return cmd
}

// Close cancels all reads.
func (b *Workbench) Close() {
	b.end()
	for _, j := range b.jobs {
		j.task.End()
	}
	b.CloseBox()
}

// Typing reports whether keys are text or belong to a box.
func (b *Workbench) Typing() bool {
	return b.Box != nil || b.filter.typing || b.list.Typing() ||
		b.focus == paneForm && b.job != nil && b.job.input.form.Typing()
}

// Pastes reports whether the form accepts pasted text.
func (b *Workbench) Pastes() bool {
	return b.focus == paneForm && noForm(b.job) == ""
}

// Cancel stops a read or a watch. Otherwise it leaves a box, the form, a filter or the rows. If another screen
// requested the rows, Cancel returns false instead of leaving them.
func (b *Workbench) Cancel() bool {
	switch j := b.job; {
	case b.Box != nil:
		b.CancelBox()
	case j != nil && j.isBusy():
		j.task.Stop()
	case j != nil && j.watch.current != nil && b.focus == paneRows:
		j.endWatch()
	case b.focus == paneForm && j != nil && j.rows.Len() > 0:
		b.setFocus(paneRows)
	case b.focus == paneForm && j != nil:
		b.setFocus(panePatterns)
	case j != nil && j.rows.Filter != "":
		b.afterCancel = b.clearFilter()
	case b.list.Filter() != "" && b.focus == panePatterns:
		b.list.SetFilter("")
		b.selectJob()
	case b.focus != panePatterns && (b.layout.narrow || !b.returnsOnEsc):
		b.setFocus(panePatterns)
	default:
		return false
	}
	return true
}

// After returns the command to run after the last Cancel, or nil.
func (b *Workbench) After() tea.Cmd {
	cmd := b.afterCancel
	b.afterCancel = nil
	return cmd
}

// Retry repeats a read that failed, after the user signed in again.
func (b *Workbench) Retry() tea.Cmd {
	if b.job == nil || b.job.err == nil || noMore(b.job) != "" {
		return nil
	}
	return b.job.load(false)
}

// Remask arranges the rows again if they depend on values that have been masked or revealed in the meantime.
func (b *Workbench) Remask() tea.Cmd {
	if b.job == nil {
		return nil
	}
	b.job.checkMasker()
	if !b.job.rows.Stale() {
		return nil
	}
	return b.job.rows.Rearrange()
}

// Watch implements screen.Watcher.
func (b *Workbench) Watch(on bool) tea.Cmd {
	b.hidden = !on
	return nil
}

// SetStyles sets the theme.
func (b *Workbench) SetStyles(s *widget.Styles) {
	b.list.SetStyles(s)
	b.filter.line.SetStyles(s)
	for _, j := range b.jobs {
		j.input.form.SetStyles(s)
		j.rows.SetStyles(s)
	}
	b.StyleBox(s)
	b.description.SetStyles(s)
}

func (b *Workbench) setFocus(p pane) {
	if b.job == nil || p == paneForm && noForm(b.job) != "" {
		p = panePatterns
		if b.job != nil && (b.job.rows.Len() > 0 || !b.job.pattern.IsRead() || b.job.pattern.CustomQuery != nil) {
			p = paneRows
		}
	}
	b.focus = p
	if p != paneRows {
		b.leaveFilter()
	}
	b.list.SetFocused(p == panePatterns)
	if b.job != nil {
		b.job.input.form.SetFocused(p == paneForm)
		b.job.rows.Grid.SetFocused(p == paneRows && !b.filter.typing)
	}
}

// allPanes contains the panes in tab order.
var allPanes = []pane{panePatterns, paneForm, paneRows}

func (b *Workbench) cannotFocus(i int) string {
	if b.job == nil {
		return "no pattern is selected"
	}
	if allPanes[i] == paneForm {
		return noForm(b.job)
	}
	return ""
}

func (b *Workbench) cycle(by int) tea.Cmd {
	panes := allPanes
	if noForm(b.job) != "" {
		panes = []pane{panePatterns, paneRows}
	}
	at := max(slices.Index(panes, b.focus), 0)
	b.setFocus(panes[(at+by+len(panes))%len(panes)])
	return nil
}

// Plan opens the dialog that plans an action. The dialog's inputs include the item's key.
func (b *Workbench) Plan(a *change.Action) tea.Cmd {
	if err := b.env.Session.CanPlan(a); err != nil {
		return screen.Send(screen.NoticeMsg{Text: a.Title + ": " + err.Error(), Bad: true})
	}
	b.Box = planner.NewChange(b.env, planner.ChangeRequest{Action: a, Title: a.Title, About: a.Description})
	return nil
}

// Undo opens the dialog that undoes a change.
func (b *Workbench) Undo(l changes.Latest) (cmd tea.Cmd) {
	b.Box, cmd = planner.NewUndo(b.env, l, func(*changes.Commitment) tea.Cmd {
		if b.job == nil || notRunYet(b.job) != "" || b.job.isBusy() {
			return nil
		}
		return b.job.refresh()
	})
	return cmd
}

// Offers returns the possible changes of the row under the cursor. It returns nil unless the rows have the focus.
func (b *Workbench) Offers() []screen.RowOffer {
	if b.noRow() != "" {
		return nil
	}
	j := b.job
	raw, shown, ok := j.rows.Selected()
	if !ok || shown.Entity == nil {
		return nil
	}
	var list []screen.RowOffer
	row, marks := j.rows.Current(), j.rows.MarkCount()
	for _, o := range b.env.Planner.Offers(shown.Entity, raw) {
		if marks > 1 || marks == 1 && !j.rows.Marked(j.rows.Grid.Cursor()) {
			o.Reason = cmp.Or(o.Reason, results.OnlyOneRow)
		}
		list = append(list, screen.RowOffer{Offer: o, Plan: func() tea.Cmd { return j.planRow(o, row) }})
	}
	return list
}

// Status describes the last run of the selected pattern.
func (b *Workbench) Status() string {
	if b.job == nil {
		return "no pattern"
	}
	if b.filter.typing && b.layout.note.H == 0 && b.job.rows.Typed.Problem != nil {
		return "✗ " + b.job.rows.Typed.Problem.Error() // The filter has no error line below it.
	}
	return b.job.status()
}

// submitOnce runs the request. If the same request is already pending, it opens the first row as soon as that arrives.
func (j *job) submitOnce() tea.Cmd {
	if j.openFirst = j.isBusy() && j.hasGrid() && j.rows.Items.Len() == 0 && j.input.requestLine.Request == j.sent; j.openFirst {
		return nil
	}
	return j.submit()
}

func (j *job) openRow() tea.Cmd {
	it, _, ok := j.rows.Selected()
	if !ok {
		return nil
	}
	return screen.Open(screen.Item{Table: j.pattern.Table, Item: it, CompareWith: j.rows.ComparisonItems()})
}

func (j *job) openWhenReady() tea.Cmd {
	if !j.openFirst || j.isBusy() && j.rows.Len() == 0 {
		return nil
	}
	j.openFirst = false
	if j.b.job != j || j.b.Boxed() {
		return nil
	}
	return j.openRow()
}

// minSideWidth is the minimum width, in cells, at which the row under the cursor gets a separate pane.
const minSideWidth = 160

func (l *layout) addSidePane(w int, j *job) {
	if w < minSideWidth || j == nil || !j.hasGrid() || j.rows.Items.Len() == 0 {
		return
	}
	l.side = l.work
	l.side.W = min(max(l.work.W*3/10, narrowestSide), widestSide)
	l.work.W -= l.side.W
	l.side.X += l.work.W
}

func (b *Workbench) viewSide() string {
	l, j := b.layout.side, b.job
	if l.W == 0 || j == nil {
		return ""
	}
	w, h := widget.PanelInner(l.W, l.H)
	title, content := j.rows.SideView(w, h)
	return widget.Panel{Title: title, Note: "enter open"}.Render(b.env.Styles, content, l.W, l.H)
}
