package main

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui"
)

func TestTourIsOfferedOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "local.db")
	var stderr bytes.Buffer
	s := cli.Streams{Stdin: nil, Stdout: nil, Stderr: &stderr}
	run := func(always, seen bool) bool {
		var o tui.Options
		done := offerTour(s, &o, path, always)
		if seen {
			o.TourSeen()
		}
		done()
		return o.Tour
	}
	if !run(false, false) {
		t.Error("the first start does not offer the tour")
	}
	if !run(false, true) {
		t.Error("an unfinished tour is not offered again")
	}
	if run(false, false) {
		t.Error("a finished tour is offered again")
	}
	if !run(true, false) {
		t.Error("an explicit tour is not offered again")
	}
	if stderr.Len() > 0 {
		t.Errorf("stderr is %q, want it empty", stderr.String())
	}
}

func TestConsoleReportsItsUnresolvedChangesAtExit(t *testing.T) {
	t.Setenv("DDBDESK_STATE_DIR", t.TempDir())
	j, err := journal.Open(journal.DefaultPath())
	if err != nil {
		t.Fatal(err)
	}
	intent := func() journal.Entry {
		e, err := j.Append(t.Context(), journal.Entry{
			Kind: journal.Intent, Actor: "kagiso", Role: "admin", Profile: "authbridge",
			Subject: "authbridge.approve",
		})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	noted := func(since time.Time) string {
		var errs strings.Builder
		a := &app{Streams: cli.Streams{Stdin: nil, Stdout: nil, Stderr: &errs}, settings: settings{flags: globalFlags{Context: config.Context{Role: string(session.Admin)}}}}
		a.noteOpenChanges(since)
		return errs.String()
	}
	e := intent()
	if got := noted(e.Time); !strings.Contains(got, "1 change unresolved; to check, run ddbdesk journal resolve authbridge") {
		t.Errorf("got %q, want a note about 1 unresolved change", got)
	}
	if got := noted(e.Time.Add(time.Second)); got != "" {
		t.Errorf("got %q for an older change, want none", got)
	}
	if _, err := j.Append(t.Context(), e.Result("committed", journal.Detail{})); err != nil {
		t.Fatal(err)
	}
	if got := noted(e.Time); got != "" {
		t.Errorf("got %q for a resolved change, want none", got)
	}
}

func TestRepeatedMFAPromptAsksForAnotherCode(t *testing.T) {
	first, second := mfaPrompt("mfa", false), mfaPrompt("mfa", true)
	if strings.Contains(first, "previous") || !strings.Contains(second, "previous code") || !strings.Contains(second, "AWS profile mfa") {
		t.Errorf("the prompts are %q and %q; want the second to ask for another code", first, second)
	}
	if got := mfaPrompt("", false); !strings.Contains(got, "the AWS configuration") {
		t.Errorf("without a profile: got %q", got)
	}
}

// The demo writes data while the console opens a session. The console waits so that it can remove this data.
func TestConsoleWaitsForOpeningSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, filled := make(chan struct{}), false
		d := &demo{filled: map[string]bool{}, fill: func(ctx context.Context, _ *profiles.Profile, _ *store.Connection) error {
			close(began)
			<-ctx.Done()
			time.Sleep(time.Second) // The demo waits for a write in progress.
			filled = true
			return ctx.Err()
		}}
		o := &opener{app: appWith(globalFlags{}), demo: d}
		ctx, cancel := context.WithCancel(t.Context())
		go func() { _, _ = o.Open(ctx, &profiles.Profile{Name: "shop"}) }()
		<-began
		cancel()
		o.stopOpening()
		if !filled {
			t.Error("the console ended before the demo was filled")
		}
		if _, err := o.Open(t.Context(), &profiles.Profile{}); !errors.Is(err, context.Canceled) {
			t.Errorf("opening a session after the end: got %v, want a canceled context", err)
		}
	})
}
