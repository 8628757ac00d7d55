package changes_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// approvalPlanFile plans the approval of case ver_1 and returns the plan file.
func approvalPlanFile(t *testing.T, s *workspace.Workspace, reason string) []byte {
	t.Helper()
	a, err := s.Planner.Action("approve")
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Planner.Plan(t.Context(), a, map[string]string{"verificationId": "ver_1"}, reason)
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.Planner.WritePlan(p, "authbridge")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func load(t *testing.T, s *workspace.Workspace, text []byte) (*changes.File, *change.Plan, error) {
	t.Helper()
	f, err := changes.ReadFile(text)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Planner.LoadPlan(t.Context(), f)
	return f, p, err
}

func tokenOf(t *testing.T, f *changes.File) string {
	t.Helper()
	part, err := f.Single()
	if err != nil {
		t.Fatal(err)
	}
	return part.Token
}

// Another user applies the plan. The journal records both users, and a second attempt is a conflict.
func TestPlanFileIsAppliedOnce(t *testing.T) {
	w, _ := cuttableFixture(t)
	it := w.PutCase(t, "ver_1")
	text := approvalPlanFile(t, w.As("ana"), "checked")
	s := w.As("ben")
	f, p, err := load(t, s, text)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Committer.Apply(t.Context(), f, p); err != nil {
		t.Fatal(err)
	}
	if status, _ := w.Read(t, it).Text("status"); status != "approved" {
		t.Errorf("status = %s, want approved", status)
	}
	entries := w.Entries(t, "ver_1")
	if len(entries) != 1 {
		t.Fatalf("got %d audit entries, want 1", len(entries))
	}
	if last := changesIn(t, s)[0]; last.Intent.Detail.Token != tokenOf(t, f) {
		t.Errorf("applied with token %s, the file has %s", last.Intent.Detail.Token, tokenOf(t, f))
	}
	user, _ := entries[0].Text("userId")
	reason, _ := entries[0].Text("reason")
	if user != "ben" || reason != "checked (planned by ana)" {
		t.Errorf("the audit entry has user %q and reason %q", user, reason)
	}
	list, err := fixture.Changes(s.Journal)
	if err != nil || len(list) != 1 || list[0].Intent.Detail.PlannedBy != "ana" || list[0].Intent.Actor != "ben" {
		t.Errorf("the journal contains %+v, %v", list, err)
	}
	_, _, err = load(t, s, text)
	var conflict *change.Conflict
	if !errors.As(err, &conflict) || !strings.Contains(err.Error(), "status is approved") {
		t.Errorf("applying the file again: got %v, want a conflict", err)
	}
}

// A change joined with another one has different content, so it does not keep the token of the file.
func TestPlanFileIsAppliedWithItsOwnToken(t *testing.T) {
	w, _ := cuttableFixture(t)
	w.PutCase(t, "ver_1")
	second := w.PutCase(t, "ver_2")
	s := w.As("ben")
	f, p, err := load(t, s, approvalPlanFile(t, w.As("ana"), ""))
	if err != nil {
		t.Fatal(err)
	}
	other, err := s.Planner.Plan(t.Context(), p.Action, map[string]string{"verificationId": "ver_2"}, "")
	if err != nil {
		t.Fatal(err)
	}
	if p, err = p.Join(other); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Committer.Apply(t.Context(), f, p); err != nil {
		t.Fatal(err)
	}
	if last := changesIn(t, s)[0].Intent.Detail; last.Token == tokenOf(t, f) || last.Token == "" {
		t.Errorf("applied as %+v, want a token other than the file's %s", last, tokenOf(t, f))
	}
	if status, _ := w.Read(t, second).Text("status"); status != "approved" {
		t.Errorf("status of the other case = %s, want approved", status)
	}
}

// DynamoDB answers a repeated token with success, and writes nothing.
func TestPlanFileIsReappliedAfterUndo(t *testing.T) {
	w, goods := orderFixture(t, fixture.Connect(t, fixture.Database(t)))
	s := w.Workspace
	p, err := s.Planner.Plan(t.Context(), w.Profile.Action("cancel"), map[string]string{"orderId": "1"}, "")
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.Planner.WritePlan(p, "orders.yaml")
	if err != nil {
		t.Fatal(err)
	}
	apply := func() *change.Plan {
		t.Helper()
		f, p, err := load(t, s, text)
		if err != nil {
			t.Fatal(err)
		}
		done, err := s.Committer.Apply(t.Context(), f, p)
		if err != nil {
			t.Fatal(err)
		}
		return done.Plan
	}
	mustUndo(t, w, apply())
	apply()
	now, err := s.Reading.Get(t.Context(), w.Profile.Tables[1], models.Item{"PK": goods["PK"]})
	if stock, _ := now.Text("stock"); stock != "9" {
		t.Errorf("stock after the second application = %s, %v, want 9", stock, err)
	}
}

// The error of a plan file from another version contains the solution.
func TestPlanFilesOfOtherVersionsAreRejected(t *testing.T) {
	w, _ := cuttableFixture(t)
	w.PutCase(t, "ver_1")
	text := string(approvalPlanFile(t, w.As("ana"), ""))
	for format, want := range map[string]string{
		"ddbdesk plan 3":  "this version of ddbdesk cannot read the plan file, which has format 3; create the plan again",
		"ddbdesk sweep 1": "this version of ddbdesk cannot read the plan file, which has sweep format 1; create the plan again",
		"ddbdesk plan 5":  "it has format 5, and this version reads up to 4; install the newer version",
		"terraform plan":  "the file is not a plan file; to create one, run ddbdesk change ... --plan FILE",
		"":                "the file is not a plan file; to create one, run ddbdesk change ... --plan FILE",
	} {
		_, err := changes.ReadFile([]byte(strings.Replace(text, "ddbdesk plan 4", format, 1)))
		if !errors.Is(err, session.ErrInput) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", format, err, want)
		}
	}
}

// The plan file of an undo identifies the change in the journal. It only applies to items as they were planned.
func TestUndoIsAppliedFromPlanFile(t *testing.T) { synctest.Test(t, undoIsAppliedFromPlanFile) }

func undoIsAppliedFromPlanFile(t *testing.T) {
	w, _ := cuttableFixture(t)
	w.PutCase(t, "ver_1")
	s := w.As("ana")
	undo, err := s.Planner.PlanUndo(t.Context(), decide(t, s, "approve", "").Plan, "a mistake")
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.Planner.WritePlan(undo, "authbridge")
	if err != nil {
		t.Fatal(err)
	}
	f, err := changes.ReadFile(text)
	if err != nil {
		t.Fatal(err)
	}
	ben := w.As("ben")
	if a, err := ben.Planner.ActionOf(f); err != nil || a != undo.Action {
		t.Errorf("ActionOf() = %v, %v, want the undo", a, err)
	}
	p, err := ben.Planner.LoadPlan(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	if done, err := ben.Committer.Apply(t.Context(), f, p); err != nil || done.Plan.To != "in_review" {
		t.Errorf("got %+v, %v, want the undo to in_review", done, err)
	}
	if _, err := ben.Planner.LoadPlan(t.Context(), f); !errors.Is(err, session.ErrRefused) {
		t.Errorf("loading the undo again: got %v, want a refusal", err)
	}
	other := w.Options()
	other.JournalPath = filepath.Join(t.TempDir(), "journal.jsonl")
	if _, err := w.Open(other).Planner.LoadPlan(t.Context(), f); !errors.Is(err, session.ErrRefused) {
		t.Errorf("loading the undo without the journal: got %v, want a refusal", err)
	}
}

// ddbdesk recognizes the user's own plan by the typed name in any case, the AWS identity or, on the same machine, the
// account.
func TestPlannerRecognizesItsPlan(t *testing.T) {
	w, _ := cuttableFixture(t)
	w.PutCase(t, "ver_1")
	const anaARN, benARN = "arn:aws:sts::111122223333:assumed-role/Ops/ana", "arn:aws:sts::111122223333:assumed-role/Ops/ben"
	f, err := changes.ReadFile(approvalPlanFile(t, sessionAs(w, "ana", session.Person{User: "1000 (x)", ARN: anaARN}, ""), ""))
	if err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	for _, tt := range []struct {
		actor, user, arn, machine string
		own                       bool
	}{
		{"Ana ", "1001 (y)", benARN, "", true},
		{"ben", "1001 (y)", anaARN, other, true},
		{"ben", "1000 (x)", benARN, "", true},
		{"ben", "1000 (x)", benARN, other, false},
		{"ben", "1001 (y)", benARN, "", false},
	} {
		if own := sessionAs(w, tt.actor, session.Person{User: tt.user, ARN: tt.arn}, tt.machine).Planner.IsAuthor(f); own != tt.own {
			t.Errorf("%+v: IsAuthor() = %t, want %t", tt, own, tt.own)
		}
	}
}

// ddbdesk refuses a plan file with a changed, added or removed field.
func TestEditedPlanFileIsRefused(t *testing.T) {
	w, _ := cuttableFixture(t)
	w.PutCase(t, "ver_1")
	text := approvalPlanFile(t, w.As("ana"), "checked")
	lines := bytes.SplitAfter(text, []byte("\n"))
	edits := map[string]string{
		"made": `"2026-01-20T12:00:01Z"`, "actor": `"eve"`, "context": `"prod"`, "target": `"another"`, "schema": `"tazco"`,
		"variables": `{"environment":"prod"}`, "profileDigest": `"00"`, "action": `"reject"`, "inputs": `{"verificationId":"ver_2"}`,
		"reason": `"because"`, "token": `"00000000-0000-4000-8000-000000000000"`, "print": `"00"`, "digest": `"00"`,
		"user": `"0 (eve)"`, "machine": `"00"`, "mac": `"00"`, "key": `"CASE#ver_2"`, "writes": `[]`,
		"items": `2`, "capacity": `1000`, "itemDigest": `"00"`,
	}
	for i, line := range lines[:3] {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(line, &fields); err != nil {
			t.Fatal(err)
		}
		for name := range fields {
			if name == "format" {
				continue
			}
			if edits[name] == "" {
				t.Errorf("no edit changes %s", name)
			}
			for _, value := range []string{edits[name], ""} { // changed, and omitted
				edited := maps.Clone(fields)
				if edited[name] = json.RawMessage(value); value == "" {
					delete(edited, name)
				}
				changed, err := json.Marshal(edited)
				if err != nil {
					t.Fatal(err)
				}
				all := slices.Clone(lines)
				all[i] = append(changed, '\n')
				f, err := changes.ReadFile(bytes.Join(all, nil))
				if err == nil { // checking the MAC needs the key
					_, err = w.As("ana").Planner.LoadPlan(t.Context(), f)
				}
				if !errors.Is(err, session.ErrRefused) && !errors.Is(err, session.ErrInput) {
					t.Errorf("%s edited to %q: got %v", name, value, err)
				}
			}
		}
	}
	for subject, changed := range map[string]string{
		"text after the plan": string(text) + "{}", "another format": strings.Replace(string(text), "ddbdesk plan 4", "ddbdesk plan 2", 1),
		"an unknown field": strings.Replace(string(text), "{", `{"more":1,`, 1), "empty object": "{}", "not JSON": "plan", "empty": "",
		"truncated": string(text[:len(text)/2]), "a field twice": strings.Replace(string(text), `"actor"`, `"actor":"eve","actor"`, 1),
		"a field twice, in another case": strings.Replace(string(text), `"actor"`, `"Actor":"eve","actor"`, 1),
		"an input twice":                 strings.Replace(string(text), `"inputs":{`, `"inputs":{"verificationId":"ver_2",`, 1),
		"no item":                        string(lines[0]) + string(lines[2]), "an item twice": string(lines[0]) + string(lines[1]) + string(text[len(lines[0]):]),
	} {
		if _, err := changes.ReadFile([]byte(changed)); !errors.Is(err, session.ErrRefused) && !errors.Is(err, session.ErrInput) {
			t.Errorf("%s: got %v", subject, err)
		}
	}
}

func TestPlanFileBelongsToItsSchemaAndTarget(t *testing.T) {
	w, _ := cuttableFixture(t)
	w.PutCase(t, "ver_1")
	f, err := changes.ReadFile(approvalPlanFile(t, w.As("ana"), ""))
	if err != nil {
		t.Fatal(err)
	}
	file, text, err := profiles.ReadSource("authbridge")
	if err != nil {
		t.Fatal(err)
	}
	changed, err := profiles.Load(file, append(text, "\n# a word more\n"...), nil)
	if err != nil {
		t.Fatal(err)
	}
	for subject, o := range map[string]session.Options{
		"profile": {Profile: changed, Target: w.Conn.Describe()},
		"target":  {Profile: w.Profile, Target: store.Target{Region: "af-south-1"}},
	} {
		o.Store, o.Role, o.Actor = w.Conn.Reader(), session.Admin, "ben"
		if _, err := w.Open(o).Planner.LoadPlan(t.Context(), f); !errors.Is(err, session.ErrRefused) {
			t.Errorf("another %s: got %v, want a refusal", subject, err)
		}
	}
}

// The conflict names the changed attribute and masks personal data.
func TestPlanFileReportsChangedAttributes(t *testing.T) {
	for name, tt := range map[string]struct {
		change models.Item
		want   string
	}{
		"changed state": {models.Item{"status": models.StringValue("pending_review")}, "status is pending_review"},
		"changed lock attribute": {
			models.Item{"updatedAt": models.StringValue("2026-01-19T11:00:00Z")},
			"updatedAt was 2026-01-19T10:00:00Z, is now 2026-01-19T11:00:00Z",
		},
		"changed index key": {models.Item{"GSI1SK": models.StringValue("in_review#2026-01-19T10:00:01Z")}, "GSI1SK was"},
		"changed personal data": {
			models.Item{"updatedAt": models.StringValue("2026-01-19T11:00:00Z"), "customerMetadata": emailOf("canary@example.com")},
			"updatedAt was",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := cuttableFixture(t)
			it := w.PutCase(t, "ver_1")
			text := approvalPlanFile(t, w.As("ana"), "")
			maps.Copy(it, tt.change)
			w.Put(t, w.Profile.Entity("Verification").Table, it)
			_, _, err := load(t, w.As("ben"), text)
			var conflict *change.Conflict
			if !errors.As(err, &conflict) || !strings.Contains(err.Error(), tt.want) ||
				strings.Contains(err.Error(), "canary") || strings.Contains(err.Error(), "something else") {
				t.Errorf("got %v, want a masked conflict with %q", err, tt.want)
			}
		})
	}
}

func emailOf(address string) types.AttributeValue {
	return &types.AttributeValueMemberM{Value: models.Item{"email": models.StringValue(address)}}
}

// The user who planned the action cannot apply it.
func TestFourEyesNeedsASecondUser(t *testing.T) { synctest.Test(t, fourEyesNeedsASecondUser) }

func fourEyesNeedsASecondUser(t *testing.T) {
	w, _ := cuttableFixture(t)
	w.Profile.Action("approve").FourEyes = true
	it := w.PutCase(t, "ver_1")
	text := approvalPlanFile(t, w.As("ana"), "")
	ana, ben := w.As("ana"), w.As("ben")
	f, p, err := load(t, ana, text)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ana.Committer.Apply(t.Context(), f, p); !errors.Is(err, session.ErrRefused) {
		t.Errorf("applied by the planner: got %v, want a refusal", err)
	}
	for _, name := range []string{"Ana", " ana", "ana\t"} {
		if _, err := w.As(name).Committer.Apply(t.Context(), f, p); !errors.Is(err, session.ErrRefused) {
			t.Errorf("applied by the planner as %q: got %v, want a refusal", name, err)
		}
	}
	if _, err := ben.Committer.Commit(t.Context(), p); !errors.Is(err, session.ErrRefused) {
		t.Errorf("committed without a second user: got %v, want a refusal", err)
	}
	if status, _ := w.Read(t, it).Text("status"); status != "in_review" {
		t.Fatalf("status = %s, want in_review", status)
	}
	f, p, err = load(t, ben, text)
	if err != nil {
		t.Fatal(err)
	}
	commitment, err := ben.Committer.Apply(t.Context(), f, p)
	if err != nil {
		t.Fatalf("applied by a second user: %v", err)
	}
	if _, err := w.As("Ben").Planner.PlanUndo(t.Context(), commitment.Plan, "a mistake"); !errors.Is(err, session.ErrRefused) {
		t.Errorf("undo planned by the user who applied the change: got %v, want a refusal", err)
	}
	undo, err := ana.Planner.PlanUndo(t.Context(), commitment.Plan, "a mistake")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ben.Committer.Commit(t.Context(), undo); !errors.Is(err, session.ErrRefused) {
		t.Errorf("undo committed by the user who applied the change: got %v, want a refusal", err)
	}
	if _, err := ana.Committer.Commit(t.Context(), undo); err != nil {
		t.Errorf("undo committed by another user: %v", err)
	}
}

// sessionAs returns a session with an actor, a person and a machine's state folder.
func sessionAs(w *fixture.Fixture, actor string, p session.Person, state string) *workspace.Workspace {
	o := w.Options()
	o.Actor, o.Person = actor, p
	if state != "" {
		o.StateDir = state
	}
	return w.Open(o)
}

// Another typed name does not identify a second person.
func TestFourEyesComparesPersons(t *testing.T) {
	const anaARN, benARN = "arn:aws:sts::111122223333:assumed-role/Ops/ana", "arn:aws:sts::111122223333:assumed-role/Ops/ben"
	other := t.TempDir()
	for _, c := range []struct {
		name          string
		creator, user session.Person
		state         string // state folder of another machine, "" for the same machine
		actor         string
		refused       bool
	}{
		{"the same account", session.Person{User: "1000 (x)"}, session.Person{User: "1000 (x)"}, "", "ben", true},
		{"another account", session.Person{User: "1000 (x)"}, session.Person{User: "1001 (y)"}, "", "ben", false},
		{
			"the same account with another AWS identity",
			session.Person{User: "1000 (x)", ARN: anaARN},
			session.Person{User: "1000 (x)", ARN: benARN},
			"", benARN, true,
		},
		{
			"the same AWS identity",
			session.Person{User: "1000 (x)", ARN: anaARN},
			session.Person{User: "1001 (y)", ARN: anaARN},
			"", anaARN, true,
		},
		{
			"another machine, another AWS identity",
			session.Person{User: "0 (root)", ARN: anaARN},
			session.Person{User: "0 (root)", ARN: benARN},
			other, benARN, false,
		},
		{
			"another machine, the same AWS identity",
			session.Person{User: "1000 (x)", ARN: anaARN},
			session.Person{User: "1001 (y)", ARN: anaARN},
			other, anaARN, true,
		},
		{"another machine, the same account", session.Person{User: "1000 (x)"}, session.Person{User: "1000 (x)"}, other, "ben", true},
		{
			"a typed name where AWS identifies the user",
			session.Person{User: "1000 (x)", ARN: anaARN},
			session.Person{User: "1001 (y)", ARN: benARN},
			"", "eve", true,
		},
	} {
		w, _ := cuttableFixture(t)
		w.Profile.Action("approve").FourEyes = true
		w.PutCase(t, "ver_1")
		text := approvalPlanFile(t, sessionAs(w, "ana", c.creator, ""), "")
		s := sessionAs(w, c.actor, c.user, c.state)
		f, p, err := load(t, s, text)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Planner.CheckAuthor(f); errors.Is(err, session.ErrRefused) != (c.state != "") {
			t.Errorf("%s: CheckAuthor() = %v", c.name, err)
		}
		commitment, err := s.Committer.Apply(t.Context(), f, p)
		if errors.Is(err, session.ErrRefused) != c.refused || err != nil && !c.refused {
			t.Errorf("%s: got %v, want a refusal: %v", c.name, err, c.refused)
		}
		if err == nil && (c.state != "") != slices.ContainsFunc(commitment.Notes, func(n string) bool { return strings.Contains(n, "another machine") }) {
			t.Errorf("%s: got notes %q", c.name, commitment.Notes)
		}
		if err != nil {
			continue
		}
		list, err := fixture.Changes(s.Journal)
		if err != nil || list[0].Intent.User != c.user.User || list[0].Intent.Identity != c.user.ARN ||
			!strings.Contains(list[0].Intent.Detail.Planner, c.creator.User) {
			t.Errorf("%s: %v, journal %+v", c.name, err, list[0].Intent)
		}
		if _, err := sessionAs(w, "third", c.user, "").Planner.PlanUndo(t.Context(), commitment.Plan, "a mistake"); !errors.Is(err, session.ErrRefused) {
			t.Errorf("%s: undo by the same person under another name: got %v", c.name, err)
		}
	}
}

// The digest does not depend on a key, so anyone can compute a correct digest.
func TestPlanFileWithForgedDigestIsRefused(t *testing.T) {
	w, _ := cuttableFixture(t)
	w.PutCase(t, "ver_1")
	path := approvalPlanFile(t, w.As("ana"), "checked")
	f, err := changes.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	mac := f.MAC
	f.Actor, f.User, f.Digest, f.MAC = "eve", "0 (eve)", "", ""
	text, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(text)
	f.Digest, f.MAC = hex.EncodeToString(sum[:]), mac
	head, err := json.Marshal(f.Head)
	if err != nil {
		t.Fatal(err)
	}
	closing, err := json.Marshal(f.Trailer)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(path, []byte("\n"))
	text = slices.Concat(head, []byte("\n"), lines[1], closing, []byte("\n"))
	if _, _, err := load(t, w.As("ben"), text); !errors.Is(err, session.ErrRefused) || !strings.Contains(err.Error(), "edited") {
		t.Errorf("got %v, want a refusal of the edited file", err)
	}
}

// Except for the user's inputs, the file contains no personal data either.
func TestPlanFileContainsNoSecret(t *testing.T) {
	w, _ := cuttableFixture(t)
	it := w.PutCase(t, "ver_1")
	it["customerMetadata"] = emailOf("canary@example.com")
	w.Put(t, w.Profile.Entity("Verification").Table, it)
	s := w.As("ana")
	if err := s.Session.Reveal(t.Context(), "x", "to look"); err != nil {
		t.Fatal(err)
	}
	if text := approvalPlanFile(t, s, ""); strings.Contains(string(text), "canary") {
		t.Errorf("the file contains the email address:\n%s", text)
	}
	a := w.Profile.Action("create-verification")
	a.Disabled = ""
	a.Input("email").Sensitive = models.Secret
	p, err := s.Planner.Plan(t.Context(), a, map[string]string{"clientId": "c", "documentType": "omang", "email": "secret@example.com"}, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Planner.WritePlan(p, "authbridge"); !errors.Is(err, session.ErrRefused) || strings.Contains(err.Error(), "secret@") {
		t.Errorf("writing a secret input: got %v, want a refusal", err)
	}
}

// Revealed sessions, conflicts and refusals add no personal data.
func TestJournalContainsNoPersonalData(t *testing.T) {
	w, _ := cuttableFixture(t)
	it := w.PutCase(t, "ver_1")
	it["customerMetadata"] = emailOf("canary@example.com")
	w.Put(t, w.Profile.Entity("Verification").Table, it)
	s := w.As("ana")
	if err := s.Session.Reveal(t.Context(), "x", "to look"); err != nil {
		t.Fatal(err)
	}
	p, err := s.Planner.Plan(t.Context(), w.Profile.Action("approve"), map[string]string{"verificationId": "ver_1"}, "")
	if err != nil {
		t.Fatal(err)
	}
	it["customerMetadata"], it["updatedAt"] = emailOf("canary2@example.com"), models.StringValue("2026-01-19T11:00:00Z")
	w.Put(t, w.Profile.Entity("Verification").Table, it)
	if _, err := s.Committer.Commit(t.Context(), p); err == nil {
		t.Fatal("got no conflict")
	}
	if p, err = s.Planner.Plan(t.Context(), w.Profile.Action("approve"), map[string]string{"verificationId": "ver_1"}, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Committer.Commit(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if _, err := w.With(session.Support).Committer.Commit(t.Context(), p); err == nil {
		t.Fatal("role support changed an item")
	}
	text, err := os.ReadFile(s.Session.JournalPath())
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "canary") || strings.Count(string(text), "\n") != 6 {
		t.Errorf("want 6 entries without personal data, got:\n%s", text)
	}
}
