package embedded

import (
	"context"
	"fmt"
)

type transactGet struct {
	TableName            string
	Key                  wireItem
	ProjectionExpression *string
	placeholders
}

type transactGetItemsInput struct {
	TransactItems          []struct{ Get *transactGet }
	ReturnConsumedCapacity string
}

type itemResponse struct {
	Item *item `json:",omitempty"`
}

type transactGetItemsOutput struct {
	Responses        []itemResponse
	ConsumedCapacity []*consumedCapacity `json:",omitempty"`
}

func (s *Store) transactGetItems(_ context.Context, in *transactGetItemsInput) (*transactGetItemsOutput, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	reads, err := s.planTransactReads(in)
	if err != nil {
		return nil, err
	}
	out := &transactGetItemsOutput{Responses: make([]itemResponse, len(reads))}
	var ms meters
	size := 0
	err = s.storage.view(func(t *tx) error {
		for i, r := range reads {
			found, err := t.item(r.table, r.key)
			if err != nil {
				return err
			}
			if size += found.size(); size > maxTransactionBytes {
				return transactionTooLarge()
			}
			ms.of(r.table).read(nil, found.size(), true, 2)
			out.Responses[i].Item = r.shown(found)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out.ConsumedCapacity = ms.reads(in.ReturnConsumedCapacity)
	return out, nil
}

func (in *transactGetItemsInput) check() error {
	var c checks
	c.returnConsumed(in.ReturnConsumedCapacity)
	c.present(in.TransactItems != nil, "transactItems")
	checkTransactionSize(&c, in.TransactItems != nil, len(in.TransactItems))
	for i, a := range in.TransactItems {
		field := fmt.Sprintf("transactItems.%d.member.get", i+1)
		c.present(a.Get != nil, field)
		if a.Get != nil {
			c.table(a.Get.TableName, field+".tableName")
			c.present(a.Get.Key != nil, field+".key")
		}
	}
	return c.err()
}

func (s *Store) planTransactReads(in *transactGetItemsInput) ([]*read, error) {
	reads := make([]*read, len(in.TransactItems))
	for i, a := range in.TransactItems {
		r, err := planRead(
			a.Get.TableName, a.Get.Key,
			projectionParameters{expression: a.Get.ProjectionExpression, placeholders: a.Get.placeholders},
		)
		if err != nil {
			return nil, err
		}
		reads[i] = r
	}
	reasons := make([]cancelReason, len(reads))
	unfit := false
	seen := map[string]bool{}
	for i, r := range reads {
		if err := s.bindRead(r); err != nil {
			return nil, err
		}
		if isUpFront(r.unfit) {
			return nil, r.unfit
		}
		id := r.table.ID + string(r.key)
		if r.key != nil && seen[id] {
			return nil, invalid("Transaction request cannot include multiple operations on one item")
		}
		seen[id] = true
		reasons[i], _ = reasonFor(r.unfit)
		unfit = unfit || r.unfit != nil
	}
	if unfit {
		return nil, cancelled(reasons)
	}
	return reads, nil
}
