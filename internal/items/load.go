package items

import (
	"cmp"
	"context"
	"errors"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// loadBatch is the number of items that a Loader collects before it writes them.
const loadBatch = 1000

// A Loader writes items in batches and skips existing keys. The caller must call Flush at the end. A Loader is not safe
// for concurrent use.
type Loader struct {
	conn         *store.Connection
	profile      *profiles.Profile
	pending      map[*models.Table][]Record
	pendingCount int
	done         tables.SeedResult
}

// NewLoader returns a loader for a connection. It sends no requests.
func NewLoader(p *profiles.Profile, c *store.Connection) *Loader {
	return &Loader{conn: c, profile: p, pending: map[*models.Table][]Record{}}
}

// Done returns the totals so far.
func (l *Loader) Done() tables.SeedResult { return l.done }

// Add adds an item to the batch, and writes the batch when it is full. The caller must not change the item until then.
func (l *Loader) Add(ctx context.Context, r Record) error {
	l.pending[r.Table] = append(l.pending[r.Table], r)
	if l.pendingCount++; l.pendingCount < loadBatch {
		return nil
	}
	return l.Flush(ctx)
}

// Flush writes the remaining items. After an error, Done counts the items that DynamoDB certainly wrote, and the error
// contains the place of a rejected item.
func (l *Loader) Flush(ctx context.Context) error {
	for _, t := range l.profile.Tables {
		list := distinctRecords(t, l.pending[t])
		put := models.MapSlice(list, func(r Record) models.Item { return r.Item })
		written, existed, err := l.conn.Admin().PutNew(ctx, t, put)
		l.done.Written += written
		if err != nil {
			l.done.Skipped += existed
			if e, ok := errors.AsType[*store.Error](err); ok && e.Class == store.Validation && len(e.Failures) > 0 {
				e.Problem = cmp.Or(list[e.Failures[0].Index].Place, "table "+t.Name) + ": " + e.Problem
			}
			return session.NameSchema(session.Options{Profile: l.profile, Target: l.conn.Describe()}, err)
		}
		l.done.Skipped += len(l.pending[t]) - written
		delete(l.pending, t)
	}
	l.pendingCount = 0
	return nil
}

// distinctRecords keeps the first item for each key, because a transaction cannot write a key twice.
func distinctRecords(t *models.Table, list []Record) (out []Record) {
	previous := map[string]bool{}
	for _, r := range list {
		if id := t.KeyID(r.Item); !previous[id] {
			previous[id] = true
			out = append(out, r)
		}
	}
	return out
}
