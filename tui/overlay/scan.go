package overlay

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// AskSize asks for the size of what a read scans: a table, or its index. A TableSizedMsg
// answers. It sends a DescribeTable at most, which costs no capacity. Without permission for
// it, the size is unknown and the person may scan nevertheless.
func AskSize(ctx context.Context, s *workspace.Workspace, t *models.Table, read accesspatterns.Read) tea.Cmd {
	return func() tea.Msg { return sizeOf(ctx, s, t, read) }
}

func sizeOf(ctx context.Context, s *workspace.Workspace, t *models.Table, read accesspatterns.Read) TableSizedMsg {
	e, err := s.Reading.EstimateScan(ctx, t, read)
	switch {
	case err == nil:
		return TableSizedMsg{Text: e.String(), Estimate: e}
	case tables.Missing(err):
		return TableSizedMsg{Text: err.Error(), Missing: true}
	}
	return TableSizedMsg{Text: "Unknown size: " + err.Error()}
}

// ScanSizedMsg says whether a scan is so small that it needs no consent.
type ScanSizedMsg struct {
	question *Question
	sized    TableSizedMsg
	free     bool
}

// AskScan asks for consent to scan a table, or its index. A scan that costs no more than the limit of the
// configuration is not asked about, except in production. The caller passes the ScanSizedMsg of
// a free scan to ScanSized.
func (c *Host) AskScan(ctx context.Context, env *screen.Env, t *models.Table, read accesspatterns.Read, q *Question) tea.Cmd {
	if env.ScanLimit <= 0 || env.Session.Production() {
		c.Box = q
		return AskSize(ctx, env.Workspace, t, read)
	}
	s, limit := env.Workspace, env.ScanLimit
	return func() tea.Msg {
		msg := sizeOf(ctx, s, t, read)
		return ScanSizedMsg{q, msg, msg.Estimate.Segments > 0 && msg.Estimate.ReadUnits <= limit}
	}
}

// ScanSized begins the scan, or asks for consent unless another dialog was opened meanwhile.
func (c *Host) ScanSized(msg ScanSizedMsg) tea.Cmd {
	switch {
	case c.Box != nil:
		return nil
	case msg.free:
		return msg.question.Yes()
	}
	msg.question.sized(msg.sized)
	c.Box = msg.question
	return nil
}
