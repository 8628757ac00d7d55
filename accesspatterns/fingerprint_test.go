package accesspatterns_test

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// A read that continues in a split scan writes tokens, too, and they belong to the same request.
func TestSplitScanHasTheFingerprintOfTheWholeScan(t *testing.T) {
	whole := accesspatterns.WholeTable(&models.Table{Name: "orders", PartitionKey: models.Key{Name: "id", Type: models.TypeS}})
	if got, want := string(whole.Split(4).Fingerprint()), string(whole.Fingerprint()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
