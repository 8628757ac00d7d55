package documents

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/internal/sweep"
	"github.com/ddbdesk/ddbdesk/models"
)

// SweepLines describes for people what a sweep would do.
func SweepLines(p sweep.Preview, m *models.Masker) []string {
	lines := []string{
		fmt.Sprintf("%s, over %s", p.Selection.Action.Title, p.Selection.Pattern.ID),
		fmt.Sprintf("%s selected of %s read, %g RCU", english.Plural(p.Selected, "item", ""), humanize.Comma(int64(p.Read)),
			Capacity(p.ReadCapacity)),
		fmt.Sprintf("%s to change, about %s WCU%s", english.Plural(p.Planned, "item", ""), humanize.Commaf(p.Capacity), priceText(p)),
	}
	return append(append(lines, p.Notes...), SweepDetails(p, m)...)
}

// SweepDetails lists why items are not changed, and some of the plans.
func SweepDetails(p sweep.Preview, m *models.Masker) []string {
	var lines []string
	if n := p.Selected - p.Planned; n > 0 {
		lines = append(lines, "", english.Plural(n, "item", "")+" not to change:")
	}
	for _, o := range p.Obstacles {
		lines = append(lines, fmt.Sprintf("%7s  %s: %s (such as %s)", humanize.Comma(int64(o.Count)), o.Status, o.Why, o.Example))
	}
	for i, plan := range p.Samples {
		lines = append(lines, "", fmt.Sprintf("Sample %d of %d", i+1, len(p.Samples)), strings.TrimRight(plan.Shown(m).Text(), "\n"))
	}
	return lines
}

// priceText is the estimated price of a sweep, after its capacity.
func priceText(p sweep.Preview) string {
	if p.Provisioned {
		return " of the provisioned capacity"
	}
	if cent := 0.01; p.Price() < cent {
		return ", less than $0.01 on demand in us-east-1"
	}
	return fmt.Sprintf(", about $%.2f on demand in us-east-1", p.Price())
}
