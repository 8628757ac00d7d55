package reading_test

import (
	"context"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// fetches counts the requests that read items.
type fetches struct {
	store.Reader
	n, largest int // requests, and the largest limit
}

func (f *fetches) Fetch(ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error) {
	f.n++
	f.largest = max(f.largest, limit)
	return f.Reader.Fetch(ctx, leg, start, limit)
}

// The count equals the number of items that a run finds, or is a lower bound, and stays within its request limit.
func TestQuickCountMatchesRun(t *testing.T) {
	for _, name := range []string{"authbridge", "tazco"} {
		w := fixture.New(t, name, session.Support)
		counter := &fetches{Reader: w.Conn.Reader()}
		s := workspace.New(session.Options{Profile: w.Profile, Store: counter, Target: w.Conn.Describe(), Clock: w.Workspace.Session.Now})
		counted, refused := 0, 0
		for _, e := range w.Profile.Entities {
			page, err := counter.Reader.Fetch(t.Context(), accesspatterns.ScanLeg(e.Table), nil, 100)
			if err != nil {
				t.Fatal(err)
			}
			for _, it := range page.Items[:min(len(page.Items), 3)] {
				for _, r := range s.Reading.Related(e.Table, it) {
					counter.n, counter.largest = 0, 0
					request, err := s.Reading.Bind(r.Pattern, r.Args)
					if err != nil {
						t.Fatal(err)
					}
					g, err := s.Reading.QuickCount(t.Context(), request)
					if cause := s.Reading.CanQuickCount(request); (cause != nil) != (err != nil) {
						t.Fatalf("%s %v: got %v, but CanQuickCount returned %v", r.Pattern.FullID(), r.Args, err, cause)
					}
					if err != nil {
						if refused++; counter.n > 0 {
							t.Errorf("%s: sent %d requests before the error %v", r.Pattern.FullID(), counter.n, err)
						}
						continue
					}
					counted++
					if counter.n > 4 || counter.largest > reading.QuickCountLimit+1 {
						t.Errorf("%s: sent %d requests with up to %d items", r.Pattern.FullID(), counter.n, counter.largest)
					}
					all := len(w.Ask(t, r.Pattern, r.Args, 100))
					if g.More && all < g.Count || !g.More && all != g.Count {
						t.Errorf("%s %v: got %+v, want %d", r.Pattern.FullID(), r.Args, g, all)
					}
				}
			}
		}
		if counted < 10 {
			t.Errorf("%s: counted only %d patterns, %d refused", name, counted, refused)
		}
	}
}
