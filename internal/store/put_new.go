package store

import (
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
func (a *admin) PutNew(ctx context.Context, t *models.Table, items []models.Item) (written int, err error) {
	for len(items) > 0 {
		n := transactLength(items)
		done, err := a.putNew(ctx, t, items[:n])
		written += done
		if err != nil {
			return written, withoutOutcome(err)
		}
		items = items[n:]
	}
	return written, nil
}

// withoutOutcome removes that nothing was written, which is true of its request and not of those before it.
func withoutOutcome(err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		e.What = strings.TrimSuffix(e.What, nothingWritten)
	}
	return err
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

func (a *admin) putNew(ctx context.Context, t *models.Table, items []models.Item) (int, error) {
	pending := slices.Clone(items)
	for len(pending) > 0 {
		in := &dynamodb.TransactWriteItemsInput{ClientRequestToken: aws.String(change.NewToken())}
		for _, it := range pending {
			in.TransactItems = append(in.TransactItems, types.TransactWriteItem{Put: &types.Put{
				TableName: aws.String(t.Name), Item: it, ConditionExpression: aws.String("attribute_not_exists(#key)"),
				ExpressionAttributeNames: map[string]string{"#key": t.PartitionKey.Name},
			}})
		}
		_, err := a.conn.Writer().Commit(ctx, change.Batch{Transact: in})
		if err == nil {
			return len(pending), nil
		}
		exists := existing(err)
		if len(exists) == 0 {
			return 0, err
		}
		var rest []models.Item
		for i, it := range pending {
			if !slices.Contains(exists, i) {
				rest = append(rest, it)
			}
		}
		pending = rest
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
