package changes

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
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

func resultOf(v *session.Viewer, p *change.Plan) *Result {
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
	after := itemPrint(v, w.Table, w.After, varies)
	if w.Before != nil && after == itemPrint(v, w.Table, w.Before, varies) {
		return nil
	}
	return &Result{varies, after}
}

func itemPrint(v *session.Viewer, t *models.Table, it models.Item, without []string) string {
	if it == nil {
		return ""
	}
	shown := v.FullMasker().Item(t, it)
	rest := models.Item{}
	for name, v := range shown {
		if !slices.Contains(without, name) {
			rest[name] = v
		}
	}
	sum := sha256.Sum256(rest.AppendDynamoDBJSON(nil))
	return hex.EncodeToString(sum[:])
}

func (pl *Planner) shows(ctx context.Context, a *change.Action, f *File, part Part) (bool, error) {
	want := part.Result
	if want == nil {
		return false, nil
	}
	inputs, err := f.inputs(pl.s, part)
	if err != nil {
		return false, err
	}
	key, err := pl.SubjectKey(ctx, a, inputs)
	if err != nil {
		return false, err
	}
	it, err := pl.rd.Get(ctx, a.Entity.Table, key)
	if err != nil {
		return false, err
	}
	return itemPrint(pl.s, a.Entity.Table, it, want.Varies) == want.Print, nil
}

// atTime plans p again as LoadPlan will: all parts have the time of their file.
func atTime(p *change.Plan, now time.Time) (*change.Plan, error) {
	b := *p.Basis
	b.Now, b.Values = now, maps.Clone(b.Values)
	for _, in := range p.Action.Inputs {
		text, given := b.Inputs[in.Name]
		if !given {
			text = in.Default
		}
		if _, read := b.Values[in.Name]; !read {
			continue
		}
		v, err := p.Action.ReadInput(in, text, now)
		if err != nil {
			return nil, err
		}
		b.Values[in.Name] = v
	}
	return p.At(b)
}
