package session

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A Denial is a permission that the credentials lack, according to the last request.
type Denial struct {
	accesspatterns.Permission
	Explicit bool // by an explicit deny, which no other policy overrides
	At       time.Time
}

// What names the permission in IAM's terms.
func (d Denial) What() string { return "no permission: " + models.Printable(d.String()) }

// Advice says what to do about it.
func (d Denial) Advice() string {
	if d.Explicit {
		return "a policy denies it explicitly; ask an administrator to lift that"
	}
	return "ask an administrator to allow it for your role"
}

// Denials are the permissions that the credentials of a session lack. They block nothing, because policies
// change: a request may be sent again, and its success clears them. Denials is safe for concurrent use.
type Denials struct {
	clock func() time.Time

	mu      sync.Mutex
	denied  []Denial // oldest first
	version uint64
}

// note records how requests ended that needed these permissions.
func (r *Denials) note(needed []accesspatterns.Permission, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.drop(func(d Denial) bool { return slices.Contains(needed, d.Permission) })
		return
	}
	var failed *store.Error
	if !errors.As(err, &failed) {
		return
	}
	switch failed.Class {
	case store.ExpiredCredentials, store.NoCredentials:
		// The next requests use other credentials.
		r.drop(func(Denial) bool { return true })
		return
	default:
	}
	missing, ok := failed.Denied()
	if !ok {
		return
	}
	next := Denial{Permission: missing, Explicit: failed.Explicit(), At: r.clock()}
	if i := slices.IndexFunc(r.denied, func(d Denial) bool { return d.Permission == missing }); i >= 0 {
		r.denied[i] = next
		return
	}
	r.denied = append(r.denied, next)
	r.version++
}

// drop removes denials.
func (r *Denials) drop(which func(Denial) bool) {
	before := len(r.denied)
	r.denied = slices.DeleteFunc(r.denied, which)
	if len(r.denied) != before {
		r.version++
	}
}

// First returns the denial of the first of the permissions that was denied, nil when none was.
func (r *Denials) First(needed []accesspatterns.Permission) *Denial {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range needed {
		for _, d := range r.denied {
			if d.Permission == p {
				return &d
			}
		}
	}
	return nil
}

// List returns the denials, oldest first.
func (r *Denials) List() []Denial {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.denied)
}

// Version is a number that changes whenever a denial comes or goes.
func (r *Denials) Version() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.version
}

// A watchedReader notes denied permissions and puts the schema's name into errors.
type watchedReader struct {
	store.Reader
	seen   *Denials
	schema string
}

// Fetch implements store.Reader.
func (w watchedReader) Fetch(ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error) {
	page, err := w.Reader.Fetch(ctx, leg, start, limit)
	w.seen.note(leg.Permissions(), err)
	return page, NameSchema(w.schema, err)
}

// BatchGet implements store.Reader.
func (w watchedReader) BatchGet(ctx context.Context, table string, keys []models.Item) ([]models.Item, error) {
	items, err := w.Reader.BatchGet(ctx, table, keys)
	w.seen.note(OnTable("BatchGetItem", table), err)
	return items, NameSchema(w.schema, err)
}

// DescribeTable implements store.Reader.
func (w watchedReader) DescribeTable(ctx context.Context, table string) (store.TableInfo, error) {
	info, err := w.Reader.DescribeTable(ctx, table)
	w.seen.note(OnTable("DescribeTable", table), err)
	return info, NameSchema(w.schema, err)
}

// DescribeTTL implements store.Reader.
func (w watchedReader) DescribeTTL(ctx context.Context, table string) (attribute string, enabled bool, err error) {
	attribute, enabled, err = w.Reader.DescribeTTL(ctx, table)
	w.seen.note(OnTable("DescribeTimeToLive", table), err)
	return attribute, enabled, NameSchema(w.schema, err)
}

// A watchedWriter notes denied permissions and puts the schema's name into errors.
type watchedWriter struct {
	store.Writer
	seen   *Denials
	schema string
}

// Commit implements store.Writer.
func (w watchedWriter) Commit(ctx context.Context, b change.Batch) (store.Committed, error) {
	done, err := w.Writer.Commit(ctx, b)
	w.seen.note(b.Permissions(), err)
	return done, NameSchema(w.schema, err)
}

// SchemaName is what commands call the schema: the name of a built-in one, or the file it was read from.
func SchemaName(p *profiles.Profile) string {
	if strings.HasPrefix(p.File, "builtin:") || p.File == "" {
		return p.Name
	}
	return models.Printable(p.File)
}

// NameSchema puts the schema's name into the advice of a store error, because the store knows no schema. It returns
// any other error as it is.
func NameSchema(schema string, err error) error {
	var e *store.Error
	if !errors.As(err, &e) || !strings.Contains(e.Advice, "SCHEMA") {
		return err
	}
	named := *e
	named.Advice = strings.ReplaceAll(e.Advice, "SCHEMA", schema)
	return &named
}

// OnTable is the permission for an operation on a table.
func OnTable(operation, table string) []accesspatterns.Permission {
	return []accesspatterns.Permission{{Action: "dynamodb:" + operation, Table: table}}
}
