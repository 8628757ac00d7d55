package workbench

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/results"
)

// askScan asks before a whole table is read.
func (rn *runner) askScan(request *accesspatterns.Request) tea.Cmd {
	j, p := rn.b.job, rn.b.job.pattern
	rn.b.Box = overlay.NewQuestion("Read the whole table?", "SCAN", "Read it", func() tea.Cmd {
		if rn.b.job != j {
			return nil
		}
		j.consented = true
		return rn.Start(request)
	}, "There is no index for this question: every item of "+p.Table.Name+" is read, and what does not fit is thrown "+
		"away after it was paid for.",
		"asking how large it is …",
		"It is read page by page; esc stops it, n goes on, and N reads to the end.")
	return results.AskSize(rn.b.ctx, rn.b.env.Workspace, p.Table, request.Read.Index)
}

// toggleReveal asks for the reason to show personal data, or hides it again.
func (fo *focusRing) toggleReveal() tea.Cmd {
	fo.b.draw.preview.Forget()
	return fo.b.ToggleReveal(fo.b.env, fo.b.job.pattern.FullID())
}

// checkMasker hides or shows again what was revealed or hidden elsewhere.
func (fo *focusRing) checkMasker() {
	if fo.b.job != nil {
		fo.b.job.checkMasker()
	}
}

// Remask filters and sorts anew what was arranged by values that are hidden or
// shown by now.
func (b *Workbench) Remask() tea.Cmd {
	b.panes.checkMasker()
	if b.job == nil || !b.job.rows.Stale() {
		return nil
	}
	return b.runs.rearrange(b.job)
}

var (
	_ overlay.Overlay = (*sortBox)(nil)
	_ overlay.Overlay = (*columnsBox)(nil)
	_ overlay.Overlay = (*valueBox)(nil)
)
