// Query.

package embedded

import (
	"context"
	"slices"
	"strings"
)

type queryInput struct {
	readParameters
	KeyConditionExpression *string
	ScanIndexForward       *bool
}

// query reads one item collection, of the table or of an index, in sort key order.
func (s *Store) query(ctx context.Context, in *queryInput) (*pageOutput, error) {
	if err := in.check(&checks{}); err != nil {
		return nil, err
	}
	hasValues := in.FilterExpression != nil || in.KeyConditionExpression != nil
	sc, err := in.scope(hasValues || in.ProjectionExpression != nil, hasValues, "FilterExpression and KeyConditionExpression are")
	if err != nil {
		return nil, err
	}
	if in.KeyConditionExpression == nil {
		return nil, invalid("Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.")
	}
	keyExpression, err := sc.condition("KeyConditionExpression", *in.KeyConditionExpression)
	if err != nil {
		return nil, err
	}
	p, err := in.parse(sc)
	if err != nil {
		return nil, err
	}
	conditions, err := keyConditions(keyExpression)
	if err != nil {
		return nil, err
	}
	if err := p.resolve(s); err != nil {
		return nil, err
	}
	if p.keys, err = p.table.keyRange(p.index, conditions); err != nil {
		return nil, err
	}
	if err := p.checkFilterKeys(); err != nil {
		return nil, err
	}
	p.backward = in.ScanIndexForward != nil && !*in.ScanIndexForward
	if err := p.checkQueryStart(conditions); err != nil {
		return nil, err
	}
	return p.run(ctx, s)
}

// checkFilterKeys refuses a filter on the keys that the query selects by, and on
// attributes that the index does not hold.
func (p *page) checkFilterKeys() error {
	for _, k := range p.table.keys(p.index) {
		for _, path := range pathsOf(p.filter) {
			if path[0].name == k.Name {
				return invalid("Filter Expression can only contain non-primary key attributes: Primary key attribute: %s", k.Name)
			}
		}
	}
	if p.index == nil || p.index.projected == nil {
		return nil
	}
	var absent []string
	for _, path := range pathsOf(p.filter) {
		if name := path[0].name; p.index.projected.names[name] == nil && !slices.Contains(absent, name) {
			absent = append(absent, name)
		}
	}
	if absent != nil {
		return invalidParameter("Secondary index %s does not project one or more filter attributes: [%s]",
			p.index.Name, strings.Join(absent, ", "))
	}
	return nil
}

// checkQueryStart makes sure that the start key lies within the query.
func (p *page) checkQueryStart(conditions map[string]keyCondition) error {
	if p.start == nil {
		return nil
	}
	if err := p.checkStart(); err != nil {
		return err
	}
	keys := p.table.keys(p.index)
	if len(keys) > 1 {
		if c, ok := conditions[keys[1].Name]; ok && !c.matches(p.start[keys[1].Name]) {
			return invalid("The provided starting key does not match the range key predicate")
		}
	}
	if !p.start[keys[0].Name].equal(conditions[keys[0].Name].values[0]) {
		return invalid("The provided starting key is outside query boundaries based on provided conditions")
	}
	return nil
}
