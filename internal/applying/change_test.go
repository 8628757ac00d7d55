package applying

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/models"
)

// inReview is a database with a verification of authbridge that is in review.
func inReview(t *testing.T) *fixture.Fixture {
	t.Helper()
	f := fixture.New(t, "authbridge", session.Admin)
	f.PutCase(t, "ver_1")
	return f
}

// planned returns a planned approval in a context, with the answer of the person.
func planned(t *testing.T, f *fixture.Fixture, name, answer string, words io.Writer) *Change {
	t.Helper()
	o := f.Options()
	o.Context = name
	w := f.Open(o)
	act, err := w.Planner.Action("approve")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := w.Planner.Plan(t.Context(), act, map[string]string{"verificationId": "ver_1"}, "")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "answer")
	if err := os.WriteFile(path, []byte(answer), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close() })
	streams := cli.Streams{Stdin: in, Stdout: io.Discard, Stderr: words}
	return &Change{Streams: streams, Output: "text", Action: act, Workspace: w, Plan: plan}
}

// Only yes applies the plan; on production only the ID of the item does.
func TestConfirmNeedsAnExplicitAnswer(t *testing.T) {
	f := inReview(t)
	production := f.Profile.Guardrails.Production
	if len(production) == 0 {
		t.Fatal("authbridge has no production environment")
	}
	for _, tt := range []struct {
		context, answer string
		yes             bool
	}{
		{"dev", "y\n", true},
		{"dev", " YES \n", true},
		{"dev", "\n", false},
		{"dev", "n\n", false},
		{"dev", "yep\n", false},
		{"dev", "ver_1\n", false},
		{"dev", "", false},
		{production[0], "ver_1\n", true},
		{production[0], "y\n", false},
		{production[0], "VER_1\n", false},
		{production[0], "\n", false},
	} {
		var words strings.Builder
		r := planned(t, f, tt.context, tt.answer, &words)
		err := r.confirm(t.Context())
		if (err == nil) != tt.yes || err != nil && cli.CodeOf(t.Context(), err) != cli.ExitInterrupted {
			t.Errorf("%s, %q: %v", tt.context, tt.answer, err)
		}
		if !strings.Contains(words.String(), "status in_review → approved") {
			t.Errorf("the plan is not shown:\n%s", words.String())
		}
	}
}

func TestInterruptEndsConfirm(t *testing.T) {
	f := inReview(t)
	r := planned(t, f, "dev", "", io.Discard)
	in, out, err := os.Pipe() // no input, and no end of input
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(out.Close(), in.Close()); err != nil {
			t.Error(err)
		}
	}()
	r.Stdin = in
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.confirm(ctx); cli.CodeOf(ctx, err) != cli.ExitInterrupted {
		t.Errorf("%v", err)
	}
}

// The outcome of a change decides the exit code, even after an interrupt or with an
// error of the journal.
func TestExitCodeFollowsTheOutcomeOfAChange(t *testing.T) {
	f := inReview(t)
	conflict := &change.Conflict{What: "it moved on", Differences: []models.Change{{Path: "status", After: models.StringValue("rejected")}}}
	refusal := &session.Refusal{Why: "no"}
	lost := errors.New("and the journal does not hold the outcome: disk full")
	for _, tt := range []struct {
		err    error
		code   int
		status string
		lines  int
	}{
		{conflict, cli.ExitConflict, "conflict", 2},
		{errors.Join(conflict, lost), cli.ExitConflict, "conflict", 2},
		{refusal, cli.ExitRefused, "refused", 1},
		{errors.Join(refusal, lost), cli.ExitRefused, "refused", 1},
		{fmt.Errorf("%w: the answer was lost (entry 1)", changes.ErrUnknown), cli.ExitService, "unknown", 1},
		{&store.Error{Class: store.Throttled, What: "too fast"}, cli.ExitService, "", 1},
		{&accesspatterns.ParamError{Param: "a", Reason: "missing"}, cli.ExitUsage, "", 1},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var out strings.Builder
		r := planned(t, f, "dev", "", io.Discard)
		r.Output, r.Stdout = "json", &out
		err := r.Failed(tt.err)
		if code := cli.CodeOf(ctx, err); code != tt.code || strings.Count(err.Error(), "\n")+1 != tt.lines {
			t.Errorf("%v: exit %d, %q", tt.err, code, err)
		}
		var doc struct{ Status string }
		if out.Len() > 0 {
			if err := json.Unmarshal([]byte(out.String()), &doc); err != nil {
				t.Errorf("%v: %v", tt.err, err)
			}
		}
		if doc.Status != tt.status {
			t.Errorf("%v: status %q", tt.err, doc.Status)
		}
	}
}

func TestConfirmIsSkippedIfASecondPersonMustApply(t *testing.T) {
	f := inReview(t)
	var words strings.Builder
	r := planned(t, f, "dev", "y\n", &words)
	r.SecondPerson = true
	err := r.Apply(
		t.Context(), true,
		func(context.Context) (*changes.Commitment, error) { return nil, &session.Refusal{Why: "two people"} },
	)
	if cli.CodeOf(t.Context(), err) != cli.ExitRefused || words.Len() > 0 {
		t.Errorf("%v\n%s", err, words.String())
	}
}

// full is a stream on which every write fails.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// A script must not mistake an output error for an error of the change.
func TestOutputErrorAfterCommitSaysThatTheChangeWasApplied(t *testing.T) {
	f := inReview(t)
	for _, output := range []string{"text", "json", "cli"} {
		r := planned(t, f, "dev", "", io.Discard)
		r.Output, r.Stdout = output, full{}
		err := r.committed(&changes.Commitment{Plan: r.Plan, Journal: "0123456789abcdef"})
		if err == nil || !strings.Contains(err.Error(), "the change was applied (journal 01234567), but") ||
			cli.CodeOf(t.Context(), err) != cli.ExitOther {
			t.Errorf("%s: %v", output, err)
		}
	}
}
