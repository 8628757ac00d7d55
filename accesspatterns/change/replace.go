package change

import (
	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// ReplaceID is the ID of the action that ReplaceAction returns. The dot distinguishes it from the actions of a schema.
const ReplaceID = "put.replace"

// ReplaceAction returns the action that gives an item the values of another item. Profiles do not declare it, and it
// has no audit entry.
func ReplaceAction(profile string, e *models.Entity) *Action {
	return &Action{Profile: profile, ID: ReplaceID, Title: "Replace", Entity: e, Kind: KindReplace, Reason: ReasonOptional}
}

// Replacement plans the update that gives an item the values of after, which has the same primary key. Its condition
// requires that the item exists and that every changed attribute equals that of before; other attributes may change in
// the meantime. Undo restores the earlier values, including versions and times of change. The error is a *Conflict if
// the items differ in more attributes than one write can compare.
func Replacement(profile string, e *models.Entity, input UserInput, before, after models.Item) (*Plan, error) {
	w := Write{
		Operation: Update, Table: e.Table, Entity: e, Before: before, After: after, Changes: models.Diff(before, after),
	}
	w.Key, _ = w.Table.PrimaryKey(before)
	w.Condition = []accesspatterns.Condition{w.existenceCondition(accesspatterns.Exists)}
	for _, c := range w.Changes {
		condition := unchangedCondition(before, c.Path)
		condition.ChecksUnchanged = true
		w.Condition = append(w.Condition, condition)
	}
	return &Plan{Action: ReplaceAction(profile, e), Basis: &Basis{UserInput: input}, Writes: []Write{w}}, w.checkExpressions()
}
