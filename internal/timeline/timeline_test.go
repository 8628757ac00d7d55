package timeline_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// entries reads a timeline to its end, n entries at a time.
func entries(t *testing.T, line *timeline.Timeline, n int) []timeline.Entry {
	t.Helper()
	var list []timeline.Entry
	for line.More() {
		step, err := line.Next(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		if len(step) > n {
			t.Fatalf("got %d entries, want at most %d", len(step), n)
		}
		list = append(list, step...)
	}
	return list
}

func TestTimelineListsChangesNewestFirst(t *testing.T) {
	w := fixture.New(t, "authbridge", session.Admin)
	e, it := w.SampleCase(t, "in_review")
	before := entries(t, timeline.New(w.Workspace.Session.Viewer, w.Workspace.Reading, e, it), 100)
	a, err := w.Workspace.Planner.Action("reject")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := w.Workspace.Planner.Plan(t.Context(), a, changes.ActionArgs(a, e, it), "the photo is of somebody else")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Workspace.Committer.Commit(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
	all := entries(t, timeline.New(w.Workspace.Session.Viewer, w.Workspace.Reading, e, it), 100)
	if len(all) != len(before)+1 {
		t.Fatalf("got %d entries, want 1 more than %d", len(all), len(before))
	}
	first := all[0]
	got := fmt.Sprintf("%s %s %s %s %s → %s", first.WhenText, first.Who, first.What, first.Reason,
		change.ValueWords(first.Before), change.ValueWords(first.After))
	if want := `2026-01-20T12:00:00Z tester reject the photo is of somebody else {"status":"in_review"} → {"completedAt":`; !strings.HasPrefix(
		got, want,
	) {
		t.Errorf("got %s\nwant the prefix %s", got, want)
	}
	if !first.When.Equal(fixture.Now) {
		t.Errorf("When = %v, want the time of the change", first.When)
	}
	if diff := cmp.Diff(keysOf(all), keysOf(entries(t, timeline.New(w.Workspace.Session.Viewer, w.Workspace.Reading, e, it), 1))); diff != "" {
		t.Errorf("reading one entry at a time (-all +steps):\n%s", diff)
	}
}

func keysOf(list []timeline.Entry) []string {
	var keys []string
	for _, e := range list {
		keys = append(keys, e.WhenText+" "+e.Table.KeyText(e.Item))
	}
	return keys
}

// The timeline of every sample item is sorted, and its entries concern the item.
func TestSampleTimelinesAreSorted(t *testing.T) {
	t.Parallel()
	fixture.EachSchema(t, session.Support, func(t *testing.T, w *fixture.Fixture, samples []sample.Item) {
		calls := map[*models.Entity]int{}
		for _, s := range samples {
			if calls[s.Entity]++; calls[s.Entity] > 40 {
				continue
			}
			list := entries(t, timeline.New(w.Workspace.Session.Viewer, w.Workspace.Reading, s.Entity, s.Item), 7)
			for i, e := range list {
				if e.When.IsZero() || i > 0 && e.When.After(list[i-1].When) {
					t.Errorf("entry %d of %s: time %s after %s", i, s.Table.KeyText(s.Item), e.WhenText, list[max(i-1, 0)].WhenText)
				}
				subject, _ := e.Trail.Subject(s.Entity)
				names, err := subject.Args(s.Item, fixture.Now)
				if err != nil {
					t.Fatal(err)
				}
				for n, want := range names {
					if got, ok := e.Item.Text(n); ok && got != want {
						t.Errorf("the entry of %s has %s %s", s.Table.KeyText(s.Item), n, got)
					}
				}
			}
		}
	})
}

func TestTimelineContinuesAfterError(t *testing.T) {
	w := fixture.New(t, "authbridge", session.Admin)
	e, it := w.SampleCase(t, "approved")
	line := timeline.New(w.Workspace.Session.Viewer, w.Workspace.Reading, e, it)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	list, err := line.Next(ctx, 5)
	if err == nil || len(list) > 0 || !strings.Contains(err.Error(), "Audit trail") || !line.More() {
		t.Fatalf("got %d entries, %v; more: %v", len(list), err, line.More())
	}
	if diff := cmp.Diff(
		keysOf(entries(t, timeline.New(w.Workspace.Session.Viewer, w.Workspace.Reading, e, it), 5)), keysOf(entries(t, line, 5)),
	); diff != "" {
		t.Errorf("(-fresh +resumed):\n%s", diff)
	}
}

// The item lacks the attribute that identifies its audit trail.
func TestTimelineReportsMissingAttributeOnce(t *testing.T) {
	w := fixture.New(t, "authbridge", session.Admin)
	e := w.Profile.Entity("Verification")
	line := timeline.New(
		w.Workspace.Session.Viewer, w.Workspace.Reading, e,
		models.Item{"PK": models.StringValue("CASE#ver_1"), "SK": models.StringValue("META")},
	)
	if _, err := line.Next(t.Context(), 5); !errors.Is(err, accesspatterns.ErrParam) || line.More() {
		t.Errorf("got %v; more: %v, want a parameter error", err, line.More())
	}
}

func TestTimelineMasksPersonalData(t *testing.T) {
	w := fixture.New(t, "authbridge", session.Support)
	trail := w.Profile.Trails[0]
	it := models.Item{
		"PK": models.StringValue("AUDIT#2026-01-19"), "SK": models.StringValue("2026-01-19T10:00:00Z#e"),
		"timestamp": models.StringValue("2026-01-19T10:00:00Z"), "undocumented": models.StringValue("+26771234567"),
	}
	changedTrail := *trail
	changedTrail.What = "undocumented"
	e := timeline.Entry{Trail: &changedTrail, Table: trail.Entity.Table, Item: it, When: fixture.Now, What: "+26771234567"}
	shown := e.Shown(w.Workspace.Session.Masker())
	if strings.Contains(shown.What, "267") || shown.WhenText != "2026-01-19T10:00:00Z" || !shown.When.Equal(fixture.Now) {
		t.Errorf("got entry %+v, want a masked phone number", shown)
	}
}

// A failingReader fails to read one table.
type failingReader struct {
	store.Reader
	table string
}

func (r *failingReader) Fetch(ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error) {
	if q := leg.Query; q != nil && *q.TableName == r.table {
		return accesspatterns.Page{}, &store.Error{Class: store.AccessDenied, Problem: "no"}
	}
	return r.Reader.Fetch(ctx, leg, start, limit)
}

// With the error, the timeline returns the entries of the other trails. The next call returns the rest.
func TestFailedTrailDoesNotHideOtherTrails(t *testing.T) {
	w := fixture.New(t, "tazco", session.Admin)
	e := w.Profile.Entity("User")
	trails := w.Profile.TrailsOf(e)
	samples := w.Samples(t)
	reader := &failingReader{Reader: w.Conn.Reader(), table: trails[0].Entity.Table.Name}
	s := workspace.New(session.Options{Profile: w.Profile, Store: reader, Clock: func() time.Time { return fixture.Now }})
	for _, sample := range samples {
		if sample.Entity != e {
			continue
		}
		whole := entries(t, timeline.New(w.Workspace.Session.Viewer, w.Workspace.Reading, e, sample.Item), 50)
		if len(whole) == 0 {
			continue
		}
		line := timeline.New(s.Session.Viewer, s.Reading, e, sample.Item)
		reader.table = trails[0].Entity.Table.Name
		list, err := line.Next(t.Context(), 50)
		if err == nil || !strings.Contains(
			err.Error(), trails[0].Title,
		) || strings.Contains(err.Error(), trails[1].Title) || len(list) == 0 || !line.More() {
			t.Fatalf("got %d entries, %v; more: %v", len(list), err, line.More())
		}
		reader.table = ""
		if diff := cmp.Diff(len(whole), len(list)+len(entries(t, line, 50))); diff != "" {
			t.Errorf("entries (-whole +resumed):\n%s", diff)
		}
		return
	}
	t.Fatal("no sample user has an entry")
}
