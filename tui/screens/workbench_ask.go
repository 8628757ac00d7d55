package screens

import (
	"context"

	"charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// tableSizedMsg is what DynamoDB says about the size of the table that a
// question is about.
type tableSizedMsg struct {
	text     string
	estimate session.Estimate // zero when it could not be asked
	missing  bool             // there is no such table
}

// askScan asks before a whole table is read.
func (b *Workbench) askScan(request *accesspatterns.Request) tea.Cmd {
	j, p := b.job, b.job.pattern
	b.box = newQuestion("Read the whole table?", "SCAN", "Read it", func() tea.Cmd {
		if b.job != j {
			return nil
		}
		j.consented = true
		return b.start(request)
	}, "There is no index for this question: every item of "+p.Table.Name+" is read, and what does not fit is thrown away after it was paid for.",
		"asking how large it is …",
		"It is read page by page; esc stops it, n goes on, and N reads to the end.")
	return askSize(b.ctx, b.env.Session, p.Table, request.Read.Index)
}

// askSize asks DynamoDB how large a table, or its index x, is; a tableSizedMsg
// answers.
func askSize(ctx context.Context, s *session.Session, t *models.Table, x *models.Index) tea.Cmd {
	return func() tea.Msg {
		e, err := s.Estimate(ctx, t, x)
		switch {
		case err == nil:
			return tableSizedMsg{text: e.String(), estimate: e}
		case session.TableMissing(err):
			return tableSizedMsg{text: err.Error(), missing: true}
		}
		return tableSizedMsg{text: "how large it is could not be asked: " + err.Error()}
	}
}

// toggleReveal asks for the reason to show personal data, or hides it again.
func (b *Workbench) toggleReveal() tea.Cmd {
	b.preview.forget()
	if revealing(b.env) {
		b.env.Session.Hide()
		return Send(NoticeMsg{Text: "personal data is hidden again"})
	}
	b.box = newReveal(b.env, b.job.pattern.FullID())
	return nil
}

// checkMasker hides or shows again what was revealed or hidden elsewhere.
func (b *Workbench) checkMasker() {
	if b.job != nil {
		b.job.checkMasker()
	}
}

// Remask filters and sorts anew what was arranged by values that are hidden or
// shown by now.
func (b *Workbench) Remask() tea.Cmd {
	b.checkMasker()
	if b.job == nil || !b.job.rows.stale() {
		return nil
	}
	return b.rearrange(b.job)
}

var (
	_ box = (*sortBox)(nil)
	_ box = (*columnsBox)(nil)
	_ box = (*valueBox)(nil)
)
