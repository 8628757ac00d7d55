package tui

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
)

// day runs a user's task at every size, on a queueFixture with six cases of one client,
// of which the third has a document.
func day(t *testing.T, role session.Role, run func(t *testing.T, w *queueFixture, tt *tuitest.Terminal)) {
	atSizes(t, func(t *testing.T, size tuitest.Size) {
		w := newQueueFixture(t, 6)
		w.role = role
		w.document(3)
		synctest.Test(t, func(t *testing.T) {
			w.t = t
			run(t, w, w.enter(size, ":decode", "paste a key"))
		})
	})
}

// document adds an uploaded document to a case.
func (w *queueFixture) document(n int) {
	w.t.Helper()
	e := w.p.Entity("Document")
	it, err := e.Build(models.Item{
		"verificationId": models.StringValue(w.id(n)), "documentId": models.StringValue("doc_front"),
		"documentType": models.StringValue("omang_front"),
		"s3Key":        models.StringValue("uploads/private/front.jpg"), "uploadedAt": models.StringValue("2026-01-20T08:10:00Z"),
	}, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	w.write(change.Batch{Put: &dynamodb.PutItemInput{TableName: aws.String(e.Table.Name), Item: it}})
}

// openPasted goes from a pasted key to the item.
func openPasted(tt *tuitest.Terminal, key string) {
	tt.Paste(key)
	tt.WaitFor("Verification by ID")
	tt.Reach("1 item", "enter")
	tt.Reach("read at", "enter")
}

// related opens an entry of the tab of related patterns.
func related(tt *tuitest.Terminal, title string) {
	tt.Reach("Related", "3")
	tt.Press("/")
	tt.Type(title)
	tt.Press("enter")
}

// An admin decides about a case that somebody wrote to them about, and takes the
// decision back.
func TestDayOfAnAdmin(t *testing.T) {
	day(t, session.Admin, func(t *testing.T, w *queueFixture, tt *tuitest.Terminal) {
		openPasted(tt, "CASE#"+w.id(3)+" / META\n")

		related(tt, "Documents of a verification")
		tt.WaitFor("doc_front")
		if tt.Has("uploads/private") {
			t.Errorf("the place of the picture is shown:\n%s", tt.Screen())
		}
		tt.Reach("In review", "esc", "esc")

		related(tt, "All verifications of a client")
		tt.WaitFor("6 items")
		tt.Reach("In review", "alt+left")

		planApproval(tt, "documents match, face score 0.97")
		for range 8 { // A small screen shows the end of the plan only after it was scrolled to.
			tt.Press("pgdown")
		}
		tt.Advance(queueGrace)
		tt.Reach("✓ Done", "tab", "enter")
		if got := w.text(3, "status"); got != "approved" {
			t.Fatalf("the status is %s", got)
		}
		tt.Advance(queueGrace)
		tt.Reach("final state", "enter")

		tt.Reach("complete", "2")
		if !tt.Has("kagiso") || !tt.Has("Approved") {
			t.Errorf("the history does not say who did what:\n%s", tt.Screen())
		}
		golden(t, tt, "history")

		tt.Reach("Undo Approve", "o", "u")
		tt.Enter("the wrong case")
		tt.WaitFor("only if")
		for range 8 {
			tt.Press("pgdown")
		}
		tt.Advance(queueGrace)
		tt.Reach("✓ Done", "tab", "enter")
		if got := w.statuses(6); got != strings.TrimSpace(strings.Repeat("in_review ", 6)) {
			t.Errorf("after the undo the statuses are %s", got)
		}
	})
}

// Support answers a customer: what is with my case, and why it cannot be
// approved from this desk.
func TestDayOfSupport(t *testing.T) {
	day(t, session.Support, func(t *testing.T, w *queueFixture, tt *tuitest.Terminal) {
		openPasted(tt, w.id(3))
		golden(t, tt, "item")
		tt.Reach("filter related patterns", "3")
		if tt.Has("query") || !tt.Has("list") {
			t.Errorf("support is told how DynamoDB calls a pattern:\n%s", tt.Screen())
		}
		tt.Reach("cannot reveal", "o", "R")
		tt.Press("esc")
		tt.Reach("Only an admin", "o")
		tt.Press("enter")
		if tt.Has("[ Cancel ]") {
			t.Errorf("support is asked to confirm a change:\n%s", tt.Screen())
		}
	})
}

// A developer looks into a key that a program wrote wrongly.
func TestDayOfADeveloper(t *testing.T) {
	day(t, session.Developer, func(t *testing.T, w *queueFixture, tt *tuitest.Terminal) {
		w.put(4, "in_review", models.Item{"GSI1SK": models.StringValue("submitted#" + w.created(4))})
		tt.Paste("CASE_" + w.id(4))
		tt.WaitFor("CASE#{verificationId}")
		golden(t, tt, "near")
		tt.Press("ctrl+u")
		openPasted(tt, "CASE#"+w.id(4))
		tt.Reach("GSI1SK", "4")
		if !tt.Has("✗") {
			t.Errorf("the stale key is not marked:\n%s", tt.Screen())
		}
		tt.Reach(`"TableName"`, "alt+left", "x")
		tt.Reach("copied", "y")
		if got := w.clip.read(); !strings.Contains(got, `"CASE#`+w.id(4)+`"`) {
			t.Errorf("the request is copied as %s", got)
		}
		tt.Reach("drift", "esc", ":drift")
	})
}
