package embedded

import (
	"context"
	"errors"
	"maps"
	"slices"
)

const (
	maxBatchGet      = 100
	maxBatchWrite    = 25
	maxBatchResponse = 16 << 20
)

// keysAndAttributes are the keys of one table, with one projection for all.
type keysAndAttributes struct {
	Keys                     []wireItem
	ConsistentRead           bool              `json:",omitempty"`
	ProjectionExpression     *string           `json:",omitempty"`
	ExpressionAttributeNames map[string]string `json:",omitempty"`
	legacyProjection
}

type batchGetItemInput struct {
	RequestItems           map[string]*keysAndAttributes
	ReturnConsumedCapacity string
}

type batchGetItemOutput struct {
	Responses        map[string][]item
	UnprocessedKeys  map[string]*unprocessedKeys
	ConsumedCapacity []*consumedCapacity `json:",omitempty"`
}

// unprocessedKeys can be sent again as RequestItems.
type unprocessedKeys struct {
	Keys                     []item
	ConsistentRead           bool              `json:",omitempty"`
	ProjectionExpression     *string           `json:",omitempty"`
	ExpressionAttributeNames map[string]string `json:",omitempty"`
	legacyProjection
}

// batchGetItem reads up to 100 items of any tables. It omits items that do not exist.
// Keys beyond 16 MB of items are returned as unprocessed.
func (s *Store) batchGetItem(_ context.Context, in *batchGetItemInput) (*batchGetItemOutput, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(in.RequestItems))
	plans := map[string][]*read{}
	for _, name := range names {
		reads, err := s.planBatchRead(name, in.RequestItems[name])
		if err != nil {
			return nil, err
		}
		plans[name] = reads
	}
	out := &batchGetItemOutput{Responses: map[string][]item{}, UnprocessedKeys: map[string]*unprocessedKeys{}}
	var ms meters
	total := 0
	err := s.storage.view(func(t *tx) error {
		for _, name := range names {
			request := in.RequestItems[name]
			out.Responses[name] = []item{}
			for i, r := range plans[name] {
				found, err := t.item(r.table, r.key)
				if err != nil {
					return err
				}
				if total += found.size(); total > maxBatchResponse {
					if err := out.leave(name, request, request.Keys[i]); err != nil {
						return err
					}
					continue
				}
				ms.of(r.table).read(nil, found.size(), request.ConsistentRead, 1)
				if shown := r.shown(found); shown != nil {
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

// leave adds a key to the unprocessed part of the batch.
func (out *batchGetItemOutput) leave(name string, request *keysAndAttributes, key wireItem) error {
	k, err := key.values()
	if err != nil {
		return err
	}
	if out.UnprocessedKeys[name] == nil {
		out.UnprocessedKeys[name] = &unprocessedKeys{
			ConsistentRead: request.ConsistentRead, ProjectionExpression: request.ProjectionExpression,
			ExpressionAttributeNames: request.ExpressionAttributeNames, legacyProjection: request.legacyProjection,
		}
	}
	out.UnprocessedKeys[name].Keys = append(out.UnprocessedKeys[name].Keys, k)
	return nil
}

func (in *batchGetItemInput) check() error {
	var c checks
	c.present(in.RequestItems != nil, "requestItems")
	c.returnConsumed(in.ReturnConsumedCapacity)
	if in.RequestItems != nil && len(in.RequestItems) == 0 {
		c.failAt("RequestItems", "Member must have length greater than or equal to 1")
	}
	total := 0
	var old, modern parameter
	for _, name := range slices.Sorted(maps.Keys(in.RequestItems)) {
		c.table(name, "requestItems")
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
		old = parameter{"AttributesToGet", old.given || request.AttributesToGet != nil}
		modern = parameter{"ProjectionExpression", modern.given || request.ProjectionExpression != nil}
	}
	if err := c.err(); err != nil {
		return err
	}
	if total > maxBatchGet {
		return invalid("Too many items requested for the BatchGetItem call")
	}
	return unmixed([]parameter{old}, []parameter{modern})
}

// planBatchRead validates the keys of one table and rejects duplicates.
func (s *Store) planBatchRead(name string, request *keysAndAttributes) ([]*read, error) {
	reads := make([]*read, len(request.Keys))
	seen := map[string]bool{}
	for i, key := range request.Keys {
		r, err := planRead(name, key, projectionParameters{
			request.ProjectionExpression,
			placeholders{ExpressionAttributeNames: request.ExpressionAttributeNames},
			request.legacyProjection,
		})
		if err == nil {
			err = s.bindRead(r)
		}
		if err == nil {
			err = r.unfit
		}
		if err != nil {
			return nil, err
		}
		if seen[string(r.key)] {
			return nil, invalid("Provided list of item keys contains duplicates")
		}
		seen[string(r.key)] = true
		reads[i] = r
	}
	return reads, nil
}

// writeRequest is a put or a delete, never both.
type writeRequest struct {
	PutRequest    *struct{ Item wireItem }
	DeleteRequest *struct{ Key wireItem }
}

type batchWriteItemInput struct {
	RequestItems                map[string][]writeRequest
	ReturnConsumedCapacity      string
	ReturnItemCollectionMetrics string
}

type batchWriteItemOutput struct {
	UnprocessedItems      map[string][]writeRequest
	ConsumedCapacity      []*consumedCapacity             `json:",omitempty"`
	ItemCollectionMetrics map[string][]*collectionMetrics `json:",omitempty"`
}

// batchWriteItem performs up to 25 puts and deletes. They are atomic here, which the
// service does not guarantee. No item is left unprocessed.
func (s *Store) batchWriteItem(_ context.Context, in *batchWriteItemInput) (*batchWriteItemOutput, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	var writes []*write
	for _, name := range slices.Sorted(maps.Keys(in.RequestItems)) {
		planned, err := s.planBatchWrites(name, in.RequestItems[name])
		if err != nil {
			return nil, err
		}
		writes = append(writes, planned...)
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
			ms.of(w.table).write(before, after, 1)
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

func (in *batchWriteItemInput) check() error {
	var c checks
	c.present(in.RequestItems != nil, "requestItems")
	c.returnConsumed(in.ReturnConsumedCapacity)
	c.collectionMetrics(in.ReturnItemCollectionMetrics)
	if in.RequestItems != nil && len(in.RequestItems) == 0 {
		c.failAt("RequestItems", "Member must have length greater than or equal to 1")
	}
	total := 0
	for _, name := range slices.Sorted(maps.Keys(in.RequestItems)) {
		c.table(name, "requestItems")
		requests := in.RequestItems[name]
		switch {
		case len(requests) == 0:
			c.fail("{"+name+"=[]}", "requestItems", "Map value must satisfy constraint: "+
				"[Member must have length less than or equal to 25, Member must have length greater than or equal to 1]")
		case len(requests) > maxBatchWrite:
			c.failAt("RequestItems."+name+".member", "Member must have length less than or equal to 25")
		}
		total += len(requests)
	}
	if err := c.err(); err != nil {
		return err
	}
	if total > maxBatchWrite {
		return invalid("Too many items requested for the BatchWriteItem call")
	}
	return nil
}

// planBatchWrites validates the writes of one table and rejects two writes of one
// item.
func (s *Store) planBatchWrites(name string, requests []writeRequest) ([]*write, error) {
	var writes []*write
	seen := map[string]bool{}
	for _, request := range requests {
		var w *write
		var err error
		switch {
		case request.PutRequest != nil && request.DeleteRequest == nil:
			w, err = planPut(&putItemInput{writeParameters{TableName: name}, request.PutRequest.Item})
		case request.DeleteRequest != nil && request.PutRequest == nil:
			w, err = planDelete(&keyedInput{writeParameters{TableName: name}, request.DeleteRequest.Key})
		default:
			err = invalid("Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes")
		}
		if err == nil {
			err = s.bind(w)
		}
		if err == nil {
			err = keyMismatch(w.unfit)
		}
		if err != nil {
			return nil, err
		}
		if seen[string(w.key)] {
			return nil, invalid("Provided list of item keys contains duplicates")
		}
		seen[string(w.key)] = true
		writes = append(writes, w)
	}
	return writes, nil
}

// keyMismatch returns the error of a batch for an item whose key is missing or has
// another type. PutItem returns a more specific one.
func keyMismatch(unfit error) error {
	var api *apiError
	if errors.As(unfit, &api) && api.misfit {
		return keyDoesNotMatch()
	}
	return unfit
}
