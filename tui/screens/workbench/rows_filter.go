package workbench

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	rowset "github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// startFilter types into the filter of the patterns or of the rows.
func (b *Workbench) startFilter() tea.Cmd {
	if b.focus == panePatterns || !b.job.gridded() {
		b.setFocus(panePatterns)
		b.list.StartTyping()
		return nil
	}
	b.finding, b.job.anchor = true, b.job.place()
	b.filter.SetValues(map[string]string{"filter": b.job.rows.Typed.Text})
	b.filter.SetFocused(true)
	b.setFocus(paneRows)
	return nil
}

func (b *Workbench) pressFilter(msg tea.KeyPressMsg) tea.Cmd {
	switch msg.String() {
	case "esc":
		return b.clearFilter()
	case "enter", "down":
		if b.job.rows.Typed.Problem == nil {
			b.stopFilter()
		}
		return nil
	case "tab":
		return b.completeFilter()
	}
	return b.typeFilter(msg)
}

// completeFilter goes on as the only way, or the common part of all, says.
// Without one it goes to the rows.
func (b *Workbench) completeFilter() tea.Cmd {
	text := b.filter.Values()["filter"]
	tail, choices := rowset.Complete(text, b.job.rows.SieveSchema(), results.FilterChoices)
	if tail != "" {
		b.filter.SetValues(map[string]string{"filter": text + tail})
		return b.typeFilter(nil)
	}
	if len(choices) == 0 && b.job.rows.Typed.Problem == nil {
		b.stopFilter()
	}
	return nil
}

func (b *Workbench) typeFilter(msg tea.Msg) tea.Cmd {
	cmd, _ := b.filter.Update(msg)
	if !b.job.rows.SetFilter(b.filter.Values()["filter"]) {
		return cmd
	}
	return tea.Batch(cmd, b.rearrange(b.job))
}

func (b *Workbench) stopFilter() {
	b.finding = false
	b.filter.SetFocused(false)
	b.setFocus(paneRows)
}

func (b *Workbench) clearFilter() tea.Cmd {
	b.stopFilter()
	b.filter.SetValues(map[string]string{"filter": ""})
	if !b.job.rows.SetFilter("") {
		return nil
	}
	return b.rearrange(b.job)
}

// viewFilter is the line that is typed into.
func (b *Workbench) viewFilter(w int) string {
	b.filter.SetSize(max(w, 0), 1)
	return b.filter.View()
}

// viewAnswer is the line under the filter: what is wrong, or what came of it and
// how it can go on.
func (b *Workbench) viewAnswer(w int) string {
	s, r := b.env.Styles, b.job.rows
	_, choices := rowset.Complete(r.Typed.Text, r.SieveSchema(), results.FilterChoices)
	goOn := ""
	if len(choices) > 0 {
		goOn = "tab " + strings.Join(choices, " · ")
	}
	switch err := r.Typed.Problem; {
	case errors.Is(err, rowset.ErrIncomplete) && goOn != "":
		return widget.Rule(s, "… needs a value: "+goOn, "", w)
	case errors.Is(err, rowset.ErrIncomplete):
		return widget.Rule(s, "… "+err.Error(), "", w)
	case err != nil:
		return s.PaintCell(widget.RoleBad, widget.SurfacePlain, " ✗ "+err.Error(), w, widget.AlignLeft)
	}
	return widget.Rule(s, r.Account(b.job.more), goOn, w)
}
