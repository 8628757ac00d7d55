package tui

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	run "github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
)

// inBidsFixture runs a test with two active users: u1 has two pending bids and one placed bid, u2 has one pending bid.
func inBidsFixture(t *testing.T, run func(t *testing.T, w *queueFixture, size tuitest.Size)) {
	atSizes(t, func(t *testing.T, size tuitest.Size) {
		w := newEmptyQueueFixture(t, "ebay-sniper")
		for _, user := range []string{"u1", "u2"} {
			w.putItem("User", models.Item{
				"userId": models.StringValue(user), "email": models.StringValue(user + "@example.com"),
				"isActive":    &types.AttributeValueMemberBOOL{Value: true},
				"preferences": &types.AttributeValueMemberM{}, "createdAt": epoch(0), "updatedAt": epoch(0),
			})
		}
		w.putBid("u1", 1, "PENDING")
		w.putBid("u1", 2, "PLACED")
		w.putBid("u1", 3, "PENDING")
		w.putBid("u2", 4, "PENDING")
		synctest.Test(t, func(t *testing.T) {
			w.t = t
			run(t, w, size)
		})
	})
}

// epoch returns the time n hours before noon in seconds.
func epoch(n int) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(noon.Unix()-int64(n)*3600, 10)}
}

func bidID(n int) string { return fmt.Sprintf("%08d-77aa-4c02-9d11-0a1b2c3d4e5f", n) }

func (f *queueFixture) putItem(entity string, attributes models.Item) {
	f.t.Helper()
	e := f.p.Entity(entity)
	it, err := e.Build(attributes, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	f.write(change.Batch{Writes: []types.TransactWriteItem{{Put: &types.Put{TableName: aws.String(e.Table.Name), Item: it}}}})
}

func (f *queueFixture) putBid(user string, n int, status string) {
	f.t.Helper()
	f.putItem("Bid", models.Item{
		"userId": models.StringValue(user), "bidId": models.StringValue(bidID(n)), "status": models.StringValue(status),
		"ebayItemId": models.StringValue("256118207341"), "itemTitle": models.StringValue(fmt.Sprintf("Camera %d", n)),
		"maxBidAmount": &types.AttributeValueMemberN{Value: "1200"}, "currentPrice": &types.AttributeValueMemberN{Value: "900"},
		"auctionEndTime": epoch(-24), "createdAt": epoch(2), "updatedAt": epoch(1),
	})
}

// bids returns the states of the bids, and the history in lines of the form "action bid by reason".
func (f *queueFixture) bids() (states string, lines []string) {
	f.t.Helper()
	for n := 1; n <= 4; n++ {
		user := map[bool]string{true: "u2", false: "u1"}[n == 4]
		it, err := f.session().Reading.Get(f.t.Context(), f.p.Entity("Bid").Table, models.Item{
			"userId": models.StringValue(user), "bidId": models.StringValue(bidID(n)),
		})
		if err != nil {
			f.t.Fatal(err)
		}
		status, _ := it.Text("status")
		states = strings.TrimSpace(states + " " + status)
	}
	for _, user := range []string{"u1", "u2"} {
		reader := f.session().Reading
		history, err := reader.Start(f.p.Pattern("list-user-bid-history"), map[string]string{"userId": user}, run.RunOptions{})
		if err != nil {
			f.t.Fatal(err)
		}
		page, err := history.Next(f.t.Context())
		if err != nil {
			f.t.Fatal(err)
		}
		for _, it := range page.Items {
			text := func(path string) string { s, _ := it.Text(path); return s }
			lines = append([]string{text("action") + " " + text("originalBidId")[:8] + " " + text("details.by") + " " + text("details.reason")},
				lines...)
		}
	}
	return states, lines
}

// openUser starts the console and opens a user's item.
func openUser(w *queueFixture, size tuitest.Size, id string) *tuitest.Terminal {
	w.t.Helper()
	tt := w.enter(size, "/", "Patterns")
	tt.Type("User by ID")
	tt.Press("enter", "enter")
	tt.Enter(id)
	tt.WaitFor("enter open")
	tt.Reach("Overview", "enter")
	return tt
}

// A deactivated user still has pending bids. The dialog offers a queue in which they are canceled one by one, with a
// history entry each. Other users' bids stay unchanged.
func TestDeactivationOffersPendingBids(t *testing.T) {
	inBidsFixture(t, func(t *testing.T, w *queueFixture, size tuitest.Size) {
		tt := openUser(w, size, "u1")
		tt.Reach("Deactivate a user", "o")
		tt.Reach("Reason", "enter")
		tt.Enter("left the service")
		tt.WaitFor("only if")
		tt.Advance(queueGrace)
		tt.Reach("✓ Done", "G", "tab", "enter")
		tt.WaitFor("Open queue Pending bids to cancel")
		tt.Advance(queueGrace)
		tt.Reach("2 waiting", "tab", "enter")
		if !tt.Has("userId u1") || tt.Has("Camera 2") || tt.Has("Camera 4") {
			t.Errorf("the queue lists other bids:\n%s", tt.Screen())
		}
		tt.Golden("queue")
		tt.Reach("Reason", "o", "M", "o", "c")
		tt.Advance(queueGrace)
		tt.Type("account closed")
		tt.Advance(queueGrace)
		tt.Reach("2 done", "enter", "tab", "enter")
		states, history := w.bids()
		if states != "CANCELLED PLACED CANCELLED PENDING" {
			t.Errorf("statuses of the bids = %s", states)
		}
		want := "CANCEL 00000001 kagiso account closed, CANCEL 00000003 kagiso account closed"
		if got := strings.Join(history, ", "); got != want {
			t.Errorf("got history %s, want %s", got, want)
		}
	})
}

// A queue with a parameter asks for the user ID. From the Related tab of a user, it opens with the ID.
func TestQueueGetsItsParameters(t *testing.T) {
	inBidsFixture(t, func(t *testing.T, w *queueFixture, size tuitest.Size) {
		tt := w.enter(size, "i", "Bids that were never placed")
		reads := w.transport.reads.Load()
		tt.Reach("This queue needs userId", "2")
		tt.Golden("asks")
		if w.transport.reads.Load() != reads {
			t.Error("the queue was read without its parameter")
		}
		tt.Reach("Open queue", "ctrl+r")
		tt.Reach("userId is required", "enter")
		tt.Golden("form")
		tt.Enter("u2")
		tt.WaitFor("1 waiting")
		tt.Golden("queue")
		tt.Press("e")
		tt.Press("backspace")
		tt.Enter("1")
		tt.WaitFor("2 waiting")
		tt.Press("esc")

		tt = openUser(w, size, "u2")
		tt.Reach("Pending bids to cancel", "3")
		tt.Golden("related")
		tt.Press("/")
		tt.Type("Pending bids")
		tt.Reach("1 waiting", "tab", "shift+tab", "end", "enter")
	})
}
