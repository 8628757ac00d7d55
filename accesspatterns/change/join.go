package change

import (
	"fmt"
	"slices"

	"github.com/ddbdesk/ddbdesk/models"
)

// Join returns p with the writes of another plan in the same transaction. DynamoDB applies both or neither. The writes
// of p come first. Record, Shown and Undo apply to p only. The error is a *Conflict if both plans write the same item,
// or if their writes do not fit into a transaction. Join changes neither plan, and its result cannot be joined again.
func (p *Plan) Join(other *Plan) (*Plan, error) {
	if p.Joined != nil || other.Joined != nil {
		return nil, fmt.Errorf("%s: only two plans can be joined", p.Action.FullID())
	}
	out := *p
	out.Joined = other
	return &out, out.check()
}

// AllWrites returns the writes of the transaction: those of the plan, followed by those of the joined plan.
func (p *Plan) AllWrites() []Write {
	if p.Joined == nil {
		return p.Writes
	}
	return slices.Concat(p.Writes, p.Joined.Writes)
}

func (p *Plan) joinedAt(joined *Plan, b Basis) (*Plan, error) {
	if joined == nil {
		return p, nil
	}
	other := *joined.Basis
	other.Now = b.Now
	replanned, err := joined.At(other)
	if err != nil {
		return nil, err
	}
	return p.Join(replanned)
}

func (p *Plan) liveWrites(yield func(Write, *models.Table) bool) {
	for _, part := range []*Plan{p, p.Joined} {
		if part == nil {
			return
		}
		for _, w := range part.Writes {
			if !yield(w, part.Basis.Live.table(w.Table)) {
				return
			}
		}
	}
}
