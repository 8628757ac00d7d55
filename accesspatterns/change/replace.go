package change

import (
	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// Replacement plans the update that gives an item the values of after, which has the same primary key. It is made on the
// condition that the item exists and that every attribute that changes is as in before; other attributes may change
// meanwhile. The plan belongs to no action: it has no audit entry, and nothing undoes it. The error is a *Conflict if the
// items differ in more attributes than one write can compare.
func Replacement(t *models.Table, e *models.Entity, before, after models.Item) (*Plan, error) {
	w := Write{
		Operation: Update, Table: t, Entity: e, Before: before, After: after, Changes: models.Diff(before, after),
	}
	w.Key, _ = t.PrimaryKey(before)
	w.Condition = []accesspatterns.Condition{w.exists(accesspatterns.Exists)}
	for _, c := range w.Changes {
		same := unchanged(before, c.Path)
		same.Touched = true
		w.Condition = append(w.Condition, same)
	}
	return &Plan{Basis: &Basis{}, Writes: []Write{w}}, w.checkExpressions()
}
