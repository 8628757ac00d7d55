package main

import (
	"strings"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
)

// TestConsoleLeftWithAnOpenChange: whoever left while a change had no outcome is
// told afterwards, and not of those of others before.
func TestConsoleLeftWithAnOpenChange(t *testing.T) {
	t.Setenv("DDBDESK_STATE_DIR", t.TempDir())
	j, err := journal.Open(journal.DefaultPath())
	if err != nil {
		t.Fatal(err)
	}
	intent := func() journal.Entry {
		e, err := j.Append(t.Context(), journal.Entry{Kind: journal.Intent, Actor: "kagiso", Role: "admin", Profile: "authbridge", Subject: "authbridge.approve"})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	said := func(since time.Time) string {
		var errs strings.Builder
		a := &app{stderr: &errs, flags: globalFlags{role: string(session.Admin)}}
		a.leftOpen(since)
		return errs.String()
	}
	e := intent()
	if got := said(e.Time); !strings.Contains(got, "1 change without an outcome: ddbdesk journal resolve authbridge") {
		t.Errorf("said %q", got)
	}
	if got := said(e.Time.Add(time.Second)); got != "" {
		t.Errorf("of an older one it said %q", got)
	}
	if _, err := j.Append(t.Context(), e.Result("committed", nil)); err != nil {
		t.Fatal(err)
	}
	if got := said(e.Time); got != "" {
		t.Errorf("with an outcome it said %q", got)
	}
}
