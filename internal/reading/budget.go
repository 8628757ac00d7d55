package reading

import (
	"context"
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// Unlimited is the value of session.Options.Budget for reads without a limit.
const Unlimited = -1

const (
	// productionShare is the share of a production table's provisioned RCU that long reads use by default.
	productionShare = 0.25
	// onDemandBudget is the default limit on demand in RCU per second, a small part of the 12,000 that a new table
	// provides. Source: Amazon DynamoDB Developer Guide, "DynamoDB on-demand capacity mode", initial throughput.
	onDemandBudget = 500
	// maxBudget is more than any table can provide.
	maxBudget = 1e9
)

// ParseBudget parses a budget in RCU per second, or "none" for Unlimited. It returns 0, the default budget, for
// "". Any other result is greater than 0 and at most 1e9. The error wraps session.ErrInput.
func ParseBudget(text string) (float64, error) {
	switch text = strings.TrimSpace(text); text {
	case "":
		return 0, nil
	case "none":
		return Unlimited, nil
	}
	units, err := strconv.ParseFloat(text, 64)
	if err != nil || !(units > 0 && units <= maxBudget) {
		return 0, session.InputErrorf(
			"invalid budget %q; use RCU per second, such as 100, or none", models.Truncate(models.Printable(text), 48),
		)
	}
	return units, nil
}

// budget returns RCU per second, or 0 for no limit. It describes the table if the limit depends on the table.
func (rd *Reader) budget(ctx context.Context, table string) (float64, error) {
	if rd.s.Budget() != 0 || !rd.s.Production() {
		return budgetOf(rd.s, store.TableInfo{}), nil
	}
	info, err := rd.tables.Describe(ctx, table)
	if err != nil && store.ClassOf(err) != store.AccessDenied {
		return 0, err
	}
	return budgetOf(rd.s, info), nil
}

func budgetOf(v *session.Viewer, info store.TableInfo) float64 {
	switch {
	case v.Budget() != 0:
		return max(v.Budget(), 0)
	case !v.Production():
		return 0
	case info.ReadUnits > 0:
		return max(productionShare*float64(info.ReadUnits), 1)
	}
	return onDemandBudget
}

// Paced returns the store reader for scans and long reads of a table, which stays within the budget. Single queries do
// not use it, so that they never wait for a scan. All reads of the table in this session share the pacer, so that two
// scans do not use the budget twice.
func (rd *Reader) Paced(ctx context.Context, t *models.Table) (*store.Pacer, error) {
	rd.mu.Lock()
	p := rd.pacers[t.Name]
	rd.mu.Unlock()
	if p != nil {
		return p, nil
	}
	budget, err := rd.budget(ctx, t.Name)
	if err != nil {
		return nil, err
	}
	rd.mu.Lock()
	defer rd.mu.Unlock()
	if p = rd.pacers[t.Name]; p == nil {
		p = store.NewPacer(rd.s.Store(), budget)
		rd.pacers[t.Name] = p
	}
	return p, nil
}
