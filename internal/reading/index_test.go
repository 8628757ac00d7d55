package reading_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// The schema describes the sort key of an index as two attributes joined by "#". If the live index has a single
// attribute with that name, the patterns use it and find the same items.
func TestPatternsUseKeyNamesOfLiveIndex(t *testing.T) {
	const literal = "createdAt#requestId"
	live := fixture.NewAltered(t, "tazco", "card-requests", func(m *models.Table) {
		for _, x := range m.Indexes {
			x.SortKeys[0].Name = literal
		}
	}, map[string]string{"createdAtRequestId": literal})
	usual := fixture.New(t, "tazco", session.Support)
	for _, c := range []struct {
		pattern string
		args    map[string]string
	}{
		{"find-all-pending-requests", nil},
		{"count-requests-requiring-attention", map[string]string{"sevenDaysAgo": "now"}},
		{"list-card-requests-by-status", map[string]string{"status": "pending", "from": "now-90d"}},
	} {
		p, err := live.Workspace.Reading.Pattern(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		want := usual.Ask(t, p, c.args, 1000)
		if len(want) == 0 || want[0] == "0" {
			t.Fatalf("%s finds nothing in the table with the usual names", c.pattern)
		}
		for _, limit := range []int{1, 1000} {
			if diff := cmp.Diff(want, live.Ask(t, p, c.args, limit)); diff != "" {
				t.Errorf("%s in pages of %d (-want +got):\n%s", c.pattern, limit, diff)
			}
		}
	}
}

// The schema promises complete items, but the live index projects only keys, so the reader must fetch the items.
func TestKeysOnlyIndexReturnsFullRows(t *testing.T) {
	w := fixture.NewAltered(t, "tazco", "card-requests", func(m *models.Table) {
		for _, x := range m.Indexes {
			x.Projection = models.ProjectionKeysOnly
		}
	}, nil)
	p, err := w.Workspace.Reading.Pattern("find-all-pending-requests")
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.Workspace.Reading.Start(p, nil, reading.RunOptions{Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	page, err := r.Next(t.Context())
	if err != nil || len(page.Items) == 0 {
		t.Fatalf("got %d rows, %v", len(page.Items), err)
	}
	for _, it := range page.Items {
		if _, ok := it.Text("tierAtRequest"); !ok {
			t.Errorf("row %s lacks an attribute that the index does not project", p.Table.KeyText(it))
		}
	}
	if page.Requests != 2 || page.Capacity <= 0.5 {
		t.Errorf("got %d requests and %v units, want 2 requests", page.Requests, page.Capacity)
	}
}

// If the reader cannot fetch the items behind an index, the page is empty, and the next call starts at the same place.
func TestIncompleteRowsAreNotShown(t *testing.T) {
	w := fixture.NewAltered(t, "tazco", "card-requests", func(m *models.Table) {
		for _, x := range m.Indexes {
			x.Projection = models.ProjectionKeysOnly
		}
	}, nil)
	p, err := w.Workspace.Reading.Pattern("find-all-pending-requests")
	if err != nil {
		t.Fatal(err)
	}
	want := w.Ask(t, p, nil, 1000)
	broken := &unreadable{Reader: w.Conn.Reader(), fails: 1}
	s := workspace.New(session.Options{Profile: w.Profile, Store: broken, Clock: func() time.Time { return fixture.Now }})
	r, err := s.Reading.Start(p, nil, reading.RunOptions{Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	if page, err := r.Next(t.Context()); err == nil || len(page.Items) != 0 || page.Requests != 1 {
		t.Fatalf("got %d rows after %d requests, %v, want no rows", len(page.Items), page.Requests, err)
	}
	var got []string
	for {
		page, err := r.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range page.Items {
			got = append(got, p.Table.KeyText(it))
		}
		if !page.More {
			break
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("wrong rows (-want +got):\n%s", diff)
	}
}

// unreadable fails the first reads of items by key.
type unreadable struct {
	store.Reader
	fails int
}

func (u *unreadable) Fetch(ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error) {
	if leg.Batch != nil && u.fails > 0 {
		u.fails--
		return accesspatterns.Page{}, &store.Error{Class: store.Throttled, Problem: "throttled"}
	}
	return u.Reader.Fetch(ctx, leg, start, limit)
}
