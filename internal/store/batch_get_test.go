package store_test

import (
	"context"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// batchGet reads items by their keys.
func batchGet(ctx context.Context, r store.Reader, table string, keys []models.Item) ([]models.Item, error) {
	page, err := r.Fetch(ctx, accesspatterns.BatchLeg(&models.Table{Name: table}, keys), nil, 0)
	return page.Items, err
}
