package item

import (
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
)

// The tab counts what is wrong with the item. The schema issues below it, the same for each item, are not counted.
func TestOnlyDefectsOfTheItemAreCounted(t *testing.T) {
	for name, c := range map[string]struct {
		ttl, title, text string
	}{
		"sound":     {"1797840060", "6 Issues  7 Raw", "✓ no defects of this item"},
		"wrong TTL": {"1739448000", "6 Issues ✗1  7 Raw", "Defects of this item"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				it := screentest.With(
					screentest.Verification(t, schemas.Open(t, "authbridge")),
					map[string]types.AttributeValue{"ttl": screentest.ItemNumber(c.ttl)},
				)
				tt, _ := showItem(t, screentest.EverySize["120x40"], session.Support, &screentest.Memory{Item: it}, it)
				tt.WaitFor(c.title)
				tt.Reach(c.text, "6")
				tt.WaitFor("Schema issues of Verification case")
			})
		})
	}
}
