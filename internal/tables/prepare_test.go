package tables_test

import (
	"errors"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/tables"
)

// "Nothing was written" applies only to the failed request, so the error of the command must count the earlier writes.
func TestErrorReportsEarlierWrites(t *testing.T) {
	conflict := &change.Conflict{Message: change.NothingWritten + "Order o1 changed since it was read"}
	err := tables.SeedResult{Written: 1, Replaced: 2}.AddTo(conflict)
	const want = "failed after 1 item written, 0 already existed, 2 replaced: Order o1 changed since it was read; run the same command again to continue"
	if found := (*change.Conflict)(nil); err.Error() != want || !errors.As(err, &found) {
		t.Errorf("got %q, want the conflict", err)
	}
	var zero tables.SeedResult
	if zero.AddTo(nil) != nil || zero.AddTo(conflict) != error(conflict) { //nolint:errorlint // unchanged
		t.Error("AddTo changed an error before the first write")
	}
}
