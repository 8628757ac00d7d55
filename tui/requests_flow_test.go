package tui

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// An admin sees the current writes of a request and applies it. The case, its audit entry and the request change
// together.
func TestAdminAppliesRequest(t *testing.T) {
	atSizes(t, func(t *testing.T, size tuitest.Size) {
		synctest.Test(t, func(t *testing.T) {
			o := newRequestsFixture(t)
			q := o.file("ana", "approve", "checked by phone")
			o.now = o.now.Add(5 * time.Minute) // Events are sorted by time.
			tt := o.inbox("ben", session.Admin, size)
			tt.WaitFor("Planned writes now")
			tt.WaitFor("Open 1")
			tt.Reach("Approve and apply", "o", "a")
			tt.Advance(planGrace)
			tt.Press("G")
			tt.Reach("✓ Done", "tab", "enter")
			tt.WaitFor(" WCU with the request")
			if got := o.status(); got != "approved" || o.state(q.ID) != requests.Applied || len(o.entries()) != 1 {
				t.Errorf("got status %s, request state %s and %d audit entries", got, o.state(q.ID), len(o.entries()))
			}
			tt.Advance(planGrace)
			tt.Reach("History 1", "esc")
			tt.Reach("✓ applied", "v")
			tt.WaitFor("applied by ben")
			goldenRequests(t, tt, "history")
		})
	})
}

// The menu of marked requests does not decide the request under the cursor, which may be another one.
func TestMarkedRequestsAreNotDecidedOneByOne(t *testing.T) {
	withRequests(t, func(t *testing.T, o *requestsFixture) {
		first := o.file("ana", "approve", "checked")
		o.now = o.now.Add(time.Minute)
		second := o.file("ana", "reject", "a copy")
		tt := o.inbox("ben", session.Admin, wideSize)
		tt.WaitFor("Open 2")
		tt.Press("space", "o")
		tt.Reach("only for the row under the cursor; unmark the other rows", "r")
		if tt.Has("[ Cancel ]") {
			t.Errorf("o r opened a dialog:\n%s", tt.Screen())
		}
		tt.Press("esc")
		tt.Reach("Reject · request", "up", "o", "r")
		if o.state(first.ID) != requests.Open || o.state(second.ID) != requests.Open {
			t.Error("a request was decided")
		}
	})
}

// A request for another environment cannot be planned again in this one.
func TestRequestOfAnotherEnvironmentIsNotReplanned(t *testing.T) {
	withRequests(t, func(t *testing.T, o *requestsFixture) {
		o.p.Variables = []profiles.Variable{{Name: "environment", Value: "staging"}}
		o.file("ana", "approve", "checked")
		o.p.Variables = []profiles.Variable{{Name: "environment", Value: "dev"}}
		tt := o.inbox("ben", session.Admin, wideSize)
		tt.WaitFor("≠ Cannot be applied: the request is for environment=staging")
		if tt.Has("Press o n") {
			t.Errorf("the details offer to plan again:\n%s", tt.Screen())
		}
		tt.Reach("this session has environment=dev", "o", "n")
		if tt.Has("[ Cancel ]") {
			t.Errorf("o n opened a dialog:\n%s", tt.Screen())
		}
	})
}

// For a change that needs a second person, the requester sees why only others can approve it.
func TestRequesterCannotApproveOwnRequest(t *testing.T) {
	withRequests(t, func(t *testing.T, o *requestsFixture) {
		o.requireSecondPerson()
		q := o.file("ana", "approve", "checked")
		tt := o.inbox("ana", session.Admin, wideSize)
		tt.WaitFor("Open 1")
		tt.WaitFor("needs a second person, and ana created the plan")
		for _, key := range []string{"a", "p"} {
			tt.Reach("another user must apply it", "o", key)
			tt.Press("esc")
			if tt.Has("Approve and apply") || tt.Has("[ Cancel ]") {
				t.Errorf("%s opened a dialog:\n%s", key, tt.Screen())
			}
		}
		if o.state(q.ID) != requests.Open || o.status() != "in_review" {
			t.Errorf("request state = %s, want open", o.state(q.ID))
		}
	})
}

func TestAdminRejectsWithReason(t *testing.T) {
	withRequests(t, func(t *testing.T, o *requestsFixture) {
		q := o.file("ana", "approve", "checked")
		tt := o.inbox("ben", session.Admin, wideSize)
		tt.WaitFor("Planned writes now")
		tt.Reach("Reject · request Approve", "o", "r")
		tt.Reach("Reason: missing", "enter")
		tt.Enter("wrong case")
		tt.WaitFor("rejected the request")
		tt.WaitFor("History 1")
		if o.state(q.ID) != requests.Rejected {
			t.Errorf("request state = %s, want rejected", o.state(q.ID))
		}
		tt.Reach("rejected by ben: wrong case", "v")
		tt.Reach("1 Overview", "enter") // The item of an ended request opens, too.
	})
}

func TestRequesterWithdraws(t *testing.T) {
	withRequests(t, func(t *testing.T, o *requestsFixture) {
		q := o.file("ana", "approve", "checked")
		o.file("ben", "reject", "wrong case")
		tt := o.inbox("ana", session.Support, wideSize)
		tt.WaitFor("Open 2")
		tt.WaitFor("2 open requests · you made 1")
		tt.Press("down")
		tt.WaitFor("Planned writes now")
		tt.WaitFor("Press o to comment, or to withdraw your own request.")
		tt.Reach("role support cannot change items", "o", "a")
		tt.Press("esc")
		tt.Reach("Withdraw · request Approve", "o", "w")
		tt.Press("enter") // Cancel has the focus.
		tt.WaitForRemoval("Withdraw · request Approve")
		if o.state(q.ID) != requests.Open {
			t.Errorf("request state after enter = %s, want open", o.state(q.ID))
		}
		tt.Reach("Withdraw · request Approve", "o", "w")
		tt.Reach("withdrew the request", "tab", "enter")
		if o.state(q.ID) != requests.Withdrawn {
			t.Errorf("request state = %s, want withdrawn", o.state(q.ID))
		}
	})
}

func TestAdminApprovesForAnotherAdmin(t *testing.T) {
	withRequests(t, func(t *testing.T, o *requestsFixture) {
		q := o.file("ana", "approve", "checked")
		tt := o.inbox("ben", session.Admin, wideSize)
		tt.WaitFor("Planned writes now")
		tt.Reach("Any other admin can then apply it", "o", "p")
		tt.Press("shift+tab")
		tt.Enter("looks right")
		tt.WaitFor("◐ approved")
		tt.WaitFor("by ben, just now: looks right")
		if o.state(q.ID) != requests.Approved || o.status() != "in_review" {
			t.Errorf("got request state %s and status %s", o.state(q.ID), o.status())
		}
	})
}

// If two reviewers open the same request, the second one sees who has already applied it.
func TestSecondReviewerSeesFirstDecision(t *testing.T) {
	withRequests(t, func(t *testing.T, o *requestsFixture) {
		q := o.file("ana", "approve", "checked")
		tt := o.inbox("ben", session.Admin, wideSize)
		tt.WaitFor("Planned writes now")
		tt.Reach("Approve and apply", "o", "a")
		tt.Advance(planGrace)
		o.decide("cleo", func(ctx context.Context, in *requests.Inbox, _ *requests.Register) error {
			v, err := in.Review(ctx, q)
			if err != nil {
				return err
			}
			_, _, err = in.Apply(ctx, v)
			return err
		})
		tt.Reach("Nothing was written: the request or the data changed", "tab", "enter")
		if n := len(o.entries()); n != 1 {
			t.Errorf("got %d audit entries, want 1", n)
		}
		tt.Advance(planGrace)
		tt.Reach("was applied by cleo", "tab", "enter")
		tt.Advance(planGrace)
		tt.Reach("History 1", "esc")
	})
}

// If the data has changed, the details report it, and the reviewer can plan the change again as their own.
func TestChangedDataIsReplanned(t *testing.T) {
	withRequests(t, func(t *testing.T, o *requestsFixture) {
		o.file("ana", "approve", "checked by phone")
		o.touch("2026-01-20T09:00:00Z")
		tt := o.inbox("ben", session.Admin, wideSize)
		tt.WaitFor("≠ Cannot be applied: the data changed")
		goldenRequests(t, tt, "moved")
		tt.Reach("the data changed since the plan was created", "o", "a")
		tt.Reach("The inputs are those of request", "n")
		tt.Reach("2026-01-20T09:00:00Z", "enter")
		if !tt.Has("checked by phone") {
			t.Errorf("the form lost the request's reason:\n%s", tt.Screen())
		}
		tt.Advance(planGrace)
		tt.Reach("✓ Done", "tab", "enter")
		if got := o.status(); got != "approved" {
			t.Errorf("status = %s, want approved", got)
		}
	})
}

// If the item's state no longer permits a change, the user cannot plan it again, but can withdraw or reject it.
func TestImpossibleRequestIsNotReplanned(t *testing.T) {
	withRequests(t, func(_ *testing.T, o *requestsFixture) {
		o.file("ana", "approve", "checked by phone")
		o.set("status", "rejected")
		tt := o.inbox("ben", session.Admin, wideSize)
		tt.WaitFor("status is rejected:")
		tt.WaitFor("Press o to reject it, or to withdraw your own request.")
		tt.Reach("the item no longer permits it", "o")
	})
}

// A key acts on the request that the user selected, even if the list refreshes in the meantime.
func TestRefreshKeepsSelectedRequest(t *testing.T) {
	withRequests(t, func(t *testing.T, o *requestsFixture) {
		first := o.file("ana", "approve", "first")
		o.now = o.now.Add(time.Minute)
		o.file("dan", "reject", "second")
		tt := o.inbox("ben", session.Admin, wideSize)
		tt.WaitFor("Open 2")
		tt.WaitFor("Planned writes now")
		if !strings.Contains(tt.Screen(), first.ID) {
			t.Fatalf("the oldest request is not selected:\n%s", tt.Screen())
		}
		o.decide("cleo", func(ctx context.Context, _ *requests.Inbox, r *requests.Register) error {
			_, err := r.Reject(ctx, first, "no")
			return err
		})
		tt.Advance(61 * time.Second)
		tt.WaitFor("✗ rejected")
		tt.Reach("was rejected by cleo", "o", "r")
		tt.Press("esc")
		if tt.Has("Reject · request") {
			t.Errorf("the key opened another request:\n%s", tt.Screen())
		}
		tt.Reach("Open 1", "down")
		tt.WaitForRemoval("✗ rejected")
		tt.Reach("Reject · request Reject", "o", "r")
	})
}

// For each fault, the screen explains the fix, and no key opens a decision.
func TestRequestsScreenExplainsProblems(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(o *requestsFixture)
		want    string
	}{
		"no table configured": {func(o *requestsFixture) { o.table = "" }, "No requests table is configured"},
		"table missing":       {func(o *requestsFixture) { o.table = "elsewhere" }, "requests table elsewhere does not exist"},
		"no permission":       {func(o *requestsFixture) { o.failReads(denied) }, "denied"},
		"expired":             {func(o *requestsFixture) { o.now = o.now.Add(8 * 24 * time.Hour) }, "No open change requests"},
		"damaged":             {func(o *requestsFixture) { o.edit("reason", "another reason") }, "✗ damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := newRequestsFixture(t)
				q := o.file("ana", "approve", "checked")
				c.prepare(o)
				tt := o.inbox("ben", session.Admin, wideSize)
				tt.WaitFor(c.want)
				tt.Press("o", "a", "o", "p")
				tt.Settle()
				if tt.Has("Approve and apply") || tt.Has("[ Cancel ]") {
					t.Errorf("the console opened a dialog:\n%s", tt.Screen())
				}
				o.failReads(nil)
				o.table = requestsTable
				if state := o.state(q.ID); state.Ended() || o.status() != "in_review" {
					t.Errorf("got request state %s and status %s", state, o.status())
				}
			})
		})
	}
}

// The details mask personal data, and enter opens the item.
func TestRequestOpensItsItem(t *testing.T) {
	withRequests(t, func(t *testing.T, o *requestsFixture) {
		o.file("ana", "approve", "checked")
		tt := o.inbox("ben", session.Support, wideSize)
		tt.WaitFor("Planned writes now")
		if tt.Has("john@example.com") {
			t.Errorf("the screen shows personal data:\n%s", tt.Screen())
		}
		tt.Reach("Comment · request", "o", "c")
		tt.Advance(time.Second)
		tt.Enter("which case?")
		tt.WaitFor("comment     which case?")
		tt.Reach("1 Overview", "enter")
		tt.Reach("Open 1", "esc")
	})
}

// Quitting waits for a decision that is being written.
func TestQuittingWaitsForDecision(t *testing.T) {
	withRequests(t, func(t *testing.T, o *requestsFixture) {
		q := o.file("ana", "approve", "checked")
		tt := o.inbox("ben", session.Admin, wideSize)
		tt.WaitFor("Planned writes now")
		tt.Press("o", "r")
		tt.Advance(time.Second)
		tt.Type("no")
		o.delay.Store(int64(5 * time.Second))
		tt.Reach("rejecting request", "enter")
		tt.Reach("quitting after this", "ctrl+c", "ctrl+c")
		tt.Advance(time.Minute)
		if _, ended := tt.Exited(); !ended {
			t.Errorf("the program did not quit:\n%s", tt.Screen())
		}
		o.delay.Store(0)
		if o.state(q.ID) != requests.Rejected {
			t.Errorf("request state = %s, want rejected", o.state(q.ID))
		}
	})
}

// Home shows the number of requests to review and opens them.
func TestHomeShowsRequestsToReview(t *testing.T) {
	atSizes(t, func(t *testing.T, size tuitest.Size) {
		synctest.Test(t, func(t *testing.T) {
			o := newRequestsFixture(t)
			q := o.file("ana", "approve", "checked")
			o.now = o.now.Add(2 * time.Hour)
			o.session = o.user("ben", session.Admin)
			tt := tuitest.New(t, New(Options{Opener: singleOpener{&openerFixture{profile: o.p, local: true}, o.session}}), size)
			tt.WaitFor("counted just now")
			if !tt.Has("Change requests to review     1  oldest 2 h") {
				t.Errorf("home does not count the request:\n%s", tt.Screen())
			}
			tt.Press("up")
			goldenRequests(t, tt, "home")
			tt.Reach("2 Change requests 1 open", "enter") // the queue
			tt.Reach("Open 1", "2")
			tt.WaitFor(q.ID)
			if !tt.Has("2 Change requests 1 open") {
				t.Errorf("the open tab does not count the request:\n%s", tt.Screen())
			}
		})
	})
}

// A decision changes the number on home at once.
func TestHomeCountsAgainAfterDecision(t *testing.T) {
	withRequests(t, func(t *testing.T, o *requestsFixture) {
		o.file("ana", "approve", "checked")
		o.session = o.user("ben", session.Admin)
		tt := tuitest.New(t, New(Options{Opener: singleOpener{&openerFixture{profile: o.p, local: true}, o.session}}), wideSize)
		tt.WaitFor("Change requests to review")
		tt.Press("up")
		tt.Reach("2 Change requests 1 open", "enter")
		tt.Reach("Open 1", "2")
		tt.Reach("r  Reject", "o")
		tt.Press("r")
		tt.Enter("no consent")
		tt.WaitFor("rejected the request")
		tt.Press("esc")
		tt.WaitFor("Change requests to review     0")
	})
}

// If the requests table is missing, home still shows the other numbers.
func TestHomeCountsWithoutRequestsTable(t *testing.T) {
	withRequests(t, func(t *testing.T, o *requestsFixture) {
		o.table = "elsewhere"
		o.session = o.user("ben", session.Admin)
		tt := tuitest.New(t, New(Options{Opener: singleOpener{&openerFixture{profile: o.p, local: true}, o.session}}), tuitest.Size{W: 160, H: 50})
		tt.WaitFor("counted just now")
		tt.WaitFor("not read: requests table elsewhere")
		if tt.Has("Counts are incomplete") {
			t.Errorf("home shows incomplete counts:\n%s", tt.Screen())
		}
	})
}

// The entry of a decision in a session names the item, not the number of the request.
func TestSessionNamesRequestedItem(t *testing.T) {
	withRequests(t, func(t *testing.T, o *requestsFixture) {
		o.file("ana", "reject", "wrong case")
		tt := o.inbox("ben", session.Admin, wideSize)
		tt.WaitFor("Planned writes now")
		if tt.Has("stays open") {
			t.Errorf("the review of a request says that it stays open:\n%s", tt.Screen())
		}
		tt.Reach("Reject · request", "o", "r")
		tt.Enter("not agreed")
		tt.WaitFor("rejected by ben: not agreed")
		tt.Reach("╭ Sessions", "a", "2")
		tt.Reach("Entries of ben", "enter")
		tt.WaitFor("reject a change request  committed  open → rejected  ver_8f2c91ab-")
	})
}
