package reading

import (
	"context"
	"strconv"
	"strings"

	session "github.com/ddbdesk/ddbdesk/internal/core"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// Unlimited as Options.Budget lets reads cost what they cost.
const Unlimited = -1

const (
	// politeShare is the part of a production table's provisioned read units that
	// long reads may take, when nothing else is said.
	politeShare = 0.25
	// politeBudget is what they may take on demand, in read units per second: a
	// small part of the 12,000 that a new table serves. Source: Amazon DynamoDB
	// Developer Guide, "DynamoDB on-demand capacity mode", initial throughput.
	politeBudget = 500
	// maxBudget is more than any table serves.
	maxBudget = 1e9
)

// ParseBudget reads a budget as a person writes it: read units per second, or
// "none" for Unlimited. "" is 0: nothing was said.
func ParseBudget(text string) (float64, error) {
	switch text = strings.TrimSpace(text); text {
	case "":
		return 0, nil
	case "none":
		return Unlimited, nil
	}
	units, err := strconv.ParseFloat(text, 64)
	if err != nil || !(units > 0 && units <= maxBudget) {
		return 0, session.InputErrorf("invalid budget %q; give RCU per second, such as 100, or none", models.Truncate(models.Printable(text), 48))
	}
	return units, nil
}

// budget returns the read units per second that long reads of the table may
// take, 0 for no bound. It describes the table where the answer depends on that.
func (rd *Reader) budget(ctx context.Context, table string) (float64, error) {
	if rd.s.Budget() != 0 || !rd.s.Production() {
		return rd.budgetOf(store.TableInfo{}), nil
	}
	info, err := rd.tables.Describe(ctx, table)
	if err != nil && store.ClassOf(err) != store.AccessDenied {
		return 0, err
	}
	return rd.budgetOf(info), nil
}

// budgetOf is budget of a table that was described.
func (rd *Reader) budgetOf(info store.TableInfo) float64 {
	switch {
	case rd.s.Budget() != 0:
		return max(rd.s.Budget(), 0)
	case !rd.s.Production():
		return 0
	case info.ReadUnits > 0:
		return max(politeShare*float64(info.ReadUnits), 1)
	}
	return politeBudget
}

// paced returns the reader for whole tables and long answers. A person's single
// questions do not go through it: they never wait for a scan.
func (rd *Reader) paced(ctx context.Context, t *models.Table) (*store.Pacer, error) {
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
