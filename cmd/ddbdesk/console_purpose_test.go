package main

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui"
)

// strictOptions returns a session in a context that requires a reason and a ticket.
func strictOptions(name string) session.Options {
	return session.Options{Context: name, SessionRules: []profiles.SessionRules{{Reason: true, Ticket: "OPS-[0-9]+"}}}
}

// A search opens several databases at once, but the user answers only one dialog.
func TestContextHasOneSignInDialog(t *testing.T) {
	for _, c := range []struct {
		answers []string // nil to cancel the dialog
		want    session.Purpose
	}{
		{[]string{"look", "OPS-7"}, session.Purpose{Reason: "look", Ticket: "OPS-7"}},
		{[]string{"down", "break glass"}, session.Purpose{Reason: "down", BreakGlass: true}},
		{nil, session.Purpose{}},
	} {
		con := &console{questions: make(chan tui.Question)}
		const many = 5
		var ready, done sync.WaitGroup
		errs := make([]error, many)
		for i := range many {
			ready.Add(1)
			done.Go(func() {
				ready.Done()
				errs[i] = con.requirePurpose(t.Context(), strictOptions("ops"))
			})
		}
		ready.Wait()
		dialogs, ended := 0, make(chan struct{})
		go func() { done.Wait(); close(ended) }()
		for open := true; open; {
			select {
			case q := <-con.questions:
				dialogs++
				if c.answers == nil {
					q.Leave()
				} else {
					q.Answer(c.answers...)
				}
			case <-ended:
				open = false
			}
		}
		if c.answers != nil && dialogs != 1 {
			t.Errorf("%v: got %d dialogs, want 1", c.answers, dialogs)
		}
		for _, err := range errs {
			if (c.answers == nil) != errors.Is(err, session.ErrRefused) {
				t.Errorf("%v: got error %v", c.answers, err)
			}
		}
		got := con.currentPurpose(strictOptions("ops"))
		got.Session = ""
		if got != c.want {
			t.Errorf("%v: got %+v, want %+v", c.answers, got, c.want)
		}
		if other := con.currentPurpose(strictOptions("other")); other != (session.Purpose{}) {
			t.Errorf("the other context has the purpose %+v", other)
		}
	}
}

// The second question arrives, but the console ends before it shows the dialog.
func TestConsoleExitDoesNotWaitForMFACode(t *testing.T) {
	for _, arrives := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		con := &console{ctx: ctx, questions: make(chan tui.Question)}
		if arrives {
			go func() { <-con.questions; cancel() }()
		} else {
			cancel()
		}
		if _, err := con.askMFACode("ops", false); !errors.Is(err, store.ErrNoMFACode) {
			t.Errorf("got error %v, want no MFA code", err)
		}
	}
}

func TestConsoleExitDoesNotWaitForPurposePrompt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	con := &console{questions: make(chan tui.Question)}
	if err := con.requirePurpose(ctx, strictOptions("ops")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
