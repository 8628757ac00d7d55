package reading

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/models"
)

// DefaultPageSize is the number of rows in a page if neither the caller nor the pattern sets one.
const DefaultPageSize = 100

// RunOptions determines how to run a pattern. With the zero value, the run reads pages of the pattern's size.
type RunOptions struct {
	Limit     int    // rows per page; 0 means the pattern's page size, or DefaultPageSize
	Token     string // page token at which an earlier run stopped
	AllowScan bool   // the user consented to scanning a whole table
	All       bool   // the caller will use Run.All, so the run may split the scan of a large table
	Segments  int    // number of segments for such a scan; 0 chooses one by size
	Stored    bool   // the arguments come from the schema or an item, so they are not guesses
}

// A Run is a read pattern in progress. Its methods, except Request, are not safe for concurrent use. It does not need
// to be closed. Canceling a context stops a call, and the next call continues.
type Run struct {
	rd             *Reader
	request        *accesspatterns.Request
	cursor         *accesspatterns.Cursor
	reader         store.Reader // sends the requests
	fingerprint    string       // identifies the request, for page tokens
	limit          int
	hydrate        bool  // the index contains only part of each item
	filtersLocally bool  // ddbdesk applies the filter, because the index does not project the filter's attributes
	prepared       bool  // prepare has described the live index
	segments       int   // number of segments of a scan; 0 until chosen
	canSplit       bool  // the scan can still be split, because nothing has been read
	returned       int   // number of rows returned or items counted
	expected       int64 // approximate number of items that All will read; 0 if unknown

	mu    sync.Mutex // guards extra, and request against readers on other goroutines
	extra accesspatterns.Stats
}

// A Page is the result of one step of a run.
type Page struct {
	Items    []models.Item // unmasked items; mask them before showing them
	Count    int           // result of a count pattern, otherwise len(Items)
	Scanned  int           // items read before filtering
	Capacity float64       // RCU consumed
	Requests int           // requests sent for the page
	More     bool          // there may be more pages
}

// Bind checks the arguments of a pattern and returns its request. It resolves relative times to the current time. The
// error wraps accesspatterns.ErrParam or session.ErrInput.
func (rd *Reader) Bind(p *accesspatterns.Pattern, args map[string]string) (*accesspatterns.Request, error) {
	if !p.IsRead() {
		return nil, session.InputErrorf("%s is a write pattern; run accepts only read patterns", p.Term())
	}
	return p.Bind(args, rd.requestTime())
}

// Rebind returns the request with its relative times resolved again.
func (rd *Reader) Rebind(r *accesspatterns.Request) (*accesspatterns.Request, error) {
	return r.At(rd.requestTime())
}

func (rd *Reader) requestTime() time.Time { return rd.s.Now().UTC().Truncate(time.Millisecond) }

// Run prepares a run of a request. It sends no requests; Next does. The run sends the request unchanged, except that a
// page token restores the relative times of the run that it continues. The error wraps session.ErrInput if the token
// does not fit the request or this machine. It is a *session.Refusal for a scan without consent.
func (rd *Reader) Run(request *accesspatterns.Request, o RunOptions) (*Run, error) {
	flag := nextFlag
	if request.PageToken != "" {
		if o.Token != "" && o.Token != request.PageToken {
			return nil, session.InputErrorf("parameter %s conflicts with %s; give one page token", request.TokenParam, nextFlag)
		}
		o.Token, flag = request.PageToken, "parameter "+request.TokenParam
	}
	var from *accesspatterns.Position
	if o.Token != "" {
		var err error
		if request, from, err = rd.resume(request, o.Token, flag); err != nil {
			return nil, err
		}
	}
	if request.IsScan() && !o.AllowScan {
		return nil, rd.scanRefusal(request.Pattern, "")
	}
	if err := rd.canCompare(request); err != nil && (!o.Stored || request.Pattern.CustomQuery != nil) {
		return nil, err
	}
	r := &Run{
		rd: rd, request: request, fingerprint: shortFingerprint(request), reader: rd.s.Store(), limit: pageSize(request, o.Limit),
		canSplit: o.All && from == nil, segments: o.Segments,
	}
	r.cursor = request.Open(r.fetch, from)
	return r, nil
}

// Start combines Bind and Run.
func (rd *Reader) Start(p *accesspatterns.Pattern, args map[string]string, o RunOptions) (*Run, error) {
	request, err := rd.Bind(p, args)
	if err != nil {
		return nil, err
	}
	return rd.Run(request, o)
}

func (r *Run) fetch(ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error) {
	fetch := r.reader.Fetch
	switch {
	case r.filtersLocally:
		fetch = r.fetchAndFilter
	case r.hydrate:
		leg = leg.WithoutProjection()
	}
	page, err := fetch(ctx, leg, start, limit)
	if err == nil {
		r.filterCustomQuery(leg, &page)
		progressOf(ctx).addPage(page)
	}
	return page, err
}

func pageSize(r *accesspatterns.Request, limit int) int {
	return cmp.Or(max(limit, 0), max(r.PageSize, 0), max(r.Pattern.PageSize, 0), DefaultPageSize)
}

// Request returns the request that the run sends. It may be called during a read.
func (r *Run) Request() *accesspatterns.Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.request
}

func (r *Run) replaceRequest(request *accesspatterns.Request) {
	r.mu.Lock()
	r.request = request
	r.mu.Unlock()
	if r.cursor != nil {
		at := r.cursor.Position()
		r.cursor = request.Open(r.fetch, &at)
	}
}

// Parts returns how many parts the run reads (partitions of a fan-out or segments of a scan), and how many of them are
// done. It must not be called during a read.
func (r *Run) Parts() (done, all int) { return r.cursor.Legs() }

// Limit returns the number of rows per page.
func (r *Run) Limit() int { return r.limit }

// SetLimit sets the number of rows per page, starting with the next page.
func (r *Run) SetLimit(n int) { r.limit = n }

// Next reads the next page, in the pattern's order. After an error, it returns the rows read before the error, and the
// run can continue. After a journal error, it returns no rows.
func (r *Run) Next(ctx context.Context) (Page, error) {
	ctx, end := r.rd.beginLookup(ctx, r.request)
	page, err := r.next(ctx)
	if journalErr := end(nil); journalErr != nil {
		return Page{}, errors.Join(err, journalErr)
	}
	return page, err
}

func (r *Run) next(ctx context.Context) (Page, error) {
	before := r.stats()
	page := Page{}
	err := r.prepare(ctx)
	if err != nil {
		return page, err
	}
	r.canSplit = false
	if r.request.IsCount() {
		page.Count, err = r.cursor.Count(ctx)
	} else {
		page.Items, err = r.rows(ctx)
		page.Count = len(page.Items)
		if err == nil {
			page.More, err = r.cursor.More(ctx)
		}
	}
	page.addUsage(before, r.stats())
	r.returned += page.Count
	return page, err
}

func (p *Page) addUsage(before, after accesspatterns.Stats) {
	p.Scanned = after.Scanned - before.Scanned
	p.Capacity = after.Capacity - before.Capacity
	p.Requests = after.Requests - before.Requests
}

// rows returns to the beginning of the page if it cannot read all full items, so that no row is incomplete.
func (r *Run) rows(ctx context.Context) ([]models.Item, error) {
	start := r.cursor.Position()
	rows, err := r.cursor.Next(ctx, r.limit)
	if !r.hydrate {
		return rows, err
	}
	whole, fetchErr := r.fullItems(ctx, rows)
	if fetchErr == nil {
		return whole, err
	}
	before := r.stats()
	r.mu.Lock()
	r.extra = before
	r.mu.Unlock()
	r.cursor = r.request.Open(r.fetch, &start)
	if err != nil {
		return nil, err
	}
	return nil, fetchErr
}

func (r *Run) stats() accesspatterns.Stats {
	st := r.cursor.Stats()
	r.mu.Lock()
	defer r.mu.Unlock()
	st.Requests += r.extra.Requests
	st.Scanned += r.extra.Scanned
	st.Capacity += r.extra.Capacity
	return st
}

// prepare describes the live index once, because the schema may omit names and projection or differ from the table.
func (r *Run) prepare(ctx context.Context) error {
	x := r.request.Read.Index
	if x == nil || r.prepared {
		return nil
	}
	table := r.request.Pattern.Table
	info, err := r.rd.tables.Describe(ctx, table.Name)
	if err != nil && ctx.Err() == nil && r.canContinue(x, err) {
		// The query may still succeed, and its own error is more specific.
		r.prepared = true
		r.applyProjection(declaredIndex(*x))
		return nil
	}
	if err != nil {
		return err
	}
	r.prepared = true
	live, ok := info.Index(x.Name)
	if !ok {
		e := &store.Error{
			Class: store.IndexMissing, Operation: "Query", Table: table.Name, Index: x.Name,
			Problem: fmt.Sprintf("table %s has no index %s, which %s needs", table.Name, x.Name, r.request.Pattern.ID),
			Advice:  "create the index",
		}
		if x.Optional {
			e.Advice = "the index is optional in the schema; this pattern cannot run without it"
		}
		return e
	}
	several := max(len(live.PartitionKeys), len(live.SortKeys), len(x.PartitionKeys), len(x.SortKeys)) > 1
	switch same := len(live.PartitionKeys) == len(x.PartitionKeys) && len(live.SortKeys) == len(x.SortKeys); {
	case slices.Equal(live.PartitionKeys, x.PartitionKeys) && slices.Equal(live.SortKeys, x.SortKeys):
	case several:
		return &store.Error{
			Class: store.Config, Operation: "Query", Table: table.Name, Index: x.Name,
			Problem: fmt.Sprintf("index %s has key %s, schema expects %s", x.Name, tables.DescribeKeys(live.PartitionKeys, live.SortKeys),
				tables.DescribeKeys(x.PartitionKeys, x.SortKeys)),
			Advice: "correct partition_key and sort_key of the index in the schema",
		}
	case same: // A document may omit the name of a key attribute.
		r.replaceRequest(r.request.WithKeys(live.PartitionKeys, live.SortKeys))
	}
	r.applyProjection(live.Index)
	return nil
}

// canContinue allows a query without a description of the table if the permission is missing or the schema is complete.
func (r *Run) canContinue(x *models.Index, err error) bool {
	switch store.ClassOf(err) {
	case store.AccessDenied:
		return true
	case store.Validation, store.Service:
		return x.Projection == models.ProjectionAll && !x.Optional
	default:
		return false
	}
}

// StaleKeys returns the keys of the queried index that do not match the row's attributes, because a write changed only
// one of them. The index returns such a row for the wrong key instead of the right one. The grid marks such rows; drift
// searches the whole table for them.
func (rd *Reader) StaleKeys(r *accesspatterns.Request, row models.Item) []string {
	if r == nil || r.Read.Index == nil || r.Read.Projection != nil {
		return nil
	}
	x := r.Read.Index
	found, ok := rd.s.Recognize(r.Pattern.Table, row)
	if !ok {
		return nil
	}
	var names []string
	for _, k := range found.Entity.KeyStates(row) {
		if x.HasKey(k.Name) && k.Present && k.Problem != "" && !hasKeyOnlyPart(found.Entity, k.Template) {
			names = append(names, k.Name)
		}
	}
	return names
}

func hasKeyOnlyPart(e *models.Entity, t models.Template) bool {
	return slices.ContainsFunc(t.Placeholders(), func(name string) bool {
		a := e.Attribute(name)
		return a == nil || a.KeyOnly
	})
}

// Explain returns the requests that the run sends first, with the user's input except secrets. If an index does not
// project whole items, the last request is the BatchGetItem for the full items.
func (r *Run) Explain() []accesspatterns.Explanation {
	limit := r.limit
	if r.request.IsCount() {
		limit = 0
	}
	redact := r.request.Redactor(nil)
	x := r.request.Read.Index
	if x == nil || r.request.IsCount() {
		return r.request.Explain(limit, redact)
	}
	partial := &Run{request: r.request}
	partial.applyProjection(declaredIndex(*x))
	request := r.request
	switch {
	case partial.filtersLocally:
		request = request.WithoutFilter()
	case partial.hydrate:
		request = request.WithoutProjection()
	}
	list := request.Explain(limit, redact)
	if partial.filtersLocally || partial.hydrate {
		list = append(list, r.request.ExplainItems(partial.filtersLocally, redact, partial.filteredAttributes()...))
	}
	return list
}
