package items

import (
	"context"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// loadBatch is the number of items that a Loader collects before it writes them.
const loadBatch = 1000

// A Loader writes items where no item exists, in batches. It is not safe for concurrent use,
// and the caller must call Flush at the end.
type Loader struct {
	conn    *store.Connection
	profile *profiles.Profile
	pending map[*models.Table][]models.Item
	waiting int
	done    tables.Seeded
}

// NewLoader returns a loader for a connection. It sends nothing.
func NewLoader(p *profiles.Profile, c *store.Connection) *Loader {
	return &Loader{conn: c, profile: p, pending: map[*models.Table][]models.Item{}}
}

// Done returns what was written so far.
func (l *Loader) Done() tables.Seeded { return l.done }

// Add writes an item with the next batch. It may write a whole batch. The item is kept until
// then and must not change.
func (l *Loader) Add(ctx context.Context, t *models.Table, it models.Item) error {
	l.pending[t] = append(l.pending[t], it)
	if l.waiting++; l.waiting < loadBatch {
		return nil
	}
	return l.Flush(ctx)
}

// Flush writes the items that wait. After an error, Done counts what was certainly written before it.
func (l *Loader) Flush(ctx context.Context) error {
	for _, t := range l.profile.Tables {
		list := distinct(t, l.pending[t])
		n, err := l.conn.Admin().PutNew(ctx, t, list)
		l.done.Written += n
		if err != nil {
			return session.NameSchema(session.Options{Profile: l.profile, Target: l.conn.Describe()}, err)
		}
		l.done.Skipped += len(l.pending[t]) - n
		delete(l.pending, t)
	}
	l.waiting = 0
	return nil
}

// distinct keeps the first item of a key: a transaction cannot write one twice.
func distinct(t *models.Table, items []models.Item) []models.Item {
	seen := map[string]bool{}
	var out []models.Item
	for _, it := range items {
		key, _ := t.PrimaryKey(it)
		id := string(key.AppendDynamoDBJSON(nil))
		if !seen[id] {
			seen[id] = true
			out = append(out, it)
		}
	}
	return out
}
