package timeline

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Stream reads the records of one item in a table's stream. It is not safe for concurrent use.
type Stream struct {
	v        *session.Viewer
	t        *models.Table
	key      models.Item
	lookback store.Lookback // nil before the first read
	recent   Recent
}

// Limits limits one call of Stream.Read.
type Limits struct {
	Requests int // number of GetRecords; finding the stream and its shards takes a few more requests
	Time     time.Duration
}

// StreamLimits contains the limits for one read while the user waits. A stream of a day has about six shards for each
// partition of its table, and each shard needs at least one request.
var StreamLimits = Limits{Requests: 100, Time: 10 * time.Second}

// Recent contains the part of a stream that has been read.
type Recent struct {
	Table    *models.Table
	Changes  []Change          // changes of the item, oldest first
	Complete time.Time         // time since which Changes is complete; in the future if unknown
	View     models.StreamView // "" if there is no stream
	Requests int               // number of GetRecords
	More     bool              // older changes have not been read
	Err      error             // error that ended the read; nil at a limit or at the beginning of the stream
}

// NewStream returns the stream of an item's table. It sends no requests.
func NewStream(v *session.Viewer, t *models.Table, key models.Item) *Stream {
	return &Stream{v: v, t: t, key: key, recent: Recent{Table: t, More: true, Complete: v.Now().Add(store.StreamRetention)}}
}

// Read continues the read and returns everything read so far, with any error. Read can be called again.
func (s *Stream) Read(ctx context.Context, l Limits) Recent {
	ctx, end := s.v.BeginLookup(ctx, &session.Lookup{Subject: "stream of " + s.t.ID})
	if err := end(s.continueRead(ctx, l)); err != nil {
		s.recent.Err = err
	}
	out := s.recent
	out.Changes = slices.Clone(out.Changes)
	slices.SortStableFunc(out.Changes, func(a, b Change) int { return a.Compare(b.Record) })
	return out
}

func (s *Stream) continueRead(ctx context.Context, l Limits) (err error) {
	s.recent.Err = nil
	if s.lookback == nil {
		if s.lookback, err = s.v.Store().Lookback(ctx, s.t.Name); err != nil {
			return err
		}
		s.recent.View = s.lookback.View()
	}
	start := time.Now()
	for n := 0; s.lookback.More() && n < l.Requests && time.Since(start) < l.Time; n++ {
		records, err := s.lookback.Next(ctx)
		if err != nil {
			return err
		}
		s.recent.Requests++
		for _, r := range records {
			if models.EqualItems(r.Keys, s.key) {
				s.recent.Changes = append(s.recent.Changes, Change{s.t, r})
			}
		}
	}
	s.recent.More, s.recent.Complete = s.lookback.More(), s.lookback.Complete(s.v.Now())
	return nil
}

// Failed reports whether the stream exists but was not read.
func (r *Recent) Failed() bool { return r.Err != nil && store.ClassOf(r.Err) != store.StreamOff }

// Note describes on one line what is missing in the stream, or how far it has been read. Its times are in the time zone
// of now.
func (r *Recent) Note(now time.Time) string {
	switch {
	case store.ClassOf(r.Err) == store.StreamOff:
		return "table " + r.Table.Name + " has no stream"
	case r.Err != nil:
		return "the stream was not read: " + r.Err.Error()
	case r.View == "":
		return ""
	}
	text := "stream: not fully read yet"
	if !r.Complete.After(now) {
		text = "stream since " + r.Complete.In(now.Location()).Format("2 Jan 15:04")
	}
	text += ", " + english.Plural(r.Requests, "request", "")
	if r.More {
		text += ", older changes not read"
	}
	if r.View != models.StreamBoth {
		text += "; the stream view type is " + string(r.View) + ", so changed values are not available"
	}
	return text
}

// maxTimeDifference is the maximum difference between the times of a change and its audit entry. The stream has whole
// seconds, and the time of an entry precedes its write.
const maxTimeDifference = 5 * time.Second

// IsNear reports whether an entry and a change are close enough in time to be the same change. An entry without a time
// matches every change.
func (e *Entry) IsNear(at time.Time) bool {
	return e.When.IsZero() || e.When.Sub(at).Abs() <= maxTimeDifference
}

// Merge adds stream changes to an item's audit entries, and returns all entries, newest first. Each change has one
// entry: if a record belongs to an audit entry, Merge adds the record's images to the entry. A record belongs to the
// audit entry that is nearest in time, at most a few seconds away, that does not contradict the record's lifecycle
// states, and that has no nearer record.
func Merge(e *models.Entity, entries []Entry, changes []Change) []Entry {
	list := slices.Clone(entries)
	type pair struct {
		entry, change int
		distance      time.Duration
	}
	var pairs []pair
	for i := range list {
		for k := range changes {
			if !list[i].When.IsZero() && list[i].IsNear(changes[k].At) && describesChange(e, list[i], &changes[k]) {
				at := changes[k].updatedAt(e)
				if !list[i].IsNear(at) {
					at = changes[k].At
				}
				pairs = append(pairs, pair{i, k, list[i].When.Sub(at).Abs()})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { // At equal distances, the newest belong together.
		return cmp.Or(cmp.Compare(a.distance, b.distance), a.entry-b.entry, b.change-a.change)
	})
	covered := map[int]bool{}
	for _, p := range pairs {
		if list[p.entry].Change == nil && !covered[p.change] {
			list[p.entry].Change, covered[p.change] = &changes[p.change], true
		}
	}
	for k := len(changes) - 1; k >= 0; k-- {
		if !covered[k] {
			list = append(list, entryOfChange(e, &changes[k]))
		}
	}
	slices.SortStableFunc(list, func(a, b Entry) int { return b.When.Compare(a.When) })
	return list
}

func describesChange(e *models.Entity, entry Entry, c *Change) bool {
	hasBefore, hasAfter := c.knownImages()
	for _, l := range e.Lifecycles {
		from, _ := stateIn(l, entry.Before)
		to, _ := stateIn(l, entry.After)
		before, _ := c.Before.Text(l.Attribute)
		after, _ := c.After.Text(l.Attribute)
		if from != "" && hasBefore && from != before || to != "" && hasAfter && to != after {
			return false
		}
	}
	return true
}

func entryOfChange(e *models.Entity, c *Change) Entry {
	entry := Entry{When: c.At, WhenText: c.At.UTC().Format(time.RFC3339), Entity: e, Table: c.Table, Item: c.Item(), Change: c}
	if c.Before != nil && (c.After != nil || c.ChangeKind() != Changed) {
		entry.Before = &types.AttributeValueMemberM{Value: c.Before}
	}
	if c.After != nil && (c.Before != nil || c.ChangeKind() != Changed) {
		entry.After = &types.AttributeValueMemberM{Value: c.After}
	}
	return entry
}

func (e Entry) showChange(m *models.Masker, out *Entry) {
	out.Change, out.differences = e.Change, e.Change.Differences(m)
	if e.Trail != nil {
		return
	}
	masked := *e.Change
	if masked.Before != nil {
		masked.Before = m.Item(masked.Table, masked.Before)
	}
	if masked.After != nil {
		masked.After = m.Item(masked.Table, masked.After)
	}
	*out = entryOfChange(e.Entity, &masked)
	out.differences = e.Change.Differences(m)
	out.What = Sentence(masked.ChangeKind(), masked.StateChanges(e.Entity), out.differences)
}

// Changes returns the attribute changes of an entry: those of its stream record, or else the before and after values of
// the audit entry, which it compares by attribute if they are documents. Call it on the result of Shown.
func (e Entry) Changes() []models.Change {
	before, isBeforeDocument := document(e.Before)
	after, isAfterDocument := document(e.After)
	switch {
	case e.differences != nil:
		return e.differences
	case e.Before == nil && e.After == nil:
		return nil
	case isBeforeDocument && isAfterDocument:
		return models.Diff(before, after)
	}
	return []models.Change{{Before: e.Before, After: e.After}}
}

func document(v types.AttributeValue) (models.Item, bool) {
	if v == nil {
		return nil, true
	}
	m, ok := v.(*types.AttributeValueMemberM)
	if !ok {
		return nil, false
	}
	return m.Value, true
}
