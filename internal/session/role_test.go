package session_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
)

// noWriter is a writer that no test may call.
type noWriter struct{ store.Writer }

func TestRolesLimitSession(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	action := p.Action("approve")
	for _, c := range []struct {
		role                      session.Role
		readOnly                  bool
		change, reveal, hasWriter bool
	}{
		{role: ""},
		{role: session.Support},
		{role: session.Developer, reveal: true},
		{role: session.Admin, reveal: true, change: true, hasWriter: true},
		{role: session.Admin, readOnly: true, reveal: true},
	} {
		t.Run(fmt.Sprintf("%s, read-only %v", c.role, c.readOnly), func(t *testing.T) {
			o := session.Options{Profile: p, Role: c.role, ReadOnly: c.readOnly}
			s := session.NewWriting(o, noWriter{})
			if got := s.CanChange(action) == nil; got != c.change || o.MayChange() != c.change || s.ReadOnly() == c.change {
				t.Errorf("may change: %v, options %v, read-only %v; want %v", got, o.MayChange(), s.ReadOnly(), c.change)
			}
			if got := s.CanReveal() == nil; got != c.reveal {
				t.Errorf("may reveal: %v, want %v", got, c.reveal)
			}
			if got := s.Writer() != nil; got != c.hasWriter {
				t.Errorf("has a writer: %v, want %v", got, c.hasWriter)
			}
			if err := s.CanPlan(action); err != nil {
				t.Errorf("CanPlan() = %v, want nil for every role", err)
			}
		})
	}
}

func TestPreparingNeedsEmbeddedDatabaseOrAdmin(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	for _, c := range []struct {
		name   string
		o      session.Options
		refuse bool
	}{
		{"embedded", session.Options{Target: store.Target{Embedded: true}}, false},
		{"local server", session.Options{Target: store.Target{Loopback: true, Server: "dynoxide"}}, true},
		{"local server as admin", session.Options{Target: store.Target{Loopback: true, Server: "dynoxide"}, Role: session.Admin}, false},
		{"unknown server", session.Options{Target: store.Target{Loopback: true}, Environment: "dev"}, true},
		{"unknown server as admin", session.Options{Target: store.Target{Loopback: true}, Role: session.Admin}, true},
		{"account", session.Options{Target: store.Target{Region: "eu-west-1"}, Environment: "dev"}, true},
		{"account as admin", session.Options{Target: store.Target{Region: "eu-west-1"}, Environment: "dev", Role: session.Admin}, false},
		{"unclassified as admin", session.Options{Target: store.Target{Region: "eu-west-1"}, Role: session.Admin}, true},
		{"read-only", session.Options{Role: session.Admin, ReadOnly: true, Target: store.Target{Embedded: true}}, true},
		{"production by context", session.Options{Role: session.Admin, Context: p.Guardrails.Production[0]}, true},
		{"production by environment", session.Options{Role: session.Admin, Environment: p.Guardrails.Production[0]}, true},
	} {
		c.o.Profile = p
		if err := c.o.CanPrepare("table create"); errors.Is(err, session.ErrRefused) != c.refuse {
			t.Errorf("%s: got %v, want a refusal: %v", c.name, err, c.refuse)
		}
	}
}

func TestReasonFor(t *testing.T) {
	required := &change.Action{Reason: change.ReasonRequired}
	if _, err := session.ReasonFor(required, " "); !errors.Is(err, session.ErrRefused) {
		t.Errorf("a blank reason: got %v, want a refusal", err)
	}
	if _, err := session.ReasonFor(required, "seen in person"); err != nil {
		t.Error(err)
	}
	if _, err := session.ReasonFor(&change.Action{}, ""); err != nil {
		t.Errorf("an optional reason: got %v", err)
	}
}
