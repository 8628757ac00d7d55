// Live indexes that are not what the document says.

package session_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// liveWorld is newWorld with one table as change makes it; rename gives the
// attributes of its items other names.
func liveWorld(t *testing.T, name, table string, change func(*models.Table), rename map[string]string) world {
	t.Helper()
	p, err := profiles.Open(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	db, err := embedded.Open(embedded.Options{Path: t.TempDir(), NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	conn, err := store.Connect(t.Context(), store.Options{Embedded: db})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(p.Tables, func(x *models.Table) bool { return x.ID == table })
	live := *p.Tables[i]
	live.Indexes = nil
	for _, x := range p.Tables[i].Indexes {
		own := *x
		live.Indexes = append(live.Indexes, &own)
	}
	change(&live)
	if err := conn.Admin().CreateTable(t.Context(), &live); err != nil {
		t.Fatal(err)
	}
	samples, err := sample.Items(p, sample.Options{Seed: 1, At: moment})
	if err != nil {
		t.Fatal(err)
	}
	var items []models.Item
	for _, s := range samples {
		if s.Table != p.Tables[i] {
			continue
		}
		it := models.Item{}
		for n, v := range s.Item {
			if to := rename[n]; to != "" {
				n = to
			}
			it[n] = v
		}
		items = append(items, it)
	}
	if err := conn.Admin().PutItems(t.Context(), live.Name, items); err != nil {
		t.Fatal(err)
	}
	return world{profile: p, conn: conn, session: session.New(session.Options{
		Profile: p, Store: conn.Reader(), Target: conn.Describe(), StateDir: t.TempDir(), Clock: func() time.Time { return moment },
	})}
}

// TestKeysByTheNamesOfTheLiveTable: the document writes an index key as an
// expression; in this table the attribute really holds a "#", in an index that
// the document otherwise describes completely.
func TestKeysByTheNamesOfTheLiveTable(t *testing.T) {
	const literal = "createdAt#requestId"
	live := liveWorld(t, "tazco", "card-requests", func(m *models.Table) {
		for _, x := range m.Indexes {
			x.SortKey.Name = literal
		}
	}, map[string]string{"createdAtRequestId": literal})
	usual := newWorld(t, "tazco", session.Support)
	for _, c := range []struct {
		pattern string
		args    map[string]string
	}{
		{"find-all-pending-requests", nil},
		{"count-requests-requiring-attention", map[string]string{"sevenDaysAgo": "now"}},
		{"list-card-requests-by-status", map[string]string{"status": "pending", "from": "now-90d"}},
	} {
		p, err := live.session.Pattern(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		want := usual.ask(t, p, c.args, 1000)
		if len(want) == 0 || want[0] == "0" {
			t.Fatalf("%s finds nothing in the usual table", c.pattern)
		}
		for _, limit := range []int{1, 1000} {
			if diff := cmp.Diff(want, live.ask(t, p, c.args, limit)); diff != "" {
				t.Errorf("%s in pages of %d (-want +got):\n%s", c.pattern, limit, diff)
			}
		}
	}
}

// TestRowsAreWholeBehindAnIndexOfKeys: the document promises whole items, the
// live index holds keys.
func TestRowsAreWholeBehindAnIndexOfKeys(t *testing.T) {
	w := liveWorld(t, "tazco", "card-requests", func(m *models.Table) {
		for _, x := range m.Indexes {
			x.Projection = models.ProjectionKeysOnly
		}
	}, nil)
	p, err := w.session.Pattern("find-all-pending-requests")
	if err != nil {
		t.Fatal(err)
	}
	r, err := start(w.session, p, nil, session.RunOptions{Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	page, err := r.Next(t.Context())
	if err != nil || len(page.Items) == 0 {
		t.Fatalf("%d rows, %v", len(page.Items), err)
	}
	for _, it := range page.Items {
		if _, ok := it.Text("tierAtRequest"); !ok {
			t.Errorf("the row %s lacks an attribute that its index does not hold", p.Table.KeyText(it))
		}
	}
	if page.Requests != 2 || page.Capacity <= 0.5 {
		t.Errorf("%d requests, %v units: what completes the rows counts too", page.Requests, page.Capacity)
	}
}

// TestHalfRowsAreNotShown: the items behind an index cannot be read at first;
// nothing is shown, nothing is skipped, and the run goes on where it was.
func TestHalfRowsAreNotShown(t *testing.T) {
	w := liveWorld(t, "tazco", "card-requests", func(m *models.Table) {
		for _, x := range m.Indexes {
			x.Projection = models.ProjectionKeysOnly
		}
	}, nil)
	p, err := w.session.Pattern("find-all-pending-requests")
	if err != nil {
		t.Fatal(err)
	}
	want := w.ask(t, p, nil, 1000)
	broken := &unreadable{Reader: w.conn.Reader(), fails: 1}
	s := session.New(session.Options{Profile: w.profile, Store: broken, Clock: func() time.Time { return moment }})
	r, err := start(s, p, nil, session.RunOptions{Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	if page, err := r.Next(t.Context()); err == nil || len(page.Items) != 0 || page.Requests != 1 {
		t.Fatalf("%d rows after %d requests, %v", len(page.Items), page.Requests, err)
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
		t.Errorf("other rows (-want +got):\n%s", diff)
	}
}

// unreadable fails to read items by key so many times.
type unreadable struct {
	store.Reader
	fails int
}

func (u *unreadable) BatchGet(ctx context.Context, table string, keys []models.Item) ([]models.Item, error) {
	if u.fails > 0 {
		u.fails--
		return nil, &store.Error{Class: store.Throttled, What: "throttled"}
	}
	return u.Reader.BatchGet(ctx, table, keys)
}
