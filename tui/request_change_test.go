package tui

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// If the user's role cannot apply a change, the dialog can request it with its plan.
func TestSupportRequestsChange(t *testing.T) {
	atSizes(t, func(t *testing.T, size tuitest.Size) {
		synctest.Test(t, func(t *testing.T) {
			o := newRequestsFixture(t)
			tt := o.enterAs(session.Support, size)
			if size.W >= 120 {
				tt.WaitFor("Press o to request")
			}
			tt.Reach("files a change request", "o")
			tt.Press("esc")
			planApproval(tt, "checked by phone")
			tt.WaitFor("Request")
			tt.Press("G")
			tt.Advance(planGrace)
			tt.Reach("✓ Requested", "tab", "enter")
			list := o.all()
			if len(list) != 1 {
				t.Fatalf("got %d requests, want 1", len(list))
			}
			q := list[0]
			if q.State != requests.Open || q.Action != "approve" || q.Requester != "ana" || q.Reason != "checked by phone" || q.Fault != nil {
				t.Errorf("got request %+v", q)
			}
			if !tt.Has(q.ID) {
				t.Errorf("the dialog lacks the request ID:\n%s", tt.Screen())
			}
			if got := o.status(); got != "in_review" {
				t.Errorf("filing changed the status to %s", got)
			}
			tt.Advance(planGrace)
			tt.Reach("press i 2 to open the change requests", "esc")
			tt.Press("i")
			tt.Reach("ana (you), just now", "2")
		})
	})
}

// Even an admin must request a change that needs a second person.
func TestAdminRequestsChangeThatNeedsSecondPerson(t *testing.T) {
	withRequests(t, func(t *testing.T, o *requestsFixture) {
		o.requireSecondPerson()
		tt := o.enterAs(session.Admin, wideSize)
		tt.Reach("shows a plan first", "o")
		tt.Reach("needs a second person. You can request the change", "enter")
		tt.Enter("checked")
		tt.WaitFor("only if")
		tt.Advance(planGrace)
		tt.Reach("✓ Requested", "tab", "enter")
		if list := o.all(); len(list) != 1 || o.status() != "in_review" {
			t.Errorf("got %d requests and status %s, want 1 and in_review", len(list), o.status())
		}
	})
}

// Without a requests table, the dialog explains how to create one.
func TestDialogExplainsHowToEnableRequests(t *testing.T) {
	onCase(t, session.Developer, wideSize, func(t *testing.T, o *changeFixture, tt *tuitest.Terminal) {
		tt.Send(screen.OpenMsg{To: screen.Patterns{Plan: o.p.Action("approve")}})
		tt.WaitFor("Preview only: role developer cannot change items")
		for _, want := range []string{"set requests: {table: NAME} in a context", "ddbdesk table create authbridge --requests"} {
			if !strings.Contains(strings.Join(strings.Fields(tt.Screen()), " "), want) {
				t.Errorf("%q is missing:\n%s", want, tt.Screen())
			}
		}
	})
}

// If the request fails, the dialog keeps the plan and explains the failure.
func TestRequestFailsWithoutItsTable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := withoutRequestsTable(t)
		tt := o.enterAs(session.Support, wideSize)
		planApproval(tt, "checked by phone")
		tt.Advance(planGrace)
		tt.Reach("The request was not filed", "tab", "enter")
		tt.WaitFor("create it with ddbdesk table create")
		tt.Advance(planGrace)
		tt.Reach("checked by phone", "left", "enter")
	})
}

// The item shows a pending request, and a role that can only request the change cannot request it twice.
func TestItemShowsPendingRequest(t *testing.T) {
	atSizes(t, func(t *testing.T, size tuitest.Size) {
		synctest.Test(t, func(t *testing.T) {
			o := newRequestsFixture(t)
			tt := o.enterAs(session.Support, size)
			planApproval(tt, "checked by phone")
			tt.WaitFor("Request")
			tt.Press("G")
			tt.Advance(planGrace)
			tt.Reach("✓ Requested", "tab", "enter")
			tt.Advance(planGrace)
			tt.Reach("▸ Approve requested by you, just now; press o to open it", "esc")
			tt.Reach("⊘ already requested by you", "o")
			tt.Press("a")
			tt.Advance(planGrace)
			if tt.Has("Reason") || len(o.all()) != 1 {
				t.Errorf("the item accepts a second request:\n%s", tt.Screen())
			}
		})
	})
}

// The item reads the requests if the console has not listed any, and a plan names those that it leaves open.
func TestItemReadsRequests(t *testing.T) {
	withRequests(t, func(_ *testing.T, o *requestsFixture) {
		q := o.file("naledi", "reject", "wrong case")
		tt := o.enterAs(session.Admin, wideSize)
		tt.WaitFor("▸ Reject requested by naledi, just now; press o to decide it")
		planApproval(tt, "checked by phone")
		tt.WaitFor("! The change request of naledi stays open: Reject.")
		tt.Advance(planGrace)
		tt.Reach("canceled; nothing was changed or requested", "esc")
		tt.Reach("▌    Decide the request: Reject", "o")
		tt.Reach(q.ID, "enter")
	})
}

// A queue marks the items with a pending request, the details name the request, and a change of marked items warns of it.
func TestQueueMarksRequestedItems(t *testing.T) {
	withRequests(t, func(t *testing.T, o *requestsFixture) {
		o.file("naledi", "reject", "wrong case")
		o.session = o.user("ana", session.Admin)
		tt := tuitest.New(t, New(Options{Opener: singleOpener{&openerFixture{profile: o.p}, o.session}, Start: o.p.Name}), wideSize)
		tt.WaitFor("Patterns")
		tt.Reach("▌▸ver_", "i")
		tt.WaitFor("▸ Reject requested by naledi, just now")
		tt.Reach("1 marked", "space")
		tt.Reach("a  Approve", "o")
		tt.Reach("▸ 1 of 1 with open change requests, which stay open", "a")
	})
}

// The item shows the requests of others that the console listed. A role that can apply the change still can.
func TestItemShowsListedRequests(t *testing.T) {
	withRequests(t, func(t *testing.T, o *requestsFixture) {
		q := o.file("naledi", "approve", "checked by phone")
		tt := o.inbox("ana", session.Admin, wideSize)
		tt.WaitFor("Planned writes now")
		tt.Reach("▸ Approve requested by naledi, just now; press o to decide it", "enter")
		tt.Reach("Confirms the customer's identity", "o", "a")
		tt.Press("esc")
		o.decide("kagiso", func(ctx context.Context, _ *requests.Inbox, r *requests.Register) error {
			_, err := r.Reject(ctx, q, "blurred")
			return err
		})
		if _, _, err := o.session.Requests.List(t.Context()); err != nil {
			t.Fatal(err)
		}
		tt.Press("down")
		tt.WaitForRemoval("requested by naledi")
	})
}
