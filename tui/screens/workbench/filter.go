package workbench

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// rowFilter is the line that filters the rows of the selected pattern. The rows follow
// while the user types; the cursor returns to its item when it matches again.
type rowFilter struct {
	b      *Workbench
	line   *widget.Form
	typing bool // it has the keys
}

func (f *rowFilter) start() tea.Cmd {
	b := f.b
	if b.focus == panePatterns || !b.job.gridded() {
		b.setFocus(panePatterns)
		b.list.StartTyping()
		return nil
	}
	f.typing = true
	b.job.rows.Anchor(true)
	f.line.SetValues(map[string]string{"filter": b.job.rows.Typed.Text})
	f.line.SetFocused(true)
	b.setFocus(paneRows)
	return nil
}

func (f *rowFilter) press(msg tea.KeyPressMsg) tea.Cmd {
	switch msg.String() {
	case "esc":
		return f.clear()
	case "enter", "down":
		if f.b.job.rows.Typed.Problem == nil {
			f.stop()
		}
		return nil
	case "tab":
		return f.complete()
	}
	return f.feed(msg)
}

func (f *rowFilter) complete() tea.Cmd {
	text, r := f.line.Values()["filter"], f.b.job.rows
	tail, choices := rows.Complete(text, r.Fields(), results.FilterChoices)
	if tail != "" {
		f.line.SetValues(map[string]string{"filter": text + tail})
		return f.feed(nil)
	}
	if len(choices) == 0 && r.Typed.Problem == nil {
		f.stop()
	}
	return nil
}

func (f *rowFilter) feed(msg tea.Msg) tea.Cmd {
	cmd, _ := f.line.Update(msg)
	if !f.b.job.rows.SetFilter(f.line.Values()["filter"]) {
		return cmd
	}
	return tea.Batch(cmd, f.b.job.rows.Rearrange())
}

func (f *rowFilter) leave() {
	if !f.typing {
		return
	}
	f.typing = false
	f.b.job.rows.Anchor(false)
	f.line.SetFocused(false)
}

func (f *rowFilter) stop() {
	f.leave()
	f.b.setFocus(paneRows)
}

func (f *rowFilter) clear() tea.Cmd {
	f.stop()
	f.line.SetValues(map[string]string{"filter": ""})
	if !f.b.job.rows.SetFilter("") {
		return nil
	}
	return f.b.job.rows.Rearrange()
}

func (f *rowFilter) view(w int) string {
	f.line.SetSize(max(w, 0), 1)
	return f.line.View()
}

func (f *rowFilter) viewAnswer(w int) string {
	s, r := f.b.env.Styles, f.b.job.rows
	_, choices := rows.Complete(r.Typed.Text, r.Fields(), results.FilterChoices)
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
	return widget.Rule(s, r.Account(f.b.job.more), completions, w)
}
