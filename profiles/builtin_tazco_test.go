package profiles_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A tazco is the profile with its sample items.
type tazco struct {
	t     *testing.T
	p     *profiles.Profile
	db    tableSet
	items map[*models.Entity][]models.Item
	actor string
}

func openTazco(t *testing.T) *tazco {
	t.Helper()
	p, err := profiles.Open("tazco", nil)
	if err != nil {
		t.Fatal(err)
	}
	db, items := sampleTables(t, p, 3)
	return &tazco{t: t, p: p, db: db, items: items, actor: "kagiso"}
}

// item returns a copy of the first item of the entity, with other values for
// some attributes, as the database then has it.
func (z *tazco) item(entity string, set map[string]string) models.Item {
	z.t.Helper()
	e := z.p.Entity(entity)
	return z.change(e, z.items[e][0], set)
}

func (z *tazco) change(e *models.Entity, it models.Item, set map[string]string) models.Item {
	z.t.Helper()
	it = it.Clone()
	for path, text := range set {
		if text == "" {
			it.Without(path)
			continue
		}
		v, err := models.ScalarValue(e.Attribute(path).Type, text)
		if err != nil {
			z.t.Fatal(err)
		}
		it.With(path, v)
	}
	it = withKeys(e, it)
	z.db.put(e.Table, it)
	return it
}

// request returns a pending card request of an active user whose approval has
// the status, and the user.
func (z *tazco) request(approval string) (request, user models.Item) {
	z.t.Helper()
	request = z.item("CardRequest", map[string]string{"status": "pending", "expiresAt": "", "decision": "", "resultingCardId": ""})
	owner, _ := request.Text("ecosystemId")
	id, _ := request.Text("requestId")
	e := z.p.Entity("User")
	for _, u := range z.items[e] {
		if text, _ := u.Text("ecosystemId"); text == owner {
			user = z.change(
				e, u,
				map[string]string{"status": "active", "cardSummary.activeCards": "2", "cardSummary.totalLimit": "12500.50"},
			)
		}
	}
	e = z.p.Entity("PendingApproval")
	for _, a := range z.items[e] {
		if text, _ := a.Text("requestId"); text == id {
			z.change(e, a, map[string]string{"approvalStatus": approval})
		}
	}
	return request, user
}

func (z *tazco) given(inputs map[string]string) change.Given {
	return change.Given{Inputs: inputs, Actor: z.actor, Reason: "asked for", Token: "11111111-2222-4333-8444-555555555555", Now: actionTime}
}

// plan plans the action on the item, whose key fills the inputs.
func (z *tazco) plan(action string, it models.Item, inputs map[string]string) (*change.Plan, error) {
	z.t.Helper()
	a := z.p.Action(action)
	if a == nil {
		z.t.Fatalf("there is no action %s", action)
	}
	all := map[string]string{}
	for _, name := range keyPlaceholders(a.Entity) {
		all[name], _ = it.Text(name)
	}
	for name, text := range inputs {
		all[name] = text
	}
	b, err := a.Gather(z.t.Context(), z.given(all), z.db.get)
	if err != nil {
		return nil, err
	}
	return a.Plan(b)
}

// commit does what the plan says.
func (z *tazco) commit(p *change.Plan) {
	z.t.Helper()
	if err := z.db.commit(p); err != nil {
		z.t.Fatal(err)
	}
}

// undo plans how the change is taken back a minute later.
func (z *tazco) undo(p *change.Plan) (*change.Plan, error) {
	g := z.given(nil)
	g.Token, g.Now = "22222222-3333-4444-8555-666666666666", actionTime.Add(time.Minute)
	return p.Undo(z.t.Context(), g, z.db.get)
}

// tazcoLines says what a plan writes: of an update the attributes, those that
// derive with a star, without what every change moves on.
func tazcoLines(p *change.Plan) []string {
	var lines []string
	for _, w := range p.Writes {
		line := string(w.Operation) + " " + w.Entity.Name
		for _, c := range w.Changes {
			if w.Operation != change.Update || c.Path == w.Entity.Version || c.Path == w.Entity.Updated {
				continue
			}
			line += " " + c.Path
			if c.Derived {
				line += "*"
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// written returns what the plan makes of the entity's item.
func written(p *change.Plan, entity string) models.Item {
	for _, w := range p.Writes {
		if w.Entity.Name == entity {
			return w.After
		}
	}
	return nil
}

var tazcoName = regexp.MustCompile(`\{[A-Za-z]+\}`)

// checkWritten compares values, by entity and path. {name} is what the subject
// was.
func checkWritten(t *testing.T, p *change.Plan, want map[string]string) {
	t.Helper()
	for place, text := range want {
		entity, path, _ := strings.Cut(place, ".")
		text = tazcoName.ReplaceAllStringFunc(text, func(name string) string {
			v, _ := p.Writes[0].Before.Text(name[1 : len(name)-1])
			return v
		})
		if got, _ := written(p, entity).Text(path); got != text {
			t.Errorf("%s is %q, want %q", place, got, text)
		}
	}
	for _, w := range p.Writes {
		for _, k := range w.Entity.KeyStates(w.After) {
			if k.Problem != "" {
				t.Errorf("%s of %s: %s", k.Name, w.Entity.Name, k.Problem)
			}
		}
	}
}

// checkUndone commits the plan and its undo, and compares the items with what
// they were.
func (z *tazco) checkUndone(p *change.Plan) {
	z.t.Helper()
	before := z.db.clone()
	z.commit(p)
	back, err := z.undo(p)
	if err != nil {
		z.t.Fatalf("undo: %v", err)
	}
	z.commit(back)
	for _, w := range p.Writes {
		id := itemKey(w.Table, w.Key)
		got, want := z.db[id].Clone(), before[id].Clone()
		if w.Entry {
			continue
		}
		for _, name := range []string{w.Entity.Version, w.Entity.Updated} {
			delete(got, name)
			delete(want, name)
		}
		if !models.EqualItems(got, want) {
			z.t.Errorf("%s was not brought back:\n%s", w.Entity.Name, cmp.Diff(string(want.AppendJSON(nil)), string(got.AppendJSON(nil))))
		}
	}
}

const tazcoEvent = "Put OutboxSequence, Put OutboxEvent"

// What every case is planned at, and a day later.
const tazcoNow, tazcoLater = "2026-03-01T12:00:00.000Z", "2026-03-02T12:00:00.000Z"

// A tazcoCase is an action on an item with some values, what it writes, and
// some of what then is there.
type tazcoCase struct {
	action, entity string
	of, inputs     map[string]string
	writes         string
	want           map[string]string
}

var tazcoCases = []tazcoCase{
	{
		"suspend-card", "Card",
		map[string]string{"status": "active"},
		nil,
		"Update Card status statusCardId* statusReason, " + tazcoEvent + ", Put AuditLog",
		map[string]string{
			"Card.status": "suspended", "Card.statusReason": "asked for", "Card.statusCardId": "suspended#{cardId}",
			"OutboxEvent.entityId":  "{cardId}",
			"OutboxEvent.eventType": "CardStatusChanged", "OutboxEvent.payload.from": "active", "OutboxEvent.payload.to": "suspended",
			"AuditLog.targetKey": "card#{cardId}", "AuditLog.action": "suspend-card", "AuditLog.reason": "asked for",
			"AuditLog.timestamp":            tazcoNow,
			"AuditLog.previousValue.status": "active", "AuditLog.newValue.status": "suspended",
			"AuditLog.targetEcosystemId": "{ecosystemId}",
			"AuditLog.adminEcosystemId":  "kagiso", "AuditLog.adminEmail": "not known",
		},
	},
	{
		"reactivate-card", "Card",
		map[string]string{"status": "suspended"},
		nil,
		"Update Card status statusCardId* statusReason, " + tazcoEvent + ", Put AuditLog",
		map[string]string{
			"Card.status": "active", "Card.statusCardId": "active#{cardId}", "Card.activatedAt": "{activatedAt}",
			"OutboxEvent.payload.to": "active",
		},
	},
	{
		"change-credit-limit", "Card",
		map[string]string{"status": "active", "limit": "5000", "balance": "1200.75"},
		map[string]string{"limit": "6500"},
		"Update Card availableCredit limit, Update User cardSummary.totalLimit, Put AuditLog",
		map[string]string{
			"Card.limit": "6500", "Card.availableCredit": "5299.25", "AuditLog.previousValue.limit": "5000",
			"AuditLog.newValue.limit": "6500",
		},
	},
	{
		"update-card-balance", "Card",
		map[string]string{"limit": "5000", "balance": "10", "version": "6"},
		map[string]string{"balance": "12.50", "seenVersion": "6"},
		"Update Card availableCredit balance, Put AuditLog",
		map[string]string{"Card.balance": "12.5", "Card.availableCredit": "4987.5", "Card.version": "7", "Card.updatedAt": tazcoNow},
	},
	{
		"adjust-score", "User",
		map[string]string{"currentScore": "700", "tier": "high"},
		map[string]string{"score": "655", "tier": "medium"},
		"Update User currentScore tier, Put Score, Put AuditLog",
		map[string]string{
			"User.currentScore": "655", "User.tier": "medium", "Score.value": "655", "Score.previousValue": "700",
			"Score.delta": "-45", "Score.source": "admin",
			"Score.sourceId": "kagiso", "Score.reason": "asked for", "Score.ecosystemId": "{ecosystemId}",
			"AuditLog.targetKey": "user#{ecosystemId}",
		},
	},
	{
		"adjust-score", "User", map[string]string{"currentScore": "700"}, map[string]string{"score": "712"}, // no tier: it stays
		"Update User currentScore, Put Score, Put AuditLog", map[string]string{"User.tier": "{tier}", "Score.delta": "12"},
	},
	{
		"disable-user", "User",
		map[string]string{"status": "active"},
		nil,
		"Update User status, Put AuditLog",
		map[string]string{"User.status": "disabled", "User.updatedAt": tazcoNow},
	},
	{
		"enable-user", "User",
		map[string]string{"status": "disabled"},
		nil,
		"Update User status, Put AuditLog",
		map[string]string{"User.status": "active"},
	},
	{
		"change-user-role", "User",
		map[string]string{"role": "user"},
		map[string]string{"role": "admin"},
		"Update User role, Put AuditLog",
		map[string]string{"User.role": "admin", "AuditLog.previousValue.role": "user"},
	},
	{
		"expire-approval", "PendingApproval",
		map[string]string{"approvalStatus": "pending", "expiresAt": tazcoNow},
		nil, // exactly now is over (T02)
		"Update PendingApproval approvalStatus, Put AuditLog",
		map[string]string{
			"PendingApproval.approvalStatus": "expired", "AuditLog.targetKey": "approval#{requestId}",
			"AuditLog.targetEcosystemId": "{ecosystemId}",
		},
	},
	{
		"retry-dead-letter", "OutboxEvent",
		map[string]string{"status": "dead_letter", "retryCount": "5", "lastError": "timeout after 10 s", "nextRetryAt": tazcoLater},
		nil,
		"Update OutboxEvent lastError nextRetryAt nextRetryAtEventId* retryCount status, Put AuditLog",
		map[string]string{
			"OutboxEvent.status": "pending", "OutboxEvent.retryCount": "0", "OutboxEvent.lastError": "",
			"OutboxEvent.nextRetryAt":        tazcoNow,
			"OutboxEvent.nextRetryAtEventId": tazcoNow + "#{eventId}", "OutboxEvent.sequenceNumber": "{sequenceNumber}",
			"AuditLog.targetKey": "outboxEvent#{eventId}",
		},
	},
	{
		"retry-failed-now", "OutboxEvent",
		map[string]string{"status": "failed", "nextRetryAt": tazcoLater},
		nil,
		"Update OutboxEvent nextRetryAt nextRetryAtEventId*, Put AuditLog",
		map[string]string{"OutboxEvent.status": "failed", "OutboxEvent.nextRetryAtEventId": tazcoNow + "#{eventId}"},
	},
	{
		"resend-notification", "WhatsAppNotification",
		map[string]string{"deliveryStatus": "failed", "nextRetryAt": ""},
		nil,
		"Update WhatsAppNotification nextRetryAt nextRetryAtNotificationId*, Put AuditLog",
		map[string]string{
			"WhatsAppNotification.nextRetryAtNotificationId": tazcoNow + "#{notificationId}",
			"AuditLog.targetKey":                             "notification#{notificationId}",
		},
	},
	{
		"allocate-outbox-sequence", "OutboxSequence",
		map[string]string{"current": "41"},
		nil,
		"Update OutboxSequence current",
		map[string]string{"OutboxSequence.current": "42", "OutboxSequence.updatedAt": tazcoNow},
	},
}

func TestTazcoChanges(t *testing.T) {
	for _, tt := range tazcoCases {
		t.Run(tt.action, func(t *testing.T) {
			z := openTazco(t)
			p, err := z.plan(tt.action, z.item(tt.entity, tt.of), tt.inputs)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(tazcoLines(p), ", "); got != tt.writes {
				t.Errorf("writes\n%s, want\n%s", got, tt.writes)
			}
			checkWritten(t, p, tt.want)
			z.checkUndone(p)
		})
	}
}

func TestTazcoApprovalOpensTheCard(t *testing.T) {
	z := openTazco(t)
	request, user := z.request("pending")
	z.actor, _ = z.items[z.p.Entity("User")][5].Text("ecosystemId")
	email, _ := z.items[z.p.Entity("User")][5].Text("email")
	score, _ := user.Text("currentScore")
	p, err := z.plan("approve-card-request", request, map[string]string{"limit": "7500.25", "cardId": "card_new"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"Update CardRequest decision resultingCardId status", "Put Card",
		"Update User cardSummary.activeCards cardSummary.totalLimit", "Update PendingApproval approvalStatus",
		"Put OutboxSequence", "Put OutboxEvent", "Put AuditLog",
	}
	if diff := cmp.Diff(want, tazcoLines(p)); diff != "" {
		t.Error(diff)
	}
	checkWritten(t, p, map[string]string{
		"CardRequest.status": "approved", "CardRequest.resultingCardId": "card_new",
		"CardRequest.decision.decidedBy": z.actor, "CardRequest.decision.reason": "asked for",
		"Card.cardId": "card_new", "Card.ecosystemId": "{ecosystemId}", "Card.productId": "{productId}",
		"Card.limit": "7500.25", "Card.availableCredit": "7500.25",
		"Card.balance": "0", "Card.version": "1", "Card.status": "active", "Card.statusCardId": "active#card_new",
		"Card.approvedBy":        "admin",
		"Card.approvedByAdminId": z.actor, "Card.scoreAtApproval": score, "Card.activatedAt": "2026-03-01T12:00:00.000Z",
		"Card.nextDueDate":             "2026-03-31T12:00:00Z",
		"User.cardSummary.activeCards": "3", "User.cardSummary.totalLimit": "20000.75", "PendingApproval.approvalStatus": "approved",
		"OutboxEvent.eventType": "CardRequestApproved", "OutboxEvent.sequenceNumber": "1", "OutboxEvent.status": "pending",
		"OutboxEvent.payload.cardId": "card_new",
		"AuditLog.targetKey":         "cardRequest#{requestId}", "AuditLog.adminEmail": email, "AuditLog.previousValue.status": "pending",
	})
	z.checkUndone(p)
}

// An answer by WhatsApp that agrees, or came too late, does not stop a decision;
// one that says otherwise does.
func TestTazcoDecisionsAndAnswers(t *testing.T) {
	for _, tt := range []struct {
		action, answer string
		stops          bool
	}{
		{"approve-card-request", "pending", false},
		{"approve-card-request", "approved", false},
		{"approve-card-request", "expired", false},
		{"approve-card-request", "rejected", true},
		{"reject-card-request", "pending", false},
		{"reject-card-request", "rejected", false},
		{"reject-card-request", "expired", false},
		{"reject-card-request", "approved", true},
	} {
		z := openTazco(t)
		request, _ := z.request(tt.answer)
		inputs := map[string]string{}
		if tt.action == "approve-card-request" {
			inputs["limit"] = "5000"
		}
		p, err := z.plan(tt.action, request, inputs)
		var conflict *change.Conflict
		if stopped := errors.As(err, &conflict); stopped != tt.stops || err != nil && !stopped {
			t.Errorf("%s with an approval that is %s: %v", tt.action, tt.answer, err)
		}
		if err != nil {
			continue
		}
		if answered := written(p, "PendingApproval") != nil; answered != (tt.answer == "pending") {
			t.Errorf("%s with an approval that is %s writes %v", tt.action, tt.answer, tazcoLines(p))
		}
	}
}

func TestTazcoChangesThatAreStopped(t *testing.T) {
	limit := map[string]string{"limit": "5000"}
	tests := map[string]func(z *tazco) (*change.Plan, error){
		"the request has expired": func(z *tazco) (*change.Plan, error) {
			request, _ := z.request("pending")
			request = z.change(z.p.Entity("CardRequest"), request, map[string]string{"expiresAt": "2026-03-01T12:00:00.000Z"})
			return z.plan("approve-card-request", request, limit)
		},
		"the user is disabled": func(z *tazco) (*change.Plan, error) {
			request, user := z.request("pending")
			z.change(z.p.Entity("User"), user, map[string]string{"status": "disabled"})
			return z.plan("approve-card-request", request, limit)
		},
		"the approval has not expired yet": func(z *tazco) (*change.Plan, error) {
			return z.plan(
				"expire-approval",
				z.item("PendingApproval", map[string]string{"approvalStatus": "pending", "expiresAt": "2026-03-01T12:00:00.001Z"}),
				nil,
			)
		},
		"the card was changed since that version": func(z *tazco) (*change.Plan, error) {
			return z.plan(
				"update-card-balance", z.item("Card", map[string]string{"version": "6"}),
				map[string]string{"balance": "1", "seenVersion": "5"},
			)
		},
		"only failed events are retried": func(z *tazco) (*change.Plan, error) {
			return z.plan("retry-failed-now", z.item("OutboxEvent", map[string]string{"status": "sent"}), nil)
		},
		"status is cancelled: reactivate-card needs status suspended": func(z *tazco) (*change.Plan, error) {
			return z.plan("reactivate-card", z.item("Card", map[string]string{"status": "cancelled"}), nil)
		},
	}
	for why, plan := range tests {
		var conflict *change.Conflict
		if _, err := plan(openTazco(t)); !errors.As(err, &conflict) || conflict.What != why {
			t.Errorf("got %v, want the conflict %q", err, why)
		}
	}
}

func TestTazcoCancelledCardLeavesTheSummary(t *testing.T) {
	z := openTazco(t)
	card := z.item("Card", map[string]string{"status": "suspended", "limit": "5000", "cancelledAt": ""})
	id, _ := card.Text("ecosystemId")
	users := z.p.Entity("User")
	i := slices.IndexFunc(z.items[users], func(u models.Item) bool { text, _ := u.Text("ecosystemId"); return text == id })
	z.change(users, z.items[users][i], map[string]string{"cardSummary.activeCards": "2", "cardSummary.totalLimit": "12500"})
	p, err := z.plan("cancel-card", card, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkWritten(t, p, map[string]string{
		"Card.status": "cancelled", "Card.cancelledAt": "2026-03-01T12:00:00.000Z", "Card.statusCardId": "cancelled#{cardId}",
		"User.cardSummary.activeCards": "1", "User.cardSummary.totalLimit": "7500", "OutboxEvent.payload.from": "suspended",
		"OutboxEvent.payload.to": "cancelled",
	})
	z.checkUndone(p)
}

// Events of one entity are numbered without a gap, and one that was sent cannot
// be taken back.
func TestTazcoEventsAreNumbered(t *testing.T) {
	z := openTazco(t)
	card := z.item("Card", map[string]string{"status": "active"})
	user, _ := card.Text("ecosystemId")
	id, _ := card.Text("cardId")
	sum := sha256.Sum256([]byte(user + ":card:" + id))
	first, err := z.plan("suspend-card", card, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkWritten(t, first, map[string]string{
		"OutboxSequence.sequenceId": hex.EncodeToString(sum[:]), "OutboxSequence.current": "1",
		"OutboxEvent.sequenceNumber": "1",
	})
	z.commit(first)
	a := z.p.Action("reactivate-card")
	g := z.given(map[string]string{"ecosystemId": user, "cardId": id})
	g.Token = "33333333-4444-4555-8666-777777777777"
	b, err := a.Gather(t.Context(), g, z.db.get)
	if err != nil {
		t.Fatal(err)
	}
	second, err := a.Plan(b)
	if err != nil {
		t.Fatal(err)
	}
	checkWritten(t, second, map[string]string{"OutboxSequence.current": "2", "OutboxEvent.sequenceNumber": "2"})

	// Somebody else takes a number between reading and writing.
	taken := z.db.clone()
	sequence := written(first, "OutboxSequence").Clone()
	sequence["current"], _ = models.ScalarValue(models.TypeN, "2")
	taken.put(z.p.Entity("OutboxSequence").Table, sequence)
	if err := taken.commit(second); err == nil {
		t.Error("a number was given twice")
	}

	z.commit(second)
	z.change(z.p.Entity("OutboxEvent"), written(second, "OutboxEvent"), map[string]string{"status": "sent"})
	var conflict *change.Conflict
	if _, err := z.undo(second); !errors.As(err, &conflict) {
		t.Errorf("an event that was sent was taken back: %v", err)
	}
}

func TestTazcoOffers(t *testing.T) {
	z := openTazco(t)
	off := []string{"change-credit-limit", "update-card-balance", "change-user-role", "allocate-outbox-sequence", "resend-notification"}
	for _, a := range z.p.Actions {
		if (a.Off != "") != slices.Contains(off, a.ID) {
			t.Errorf("%s is off: %q", a.ID, a.Off)
		}
		if a.Reason != change.ReasonRequired {
			t.Errorf("%s needs no reason, but audit entries do", a.ID)
		}
		if len(a.Audits) == 0 && a.ID != "allocate-outbox-sequence" {
			t.Errorf("%s leaves no audit entry", a.ID)
		}
		if a.Documented != (z.p.Pattern(a.ID) != nil) {
			t.Errorf("%s: the document has the two writes of patterns, no other", a.ID)
		}
	}
	queues := map[string][]string{
		"pending-card-requests": {"approve-card-request", "reject-card-request"}, "expired-approvals": {"expire-approval"},
		"dead-letters": {"retry-dead-letter"}, "failed-events": {"retry-failed-now"},
	}
	for _, q := range z.p.Queues {
		var ids []string
		for _, a := range q.Actions {
			ids = append(ids, a.ID)
		}
		if diff := cmp.Diff(queues[q.ID], ids); diff != "" {
			t.Errorf("%s: %s", q.ID, diff)
		}
		delete(queues, q.ID)
	}
	if len(queues) > 0 {
		t.Errorf("no queues: %v", queues)
	}
}
