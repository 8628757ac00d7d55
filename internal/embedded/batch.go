package embedded

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
	"github.com/ddbdesk/ddbdesk/internal/embedded/expression"
)

// These are DynamoDB's limits on batches.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
const (
	// maxBatchGet is the maximum number of keys in all tables together.
	maxBatchGet = 100
	// maxBatchWrite is the maximum number of puts and deletes in all tables together.
	maxBatchWrite = 25
	// maxBatchResponse is the maximum size of the items in bytes.
	maxBatchResponse = 16 << 20
)

// keysAndAttributes contains the keys of one table, with common options.
type keysAndAttributes struct {
	Keys []attribute.WireItem
	batchReadOptions
}

// batchReadOptions contains the options for the keys of one table in a batch.
type batchReadOptions struct {
	ConsistentRead           bool              `json:",omitempty"`
	ProjectionExpression     *string           `json:",omitempty"`
	ExpressionAttributeNames map[string]string `json:",omitempty"`
	legacyProjection
}

// batchGetItemInput reads up to 100 items of any tables. It omits missing items and returns keys beyond 16 MB of items
// as unprocessed.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
type batchGetItemInput struct {
	RequestItems           map[string]*keysAndAttributes
	ReturnConsumedCapacity string
}

// batchGetItemOutput contains the items by table, with an empty list for a table without any of the items.
type batchGetItemOutput struct {
	Responses        map[string][]attribute.Item
	UnprocessedKeys  map[string]*unprocessedKeys
	ConsumedCapacity []*consumedCapacity `json:",omitempty"`
}

// Clients can send unprocessedKeys again as RequestItems.
type unprocessedKeys struct {
	Keys []attribute.Item
	batchReadOptions
}

func (in *batchGetItemInput) run(_ context.Context, s *Store) (any, error) {
	names := slices.Sorted(maps.Keys(in.RequestItems))
	plans := map[string][]*read{}
	for _, name := range names {
		var err error
		if plans[name], err = in.RequestItems[name].plan(s, name); err != nil {
			return nil, err
		}
	}
	out := &batchGetItemOutput{Responses: map[string][]attribute.Item{}, UnprocessedKeys: map[string]*unprocessedKeys{}}
	var ms meters
	total := 0
	err := s.storage.view(func(t *tx) error {
		for _, name := range names {
			request := in.RequestItems[name]
			out.Responses[name] = []attribute.Item{}
			for _, r := range plans[name] {
				found, err := t.item(r.table, r.key)
				if err != nil {
					return err
				}
				if total += found.Size(); total > maxBatchResponse {
					if out.UnprocessedKeys[name] == nil {
						out.UnprocessedKeys[name] = &unprocessedKeys{batchReadOptions: request.batchReadOptions}
					}
					out.UnprocessedKeys[name].Keys = append(out.UnprocessedKeys[name].Keys, r.given)
					continue
				}
				ms.meterOf(r.table).read(nil, found.Size(), request.ConsistentRead, 1)
				if shown := r.project(found); shown != nil {
					out.Responses[name] = append(out.Responses[name], *shown)
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out.ConsumedCapacity = ms.report(in.ReturnConsumedCapacity)
	return out, nil
}

func (in *batchGetItemInput) check(c *checks) {
	c.returnConsumed(in.ReturnConsumedCapacity)
	c.requestItems(in.RequestItems != nil, len(in.RequestItems), "BatchGetItem")
	total := 0
	var old, modern parameter
	for _, name := range slices.Sorted(maps.Keys(in.RequestItems)) {
		c.table(&name, "requestItems")
		request, field := in.RequestItems[name], "RequestItems."+name+".member.Keys"
		switch {
		case request == nil || request.Keys == nil:
			c.present(false, "requestItems."+name+".member.keys")
			continue
		case len(request.Keys) == 0:
			c.failAt(field, "Member must have length greater than or equal to 1")
		case len(request.Keys) > maxBatchGet:
			c.failAt(field, "Member must have length less than or equal to 100")
		}
		total += len(request.Keys)
		old = parameter{"AttributesToGet", old.isGiven || request.AttributesToGet != nil}
		modern = parameter{"ProjectionExpression", modern.isGiven || request.ProjectionExpression != nil}
	}
	if total > maxBatchGet {
		c.refuse(apierror.Invalid("Too many items requested for the BatchGetItem call"))
	}
	c.refuse(checkUnmixed([]parameter{old}, []parameter{modern}))
}

func (in *keysAndAttributes) plan(s *Store, table string) ([]*read, error) {
	reads := make([]*read, len(in.Keys))
	seen := targets{}
	for i, key := range in.Keys {
		one := itemRead{
			&table, key, in.ProjectionExpression,
			expression.Placeholders{ExpressionAttributeNames: in.ExpressionAttributeNames},
			in.legacyProjection,
		}
		r, err := one.plan()
		if err == nil {
			err = r.bind(s)
		}
		if err == nil {
			err = r.keyError
		}
		if err == nil && !seen.add(&r.target) {
			err = duplicateKeysError()
		}
		if err != nil {
			return nil, err
		}
		reads[i] = r
	}
	return reads, nil
}

func duplicateKeysError() error {
	return apierror.Invalid("Provided list of item keys contains duplicates")
}

// writeRequest is a put or a delete, never both.
type writeRequest struct {
	PutRequest    *struct{ Item attribute.WireItem }
	DeleteRequest *struct{ Key attribute.WireItem }
}

// batchWriteItemInput performs up to 25 puts and deletes. Unlike DynamoDB, it performs them atomically and leaves no
// item unprocessed.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchWriteItem.html
type batchWriteItemInput struct {
	RequestItems                map[string][]writeRequest
	ReturnConsumedCapacity      string
	ReturnItemCollectionMetrics string
}

// batchWriteItemOutput always has an empty map of unprocessed items.
type batchWriteItemOutput struct {
	UnprocessedItems      map[string][]writeRequest
	ConsumedCapacity      []*consumedCapacity             `json:",omitempty"`
	ItemCollectionMetrics map[string][]*collectionMetrics `json:",omitempty"`
}

func (in *batchWriteItemInput) run(_ context.Context, s *Store) (any, error) {
	var writes []*write
	for _, name := range slices.Sorted(maps.Keys(in.RequestItems)) {
		seen := targets{}
		for _, request := range in.RequestItems[name] {
			w, err := request.plan(s, name)
			if err == nil && !seen.add(&w.target) {
				err = duplicateKeysError()
			}
			if err != nil {
				return nil, err
			}
			writes = append(writes, w)
		}
	}
	var ms meters
	var collections collectionReport
	err := s.storage.update(func(t *tx) error {
		ms, collections = meters{}, collectionReport{}
		for _, w := range writes {
			before, after, err := w.perform(t)
			if err != nil {
				return err
			}
			ms.meterOf(w.table).write(before, after, 1)
		}
		return collections.addAll(t, writes, in.ReturnItemCollectionMetrics)
	})
	if err != nil {
		return nil, err
	}
	return &batchWriteItemOutput{
		UnprocessedItems:      map[string][]writeRequest{},
		ConsumedCapacity:      ms.report(in.ReturnConsumedCapacity),
		ItemCollectionMetrics: collections.byTable,
	}, nil
}

func (in *batchWriteItemInput) check(c *checks) {
	c.returnConsumed(in.ReturnConsumedCapacity)
	c.collectionMetrics(in.ReturnItemCollectionMetrics)
	c.requestItems(in.RequestItems != nil, len(in.RequestItems), "BatchWriteItem")
	total := 0
	for _, name := range slices.Sorted(maps.Keys(in.RequestItems)) {
		c.table(&name, "requestItems")
		requests := in.RequestItems[name]
		if len(requests) == 0 || len(requests) > maxBatchWrite {
			elements := ""
			if len(requests) > 0 {
				elements = countText(len(requests), "requests")
			}
			c.fail("{"+name+"=["+elements+"]}", "requestItems", "Map value must satisfy constraint: "+
				"[Member must have length less than or equal to 25, Member must have length greater than or equal to 1]")
		}
		total += len(requests)
	}
	if total > maxBatchWrite {
		c.refuse(apierror.Invalid("Too many items requested for the BatchWriteItem call"))
	}
}

func (r *writeRequest) plan(s *Store, table string) (w *write, err error) {
	common := writeParameters{TableName: &table}
	var c checks
	switch {
	case r.PutRequest != nil && r.DeleteRequest == nil:
		c.present(r.PutRequest.Item != nil, "item")
		w, err = common.plan(writePut, r.PutRequest.Item, updateParameters{})
	case r.DeleteRequest != nil && r.PutRequest == nil:
		c.present(r.DeleteRequest.Key != nil, "key")
		w, err = common.plan(writeDelete, r.DeleteRequest.Key, updateParameters{})
	default:
		return nil, apierror.SeveralTypes()
	}
	if c.err() != nil {
		return nil, c.err()
	}
	if err == nil {
		err = w.bind(s)
	}
	if err != nil {
		return nil, err
	}
	if api, ok := errors.AsType[*apierror.Error](w.keyError); ok && api.WrongKey {
		return nil, apierror.KeyDoesNotMatch()
	}
	return w, w.keyError
}
