package accesspatterns

import (
	"maps"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Request is a pattern with its parameters bound: what is sent, how the
// results of its legs are merged, and where they end. It is never changed: what
// a form shows, explains, copies and sends is the same value.
type Request struct {
	Pattern *Pattern
	Read    Read
	Given   map[string]string // the parameters as given, but for the page token
	Values  map[string]Value  // all parameters that have a value, defaults included
	Now     time.Time         // what relative times were taken from

	Legs   []Leg
	Labels []string // what each leg of a fan-out reads: the placeholder's value
	// Sequential is set when the legs follow each other in the order of the
	// result, Unordered when no order is promised. Otherwise the rows of all legs
	// are merged by their sort key.
	Sequential, Unordered bool

	PageSize   int      // the rows a page that a parameter asks for, 0 without
	PageToken  string   // what a token parameter holds, "" without
	TokenParam string   // the name of that parameter
	Warnings   []string // values that do not look as documented

	binding         binding
	partition, sort models.Key // that are read, by the names that the live table gives them
}

// IsScan reports whether the request reads a whole table.
func (r *Request) IsScan() bool { return r.Read.Operation == Scan }

// IsCount reports whether the result is a number.
func (r *Request) IsCount() bool { return r.Read.Operation == Count }

// filtered reports whether DynamoDB drops items after reading them. A condition
// whose parameter is not given is not sent.
func (r *Request) filtered() bool {
	for _, l := range r.Legs {
		if l.Query != nil && l.Query.FilterExpression != nil || l.Scan != nil && l.Scan.FilterExpression != nil {
			return true
		}
	}
	return false
}

// At returns the request with its relative times taken from another moment, and
// without its page token. The error is that of Bind: a range that was in order
// need not be so at every moment.
func (r *Request) At(now time.Time) (*Request, error) {
	if now.Equal(r.Now) && r.PageToken == "" {
		return r, nil
	}
	return r.Pattern.Bind(r.Given, now)
}

// WithKeys returns the request with the names that the live table gives to the
// key attributes of its index. Documents that write a key as an expression
// (createdAt#requestId) leave the name of its attribute open.
func (r *Request) WithKeys(partition, sort models.Key) *Request {
	out := *r
	names := map[string]string{r.partition.Name: partition.Name, r.sort.Name: sort.Name}
	out.partition, out.sort = partition, sort
	out.Legs = make([]Leg, len(r.Legs))
	for i, l := range r.Legs {
		out.Legs[i] = Leg{Get: l.Get, Scan: l.Scan, Query: renamed(l.Query, names), filter: l.filter, unfiltered: renamed(l.unfiltered, names)}
	}
	return &out
}

// renamed returns the query with other names behind its aliases, nil for nil.
func renamed(in *dynamodb.QueryInput, names map[string]string) *dynamodb.QueryInput {
	if in == nil {
		return nil
	}
	out := *in
	out.ExpressionAttributeNames = maps.Clone(in.ExpressionAttributeNames)
	for alias, name := range out.ExpressionAttributeNames {
		if to := names[name]; to != "" {
			out.ExpressionAttributeNames[alias] = to
		}
	}
	return &out
}

// WholeTable returns the request for every item of a table, in no particular
// order.
func WholeTable(t *models.Table) *Request {
	p := &Pattern{Table: t, Read: Read{Operation: Scan}}
	return &Request{
		Pattern: p, Read: p.Read, Legs: []Leg{ScanLeg(t)}, Labels: []string{""}, partition: t.PartitionKey, sort: t.SortKey,
	}
}

// MaxSegments is how many segments a scan is split into at most.
const MaxSegments = 64

// Split returns the scan split into n segments (1 to MaxSegments), which can be
// read in parallel and have no order among them. A request that is no scan, or
// that is split already, is returned as it is.
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
