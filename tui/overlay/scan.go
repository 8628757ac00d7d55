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
	yes      func() tea.Cmd
	question *Question // nil for a scan that is not asked about
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
	return size(ctx, env, t, read, q.Yes, q)
}

// ScanSmall begins a scan that AskScan does not ask about, and does nothing for a larger one. The caller passes the
// ScanSizedMsg to ScanSized.
func (c *Host) ScanSmall(ctx context.Context, env *screen.Env, t *models.Table, read accesspatterns.Read, yes func() tea.Cmd) tea.Cmd {
	if env.ScanLimit <= 0 || env.Session.Production() {
		return nil
	}
	return size(ctx, env, t, read, yes, nil)
}

func size(
	ctx context.Context, env *screen.Env, t *models.Table, read accesspatterns.Read, yes func() tea.Cmd, q *Question,
) tea.Cmd {
	s, limit := env.Workspace, env.ScanLimit
	return func() tea.Msg {
		msg := sizeOf(ctx, s, t, read)
		return ScanSizedMsg{yes, q, msg, msg.Estimate.Segments > 0 && msg.Estimate.ReadUnits <= limit}
	}
}

// ScanSized begins the scan, or asks for consent unless another dialog was opened meanwhile.
func (c *Host) ScanSized(msg ScanSizedMsg) tea.Cmd {
	switch {
	case c.Box != nil:
		return nil
	case msg.free:
		return msg.yes()
	case msg.question == nil:
		return nil
	}
	msg.question.sized(msg.sized)
	c.Box = msg.question
	return nil
}
