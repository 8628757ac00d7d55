package reading

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	session "github.com/ddbdesk/ddbdesk/internal/core"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/models"
)

// DefaultPageSize is how many rows a page holds when neither the pattern nor
// the caller says.
const DefaultPageSize = 100

// RunOptions say how a pattern is run.
type RunOptions struct {
	Limit     int    // rows a page; 0: the pattern's, or DefaultPageSize
	Token     string // where an earlier run stopped
	AllowScan bool   // consent to read a whole table
	All       bool   // to be read with Run.All: a scan of a large table is split
	Segments  int    // that such a scan is split into; 0: as many as its size asks for
}

// A Run is a pattern being read. It is not safe for concurrent use.
type Run struct {
	rd       *Reader
	request  *accesspatterns.Request
	cursor   *accesspatterns.Cursor
	reader   store.Reader // what its requests go through
	limit    int
	hydrate  bool  // the index holds only part of its items
	aside    bool  // the filter is applied here: the index does not hold what it is about
	prepared bool  // the table was asked about the index
	segments int   // to split a scan into, 0: as many as its size asks for
	splits   bool  // the scan may be split: nothing was read of it
	given    int   // rows, or what was counted
	expected int64 // items that All reads, about; 0 when nobody knows

	mu    sync.Mutex // guards extra, and request against readers on other goroutines
	extra accesspatterns.Stats
}

// A Page is what one step of a run gives.
type Page struct {
	Items    []models.Item // as stored: mask them before they are shown
	Count    int           // the number of a count pattern, else len(Items)
	Scanned  int
	Capacity float64
	Requests int
	More     bool
}

// Bind checks the parameters of a pattern and makes its request, with relative
// times taken from now.
func (rd *Reader) Bind(p *accesspatterns.Pattern, args map[string]string) (*accesspatterns.Request, error) {
	if !p.IsRead() {
		return nil, session.InputErrorf("%s is a write pattern; run supports read patterns only", p.FullID())
	}
	return p.Bind(args, rd.moment())
}

// Rebind returns the request with its relative times taken from now.
func (rd *Reader) Rebind(r *accesspatterns.Request) (*accesspatterns.Request, error) {
	return r.At(rd.moment())
}

// moment is now, as exactly as a page token keeps it.
func (rd *Reader) moment() time.Time { return rd.s.Now().UTC().Truncate(time.Millisecond) }

// Run starts to read a request. It sends nothing: Next does. The request is sent
// as it is; only where a token says so, its relative times are those of the run
// that the token continues.
func (rd *Reader) Run(request *accesspatterns.Request, o RunOptions) (*Run, error) {
	given := nextFlag
	if request.PageToken != "" {
		if o.Token != "" && o.Token != request.PageToken {
			return nil, session.InputErrorf("parameter %s conflicts with %s; give one page token", request.TokenParam, nextFlag)
		}
		o.Token, given = request.PageToken, "parameter "+request.TokenParam
	}
	var from *accesspatterns.Position
	if o.Token != "" {
		var err error
		if request, from, err = rd.resume(request, o.Token, given); err != nil {
			return nil, err
		}
	}
	if request.IsScan() && !o.AllowScan {
		return nil, scanRefusal(request.Pattern, "")
	}
	r := &Run{rd: rd, request: request, reader: rd.s.Store(), limit: pageSize(request, o.Limit), splits: o.All && from == nil, segments: o.Segments}
	r.cursor = request.Open(r.fetch, from)
	return r, nil
}

// fetch sends a request of the run, and tells whoever watches.
func (r *Run) fetch(ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error) {
	ask := r.reader.Fetch
	if r.aside {
		ask = r.fetchAside
	}
	page, err := ask(ctx, leg, start, limit)
	if err == nil {
		progressOf(ctx).read(page)
	}
	return page, err
}

func pageSize(r *accesspatterns.Request, limit int) int {
	switch {
	case limit > 0:
		return limit
	case r.PageSize > 0:
		return r.PageSize
	case r.Pattern.PageSize > 0:
		return r.Pattern.PageSize
	default:
		return DefaultPageSize
	}
}

// Request returns what is being read, as it is sent. It may be called while a
// page is read.
func (r *Run) Request() *accesspatterns.Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.request
}

// replace lets the run go on with another form of its request, from where it is.
func (r *Run) replace(request *accesspatterns.Request) {
	r.mu.Lock()
	r.request = request
	r.mu.Unlock()
	if r.cursor != nil {
		at := r.cursor.Position()
		r.cursor = request.Open(r.fetch, &at)
	}
}

// Parts returns how many parts the run reads, partitions of a fan-out or segments
// of a scan, and how many of them are done. Nothing may be read meanwhile.
func (r *Run) Parts() (done, all int) { return r.cursor.Legs() }

// Limit returns the rows of a page.
func (r *Run) Limit() int { return r.limit }

// SetLimit sets the rows of the next pages.
func (r *Run) SetLimit(n int) { r.limit = n }

// Next reads the next page. Rows that were read before an error come with it,
// and the run can go on.
func (r *Run) Next(ctx context.Context) (Page, error) {
	before := r.stats()
	page := Page{}
	var err error
	if err = r.prepare(ctx); err != nil {
		return page, err
	}
	r.splits = false
	if r.request.IsCount() {
		page.Count, err = r.cursor.Count(ctx)
	} else {
		page.Items, err = r.rows(ctx)
		page.Count = len(page.Items)
		if err == nil {
			page.More, err = r.cursor.More(ctx)
		}
	}
	page.spent(before, r.stats())
	r.given += page.Count
	return page, err
}

// spent notes what was done between two states of a run.
func (p *Page) spent(before, after accesspatterns.Stats) {
	p.Scanned = after.Scanned - before.Scanned
	p.Capacity = after.Capacity - before.Capacity
	p.Requests = after.Requests - before.Requests
}

// rows reads the rows of a page. Where what an index lacks cannot be read, the
// run goes back to where the page began: half a row is none.
func (r *Run) rows(ctx context.Context) ([]models.Item, error) {
	start := r.cursor.Position()
	rows, err := r.cursor.Next(ctx, r.limit)
	if !r.hydrate {
		return rows, err
	}
	whole, missing := r.whole(ctx, rows)
	if missing == nil {
		return whole, err
	}
	spent := r.stats()
	r.mu.Lock()
	r.extra = spent
	r.mu.Unlock()
	r.cursor = r.request.Open(r.fetch, &start)
	if err != nil {
		return nil, err
	}
	return nil, missing
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

// prepare asks the table once what the index really is: whether it is there,
// what its keys are called, and whether it holds whole items. A document leaves
// some of that open, and a live table need not agree with the rest.
func (r *Run) prepare(ctx context.Context) error {
	x := r.request.Read.Index
	if x == nil || r.prepared {
		return nil
	}
	table := r.request.Pattern.Table
	info, err := r.rd.tables.Describe(ctx, table.Name)
	if err != nil && ctx.Err() == nil && r.mayGoOn(x, err) {
		// The question itself may still be answered: it says what is wrong.
		r.prepared = true
		r.partial(declaredIndex(x))
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
			What:   fmt.Sprintf("table %s has no index %s, which %s needs", table.Name, x.Name, r.request.Pattern.ID),
			Advice: "create the index",
		}
		if x.Optional {
			e.Advice = "the index is optional in the schema; this pattern cannot run without it"
		}
		return e
	}
	if len(live.Further) > 0 {
		return &store.Error{
			Class: store.Config, Operation: "Query", Table: table.Name, Index: x.Name,
			What:   fmt.Sprintf("index %s has a multi-attribute key, schema expects %s", x.Name, tables.DescribeKey(x.PartitionKey, x.SortKey)),
			Advice: "ddbdesk supports keys of one attribute only",
		}
	}
	if (live.SortKey.Name == "") == (x.SortKey.Name == "") &&
		(live.PartitionKey.Name != x.PartitionKey.Name || live.SortKey.Name != x.SortKey.Name) {
		r.replace(r.request.WithKeys(live.PartitionKey, live.SortKey))
	}
	r.partial(live)
	return nil
}

// mayGoOn reports whether the index can be asked although the table could not
// be described: by a role that may not describe, or where the document leaves
// nothing open.
func (r *Run) mayGoOn(x *models.Index, err error) bool {
	switch store.ClassOf(err) {
	case store.AccessDenied:
		return true
	case store.Validation, store.Service:
		return x.Projection == models.ProjectionAll && !x.Optional
	default:
		return false
	}
}

// Stale returns the keys of the index that the run asks which disagree with the
// attributes of the row: a write that changed the one and forgot the other. Such
// a row stands in the wrong place, and is missing in the right one.
func (rd *Reader) Stale(r *Run, row models.Item) []string {
	x := r.request.Read.Index
	if x == nil {
		return nil
	}
	found, ok := rd.s.Recognise(r.request.Pattern.Table, row)
	if !ok {
		return nil
	}
	var names []string
	for _, k := range found.Entity.KeyStates(row) {
		index := k.Name == x.PartitionKey.Name || k.Name == x.SortKey.Name
		if index && k.Present && k.Problem != "" && !keyOnlyParts(found.Entity, k.Template) {
			names = append(names, k.Name)
		}
	}
	return names
}

// keyOnlyParts reports whether a part of the key exists in no attribute: such a
// key has nothing to disagree with.
func keyOnlyParts(e *models.Entity, t models.Template) bool {
	for _, n := range t.Placeholders() {
		if a := e.Attribute(n); a == nil || a.KeyOnly {
			return true
		}
	}
	return false
}

// Explain returns the requests that the run sends first. What a person typed is
// shown, but never a secret.
func (r *Run) Explain() []accesspatterns.Explanation {
	limit := r.limit
	if r.request.IsCount() {
		limit = 0
	}
	return r.request.Explain(limit, r.request.Redactor(nil))
}
