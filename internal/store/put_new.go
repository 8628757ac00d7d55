package store

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

const (
	// maxTransact is the most writes of a transaction, and maxTransactSize the most bytes of their items, with room for
	// what Item.Size does not count. Source: Amazon DynamoDB API Reference, TransactWriteItems.
	maxTransact     = 100
	maxTransactSize = 3 << 20
)

// PutNew implements Admin. BatchWriteItem has no conditions, so the puts are transactions. A transaction whose conditions
// fail is sent again without the items that exist.
func (a *admin) PutNew(ctx context.Context, t *models.Table, items []models.Item) (written, existed int, err error) {
	for from := 0; from < len(items); {
		n := transactLength(items[from:])
		done, err := a.putNew(ctx, t, items, from, from+n)
		if err != nil {
			return written, existed, err
		}
		written, existed, from = written+done, existed+n-done, from+n
	}
	return written, existed, nil
}

// ofPart makes an error true of a list of items, of which one transaction failed: places has those of its writes.
func ofPart(err error, places []int, sent *dynamodb.TransactWriteItemsInput) error {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	e.What = strings.TrimSuffix(e.What, nothingWritten)
	for i := range e.Failures {
		e.Failures[i].Index = places[e.Failures[i].Index]
	}
	if e.Class == TransactionCancelled && passes(e.Err) {
		e.Class, e.What = Throttled, "other requests were changing the same items"
	} else if e.Class == TransactionCancelled {
		e.Class, e.Advice = Validation, ""
		for _, reason := range reasonsOf(e.Err) {
			e.What = "DynamoDB rejected the item: " + cmp.Or(clean(aws.ToString(reason.Message), sent), *reason.Code)
			break
		}
	}
	return e
}

func transactLength(items []models.Item) int {
	size := 0
	for i, it := range items[:min(maxTransact, len(items))] {
		if size += it.Size(); size > maxTransactSize && i > 0 {
			return i
		}
	}
	return min(maxTransact, len(items))
}

func (a *admin) putNew(ctx context.Context, t *models.Table, items []models.Item, from, to int) (int, error) {
	var places []int
	for i := from; i < to; i++ {
		places = append(places, i)
	}
	for len(places) > 0 {
		in := &dynamodb.TransactWriteItemsInput{ClientRequestToken: aws.String(change.NewToken())}
		for _, i := range places {
			in.TransactItems = append(in.TransactItems, types.TransactWriteItem{Put: &types.Put{
				TableName: aws.String(t.Name), Item: items[i], ConditionExpression: aws.String("attribute_not_exists(#key)"),
				ExpressionAttributeNames: map[string]string{"#key": t.PartitionKey.Name},
			}})
		}
		_, err := a.conn.Writer().Commit(ctx, change.Batch{Transact: in})
		if err == nil {
			return len(places), nil
		}
		exists := existing(err)
		if len(exists) == 0 {
			return 0, ofPart(err, places, in)
		}
		for _, n := range slices.Backward(exists) {
			places = slices.Delete(places, n, n+1)
		}
	}
	return 0, nil
}

func existing(err error) []int {
	var failed *Error
	if !errors.As(err, &failed) || failed.Outcome() == Unknown {
		return nil
	}
	var list []int
	for _, f := range failed.Failures {
		if f.Code == CodeConditionFailed {
			list = append(list, f.Index)
		}
	}
	return list
}
