package workbench

import (
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Scope returns the key table of the screen.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "workbench", Title: "Workbench",
		Does:    "Shows the patterns, and the form and the result of the selected pattern.",
		Actions: (&Workbench{}).makeActions(), Pieces: screen.GridKeys(),
	}
}

func (b *Workbench) makeActions() widget.Actions {
	// The selected pattern can change, so look it up when the user presses a key.
	reason := func(reasonOf func(*job) string) func() string { return func() string { return reasonOf(b.job) } }
	run := func(cmdOf func(*job) tea.Cmd) func() tea.Cmd { return func() tea.Cmd { return cmdOf(b.job) } }
	ownHint := "custom query"
	if b.env.Plain() { // A custom query needs the names of keys, so the bottom line offers role support other keys.
		ownHint = ""
	}
	return append(widget.Actions{
		widget.NewAction("enter", "enter", "choose", "choose the pattern, run the form, open the row", func() string {
			switch {
			case b.focus == paneRows && b.job != nil && !b.job.pattern.IsRead():
				return b.job.cannotWrite()
			case b.focus == panePatterns && b.list != nil && b.list.Len() == 0 && b.list.Filter() != "":
				return "no pattern matches the filter"
			}
			return ""
		}, b.enter),
		widget.NewAction("filter", "/", "filter", "filter the patterns or the rows",
			nil, func() tea.Cmd { return b.startFilter() }),
		widget.NewAction("next-page", "n", "more", "read the next page; continues after a stop or an error",
			reason(noMore), run((*job).loadNext)),
		widget.NewAction("read-all", "o>A", "read all", "read to the end with parallel requests; press esc to stop",
			reason(cannotReadAll), run((*job).readAll)),
		widget.NewAction("edit-parameters", "e", "parameters", "edit the parameters of the pattern",
			reason(cannotEditQuery), b.editParameters),
		widget.NewAction("own-query", "b", ownHint, "write a custom query for any table or index: key, filters, order and limit",
			nil, b.editCustomQuery),
		widget.NewAction("without-filter", "o>F", "remove filter", "run the custom query without its filter",
			reason(noFilter), run((*job).runWithoutFilter)),
		widget.NewAction("sort", "s", "sort", "sort the rows (or click a column title)",
			reason(noRows), func() tea.Cmd { b.Box = b.job.rows.NewSortMenu(); return nil }),
		widget.NewAction("view", "v", "view", "show the values of the row in full, a chart of the rows, or other columns",
			reason(noPattern), b.viewMenu),
		widget.NewAction("mark", "space", "mark, next", "mark the row and go to the next",
			b.noRow, func() tea.Cmd { b.job.rows.Mark(); return nil }),
		widget.NewAction("compare", "=", "", "compare the two marked rows, or the current row with another row", b.noRow, func() tea.Cmd {
			r := b.job.rows
			it, _, _ := r.Selected()
			return results.OpenComparison(b.job.pattern.Table, it, r.MarkedItems().First(results.MaxComparedRows).Items(),
				r.ComparisonItems())
		}),
		widget.NewAction("mark-all", "o>M", "mark all", "mark or unmark all filtered rows",
			b.noRow, func() tea.Cmd { b.job.rows.MarkAll(); return nil }),
		widget.NewAction("explain", "x", "explain", "show the request", nil, func() tea.Cmd { return b.job.explain() }),
		widget.NewAction("findings", "o>I", "schema issues", "show the schema issues of the pattern and their workaround",
			reason(noFindings), func() tea.Cmd { return b.job.showFindings() }),
		widget.NewAction("copy", "y", "copy", "copy the row, the rows or the request: clipboard, pager, editor, file",
			reason(noPattern), func() tea.Cmd { return b.job.openCopyMenu() }),
		widget.NewAction("export", "o>E", "export", "export rows to a file: marked, filtered, loaded or all",
			reason(noRows), func() tea.Cmd { return b.job.openExport() }),
		widget.NewAction("bookmark", "o>B", "", "bookmark the query",
			reason(cannotBookmark), func() tea.Cmd { return b.job.bookmark() }),
		widget.NewAction("refresh", "r ctrl+r f5", "reload", "run the pattern again from the first page",
			reason(notRunYet), run((*job).refresh)),
		widget.NewAction("watch", "o>W", "watch", "repeat the query every 10 s and mark changes; press again to stop",
			reason(cannotWatch), func() tea.Cmd { return b.job.toggleWatch() }),
		widget.NewAction("next-pane", "tab", "pane", "go to the next pane", nil, func() tea.Cmd { return b.cycle(1) }),
		widget.NewAction("previous-pane", "shift+tab", "", "go to the previous pane", nil, func() tea.Cmd { return b.cycle(-1) }),
		widget.NewAction("reveal", "o>R", "reveal", "reveal personal data (needs a reason; journaled), or mask it again",
			func() string { return overlay.CannotReveal(b.env) },
			func() tea.Cmd { return b.ToggleReveal(b.env, b.job.pattern.FullID()) }),
	}, screen.PaneActions([]string{"patterns", "parameters", "result"}, b.cannotFocus, func(i int) { b.setFocus(allPanes[i]) })...)
}

func (b *Workbench) viewMenu() tea.Cmd {
	m := &overlay.Menu{Title: "View", Key: "v"}
	add := func(key, label, note, reason string, run func() tea.Cmd) {
		m.Entries = append(m.Entries, overlay.MenuEntry{Key: key, Label: label, Note: note, Why: reason, Run: run})
	}
	add("r", "Row", "the values of the row in full", b.noRow(), func() tea.Cmd {
		b.Box = b.job.rows.NewValueBox(b.enter, b.job.openCopyMenu)
		return nil
	})
	add("c", "Columns", "choose, move, resize and pin the columns", noRows(b.job), func() tea.Cmd {
		b.Box = b.job.rows.NewColumnsBox()
		return nil
	})
	add("g", "Graph", "states, days, values of a column", noPicture(b.job), func() (cmd tea.Cmd) {
		b.Box, cmd = b.job.rows.NewPictureBox()
		return cmd
	})
	b.Box = m
	return nil
}

// Actions returns the screen's actions.
func (b *Workbench) Actions() widget.Actions {
	as := slices.Clone(b.actions)
	as[0].Desc = b.enterWord()
	b.guardActions(as)
	if b.Boxed() {
		for i := range as {
			as[i].Disabled = func() string { return "close the open dialog first" }
		}
	}
	return as
}

func (b *Workbench) enterWord() string {
	switch j := b.job; {
	case b.focus == paneRows && j != nil && j.writeAction() != nil:
		return "plan"
	case j == nil || !j.pattern.IsRead():
		return "read about it"
	case b.focus == paneForm || b.focus == paneRows && (!j.hasGrid() || j.rows.Len() == 0):
		return "run"
	case b.focus == paneRows:
		return "open"
	case j.rows.Len() > 0:
		return "go to rows"
	case j.input.form.Valid():
		return "run"
	}
	return "fill in"
}

// Hints returns the keys to show in the bottom line.
func (b *Workbench) Hints() widget.Actions {
	inForm := b.focus == paneForm && b.job != nil
	switch {
	case b.filter.typing:
		return widget.Actions{widget.Hint("enter", "open"), widget.Hint("esc", "show all rows")}
	case b.list.Typing():
		return widget.Actions{widget.Hint("enter", "choose"), widget.Hint("esc", "show all patterns")}
	case inForm && b.job.input.form.Choosing():
		return widget.Actions{widget.Hint("enter", "choose"), widget.Hint("esc", "close list")}
	case inForm && b.job.input.form.Typing():
		return widget.Actions{widget.Hint("enter", "run"), widget.Hint("tab", "next field"), widget.Hint("esc", "leave form")}
	case b.job != nil && b.job.isBusy():
		return append(widget.Actions{widget.Hint("esc", "stop")}, b.Actions()...)
	}
	return b.Actions()
}

// Update handles the messages that the root passes on.
func (b *Workbench) Update(msg tea.Msg) tea.Cmd {
	if b.job != nil {
		b.job.checkMasker()
	}
	cmd := b.handle(msg)
	if version := b.env.Tables.Version(); version != b.tablesVersion { // Different patterns may be refused now.
		b.tablesVersion = version
		b.list.SetItems(present.PatternItems(b.env, b.listings...))
		b.description.Invalidate()
	}
	return tea.Batch(cmd, b.Remask())
}

func (b *Workbench) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.ComparisonMsg:
		return nil // Update compares the version afterward.
	case results.ArrangedMsg:
		if j := b.jobs[msg.Pattern]; j != nil {
			return j.rows.ShowStep(msg)
		}
		return nil
	case screen.Answer:
		return msg()
	case screen.TickMsg:
		return msg.Task.Ticked()
	}
	if b.Box != nil {
		return b.ToBox(msg)
	}
	if press, ok := msg.(tea.KeyPressMsg); ok {
		return b.press(press)
	}
	return b.sendToFocused(msg)
}

func (b *Workbench) sendToFocused(msg tea.Msg) tea.Cmd {
	switch {
	case b.job == nil:
	case b.filter.typing:
		return b.updateFilter(msg)
	case b.focus == paneForm:
		if paste, ok := msg.(tea.PasteMsg); ok {
			return b.job.paste(paste)
		}
		cmd, _ := b.job.input.form.Update(msg)
		b.job.updateLine()
		return cmd
	case b.focus == panePatterns:
		cmd, _ := b.updateList(msg)
		return cmd
	}
	return nil
}

func (b *Workbench) updateList(msg tea.Msg) (cmd tea.Cmd, used bool) {
	cmd, used = b.list.Update(msg)
	b.selectJob()
	return cmd, used
}

// press tries the inputs before the actions, because letters in inputs are text.
func (b *Workbench) press(msg tea.KeyPressMsg) tea.Cmd {
	if b.job != nil {
		b.job.openFirst = b.job.openFirst && msg.String() == "enter"
	}
	switch {
	case b.job == nil:
		cmd, _ := b.updateList(msg)
		return cmd
	case b.filter.typing:
		return b.filterKey(msg)
	case b.focus == panePatterns && b.list.Typing():
		if cmd, used := b.updateList(msg); used || cmd != nil {
			return cmd
		}
	case b.focus == paneForm:
		if cmd, used := b.pressForm(msg); used {
			return cmd
		}
	}
	if cmd, used := screen.Press(b.actions, msg); used {
		return cmd
	}
	switch j := b.job; {
	case b.focus == panePatterns:
		cmd, _ := b.updateList(msg)
		return cmd
	case !j.hasGrid():
		b.description.Update(msg)
	case j.rows.Grid.Update(msg) && j.hasMore && j.rows.InReadOrder() && j.rows.Grid.Cursor() == j.rows.Len()-1:
		return j.loadNext() // The cursor reached the last row.
	}
	return nil
}

func (b *Workbench) pressForm(msg tea.KeyPressMsg) (cmd tea.Cmd, used bool) {
	if cmd, used := b.job.input.form.Update(msg); used {
		b.job.updateLine()
		return cmd, true
	}
	if b.job.input.form.Typing() {
		switch msg.String() {
		case "esc":
			b.Cancel()
			return nil, true
		case "enter":
			return b.job.submitOnce(), true
		}
	}
	return nil, false
}

func (b *Workbench) enter() tea.Cmd {
	j := b.job
	switch {
	case b.focus == paneRows && !j.pattern.IsRead():
		return j.planWrite()
	case b.focus == paneRows && j.hasGrid():
		if open := j.openRow(); open != nil {
			return open
		}
		return j.submitOnce()
	case b.focus != panePatterns:
		return j.submitOnce()
	case j.pattern.IsRead() && j.input.form.Valid() && !j.hasPage:
		b.setFocus(paneRows)
		return j.submit()
	case !j.pattern.IsRead() || j.rows.Len() > 0:
		b.setFocus(paneRows)
	default:
		b.setFocus(paneForm)
	}
	return nil
}

func (b *Workbench) noRow() string {
	switch reason := noRows(b.job); {
	case reason != "":
		return reason
	case b.job.rows.Len() == 0:
		return "no row matches the filter"
	case b.focus != paneRows:
		return "press tab to go to the rows first"
	}
	return ""
}

// A rowFilter is the input that filters the selected pattern's rows. The rows change while the user types. The cursor
// returns to its item when the item matches again.
type rowFilter struct {
	line   *widget.Form
	typing bool // the input has the keyboard focus
}

func (b *Workbench) startFilter() tea.Cmd {
	if b.focus == panePatterns || !b.job.hasGrid() {
		b.setFocus(panePatterns)
		b.list.StartTyping()
		return nil
	}
	b.filter.typing = true
	b.job.rows.Anchor(true)
	b.filter.line.SetValues(map[string]string{"filter": b.job.rows.Typed.Text})
	b.filter.line.SetFocused(true)
	b.setFocus(paneRows)
	return nil
}

func (b *Workbench) filterKey(msg tea.KeyPressMsg) tea.Cmd {
	switch msg.String() {
	case "esc":
		return b.clearFilter()
	case "enter", "down":
		if b.job.rows.Typed.Problem != nil {
			return nil
		}
		b.stopFilter()
		if msg.String() == "enter" {
			return b.enter()
		}
		return nil
	case "tab":
		return b.completeFilter()
	}
	return b.updateFilter(msg)
}

func (b *Workbench) completeFilter() tea.Cmd {
	text, r := b.filter.line.Values()["filter"], b.job.rows
	tail, choices := rows.Complete(text, r.Fields(), results.MaxFilterChoices)
	if tail != "" {
		b.filter.line.SetValues(map[string]string{"filter": text + tail})
		return b.updateFilter(nil)
	}
	if len(choices) == 0 && r.Typed.Problem == nil {
		b.stopFilter()
	}
	return nil
}

func (b *Workbench) updateFilter(msg tea.Msg) tea.Cmd {
	cmd, _ := b.filter.line.Update(msg)
	if !b.job.rows.SetFilter(b.filter.line.Values()["filter"]) {
		return cmd
	}
	return tea.Batch(cmd, b.job.rows.Rearrange())
}

func (b *Workbench) leaveFilter() {
	if !b.filter.typing {
		return
	}
	b.filter.typing = false
	b.job.rows.Anchor(false)
	b.filter.line.SetFocused(false)
}

func (b *Workbench) stopFilter() {
	b.leaveFilter()
	b.setFocus(paneRows)
}

func (b *Workbench) clearFilter() tea.Cmd {
	b.stopFilter()
	b.filter.line.SetValues(map[string]string{"filter": ""})
	if !b.job.rows.SetFilter("") {
		return nil
	}
	return b.job.rows.Rearrange()
}

func (b *Workbench) viewFilter(w int) string {
	b.filter.line.SetSize(max(w, 0), 1)
	return b.filter.line.View()
}

func (b *Workbench) viewFilterHelp(w int) string {
	s, r := b.env.Styles, b.job.rows
	_, choices := rows.Complete(r.Typed.Text, r.Fields(), results.MaxFilterChoices)
	completions := ""
	if len(choices) > 0 {
		completions = "tab " + strings.Join(choices, " · ")
	}
	switch err := r.Typed.Problem; {
	case errors.Is(err, rows.ErrIncomplete) && completions != "":
		return widget.Rule(s, "… value missing: "+completions, "", w)
	case errors.Is(err, rows.ErrIncomplete):
		return widget.Rule(s, "… "+err.Error(), "", w)
	case err != nil:
		return s.PaintCell(widget.RoleBad, widget.SurfacePlain, " ✗ "+err.Error(), w, widget.AlignLeft)
	}
	return widget.Rule(s, r.Describe(b.job.hasMore), completions, w)
}
