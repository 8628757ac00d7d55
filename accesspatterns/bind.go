// This file binds parameters to a pattern: from what a person gave to the
// requests that are sent.

package accesspatterns

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// Limits of a key value in bytes.
// Source: Amazon DynamoDB Developer Guide, "Quotas in Amazon DynamoDB".
const (
	maxPartitionKey = 2048
	maxSortKey      = 1024
)

// A Request is a pattern with its parameters bound: what will be sent, in
// which order the answers are put together, and when it ends.
type Request struct {
	Pattern    *Pattern
	Read       Read
	Legs       []Leg
	Labels     []string // what each leg of a fan-out asks: the placeholder's value
	Values     map[string]Value
	Now        time.Time // what relative times were taken from
	Sequential bool      // the legs follow each other in the order of the result
	Unordered  bool      // no order is promised: a row may come from any leg that has some
	PageSize   int       // what a page parameter asks for, 0 when there is none
	PageToken  string    // what a token parameter carries
	Warnings   []string  // values that do not look as documented

	partition, sort models.Key
	renamed         map[string]string // attributes of an index, as the live table calls them
}

// IsScan reports whether the request reads a whole table.
func (r *Request) IsScan() bool { return r.Read.Operation == Scan }

// IsCount reports whether the answer is a number.
func (r *Request) IsCount() bool { return r.Read.Operation == Count }

// Bind checks the parameters given by name and makes the request. Relative
// times and defaults are taken from now. Every error is about a parameter
// (errors.Is ErrParam): nothing can be sent.
func (p *Pattern) Bind(given map[string]string, now time.Time) (*Request, error) {
	if !p.IsRead() {
		return nil, fmt.Errorf("%s writes: it is not run as a question", p.FullID())
	}
	if err := p.checkNames(given); err != nil {
		return nil, err
	}
	values, err := p.read(given, now)
	if err != nil {
		return nil, err
	}
	r := &Request{Pattern: p, Read: p.Read, Values: values, Now: now}
	for _, v := range p.Variants {
		if allGiven(values, v.When) {
			r.Read = v.Read
			break
		}
	}
	for _, q := range p.Params {
		v, ok := values[q.Name]
		if !ok {
			continue
		}
		if w := q.Warn(v.Text); w != "" {
			r.Warnings = append(r.Warnings, w)
		}
		switch {
		case q.Type == Token:
			r.PageToken = v.Text
		case q.Name == p.PageParam:
			if r.PageSize, err = strconv.Atoi(v.Text); err != nil || r.PageSize < 1 || r.PageSize > 1_000_000 {
				return nil, paramErrorf(q.Name, "%s is not a number of rows from 1 to 1000000", models.Printable(v.Text))
			}
		}
	}
	r.partition, r.sort = p.Table.KeysOf(r.Read.Index)
	return r, r.compile()
}

func (p *Pattern) checkNames(given map[string]string) error {
	var names []string
	for _, q := range p.Params {
		names = append(names, q.Name)
	}
	unknown := make([]string, 0, len(given))
	for name := range given {
		if p.Param(name) == nil {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	sort.Strings(unknown)
	hint := models.DidYouMean(unknown[0], names)
	if hint == "" && len(names) > 0 {
		hint = "; it takes " + strings.Join(names, ", ")
	}
	if len(names) == 0 {
		hint = "; it takes none"
	}
	return paramErrorf(models.Printable(unknown[0]), "%s has no such parameter%s", p.FullID(), hint)
}

// read reads the given parameters and the defaults of the others.
func (p *Pattern) read(given map[string]string, now time.Time) (map[string]Value, error) {
	values := map[string]Value{}
	for _, q := range p.Params {
		text, ok := given[q.Name]
		if !ok {
			if text = q.defaultFor(given, p); text == "" {
				continue
			}
		}
		v, err := q.Read(text, now)
		if err != nil {
			return nil, err
		}
		values[q.Name] = v
	}
	for _, q := range p.Params {
		if _, ok := values[q.Name]; !ok && q.Required {
			return nil, paramErrorf(q.Name, "missing; %s needs %s", p.FullID(), q.what())
		}
	}
	return values, nil
}

func (q *Param) what() string {
	what := "it"
	if q.Type == Enum {
		what = "one of " + strings.Join(q.Enum, ", ")
	} else if q.Prefix != "" {
		what = "a value that starts with " + q.Prefix
	}
	return what
}

// defaultFor returns the default that holds beside the other given values.
func (q *Param) defaultFor(given map[string]string, p *Pattern) string {
	for _, d := range q.DefaultWhen {
		other, ok := given[d.Param]
		if !ok {
			if o := p.Param(d.Param); o != nil {
				other = o.Default
			}
		}
		if slices.Contains(d.Values, other) {
			return d.Value
		}
	}
	return q.Default
}

func allGiven(values map[string]Value, names []string) bool {
	for _, n := range names {
		if _, ok := values[n]; !ok {
			return false
		}
	}
	return true
}

// text gives templates the values of parameters.
func (r *Request) text(name string) (string, bool) {
	v, ok := r.Values[name]
	return v.Text, ok
}

// UseKeys makes the request ask for an index's key attributes by the names that
// the live table gives them. Documents that write a key as an expression
// (createdAt#requestId) leave the name of its attribute open.
func (r *Request) UseKeys(partition, sort models.Key) {
	r.renamed = map[string]string{r.partition.Name: partition.Name, r.sort.Name: sort.Name}
	r.useNames(r.renamed)
	r.partition, r.sort = partition, sort
}

// useNames gives attributes other names in every leg.
func (r *Request) useNames(rename map[string]string) {
	for _, l := range r.Legs {
		for _, in := range []*dynamodb.QueryInput{l.Query, l.unfiltered} {
			if in == nil {
				continue
			}
			for alias, name := range in.ExpressionAttributeNames {
				if to := rename[name]; to != "" {
					in.ExpressionAttributeNames[alias] = to
				}
			}
		}
	}
}

// compile makes the legs.
func (r *Request) compile() error {
	f := r.Read.FanOut
	if f == nil {
		leg, err := r.leg()
		if err != nil {
			return err
		}
		r.Legs, r.Labels = []Leg{leg}, []string{""}
		return nil
	}
	values, err := r.fanOutValues(f)
	if err != nil {
		return err
	}
	given, was := r.Values[f.Placeholder]
	for _, v := range values {
		r.Values[f.Placeholder] = v
		leg, err := r.leg()
		if err != nil {
			return err
		}
		r.Legs, r.Labels = append(r.Legs, leg), append(r.Labels, v.Text)
	}
	delete(r.Values, f.Placeholder)
	if was {
		r.Values[f.Placeholder] = given
	}
	return nil
}

// fanOutValues lists the partitions in the order in which they are asked.
func (r *Request) fanOutValues(f *FanOut) ([]Value, error) {
	if v, ok := r.Values[f.Placeholder]; ok {
		return []Value{v}, nil
	}
	var values []Value
	if len(f.Values) > 0 {
		for _, v := range f.Values {
			values = append(values, Value{Text: v})
		}
		return values, nil
	}
	from, to, fromName, err := r.timeRange(f.From, f.To)
	if err != nil {
		return nil, err
	}
	r.Sequential = true
	first := from.UTC().Truncate(24 * time.Hour)
	for d := first; !d.After(to); d = d.AddDate(0, 0, 1) {
		if len(values) == f.Max {
			return nil, paramErrorf(fromName, "the range spans more than %d days, one partition each; give a shorter one", f.Max)
		}
		text, _ := models.Date.FormatTime(d)
		values = append(values, Value{Text: text, Time: models.Time{Time: d, Day: true}, IsTime: true})
	}
	if r.Read.Descending {
		slices.Reverse(values)
	}
	return values, nil
}

// timeRange reads both ends of a range of days.
func (r *Request) timeRange(from, to models.Template) (lo, hi time.Time, fromName string, err error) {
	ends := [2]time.Time{}
	for i, t := range []models.Template{from, to} {
		names := t.Placeholders()
		if len(names) != 1 {
			continue
		}
		v, ok := r.Values[names[0]]
		if !ok {
			return lo, hi, "", paramErrorf(names[0], "missing; the days to ask depend on it")
		}
		ends[i] = v.Time.Time
		if i == 1 {
			ends[i] = v.Time.End()
		} else {
			fromName = names[0]
		}
	}
	if ends[0].After(ends[1]) {
		return lo, hi, "", paramErrorf(fromName, "it is after %s", to.Placeholders()[0])
	}
	return ends[0], ends[1], fromName, nil
}

// bindError names the parameter behind an error of a template, nil without one.
func (r *Request) bindError(err error) error {
	var v *models.ValueError
	if errors.As(err, &v) {
		if errors.Is(err, models.ErrMissing) {
			return paramErrorf(v.Name, "missing; %s needs it", r.Pattern.FullID())
		}
		if q := r.Pattern.Param(v.Name); q != nil && q.Sensitive != models.Open {
			return paramErrorf(v.Name, "the value cannot stand in this key")
		}
		return paramErrorf(v.Name, "%v", v.Err)
	}
	return err
}

// keyValue checks the size of a key value and types it.
func (r *Request) keyValue(k models.Key, text string, t models.Template) (types.AttributeValue, error) {
	limit, kind := maxSortKey, "sort"
	if k == r.partition {
		limit, kind = maxPartitionKey, "partition"
	}
	if len(text) > limit {
		return nil, paramErrorf(r.blame(t), "the %s key %s would be %d bytes; DynamoDB allows %d", kind, k.Name, len(text), limit)
	}
	v, err := models.ScalarValue(k.Type, text)
	if err != nil {
		return nil, paramErrorf(r.blame(t), "%v", err)
	}
	return v, nil
}

// blame returns the parameter to name for a fault of a key: the longest one in
// its template.
func (r *Request) blame(t models.Template) string {
	name, length := "", -1
	for _, n := range t.Placeholders() {
		if v, ok := r.Values[n]; ok && len(v.Text) > length {
			name, length = n, len(v.Text)
		}
	}
	if name == "" {
		return t.String()
	}
	return name
}
