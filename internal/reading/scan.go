package reading

import (
	"context"
	"fmt"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	session "github.com/ddbdesk/ddbdesk/internal/core"
)

// scanRefusal asks for consent; size is what is known of the table, or "".
func scanRefusal(p *accesspatterns.Pattern, size string) *session.Refusal {
	if size != "" {
		size = " (" + size + ")"
	}
	return &session.Refusal{
		Why:  fmt.Sprintf("%s reads the whole table %s%s", p.FullID(), p.Table.Name, size),
		Next: "add --allow-scan to agree to what that costs",
	}
}

// RefuseScan is the refusal of a pattern that reads a whole table, with what
// that takes. A table that cannot be described is refused without.
func (rd *Reader) RefuseScan(ctx context.Context, p *accesspatterns.Pattern) error {
	e, err := rd.Estimate(ctx, p.Table, p.Read.Index)
	if err != nil {
		return scanRefusal(p, "")
	}
	return scanRefusal(p, e.String())
}
