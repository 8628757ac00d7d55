package changes_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// decide applies an action to the case ver_1.
func decide(t *testing.T, s *workspace.Workspace, id, reason string) *changes.Commitment {
	t.Helper()
	a, err := s.Planner.Action(id)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Planner.Plan(t.Context(), a, map[string]string{"verificationId": "ver_1"}, reason)
	if err != nil {
		t.Fatal(err)
	}
	done, err := s.Committer.Commit(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func changesIn(t *testing.T, s *workspace.Workspace) []changes.PastChange {
	t.Helper()
	list, err := fixture.Changes(s.Journal)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// After a change, its undo and another change, even a new process finds the newest change that can be undone.
func TestLastChangeFollowsUndo(t *testing.T) { synctest.Test(t, lastChangeFollowsUndo) }

func lastChangeFollowsUndo(t *testing.T) {
	w, _ := cuttableFixture(t)
	it := w.PutCase(t, "ver_1")
	table := w.Profile.Entity("Verification").Table
	key, _ := table.PrimaryKey(it)
	last := func(want string) {
		t.Helper()
		l, ok, err := w.As("ben").Journal.LastChange(table, key)
		got := ""
		if ok {
			got = l.Plan.Action.ID
		}
		if got != want || err != nil {
			t.Errorf("the last change is %q, %v, want %q", got, err, want)
		}
		if w.As("ben").Journal.MayHaveChanged(table, key) != (want != "") {
			t.Errorf("MayHaveChanged is wrong after %q", want)
		}
	}
	last("")
	decide(t, w.As("ana"), "approve", "")
	last("approve")

	undo := func() {
		t.Helper()
		s := w.As("ben")
		l, ok, err := s.Journal.LastChange(table, key)
		if err != nil || !ok {
			t.Fatalf("no change to undo: %v", err)
		}
		if _, err := s.Journal.Undoable(l.PastChange); err != nil {
			t.Error(err)
		}
		u, err := s.Planner.PlanUndo(t.Context(), l.Plan, "a mistake")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Committer.Commit(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
	undo()
	last("")
	restored := w.Read(t, it)
	for _, name := range it.Names() {
		if v := restored[name]; name != "updatedAt" && !models.EqualValues(v, it[name]) {
			t.Errorf("the undo did not restore %s", name)
		}
	}
	if len(restored) != len(it) {
		t.Errorf("the case has the attributes %v, want %v", restored.Names(), it.Names())
	}
	decide(t, w.As("ana"), "reject", "blurred")
	last("reject")
	undo()
	last("")

	var texts []string
	for _, e := range w.Entries(t, "ver_1") {
		subject, _ := e.Text("action")
		texts = append(texts, subject)
	}
	for _, want := range []string{"approve", "undo-approve", "reject", "undo-reject"} {
		if !strings.Contains(strings.Join(texts, " "), want) || len(texts) != 4 {
			t.Errorf("got audit entries %v, want 4", texts)
		}
	}
	list := changesIn(t, w.Workspace)
	if len(list) != 4 || !list[0].IsUndo() || list[0].Undone || !list[1].Undone || !list[2].IsUndo() || !list[3].Undone {
		t.Errorf("the journal contains %+v, want 2 undone changes and their undos", list)
	}
}

func TestUndoableExplainsRefusals(t *testing.T) {
	w, _ := cuttableFixture(t)
	it := w.PutCase(t, "ver_1")
	s := w.As("ana")
	decide(t, s, "approve", "")
	c := changesIn(t, s)[0]

	refused := func(subject string, c changes.PastChange) {
		t.Helper()
		if p, err := s.Journal.Undoable(c); !errors.Is(err, session.ErrRefused) || p == nil {
			t.Errorf("%s: got %v, want a refusal", subject, err)
		}
	}
	open := c
	open.Outcome = nil
	refused("open", open)
	undone := c
	undone.Undone = true
	refused("undone", undone)
	failed, outcome := c, *c.Outcome
	outcome.Outcome = "conflict: nothing was written"
	failed.Outcome = &outcome
	refused("not made", failed)
	w.Profile.Action("approve").NoUndo = "it is final"
	refused("final", c)
	w.Profile.Action("approve").NoUndo = ""

	// Another user changed the item since.
	p, err := s.Journal.Undoable(c)
	if err != nil {
		t.Fatal(err)
	}
	now := w.Read(t, it)
	now["status"] = models.StringValue("rejected")
	w.Put(t, p.Writes[0].Table, now)
	_, err = s.Planner.PlanUndo(t.Context(), p, "")
	var conflict *change.Conflict
	if !errors.As(err, &conflict) || len(conflict.Differences) != 1 || conflict.Differences[0].Path != "status" {
		t.Errorf("after another change: got %v, want a conflict about status", err)
	}
	key, _ := p.Writes[0].Table.PrimaryKey(it)
	if _, ok, err := s.Journal.LastChange(
		p.Writes[0].Table, models.Item{"PK": key["PK"], "SK": models.StringValue("OTHER")},
	); ok || err != nil {
		t.Errorf("LastChange() found this change for another item: %v", err)
	}
}

// The items show whether a change without an outcome was applied.
func TestResolveReadsItems(t *testing.T) {
	for name, tt := range map[string]struct {
		current func(it, changed models.Item) models.Item // returns the current case
		entry   bool                                      // whether the audit entry exists
		want    change.State
		outcome string
	}{
		"applied":     {func(_, changed models.Item) models.Item { return changed }, true, change.Written, "committed"},
		"not applied": {func(it, _ models.Item) models.Item { return it }, false, change.NotWritten, "nothing was written"},
		"not applied, changed since": {func(
			it, _ models.Item,
		) models.Item {
			it["status"] = models.StringValue("rejected")
			return it
		}, false, change.NotWritten, "nothing was written"},
		"applied, changed since": {func(
			_, c models.Item,
		) models.Item {
			c["status"] = models.StringValue("rejected")
			return c
		}, true, change.Overtaken, "committed"},
		"applied, reverted since": {func(it, _ models.Item) models.Item { return it }, true, change.Overtaken, "committed"},
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := cuttableFixture(t)
			it := w.PutCase(t, "ver_1")
			s := w.As("ana")
			done := decide(t, s, "approve", "")
			c := changesIn(t, s)[0]
			c.Outcome = nil // as if the program had ended before it wrote the outcome
			table := w.Profile.Entity("Verification").Table
			w.Put(t, table, tt.current(it.Clone(), w.Read(t, it)))
			if !tt.entry {
				remove(t, w, done.Plan.Writes[1])
			}
			state, err := s.Journal.Resolve(t.Context(), c)
			if err != nil || state != tt.want {
				t.Errorf("Resolve() = %q, %v, want %q", state, err, tt.want)
			}
			if now := changesIn(t, s)[0]; now.Outcome.Outcome != tt.outcome || now.Outcome.Detail.ResolvedBy != "ana" {
				t.Errorf("the journal contains %+v, want an outcome resolved by ana", now.Outcome)
			}
		})
	}
}

func remove(t *testing.T, w *fixture.Fixture, p change.Write) {
	t.Helper()
	del := change.Plan{
		Action: w.Profile.Action("approve"), Basis: &change.Basis{},
		Writes: []change.Write{{Operation: change.Delete, Table: p.Table, Entity: p.Entity, Key: p.Key, Before: p.After}},
	}
	if _, err := w.Conn.Writer().Commit(t.Context(), del.Batch()); err != nil {
		t.Fatal(err)
	}
}

// Without audit entries, nothing shows who changed the item since.
func TestResolveWithoutAuditTrailIsUnclear(t *testing.T) {
	w, _ := cuttableFixture(t)
	it := w.PutCase(t, "ver_1")
	a := w.Profile.Action("approve")
	a.Audits = nil
	s := w.As("ana")
	decide(t, s, "approve", "")
	c := changesIn(t, s)[0]
	c.Outcome = nil
	it["status"] = models.StringValue("rejected")
	w.Put(t, a.Entity.Table, it)
	if state, err := s.Journal.Resolve(t.Context(), c); err != nil || state != change.Unclear {
		t.Errorf("Resolve() = %q, %v, want Unclear", state, err)
	}
	if now := changesIn(t, s)[0]; now.Open() || now.Committed() || !strings.HasPrefix(now.Outcome.Outcome, "unclear") {
		t.Errorf("the journal contains %+v, want an unclear outcome", now.Outcome)
	}
}

// A user cannot resolve a change that has an outcome or may be in progress.
func TestResolveRejectsChangesInProgress(t *testing.T) {
	w, _ := cuttableFixture(t)
	w.PutCase(t, "ver_1")
	s := w.As("ana")
	decide(t, s, "approve", "")
	c := changesIn(t, s)[0]
	if _, err := s.Journal.Resolve(t.Context(), c); !errors.Is(err, session.ErrInput) {
		t.Errorf("resolving a change with an outcome: got %v", err)
	}
	c.Outcome = nil
	clock := workspace.New(session.Options{
		Profile: w.Profile, Store: w.Conn.Reader(), Target: w.Conn.Describe(), StateDir: w.Dir,
		JournalPath: s.Session.JournalPath(), Clock: time.Now,
	})
	if _, err := clock.Journal.Resolve(t.Context(), c); !errors.Is(err, session.ErrInput) || !strings.Contains(err.Error(), "in progress") {
		t.Errorf("resolving a new change: got %v, want an input error", err)
	}
	afterChange := w.Options()
	afterChange.Clock = func() time.Time { return c.Intent.Time.Add(30 * time.Second) }
	const want = "is 30s old and may still be in progress; resolve it after 1m30s"
	if _, err := w.Open(afterChange).Journal.Resolve(t.Context(), c); err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("resolving after half a minute: got %v, want %q", err, want)
	}
	if n := strings.Count(journalText(t, s), "\n"); n != 2 {
		t.Errorf("the journal has %d lines, want 2", n)
	}
}

func journalText(t *testing.T, s *workspace.Workspace) string {
	t.Helper()
	text, err := os.ReadFile(s.Session.JournalPath())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestOtherMachinesRecordsAreRejected(t *testing.T) {
	w, _ := cuttableFixture(t)
	it := w.PutCase(t, "ver_1")
	s := w.As("ana")
	decide(t, s, "approve", "")
	other := workspace.NewWriting(session.Options{
		Profile: w.Profile, Store: w.Conn.Reader(), Target: w.Conn.Describe(), Role: session.Admin, Actor: "ana",
		StateDir: t.TempDir(), JournalPath: s.Session.JournalPath(), Clock: func() time.Time { return fixture.Now },
	}, w.Conn.Writer())
	c := changesIn(t, other)[0]
	if _, err := other.Journal.PlanOf(c); !errors.Is(err, session.ErrInput) || !strings.Contains(err.Error(), "on the machine") {
		t.Errorf("PlanOf: got %v, want an input error", err)
	}
	table := w.Profile.Entity("Verification").Table
	key, _ := table.PrimaryKey(it)
	if _, ok, err := other.Journal.LastChange(table, key); ok || err != nil {
		t.Errorf("LastChange() = %v, %v, want no change", ok, err)
	}
	c.Outcome = nil
	if _, err := other.Journal.Resolve(t.Context(), c); !errors.Is(err, session.ErrInput) {
		t.Errorf("Resolve: got %v, want an input error", err)
	}
}

// A journal contains changes of many schemas and targets. A damaged line does not hide other entries.
func TestChangesBelongToSession(t *testing.T) {
	w, _ := cuttableFixture(t)
	w.PutCase(t, "ver_1")
	remote, other := w.Conn.Describe(), w.Conn.Describe()
	remote.Account, other.Account = "111111111111", "222222222222"
	s := workspace.NewWriting(session.Options{
		Profile: w.Profile, Store: w.Conn.Reader(), Target: remote, Role: session.Admin, Actor: "ana",
		StateDir: w.Dir, JournalPath: filepath.Join(w.Dir, "journal.jsonl"), Clock: func() time.Time { return fixture.Now },
	}, w.Conn.Writer())
	decide(t, s, "approve", "")
	if list := changesIn(t, w.As("ana")); len(list) != 1 {
		t.Errorf("without an account: got changes %+v, want 1", list)
	}
	tazco, err := profiles.Open("tazco", nil)
	if err != nil {
		t.Fatal(err)
	}
	otherDir, err := profiles.Open("authbridge", nil)
	if err != nil {
		t.Fatal(err)
	}
	otherDir.Tables[0].Name += "-prod"
	for subject, o := range map[string]session.Options{
		"another profile": {Profile: tazco, Target: w.Conn.Describe()},
		"another account": {Profile: w.Profile, Target: other},
		"another region":  {Profile: w.Profile, Target: store.Target{Region: "af-south-1"}},
		"another folder":  {Profile: w.Profile, Target: store.Target{Region: "local", Endpoint: "/elsewhere", Embedded: true}},
		"another table":   {Profile: otherDir, Target: w.Conn.Describe()},
	} {
		o.JournalPath = s.Session.JournalPath()
		if list := changesIn(t, workspace.New(o)); len(list) != 0 {
			t.Errorf("%s: got changes %+v, want none", subject, list)
		}
	}
	empty := workspace.New(session.Options{Profile: w.Profile, Target: w.Conn.Describe(), JournalPath: filepath.Join(w.Dir, "none.jsonl")})
	if list, err := fixture.Changes(empty.Journal); len(list) != 0 || err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a journal: got %v, %v, want no changes", list, err)
	}
	text := "what is this\n" + journalText(t, s)
	if err := os.WriteFile(s.Session.JournalPath(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if list, err := fixture.Changes(s.Journal); err == nil || len(list) != 1 || !list[0].Committed() {
		t.Errorf("with a damaged line: got %+v, %v, want 1 change and an error", list, err)
	}
}

// A refusal before planning names the item without personal data, even if ddbdesk cannot write the journal.
func TestRefusalsAreJournaled(t *testing.T) {
	p, err := profiles.Open("tazco", nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s := workspace.New(session.Options{Profile: p, Role: session.Support, Actor: "ana", JournalPath: filepath.Join(dir, "journal.jsonl")})
	refusal := &session.Refusal{Reason: "not you"}
	for _, a := range p.Actions {
		inputs := map[string]string{}
		for _, in := range a.Inputs {
			if _, computed := a.Defaults[in.Name]; in.Required && !computed {
				inputs[in.Name] = "26771234567"
			}
		}
		if err := s.Committer.Refuse(t.Context(), a, inputs, "r", refusal); !errors.Is(err, session.ErrRefused) {
			t.Errorf("%s: got %v, want a refusal", a.ID, err)
		}
	}
	text := journalText(t, s)
	if strings.Count(text, "\n") != len(p.Actions) || !strings.Contains(text, "not you") {
		t.Errorf("want one refusal for each action, got:\n%s", text)
	}
	blocked := workspace.New(session.Options{Profile: p, Role: session.Support, JournalPath: dir})
	if err := blocked.Committer.Refuse(
		t.Context(), p.Actions[0], nil, "", refusal,
	); !errors.Is(err, session.ErrRefused) || !strings.Contains(err.Error(), "record the refusal") {
		t.Errorf("without a journal: got %v, want a refusal", err)
	}
}

// The change removed an index key because a part of the key was missing.
func TestUndoRestoresKeysThatCannotBeDerived(t *testing.T) {
	synctest.Test(t, undoRestoresKeysThatCannotBeDerived)
}

func undoRestoresKeysThatCannotBeDerived(t *testing.T) {
	w, _ := cuttableFixture(t)
	it := w.PutCase(t, "ver_1")
	delete(it, "createdAt")
	w.Put(t, w.Profile.Entity("Verification").Table, it)
	s := w.As("ana")
	commitment := decide(t, s, "approve", "")
	if _, exists := w.Read(t, it)["GSI1SK"]; exists {
		t.Fatal("GSI1SK exists although its time is unknown")
	}
	undo, err := s.Planner.PlanUndo(t.Context(), commitment.Plan, "a mistake")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Committer.Commit(t.Context(), undo); err != nil {
		t.Fatal(err)
	}
	if got, want := w.Read(t, it)["GSI1SK"], it["GSI1SK"]; want == nil || !models.EqualValues(got, want) {
		t.Errorf("GSI1SK = %v, want %v", got, want)
	}
}
