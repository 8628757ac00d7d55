package timeline

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// TailOptions determines which events to follow.
type TailOptions struct {
	Entities []*models.Entity // nil for all
	// Where is a filter on the item after the change, as in the console; "" selects every item. It applies to masked
	// values, so that a filter cannot reveal hidden values.
	Where string
	Since time.Time // time of the first change; zero for changes from now on
}

// A Tail follows the streams of a schema. It is not safe for concurrent use.
type Tail struct {
	s         *session.Viewer
	o         TailOptions
	filter    *rows.Filter
	followers []*follower
	// WithoutStream lists the tables that the Tail cannot follow, because they have no stream.
	WithoutStream []*models.Table
}

// A follower reads one table.
type follower struct {
	table *models.Table
	store.Follower
}

// NewTail finds the streams of the tables that the options need, and lists tables without a stream in
// WithoutStream. The error is a *session.Refusal if no table has a stream, and wraps session.ErrInput for an invalid
// filter.
func NewTail(ctx context.Context, s *session.Viewer, o TailOptions) (*Tail, error) {
	t := &Tail{s: s, o: o}
	needed := t.tables()
	if len(needed) == 0 {
		return nil, session.InputErrorf("schema %s has no tables", s.Profile().Name)
	}
	entities := o.Entities
	if len(entities) == 0 {
		entities = s.Profile().Entities
	}
	var err error
	if t.filter, err = rows.Parse(o.Where, rows.NewFields(needed[0], entities), s.Now()); err != nil {
		return nil, session.InputErrorf("filter: %v", err)
	}
	for _, table := range needed {
		f, err := s.Store().Follow(ctx, table.Name, o.Since)
		switch {
		case store.ClassOf(err) == store.StreamOff:
			t.WithoutStream = append(t.WithoutStream, table)
			if len(t.WithoutStream) == len(needed) {
				return nil, streamRefusal(err)
			}
		case err != nil:
			return nil, err
		default:
			t.followers = append(t.followers, &follower{table, f})
		}
	}
	return t, nil
}

func streamRefusal(err error) error {
	storeErr, ok := errors.AsType[*store.Error](err)
	if !ok {
		return err
	}
	return &session.Refusal{Reason: storeErr.Problem, Advice: storeErr.Advice}
}

func (t *Tail) tables() []*models.Table {
	p := t.s.Profile()
	if len(t.o.Entities) == 0 {
		return p.Tables
	}
	needed := map[*models.Table]bool{}
	for _, e := range t.o.Entities {
		needed[e.Table] = true
		for _, trail := range p.TrailsOf(e) {
			needed[trail.Entity.Table] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(p.Tables), func(table *models.Table) bool { return !needed[table] })
}

// A Batch contains the new events of one read that the options select, in the order of whole seconds, because the times
// of a stream have this precision.
type Batch struct {
	Events []*Event
	// Trimmed lists the tables with lost changes, because streams keep changes for only 24 hours.
	Trimmed []*models.Table
	// More reports whether there may be further changes already. The next read should then follow immediately.
	More bool
}

// Next reads the new records of all streams. After an error, the caller can call it again.
func (t *Tail) Next(ctx context.Context) (Batch, error) {
	var b Batch
	var list []Change
	for _, f := range t.followers {
		records, gap, err := f.Next(ctx)
		if err != nil && len(list) == 0 {
			return b, err
		}
		if gap {
			b.Trimmed = append(b.Trimmed, f.table)
		}
		for _, r := range records {
			list = append(list, Change{Table: f.table, Record: r})
		}
		b.More = b.More || err != nil || f.More()
	}
	slices.SortStableFunc(list, func(x, y Change) int { return cmp.Compare(x.At.Unix(), y.At.Unix()) })
	for _, e := range Events(t.s.Profile(), list) {
		if t.isSelected(e) {
			b.Events = append(b.Events, e)
		}
	}
	return b, nil
}

// isSelected omits an audit entry that belongs to another event, unless the user selected its entity.
func (t *Tail) isSelected(e *Event) bool {
	hasSelectedEntity := e.Entity != nil && slices.Contains(t.o.Entities, e.Entity)
	if !hasSelectedEntity && (len(t.o.Entities) > 0 || e.EntryOf != nil) {
		return false
	}
	if t.filter == nil {
		return true
	}
	_, keep := t.filter.Match(rows.Masked(t.s.Masker(), e.Table, e.Item()))
	return keep
}
