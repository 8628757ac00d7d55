package compare

import (
	"context"
	"fmt"

	"github.com/ddbdesk/ddbdesk/internal/cases"
	"github.com/ddbdesk/ddbdesk/internal/session"
)

// A Case collects items for a case file: items of the right database that the left database lacks or stores with other
// values.
type Case struct {
	c    *Comparison
	o    cases.Purpose
	list []*cases.Record
}

// NewCase returns an empty case of a comparison. The error explains why the user must not save items of the right
// database for the purpose.
func (c *Comparison) NewCase(o cases.Purpose) (*Case, error) {
	return &Case{c: c, o: o}, c.right.Cases.Check(o)
}

// Add adds the item of a difference, unless only the left database has the item. The error refuses more items than a
// case may contain.
func (c *Case) Add(d Difference) error {
	if d.Kind == OnlyLeft {
		return nil
	}
	if limit := cases.DefaultLimits().Items; len(c.list) == limit {
		return &session.Refusal{
			Reason: fmt.Sprintf("more than %d items differ, which is the limit of a case file", limit),
			Advice: "compare one entity or pattern",
		}
	}
	r := &cases.Record{Table: d.rightTable, Item: d.Key}
	if d.Entity != nil {
		r.Entity = c.c.right.Session.Profile().Entity(d.Entity.Name)
	}
	c.list = append(c.list, r)
	return nil
}

// Collect reads the items again and returns them with pseudonyms; see [cases.Collector.Collect]. It returns nil if no
// item has a known entity. The case reproduces the right database, whose session determines the masking.
func (c *Case) Collect(ctx context.Context) (*cases.Case, *cases.Report, error) {
	tree := cases.TreeOf("diff", c.list)
	if tree == nil {
		return nil, nil, nil
	}
	return c.c.right.Cases.Collect(ctx, tree, c.o)
}
