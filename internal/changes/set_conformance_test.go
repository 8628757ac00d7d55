package changes_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/changes"

	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// A remoteServer forwards requests to an endpoint, so that a killingDoer can intercept them.
type remoteServer struct{ host string }

func (s remoteServer) Do(r *http.Request) (*http.Response, error) {
	to := r.Clone(r.Context())
	to.URL.Scheme, to.URL.Host, to.Host = "http", s.host, s.host
	return http.DefaultClient.Do(to)
}

// Sweeps run on the embedded database, and on every endpoint of DDBDESK_TEST_ENDPOINTS ("name=url name=url").
func TestSweepConformance(t *testing.T) {
	t.Run("embedded", func(t *testing.T) { sweepOn(t, fixture.Database(t)) })
	for endpoint := range strings.FieldsSeq(os.Getenv("DDBDESK_TEST_ENDPOINTS")) {
		name, text, _ := strings.Cut(endpoint, "=")
		u, err := url.Parse(text)
		if err != nil || u.Host == "" {
			t.Fatalf("DDBDESK_TEST_ENDPOINTS: %q is not name=url", endpoint)
		}
		t.Run(name, func(t *testing.T) { sweepOn(t, remoteServer{u.Host}) })
	}
}

// sweepOn kills sweeps of two items at each of their requests, and measures the write units that another sweep
// consumes.
func sweepOn(t *testing.T, db store.Doer) {
	k := &killingDoer{next: db, remaining: -1}
	p := schemas.Open(t, "authbridge")
	for _, table := range p.Tables {
		table.Name += fmt.Sprintf("-%d", time.Now().UnixNano())
	}
	w := fixture.NewOn(t, p, fixture.Connect(t, k))
	w.Create(t)
	t.Run("killed", func(t *testing.T) {
		for _, after := range []bool{false, true} {
			n := 0
			k.arrives = after
			for !killAt(t, w, k, n) {
				n++
			}
			if n < 2*3 { // the plan, the change and the read-back of each item
				t.Errorf("killed the program only %d times", n)
			}
		}
	})
	t.Run("budget", func(t *testing.T) {
		const rate = 60
		m := planFile(t, w.Workspace, clientCases(t, w, "client_budget", 6))
		start, used := time.Now(), 0.0
		sum, err := w.As("kagiso").Committer.ApplyFile(t.Context(), m, changes.Limits{Rate: rate}, func(o changes.Outcome) {
			used += o.Commitment.Capacity
			if maximum := rate * time.Since(start).Seconds(); used > maximum {
				t.Errorf("used %g WCU after %s, want at most %g", used, time.Since(start), maximum)
			}
		})
		if err != nil || sum.Counts[changes.Committed] != 6 || used == 0 {
			t.Errorf("got %+v with %g WCU, %v, want 6 committed items", sum, used, err)
		}
	})
}

// killAt kills a sweep at its n-th request, continues it, and checks the result. It reports whether the sweep ended
// before.
func killAt(t *testing.T, w *fixture.Fixture, k *killingDoer, n int) (ended bool) {
	t.Helper()
	label := fmt.Sprintf("killed at request %d, which arrives: %t", n, k.arrives)
	client := fmt.Sprintf("client_%t_%d", k.arrives, n)
	m := planFile(t, w.Workspace, clientCases(t, w, client, 2))
	first, done := w.As("kagiso"), make(chan struct{})
	k.remaining = n
	go func() {
		defer close(done)
		_, err := first.Committer.ApplyFile(t.Context(), m, changes.Limits{}, nil)
		if ended = true; err != nil {
			t.Errorf("the program ended before the kill: %v", err)
		}
	}()
	<-done
	k.remaining = -1
	sum, err := laterConsole(w).Committer.ApplyFile(t.Context(), m, changes.Limits{}, nil)
	if err != nil || sum.Counts[changes.Committed]+sum.Counts[changes.Earlier] != 2 {
		t.Fatalf("%s: got %+v, %v, want 2 committed items", label, sum, err)
	}
	for i := range 2 {
		id := fmt.Sprintf("ver_%s_%d", client, i)
		it := w.Read(t, models.Item{"PK": models.StringValue("CASE#" + id), "SK": models.StringValue("META")})
		status, _ := it.Text("status")
		index, _ := it.Text("GSI1SK")
		entries := len(w.Entries(t, id))
		if status != "approved" || index != "approved#2026-01-19T10:00:00Z" || entries != 1 {
			t.Errorf("%s: %s has status %s, index key %s and %d audit entries", label, id, status, index, entries)
		}
	}
	if open, err := w.Workspace.Journal.Open(); err != nil || len(open) > 0 {
		t.Errorf("%s: got %d open changes, %v, want none", label, len(open), err)
	}
	return ended
}

// laterConsole returns a console at a time when the outcome of an interrupted change can be determined.
func laterConsole(w *fixture.Fixture) *workspace.Workspace {
	o := w.Options()
	o.Actor, o.Clock = "kagiso", func() time.Time { return fixture.Now.Add(2 * time.Minute) }
	return w.Open(o)
}

// clientCases stores verifications of a client, and returns the selection of them all.
func clientCases(t *testing.T, w *fixture.Fixture, client string, n int) changes.Selection {
	t.Helper()
	s := storedCases(t, w)
	s.Args = map[string]string{"clientId": client}
	for i := range n {
		it := w.PutCase(t, fmt.Sprintf("ver_%s_%d", client, i)).Clone()
		it["clientId"], it["GSI1PK"] = models.StringValue(client), models.StringValue("CLIENT#"+client)
		w.Put(t, s.Action.Entity.Table, it)
	}
	return s
}
