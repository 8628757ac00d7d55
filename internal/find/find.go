// Package find searches the databases of several schemas for a pasted text: an ID, a key or an item. It sends cheap
// reads in parallel, within a budget of requests and time. It scans only small tables outside of production.
package find

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/lookup"
	"github.com/ddbdesk/ddbdesk/internal/link"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// These are the defaults of Options.
const (
	DefaultReads     = 40
	DefaultScanUnits = 128
	DefaultReadUnits = 25
	DefaultTime      = 20 * time.Second
)

// Options limits one search in all schemas of a context. The limits do not include the requests that connect a schema
// and describe its tables.
type Options struct {
	Reads int // maximum number of reads per context before Finder offers the rest; 0 means DefaultReads
	// Time limits the reads of a connected schema and, separately, its scans. 0 means DefaultTime.
	Time time.Duration
	// ScanUnits is the size in RCU of the largest table that a search scans without consent, outside of
	// production. 0 means DefaultScanUnits; a negative number disables scans.
	ScanUnits float64
	// Offers enables offers of scans for items whose ID begins with the text, or that a pattern with missing parameters
	// returns.
	Offers bool
	// Similar enables offers of scans for IDs that differ from an unknown ID by one typing error.
	Similar bool
	// Schemaless returns the tables without a schema in the searched databases. It may be nil. A search calls it if the
	// schemas do not contain the text. The finder keeps the first result of a call whose context has not ended.
	Schemaless func(ctx context.Context) Schemaless
}

// A Place is a schema in a context of the configuration.
type Place struct {
	Profile *profiles.Profile
	Context string // "" for the current connection
}

// In returns the name of the schema and its context.
func (p Place) In() string { return strings.TrimSuffix(p.Profile.Name+" in "+p.Context, " in ") }

// Places returns the schema names of the current connection, followed by each other context with its schema names.
func Places(list []Place) string {
	var contexts []string
	names := map[string][]string{}
	for _, p := range list {
		if names[p.Context] == nil {
			contexts = append(contexts, p.Context)
		}
		names[p.Context] = append(names[p.Context], p.Profile.Name)
	}
	for i, c := range contexts {
		if contexts[i] = strings.Join(names[c], ", "); c != "" {
			contexts[i] += " in " + c
		}
	}
	return strings.Join(contexts, " and ")
}

// A Source is a schema that a Finder can search.
type Source struct {
	Place
	// Open connects the schema. A Finder calls it until it succeeds once, and never concurrently for two sources of the
	// same context, because both could prompt for a code.
	Open func(ctx context.Context) (*workspace.Workspace, error)
}

// A Finder searches several schemas. It is safe for concurrent use. It keeps connections and the names of missing
// tables, so later searches of a schema are faster.
type Finder struct {
	o      Options
	places []*place
	turns  map[string]chan struct{} // channels by context; the owner of the single token may open a place

	mu     sync.Mutex // guards the fields below
	listed bool       // the tables without a schema are known
	tables []*place   // tables without a schema
	others []string   // tables without a schema that are not searched
}

// A place is a source with the state of its database.
type place struct {
	Source
	order int

	stateMu   sync.Mutex
	connected *workspace.Workspace // nil until connected
	missing   map[string]time.Time // tables that did not exist at a time
}

// missingInterval is the time for which a search does not read a missing table again. A user or a tool may create it.
const missingInterval = 30 * time.Second

// New returns a finder for the sources without opening them. Hits of equal quality keep this order. New ignores a
// schema that is given twice for the same context.
func New(sources []Source, o Options) *Finder {
	o.Reads, o.Time = cmp.Or(o.Reads, DefaultReads), cmp.Or(o.Time, DefaultTime)
	o.ScanUnits = cmp.Or(o.ScanUnits, DefaultScanUnits)
	f := &Finder{o: o, turns: map[string]chan struct{}{}}
	if len(sources) == 0 {
		f.turns[""] = make(chan struct{}, 1)
	}
	for i, s := range sources {
		if slices.ContainsFunc(f.places, func(p *place) bool { return p.In() == s.In() }) {
			continue
		}
		f.places = append(f.places, &place{Source: s, order: i, missing: map[string]time.Time{}})
		f.turns[s.Context] = make(chan struct{}, 1)
	}
	return f
}

// SearchesSeveral reports whether the finder searches more than one context.
func (f *Finder) SearchesSeveral() bool { return len(f.turns) > 1 }

// Searches reports whether the finder searches the context.
func (f *Finder) Searches(context string) bool { return f.turns[context] != nil }

// Len returns the number of schemas.
func (f *Finder) Len() int { return len(f.places) }

func (p *place) opened() *workspace.Workspace {
	p.stateMu.Lock()
	defer p.stateMu.Unlock()
	return p.connected
}

func (f *Finder) connect(ctx context.Context, p *place) (*workspace.Workspace, error) {
	if w := p.opened(); w != nil {
		return w, nil
	}
	select {
	case f.turns[p.Context] <- struct{}{}:
		defer func() { <-f.turns[p.Context] }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if w := p.opened(); w != nil { // another search opened it in the meantime
		return w, nil
	}
	w, err := p.Open(ctx)
	if err != nil {
		return nil, err
	}
	p.stateMu.Lock()
	defer p.stateMu.Unlock()
	p.connected = w
	return w, nil
}

func (p *place) isMissingTable(table string) bool {
	p.stateMu.Lock()
	defer p.stateMu.Unlock()
	at, ok := p.missing[table]
	return ok && p.connected.Session.Now().Sub(at) < missingInterval
}

func (p *place) addMissingTable(table string) {
	p.stateMu.Lock()
	defer p.stateMu.Unlock()
	p.missing[table] = p.connected.Session.Now()
}

// Schema returns the schema for looking up texts.
func Schema(p *profiles.Profile) lookup.Schema {
	return lookup.Schema{
		Patterns: p.Patterns, Entities: p.Entities,
		Examples: func(e *models.Entity, path string) []string { return p.SampleHintsOf(e).Examples[path] },
	}
}

// lookUp looks up a text in the schema. It treats a ddbdesk link to an item like the item's key.
func (p *place) lookUp(text string) (lookup.Result, error) {
	if l, ok := link.ParsePasted(text); ok {
		if at, ok := l.TryResolve(p.Profile); ok && at.Entity != nil {
			r, err := lookup.Find(Schema(p.Profile), string(at.Key.AppendDynamoDBJSON(nil)))
			other := func(read lookup.Read) bool { return !read.IsItem || read.Entity.Table != at.Entity.Table }
			return lookup.Result{Reads: slices.DeleteFunc(r.Reads, other)}, err
		}
	}
	return lookup.Find(Schema(p.Profile), text)
}

func placesOfLink(places []*place, text string) []*place {
	l, ok := link.ParsePasted(text)
	if !ok {
		return places
	}
	resolvable := slices.DeleteFunc(slices.Clone(places), func(p *place) bool {
		_, ok := l.TryResolve(p.Profile)
		return !ok
	})
	if len(resolvable) == 0 {
		return places
	}
	return resolvable
}

// ScanLimit returns the maximum RCU of a scan without consent, or 0 if scans are disabled.
func (o Options) ScanLimit() float64 { return max(cmp.Or(o.ScanUnits, DefaultScanUnits), 0) }
