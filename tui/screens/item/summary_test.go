package item

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// sampleScreen returns the item screen of an entity's first sample item in a state, with changed values.
func sampleScreen(t *testing.T, schema, entity, state string, change map[string]types.AttributeValue) *itemScreen {
	t.Helper()
	env, from := screentest.Seeded(t, schemas.Open(t, schema))
	var s *itemScreen
	screentest.EveryItem(t, env, from, func(table *models.Table, it models.Item) {
		r, ok := env.Session.Recognize(table, it)
		if !ok || s != nil || r.Entity.Name != entity {
			return
		}
		if now, _ := it.Text(r.Entity.Lifecycles[0].Attribute); now == state {
			s = New(env, screen.Item{Table: table, Item: screentest.With(it, change)}).(*itemScreen)
			s.plain, s.state = true, readDone
			s.refreshTabs()
		}
	})
	if s == nil {
		t.Fatalf("no %s is %s", entity, state)
	}
	t.Cleanup(s.Close)
	return s
}

func TestEverySchemaHasSummary(t *testing.T) {
	fiveHours := strconv.FormatInt(screentest.ItemNow.Add(-5*time.Hour).Unix(), 10)
	ended := map[string]types.AttributeValue{"auctionEndTime": screentest.ItemNumber(fiveHours)}
	for _, c := range []struct {
		schema, entity, state      string
		change                     map[string]types.AttributeValue
		message, where, next, hint string
	}{
		{"authbridge", "Verification", "in_review", nil, "In review", `In queue "Waiting for review"`, "Approve, Reject", "Press o to act"},
		{"authbridge", "Verification", "approved", nil, "Approved since 7 Nov 04:49 (UTC), 14 d", "", "Approved is a final state", ""},
		{"ebay-sniper", "Bid", "PENDING", ended, "Pending", `In queue "Bids that were never placed": the auction ended 5 h ago`, "Cancel a bid", "Press o to act"},
		{"ebay-sniper", "User", "true", nil, "Active since", "", "Deactivate a user (staff)", "Press o to act"},
		{"tazco", "CardRequest", "pending", nil, "Pending since", `In queue "Card requests waiting for a decision"`, "Approve the card request", "Press o to act"},
		{"tazco", "OutboxEvent", "sent", nil, "Sent", "", "Sent is a final state", ""},
		{"form-bridge", "Registration", "pending", nil, "Pending", `In queue "Pending registrations"`, "", "Press o to act"},
		{"zentriqvision", "Organization", "ACTIVE", nil, "Active", "", "", ""},
	} {
		s := sampleScreen(t, c.schema, c.entity, c.state, c.change)
		sum := s.summary
		if !strings.HasPrefix(sum.StateText(), c.message) || sum.QueueText() != c.where || !strings.Contains(sum.Steps(80), c.next) || c.hint != "" && sum.ActionHint != c.hint {
			t.Errorf("%s %s: %q, %q, %q, %q", c.entity, c.state, sum.StateText(), sum.QueueText(), sum.Steps(80), sum.ActionHint)
		}
	}
}

// The queue sheet gives a reason even if the queue has no time condition that the item meets.
func TestQueuesHaveReasons(t *testing.T) {
	for _, c := range []struct{ schema, entity, state, want string }{
		{"authbridge", "Verification", "in_review", "State is In review."},
		{"tazco", "CardRequest", "pending", "State is Pending."},
	} {
		data := sampleScreen(t, c.schema, c.entity, c.state, nil).newSummaryData()
		for _, m := range data.queues {
			if got := data.metReasons(m); len(m.Unmet) == 0 && !slices.Contains(got, c.want) {
				t.Errorf("%s: got reasons %q, want %q", m.Queue.Title, got, c.want)
			}
		}
	}
}

// The summary does not suggest another role.
func TestSummaryListsRolePermissions(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	it := screentest.Verification(t, p)
	for role, want := range map[session.Role]string{
		session.Support: "Only an admin can act · y s copy a summary", session.Developer: "Only an admin can act · y s copy a summary",
		session.Admin: "this session is read-only",
	} {
		s := New(screentest.NewItemEnv(t, p, &screentest.Memory{}, role), screen.Item{Table: p.Entity("Verification").Table, Item: it}).(*itemScreen)
		if s.summary.ActionHint != want {
			t.Errorf("%s: ActionHint = %q, want %q", role, s.summary.ActionHint, want)
		}
	}
}

func TestTicketContainsStateEventsAndLink(t *testing.T) {
	now := time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC).In(time.FixedZone("", 2*3600))
	at := func(day, hour, minute int) time.Time { return time.Date(2026, 11, day, hour, minute, 0, 0, time.UTC) }
	s := Summary{
		Name: "Verification", ID: "ver_70ff", Now: now, Expires: time.Date(2026, 12, 23, 8, 0, 0, 0, time.UTC),
		States: []CurrentState{{Label: "Waiting for review", Kind: models.StateOpen, Since: at(24, 8, 59)}},
		Queues: []CurrentQueue{{"Waiting for review", ""}}, Next: []present.Step{{Title: "Claim for review", By: "staff"}},
		Events: []Event{
			{at(24, 8, 59), "", "Queued for review", "the system", ""}, {at(24, 8, 58), "", "Submitted", "client_kgalagadi", "asked by phone"},
		},
	}
	want := `Verification ver_70ff (authbridge, production)
Waiting for review since 24 Nov 10:59 (UTC+2), 3 d. Expires 23 Dec, in 25 d.
In queue "Waiting for review".
Last: Queued for review by the system, 24 Nov 10:59; Submitted by client_kgalagadi, 24 Nov 10:58 (asked by phone).
Next: Claim for review (staff).
ddbdesk open 'authbridge/Verification?verificationId=ver_70ff'
`
	if got := s.Ticket("authbridge, production", "ddbdesk open 'authbridge/Verification?verificationId=ver_70ff'"); got != want {
		t.Errorf("got ticket text\n%s", got)
	}
}

// The summary takes the start of the state and the last event from the newest history entry.
func TestSummaryFollowsHistory(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	it, trail := caseInState(t, p, toReview...)
	env := screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Support)
	s := New(env, screen.Item{Table: p.Entity("Verification").Table, Item: it}).(*itemScreen)
	for _, entry := range trail {
		e, ok := timeline.EntryAbout(p.Trails[0], s.facts.entity, it, entry)
		if !ok {
			t.Fatal("the entry is about another item")
		}
		s.pastEntries = append(s.pastEntries, e.Shown(s.masker))
	}
	s.refreshTabs()
	if got := s.summary.StateText(); got != "In review since 21 Nov 09:04 (UTC), 1 h" {
		t.Errorf("StateText() = %q", got)
	}
	if got := s.summary.Events[0].Sentence(s.summary.Now); got != "Moved by ana, 21 Nov 09:04" {
		t.Errorf("got last event %q", got)
	}
}

// The summary shows support how many undeclared attributes exist, and which role can see them.
func TestUndeclaredAttributesAreCounted(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	it := screentest.With(screentest.Verification(t, p), map[string]types.AttributeValue{"apiToken": screentest.ItemText("canary")})
	for role, want := range map[session.Role]string{
		session.Support:   "1 undeclared attribute, masked; visible to roles developer and admin",
		session.Developer: present.SectionUndocumented,
	} {
		s := New(screentest.NewItemEnv(t, p, &screentest.Memory{}, role), screen.Item{Table: p.Entity("Verification").Table, Item: it}).(*itemScreen)
		if rows := s.overview.makeRows(true); !slices.ContainsFunc(rows, func(r attributeRow) bool { return r.path == "apiToken" && r.section == want }) {
			t.Errorf("%s: got rows %+v", role, rows)
		}
		s.Close()
	}
}

// Support sees the lists of an item by name, without the codes of operations and stored values.
func TestSupportSeesListsByName(t *testing.T) {
	s := sampleScreen(t, "authbridge", "Verification", "in_review", nil)
	for _, item := range s.related.items() {
		if item.Lead != "" || strings.Contains(item.Badge, "T") {
			t.Errorf("%s has the codes %q and %q", item.Title, item.Lead, item.Badge)
		}
	}
	p := schemas.Open(t, "authbridge")
	env := screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Support)
	s = New(env, screen.Item{Table: p.Entity("Verification").Table, Item: screentest.Verification(t, p)}).(*itemScreen)
	s.related.setSize(78, 16)
	if view := ansi.Strip(s.related.view()); !strings.Contains(strings.Join(strings.Fields(view), " "), "by document ID, not by upload time") {
		t.Errorf("the request is cut:\n%s", view)
	}
}

// A summary contains the documented time of expiry, and when the item is deleted at another time.
func TestSummaryHasExpiryAndDeletion(t *testing.T) {
	s := Summary{Now: screentest.ItemNow, Expires: screentest.ItemNow.Add(30 * time.Minute), Deletion: screentest.ItemNow.AddDate(1, 0, 0)}
	for deletion, want := range map[time.Time]string{
		s.Deletion: "expires 21 Nov 10:34 (UTC), in 30 min; its deletion is set to 21 Nov 2027",
		s.Now:      "expires 21 Nov 10:34 (UTC), in 30 min; DynamoDB deletes it within days",
		{}:         "expires 21 Nov 10:34 (UTC), in 30 min",
	} {
		if s.Deletion = deletion; s.Expiry() != want {
			t.Errorf("Expiry() = %q, want %q", s.Expiry(), want)
		}
	}
	kept := sampleScreen(t, "authbridge", "Verification", "in_review", map[string]types.AttributeValue{"ttl": nil})
	if at := kept.facts.expires; !at.IsZero() {
		t.Errorf("an item that DynamoDB keeps expires at %s", at)
	}
}

// The first lines contain the reason of the current state, and the whole last event even on a small screen.
func TestHeaderHasReasonAndLastEvent(t *testing.T) {
	for _, c := range []struct{ state, action, who, reason, want, event string }{
		{"rejected", "reject", "user_naledi", "the photo is blurred", "A reviewer rejected the case; reason: the photo is blurred", "Rejected by user_naledi, 21 Nov 09:04"},
		{"rejected", "reject", "user_naledi", "the selfie shows another person than the document", "Reason: the selfie shows another person than the document", "Rejected by user_naledi, 21 Nov 09:04"},
		{"rejected", "reject", "user_naledi", "", "A reviewer rejected the case; no reason recorded", "Rejected by user_naledi, 21 Nov 09:04"},
		{"resubmission_required", "request-resubmission", "user_naledi", "", "The customer must upload documents again; no reason recorded", "Requested new documents by user_naledi, 21 Nov 09:04"},
		{"approved", "approve", "user_naledi", "", "The identity is confirmed ", "Approved by user_naledi, 21 Nov 09:04"},
		{"in_review", "claim-review", "user_lorato", "", `In queue "Waiting for review"`, "Claimed for review by user_lorato, 21 Nov 09:04"},
	} {
		s := sampleScreen(t, "authbridge", "Verification", c.state, map[string]types.AttributeValue{"expiresAt": screentest.ItemText("2027-01-20T10:00:00Z"), "ttl": screentest.ItemNumber("1800439200")})
		s.pastEntries = []timeline.Entry{{
			When: time.Date(2026, 11, 21, 9, 4, 0, 0, time.UTC), Who: c.who, What: c.action, Reason: c.reason,
			Trail: s.env.Session.Profile().Trails[0],
			After: &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"status": screentest.ItemText(c.state)}},
		}}
		s.refreshTabs()
		if c.state == "in_review" {
			s.summary.ActionHint = "Only an admin can act · y s copy a summary"
		}
		s.SetSize(80, 24)
		head := ansi.Strip(strings.Join(s.header(), "\n"))
		if !strings.Contains(head, c.want) || !strings.Contains(head, c.event) || c.state == "approved" && strings.Contains(head, "reason") {
			t.Errorf("%s: want %q and %q in\n%s", c.state, c.want, c.event, head)
		}
		if recent := ansi.Strip(s.viewHistory(54, 30)); c.reason != "" && !strings.Contains(recent, "“"+c.reason+"”") {
			t.Errorf("the recent events lack the reason %q:\n%s", c.reason, recent)
		}
	}
}

// The history names the attributes of an edit, but not its derived attributes and its time.
func TestEditNamesItsAttributes(t *testing.T) {
	e := schemas.Shared(t, "authbridge").Entity("Verification")
	document := func(documentType, updated string) types.AttributeValue {
		return &types.AttributeValueMemberM{Value: models.Item{
			"documentType": models.StringValue(documentType), "updatedAt": models.StringValue(updated), "GSI1SK": models.StringValue(updated),
		}}
	}
	entry := timeline.Entry{What: "table.edit.AuthBridgeTable", Before: document("omang", "1"), After: document("passport", "2")}
	label := func(path string) string { return "the " + path }
	if got := eventOf(entry, e, nil, label).Text; got != "Edited the documentType" {
		t.Errorf("the event is %q", got)
	}
}
