package changes

import (
	"context"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// PlanRepair plans to correct derived attributes: index keys and repeated times. The result is an ordinary plan.
func (pl *Planner) PlanRepair(ctx context.Context, t *models.Table, it models.Item, reason string) (*change.Plan, error) {
	e, err := pl.drift.RepairableEntity(ctx, t, it)
	if err != nil {
		return nil, err
	}
	a := pl.s.Profile().RepairOf(e)
	if strings.TrimSpace(reason) == "" && a.Reason != change.ReasonRequired && entryNeedsReason(a) {
		reason = repairReason
	}
	plan, err := pl.Plan(ctx, a, ActionArgs(a, e, it), reason)
	if err != nil {
		return nil, err
	}
	if key, _ := t.PrimaryKey(it); !models.EqualItems(key, plan.Writes[0].Key) {
		return nil, &session.Refusal{Reason: "this item cannot be repaired, because its attributes identify another item"}
	}
	return plan, nil
}

// repairReason is the default reason of a repair whose audit entry must have one.
const repairReason = "index keys or repeated times did not follow from the attributes"

func entryNeedsReason(a *change.Action) bool {
	isReason := func(r change.Reference) bool { return r.Name == "reason" && !r.HasDefault }
	for _, e := range a.Audits {
		for _, v := range e.Set {
			attribute := e.Trail.Entity.Attribute(v.Name)
			if attribute != nil && attribute.Required && slices.ContainsFunc(v.Formula.References(), isReason) {
				return true
			}
		}
	}
	return false
}
