package changes_test

import (
	"os"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// Remarks include only refusals and reveals of this schema and target.
func TestRemarksBelongToSession(t *testing.T) {
	p, err := profiles.Open("authbridge", nil)
	if err != nil {
		t.Fatal(err)
	}
	path := t.TempDir() + "/journal"
	at := func(region string) *workspace.Workspace {
		return workspace.New(session.Options{
			Profile: p, Role: session.Developer, Actor: "kagiso", JournalPath: path, Target: store.Target{Region: region},
		})
	}
	inRegion := at("af-south-1")
	if err := inRegion.Session.Reveal(t.Context(), "authbridge.get-verification", "the customer called"); err != nil {
		t.Fatal(err)
	}
	if err := at("eu-west-1").Session.Reveal(t.Context(), "authbridge.get-verification", "another place"); err != nil {
		t.Fatal(err)
	}
	a, err := inRegion.Planner.Action("approve")
	if err != nil {
		t.Fatal(err)
	}
	if cause := inRegion.Committer.Refuse(
		t.Context(), a, map[string]string{"verificationId": "ver_1"}, "", inRegion.Session.CanChange(a),
	); cause == nil {
		t.Fatal("a developer may change items")
	}
	log, err := inRegion.Journal.Log(1000)
	list := log.Remarks
	if err != nil || len(list) != 2 {
		t.Fatalf("got %d remarks, %v, want 2", len(list), err)
	}
	if list[0].Detail.Key != "CASE#ver_1 / META" || list[0].Detail.Entity != "Verification" {
		t.Errorf("the refusal is about %+v, want CASE#ver_1 / META", list[0].Detail)
	}
	if list[0].Kind != journal.Refusal || list[1].Kind != journal.Reveal {
		t.Errorf("got a %s, then a %s, want the refusal first", list[0].Kind, list[1].Kind)
	}
	if n, problems, err := inRegion.Journal.Verify(true); n != 3 || len(problems) != 0 || err != nil {
		t.Errorf("Verify() = %d, %v, %v, want 3 entries without problems", n, problems, err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), "called", "wrote ", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, problems, err := inRegion.Journal.Verify(true); len(problems) == 0 || err != nil {
		t.Errorf("Verify does not detect a changed line: %v", err)
	}
}
