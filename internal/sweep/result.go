package sweep

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Result identifies what an action leaves of its item, without a value of it. A machine whose journal does not have the
// change tells by it that the item was changed.
type Result struct {
	Varies []string `json:"varies,omitempty"` // attributes that depend on the time of the commit and on who makes it
	Print  string   `json:"print"`            // of the masked item without them, "" if it is deleted
}

// later is a time by which a plan is made again to see what depends on the time: another date and another time of day.
const later = 400*24*time.Hour + 3661*time.Second

func (r *Runner) resultOf(p *change.Plan) *Result {
	w := p.Writes[0]
	if w.Operation == change.Delete {
		return &Result{}
	}
	q, err := atTime(p, p.Basis.Now.Add(later))
	if err != nil || w.After == nil {
		return nil
	}
	b := *q.Basis
	b.Actor, b.Identity, b.Reason, b.Token = b.Actor+"?", b.Identity+"?", b.Reason+"?", change.NewToken()
	if q, err = q.At(b); err != nil {
		return nil
	}
	var varies []string
	for _, name := range w.After.Names() {
		if !models.EqualValues(w.After[name], q.Writes[0].After[name]) {
			varies = append(varies, name)
		}
	}
	after := r.printOf(w.Table, w.After, varies)
	if w.Before != nil && after == r.printOf(w.Table, w.Before, varies) {
		return nil
	}
	return &Result{varies, after}
}

func (r *Runner) printOf(t *models.Table, it models.Item, without []string) string {
	if it == nil {
		return ""
	}
	shown := r.s.FullMasker().Item(t, it)
	rest := models.Item{}
	for name, v := range shown {
		if !slices.Contains(without, name) {
			rest[name] = v
		}
	}
	sum := sha256.Sum256(rest.AppendDynamoDBJSON(nil))
	return hex.EncodeToString(sum[:])
}

func (r *Runner) shows(ctx context.Context, a *change.Action, f *changes.PlanFile, want *Result) (bool, error) {
	if want == nil {
		return false, nil
	}
	key, err := r.planner.SubjectKey(ctx, a, f.Inputs)
	if err != nil {
		return false, err
	}
	it, err := r.rd.Get(ctx, a.Entity.Table, key)
	if err != nil {
		return false, err
	}
	return r.printOf(a.Entity.Table, it, want.Varies) == want.Print, nil
}
