package find

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/lookup"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A Way describes how an item was found.
type Way int

// The ways are in order, most direct first.
const (
	Direct   Way = iota // a read filled from the text found it
	Followed            // a read filled from another hit found it
	Scanned             // a scan of a small table found it
)

// A Hit is an item that contains the text. Each hit of a search has a different item. If several reads return the same
// item, the search keeps the best hit.
type Hit struct {
	Workspace *workspace.Workspace
	Context   string // context of the item, "" for the current connection
	Table     *models.Table
	Entity    *models.Entity // nil if no entity of the schema matches
	Item      models.Item    // as stored; mask it before showing it
	Way       Way
	Last      *timeline.Entry // audit entry, only for the best hits at the end; show Entry.Shown
	// Identified means that the text is the ID or the key of the item. Otherwise the item refers to it.
	Identified bool
	// IsPrefixMatch means that the ID of the item begins with the text.
	IsPrefixMatch bool
	More          bool // the query that found the item has more items of its kind than the search lists
	Total         int  // number of these items, 0 if unknown

	From      string // position of its ID or key in the text, "" for the whole text
	Attribute string // path of the attribute with the text, "" if unknown

	quality lookup.Quality
	hasKey  bool      // the text contains the whole key
	order   [2]int    // position of the place and of the read
	changed time.Time // last change, zero if unknown
}

// Query returns the query for all items of the hit's kind with the same value in its attribute, or nil, and the value.
func (h Hit) Query() (*accesspatterns.Related, string) {
	for _, r := range h.Workspace.Reading.Related(h.Table, h.Item) {
		value, _ := h.Entity.Values(h.Item)(h.Attribute)
		isOnlyArg := h.Context == "" && len(r.Args) == 1 && slices.Contains(slices.Collect(maps.Values(r.Args)), value)
		if isOnlyArg && r.Pattern.Read.Operation == accesspatterns.Query && slices.Contains(r.Pattern.Returns, h.Entity) {
			return &r, value
		}
	}
	return nil, ""
}

// Part describes how many items of a hit's kind the search lists, such as "First 10 of 18".
func (r Result) Part(h Hit) string {
	listed := 0
	for _, o := range r.Hits {
		if !o.Identified && o.Workspace == h.Workspace && o.Entity == h.Entity {
			listed++
		}
	}
	if h.Total > listed {
		return fmt.Sprintf("First %d of %d", listed, h.Total)
	}
	return fmt.Sprintf("First %d, more exist", listed)
}

// A Missing is a pattern that could find the text with more parameters.
type Missing struct {
	Place
	lookup.Missing
}

// A Meaning is a schema's interpretation of a text: an ID or its beginning, a key, or an address.
type Meaning struct {
	Entity  *models.Entity
	IsKey   bool
	IsStart bool   // the text is too short for an ID
	Address string // kind of address: an email address or a phone number
	From    string // position in the text, "" for the whole text
}

// IsID reports whether the text is a whole ID.
func (m Meaning) IsID() bool { return !m.IsKey && !m.IsStart && m.Address == "" }

// Words returns the meaning in a few words.
func (m Meaning) Words() string {
	name := cmp.Or(m.Entity.Title, m.Entity.Name)
	switch {
	case m.Address != "":
		name = m.Address
	case m.IsKey:
		name += " key"
	case m.IsStart:
		name += " ID (its start)"
	default:
		name += " ID"
	}
	if m.From != "" {
		name += " from " + models.PrintableCell(m.From, 60)
	}
	return name
}

// Meanings returns the distinct interpretations of the text in all contexts.
func (r Result) Meanings() []string {
	var list []string
	for _, m := range r.Understood {
		if words := m.Words(); !slices.Contains(list, words) {
			list = append(list, words)
		}
	}
	return list
}

// OnlyMeaning returns the interpretation of the text, or "" if it is ambiguous.
func (r Result) OnlyMeaning() string {
	words := r.Meanings()
	if len(words) > 2 {
		return ""
	}
	return strings.Join(words, " or ")
}

// Failures contains the places with the same error.
type Failures struct {
	Places []Place
	Err    error
}

// FailuresByError returns the failures grouped by error, starting with errors that a sign-in fixes.
func (r Result) FailuresByError() []Failures {
	var list []Failures
	for _, f := range r.Failures {
		i := slices.IndexFunc(list, func(have Failures) bool { return have.Err.Error() == f.Err.Error() })
		if i < 0 {
			list = append(list, Failures{Err: f.Err})
			i = len(list) - 1
		}
		list[i].Places = append(list[i].Places, f.Place)
	}
	slices.SortStableFunc(list, func(a, b Failures) int {
		return cmp.Compare(first[session.SignInCommand(a.Err) != nil], first[session.SignInCommand(b.Err) != nil])
	})
	return list
}

// A NearMatch is a key template of a schema that the text almost fits.
type NearMatch struct {
	Profile *profiles.Profile
	accesspatterns.NearMatch
}

// A Failure is a schema that the Finder could not search, or searched only in part.
type Failure struct {
	Place
	Err error
}

// An OfferKind is the kind of an offered search. It explains why the search needs consent.
type OfferKind int

// The kinds are in order, most promising first.
const (
	PrefixOffer     OfferKind = iota // queries for IDs that begin with the text
	ScanOffer                        // scan of a table that may contain the ID
	SimilarOffer                     // scan of a table for an ID that differs by one typing error
	SchemalessOffer                  // scan of a table without a schema
	RemainingOffer                   // reads beyond the limit of one search
	UnsureOffer                      // reads that any text fits
	WordOffer                        // scans of a table for words, and for values that any text fits
)

// An Offer is a search of a table that needs consent.
type Offer struct {
	Workspace *workspace.Workspace
	Context   string // context of the search, "" for the current connection
	Table     *models.Table
	Kind      OfferKind
	Queries   []lookup.Read // empty for a scan
	Estimate  reading.Estimate
	Priced    bool // the estimate is known; see Finder.Price
}

// OffersByKind returns the offers grouped by kind.
func (r Result) OffersByKind() [][]Offer {
	list := make([][]Offer, WordOffer+1)
	for _, o := range r.Offers {
		list[o.Kind] = append(list[o.Kind], o)
	}
	return slices.DeleteFunc(list, func(l []Offer) bool { return l == nil })
}

// Total returns the total estimate of the offers, and false if an estimate is unknown.
func Total(list []Offer) (sum reading.Estimate, known bool) {
	for i, o := range list {
		if !o.Priced {
			return sum, false
		}
		if i == 0 {
			sum = o.Estimate
			continue
		}
		sum = sum.Plus(o.Estimate)
	}
	return sum, true
}

// Schemas returns the names of the schemas in the offers.
func Schemas(list []Offer) string {
	var places []Place
	for _, o := range list {
		p := Place{o.Workspace.Session.Profile(), o.Context}
		if !slices.Contains(places, p) {
			places = append(places, p)
		}
	}
	return Places(places)
}

// Count returns the number of scans and requests in the offers.
func Count(list []Offer) int {
	n := 0
	for _, o := range list {
		n += max(len(o.Queries), 1)
	}
	return n
}

// A Result is the state of a search. It is a snapshot, and the caller may keep it. All slices except Hits are complete
// only when Done is set.
type Result struct {
	Hits    []Hit // best first
	Missing []Missing
	// Understood lists interpretations of the text by its form if the item itself was not found, best first.
	Understood []Meaning
	// Elsewhere is an AWS console link to a table that no schema contains, or nil for other texts. Hits share its key.
	Elsewhere *lookup.ConsoleLink
	Near      []NearMatch // closest first; only if there are no hits
	// Similar lists values that differ from the text by one typing error. It is complete only if there are no hits.
	Similar  []string
	Failures []Failure
	Offers   []Offer // set if the search did not find the item itself, or at the limit of reads
	Absent   []Place // searched schemas, and scanned tables without a schema, that do not contain the text
	Unused   []Place // schemas without a table in their database
	// Unsearched lists tables without a schema that were not searched, because there are more than MaxSchemaless.
	Unsearched       []string
	Masked           []string // attributes without a schema whose values a scan could not compare with the text
	HasOtherText     bool     // the text contains more than the match, as a log line does
	LacksCountryCode bool     // the text is a phone number without its country
	Requests         int
	Capacity         float64 // RCU consumed
	Incomplete       bool    // the budget of requests or time ended before the last read
	Done             bool
}

// HasUniqueHit reports whether the text is the exact ID or key of only the first hit, and this hit is in the current
// connection. The caller can open that hit without asking the user.
func (r Result) HasUniqueHit() bool {
	count := 0
	for _, h := range r.Hits {
		if h.Identified {
			count++
		}
	}
	return count == 1 && r.Hits[0].Identified && r.Hits[0].Context == "" && !r.HasOtherText && r.Elsewhere == nil
}

// NationalNumber explains how to complete a phone number without its country.
const NationalNumber = "a phone number without a country code; add the code, such as +49 170 1234567"

// Merge returns the result combined with the result of accepted offers.
func (r Result) Merge(more Result) Result {
	same := func(h Hit) func(Hit) bool {
		return func(o Hit) bool {
			return o.Workspace == h.Workspace && o.Table == h.Table && models.EqualItems(o.Item, h.Item)
		}
	}
	for _, h := range more.Hits {
		if !slices.ContainsFunc(r.Hits, same(h)) {
			r.Hits = append(r.Hits, h)
		}
	}
	sortHits(r.Hits)
	r.Masked = slices.Compact(slices.Sorted(slices.Values(slices.Concat(r.Masked, more.Masked))))
	r.Similar = slices.Concat(r.Similar, slices.DeleteFunc(more.Similar, func(id string) bool { return slices.Contains(r.Similar, id) }))
	r.Offers, r.Failures = nil, slices.Concat(r.Failures, more.Failures)
	r.Requests, r.Capacity, r.Incomplete = r.Requests+more.Requests, r.Capacity+more.Capacity, r.Incomplete || more.Incomplete
	return r
}

// Continue returns the result combined with the current result of offers that the user accepted.
func (r Result) Continue(more Result, accepted []Offer) Result {
	r.Incomplete = r.Incomplete && accepted[0].Queries == nil
	absent := slices.Concat(r.Absent, more.Absent)
	r = r.Merge(more)
	r.Missing, r.Near, r.Done = more.Missing, more.Near, more.Done
	r.Absent = nil
	for _, p := range absent {
		isIn := func(h Hit) bool { return h.Context == p.Context && h.Workspace.Session.Profile() == p.Profile }
		if !slices.Contains(r.Absent, p) && !slices.ContainsFunc(r.Hits, isIn) {
			r.Absent = append(r.Absent, p)
		}
	}
	return r
}

func sortHits(hits []Hit) {
	count := map[*models.Entity]int{}
	for _, h := range hits {
		if h.Way == Scanned {
			count[h.Entity]++ // An audit log may contain an address many times, but only one user has it.
		}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int {
		if a.Way == Scanned && b.Way == Scanned && a.quality == b.quality && a.Identified == b.Identified && a.Entity != b.Entity {
			return cmp.Or(cmp.Compare(count[a.Entity], count[b.Entity]), compareHits(a, b))
		}
		return compareHits(a, b)
	})
	isLike := func(a, b Hit) bool {
		return !a.Identified && !b.Identified && a.Workspace == b.Workspace && a.Entity == b.Entity && a.quality == b.quality
	}
	for begin, end := 0, 0; begin < len(hits); begin = end { // equally good hits of one kind, newest first
		for end = begin + 1; end < len(hits) && isLike(hits[begin], hits[end]); end++ {
			continue
		}
		slices.SortStableFunc(hits[begin:end], compareAge)
	}
}

func compareAge(a, b Hit) int { return b.changed.Compare(a.changed) }

func compareHits(a, b Hit) int {
	return cmp.Or(
		cmp.Compare(a.quality, b.quality), cmp.Compare(first[a.hasKey], first[b.hasKey]),
		cmp.Compare(first[a.Identified], first[b.Identified]), cmp.Compare(a.Way, b.Way),
		slices.Compare(a.order[:], b.order[:]), strings.Compare(a.Table.KeyText(a.Item), b.Table.KeyText(b.Item)),
	)
}

// first sorts true before false.
var first = map[bool]int{true: -1}

func namesOther(entities []*models.Entity, t lookup.Target) bool {
	return slices.ContainsFunc(entities, func(e *models.Entity) bool {
		return e != t.Entity && strings.EqualFold(t.Attribute, e.Name+"Id")
	})
}

func (h *Hit) setQuality(targets []lookup.Target, r lookup.Read) {
	h.quality, h.hasKey, h.Identified, h.From = r.Quality, r.HasKey, r.HasKey, r.From
	if h.Entity == nil {
		return
	}
	values := h.Entity.Values(h.Item)
	found := r.HasKey
	for _, t := range targets {
		if text, ok := values(t.Attribute); t.Entity != h.Entity || !ok || text != t.Text {
			continue
		}
		if !found || t.Quality < h.quality {
			h.quality, h.From, h.Attribute = t.Quality, t.From, t.Attribute
		}
		isPartOfKey := h.Entity.ByName != nil && h.Table.SortKey.Name != ""
		found, h.Identified = true, h.Identified || t.IsEntityID && !isPartOfKey && !namesOther(h.Workspace.Session.Profile().Entities, t)
	}
}
