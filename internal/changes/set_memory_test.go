package changes_test

import (
	"fmt"
	"iter"
	"runtime"
	"testing"
	"testing/synctest"
	"weak"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
)

// A planTracker counts the plans that are still referenced.
type planTracker struct{ plans []weak.Pointer[change.Plan] }

func (t *planTracker) add(o changes.Outcome) {
	if o.Commitment != nil {
		t.plans = append(t.plans, weak.Make(o.Commitment.Plan))
	}
}

func (t *planTracker) count() (n int) {
	runtime.GC()
	for _, p := range t.plans {
		if p.Value() != nil {
			n++
		}
	}
	return n
}

// ddbdesk runs, applies and undoes a set of any size with only a few plans in memory.
func TestSweepsKeepFewPlansInMemory(t *testing.T) { synctest.Test(t, sweepsKeepFewPlans) }

func sweepsKeepFewPlans(t *testing.T) {
	const items, maximum = 24, 4
	var ids []string
	for i := range items {
		ids = append(ids, fmt.Sprintf("ver_%03d", i))
	}
	w, _ := faultyFixture(t)
	w.Workspace = withRealClock(w)
	s := storedCases(t, w, ids...)
	stream := func() iter.Seq2[changes.Item, error] {
		return func(yield func(changes.Item, error) bool) {
			for _, id := range ids {
				if !yield(changes.Item{Table: s.Action.Entity.Table, Item: w.PutCase(t, id)}, nil) {
					return
				}
			}
		}
	}
	for name, apply := range map[string]func(each func(changes.Outcome)) (changes.Summary, error){
		"streamed": func(each func(changes.Outcome)) (changes.Summary, error) {
			return w.Workspace.Committer.Run(t.Context(), changes.Set{Action: s.Action}, stream(), each)
		},
		"from a file": func(each func(changes.Outcome)) (changes.Summary, error) {
			for _, err := range stream() { // This puts the cases back in review.
				if err != nil {
					return changes.Summary{}, err
				}
			}
			return w.Workspace.Committer.ApplyFile(t.Context(), planFile(t, w.Workspace, s), changes.Limits{}, each)
		},
	} {
		func() {
			tracker, worst := &planTracker{}, 0
			each := func(h *planTracker) func(changes.Outcome) {
				return func(o changes.Outcome) {
					if h.add(o); len(h.plans)%8 == 0 {
						worst = max(worst, h.count())
					}
				}
			}
			sum, err := apply(each(tracker))
			if err != nil || sum.Counts[changes.Committed] != items || worst > maximum {
				t.Fatalf("%s: got %d plans in memory, %+v, %v", name, worst, sum, err)
			}
			u, err := w.Workspace.Journal.Undo(sum.ID, "")
			if err != nil || u.Changes != items {
				t.Fatalf("got %+v, %v, want all changes", u, err)
			}
			worst = 0
			sum, err = w.Workspace.Committer.Run(t.Context(), u.Set, u.Items(w.Workspace.Journal), each(&planTracker{}))
			if err != nil || sum.Counts[changes.Committed] != items || worst > maximum {
				t.Errorf("undo of %s: got %d plans in memory, %+v, %v", name, worst, sum, err)
			}
		}()
	}
}
