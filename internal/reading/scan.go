package reading

import (
	"context"
	"fmt"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
)

// scanRefusal asks for consent. size is what is known of the table, "" for nothing.
func scanRefusal(p *accesspatterns.Pattern, size string) *session.Refusal {
	if size != "" {
		size = " (" + size + ")"
	}
	return &session.Refusal{
		Why:  fmt.Sprintf("%s scans the whole table %s%s", p.FullID(), p.Table.Name, size),
		Next: "add --allow-scan to accept the cost",
	}
}

// RefuseScan returns the refusal of a pattern that scans a whole table, with an estimate of the cost where the
// table can be described.
func (rd *Reader) RefuseScan(ctx context.Context, p *accesspatterns.Pattern) error {
	e, err := rd.Estimate(ctx, p.Table, p.Read.Index)
	if err != nil {
		return scanRefusal(p, "")
	}
	return scanRefusal(p, e.String())
}
