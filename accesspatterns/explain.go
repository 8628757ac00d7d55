package accesspatterns

import (
	"cmp"
	"encoding/json"
	"math"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// An Explanation is one operation and its input in the form of --cli-input-json. Its JSON is part of the command
// contract: run --explain prints a list of explanations.
type Explanation struct {
	Operation string          `json:"operation"`
	Input     json.RawMessage `json:"input"`
	// Filter contains the expression, names and values of the filter that ddbdesk applies because DynamoDB cannot. It
	// is nil if there is none.
	Filter json.RawMessage `json:"filter,omitempty"`
}

// Explain returns the first operation of every leg. limit is the number of rows per page; 0 means no limit. DynamoDB
// applies the limit before the filter, so requests with a filter read whole pages instead. A nil redact leaves every
// value unchanged. Later operations of a leg differ only in ExclusiveStartKey.
func (r *Request) Explain(limit int, redact Redact) []Explanation {
	if limit > 0 && r.isFiltered() {
		limit = pageLimit
	}
	list := make([]Explanation, 0, len(r.Legs))
	for _, l := range r.Legs {
		x := l.explain(limit, redact)
		x.Filter = explainFilter(r.Pattern, l.clientFilter, redact)
		list = append(list, x)
	}
	return list
}

// WithoutProjection returns the request with legs that read whole items; see Leg.WithoutProjection.
func (r *Request) WithoutProjection() *Request { return r.withLegs(Leg.WithoutProjection) }

// WithoutFilter returns the request with legs that do not filter; see Leg.WithoutFilter.
func (r *Request) WithoutFilter() *Request { return r.withLegs(Leg.WithoutFilter) }

func (r *Request) withLegs(change func(Leg) Leg) *Request {
	out := *r
	out.Legs = models.MapSlice(r.Legs, change)
	return &out
}

// ExplainItems returns the BatchGetItem that reads the full items for the rows of an index. Its keys are placeholders,
// because the rows are not known yet. also lists attributes that a filter needs. ddbdesk shows the operation with the
// query, so that users see the number of requests and their cost. If withFilter is true, it includes the query's
// filter, which ddbdesk applies to these items.
func (r *Request) ExplainItems(withFilter bool, redact Redact, also ...string) Explanation {
	key := models.Item{}
	for _, k := range r.Pattern.Table.PrimaryKeys() {
		placeholder := "<" + k.Name + " of the row>"
		key[k.Name] = models.StringValue(placeholder)
		if k.Type == models.TypeN {
			key[k.Name] = &types.AttributeValueMemberN{Value: placeholder}
		}
	}
	x := r.BatchOf([]models.Item{key}, also...).explain(0, nil)
	if withFilter && len(r.Legs) > 0 {
		x.Filter = explainFilter(r.Pattern, r.Legs[0].filter, redact)
	}
	return x
}

func explainFilter(p *Pattern, conditions []Condition, redact Redact) json.RawMessage {
	e := &Expression{}
	filter, _ := joinTerms(conditions, func(c Condition) (string, error) {
		return c.Expression(e, func(path string) string { return e.Path(p.pathNames(path)) }, ""), nil
	}) // A leg's conditions always compile.
	if filter == nil {
		return nil
	}
	return InputJSON(&dynamodb.QueryInput{
		FilterExpression: filter, ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
	}, redact)
}

// Request returns the operation that reads a page and its input, which is a pointer to an AWS SDK struct. Both are zero
// for an empty leg. The page begins after the key start, or at the beginning if start is nil, and contains at most
// limit items, or the limit of the leg if limit is 0. The response contains the consumed capacity.
func (l Leg) Request(start models.Item, limit int) (operation string, input any) {
	const total = types.ReturnConsumedCapacityTotal
	var maximum *int32
	if limit > 0 {
		maximum = aws.Int32(int32(min(limit, math.MaxInt32)))
	}
	switch {
	case l.Batch != nil:
		in := *l.Batch
		in.ReturnConsumedCapacity = total
		return "BatchGetItem", &in
	case l.Get != nil:
		in := *l.Get
		in.ReturnConsumedCapacity = total
		return "GetItem", &in
	case l.Query != nil:
		in := *l.Query
		in.ReturnConsumedCapacity, in.ExclusiveStartKey, in.Limit = total, start, cmp.Or(maximum, in.Limit)
		return "Query", &in
	case l.Scan != nil:
		in := *l.Scan
		in.ReturnConsumedCapacity, in.ExclusiveStartKey, in.Limit = total, start, cmp.Or(maximum, in.Limit)
		return "Scan", &in
	}
	return "", nil
}

func (l Leg) explain(limit int, redact Redact) Explanation {
	operation, input := l.Request(nil, limit)
	return Explanation{Operation: operation, Input: InputJSON(input, redact)}
}

func (l Leg) fingerprint() string { return string(l.explain(0, nil).Input) }

// Fingerprint identifies the read: the table, index, conditions and order of every leg, and whether the legs are
// merged. A request from Split has the fingerprint of the whole scan. Two requests share a fingerprint only if a
// position of one is valid for the other. It contains values in clear text, so compare it or store its digest.
func (r *Request) Fingerprint() []byte {
	b := strconv.AppendBool(nil, r.Sequential)
	for _, l := range r.Legs {
		if l.Scan != nil && l.Scan.Segment != nil {
			whole := *l.Scan
			whole.Segment, whole.TotalSegments = nil, nil
			l.Scan = &whole
			return append(append(b, '\n'), l.fingerprint()...)
		}
		b = append(append(b, '\n'), l.fingerprint()...)
	}
	return b
}

func redacted(values map[string]types.AttributeValue, redact Redact) models.Item {
	out := make(models.Item, len(values))
	for name, v := range values {
		out[name] = v
		if text, ok := models.ValueText(v); ok && redact != nil {
			if shown := redact(text); shown != text {
				out[name] = models.StringValue(shown)
			}
		}
	}
	return out
}
