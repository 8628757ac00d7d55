package reading

import (
	"context"
	"fmt"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

const (
	// segmentBytes is the amount of data that one segment of a scan reads, in bytes.
	segmentBytes = 64 << 20
	// maxSegments is the maximum number of segments of a scan. More segments than a budget or a client can use would
	// only make the page token longer.
	maxSegments = 16
	// unknownSegments is the number of segments for a table without permission to describe it.
	unknownSegments = 4
)

// An Estimate is the estimated cost of scanning a table or an index. DynamoDB updates the underlying figures about
// every six hours.
type Estimate struct {
	Items, Bytes int64
	ReadUnits    float64 // for the whole scan, eventually consistent
	Segments     int     // segments read in parallel
	Budget       float64 // RCU per second, 0 for no limit

	plain bool // for role support, which does not see bytes and RCU
	exact bool // the database is on this machine, so a scan costs nothing and the figures are current
}

// Estimate returns the cost of scanning a table, or its index x if x is not nil. It describes the table once per
// session. It returns the error of describing the table; without permission, there is no estimate. The estimate may be
// 0 for a table that was filled within the last six hours.
func (rd *Reader) Estimate(ctx context.Context, t *models.Table, x *models.Index) (Estimate, error) {
	info, err := rd.tables.Describe(ctx, t.Name)
	if err != nil {
		return Estimate{}, err
	}
	e := Estimate{Items: info.ApproximateItems, Bytes: info.ApproximateBytes, plain: rd.s.Plain(), exact: rd.s.Target().IsLocal()}
	if x != nil {
		live, _ := info.Index(x.Name)
		e.Items, e.Bytes = live.ApproximateItems, live.ApproximateBytes
	}
	e.ReadUnits = scanUnits(e.Bytes)
	e.Segments = int(min(max(e.Bytes+segmentBytes-1, 0)/segmentBytes, maxSegments))
	e.Segments = max(e.Segments, 1)
	e.Budget = budgetOf(rd.s, info)
	return e, nil
}

// EstimateScan returns the cost of a read that scans. A consistent read costs twice as much.
func (rd *Reader) EstimateScan(ctx context.Context, t *models.Table, read accesspatterns.Read) (Estimate, error) {
	e, err := rd.Estimate(ctx, t, read.Index)
	if read.Consistent {
		e.ReadUnits *= 2
	}
	return e, err
}

// scanUnits returns the RCU of an eventually consistent scan, half a unit per 4 KB. Source: Amazon DynamoDB
// Developer Guide, "DynamoDB read consistency" and "Read capacity units".
func scanUnits(bytes int64) float64 {
	const block = 4096
	return float64((max(bytes, 0)+block-1)/block) / 2
}

// Page returns the RCU for a page with the given number of average items, eventually consistent.
func (e Estimate) Page(items int) float64 {
	n := min(int64(items), e.Items)
	if n <= 0 {
		return scanUnits(1)
	}
	return scanUnits(max(e.Bytes*n/e.Items, 1))
}

// Plus returns the cost of both scans, one after the other. Segments is the larger number, and Budget the smaller
// limit.
func (e Estimate) Plus(o Estimate) Estimate {
	sum := Estimate{
		Items: e.Items + o.Items, Bytes: e.Bytes + o.Bytes, ReadUnits: e.ReadUnits + o.ReadUnits,
		Segments: max(e.Segments, o.Segments), Budget: e.Budget,
		plain: e.plain || o.plain, exact: e.exact && o.exact,
	}
	if e.Budget == 0 || o.Budget > 0 && o.Budget < e.Budget {
		sum.Budget = o.Budget
	}
	return sum
}

// Sequential returns the estimate for reading the same bytes as one stream.
func (e Estimate) Sequential() Estimate {
	e.ReadUnits, e.Segments = scanUnits(e.Bytes), 1
	return e
}

// Duration returns how long the scan takes at the budget, or 0 without a budget.
func (e Estimate) Duration() time.Duration {
	if e.Budget <= 0 {
		return 0
	}
	return max(time.Duration(e.ReadUnits/e.Budget*float64(time.Second)).Round(time.Second), time.Second)
}

// String returns the estimate on one line. If the size is 0 bytes, it omits the size and everything derived from it,
// because some servers only count items.
func (e Estimate) String() string {
	text, figures := "about "+humanize.Comma(e.Items)+" items", "this figure"
	if e.plain {
		if !e.exact {
			text += "; the scan is billed for all of them"
		}
		if d := e.Duration(); d > time.Second {
			text += fmt.Sprintf("; about %s", d)
		}
		return text
	}
	if e.Bytes > 0 {
		text += fmt.Sprintf(", %s, %s RCU", ByteSize(e.Bytes), decimal(e.ReadUnits))
		figures = "these figures"
	}
	if !e.exact {
		text += "; DynamoDB updates " + figures + " every six hours"
	}
	if e.Segments > 1 {
		text += fmt.Sprintf("; %d parallel segments", e.Segments)
	}
	switch {
	case e.Budget > 0 && e.Bytes > 0:
		text += fmt.Sprintf("; about %s at %s RCU/s", e.Duration(), decimal(e.Budget))
	case e.Budget > 0:
		text += fmt.Sprintf("; at most %s RCU/s", decimal(e.Budget))
	}
	return text
}

// ByteSize formats a number of bytes with a unit. Units are multiples of 1024.
func ByteSize(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}

func (rd *Reader) scanRefusal(p *accesspatterns.Pattern, size string) *session.Refusal {
	if size != "" {
		size = " (" + size + ")"
	}
	if p.CustomQuery != nil {
		return session.Refusef(rd.acceptCost(), "this scan reads the whole table %s%s", p.Table.Name, size)
	}
	return session.Refusef(rd.acceptCost(), "%s reads the whole table %s%s", p.Term(), p.Table.Name, size)
}

func (rd *Reader) acceptCost() string {
	return "to accept the cost, run " + rd.s.Again("--allow-scan", "")
}

// ScanRefusal returns the refusal to scan a whole table for a pattern. It includes an estimate of the cost if the table
// can be described. The error is always a *session.Refusal.
func (rd *Reader) ScanRefusal(ctx context.Context, p *accesspatterns.Pattern) error {
	e, err := rd.EstimateScan(ctx, p.Table, p.Read)
	if err != nil {
		return rd.scanRefusal(p, "")
	}
	return rd.scanRefusal(p, e.String())
}

// CostOf describes the estimated cost of reading whole tables, or returns "" if no table can be described.
func (rd *Reader) CostOf(ctx context.Context, tables []*models.Table) string {
	var sum Estimate
	described := false
	for _, t := range tables {
		if e, err := rd.Estimate(ctx, t, nil); err == nil {
			sum, described = sum.Plus(e), true
		}
	}
	if !described {
		return ""
	}
	return sum.String()
}

// CheckWholeTables returns the refusal to read whole tables of production without consent, with an estimate of the
// cost. subject names the work that would read them. Outside of production it returns nil, because starting the work is
// sufficient consent. tables must not be empty.
func (rd *Reader) CheckWholeTables(ctx context.Context, subject string, tables []*models.Table) error {
	if !rd.s.Production() {
		return nil
	}
	whole := fmt.Sprintf("the whole table %s", tables[0].Name)
	if len(tables) > 1 {
		whole = fmt.Sprintf("%d whole tables", len(tables))
	}
	if cost := rd.CostOf(ctx, tables); cost != "" {
		whole += " (" + cost + ")"
	}
	return &session.Refusal{Reason: subject + " on production would scan " + whole, Advice: rd.acceptCost()}
}
