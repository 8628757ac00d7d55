package workbench

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// startFilter types into the filter of the patterns or of the rows.
func (rf *rowFilter) startFilter() tea.Cmd {
	if rf.b.focus == panePatterns || !rf.b.job.gridded() {
		rf.b.panes.setFocus(panePatterns)
		rf.b.list.StartTyping()
		return nil
	}
	rf.finding, rf.b.job.anchor = true, rf.b.job.place()
	rf.filter.SetValues(map[string]string{"filter": rf.b.job.rows.Typed.Text})
	rf.filter.SetFocused(true)
	rf.b.panes.setFocus(paneRows)
	return nil
}

func (rf *rowFilter) pressFilter(msg tea.KeyPressMsg) tea.Cmd {
	switch msg.String() {
	case "esc":
		return rf.clearFilter()
	case "enter", "down":
		if rf.b.job.rows.Typed.Problem == nil {
			rf.stopFilter()
		}
		return nil
	case "tab":
		return rf.completeFilter()
	}
	return rf.typeFilter(msg)
}

// completeFilter goes on as the only way, or the common part of all, says.
// Without one it goes to the rows.
func (rf *rowFilter) completeFilter() tea.Cmd {
	text := rf.filter.Values()["filter"]
	tail, choices := rows.Complete(text, rf.b.job.rows.Fields(), results.FilterChoices)
	if tail != "" {
		rf.filter.SetValues(map[string]string{"filter": text + tail})
		return rf.typeFilter(nil)
	}
	if len(choices) == 0 && rf.b.job.rows.Typed.Problem == nil {
		rf.stopFilter()
	}
	return nil
}

func (rf *rowFilter) typeFilter(msg tea.Msg) tea.Cmd {
	cmd, _ := rf.filter.Update(msg)
	if !rf.b.job.rows.SetFilter(rf.filter.Values()["filter"]) {
		return cmd
	}
	return tea.Batch(cmd, rf.b.runs.rearrange(rf.b.job))
}

func (rf *rowFilter) stopFilter() {
	rf.finding = false
	rf.filter.SetFocused(false)
	rf.b.panes.setFocus(paneRows)
}

func (rf *rowFilter) clearFilter() tea.Cmd {
	rf.stopFilter()
	rf.filter.SetValues(map[string]string{"filter": ""})
	if !rf.b.job.rows.SetFilter("") {
		return nil
	}
	return rf.b.runs.rearrange(rf.b.job)
}

// viewFilter is the line that is typed into.
func (rf *rowFilter) viewFilter(w int) string {
	rf.filter.SetSize(max(w, 0), 1)
	return rf.filter.View()
}

// viewAnswer is the line under the filter: what is wrong, or what came of it and
// how it can go on.
func (rf *rowFilter) viewAnswer(w int) string {
	s, r := rf.b.env.Styles, rf.b.job.rows
	_, choices := rows.Complete(r.Typed.Text, r.Fields(), results.FilterChoices)
	goOn := ""
	if len(choices) > 0 {
		goOn = "tab " + strings.Join(choices, " · ")
	}
	switch err := r.Typed.Problem; {
	case errors.Is(err, rows.ErrIncomplete) && goOn != "":
		return widget.Rule(s, "… needs a value: "+goOn, "", w)
	case errors.Is(err, rows.ErrIncomplete):
		return widget.Rule(s, "… "+err.Error(), "", w)
	case err != nil:
		return s.PaintCell(widget.RoleBad, widget.SurfacePlain, " ✗ "+err.Error(), w, widget.AlignLeft)
	}
	return widget.Rule(s, r.Account(rf.b.job.more), goOn, w)
}
