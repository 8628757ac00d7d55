// Package stored puts items into a database for tests, as other programs would. It has few dependencies, so that the
// tests of low-level packages compile quickly.
package stored

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// Put stores items, and replaces items with the same keys.
func Put(ctx context.Context, w store.Writer, table string, items []models.Item) error {
	for _, it := range items {
		put := types.TransactWriteItem{Put: &types.Put{TableName: &table, Item: it}}
		if _, err := w.Commit(ctx, change.Batch{Writes: []types.TransactWriteItem{put}}); err != nil {
			return err
		}
	}
	return nil
}
