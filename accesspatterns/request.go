package accesspatterns

import (
	"maps"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Request is a pattern with its parameters bound: exactly what is sent. It is
// immutable, so that a form, an explanation, copied code and the read itself can
// share it. The fields, and what they refer to, must not be changed.
type Request struct {
	Pattern *Pattern
	Read    Read
	Given   map[string]string // the parameters as given, without the page token
	Values  map[string]Value  // every parameter with a value, defaults included
	Now     time.Time         // the time at which relative times were resolved

	Legs   []Leg
	Labels []string // for each leg of a fan-out: the value of the placeholder
	// Sequential is set when the rows of one leg follow those of the one before,
	// Unordered when the rows have no order. Otherwise the rows of all legs are
	// merged by their sort key.
	Sequential, Unordered bool

	PageSize   int      // the rows of a page, from a parameter; 0 without
	PageToken  string   // the value of a token parameter, "" without
	TokenParam string   // the name of that parameter
	Warnings   []string // values that do not match their documented format

	binding         binding
	partition, sort []models.Key // of what is read, with the names of the live table
}

// IsScan reports whether the request reads a whole table.
func (r *Request) IsScan() bool { return r.Read.Operation == Scan }

// IsCount reports whether the result is a number.
func (r *Request) IsCount() bool { return r.Read.Operation == Count }

func (r *Request) filtered() bool {
	for _, l := range r.Legs {
		if l.Query != nil && l.Query.FilterExpression != nil || l.Scan != nil && l.Scan.FilterExpression != nil {
			return true
		}
	}
	return false
}

// At returns the request with its relative times resolved at now, and without its
// page token. The error is that of Bind: a range may be empty at another time. The page token
// goes because it continues a read of the former times.
func (r *Request) At(now time.Time) (*Request, error) {
	if now.Equal(r.Now) && r.PageToken == "" {
		return r, nil
	}
	return r.Pattern.Bind(r.Given, now)
}

// WithKeys returns the request with the key attributes of the index named as in the
// live table, which has as many. A document that writes a key as an expression (createdAt#requestId)
// does not say what the attribute is called. partition and sort must have as many keys as those
// of the request; otherwise it panics.
func (r *Request) WithKeys(partition, sort []models.Key) *Request {
	out := *r
	names := map[string]string{}
	for i, k := range slices.Concat(r.partition, r.sort) {
		names[k.Name] = slices.Concat(partition, sort)[i].Name
	}
	out.partition, out.sort = partition, sort
	out.Legs = make([]Leg, len(r.Legs))
	for i, l := range r.Legs {
		l.Query, l.whole, l.unfiltered = renamed(l.Query, names), renamed(l.whole, names), renamed(l.unfiltered, names)
		out.Legs[i] = l
	}
	return &out
}

// WithPlaceholders returns the request with the text <name> in place of the value
// of each named parameter. Where a value cannot be such a text, as in a number, every
// value becomes <hidden>. The result is for display and export; it must not be sent.
func (r *Request) WithPlaceholders(names []string) *Request {
	values, hidden := maps.Clone(r.Values), false
	for _, n := range names {
		if _, ok := values[n]; ok {
			values[n], hidden = Value{Text: "<" + n + ">"}, true
		}
	}
	if !hidden {
		return r
	}
	out := *r
	out.Values, out.binding.values = values, values
	var err error
	if out.Legs, out.Labels, err = out.binding.legs(); err == nil && len(out.Legs) == len(r.Legs) {
		out.partition, out.sort = out.binding.partition, out.binding.sort
		return out.WithKeys(r.partition, r.sort)
	}
	out.Legs, out.Labels = nil, r.Labels
	for _, l := range r.Legs {
		out.Legs = append(out.Legs, l.hidden())
	}
	return &out
}

// WholeTable returns a request for every item of a table, in no particular order.
func WholeTable(t *models.Table) *Request {
	p := &Pattern{Table: t, Read: Read{Operation: Scan}}
	partition, sort := t.KeysOf(nil)
	return &Request{Pattern: p, Read: p.Read, Legs: []Leg{ScanLeg(t)}, Labels: []string{""}, partition: partition, sort: sort}
}

// MaxSegments is how many segments a scan is split into at most.
const MaxSegments = 64

// Split returns the scan split into n segments (1 to MaxSegments) that can be read
// in parallel. The rows have no order. A request that is not a scan, or that is
// split already, is returned unchanged. Together the segments cost what the whole scan costs,
// but the capacity is consumed in a shorter time.
func (r *Request) Split(n int) *Request {
	n = min(n, MaxSegments)
	if !r.IsScan() || len(r.Legs) != 1 || n < 2 {
		return r
	}
	out := *r
	out.Legs, out.Labels, out.Unordered = make([]Leg, n), make([]string, n), true
	for i := range out.Legs {
		in := *r.Legs[0].Scan
		in.Segment, in.TotalSegments = aws.Int32(int32(i)), aws.Int32(int32(n))
		out.Legs[i] = Leg{Scan: &in, filter: r.Legs[0].filter}
	}
	return &out
}
