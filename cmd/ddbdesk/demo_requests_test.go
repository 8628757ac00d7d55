package main

import (
	"slices"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// Every demo schema with actions has a request to review, a request of the user and a closed request.
func TestDemoHasRequests(t *testing.T) {
	isolate(t)
	a := appWith(globalFlags{Context: config.Context{Role: "admin"}})
	defer a.close()
	db, err := a.stores.open(embedded.Options{Path: t.TempDir(), NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	a.flags.Requests.Table = demoRequests
	d := newDemo(db)
	var source journal.Source
	for _, name := range profiles.Names() {
		p, err := a.Profile(name)
		if err != nil {
			t.Fatal(err)
		}
		w, err := d.open(t.Context(), a, p)
		if err != nil {
			t.Fatal(err)
		}
		source = w.Session.Sources()[0]
		list, _, err := w.Requests.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var review, own, ended int
		for _, q := range list {
			if q.Fault != nil {
				t.Errorf("%s: request %s: %v", name, q.Action, q.Fault)
			}
			switch {
			case q.NeedsReview():
				review++
				if q.CannotReject != nil {
					t.Errorf("%s: %s cannot be rejected: %v", name, q.Action, q.CannotReject)
				}
			case q.State.Ended():
				ended++
			default:
				own++
			}
		}
		if !slices.ContainsFunc(p.Actions, func(a *change.Action) bool { return a.Disabled == "" && len(a.Transitions) > 0 }) {
			continue
		}
		if review != 1 || own != 1 || ended != 1 {
			t.Errorf("%s: got %d requests to review, %d own and %d ended, want 1 each", name, review, own, ended)
		}
	}
	report, err := source.Read(t.Context(), journal.Filter{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	people := models.MapSlice(report.List, func(s *journal.Session) string { return s.Person })
	if slices.Sort(people); len(people) != 3 || len(slices.Compact(slices.Clone(people))) != 3 {
		t.Errorf("the sessions belong to %q, want one session for each of 3 users", people)
	}
}
