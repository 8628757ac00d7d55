// Package requests stores planned changes in a table until another user applies them. The table has its own schema,
// which ddbdesk interprets like any schema: a request is an item with a lifecycle, and a decision is an action with
// conditions and an audit entry. Applying a request combines the plans of the change and the decision in one
// transaction.
package requests

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// keyPrefix is the prefix of every partition key in this package.
const keyPrefix = "DDBDESK#"

//go:embed requests.yaml
var profileText string

// A Place is the table of change requests and the names of its key attributes.
type Place struct {
	Table, PartitionKey, SortKey string
}

// DefaultTable is the name of the change request table in the documentation.
const DefaultTable = "ddbdesk-requests"

// PlaceFor returns the place that a context names, or else the place in the schema, which may be nil. A table in the
// schema uses its declared keys; any other table uses PK and SK. PlaceFor returns an error if no table is configured,
// or if the table is unsuitable: it needs a partition key and a sort key of type S. The table may differ from the
// items' table. PlaceFor does not check whether it exists.
func PlaceFor(p *profiles.Profile, table string) (Place, error) {
	if table == "" && p != nil {
		table = p.Requests
	}
	if table == "" {
		return Place{}, session.NoRequestsTable()
	}
	place := Place{table, "PK", "SK"}
	if p == nil {
		return place, checkName(table)
	}
	t := p.Table(table)
	if t == nil {
		return place, checkName(table)
	}
	if t.PartitionKey.Type != "S" || t.SortKey.Name == "" || t.SortKey.Type != "S" {
		return Place{}, session.InputErrorf("table %s cannot store requests: it needs a partition key and a sort key of type S", t.Name)
	}
	return Place{t.Name, t.PartitionKey.Name, t.SortKey.Name}, nil
}

func checkName(table string) error {
	if !models.IsTableName(table) {
		return session.InputErrorf("invalid name of the requests table: %q", models.Printable(table))
	}
	return nil
}

// NewProfile returns the schema of the change requests in a place. It quotes the names as YAML, so any valid name is
// safe.
func NewProfile(at Place) (*profiles.Profile, error) {
	// Do not use text/template: it calls methods by name, so the linker would keep all methods (6 MB).
	text := strings.NewReplacer(
		"[[table]]", strconv.Quote(at.Table), "[[partition key]]", strconv.Quote(at.PartitionKey), "[[sort key]]",
		strconv.Quote(at.SortKey),
	).Replace(profileText)
	p, err := profiles.Load("builtin:requests.yaml", []byte(text), nil)
	if err != nil {
		return nil, fmt.Errorf("requests table %s: %w", models.Printable(at.Table), err)
	}
	return p, nil
}
