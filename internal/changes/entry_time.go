package changes

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
)

// Times of change have a resolution of one second. Two changes of one item in the same second would have audit entries
// with the same key, or with keys in the wrong order. The second change therefore waits for the next second; an audit
// entry with a later time than its change would be wrong.

// maxKeyRetries limits how often a change waits because its key is taken. Other users may write entries in the same
// second.
const maxKeyRetries = 10

// errSameSecond reports a clock that does not advance or was set back.
var errSameSecond = errors.New("the clock did not reach the next second")

// clockSkew is the maximum time that a clock may be behind a plan or the last change, because clocks are corrected by
// seconds.
const clockSkew = time.Minute

// commitTime returns a time not before the plan. If another clock is ahead, it returns the next second after the item's
// change, so that audit entries stay in order. The error is a *session.Refusal if someone has set the clock back.
func commitTime(s *session.Viewer, p *change.Plan) (time.Time, error) {
	now, planned := s.Now().UTC(), p.Basis.Now
	if planned.Sub(now) > clockSkew {
		return time.Time{}, &session.Refusal{
			Reason: fmt.Sprintf("the plan was made at %s, but the clock shows %s", planned.Format(time.RFC3339), now.Format(time.RFC3339)),
			Advice: "correct the clock, then plan again",
		}
	}
	at := now
	if planned.After(at) {
		at = planned
	}
	// Ignore a difference of more than clockSkew, because it does not come from a clock that is slightly ahead.
	last := p.LastChanged()
	if next := last.Truncate(time.Second).Add(time.Second); last.After(now) && at.Before(next) && last.Sub(now) <= clockSkew {
		at = next
	}
	return at, nil
}

// planInOrder plans p again, in the next second if the item's last change is in this one.
func planInOrder(ctx context.Context, s *session.Viewer, p *change.Plan, basis change.Basis) (*change.Plan, error) {
	replanned, err := p.At(basis)
	if err != nil || !replanned.SharesTime() {
		return replanned, err
	}
	now, err := nextSecond(ctx, s, basis.Now)
	switch {
	case errors.Is(err, errSameSecond): // The order of the entries is lost, but their keys still differ.
		return replanned, nil
	case err != nil:
		return nil, err
	}
	basis.Now = now
	return p.At(basis)
}

func nextSecond(ctx context.Context, s *session.Viewer, last time.Time) (time.Time, error) {
	next := last.Truncate(time.Second).Add(time.Second)
	if err := wait(ctx, min(next.Sub(s.Now()), time.Second)); err != nil { // even if the clock was set back
		return time.Time{}, err
	}
	if now := s.Now().UTC(); !now.Before(next) {
		return now, nil
	}
	return time.Time{}, errSameSecond
}

// failsOnSharedKey reports whether the only conflicts are audit entries with the keys of events in the same second.
func (c *commitRun) failsOnSharedKey(failed *store.Error) bool {
	if len(failed.Failures) == 0 || c.attempts >= maxKeyRetries {
		return false
	}
	for _, f := range failed.Failures {
		if f.Code != store.CodeConditionFailed || f.Index >= len(c.plan.AllWrites()) {
			return false
		}
		if w := c.plan.AllWrites()[f.Index]; !w.Entry || w.Operation != change.Put {
			return false
		}
	}
	return true
}

func (c *commitRun) replanInNextSecond(ctx context.Context) error {
	c.attempts++
	b := *c.plan.Basis
	var err error
	if b.Now, err = nextSecond(ctx, c.s.Viewer, b.Now); err != nil {
		return err
	}
	b.Token = change.NewToken()
	p, err := c.plan.At(b)
	if err != nil {
		return err
	}
	c.plan = p
	return c.recordIntent(ctx)
}
