package team

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/models"
)

// rejectingHost is a host for a person who rejects every question.
type rejectingHost struct {
	op.Host

	questions []op.Question
}

func (u *rejectingHost) Note(string) {}

func (u *rejectingHost) Ask(_ context.Context, q op.Question) (bool, error) {
	u.questions = append(u.questions, q)
	return false, op.Interrupted
}

// planApproval plans the approval of a verification in the named context.
func planApproval(t *testing.T, name string) (pendingChange, *rejectingHost) {
	t.Helper()
	f := fixture.New(t, "authbridge", session.Admin)
	f.PutCase(t, "ver_1")
	o := f.Options()
	o.Context = name
	w, u := f.Open(o), &rejectingHost{}
	act, err := w.Planner.Action("approve")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := w.Planner.Plan(t.Context(), act, map[string]string{"verificationId": "ver_1"}, "")
	if err != nil {
		t.Fatal(err)
	}
	return pendingChange{Call: &op.Call{Host: u, Output: "json"}, w: w, action: act, plan: plan, schema: "authbridge"}, u
}

// If the outcome of the latest change is unknown or unclear, undo does not revert the change before it.
func TestUndoStopsAtUnresolvedChange(t *testing.T) {
	s, _ := planApproval(t, "dev")
	done, err := s.commit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if past, err := changeToUndo(s.Call, &undoInput{}, s.w); err != nil || past.Intent.ID != done.Journal {
		t.Errorf("got change %s, %v, want %s", past.Intent.ID, err, done.Journal)
	}
	log, err := session.OpenJournal(s.w.Session.Viewer)
	if err != nil {
		t.Fatal(err)
	}
	open := done.Past.Intent
	open.ID = ""
	if open, err = log.Append(t.Context(), open); err != nil {
		t.Fatal(err)
	}
	if past, err := changeToUndo(s.Call, &undoInput{}, s.w); err != nil || past.Intent.ID != open.ID || !past.Open() {
		t.Errorf("got change %s, %v, want the open change %s", past.Intent.ID, err, open.ID)
	}
	if _, err := log.Append(t.Context(), open.Result("unclear: the items have changed since", journal.Detail{})); err != nil {
		t.Fatal(err)
	}
	past, err := changeToUndo(s.Call, &undoInput{}, s.w)
	if err != nil || past.Intent.ID != open.ID {
		t.Errorf("got change %s, %v, want the unclear change %s", past.Intent.ID, err, open.ID)
	}
	if _, err := s.w.Journal.Undoable(past); !errors.Is(err, session.ErrRefused) || !strings.Contains(err.Error(), "is unclear: the items") {
		t.Errorf("got %v, want a refusal with the outcome", err)
	}
	if last, found, err := s.w.Journal.Last(); !found || last.Intent.ID != open.ID || !errors.Is(err, session.ErrRefused) {
		t.Errorf("Last() = %s, %t, %v, want a refusal to undo %s", last.Intent.ID, found, err, open.ID)
	}
}

// Without the user's consent, nothing is committed. In production, the user must type the ID of the item.
func TestQuestionShowsPlanAndAsksForIDOnProduction(t *testing.T) {
	for context, answer := range map[string]string{"dev": "", fixture.New(t, "authbridge", session.Admin).Profile.Guardrails.Production[0]: "ver_1"} {
		s, u := planApproval(t, context)
		if _, err := s.apply(t.Context(), true, s.commit); !errors.Is(err, op.Interrupted) || len(u.questions) != 1 {
			t.Fatalf("%s: got %v and questions %v", context, err, u.questions)
		}
		q := u.questions[0]
		if q.Answer != answer || !strings.Contains(strings.Join(q.Preview, "\n"), "status in_review → approved") {
			t.Errorf("%s: got question %+v", context, q)
		}
		if _, err := s.w.Planner.Plan(t.Context(), s.action, s.plan.Basis.Inputs, ""); err != nil {
			t.Errorf("%s: planning again: %v", context, err)
		}
		w := s.plan.Writes[0]
		w.Before[w.Table.TTL], _ = models.ScalarValue(models.TypeN, "1")
		if lines := s.question().Preview; !strings.HasPrefix(lines[len(lines)-1], "note: the item has expired") {
			t.Errorf("%s: the question does not mention the expiry: %q", context, lines)
		}
	}
}

func TestQuestionIsSkippedIfSecondPersonMustApply(t *testing.T) {
	s, u := planApproval(t, "dev")
	s.secondPerson = true
	_, err := s.apply(t.Context(), true, func(context.Context) (*changes.Commitment, error) { return nil, &session.Refusal{Reason: "two people"} })
	if cli.CodeOf(t.Context(), err) != cli.ExitRefused || len(u.questions) > 0 {
		t.Errorf("got %v and questions %v, want a refusal without a question", err, u.questions)
	}
}

// The exit code depends on the outcome of the change, even if the user interrupts the command or the journal fails.
func TestExitCodeFollowsOutcomeOfChange(t *testing.T) {
	s, _ := planApproval(t, "dev")
	conflict := &change.Conflict{Message: "it moved on", Differences: []models.Change{{Path: "status", After: models.StringValue("rejected")}}}
	refusal := &session.Refusal{Reason: "no"}
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
		{&store.Error{Class: store.Throttled, Problem: "too fast"}, cli.ExitService, "", 1},
		{&accesspatterns.ParamError{Param: "a", Reason: "missing"}, cli.ExitUsage, "", 1},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		r, err := s.failedOutcome(tt.err)
		if code := cli.CodeOf(ctx, err); code != tt.code || strings.Count(err.Error(), "\n")+1 != tt.lines {
			t.Errorf("%v: got exit %d, %q, want exit %d with %d lines", tt.err, code, err, tt.code, tt.lines)
		}
		status := ""
		if r != nil {
			status = string(r.(outcome).doc.Status)
		}
		if status != tt.status {
			t.Errorf("%v: status = %q, want %q", tt.err, status, tt.status)
		}
	}
}

// fullWriter is a writer that returns an error for every write.
type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// If the command cannot write its report, its error states that the change was applied.
func TestReportErrorStatesAppliedChange(t *testing.T) {
	s, _ := planApproval(t, "dev")
	r, err := s.apply(t.Context(), false, s.commit)
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"text", "json", "cli"} {
		err := r.(outcome).Write(op.Output{Writer: fullWriter{}, Note: func(string) {}}, format)
		if err == nil || !strings.HasPrefix(err.Error(), "the change was applied (journal ") {
			t.Errorf("%s: got %v, want a report of the applied change", format, err)
		}
	}
	var doc struct{ Status string }
	if text, err := json.Marshal(r.JSON()); err != nil || json.Unmarshal(text, &doc) != nil || doc.Status != "committed" {
		t.Errorf("got %s, %v, want status committed", text, err)
	}
}
