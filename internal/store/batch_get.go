package store

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

const (
	// maxBatchGet and maxBatchWrite are the most items of one request. Source:
	// DynamoDB API reference, BatchGetItem and BatchWriteItem.
	maxBatchGet   = 100
	maxBatchWrite = 25

	// maxIdleRounds is how often in a row a store may do nothing of a batch.
	maxIdleRounds = 8
)

// BatchGet implements Reader.
func (r *reader) BatchGet(ctx context.Context, table string, keys []models.Item) ([]models.Item, error) {
	position := make(map[string]int, len(keys))
	var pending []map[string]types.AttributeValue
	for _, key := range keys {
		id := string(key.AppendDynamoDBJSON(nil))
		if _, twice := position[id]; !twice {
			position[id] = len(position)
			pending = append(pending, key)
		}
	}
	found := make([]models.Item, len(position))
	place := func(item models.Item) {
		key := models.Item{}
		for name := range keys[0] {
			key[name] = item[name]
		}
		if i, ok := position[string(key.AppendDynamoDBJSON(nil))]; ok {
			found[i] = item
		}
	}
	p := patience{conn: r.conn, subject: subject{operation: "BatchGetItem", table: table, sent: keys}}
	for len(pending) > 0 {
		n := min(len(pending), maxBatchGet)
		rest, err := r.batchGet(ctx, p.subject, pending[:n], place)
		if err == nil {
			err = p.progress(ctx, n-len(rest), len(rest))
		}
		if err != nil {
			return nil, err
		}
		pending = requeue(rest, pending[n:])
	}
	items := found[:0]
	for _, item := range found {
		if item != nil {
			items = append(items, item)
		}
	}
	return items, nil
}

// batchGet sends one request and returns the keys that the store left out.
func (r *reader) batchGet(
	ctx context.Context, s subject, keys []map[string]types.AttributeValue, place func(models.Item),
) (rest []map[string]types.AttributeValue, err error) {
	out, err := r.api.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
		RequestItems:           map[string]types.KeysAndAttributes{s.table: {Keys: keys, ConsistentRead: aws.Bool(true)}},
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	}, r.conn.reading(ctx, s))
	if err == nil && out.Responses == nil {
		err = &answerError{status: 200, contentType: "JSON without Responses"}
	}
	if err != nil {
		return nil, r.conn.called(ctx, s, 0, err)
	}
	for _, item := range out.Responses[s.table] {
		place(item)
	}
	return out.UnprocessedKeys[s.table].Keys, r.conn.called(ctx, s, totalCapacity(out.ConsumedCapacity), nil)
}

// requeue returns what came back followed by what was not sent yet.
func requeue[T any](rest, unsent []T) []T {
	if len(rest) == 0 {
		return unsent
	}
	return append(rest, unsent...)
}

func totalCapacity(all []types.ConsumedCapacity) float64 {
	sum := 0.0
	for i := range all {
		sum += capacityOf(&all[i])
	}
	return sum
}

// A patience waits between the rounds of a batch that the store answers in part,
// and ends it when nothing moves any more.
type patience struct {
	conn    *Connection
	subject subject
	idle    int
}

// progress is told after each round how many were done and how many came back.
func (p *patience) progress(ctx context.Context, done, left int) error {
	if left == 0 {
		p.idle = 0
		return nil
	}
	p.idle++
	if done > 0 {
		p.idle = 1
	}
	if p.idle >= maxIdleRounds {
		return &Error{
			Class: Throttled, Operation: p.subject.operation, Table: p.subject.table, Err: errNoProgress,
			What: p.subject.String() + " was throttled", Advice: "wait a moment, or raise the table's capacity",
		}
	}
	wait := backoff(throttledBackoff, p.idle)
	if notify := both(p.conn.notify, traceOf(ctx).Retried); notify != nil {
		notify(Retry{Operation: p.subject.operation, Attempt: p.idle, Class: Throttled, Err: errNoProgress, Wait: wait})
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return p.conn.failure(ctx, p.subject, ctx.Err())
	case <-timer.C:
		return nil
	}
}
