package tui

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// During input, a custom query shows its request. Its rows are recognized and masked like those of a pattern. The
// user can edit an attribute, which shows a plan first.
func TestCustomQueryAndEditInConsole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newQueueFixture(t, 3)
		w.put(1, "in_review", models.Item{"notes": models.StringValue("hello"), "customerMetadata": models.StringValue("jane@example.com")})
		w.t = t
		tt := w.enter(wideSize, "b", "Scan reads the whole table")
		tt.Type("CASE#" + w.id(1))
		tt.WaitFor(`→ PK = "CASE#` + w.id(1))
		tt.Press("enter")
		tt.WaitFor("Verification case · " + w.id(1))
		tt.WaitFor(`→ PK = "CASE#` + w.id(1) + `"`)
		tt.WaitFor("▌ Verification  " + w.id(1))
		if tt.Has("jane@example.com") {
			t.Errorf("the results show personal data:\n%s", tt.Screen())
		}
		tt.Reach(`"S": "CASE#`+w.id(1)+`"`, "x")
		tt.Press("esc")
		tt.Reach("read at", "enter")
		tt.Press("G")
		tt.Reach("[ Plan the change ]", "o", "e")
		tt.Advance(time.Second)
		tt.Reach("the value is unchanged", "enter")
		tt.Type("!")
		tt.Reach("Show the plan", "enter")
		tt.Type("a typo")
		tt.Reach("→ hello!", "enter")
		tt.WaitFor("does not declare notes")
		tt.Advance(planGrace)
		tt.Reach("✓ Done", "tab", "enter")
		tt.Press("esc")
		tt.WaitFor("notes             hello!")
	})
}

// A custom query masks a key that belongs to a masked entity, or to none.
func TestCustomQueryMasksSensitiveKey(t *testing.T) {
	for _, key := range []string{"SESSION#sess_4711", "4711"} {
		synctest.Test(t, func(t *testing.T) {
			w := newQueueFixture(t, 1)
			w.t = t
			tt := w.enter(wideSize, "b", "Scan reads the whole table")
			tt.Type(key)
			tt.Reach("0 items", "enter")
			tt.WaitFor(`→ PK = "•••"`)
			tt.Reach(`"S": "•••"`, "x")
			if tt.Has("4711") {
				t.Errorf("the request shows a masked key:\n%s", tt.Screen())
			}
		})
	}
}

// An edit that starts on a primary key asks for the attribute, because an edit cannot change the key.
func TestEditDoesNotStartWithPrimaryKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newQueueFixture(t, 1)
		w.t = t
		w.write(change.Batch{Writes: []types.TransactWriteItem{{Put: &types.Put{
			TableName: aws.String(w.p.Entity("Verification").Table.Name),
			Item: models.Item{
				"PK": models.StringValue("NOTE#1"), "SK": models.StringValue("META"), "text": models.StringValue("hello"),
			},
		}}}})
		tt := w.enter(wideSize, "b", "Scan reads the whole table")
		tt.Type("NOTE#1")
		tt.Reach("1 item · 1 page", "enter")
		tt.Reach("read at", "enter")
		tt.Reach("[ Plan the change ]", "o", "e")
		if tt.Has("attribute*  PK") {
			t.Errorf("the edit starts with a key:\n%s", tt.Screen())
		}
	})
}

// A custom query starts with the key of the request on the screen. A filter without an operator has a single message.
func TestCustomQueryStartsWithRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newQueueFixture(t, 3)
		w.t = t
		tt := w.enter(wideSize, "enter", "needs")
		tt.Type(w.id(1))
		tt.Reach("1 item · 1 page", "enter")
		tt.Reach(`→ PK = "CASE#`+w.id(1)+`" · SK = "META"`, "b")
		tt.WaitFor("[ Run ]")
		tt.Type("status")
		tt.WaitFor("✗ expected a comparison such as status = paid")
		tt.Press("enter")
		if tt.Has("operators are") || tt.Has("… ") {
			t.Errorf("the dialog shows the error twice:\n%s", tt.Screen())
		}
	})
	synctest.Test(t, func(t *testing.T) {
		w := newQueueFixture(t, 3)
		w.t = t
		tt := w.enter(wideSize, "/", "Patterns")
		tt.Type("All verif")
		tt.Reach("needs clientId", "enter")
		tt.Type("client_xyz789")
		tt.Press("tab", "right")
		tt.Reach("0 items · 1 page", "enter")
		tt.Reach("GSI1PK  CLIENT#client_xyz789", "b")
		tt.WaitFor("GSI1SK  begins-with   ▾   value  created#")
		tt.Press("shift+tab", "shift+tab", "shift+tab")
		for range len("CLIENT#client_xyz789") {
			tt.Press("backspace")
		}
		tt.WaitFor("Scan reads the whole index GSI1")
		tt.WaitFor("[ Scan ]")
		tt.WaitFor("index   GSI1")
	})
}

// An edit of an outdated screen does not overwrite a later change.
func TestEditShowsConcurrentChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newQueueFixture(t, 3)
		w.put(1, "in_review", models.Item{"notes": models.StringValue("hello")})
		w.t = t
		tt := w.enter(wideSize, "b", "Scan reads the whole table")
		tt.Type("CASE#" + w.id(1))
		tt.Reach("Verification case · "+w.id(1), "enter")
		tt.Reach("read at", "enter")
		tt.Press("G")
		tt.Reach("[ Plan the change ]", "o", "e")
		tt.Advance(time.Second)
		tt.Type("!")
		w.put(1, "in_review", models.Item{"notes": models.StringValue("other")})
		tt.Reach("Show the plan", "enter")
		tt.Type("a typo")
		tt.Reach("the item has changed since it was shown", "enter")
		tt.WaitFor("hello → other")
		tt.Advance(planGrace)
		tt.Reach("→ hello!", "tab", "enter")
	})
}

// Support sees a custom query in words, with its comparison but without its capacity.
func TestCustomQueryInWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newQueueFixture(t, 3)
		w.t, w.role = t, session.Support
		tt := w.enter(wideSize, "b", "reads the whole list")
		tt.Type("CASE#" + w.id(1))
		tt.Press("tab", "tab", "tab")
		tt.Type("status!=approved")
		tt.WaitFor("→ PK = CASE#" + w.id(1) + "  ·  status != approved")
		tt.Reach("1 item · 1 page · ", "enter")
		if tt.Has("RCU") {
			t.Errorf("role support sees the capacity:\n%s", tt.Screen())
		}
		tt.Reach("for a spreadsheet", "y")
		if tt.Has("aws dynamodb") || tt.Has("boto3") {
			t.Errorf("role support sees code:\n%s", tt.Screen())
		}
		tt.Reach("Document type", "v")
		if tt.Has("GSI1PK") {
			t.Errorf("role support sees keys:\n%s", tt.Screen())
		}
	})
}

// A query without rows names its filter as the reason, and runs without it.
func TestCustomQueryRunsWithoutItsFilter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newQueueFixture(t, 3)
		w.t = t
		tt := w.enter(wideSize, "b", "Scan reads the whole table")
		tt.Type("CASE#" + w.id(1))
		tt.Press("tab", "tab", "tab")
		tt.Type("status = approved")
		tt.Reach("1 item read, none matches the filter", "enter")
		tt.Reach("o F run it without the filter", "tab")
		tt.Reach("1 item · 1 page · ", "o", "F")
	})
}
