package sample_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// text returns the text of an attribute, and fails if the item lacks it.
func text(t *testing.T, s sample.Item, path string) string {
	t.Helper()
	v, ok := s.Item.Text(path)
	if !ok {
		t.Fatalf("%s has no %s: %s", s.Entity.Name, path, s.Item.AppendJSON(nil))
	}
	return v
}

func plus(t *testing.T, a, b string, minus bool) string {
	t.Helper()
	sum, err := models.AddNumbers(a, b, minus)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// A score matches its user's current score, a card's available credit is its limit minus its balance, and a user's
// totals match the cards.
func TestComputedValuesAgree(t *testing.T) {
	p := schemas.Open(t, "tazco")
	itemsOf := map[string]map[string][]sample.Item{} // by entity and user
	for _, s := range schemas.Samples(t, p, sample.Options{}) {
		user, ok := s.Item.Text("ecosystemId")
		if !ok {
			continue
		}
		if itemsOf[s.Entity.Name] == nil {
			itemsOf[s.Entity.Name] = map[string][]sample.Item{}
		}
		itemsOf[s.Entity.Name][user] = append(itemsOf[s.Entity.Name][user], s)
	}
	for user, list := range itemsOf["User"] {
		for _, s := range itemsOf["Score"][user] {
			value, before := text(t, s, "value"), text(t, s, "previousValue")
			if value != text(t, list[0], "currentScore") || plus(t, value, text(t, s, "delta"), true) != before {
				t.Errorf("the score of %s is wrong: %s", user, s.Item.AppendJSON(nil))
			}
			if late := text(t, s, "reason") == "payment overdue"; late != strings.HasPrefix(text(t, s, "delta"), "-") {
				t.Errorf("the delta does not match the reason: %s", s.Item.AppendJSON(nil))
			}
		}
		balance, limit, active := "0", "0", 0
		for _, s := range itemsOf["Card"][user] {
			b, l := text(t, s, "balance"), text(t, s, "limit")
			if got := text(t, s, "availableCredit"); got != plus(t, l, b, true) {
				t.Errorf("availableCredit = %s for limit %s and balance %s", got, l, b)
			}
			balance, limit = plus(t, balance, b, false), plus(t, limit, l, false)
			if text(t, s, "status") == "active" {
				active++
			}
		}
		if got := text(t, list[0], "cardSummary.totalBalance"); got != balance {
			t.Errorf("%s: totalBalance = %s, want %s", user, got, balance)
		}
		if got := text(t, list[0], "cardSummary.totalLimit"); got != limit {
			t.Errorf("%s: totalLimit = %s, want %s", user, got, limit)
		}
		if got := text(t, list[0], "cardSummary.activeCards"); got != string(rune('0'+active)) {
			t.Errorf("%s: activeCards = %s, want %d", user, got, active)
		}
	}
	for _, list := range itemsOf["CardRequest"] {
		for _, s := range list {
			if user, _ := s.Item.Text("ecosystemId"); text(t, s, "tierAtRequest") != text(t, itemsOf["User"][user][0], "tier") {
				t.Errorf("tierAtRequest differs from the user's tier: %s", s.Item.AppendJSON(nil))
			}
		}
	}
}

// A purchase has a merchant and no payment status, and a failed transaction has a reason.
func TestValuesOccurTogether(t *testing.T) {
	kinds := map[string]int{}
	for _, s := range schemas.Samples(t, schemas.Open(t, "tazco"), sample.Options{}) {
		if s.Entity.Name != "Transaction" {
			continue
		}
		kind, purchase := text(t, s, "type"), s.Item["merchant"] != nil
		if kinds[kind]++; purchase != (kind == "purchase") || purchase == (s.Item["paymentStatus"] != nil) {
			t.Errorf("a %s has attributes of another kind: %s", kind, s.Item.AppendJSON(nil))
		}
		if failed := text(t, s, "status") == "failed"; failed != (s.Item["failureReason"] != nil) {
			t.Errorf("the failure reason does not match the status: %s", s.Item.AppendJSON(nil))
		}
	}
	if kinds["purchase"] == 0 || kinds["payment"] == 0 {
		t.Errorf("got kinds of transactions %v, want both", kinds)
	}
}

// addedDefects lists the defects of the demo, by schema.
var addedDefects = map[string][]string{
	"authbridge":  {"Verification ghost ", "Verification stale-key GSI1SK", "Verification ttl ttl"},
	"ebay-sniper": {"Bid ttl ttl", "User ghost "}, // The schema computes no index key.
	// An item created by an update lacks the index keys that follow from its key and state.
	"form-bridge": {
		"Agency ghost ", "Agency stale-key GSI1PK", "Agency stale-key GSI1SK", "Agency stale-key GSI1SK", "Registration ttl ttl",
	},
	"tazco":         {"Card stale-key statusCardId", "IdempotencyRecord ttl expiresAtEpochSeconds", "User ghost "},
	"zentriqvision": {"Appearance stale-key GSI1SK", "Organization ghost "}, // no table has a TTL
}

func TestDriftFindsAddedDefects(t *testing.T) {
	schemas.Each(t, func(t *testing.T, p *profiles.Profile) {
		for _, hasDefects := range []bool{true, false} {
			var found []string
			d := change.Drift{Entities: p.Entities, Now: schemas.Now}
			for _, s := range schemas.Samples(t, p, sample.Options{Seed: 1, Defects: hasDefects}) {
				r, defects := d.Defects(s.Table, s.Item)
				for _, defect := range defects {
					found = append(found, fmt.Sprintf("%s %s %s", r.Entity.Name, defect.Kind, defect.Attribute))
				}
			}
			slices.Sort(found)
			want := addedDefects[p.Name]
			if !hasDefects {
				want = nil
			}
			if diff := cmp.Diff(want, found); diff != "" {
				t.Errorf("defects: %v (-want +found):\n%s", hasDefects, diff)
			}
		}
	})
}
