package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

const (
	// maxBatchWrite is the most items of one request. Source: Amazon DynamoDB API
	// Reference, BatchWriteItem.
	maxBatchWrite = 25

	// maxIdleRounds is how often in a row the store may process none of a batch. With the waits
	// between them, it gives up after 9 to 18 seconds without progress.
	maxIdleRounds = 8
)

// batchGet sends keys that DynamoDB did not process again.
func (r *reader) batchGet(ctx context.Context, leg accesspatterns.Leg, start models.Item) (page accesspatterns.Page, err error) {
	table, of := leg.Keys()
	position := make(map[string]int, len(of.Keys))
	var pending []map[string]types.AttributeValue
	for _, key := range of.Keys {
		id := keyText(key, key)
		if _, repeated := position[id]; !repeated {
			position[id] = len(position)
			pending = append(pending, key)
		}
	}
	if len(pending) == 0 {
		return page, nil
	}
	if i, ok := position[keyText(start, pending[0])]; ok && start != nil {
		pending = pending[i+1:]
	}
	found := make([]models.Item, len(position))
	s := subject{operation: "BatchGetItem", table: table, sent: of.Keys}
	type keyList = []map[string]types.AttributeValue
	err = inBatches(ctx, r.conn, s, pending, accesspatterns.MaxBatch, func(batch keyList) (rest keyList, err error) {
		ask := of
		ask.Keys = batch
		in := &dynamodb.BatchGetItemInput{
			RequestItems:           map[string]types.KeysAndAttributes{table: ask},
			ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
		}
		_, err = call(ctx, r.conn, s, in, r.api.BatchGetItem, func(out *dynamodb.BatchGetItemOutput) (float64, error) {
			if out.Responses == nil {
				return 0, lacks("Responses")
			}
			for _, item := range out.Responses[table] {
				if i, ok := position[keyText(item, batch[0])]; ok {
					found[i] = item
				}
			}
			rest = out.UnprocessedKeys[table].Keys
			units := totalCapacity(out.ConsumedCapacity)
			page.Capacity += units
			return units, nil
		})
		return rest, err
	})
	if err == nil {
		page.Items = slices.DeleteFunc(found, func(item models.Item) bool { return item == nil })
		page.Count, page.Scanned = len(page.Items), len(page.Items)
	}
	return page, err
}

func keyText(item, key models.Item) string {
	only := models.Item{}
	for name := range key {
		only[name] = item[name]
	}
	return string(only.AppendDynamoDBJSON(nil))
}

func totalCapacity(all []types.ConsumedCapacity) float64 {
	sum := 0.0
	for i := range all {
		sum += capacityOf(&all[i])
	}
	return sum
}

// errNoProgress is the cause of giving up on a batch.
var errNoProgress = errors.New("the server accepts the batch but processes none of it")

// inBatches sends unprocessed elements again after a wait that grows while the store processes nothing, as AWS
// recommends. Source: Amazon DynamoDB API Reference, BatchGetItem and BatchWriteItem, on unprocessed items.
func inBatches[T any](ctx context.Context, c *Connection, s subject, pending []T, size int, send func([]T) (rest []T, err error)) error {
	idle := 0
	for len(pending) > 0 {
		n := min(len(pending), size)
		rest, err := send(pending[:n])
		if err != nil {
			return err
		}
		if pending = pending[n:]; len(rest) == 0 {
			idle = 0
			continue
		}
		pending = append(rest, pending...)
		if idle++; len(rest) < n {
			idle = 1
		}
		if err := c.awaitCapacity(ctx, s, idle); err != nil {
			return err
		}
	}
	return nil
}

func (c *Connection) awaitCapacity(ctx context.Context, s subject, idle int) error {
	if idle >= maxIdleRounds {
		return &Error{
			Class: Throttled, Operation: s.operation, Table: s.table, Err: errNoProgress,
			What: s.String() + " was throttled", Advice: "wait a moment, or raise the table's capacity",
		}
	}
	wait := backoff(throttledBackoff, idle)
	if notify := both(c.notify, traceOf(ctx).Retried); notify != nil {
		notify(Retry{Operation: s.operation, Attempt: idle, Class: Throttled, Err: errNoProgress, Wait: wait})
	}
	return c.failure(ctx, s, sleep(ctx, wait))
}

// sleep returns the cause of ctx if ctx ends before. A wait of zero or less may return nil with an ended ctx.
func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
