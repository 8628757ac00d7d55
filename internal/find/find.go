// Package find searches the databases of several schemas for a pasted text: an ID, a key, an item. It sends cheap
// reads in parallel, within a budget of requests and time, and scans only small tables that are not production.
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

// The defaults of Options.
const (
	DefaultReads     = 40
	DefaultScanUnits = 128
	DefaultReadUnits = 25
	DefaultTime      = 20 * time.Second
	DefaultRows      = 10
)

// Options limit a search. They bound one search in all schemas of a context; the requests that connect a schema and describe
// its tables are not counted.
type Options struct {
	Reads int // sent at most by a search to each context, the others are offered; 0 is DefaultReads
	// Time limits the reads of a connected schema, and again the scans; 0 is DefaultTime.
	Time time.Duration
	Rows int // read at most from one partition; 0 is DefaultRows
	// ScanUnits are the read units of the largest table that is scanned without consent, outside of production; 0 is
	// DefaultScanUnits, a negative number scans none.
	ScanUnits float64
	// ReadUnits are what a search spends before it offers a scan instead of running it; 0 is DefaultReadUnits on AWS, and no
	// limit on this machine, where reads cost nothing.
	ReadUnits float64
	// Known returns values that the user knows, such as the IDs of recent items, which a text with a typing error may mean;
	// nil for none. It is called by Finder.Search.
	Known func() []string
	// Offers also offers scans of tables whose items may have an ID that begins with the text, or are returned by a pattern
	// with missing parameters.
	Offers bool
}

// A Place is a schema in a context of the configuration.
type Place struct {
	Profile *profiles.Profile
	Context string // "" for the current connection
}

// In returns the name of the schema, and of its context.
func (p Place) In() string {
	if p.Context == "" {
		return p.Profile.Name
	}
	return p.Profile.Name + " in " + p.Context
}

// Places names the schemas of the current connection, and those of each other context after its name.
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
	return strings.Join(contexts, "; ")
}

// A Source is a schema that can be searched.
type Source struct {
	Place
	// Open connects the schema. A Finder calls it once, unless it fails, and never concurrently with that of another
	// source of the same context: both could prompt for a code.
	Open func(ctx context.Context) (*workspace.Workspace, error)
}

// A Finder searches some schemas. It is safe for concurrent use. It keeps connections and
// missing tables between searches, so the second search of a schema is faster.
type Finder struct {
	o      Options
	places []*place
	turns  map[string]chan struct{} // by context; each holds one token, whose owner may open a place
}

// A place is a source with what is known about its database.
type place struct {
	Source
	order int

	mu     sync.Mutex
	open   *workspace.Workspace // nil until it is connected
	lacked map[string]bool      // tables that do not exist
}

// New returns the finder of some sources. It opens none of them. The order of the sources is
// that of hits of the same quality.
func New(sources []Source, o Options) *Finder {
	o.Reads, o.Time = cmp.Or(o.Reads, DefaultReads), cmp.Or(o.Time, DefaultTime)
	o.Rows, o.ScanUnits = cmp.Or(o.Rows, DefaultRows), cmp.Or(o.ScanUnits, DefaultScanUnits)
	f := &Finder{o: o, turns: map[string]chan struct{}{}}
	for i, s := range sources {
		f.places = append(f.places, &place{Source: s, order: i, lacked: map[string]bool{}})
		f.turns[s.Context] = make(chan struct{}, 1)
	}
	return f
}

// Several reports whether more than one context is asked.
func (f *Finder) Several() bool { return len(f.turns) > 1 }

// Asks reports whether a context is asked.
func (f *Finder) Asks(context string) bool { return f.turns[context] != nil }

// Len returns the number of schemas.
func (f *Finder) Len() int { return len(f.places) }

func (p *place) opened() *workspace.Workspace {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open
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
	if w := p.opened(); w != nil { // Another search opened it meanwhile.
		return w, nil
	}
	w, err := p.Open(ctx)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = w
	return w, nil
}

func (p *place) lacks(table string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lacked[table]
}

func (p *place) setLacking(table string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lacked[table] = true
}

// Schema returns the schema in which texts are looked up.
func Schema(p *profiles.Profile) lookup.Schema {
	return lookup.Schema{
		Patterns: p.Patterns, Entities: p.Entities,
		Examples: func(e *models.Entity, path string) []string { return p.SampleHintsOf(e).Examples[path] },
	}
}

// lookUp looks a text up in the schema. A link of ddbdesk to an item is as good as its key.
func (p *place) lookUp(text string) (lookup.Result, error) {
	if l, ok := link.Pasted(text); ok {
		if at, ok := l.Of(p.Profile); ok && at.Entity != nil {
			r, err := lookup.In(Schema(p.Profile), string(at.Key.AppendDynamoDBJSON(nil)))
			other := func(read lookup.Read) bool { return !read.Whole || read.Entity.Table != at.Entity.Table }
			return lookup.Result{Reads: slices.DeleteFunc(r.Reads, other)}, err
		}
	}
	return lookup.In(Schema(p.Profile), text)
}

func linked(places []*place, text string) []*place {
	l, ok := link.Pasted(text)
	if !ok {
		return places
	}
	named := slices.DeleteFunc(slices.Clone(places), func(p *place) bool {
		_, ok := l.Of(p.Profile)
		return !ok
	})
	if len(named) == 0 {
		return places
	}
	return named
}

// ScanLimit is how many read units a scan may cost without consent, 0 for none.
func (o Options) ScanLimit() float64 { return max(cmp.Or(o.ScanUnits, DefaultScanUnits), 0) }
