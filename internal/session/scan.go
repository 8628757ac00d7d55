// This file refuses to read a whole table without consent, and says what that
// would cost.

package session

import (
	"context"
	"fmt"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
)

// scanRefusal asks for consent; size is what is known of the table, or "".
func scanRefusal(p *accesspatterns.Pattern, size string) *Refusal {
	if size != "" {
		size = " (" + size + ")"
	}
	return &Refusal{
		Why:  fmt.Sprintf("%s reads the whole table %s%s", p.FullID(), p.Table.Name, size),
		Next: "add --allow-scan to agree to what that costs",
	}
}

// RefuseScan is the refusal of a pattern that reads a whole table, with what
// DynamoDB counted some hours ago: items, and the read units of one scan. A
// table that cannot be described is refused without.
func (s *Session) RefuseScan(ctx context.Context, p *accesspatterns.Pattern) error {
	info, err := s.Table(ctx, p.Table.Name)
	if err != nil {
		return scanRefusal(p, "")
	}
	return scanRefusal(p, scanSize(info.ApproximateItems, info.ApproximateBytes))
}

// scanSize says what a scan costs: an eventually consistent read takes half a
// unit for 4 KB. Source: Amazon DynamoDB Developer Guide, "DynamoDB read
// consistency" and "Read capacity units".
func scanSize(items, bytes int64) string {
	const page = 4096
	units := float64((bytes+page-1)/page) / 2
	size := fmt.Sprintf("%.1f MB", float64(bytes)/(1<<20))
	if bytes < 1<<20 {
		size = fmt.Sprintf("%.1f KB", float64(bytes)/(1<<10))
	}
	return fmt.Sprintf("about %d items, %s, %g read units as of the last count, which DynamoDB makes every six hours", items, size, units)
}
