package changes

import (
	"context"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// PlanReplacement plans to give an item the values of another item with the same key. The error is a *change.Conflict
// if one write cannot replace the item.
func PlanReplacement(s *session.Viewer, e *models.Entity, before, after models.Item) (*change.Plan, error) {
	g := change.UserInput{Actor: s.Actor(), Identity: s.Person().Identity(), Token: change.NewToken(), Now: s.Now().UTC()}
	return change.Replacement(s.Profile().Name, e, g, before, after)
}

// Replace applies plans of PlanReplacement as one set until one fails. It returns the number of replaced items and the
// ID of the set, which can undo them together. It uses the connection's writer, because every role may prepare an
// embedded store. The caller must check session.Options.CanPrepare.
func (c *Committer) Replace(ctx context.Context, w store.Writer, plans []*change.Plan) (replaced int, set string, err error) {
	set = newSetID()
	for i, p := range plans {
		if err := ctx.Err(); err != nil {
			return i, set, err
		}
		if _, err := c.send(ctx, w, p, origin{member: Member{set, i + 1}}); err != nil {
			return i, set, err
		}
	}
	return len(plans), set, nil
}
