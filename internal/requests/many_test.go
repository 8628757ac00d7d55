package requests_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/changes"

	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
)

// saveSweep plans the approval of all cases of a client, saves the plan, and opens its file.
func saveSweep(t *testing.T, w *workspace.Workspace) *changes.File {
	t.Helper()
	p, path := w.Session.Profile(), filepath.Join(t.TempDir(), "sweep.json")
	s := changes.Selection{
		Set: changes.Set{Action: p.Action("approve")}, Pattern: p.Pattern("list-client-verifications"),
		Args: map[string]string{"clientId": "client_a"},
	}
	draft, err := w.Planner.NewFile(path, s, "authbridge")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Planner.Preview(t.Context(), s, draft.Add); err != nil {
		t.Fatal(errors.Join(err, draft.Discard()))
	}
	if err := draft.Save(); err != nil {
		t.Fatal(err)
	}
	m, err := changes.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}

// A user who cannot change items requests a sweep. An admin can apply it only from the file of the request.
func TestRequestedSweepIsAppliedFromItsFile(t *testing.T) {
	d := newRequestsFixture(t)
	d.Profile.Action("approve").FourEyes = true
	it := d.PutCase(t, "ver_1")
	d.PutCase(t, "ver_2")
	ana, ben := d.user("ana", session.Support), d.user("ben", session.Admin)
	m, other := saveSweep(t, ana), saveSweep(t, ana)
	q, _, err := ana.Requests.FileSweep(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	if q = read(t, ben, q.ID); q.Fault != nil || q.Subject != "2 items of list-client-verifications" || q.File.Digest != m.Digest {
		t.Fatalf("got request %+v", q)
	}
	for name, refused := range map[string]error{
		"another file":        ben.Requests.CanApplySweep(q, other),
		"same user":           d.user("ana", session.Admin).Requests.CanApplySweep(q, m),
		"request of one item": ben.Requests.CanApplySweep(read(t, ben, file(t, ana, "ver_1").ID), m),
		"role support":        d.user("cleo", session.Support).Requests.CanApplySweep(q, m),
		"no file":             review(t, ben, q).Outdated,
	} {
		if !errors.Is(refused, session.ErrRefused) {
			t.Errorf("%s: got %v, want a refusal", name, refused)
		}
	}
	command := ben.Session.Command("requests", "apply", "authbridge", q.ID, "--file", "FILE")
	if cause := review(t, ben, q).Outdated; !strings.Contains(cause.Error(), "run "+command+" with the file that ana saved") {
		t.Errorf("got %v, want the command %s", cause, command)
	}
	if err := ben.Requests.CanApplySweep(q, m); err != nil {
		t.Fatal(err)
	}
	sum, err := ben.Committer.ApplyFile(t.Context(), m, changes.Limits{}, nil)
	if err != nil || sum.Counts[changes.Committed] != 2 || d.status(t, it) != "approved" {
		t.Fatalf("got %+v, %v, want 2 committed items", sum, err)
	}
	if _, err := ben.Requests.CompleteSweep(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	if q = read(t, ana, q.ID); q.State != requests.Applied || q.DecidedBy != "ben" {
		t.Errorf("got %+v, want a request applied by ben", q)
	}
	if err := ben.Requests.CanApplySweep(q, m); err == nil {
		t.Error("CanApplySweep accepted an applied request")
	}
}
