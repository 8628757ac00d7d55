package embedded

import (
	"context"
	"math"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
	"github.com/ddbdesk/ddbdesk/internal/embedded/expression"
)

// queryInput is the request to read one item collection of the table or an index in sort key order.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Query.html
type queryInput struct {
	readParameters
	keyParameters
	QueryFilter      map[string]legacyCondition
	ScanIndexForward *bool
}

func (in *queryInput) check(c *checks) {
	in.readParameters.check(c)
	if in.Limit != nil && *in.Limit < 1 { // uses another wording than a scan
		c.failAt("Limit", "Member must have value greater than or equal to 1")
	}
}

// keyParameters selects the item collection of a query, as an expression or in the legacy form.
type keyParameters struct {
	KeyConditionExpression *string
	KeyConditions          map[string]legacyCondition
}

func (in *queryInput) run(ctx context.Context, s *Store) (any, error) {
	p, err := in.plan(legacyFilter{"QueryFilter", in.QueryFilter}, &in.keyParameters)
	if err != nil {
		return nil, err
	}
	if err := p.resolve(s); err != nil {
		return nil, err
	}
	if p.keys, err = p.table.keyRange(p.index, p.conditions); err != nil {
		return nil, err
	}
	if err := p.checkFilterKeys(); err != nil {
		return nil, err
	}
	p.backward = in.ScanIndexForward != nil && !*in.ScanIndexForward
	if err := p.checkQueryStart(); err != nil {
		return nil, err
	}
	return p.run(ctx, s)
}

// checkUnmixed allows KeyConditions with a filter or projection expression, unlike the other legacy parameters.
func (in *keyParameters) checkUnmixed() error {
	return checkUnmixed(
		[]parameter{{"KeyConditions", in.KeyConditions != nil}},
		[]parameter{{"KeyConditionExpression", in.KeyConditionExpression != nil}},
	)
}

func (in *keyParameters) condition(sc *expression.Scope) (*expression.Node, error) {
	switch {
	case in.KeyConditionExpression != nil:
		return sc.Condition("KeyConditionExpression", *in.KeyConditionExpression)
	case len(in.KeyConditions) == 0:
		return nil, apierror.Invalid("Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.")
	}
	for _, c := range in.KeyConditions {
		switch c.ComparisonOperator {
		case "NE", "IN", "NULL", "NOT_NULL", "CONTAINS", "NOT_CONTAINS":
			return nil, apierror.Invalid("Attempted conditional constraint is not an indexable operation")
		}
	}
	return joinConditions(in.KeyConditions, "")
}

func (p *pageRead) checkFilterKeys() error {
	for _, k := range p.table.keys(p.index) {
		for _, path := range expression.Paths(p.filter) {
			if path[0].Name == k.Name {
				word := "Filter Expression"
				if p.parameters.FilterExpression == nil {
					word = "QueryFilter"
				}
				return apierror.Invalid("%s can only contain non-primary key attributes: Primary key attribute: %s", word, k.Name)
			}
		}
	}
	return p.checkFilterProjection()
}

func (p *pageRead) checkFilterProjection() error {
	if absent := p.absentNames(expression.Paths(p.filter)); absent != nil {
		return apierror.InvalidParameter("Secondary index %s does not project one or more filter attributes: [%s]",
			p.index.Name, strings.Join(absent, ", "))
	}
	return nil
}

func (p *pageRead) checkQueryStart() error {
	if p.start == nil {
		return nil
	}
	if err := p.checkStart(); err != nil {
		return err
	}
	keys, width := p.table.keys(p.index), p.index.partitionWidth()
	for _, k := range keys[width:] {
		if c, ok := p.conditions[k.Name]; ok && !matchesValue(c, p.start[k.Name]) {
			return apierror.Invalid("The provided starting key does not match the range key predicate")
		}
	}
	for _, k := range keys[:width] {
		if !p.start[k.Name].Equal(p.conditions[k.Name].Values[0]) {
			return apierror.Invalid("The provided starting key is outside query boundaries based on provided conditions")
		}
	}
	return nil
}

// maxSegments is DynamoDB's limit on the segments of a parallel scan.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Scan.html
const maxSegments = 1000000

// scanInput is the request to read all items, or one segment of them, in the order of the hashed partition keys.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Scan.html
type scanInput struct {
	readParameters
	ScanFilter    map[string]legacyCondition
	Segment       *int32
	TotalSegments *int32
}

func (in *scanInput) check(c *checks) {
	if in.TotalSegments != nil {
		c.number(int64(*in.TotalSegments), "totalSegments", 1, maxSegments)
	}
	if in.Segment != nil {
		c.number(int64(*in.Segment), "segment", 0, math.MaxInt32)
	}
	in.readParameters.check(c)
	if in.Limit != nil {
		c.number(int64(*in.Limit), "limit", 1, math.MaxInt32)
	}
	c.refuse(in.checkSegments())
}

func (in *scanInput) checkSegments() error {
	switch {
	case in.Segment == nil && in.TotalSegments == nil:
		return nil
	case in.TotalSegments == nil:
		return apierror.Invalid("The TotalSegments parameter is required but was not present in the request when Segment parameter is present")
	case in.Segment == nil:
		return apierror.Invalid("The Segment parameter is required but was not present in the request when parameter TotalSegments is present")
	case *in.Segment >= *in.TotalSegments:
		return apierror.Invalid("The Segment parameter is zero-based and must be less than parameter TotalSegments: "+
			"Segment: %d is not less than TotalSegments: %d", *in.Segment, *in.TotalSegments)
	}
	return nil
}

func (in *scanInput) run(ctx context.Context, s *Store) (any, error) {
	p, err := in.plan(legacyFilter{"ScanFilter", in.ScanFilter}, nil)
	if err != nil {
		return nil, err
	}
	if err := p.resolve(s); err != nil {
		return nil, err
	}
	if in.Segment != nil {
		p.keys = segmentRange(int(*in.Segment), int(*in.TotalSegments))
	}
	if err := p.checkScanStart(); err != nil {
		return nil, err
	}
	return p.run(ctx, s)
}

func (p *pageRead) checkScanStart() error {
	if p.start == nil {
		return nil
	}
	if err := p.checkStart(); err != nil {
		return err
	}
	key := p.table.storedKey(p.index, p.start)
	if !isInRange(key, p.keys, true) || !isInRange(key, p.keys, false) {
		return apierror.Invalid("The provided starting key is invalid: Invalid ExclusiveStartKey. " +
			"Please use ExclusiveStartKey with correct Segment. TotalSegments and Segment must match the request that returned it")
	}
	return nil
}
