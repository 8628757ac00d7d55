package embedded

import (
	"context"
	"strings"
)

// queryInput reads one item collection, of the table or of an index, in sort key order.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Query.html
type queryInput struct {
	readParameters
	keyParameters
	QueryFilter      map[string]legacyCondition
	ScanIndexForward *bool
}

func (in *queryInput) check(c *checks) {
	in.readParameters.check(c)
	if in.Limit != nil && *in.Limit < 1 { // in words of its own, unlike a scan
		c.failAt("Limit", "Member must have value greater than or equal to 1")
	}
}

// keyParameters select the item collection of a query, as an expression or in the legacy
// form.
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

// unmixed rejects a request with both key conditions. Unlike the other legacy parameters,
// KeyConditions can be used beside an expression of another purpose.
func (in *keyParameters) unmixed() error {
	return unmixed(
		[]parameter{{"KeyConditions", in.KeyConditions != nil}},
		[]parameter{{"KeyConditionExpression", in.KeyConditionExpression != nil}},
	)
}

// condition reads the key condition, modern or legacy.
func (in *keyParameters) condition(sc *scope) (*expr, error) {
	switch {
	case in.KeyConditionExpression != nil:
		return sc.condition("KeyConditionExpression", *in.KeyConditionExpression)
	case len(in.KeyConditions) == 0:
		return nil, invalid("Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.")
	}
	for _, c := range in.KeyConditions {
		switch c.ComparisonOperator {
		case "NE", "IN", "NULL", "NOT_NULL", "CONTAINS", "NOT_CONTAINS":
			return nil, invalid("Attempted conditional constraint is not an indexable operation")
		}
	}
	return joined(in.KeyConditions, "")
}

// checkFilterKeys rejects a filter on the keys of the query, and on attributes that the
// index does not project.
func (p *page) checkFilterKeys() error {
	for _, k := range p.table.keys(p.index) {
		for _, path := range pathsOf(p.filter) {
			if path[0].name == k.Name {
				word := "Filter Expression"
				if p.parameters.FilterExpression == nil {
					word = "QueryFilter"
				}
				return invalid("%s can only contain non-primary key attributes: Primary key attribute: %s", word, k.Name)
			}
		}
	}
	return p.checkFilterProjection()
}

// checkFilterProjection rejects a filter on attributes that the index does not project.
func (p *page) checkFilterProjection() error {
	if absent := p.absent(pathsOf(p.filter)); absent != nil {
		return invalidParameter("Secondary index %s does not project one or more filter attributes: [%s]",
			p.index.Name, strings.Join(absent, ", "))
	}
	return nil
}

// checkQueryStart checks that the start key is within the range of the query.
func (p *page) checkQueryStart() error {
	if p.start == nil {
		return nil
	}
	if err := p.checkStart(); err != nil {
		return err
	}
	keys, width := p.table.keys(p.index), p.index.partitionWidth()
	for _, k := range keys[width:] {
		if c, ok := p.conditions[k.Name]; ok && !matches(c, p.start[k.Name]) {
			return invalid("The provided starting key does not match the range key predicate")
		}
	}
	for _, k := range keys[:width] {
		if !p.start[k.Name].equal(p.conditions[k.Name].values[0]) {
			return invalid("The provided starting key is outside query boundaries based on provided conditions")
		}
	}
	return nil
}
