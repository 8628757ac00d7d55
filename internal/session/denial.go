package session

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Denial is a permission that the credentials lack, according to the last request that needed it.
type Denial struct {
	accesspatterns.Permission
	Explicit bool      // explicitly denied, which no other policy overrides
	At       time.Time // time of the last request
}

// Problem describes the missing permission in IAM's terms.
func (d Denial) Problem() string { return "no permission: " + models.Printable(d.String()) }

// Advice returns the remedy for the user.
func (d Denial) Advice() string {
	if d.Explicit {
		return "a policy denies it explicitly; ask an administrator to remove that statement"
	}
	return "ask an administrator to allow it for your role"
}

// Denials contains the permissions that a session's credentials lack. They do not block requests, because policies
// change: the user may send a request again, and its success removes them. Denials is safe for concurrent use.
type Denials struct {
	clock func() time.Time

	mu      sync.Mutex
	denied  []Denial // oldest first
	version uint64
}

func (r *Denials) note(needed []accesspatterns.Permission, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.remove(func(d Denial) bool { return slices.Contains(needed, d.Permission) })
		return
	}
	failed, ok := errors.AsType[*store.Error](err)
	if !ok {
		return
	}
	if failed.Class == store.ExpiredCredentials || failed.Class == store.NoCredentials {
		r.remove(func(Denial) bool { return true }) // the next requests use other credentials
		return
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

func (r *Denials) remove(match func(Denial) bool) {
	before := len(r.denied)
	r.denied = slices.DeleteFunc(r.denied, match)
	if len(r.denied) != before {
		r.version++
	}
}

// First returns the first of the needed permissions that was denied, or nil. A permission counts as granted until a
// request needs it.
func (r *Denials) First(needed []accesspatterns.Permission) *Denial {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range needed {
		if i := slices.IndexFunc(r.denied, func(d Denial) bool { return d.Permission == p }); i >= 0 {
			denial := r.denied[i]
			return &denial
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

// Version returns a number that increases with each new or removed denial. Screens compare it to decide whether to
// redraw their marks.
func (r *Denials) Version() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.version
}

// A watch observes the requests of a session.
type watch struct {
	denials *Denials
	options Options
	refusal error // reason why sending is refused, or nil
}

// recordResult records the result of a request, and adds the schema name to the error.
func (w watch) recordResult(needed []accesspatterns.Permission, err error) error {
	w.denials.note(needed, err)
	return NameSchema(w.options, err)
}

// DescribeTable implements store.Reader.
func (r guardedReader) DescribeTable(ctx context.Context, table string) (store.TableInfo, error) {
	if r.refusal != nil {
		return store.TableInfo{}, r.refusal
	}
	info, err := r.Reader.DescribeTable(ctx, table)
	return info, r.recordResult(TablePermission("DescribeTable", table), err)
}

// DescribeTTL implements store.Reader.
func (r guardedReader) DescribeTTL(ctx context.Context, table string) (attribute string, enabled bool, err error) {
	if r.refusal != nil {
		return "", false, r.refusal
	}
	attribute, enabled, err = r.Reader.DescribeTTL(ctx, table)
	return attribute, enabled, r.recordResult(TablePermission("DescribeTimeToLive", table), err)
}

// PointInTimeRecovery implements store.Reader.
func (r guardedReader) PointInTimeRecovery(ctx context.Context, table string) (enabled bool, err error) {
	if r.refusal != nil {
		return false, r.refusal
	}
	enabled, err = r.Reader.PointInTimeRecovery(ctx, table)
	return enabled, r.recordResult(TablePermission("DescribeContinuousBackups", table), err)
}

// Tables implements store.Reader.
func (r guardedReader) Tables(ctx context.Context) ([]string, error) {
	if r.refusal != nil {
		return nil, r.refusal
	}
	names, err := r.Reader.Tables(ctx)
	return names, r.recordResult(TablePermission("ListTables", ""), err)
}

// A watchedWriter is a store.Writer whose requests a watch observes.
type watchedWriter struct {
	store.Writer
	watch
}

// Commit implements store.Writer.
func (w watchedWriter) Commit(ctx context.Context, b change.Batch) (store.Committed, error) {
	if w.refusal != nil {
		return store.Committed{}, w.refusal
	}
	done, err := w.Writer.Commit(ctx, b)
	return done, w.recordResult(b.Permissions(), err)
}

// TablePermission returns the permission for an operation on a table.
func TablePermission(operation, table string) []accesspatterns.Permission {
	return []accesspatterns.Permission{{Action: "dynamodb:" + operation, Table: table}}
}
