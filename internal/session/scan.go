// This file refuses to read a whole table without consent, and says what that
// would cost.

package session

import (
	"context"
	"fmt"

	core "github.com/ddbdesk/ddbdesk/internal/core"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
)

// scanRefusal asks for consent; size is what is known of the table, or "".
func scanRefusal(p *accesspatterns.Pattern, size string) *core.Refusal {
	if size != "" {
		size = " (" + size + ")"
	}
	return &core.Refusal{
		Why:  fmt.Sprintf("%s reads the whole table %s%s", p.FullID(), p.Table.Name, size),
		Next: "add --allow-scan to agree to what that costs",
	}
}

// RefuseScan is the refusal of a pattern that reads a whole table, with what
// that takes. A table that cannot be described is refused without.
func (s *Session) RefuseScan(ctx context.Context, p *accesspatterns.Pattern) error {
	e, err := s.Estimate(ctx, p.Table, p.Read.Index)
	if err != nil {
		return scanRefusal(p, "")
	}
	return scanRefusal(p, e.String())
}
