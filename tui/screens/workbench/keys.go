package workbench

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// makeActions is the table of keys, the most important first.
func (b *Workbench) makeActions() widget.Actions {
	return widget.Actions{
		{
			Name: "enter", Binding: widget.Bind("enter", "enter"), Desc: "choose",
			Long: "choose the pattern, run the form, open the row", Disabled: b.keys.cannotEnter, Run: b.keys.enter,
		},
		{
			Name: "filter", Binding: widget.Bind("/", "/"), Desc: "filter", Long: "filter the patterns, or the rows",
			Run: b.filtering.startFilter,
		},
		{Name: "next-page", Binding: widget.Bind(
			"n", "n",
		), Desc: "more", Long: "read the next page; continues after a stop or an error", Disabled: b.runs.noMore, Run: b.runs.next},
		{Name: "read-all", Binding: widget.Bind(
			"N", "N",
		), Desc: "all", Long: "read to the end with parallel requests; esc stops it", Disabled: b.runs.noAll, Run: b.runs.readAll},
		{
			Name: "edit-parameters", Binding: widget.Bind("e", "e"), Desc: "parameters",
			Long: "edit the parameters of the pattern", Disabled: b.keys.noForm, Run: b.keys.edit,
		},
		{Name: "sort", Binding: widget.Bind(
			"s", "s",
		), Desc: "sort", Long: "sort the rows; a click on a title does the same", Disabled: b.rowKeys.noRows, Run: b.rowKeys.openSort},
		{
			Name: "columns", Binding: widget.Bind("c", "c"), Desc: "columns", Long: "choose, move, resize and pin the columns",
			Disabled: b.rowKeys.noRows, Run: b.rowKeys.openColumns,
		},
		{
			Name: "value", Binding: widget.Bind("v", "v"), Desc: "value", Long: "show the values of the row in full",
			Disabled: b.rowKeys.onRows, Run: b.rowKeys.openValue,
		},
		{
			Name: "mark", Binding: widget.Bind("space", "space"), Desc: "mark", Long: "mark the row and go to the next",
			Disabled: b.rowKeys.onRows, Run: b.rowKeys.mark,
		},
		{
			Name: "mark-all", Binding: widget.Bind("*", "*"), Long: "mark all filtered rows, or none",
			Disabled: b.rowKeys.onRows, Run: b.rowKeys.markAll,
		},
		{Name: "explain", Binding: widget.Bind("x", "x"), Desc: "explain", Long: "show the request", Run: b.out.explain},
		{
			Name: "findings", Binding: widget.Bind("f", "f"), Desc: "findings",
			Long: "show the schema issues of the pattern and their workaround", Disabled: b.out.noFindings,
			Run: b.out.showFindings,
		},
		{
			Name: "copy", Binding: widget.Bind("y", "y"), Desc: "copy",
			Long: "copy the row, the rows or the request: clipboard, pager, editor, file", Disabled: b.out.noJob,
			Run: b.out.openCopyMenu,
		},
		{
			Name: "export", Binding: widget.Bind("E", "E"), Desc: "export",
			Long: "export rows to a file: marked, filtered, read, or all", Disabled: b.out.noExport, Run: b.out.openExport,
		},
		{Name: "bookmark", Binding: widget.Bind(
			"b", "b",
		), Long: "bookmark the query for you and your team; B lists the bookmarks", Disabled: b.rowKeys.cannotBookmark, Run: b.rowKeys.bookmark},
		{
			Name: "refresh", Binding: widget.Bind("r", "r"), Desc: "refresh",
			Long: "run the pattern again from the first page", Disabled: b.runs.noRefresh, Run: b.runs.refresh,
		},
		{Name: "next-pane", Binding: widget.Bind(
			"tab", "tab",
		), Desc: "pane", Long: "go to the next pane", Run: func() tea.Cmd { b.panes.cycle(1); return nil }},
		{Name: "previous-pane", Binding: widget.Bind(
			"shift+tab", "shift+tab",
		), Long: "go to the previous pane", Run: func() tea.Cmd { b.panes.cycle(-1); return nil }},
		{
			Name: "reveal", Binding: widget.Bind("R", "R"), Desc: "reveal",
			Long:     "reveal personal data with a reason, which is journaled, or mask it again",
			Disabled: func() string { return overlay.CannotReveal(b.env) }, Run: b.panes.toggleReveal,
		},
	}
}

// Update handles what the root does not take for itself.
func (b *Workbench) Update(msg tea.Msg) tea.Cmd {
	b.panes.checkMasker()
	cmd := b.handle(msg)
	b.plans.learn()
	return tea.Batch(cmd, b.Remask())
}

func (b *Workbench) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.LiveMsg:
		return nil // learn looks at it.
	case pageLoadedMsg:
		return b.runs.arrived(msg)
	case results.ArrangedMsg:
		return b.runs.tookRows(msg)
	case loadTickedMsg:
		if j := b.runs.jobOf(msg.req); j != nil {
			j.elapsed += widget.BusyFrame
			return ticked(msg.req)
		}
		return nil
	case overlay.RevealedMsg:
		b.draw.preview.Forget()
		return msg.Notice()
	}
	if b.Box != nil {
		return b.ToBox(msg)
	}
	if b.InFlight(msg) {
		return nil
	}
	if press, ok := msg.(tea.KeyPressMsg); ok {
		return b.keys.press(press)
	}
	return b.keys.feed(msg)
}

// feed gives pastes and answers to whatever takes text.
func (kb *keyboard) feed(msg tea.Msg) tea.Cmd {
	switch {
	case kb.b.job == nil:
		return nil
	case kb.b.filtering.finding:
		return kb.b.filtering.typeFilter(msg)
	case kb.b.focus == paneForm:
		if paste, ok := msg.(tea.PasteMsg); ok {
			return kb.pasteForm(paste)
		}
		cmd, _ := kb.b.job.form.Update(msg)
		kb.b.job.describe()
		return cmd
	case kb.b.focus == panePatterns:
		cmd, _ := kb.b.list.Update(msg)
		kb.b.panes.choose()
		return cmd
	}
	return nil
}

func (kb *keyboard) press(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case kb.b.job == nil:
		cmd, _ := kb.b.list.Update(msg)
		kb.b.panes.choose()
		return cmd
	case kb.b.filtering.finding:
		return kb.b.filtering.pressFilter(msg)
	case kb.b.focus == panePatterns && kb.b.list.Typing():
		cmd, used := kb.b.list.Update(msg)
		kb.b.panes.choose()
		if used || cmd != nil {
			return cmd
		}
	case kb.b.focus == paneForm:
		if cmd, used := kb.pressForm(msg); used {
			return cmd
		}
	}
	return kb.act(msg)
}

// act runs an action, else moves in the pane with the focus.
func (kb *keyboard) act(msg tea.KeyPressMsg) tea.Cmd {
	if cmd, why, used := kb.b.actions.Handle(msg); used {
		if why != "" {
			return screen.Send(screen.NoticeMsg{Text: why})
		}
		return cmd
	}
	switch kb.b.focus {
	case panePatterns:
		cmd, _ := kb.b.list.Update(msg)
		kb.b.panes.choose()
		return cmd
	case paneRows, paneForm:
		return kb.moveRows(msg)
	}
	return nil
}

// moveRows moves in the rows, or scrolls what is in their place. Reaching the
// last row reads on.
func (kb *keyboard) moveRows(msg tea.KeyPressMsg) tea.Cmd {
	j := kb.b.job
	if !j.gridded() {
		kb.b.draw.about.pager(kb.b).Update(msg)
		return nil
	}
	used := j.grid.Update(msg)
	if used && j.more && j.rows.AsRead() && j.grid.Cursor() == j.rows.Len()-1 {
		return kb.b.runs.next()
	}
	return nil
}

// pressForm edits the form; esc leaves it.
func (kb *keyboard) pressForm(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	cmd, used := kb.b.job.form.Update(msg)
	if used {
		kb.b.job.describe()
		return cmd, true
	}
	if !kb.b.job.form.Typing() {
		return nil, false
	}
	switch msg.String() {
	case "esc":
		kb.b.Cancel()
		return nil, true
	case "enter":
		return kb.b.runs.submit(), true
	}
	return nil, false
}

// leaveForm goes to the rows, or back to the patterns.
func (kb *keyboard) leaveForm() {
	if kb.b.job.rows.Len() > 0 {
		kb.b.panes.setFocus(paneRows)
		return
	}
	kb.b.panes.setFocus(panePatterns)
}

// enter chooses, runs or opens.
func (kb *keyboard) enter() tea.Cmd {
	switch kb.b.focus {
	case panePatterns:
		if !kb.b.job.pattern.IsRead() {
			kb.b.panes.setFocus(paneRows)
			return nil
		}
		if kb.b.job.form.Valid() && !kb.b.job.ran {
			kb.b.panes.setFocus(paneRows)
			return kb.b.runs.submit()
		}
		if kb.b.job.rows.Len() > 0 {
			kb.b.panes.setFocus(paneRows)
			return nil
		}
		kb.b.panes.setFocus(paneForm)
		return nil
	case paneForm:
		return kb.b.runs.submit()
	case paneRows:
		if !kb.b.job.pattern.IsRead() {
			return kb.b.plans.planWrite()
		}
		if it, _, ok := kb.b.job.selected(); ok && kb.b.job.gridded() {
			return screen.Open(screen.Item{Table: kb.b.job.pattern.Table, Item: it, Among: results.Among(kb.b.job.rows)})
		}
		return kb.b.runs.submit()
	}
	return nil
}

func (kb *keyboard) cannotEnter() string {
	if kb.b.focus == paneRows && kb.b.job != nil && !kb.b.job.pattern.IsRead() {
		return kb.b.plans.cannotWrite()
	}
	return ""
}

func (kb *keyboard) noForm() string {
	if kb.b.job == nil || kb.b.job.form.Len() == 0 || !kb.b.job.pattern.IsRead() {
		return "this pattern has no parameters to fill in"
	}
	return ""
}

func (kb *keyboard) edit() tea.Cmd {
	kb.b.panes.setFocus(paneForm)
	return nil
}

func (rn *runner) noRefresh() string {
	if rn.b.job == nil || rn.b.job.sent == nil {
		return "nothing was asked yet"
	}
	return ""
}

// refresh sends the request again, with relative times taken from now. A scan
// that was agreed to is not asked about again.
func (rn *runner) refresh() tea.Cmd {
	j := rn.b.job
	request, err := rn.b.env.Reading.Rebind(j.sent)
	if err != nil {
		j.err = err
		return nil
	}
	if j.line.Request == j.sent {
		j.line = present.SpellRequest(rn.b.env, request, j.hidden)
	}
	return rn.Start(request)
}

// onList reports whether the list of patterns is drawn at x, y.
func (kb *keyboard) onList(x, y int) bool {
	return kb.b.lay.list.Has(x, y) && (!kb.b.lay.narrow || kb.b.focus == panePatterns)
}

// Wheel scrolls what the pointer is on.
func (b *Workbench) Wheel(x, y int, up bool) tea.Cmd {
	switch {
	case b.Box != nil:
		b.WheelBox(up)
	case b.keys.onList(x, y):
		b.list.Wheel(up)
		b.panes.choose()
	case b.job != nil && b.lay.body.Has(x, y):
		if !b.job.gridded() {
			b.draw.about.pager(b).Wheel(up)
			return nil
		}
		b.job.grid.Wheel(up)
	}
	return nil
}

// Click gives the focus to what was clicked; a click on the chosen row opens
// it.
func (b *Workbench) Click(x, y int) tea.Cmd {
	switch {
	case b.Box != nil:
		return b.ClickBox(x, y)
	case b.keys.onList(x, y):
		b.panes.setFocus(panePatterns)
		b.list.Click(x-b.lay.list.X-1, y-b.lay.list.Y-1)
		b.panes.choose()
	case b.job == nil:
	case b.lay.form.Has(x, y):
		if b.keys.noForm() == "" {
			b.panes.setFocus(paneForm)
			b.job.form.Click(x-b.lay.form.X, y-b.lay.form.Y)
		}
	case b.lay.note.Has(x, y) && b.out.noFindings() == "":
		return b.out.showFindings()
	case b.lay.body.Has(x, y):
		return b.keys.clickBody(x-b.lay.body.X, y-b.lay.body.Y)
	}
	return nil
}

func (kb *keyboard) clickBody(x, y int) tea.Cmd {
	focused := kb.b.focus == paneRows
	kb.b.panes.setFocus(paneRows)
	if !kb.b.job.gridded() {
		return nil
	}
	if y == 0 {
		return kb.clickTitle(x)
	}
	if again, _ := kb.b.job.grid.Click(x, y); again && focused {
		return kb.enter()
	}
	return nil
}

// Scope describes the keys of the screen.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "workbench", Title: "Workbench",
		Does:    "The patterns, the form of the selected one, and its result.",
		Actions: (&Workbench{}).makeActions(), Pieces: screen.GridKeys(),
	}
}
