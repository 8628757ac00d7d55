package lists

import (
	"context"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/drift"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/listing"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

func TestEveryDefectKindIsDescribed(t *testing.T) {
	for _, k := range change.DefectKinds() {
		if d := present.DescribeDefect(k); d.Sign == "" || k.Word() == "" || d.Meaning == "" {
			t.Errorf("%s: got %+v", k, d)
		}
	}
}

func TestRepairGivesRefusalReason(t *testing.T) {
	env, _ := screentest.Seeded(t, schemas.Open(t, "authbridge"))
	newItem := func(repairable bool, reason, state string) *defectiveItem {
		entity := env.Session.Profile().Entity("Verification")
		return &defectiveItem{Result: drift.Result{Table: entity.Table, Entity: entity, Repairable: repairable, Obstacle: reason}, state: state}
	}
	stale, unrepairable := newItem(true, "", ""), newItem(false, "attributes are missing", "")
	for name, c := range map[string]struct {
		rows []*defectiveItem
		want string
	}{
		"no items":             {nil, "nothing to repair"},
		"unrepairable item":    {[]*defectiveItem{unrepairable}, "this item cannot be repaired: attributes are missing"},
		"stale key":            {[]*defectiveItem{stale}, ""},
		"mixed items":          {[]*defectiveItem{unrepairable, stale}, ""},
		"repaired or outdated": {[]*defectiveItem{newItem(true, "", "✓ repaired")}, "nothing to repair"},
	} {
		got := ""
		if err := cannotRepair(env, c.rows); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// After a change of an item, only its own defect is outdated.
func TestCommittedChangesMakeDefectsOutdated(t *testing.T) {
	env, _ := screentest.Seeded(t, schemas.Open(t, "authbridge"))
	table := env.Session.Profile().Tables[0]
	key := func(id string) models.Item {
		return models.Item{"PK": models.StringValue("CASE#" + id), "SK": models.StringValue("META")}
	}
	one, two := &defectiveItem{Result: drift.Result{Table: table, Item: key("1")}}, &defectiveItem{Result: drift.Result{Table: table, Item: key("2")}}
	spec := listing.Spec[*defectiveItem]{
		ID: func(d *defectiveItem) string { return string(d.Item.AppendDynamoDBJSON(nil)) }, Empty: listing.None("", ""), Committed: markChanged,
		Load: func(context.Context, *screen.Env, *listing.Reading[*defectiveItem]) (listing.Rows[*defectiveItem], error) {
			return listing.Rows[*defectiveItem]{List: []*defectiveItem{one, two}}, nil
		},
	}
	s := listing.New(env, &spec)
	defer s.Close()
	answer(s, s.Init())
	s.Committed([]screen.CommittedChange{{Table: table, Key: key("2")}})
	if one.state != "" || two.state != "≠ changed" {
		t.Errorf("got states %q and %q, want only the second to be changed", one.state, two.state)
	}
}
