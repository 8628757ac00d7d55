package tui

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// Esc goes from the rows to the patterns, and then to home, which explains how to return. After a run, the list shows
// all patterns again.
func TestEscKeepsSchema(t *testing.T) {
	runFlow(t, "authbridge", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		tt, _ := open(t, d, size)
		selectPattern(tt, "Verifications by date")
		tt.Reach("1 page", "enter")
		tt.Reach("Patterns ─", "esc")
		if !tt.Has("Verification by ID") || !tt.Has("▌ query Verifications by date") {
			t.Errorf("the list is still filtered, or another pattern is selected:\n%s", tt.Screen())
		}
		tt.Reach("press alt+right to return to", "esc")
		tt.Reach("Patterns ─", "alt+right")
	})
}

// A notice disappears with the next key. While a dialog is open, the status bar shows it; otherwise it keeps the hints.
func TestNoticesEndWithNextKey(t *testing.T) {
	withCases(t, 2, func(t *testing.T, w *queueFixture) {
		tt := w.enter(wideSize, "i", "2 waiting")
		tt.Reach("sample data has no other connection", "o", "C")
		if !strings.Contains(tt.Line(39), "sample data has no other connection") {
			t.Errorf("the notice is not in the last line:\n%s", tt.Screen())
		}
		tt.Press("esc")
		tt.Reach("Overview", "enter")
		for _, size := range []tuitest.Size{wideSize, {W: 80, H: 24}} {
			tt.Resize(size.W, size.H)
			tt.Reach("verificationId does not refer to another item; see the Related tab", "enter")
			last := tt.Line(size.H - 1)
			if isInBar := strings.Contains(last, "refer"); !strings.Contains(last, "? help") || isInBar != (size == wideSize) {
				t.Errorf("the last line is %q", last)
			}
			tt.Press("down", "up")
			if tt.Has("does not refer") {
				t.Errorf("the notice stays after the next key:\n%s", tt.Screen())
			}
		}
	})
}

// A scan needs consent only above the limit or in production.
func TestSmallScansNeedNoConsent(t *testing.T) {
	for name, c := range map[string]struct {
		limit   float64
		context string
		asks    bool
	}{
		"below the limit": {limit: 128},
		"no limit":        {asks: true},
		"above the limit": {limit: 0.1, asks: true},
		"production":      {limit: 128, context: "prod", asks: true},
	} {
		t.Run(name, func(t *testing.T) {
			d := newOpenerFixture(t, "form-bridge")
			d.context = c.context
			synctest.Test(t, func(t *testing.T) {
				tt := tuitest.New(t, New(Options{Opener: d, Start: d.profile.Name, ScanLimit: c.limit}), wideSize)
				tt.WaitFor("Patterns")
				selectPattern(tt, "Sites by status")
				tt.Press("enter")
				if tt.Has("leave form") {
					tt.Press("enter")
				}
				tt.Advance(time.Second)
				if asks := tt.Has("Read the whole table?"); asks != c.asks || !asks && !tt.Has(" RCU · ") {
					t.Errorf("asks for consent: %v, want %v\n%s", asks, c.asks, tt.Screen())
				}
				tt.Press("esc", "i")
				tt.Advance(time.Second)
				if asks := tt.Has("This queue reads the whole table"); asks != c.asks || asks == tt.Has(" waiting · ") {
					t.Errorf("the queue asks for consent: %v, want %v\n%s", asks, c.asks, tt.Screen())
				}
			})
		})
	}
}

// editedOpener is an opener whose schema changes during the test.
type editedOpener struct {
	*openerFixture
	list []*profiles.Profile
	err  error
}

func (e *editedOpener) Profiles() ([]*profiles.Profile, error) { return e.list, e.err }

// profileWithTitle returns the authbridge schema with another title for one pattern.
func profileWithTitle(t *testing.T, title string) *profiles.Profile {
	t.Helper()
	file, text, err := profiles.ReadSource("authbridge")
	if err != nil {
		t.Fatal(err)
	}
	const before = "title: All verifications of a client"
	if !strings.Contains(string(text), before) {
		t.Fatalf("the profile does not contain %q", before)
	}
	p, err := profiles.Load(file, []byte(strings.Replace(string(text), before, "title: "+title, 1)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// After the user edits a schema, new screens use it. An open form keeps the old version and its text.
func TestEditedSchemaIsReloaded(t *testing.T) {
	d := newOpenerFixture(t, "authbridge")
	next := profileWithTitle(t, "Cases of one client")
	synctest.Test(t, func(t *testing.T) {
		e := &editedOpener{openerFixture: d, list: []*profiles.Profile{d.profile}}
		edits := make(chan struct{})
		defer close(edits)
		tt := tuitest.New(t, New(Options{Opener: e, Start: "authbridge", Edits: edits}), wideSize)
		tt.WaitFor("Patterns")
		selectPattern(tt, "All verifications of a client")
		tt.Press("enter")
		tt.Type("client_x")

		e.err = errors.New(`shop.yaml:3:5: error: patterns.a: unknown index "GSI9"` + "\nshop.yaml:9:1: error: unknown key")
		edits <- struct{}{}
		tt.WaitFor("shop.yaml:3:5: error: patterns.a: unknown index")
		if !tt.Has("client_x") {
			t.Errorf("the form lost the typed text:\n%s", tt.Screen())
		}

		e.err, e.list = nil, []*profiles.Profile{next}
		edits <- struct{}{}
		tt.WaitFor("Reloaded authbridge; newly opened screens use it")
		if !tt.Has("client_x") || tt.Has("Cases of one client") {
			t.Errorf("the reload changed the open form:\n%s", tt.Screen())
		}
		tt.Reach("Needs attention", "esc", "esc", "esc")
		tt.Reach("Cases of one client", "enter")
	})
}

// Home lists the errors in edited schemas until they are fixed.
func TestHomeShowsSchemaErrors(t *testing.T) {
	runFlow(t, "authbridge", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		e := &editedOpener{openerFixture: d, list: []*profiles.Profile{d.profile}}
		edits := make(chan struct{})
		defer close(edits)
		tt := tuitest.New(t, New(Options{Opener: e, Edits: edits}), size)
		tt.WaitFor("AuthBridge identity")
		e.err = errors.New("shop.yaml:3:5: error: titel: unknown key")
		edits <- struct{}{}
		tt.WaitFor("Schemas with errors")
		tt.WaitFor("shop.yaml:3:5: error: titel: unknown key")
		e.err = nil
		edits <- struct{}{}
		tt.WaitForRemoval("Schemas with errors")
	})
}

// Changed guardrails apply only to a new connection, because the console checks them when it connects.
func TestEditedGuardrailsNeedNewConnection(t *testing.T) {
	d := newOpenerFixture(t, "authbridge")
	next := profileWithTitle(t, "Cases of one client")
	next.Guardrails.Regions = []string{"eu-west-1"}
	synctest.Test(t, func(t *testing.T) {
		e := &editedOpener{openerFixture: d, list: []*profiles.Profile{next}}
		edits := make(chan struct{})
		defer close(edits)
		tt := tuitest.New(t, New(Options{Opener: e, Start: "authbridge", Edits: edits}), wideSize)
		tt.WaitFor("Verifications by date")
		edits <- struct{}{}
		tt.WaitFor("the guardrails of authbridge changed")
	})
}

func TestListsFillTerminalAfterResize(t *testing.T) {
	for name, keys := range map[string][]string{
		"history of an item": {"2"},
		"menu of changes":    {"o"},
		"copy menu":          {"y"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := newChangeFixture(t, session.Admin, "", "in_review")
				tt := o.enter(tuitest.Size{W: 80, H: 16})
				tt.Press(keys...)
				tt.Press(strings.Fields(strings.Repeat("down ", 30))...)
				tt.Resize(160, 50)
				all := tt.Screen()
				tt.Press(strings.Fields(strings.Repeat("up ", 30))...)
				tt.Press(strings.Fields(strings.Repeat("down ", 30))...)
				if got := tt.Screen(); got != all {
					t.Errorf("the screen shows\n%s\nand after two keys\n%s", all, got)
				}
			})
		})
	}
}
