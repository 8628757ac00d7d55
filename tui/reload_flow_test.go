package tui

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// edited is a desk whose profile a person edits.
type edited struct {
	*desk
	list []*profiles.Profile
	err  error
}

func (e *edited) Profiles() ([]*profiles.Profile, error) { return e.list, e.err }

// version returns the profile of authbridge with a pattern of another title.
func version(t *testing.T, title string) *profiles.Profile {
	t.Helper()
	file, text, err := profiles.ReadSource("authbridge")
	if err != nil {
		t.Fatal(err)
	}
	const before = "title: All verifications of a client"
	if !strings.Contains(string(text), before) {
		t.Fatalf("the profile has no %q", before)
	}
	p, err := profiles.Load(file, []byte(strings.Replace(string(text), before, "title: "+title, 1)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A profile that is edited while the console is open applies to the screens that are opened from then on. A form keeps the
// version that it was opened with, and what is typed in it.
func TestEditedProfileIsReloaded(t *testing.T) {
	d := newDesk(t, "authbridge")
	next := version(t, "Cases of one client")
	synctest.Test(t, func(t *testing.T) {
		e := &edited{desk: d, list: []*profiles.Profile{d.profile}}
		edits := make(chan struct{})
		defer close(edits)
		tt := tuitest.New(t, New(Options{Opener: e, Start: "authbridge", Edits: edits}), wide)
		tt.WaitFor("Patterns")
		pick(tt, "All verifications of a client")
		tt.Press("enter")
		tt.Type("client_x")

		e.err = errors.New(`shop.yaml:3:5: error: patterns.a: unknown index "GSI9"` + "\nshop.yaml:9:1: error: unknown key")
		edits <- struct{}{}
		tt.WaitFor("shop.yaml:3:5: error: patterns.a: unknown index")
		if !tt.Has("client_x") {
			t.Errorf("the form lost what was typed:\n%s", tt.Screen())
		}

		e.err, e.list = nil, []*profiles.Profile{next}
		edits <- struct{}{}
		tt.WaitFor("Reloaded authbridge; it applies to screens opened from now on")
		if !tt.Has("client_x") || tt.Has("Cases of one client") {
			t.Errorf("the open form changed:\n%s", tt.Screen())
		}
		tt.Reach("Profiles ─", "esc", "esc", "esc")
		tt.Reach("Cases of one client", "enter")
	})
}

// Home lists the errors of edited profiles with their lines until they are fixed.
func TestHomeShowsErrorsOfProfiles(t *testing.T) {
	flow(t, "authbridge", func(t *testing.T, d *desk, size tuitest.Size) {
		e := &edited{desk: d, list: []*profiles.Profile{d.profile}}
		edits := make(chan struct{})
		defer close(edits)
		tt := tuitest.New(t, New(Options{Opener: e, Edits: edits}), size)
		tt.WaitFor("AuthBridge identity")
		e.err = errors.New("shop.yaml:3:5: error: titel: unknown key")
		edits <- struct{}{}
		tt.WaitFor("Profiles with errors")
		tt.WaitFor("shop.yaml:3:5: error: titel: unknown key")
		e.err = nil
		edits <- struct{}{}
		tt.WaitGone("Profiles with errors")
	})
}

// Other guardrails need another connection, so the session keeps the profile that the connection was checked against.
func TestEditedGuardrailsNeedANewConnection(t *testing.T) {
	d := newDesk(t, "authbridge")
	next := version(t, "Cases of one client")
	next.Guardrails.Regions = []string{"eu-west-1"}
	synctest.Test(t, func(t *testing.T) {
		e := &edited{desk: d, list: []*profiles.Profile{next}}
		edits := make(chan struct{})
		defer close(edits)
		tt := tuitest.New(t, New(Options{Opener: e, Start: "authbridge", Edits: edits}), wide)
		tt.WaitFor("Verifications by date")
		edits <- struct{}{}
		tt.WaitFor("the guardrails of authbridge changed")
	})
}
