package tui

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
)

// reject writes a rejection, as another user would.
func (f *changeFixture) reject() {
	e := f.p.Entity("Verification")
	key, _ := e.Table.PrimaryKey(f.item())
	f.write(change.Batch{Writes: []types.TransactWriteItem{{Update: &types.Update{
		TableName: aws.String(e.Table.Name), Key: key, UpdateExpression: aws.String("SET #s = :s, updatedAt = :now"),
		ExpressionAttributeNames: map[string]string{"#s": "status"},
		ExpressionAttributeValues: models.Item{
			":s": models.StringValue("rejected"), ":now": models.StringValue("2026-01-20T11:59:00Z"),
		},
	}}}})
}

func TestChangeConflict(t *testing.T) {
	atSizes(t, func(t *testing.T, size tuitest.Size) {
		synctest.Test(t, func(t *testing.T) {
			o := newChangeFixture(t, session.Admin, "", "in_review")
			tt := o.enter(size)
			planApproval(tt, "fine")
			tt.Advance(planGrace)
			o.before = func() {
				o.before = nil
				o.reject()
			}
			tt.Reach("Nothing was written", "tab", "enter")
			golden(t, tt, "conflict")
			if got := o.status(); got != "rejected" {
				t.Errorf("status = %s, want rejected", got)
			}
			tt.Advance(planGrace)
			tt.Reach("Cannot apply this change", "tab", "enter")
			golden(t, tt, "again")
			tt.Advance(planGrace)
			tt.Reach("enter show the plan", "left", "enter")
			if !tt.Has("fine") {
				t.Errorf("the form lost the reason:\n%s", tt.Screen())
			}
		})
	})
}

func TestChangeRequiresReason(t *testing.T) {
	onCase(t, session.Admin, tuitest.Size{W: 80, H: 24}, func(_ *testing.T, _ *changeFixture, tt *tuitest.Terminal) {
		tt.Reach("Reason*  required", "o", "down", "enter")
		tt.Reach("Reason is required", "enter")
		tt.Enter("blurred picture")
		tt.WaitFor("[ Cancel ]")
	})
}

func TestChangeFormShowsInputs(t *testing.T) {
	onCase(t, session.Admin, wideSize, func(t *testing.T, _ *changeFixture, tt *tuitest.Terminal) {
		tt.Press("o")
		for range 14 {
			if tt.Has("▌ v  Change status") {
				break
			}
			tt.Press("down")
		}
		tt.Reach("toStatus", "enter")
		tt.Reach("▌ ", "space")
		golden(t, tt, "targets")
		if tt.Has("documents_uploading  The customer") {
			t.Errorf("the form offers a status without a transition:\n%s", tt.Screen())
		}
		tt.Reach("[ Cancel ]", "enter", "enter")
		if !tt.Has("With    toStatus") {
			t.Errorf("the plan does not show the inputs:\n%s", tt.Screen())
		}
	})
}

func TestSlowPlanningCanBeCanceled(t *testing.T) {
	onCase(t, session.Admin, tuitest.Size{W: 80, H: 24}, func(t *testing.T, o *changeFixture, tt *tuitest.Terminal) {
		tt.Reach("enter show the plan", "o", "enter")
		o.delay.Store(int64(10 * time.Second))
		tt.Enter("slow")
		if tt.Has("planning:") {
			t.Errorf("the spinner appears too early:\n%s", tt.Screen())
		}
		tt.WaitFor("planning: reading the items")
		tt.Reach("planning stopped", "esc")
		o.delay.Store(0)
		tt.Advance(20 * time.Second)
		if tt.Has("[ Cancel ]") || !tt.Has("slow") {
			t.Errorf("the canceled plan appeared, or the form lost the reason:\n%s", tt.Screen())
		}
	})
}

func TestChangeDryRun(t *testing.T) {
	onCase(t, session.Admin, wideSize, func(t *testing.T, o *changeFixture, tt *tuitest.Terminal) {
		planApproval(tt, "fine")
		tt.Advance(planGrace)
		tt.Reach("▾ 13 attributes", "left", "left", "left", "enter")
		tt.Reach("aws dynamodb transact-write-items", "right", "enter")
		tt.Reach("copied the AWS CLI command", "left", "enter")
		if text := o.clip.read(); !strings.HasPrefix(text, "aws dynamodb transact-write-items --cli-input-json '{") {
			t.Errorf("the clipboard contains %s", text)
		}
		tt.Reach("only if", "right", "enter")
		if n := len(o.entries()); n != 0 || o.status() != "in_review" {
			t.Error("the dry run changed the item")
		}
	})
}

func TestTimelineRetriesAfterErrorAndStop(t *testing.T) {
	onCase(t, session.Admin, tuitest.Size{W: 80, H: 24}, func(_ *testing.T, o *changeFixture, tt *tuitest.Terminal) {
		failure := errors.New("slow down")
		o.fail.Store(&failure)
		tt.Reach("slow down", "2")
		tt.WaitFor("n retry")
		o.fail.Store(nil)
		tt.Reach("No history is recorded for this item", "n")
		o.delay.Store(int64(3 * time.Second))
		tt.Reach("reading the history", "ctrl+r")
		tt.Reach("stopped · n continue", "esc")
		o.delay.Store(0)
		tt.Reach("No history is recorded", "n")
	})
}
