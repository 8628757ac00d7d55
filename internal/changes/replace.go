package changes

import (
	"context"
	"crypto/rand"
	"encoding/hex"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// NewSweep returns the ID of a new sweep: 128 random bits in hexadecimal.
func NewSweep() string {
	var id [16]byte
	rand.Read(id[:]) // It never returns an error: it ends the program instead.
	return hex.EncodeToString(id[:])
}

// PlanReplacement plans to give an item the values of another one with the same key. The error is a *change.Conflict about an
// item that cannot be replaced by one write.
func PlanReplacement(s *session.Viewer, e *models.Entity, before, after models.Item) (*change.Plan, error) {
	g := change.Given{Actor: s.Actor(), Identity: s.Person().Identity(), Token: change.NewToken(), Now: s.Now().UTC()}
	return change.Replacement(s.Profile().Name, e, g, before, after)
}

// Replace applies a plan of PlanReplacement like Commit: the journal has what an undo needs. It takes the writer of the connection,
// because every role may prepare an embedded store: the caller checks session.Options.CanPrepare.
func (c *Committer) Replace(ctx context.Context, w store.Writer, p *change.Plan, part Part) (*Commitment, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return c.send(ctx, w, p, origin{part: part})
}
