// Package tables manages the live tables of a schema. It describes them, compares them with the schema, creates them
// and fills them with sample data. It also determines why a pattern or an action cannot work on them; see [Obstacle].
package tables

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Catalog describes the live tables of a session, and stores how they differ from the schema. It is safe for
// concurrent use.
type Catalog struct {
	s      *session.Viewer
	create func() string // returns the advice that creates the tables

	mu sync.Mutex
	// The keys of both maps are real table names. ddbdesk describes a table for many purposes, such as the projection
	// of an index or the size of a scan. checks is nil until Compare, so that commands do not spend time on a
	// comparison that they do not show.
	infos    map[string]store.TableInfo
	checks   map[string]Check
	compared uint64 // number of changes to checks
}

// New returns a catalog of the session's tables. It sends no requests.
func New(s *session.Viewer) *Catalog {
	create := sync.OnceValue(func() string {
		if s.Production() {
			return "check the account, the region and the name; ddbdesk does not create production tables"
		}
		return "create it with " + s.SchemaCommand("table", "create") // This needs the file system.
	})
	return &Catalog{s: s, create: create, infos: map[string]store.TableInfo{}}
}

// Describe describes a live table once per session, and again as long as the table does not match the schema.
func (c *Catalog) Describe(ctx context.Context, name string) (store.TableInfo, error) {
	info, ok := c.Cached(name)
	if ok && c.isSettled(name, info) {
		return info, nil
	}
	info, err := c.s.Store().DescribeTable(ctx, name)
	if err == nil {
		c.storeInfo(name, info)
	}
	return info, err
}

// Cached returns the last result of Describe for a table, or false if there is none. It sends no requests.
func (c *Catalog) Cached(name string) (store.TableInfo, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	info, ok := c.infos[name]
	return info, ok
}

func (c *Catalog) storeInfo(name string, info store.TableInfo) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.infos[name] = info
	t := c.table(name)
	old, known := c.checks[name]
	if !known || t == nil {
		return
	}
	now := compareTable(t, &info)
	now.ttl = old.ttl
	now.Differences = append(now.Differences, old.ttl...)
	c.checks[name] = now
	if old.info == nil || !slices.Equal(old.Differences, now.Differences) {
		c.compared++
	}
}

func (c *Catalog) isSettled(name string, info store.TableInfo) bool {
	t := c.table(name)
	if t == nil {
		return true
	}
	return notReadable(info.Status) == "" && !slices.ContainsFunc(t.Indexes, func(x *models.Index) bool {
		live, ok := info.Index(x.Name)
		return !ok || notReadable(live.Status) != ""
	})
}

func (c *Catalog) table(name string) *models.Table {
	tables := c.s.Profile().Tables
	return models.First(tables, func(t *models.Table) bool { return t.Name == name })
}

// Live returns a table of the schema with its live indexes, which a write must keep up to date. If the table could not
// be described, Live assumes that it has the declared indexes, except optional ones.
func Live(t *models.Table, info store.TableInfo, described bool) *models.Table {
	live := *t
	live.Indexes = nil
	for _, x := range t.Indexes {
		if !described && !x.Optional {
			live.Indexes = append(live.Indexes, x)
		}
	}
	for _, lx := range info.Indexes {
		x := &models.Index{
			Name: lx.Name, PartitionKeys: lx.PartitionKeys, SortKeys: lx.SortKeys, Projection: lx.Projection, Include: lx.Include,
			Local: lx.Local,
		}
		live.Indexes = append(live.Indexes, x)
	}
	return &live
}

// A Comparison is the result of comparing all tables of a connection with the schema.
type Comparison struct {
	Checks []Check
	Err    error // reason why some tables could not be compared; missing permissions are in the checks
	At     time.Time
}

// Compare compares the tables, with at most two requests for each, and stores the result for Obstacle.
func (c *Catalog) Compare(ctx context.Context) *Comparison {
	checks, err := c.Check(ctx)
	if store.ClassOf(err) == store.AccessDenied {
		err = nil // the tables' checks contain it
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.checks = map[string]Check{}
	for _, check := range checks {
		c.checks[check.Table] = check
	}
	c.compared++
	return &Comparison{Checks: checks, Err: err, At: c.s.Now()}
}

// Version returns a number that changes whenever an obstacle may have appeared or disappeared.
func (c *Catalog) Version() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.s.Denials().Version() + c.compared
}

// IsMissing reports whether err means that a table does not exist.
func IsMissing(err error) bool { return store.ClassOf(err) == store.TableMissing }

// IsUnreachable reports whether err means that the database does not answer.
func IsUnreachable(err error) bool { return store.ClassOf(err) == store.Unreachable }

// CannotConnect reports whether err concerns the whole connection, not only the permission to list tables.
func CannotConnect(err error) bool {
	class := store.ClassOf(err)
	return class != "" && class != store.AccessDenied
}
