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
		{Name: "enter", Binding: widget.Bind("enter", "enter"), Desc: "choose", Long: "choose the pattern, run the form, open the row", Disabled: b.cannotEnter, Run: b.enter},
		{Name: "filter", Binding: widget.Bind("/", "/"), Desc: "filter", Long: "filter the patterns, or the rows that were read", Run: b.startFilter},
		{Name: "next-page", Binding: widget.Bind("n", "n"), Desc: "more", Long: "read the next page; goes on after a stop or an error", Disabled: b.noMore, Run: b.next},
		{Name: "read-all", Binding: widget.Bind("N", "N"), Desc: "all", Long: "read on to the end, several requests at a time; esc stops it", Disabled: b.noAll, Run: b.readAll},
		{Name: "edit-parameters", Binding: widget.Bind("e", "e"), Desc: "parameters", Long: "go to the form of the pattern", Disabled: b.noForm, Run: b.edit},
		{Name: "sort", Binding: widget.Bind("s", "s"), Desc: "sort", Long: "sort the rows that were read; a click on a title does so too", Disabled: b.noRows, Run: b.openSort},
		{Name: "columns", Binding: widget.Bind("c", "c"), Desc: "columns", Long: "choose, move, resize and pin the columns", Disabled: b.noRows, Run: b.openColumns},
		{Name: "value", Binding: widget.Bind("v", "v"), Desc: "value", Long: "show the values of the row in full", Disabled: b.onRows, Run: b.openValue},
		{Name: "mark", Binding: widget.Bind("space", "space"), Desc: "mark", Long: "mark the row and go to the next", Disabled: b.onRows, Run: b.mark},
		{Name: "mark-all", Binding: widget.Bind("*", "*"), Long: "mark all rows that pass the filter, or none", Disabled: b.onRows, Run: b.markAll},
		{Name: "explain", Binding: widget.Bind("x", "x"), Desc: "explain", Long: "show the request as it is sent", Run: b.explain},
		{Name: "findings", Binding: widget.Bind("f", "f"), Desc: "findings", Long: "what the document says, what is wrong with it, and what runs instead", Disabled: b.noFindings, Run: b.showFindings},
		{Name: "copy", Binding: widget.Bind("y", "y"), Desc: "copy", Long: "take the row, the rows or the request away: copy, pager, editor, file", Disabled: b.noJob, Run: b.openCopyMenu},
		{Name: "export", Binding: widget.Bind("E", "E"), Desc: "export", Long: "write the rows to a file: marked, filtered, read, or all to the end", Disabled: b.noExport, Run: b.openExport},
		{Name: "bookmark", Binding: widget.Bind("b", "b"), Long: "give what is asked a name, for you and your team; B lists them", Disabled: b.cannotBookmark, Run: b.bookmark},
		{Name: "refresh", Binding: widget.Bind("r", "r"), Desc: "refresh", Long: "ask again from the first page", Disabled: b.noRefresh, Run: b.refresh},
		{Name: "next-pane", Binding: widget.Bind("tab", "tab"), Desc: "pane", Long: "go to the next pane", Run: func() tea.Cmd { b.cycle(1); return nil }},
		{Name: "previous-pane", Binding: widget.Bind("shift+tab", "shift+tab"), Long: "go to the pane before", Run: func() tea.Cmd { b.cycle(-1); return nil }},
		{Name: "reveal", Binding: widget.Bind("R", "R"), Desc: "reveal", Long: "show personal data, or hide it again; needs a reason and goes to the journal", Disabled: func() string { return overlay.CannotReveal(b.env) }, Run: b.toggleReveal},
	}
}

// Update handles what the root does not take for itself.
func (b *Workbench) Update(msg tea.Msg) tea.Cmd {
	b.checkMasker()
	cmd := b.handle(msg)
	b.learn()
	return tea.Batch(cmd, b.Remask())
}

func (b *Workbench) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.LiveMsg:
		return nil // learn looks at it.
	case pageLoadedMsg:
		return b.arrived(msg)
	case results.RowsArrangedMsg:
		return b.tookRows(msg)
	case loadTickedMsg:
		if j := b.jobOf(msg.req); j != nil {
			j.elapsed += widget.BusyFrame
			return ticked(msg.req)
		}
		return nil
	case overlay.RevealedMsg:
		b.preview.Forget()
		return msg.Notice()
	}
	if b.Box != nil {
		return b.ToBox(msg)
	}
	if b.InFlight(msg) {
		return nil
	}
	if press, ok := msg.(tea.KeyPressMsg); ok {
		return b.press(press)
	}
	return b.feed(msg)
}

// feed gives pastes and answers to whatever takes text.
func (b *Workbench) feed(msg tea.Msg) tea.Cmd {
	switch {
	case b.job == nil:
		return nil
	case b.finding:
		return b.typeFilter(msg)
	case b.focus == paneForm:
		if paste, ok := msg.(tea.PasteMsg); ok {
			return b.pasteForm(paste)
		}
		cmd, _ := b.job.form.Update(msg)
		b.job.describe()
		return cmd
	case b.focus == panePatterns:
		cmd, _ := b.list.Update(msg)
		b.choose()
		return cmd
	}
	return nil
}

func (b *Workbench) press(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case b.job == nil:
		cmd, _ := b.list.Update(msg)
		b.choose()
		return cmd
	case b.finding:
		return b.pressFilter(msg)
	case b.focus == panePatterns && b.list.Typing():
		cmd, used := b.list.Update(msg)
		b.choose()
		if used || cmd != nil {
			return cmd
		}
	case b.focus == paneForm:
		if cmd, used := b.pressForm(msg); used {
			return cmd
		}
	}
	return b.act(msg)
}

// act runs an action, else moves in the pane with the focus.
func (b *Workbench) act(msg tea.KeyPressMsg) tea.Cmd {
	if cmd, why, used := b.actions.Handle(msg); used {
		if why != "" {
			return screen.Send(screen.NoticeMsg{Text: why})
		}
		return cmd
	}
	switch b.focus {
	case panePatterns:
		cmd, _ := b.list.Update(msg)
		b.choose()
		return cmd
	case paneRows, paneForm:
		return b.moveRows(msg)
	}
	return nil
}

// moveRows moves in the rows, or scrolls what is in their place. Reaching the
// last row reads on.
func (b *Workbench) moveRows(msg tea.KeyPressMsg) tea.Cmd {
	j := b.job
	if !j.gridded() {
		b.about.pager(b).Update(msg)
		return nil
	}
	used := j.grid.Update(msg)
	if used && j.more && j.rows.AsRead() && j.grid.Cursor() == j.rows.Len()-1 {
		return b.next()
	}
	return nil
}

// pressForm edits the form; esc leaves it.
func (b *Workbench) pressForm(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	cmd, used := b.job.form.Update(msg)
	if used {
		b.job.describe()
		return cmd, true
	}
	if !b.job.form.Typing() {
		return nil, false
	}
	switch msg.String() {
	case "esc":
		b.Cancel()
		return nil, true
	case "enter":
		return b.submit(), true
	}
	return nil, false
}

// leaveForm goes to the rows, or back to the patterns.
func (b *Workbench) leaveForm() {
	if b.job.rows.Len() > 0 {
		b.setFocus(paneRows)
		return
	}
	b.setFocus(panePatterns)
}

// enter chooses, runs or opens.
func (b *Workbench) enter() tea.Cmd {
	switch b.focus {
	case panePatterns:
		if !b.job.pattern.IsRead() {
			b.setFocus(paneRows)
			return nil
		}
		if b.job.form.Valid() && !b.job.ran {
			b.setFocus(paneRows)
			return b.submit()
		}
		if b.job.rows.Len() > 0 {
			b.setFocus(paneRows)
			return nil
		}
		b.setFocus(paneForm)
		return nil
	case paneForm:
		return b.submit()
	case paneRows:
		if !b.job.pattern.IsRead() {
			return b.planWrite()
		}
		if it, _, ok := b.job.selected(); ok && b.job.gridded() {
			return screen.Open(screen.Item{Table: b.job.pattern.Table, Item: it, Among: results.Among(b.job.rows)})
		}
		return b.submit()
	}
	return nil
}

func (b *Workbench) cannotEnter() string {
	if b.focus == paneRows && b.job != nil && !b.job.pattern.IsRead() {
		return b.cannotWrite()
	}
	return ""
}

func (b *Workbench) noForm() string {
	if b.job == nil || b.job.form.Len() == 0 || !b.job.pattern.IsRead() {
		return "this pattern has no parameters to fill in"
	}
	return ""
}

func (b *Workbench) edit() tea.Cmd {
	b.setFocus(paneForm)
	return nil
}

func (b *Workbench) noRefresh() string {
	if b.job == nil || b.job.sent == nil {
		return "nothing was asked yet"
	}
	return ""
}

// refresh sends the request again, with relative times taken from now. A scan
// that was agreed to is not asked about again.
func (b *Workbench) refresh() tea.Cmd {
	j := b.job
	request, err := b.env.Session.Rebind(j.sent)
	if err != nil {
		j.err = err
		return nil
	}
	if j.line.Request == j.sent {
		j.line = present.SpellRequest(b.env, request, j.hidden)
	}
	return b.Start(request)
}

// onList reports whether the list of patterns is drawn at x, y.
func (b *Workbench) onList(x, y int) bool {
	return b.lay.list.Has(x, y) && (!b.lay.narrow || b.focus == panePatterns)
}

// Wheel scrolls what the pointer is on.
func (b *Workbench) Wheel(x, y int, up bool) tea.Cmd {
	switch {
	case b.Box != nil:
		b.WheelBox(up)
	case b.onList(x, y):
		b.list.Wheel(up)
		b.choose()
	case b.job != nil && b.lay.body.Has(x, y):
		if !b.job.gridded() {
			b.about.pager(b).Wheel(up)
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
	case b.onList(x, y):
		b.setFocus(panePatterns)
		b.list.Click(x-b.lay.list.X-1, y-b.lay.list.Y-1)
		b.choose()
	case b.job == nil:
	case b.lay.form.Has(x, y):
		if b.noForm() == "" {
			b.setFocus(paneForm)
			b.job.form.Click(x-b.lay.form.X, y-b.lay.form.Y)
		}
	case b.lay.note.Has(x, y) && b.noFindings() == "":
		return b.showFindings()
	case b.lay.body.Has(x, y):
		return b.clickBody(x-b.lay.body.X, y-b.lay.body.Y)
	}
	return nil
}

func (b *Workbench) clickBody(x, y int) tea.Cmd {
	again, before := b.focus == paneRows, b.job.grid.Cursor()
	b.setFocus(paneRows)
	if !b.job.gridded() {
		return nil
	}
	if y == 0 {
		return b.clickTitle(x)
	}
	if row, ok := b.job.grid.Click(x, y); ok && again && row == before {
		return b.enter()
	}
	return nil
}

// workbenchScope describes the keys of the screen.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "workbench", Title: "Workbench",
		Does:    "Patterns, the form of one, and what was read with it.",
		Actions: (&Workbench{}).makeActions(), Pieces: screen.GridKeys(),
	}
}
