package store

import (
	"context"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

// Confined returns a writer that commits only batches whose items all belong to one table and have a partition key that begins
// with prefix. Any other batch is refused before anything is sent. A nil writer stays nil. The
// error is an *Error of class Validation whose Outcome is NotWritten. An item with a partition
// key that is no text is outside.
func Confined(w Writer, t *models.Table, prefix string) Writer {
	if w == nil {
		return nil
	}
	return confined{w, t, prefix}
}

type confined struct {
	to     Writer
	table  *models.Table
	prefix string
}

// Commit implements Writer.
func (c confined) Commit(ctx context.Context, b change.Batch) (Committed, error) {
	for table, item := range b.Items() {
		key, _ := item.Text(c.table.PartitionKey.Name)
		if table != c.table.Name || !strings.HasPrefix(key, c.prefix) {
			return Committed{}, &Error{Class: Validation, What: "the change writes outside of the requests in table " + c.table.Name}
		}
	}
	return c.to.Commit(ctx, b)
}
