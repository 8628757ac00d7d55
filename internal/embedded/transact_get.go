package embedded

import (
	"context"
	"fmt"

	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
	"github.com/ddbdesk/ddbdesk/internal/embedded/expression"
)

// transactGet is a read of one item. Unlike GetItem, it has no legacy parameters.
type transactGet struct {
	TableName            *string
	Key                  attribute.WireItem
	ProjectionExpression *string
	expression.Placeholders
}

// transactGetItemsInput reads up to 100 items of any tables at one point in time.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactGetItems.html
type transactGetItemsInput struct {
	TransactItems          []struct{ Get *transactGet }
	ReturnConsumedCapacity string
}

// itemResponse has no Item if there is none, so that the responses keep the order of the
// request.
type itemResponse struct {
	Item *attribute.Item `json:",omitempty"`
}

// transactGetItemsOutput has one response for each read.
type transactGetItemsOutput struct {
	Responses        []itemResponse
	ConsumedCapacity []*consumedCapacity `json:",omitempty"`
}

func (in *transactGetItemsInput) run(_ context.Context, s *Store) (any, error) {
	reads, err := in.plan(s)
	if err != nil {
		return nil, err
	}
	return readTogether(s, reads, in.ReturnConsumedCapacity)
}

// readTogether is one read transaction of the file, so it never conflicts with a write, unlike in the service. Each
// read costs twice the units of a strongly consistent one. Source:
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
func readTogether(s *Store, reads []*read, capacity string) (*transactGetItemsOutput, error) {
	out := &transactGetItemsOutput{Responses: make([]itemResponse, len(reads))}
	var ms meters
	size := 0
	err := s.storage.view(func(t *tx) error {
		for i, r := range reads {
			found, err := t.item(r.table, r.key)
			if err != nil {
				return err
			}
			if size += found.Size(); size > maxTransactionBytes {
				return transactionTooLarge()
			}
			ms.of(r.table).read(nil, found.Size(), true, 2)
			out.Responses[i].Item = r.shown(found)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out.ConsumedCapacity = ms.split(capacity, true)
	return out, nil
}

func (in *transactGetItemsInput) check(c *checks) {
	c.returnConsumed(in.ReturnConsumedCapacity)
	n := len(in.TransactItems)
	c.list(in.TransactItems != nil, n, "transactItems", counted(n, "actions"), maxTransaction)
	for i, a := range in.TransactItems {
		field := fmt.Sprintf("transactItems.%d.member.get", i+1)
		c.present(a.Get != nil, field)
		if a.Get != nil {
			c.table(a.Get.TableName, field+".tableName")
			c.present(a.Get.Key != nil, field+".key")
		}
	}
}

func (in *transactGetItemsInput) plan(s *Store) ([]*read, error) {
	reads := make([]*read, len(in.TransactItems))
	for i, a := range in.TransactItems {
		one := itemRead{
			TableName: a.Get.TableName, Key: a.Get.Key,
			ProjectionExpression: a.Get.ProjectionExpression, Placeholders: a.Get.Placeholders,
		}
		var err error
		if reads[i], err = one.plan(); err != nil {
			return nil, err
		}
	}
	return reads, bindReads(s, reads)
}

func bindReads(s *Store, reads []*read) error {
	reasons := make([]cancelReason, len(reads))
	unfit := false
	seen := targets{}
	for i, r := range reads {
		if err := r.bind(s); err != nil {
			return err
		}
		if err := seen.addAction(&r.target); err != nil {
			return err
		}
		reasons[i], _ = reasonFor(r.unfit)
		unfit = unfit || r.unfit != nil
	}
	if unfit {
		return cancelled(reasons)
	}
	return nil
}
