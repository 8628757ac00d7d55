// This file remembers what the store refused to the session's credentials, so
// that it can be said before it is tried again.

package session

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A Denial is something that the credentials may not do, as the store said last.
type Denial struct {
	accesspatterns.Permission
	Explicit bool // a policy says no; another that says yes would not help
	At       time.Time
}

// What says what is missing in IAM's words.
func (d Denial) What() string { return "no permission: " + models.Printable(d.String()) }

// Advice says what to do about it.
func (d Denial) Advice() string {
	if d.Explicit {
		return "a policy denies it explicitly: ask for that to be lifted"
	}
	return "ask for a policy that allows it to your role"
}

// refusals are the denials of a session. Policies change, so nothing is ever
// blocked by them: asking again is allowed, and success clears one.
type refusals struct {
	clock func() time.Time

	mu      sync.Mutex
	denied  []Denial // oldest first
	version uint64
}

// note takes in how requests ended that needed these permissions.
func (r *refusals) note(needed []accesspatterns.Permission, err error) {
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
		// Whatever comes next comes with other credentials.
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

// drop forgets denials.
func (r *refusals) drop(which func(Denial) bool) {
	before := len(r.denied)
	r.denied = slices.DeleteFunc(r.denied, which)
	if len(r.denied) != before {
		r.version++
	}
}

// first returns the first of the permissions that was denied, nil when none was.
func (r *refusals) first(needed []accesspatterns.Permission) *Denial {
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

// Denied lists what the store refused to the session's credentials and did not
// allow since, oldest first.
func (s *Session) Denied() []Denial {
	s.refused.mu.Lock()
	defer s.refused.mu.Unlock()
	return slices.Clone(s.refused.denied)
}

// A watchedReader tells what was refused, and names the schema in what it says.
type watchedReader struct {
	store.Reader
	seen   *refusals
	schema string
}

// Fetch implements store.Reader.
func (w watchedReader) Fetch(ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error) {
	page, err := w.Reader.Fetch(ctx, leg, start, limit)
	w.seen.note(leg.Permissions(), err)
	return page, inSchema(w.schema, err)
}

// BatchGet implements store.Reader.
func (w watchedReader) BatchGet(ctx context.Context, table string, keys []models.Item) ([]models.Item, error) {
	items, err := w.Reader.BatchGet(ctx, table, keys)
	w.seen.note(onTable("BatchGetItem", table), err)
	return items, inSchema(w.schema, err)
}

// DescribeTable implements store.Reader.
func (w watchedReader) DescribeTable(ctx context.Context, table string) (store.TableInfo, error) {
	info, err := w.Reader.DescribeTable(ctx, table)
	w.seen.note(onTable("DescribeTable", table), err)
	return info, inSchema(w.schema, err)
}

// DescribeTTL implements store.Reader.
func (w watchedReader) DescribeTTL(ctx context.Context, table string) (attribute string, enabled bool, err error) {
	attribute, enabled, err = w.Reader.DescribeTTL(ctx, table)
	w.seen.note(onTable("DescribeTimeToLive", table), err)
	return attribute, enabled, inSchema(w.schema, err)
}

// A watchedWriter tells what was refused, and names the schema in what it says.
type watchedWriter struct {
	store.Writer
	seen   *refusals
	schema string
}

// Commit implements store.Writer.
func (w watchedWriter) Commit(ctx context.Context, b accesspatterns.Batch) (store.Committed, error) {
	done, err := w.Writer.Commit(ctx, b)
	w.seen.note(b.Permissions(), err)
	return done, inSchema(w.schema, err)
}

// schemaName is what commands call the profile: its name, or the file that it
// was read from.
func schemaName(p *profiles.Profile) string {
	if strings.HasPrefix(p.File, "builtin:") || p.File == "" {
		return p.Name
	}
	return models.Printable(p.File)
}

// inSchema names the schema in what an error advises: the store knows none.
func inSchema(schema string, err error) error {
	var e *store.Error
	if !errors.As(err, &e) || !strings.Contains(e.Advice, "SCHEMA") {
		return err
	}
	named := *e
	named.Advice = strings.ReplaceAll(e.Advice, "SCHEMA", schema)
	return &named
}

func onTable(operation, table string) []accesspatterns.Permission {
	return []accesspatterns.Permission{{Action: "dynamodb:" + operation, Table: table}}
}

// watch puts the memory of refusals between the session and its store.
func (s *Session) watch() {
	s.refused.clock = s.Now
	if s.o.Store != nil {
		s.o.Store = watchedReader{s.o.Store, &s.refused, schemaName(s.o.Profile)}
	}
	if s.o.Writer != nil {
		s.o.Writer = watchedWriter{s.o.Writer, &s.refused, schemaName(s.o.Profile)}
	}
}
