// Package workbench is the screen that lists the patterns, their forms and their results.
package workbench

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A pane is a part of the workbench that can have the focus.
type pane uint8

const (
	panePatterns pane = iota
	paneForm
	paneRows
)

// Workbench runs the patterns of one profile.
type Workbench struct {
	overlay.Host
	env  *screen.Env
	ctx  context.Context // ends with the screen
	end  context.CancelFunc
	list *widget.List

	jobs map[*accesspatterns.Pattern]*job // what was asked and found so far
	job  *job                             // of the pattern under the cursor

	known uint64  // as of which the patterns are marked
	init  tea.Cmd // what Show asked for before Init

	focus pane
	w, h  int
	lay   layout

	actions   widget.Actions
	filtering rowFilter
	runs      runner
	plans     planning
	out       outputs
	draw      drawing
	keys      keyboard
	rowKeys   rowActions
	panes     focusRing
}

// NewWorkbench returns the workbench of a session.
func NewWorkbench(env *screen.Env) *Workbench {
	b := &Workbench{env: env, list: widget.NewList(env.Styles), jobs: map[*accesspatterns.Pattern]*job{}}
	b.filtering.b, b.runs.b, b.plans.b, b.out.b, b.draw.b, b.keys.b, b.rowKeys.b, b.panes.b = b, b, b, b, b, b, b, b
	b.ctx, b.end = context.WithCancel(env.Context)
	b.list.SetEmpty("no pattern is called that")
	b.list.SetItems(present.PatternItems(env))
	b.filtering.filter = results.NewFilterLine(env.Styles)
	b.actions = env.Keys.Rebind("workbench", b.makeActions())
	b.panes.choose()
	return b
}

// Show goes to a pattern, fills its form and, with run, runs it once the
// screen is there. Parameters that came from an item are not echoed when the
// role may not see them.
func (b *Workbench) Show(p *accesspatterns.Pattern, args map[string]string, run bool) tea.Cmd {
	b.list.SetFilter("")
	if !b.list.Select(p.ID) {
		return screen.Send(screen.NoticeMsg{Text: "there is no pattern " + p.FullID(), Bad: true})
	}
	if args != nil {
		b.Forget(p)
		b.jobs[p] = newJob(b.env, p, args)
	}
	b.panes.choose()
	if b.job == nil {
		return nil
	}
	b.panes.setFocus(paneForm)
	if !run {
		return nil
	}
	return b.runs.submit()
}

// New returns the workbench on what is asked for; Init runs the pattern.
func New(env *screen.Env, to screen.Patterns) screen.Screen {
	b := NewWorkbench(env)
	if to.Pattern != nil {
		b.init = b.Show(to.Pattern, to.Args, to.Run)
	}
	if to.Plan != nil {
		b.init = tea.Batch(b.init, b.Plan(to.Plan))
	}
	return b
}

// Subject is the pattern under the cursor.
func (b *Workbench) Subject() screen.Subject {
	if b.job == nil {
		return screen.Subject{}
	}
	return screen.Subject{Pattern: b.job.pattern, Findings: b.job.pattern.Findings}
}

// choose shows the pattern under the cursor of the list.
func (fo *focusRing) choose() {
	it, ok := fo.b.list.Selected()
	if !ok {
		return
	}
	p := fo.b.env.Session.Profile().Pattern(it.ID)
	if p == nil || fo.b.job != nil && fo.b.job.pattern == p && fo.b.jobs[p] == fo.b.job {
		return
	}
	if fo.b.job != nil {
		fo.b.job.stop()
	}
	j := fo.b.jobs[p]
	if j == nil {
		j = newJob(fo.b.env, p, nil)
		fo.b.jobs[p] = j
	} else if j.sent == nil {
		j.bind() // Relative times are those of when the pattern is shown.
	}
	fo.b.job = j
	fo.b.filtering.finding = false
	fo.b.draw.preview.Forget()
	if fo.b.focus == paneForm && j.form.Len() == 0 || fo.b.focus == paneRows && j.rows.Len() == 0 {
		fo.b.focus = panePatterns
	}
	fo.setFocus(fo.b.focus)
	fo.b.Arrange()
}

// Forget drops what is known of a pattern.
func (b *Workbench) Forget(p *accesspatterns.Pattern) {
	if j := b.jobs[p]; j != nil {
		j.abandon()
		delete(b.jobs, p)
	}
}

// Title is the chosen pattern's.
func (b *Workbench) Title() string {
	if b.job == nil {
		return "Patterns"
	}
	return b.job.pattern.Title
}

// Init runs what Open was asked to.
func (b *Workbench) Init() tea.Cmd {
	cmd := b.init
	b.init = nil
	return cmd
}

// Actions are the keys of the screen.
func (b *Workbench) Actions() widget.Actions {
	as := slices.Clone(b.actions)
	as[0].Desc = b.panes.enterWord()
	if b.Boxed() {
		for i := range as {
			as[i].Disabled = func() string { return "close the open dialog first" }
		}
	}
	return as
}

// Hints are the keys of the bottom line.
func (b *Workbench) Hints() widget.Actions {
	switch {
	case b.Box != nil:
		return nil
	case b.filtering.finding:
		return widget.Actions{
			{Name: "keep", Binding: widget.Bind("enter", "enter"), Desc: "to the rows"},
			{Name: "clear", Binding: widget.Bind("esc", "esc"), Desc: "all rows"},
		}
	case b.list.Typing():
		return widget.Actions{
			{Name: "keep", Binding: widget.Bind("enter", "enter"), Desc: "to the list"},
			{Name: "clear", Binding: widget.Bind("esc", "esc"), Desc: "all patterns"},
		}
	case b.focus == paneForm && b.job != nil && b.job.form.Choosing():
		return widget.Actions{
			{Name: "choose", Binding: widget.Bind("enter", "enter"), Desc: "choose"},
			{Name: "leave", Binding: widget.Bind("esc", "esc"), Desc: "close the list"},
		}
	case b.focus == paneForm && b.job != nil && b.job.form.Typing():
		return widget.Actions{
			{Name: "run", Binding: widget.Bind("enter", "enter"), Desc: "run"},
			{Name: "next", Binding: widget.Bind("tab", "tab"), Desc: "next field"},
			{Name: "leave", Binding: widget.Bind("esc", "esc"), Desc: "leave the form"},
		}
	}
	if b.job != nil && b.job.loading() && !b.job.cancelled {
		stop := widget.Action{Name: "stop", Binding: widget.Bind("esc", "esc"), Desc: "stop"}
		return append(widget.Actions{stop}, b.Actions()...)
	}
	return b.Actions()
}

// enterWord says what enter does here.
func (fo *focusRing) enterWord() string {
	switch {
	case fo.b.focus == paneRows && fo.b.plans.writing() != nil:
		return "plan"
	case fo.b.job == nil || !fo.b.job.pattern.IsRead():
		return "read"
	case fo.b.focus == paneForm || fo.b.focus == paneRows && (!fo.b.job.gridded() || fo.b.job.rows.Len() == 0):
		return "run"
	case fo.b.focus == paneRows:
		return "open"
	case fo.b.job.rows.Len() > 0:
		return "to the rows"
	case fo.b.job.form.Valid():
		return "run"
	}
	return "fill in"
}

// Close cancels every load.
func (b *Workbench) Close() {
	b.end()
	for _, j := range b.jobs {
		j.abandon()
	}
	b.CloseBox()
}

// Typing reports whether keys are text, or belong to a box over the screen.
func (b *Workbench) Typing() bool {
	return b.Box != nil || b.Listening() || b.filtering.finding || b.list.Typing() ||
		b.focus == paneForm && b.job != nil && b.job.form.Typing()
}

// Cancel stops a load; else it leaves a box, a filter, or on a narrow screen
// the rows.
func (b *Workbench) Cancel() bool {
	switch {
	case b.Box != nil:
		b.CancelBox()
	case b.job != nil && b.job.loading() && !b.job.cancelled:
		b.job.stop()
	case b.focus == paneForm && b.job != nil:
		b.keys.leaveForm()
	case b.job != nil && b.job.rows.Sorting():
		b.runs.follows = b.runs.KeepOrder(b.job)
	case b.job != nil && b.job.rows.Filter != "":
		b.runs.follows = b.filtering.clearFilter()
	case b.list.Filter() != "" && b.focus == panePatterns:
		b.list.SetFilter("")
		b.panes.choose()
	case b.lay.narrow && b.focus != panePatterns:
		b.panes.setFocus(panePatterns)
	default:
		return false
	}
	return true
}

// After is what the last Cancel leads to.
func (b *Workbench) After() tea.Cmd {
	cmd := b.runs.follows
	b.runs.follows = nil
	return cmd
}

// SetStyles changes the theme.
func (b *Workbench) SetStyles(s *widget.Styles) {
	b.list.SetStyles(s)
	b.filtering.filter.SetStyles(s)
	for _, j := range b.jobs {
		j.form.SetStyles(s)
		j.grid.SetStyles(s)
	}
	b.StyleBox(s)
	b.draw.preview.Forget()
	b.draw.about.Forget()
}

// setFocus gives the keys to a pane.
func (fo *focusRing) setFocus(p pane) {
	if fo.b.job == nil || p == paneForm && fo.b.job.form.Len() == 0 {
		p = panePatterns
		if fo.b.job != nil && fo.b.job.rows.Len() > 0 {
			p = paneRows
		}
	}
	fo.b.focus = p
	fo.b.list.SetFocused(p == panePatterns)
	if fo.b.job != nil {
		fo.b.job.form.SetFocused(p == paneForm)
		fo.b.job.grid.SetFocused(p == paneRows && !fo.b.filtering.finding)
	}
}

// cycle gives the keys to the next pane, or the one before.
func (fo *focusRing) cycle(by int) {
	panes := []pane{panePatterns}
	if fo.b.job != nil && fo.b.job.pattern.IsRead() && fo.b.job.form.Len() > 0 {
		panes = append(panes, paneForm)
	}
	panes = append(panes, paneRows)
	at := 0
	for i, p := range panes {
		if p == fo.b.focus {
			at = i
		}
	}
	fo.setFocus(panes[(at+by+len(panes))%len(panes)])
}

// Stage is how far the tour has come here.
func (b *Workbench) Stage() screen.Stage {
	st := screen.Stage{Place: "workbench", Covered: b.Box != nil}
	if b.job != nil {
		st.Rows = b.job.rows.Len()
	}
	return st
}

// rowFilter is the line that filters the rows.
type rowFilter struct {
	b *Workbench

	filter  *widget.Form
	finding bool // keys go to the filter of the rows
}

// runner runs the pattern in view and reads its pages.
type runner struct {
	b *Workbench

	loads   int     // numbers the loads
	follows tea.Cmd // what Cancel leads to
}

// planning leads from the row or the pattern in view to the dialog of a change.
type planning struct {
	b *Workbench
}

// outputs copies, exports and explains what the workbench shows.
type outputs struct {
	b *Workbench
}

// drawing draws the parts of the workbench.
type drawing struct {
	b *Workbench

	preview results.Preview
	about   about
}

// keyboard gives keys and clicks to the pane that has the focus.
type keyboard struct {
	b *Workbench
}

// rowActions are the keys that act on rows.
type rowActions struct {
	b *Workbench
}

// focusRing is which pane has the focus.
type focusRing struct {
	b *Workbench
}
