// Package timeline reads the history of one item: its audit entries from every trail of the schema that covers its
// entity, and its changes in the table's stream. Entries are unmasked; Entry.Shown masks them.
package timeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// An Entry is one audit entry of an item. It is unmasked, so display the result of Shown. The entries of one item may
// come from several trails with different clocks.
type Entry struct {
	When              time.Time // zero if WhenText is not a time
	WhenText          string    // as stored
	Who, What, Reason string    // "" if the entry does not contain it
	Before, After     types.AttributeValue
	Trail             *change.Trail
	Entity            *models.Entity // entity of the entry
	Table             *models.Table
	Item              models.Item // the whole entry
	// Change is the stream record of the change, or nil. An entry without a Trail is a change without an audit entry.
	Change      *Change
	differences []models.Change // masked differences of the change
}

// A Timeline reads the trails of one item. It is not safe for concurrent use.
type Timeline struct {
	sources []*source
}

// A source is one trail that the timeline reads.
type source struct {
	trail   *change.Trail
	run     *reading.Run
	legs    int               // number of partitions to read
	names   map[string]string // attributes by which entries identify the item
	ordered bool              // its read returns the newest entries first
	buffer  []Entry
	done    bool
	openErr error // reason why it cannot be read at all
}

// pageSize is the minimum number of entries to read from a trail in one step.
const pageSize = 25

// New returns the timeline of an item of entity e. It sends no requests; Next does. If a trail cannot be queried for
// this item, the first Next returns the error. An entity without a trail has an empty timeline.
func New(s *session.Viewer, rd *reading.Reader, e *models.Entity, it models.Item) *Timeline {
	t := &Timeline{}
	for _, trail := range s.Profile().TrailsOf(e) {
		if trail.Read == nil {
			continue
		}
		src := &source{trail: trail, ordered: isNewestFirst(trail)}
		src.openErr = src.open(s.Now().UTC(), rd, e, it)
		t.sources = append(t.sources, src)
	}
	return t
}

func (src *source) open(now time.Time, rd *reading.Reader, e *models.Entity, it models.Item) error {
	subject, _ := src.trail.Subject(e)
	names, err := subject.Args(it, now)
	if err != nil {
		return err
	}
	src.names = names
	request, err := rd.Bind(src.trail.Read, trailArgs(src.trail.Read, names, e.Values(it)))
	if err != nil {
		return err
	}
	src.legs = len(request.Legs)
	src.ordered = src.ordered && (request.Sequential || len(request.Legs) == 1)
	src.run, err = rd.Run(request, reading.RunOptions{Stored: true})
	return err
}

// trailArgs fills the parameters that identify the item, are required, or select partitions. The others stay empty.
func trailArgs(p *accesspatterns.Pattern, names map[string]string, itemValues models.Values) map[string]string {
	args := map[string]string{}
	for _, q := range p.Params {
		if text, ok := names[q.Name]; ok {
			args[q.Name] = text
		} else if text, ok := itemValues(q.Name); ok && (q.Required || selectsPartition(p, q.Name)) {
			args[q.Name] = text
		}
	}
	return args
}

func selectsPartition(p *accesspatterns.Pattern, name string) bool {
	if f := p.Read.FanOut; f != nil && (f.From.Has(name) || f.To.Has(name)) {
		return true
	}
	return slices.ContainsFunc(p.Read.Key, func(c accesspatterns.KeyCondition) bool { return c.Template.Has(name) })
}

func isNewestFirst(t *change.Trail) bool {
	if t.Read.Read.Operation != accesspatterns.Query || !t.Read.Read.Descending || t.When == "" {
		return false
	}
	_, sort := t.Read.Table.KeysOf(t.Read.Read.Index)
	if len(sort) == 0 {
		return false
	}
	tpl, _ := t.Entity.KeyTemplate(sort[0].Name)
	names := tpl.Placeholders()
	return len(names) > 0 && names[0] == t.When
}

// Trails lists the trails to read, in the schema's order.
func (t *Timeline) Trails() []*change.Trail {
	return models.MapSlice(t.sources, func(src *source) *change.Trail { return src.trail })
}

// Requests returns the minimum number of requests that reading everything takes.
func (t *Timeline) Requests() int {
	n := 0
	for _, src := range t.sources {
		n += src.legs
	}
	return n
}

// More reports whether there may be more entries.
func (t *Timeline) More() bool {
	return slices.ContainsFunc(t.sources, func(src *source) bool { return !src.done || len(src.buffer) > 0 })
}

// Next returns the next n entries, newest first, or fewer at the end. It returns joined errors of trails together with
// the entries of the other trails. The next call retries a trail that failed after its first page. An unordered trail
// must be read completely before its first entry, so the first call may be expensive; see Requests.
func (t *Timeline) Next(ctx context.Context, n int) ([]Entry, error) {
	var entries []Entry
	var errs []error
	skip := map[*source]bool{}
	for len(entries) < n {
		var next *source
		for _, src := range t.sources {
			if skip[src] {
				continue
			}
			if err := t.fill(ctx, src, n); err != nil {
				skip[src] = true
				errs = append(errs, fmt.Errorf("%s: %w", src.trail.Title, err))
				continue
			}
			if len(src.buffer) > 0 && (next == nil || src.buffer[0].When.After(next.buffer[0].When)) {
				next = src
			}
		}
		if next == nil {
			break
		}
		entries = append(entries, next.buffer[0])
		next.buffer = next.buffer[1:]
	}
	return entries, errors.Join(errs...)
}

func (t *Timeline) fill(ctx context.Context, src *source, n int) error {
	if src.openErr != nil && !src.done {
		src.done = true
		return src.openErr
	}
	for !src.done && (len(src.buffer) == 0 || !src.ordered) {
		src.run.SetLimit(max(n, pageSize))
		page, err := src.run.Next(ctx)
		for _, it := range page.Items {
			if e := EntryOf(src.trail, it); src.concernsItem(it) {
				src.buffer = append(src.buffer, e)
			}
		}
		if err != nil {
			return err
		}
		src.done = !page.More
		if src.done && !src.ordered {
			slices.SortStableFunc(src.buffer, func(a, b Entry) int { return b.When.Compare(a.When) })
		}
	}
	return nil
}

// concernsItem excludes entries of other items, because a read may return them.
func (src *source) concernsItem(it models.Item) bool {
	if src.trail.Entity.Explain(it) != nil {
		return false
	}
	values := src.trail.Entity.Values(it)
	for name, want := range src.names {
		if text, ok := values(name); ok && text != want {
			return false
		}
	}
	return true
}

// EntryAbout interprets an item as an entry of the trail, if it is an entry about this item of entity e. Use it for
// entries that do not come from a read, such as from a stream.
func EntryAbout(t *change.Trail, e *models.Entity, it, entry models.Item) (Entry, bool) {
	subject, ok := t.Subject(e)
	if !ok {
		return Entry{}, false
	}
	names, err := subject.Args(it, time.Time{})
	if err != nil || len(names) == 0 {
		return Entry{}, false
	}
	src := &source{trail: t, names: names}
	if !src.concernsItem(entry) {
		return Entry{}, false
	}
	return EntryOf(t, entry), true
}

// EntryOf interprets an item as an entry of the trail.
func EntryOf(t *change.Trail, it models.Item) Entry {
	values := t.Entity.Values(it)
	text := func(path string) string {
		if path == "" {
			return ""
		}
		if v, ok := it.At(path); ok {
			return change.ValueWords(v)
		}
		v, _ := values(path)
		return v
	}
	e := Entry{
		WhenText: text(t.When), Who: text(t.Who), What: text(t.What), Reason: text(t.Reason),
		Trail: t, Entity: t.Entity, Table: t.Entity.Table, Item: it,
	}
	if t.Before != "" {
		e.Before, _ = it.At(t.Before)
	}
	if t.After != "" {
		e.After, _ = it.At(t.After)
	}
	if t.Entity.Attribute(t.When) != nil && e.WhenText != "" {
		if at, err := t.Entity.ReadTime(t.When, e.WhenText, time.Time{}); err == nil {
			e.When = at.Time
		}
	}
	return e
}

// Shown returns the entry, masked for the screen. It never masks the time, because the list is sorted by time.
func (e Entry) Shown(m *models.Masker) Entry {
	var out Entry
	if e.Trail != nil {
		out = EntryOf(e.Trail, m.Item(e.Table, e.Item))
		out.When = e.When
	}
	if e.Change != nil {
		e.showChange(m, &out)
	}
	return out
}
