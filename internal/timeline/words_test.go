package timeline

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/models"
)

func TestEntriesAreSentences(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	e := p.Entity("Verification")
	state := func(name string) types.AttributeValue {
		return &types.AttributeValueMemberM{Value: models.Item{"status": models.StringValue(name)}}
	}
	for _, c := range []struct {
		what, from, to, want string
	}{
		{"claim-review", "", "", "Claimed for review"},
		{"claim-review", "pending_review", "in_review", "Claimed for review"},
		{"UPDATE", "", "", "Updated"},
		{"BID_PLACED", "", "", "Bid placed"},
		{"card.request.approved", "", "", "Card request approved"},
		{"auto-escalate", "", "", "Automatically escalated"},
		{"copyFile", "", "", "Copied file"},
		{"payout_sent", "", "", "Payout sent"},
		{"table.edit.shop.orders", "", "", "Edited"},
		{"undo-table.delete.shop-orders", "", "", `Undid "Delete"`},
		{"table.edit", "", "", "Tabled edit"},
		{"1.2.3", "", "", "1.2.3"},
		{"", "created", "approved", "Became Approved"},
		{"", "", "", "Changed"},
	} {
		entry := Entry{What: c.what}
		if c.to != "" {
			entry.Before, entry.After = state(c.from), state(c.to)
		}
		if got := entry.Sentence(e, p.ActionsOf(e)); got != c.want {
			t.Errorf("%s %s → %s: got %q, want %q", c.what, c.from, c.to, got, c.want)
		}
	}
}
