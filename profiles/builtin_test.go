package profiles_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A builtinSchema is a built-in schema with a database of its sample items.
type builtinSchema struct {
	*testing.T
	p     *profiles.Profile
	db    tableSet
	items map[*models.Entity][]models.Item
	actor string
}

func openBuiltin(t *testing.T, schema string) *builtinSchema {
	t.Helper()
	p := schemas.Open(t, schema)
	db, items := sampleTables(t, p, 3)
	return &builtinSchema{t, p, db, items, "kagiso"}
}

// values maps paths to the text of attributes; "" removes an attribute.
type values = map[string]string

// subject returns the entity's first sample item in a state from which the action starts, after changing some values.
func (s *builtinSchema) subject(a *change.Action, changed values) models.Item {
	s.Helper()
	for _, it := range s.items[a.Entity] {
		state, moves := "", a.Lifecycle != nil && changed[a.Lifecycle.Attribute] == ""
		if moves {
			state, _ = it.Text(a.Lifecycle.Attribute)
		}
		if !moves || slices.Contains(a.From(), state) {
			return s.change(a.Entity, it, changed)
		}
	}
	s.Fatalf("no sample %s allows %s", a.Entity.Name, a.ID)
	return nil
}

func (s *builtinSchema) change(e *models.Entity, it models.Item, changed values) models.Item {
	s.Helper()
	it = it.Clone()
	for path, text := range changed {
		if text == "" {
			it.Remove(path)
			continue
		}
		v, err := models.ScalarValue(e.Attribute(path).Type, text)
		if err != nil {
			s.Fatal(err)
		}
		it.SetNames(strings.Split(path, "."), v)
	}
	it = withKeys(e, it)
	s.db.put(e.Table, it)
	return it
}

// changeItemWith changes the entity's first sample item with the given value.
func (s *builtinSchema) changeItemWith(entity, path, value string, changed values) {
	s.Helper()
	e := s.p.Entity(entity)
	for _, it := range s.items[e] {
		if text, _ := it.Text(path); text == value {
			s.change(e, it, changed)
			return
		}
	}
	s.Fatalf("no %s has %s %s", entity, path, value)
}

// request returns an active user's pending card request whose approval has the given status.
func (s *builtinSchema) request(approval string) models.Item {
	request := s.subject(s.p.Action("approve-card-request"), values{
		"status": "pending", "expiresAt": "", "decision": "", "resultingCardId": "",
	})
	owner, _ := request.Text("ecosystemId")
	id, _ := request.Text("requestId")
	s.changeItemWith("User", "ecosystemId", owner, values{"status": "active", "cardSummary.activeCards": "2", "cardSummary.totalLimit": "12500.50"})
	s.changeItemWith("PendingApproval", "requestId", id, values{"approvalStatus": approval})
	return request
}

// plan plans the action on the item. It takes inputs from the item's key, and other required inputs by their type.
func (s *builtinSchema) plan(action string, it models.Item, inputs values) (*change.Plan, change.UserInput, error) {
	s.Helper()
	a := s.p.Action(action)
	input := change.UserInput{
		Inputs: values{}, Actor: s.actor, Reason: "asked for", Token: "11111111-2222-4333-8444-555555555555", Now: actionTime,
	}
	for _, in := range a.Inputs {
		if text, ok := a.Entity.Values(it)(in.Name); ok && isKeyInput(a, in.Name) {
			input.Inputs[in.Name] = text
			continue
		}
		input.Inputs[in.Name] = map[accesspatterns.ParamType]string{
			accesspatterns.Number: "7500", accesspatterns.Integer: "4200", accesspatterns.Timestamp: "2026-08-01",
		}[in.Type]
		if len(in.Enum) > 0 {
			input.Inputs[in.Name] = in.Enum[0]
		}
		if !in.Required || input.Inputs[in.Name] == "" {
			delete(input.Inputs, in.Name)
		}
	}
	maps.Copy(input.Inputs, inputs)
	b, err := a.Gather(s.Context(), input, s.db.get)
	if err != nil {
		return nil, input, err
	}
	p, err := a.Plan(b)
	return p, input, err
}

func isKeyInput(a *change.Action, name string) bool {
	partition, _ := a.Entity.KeyTemplate(a.Entity.Table.PartitionKey.Name)
	sort, _ := a.Entity.KeyTemplate(a.Entity.Table.SortKey.Name)
	return partition.Has(name) || sort.Has(name)
}

func (s *builtinSchema) undo(p *change.Plan, input change.UserInput) (*change.Plan, error) {
	input.Token, input.Now = "22222222-3333-4444-8555-666666666666", actionTime.Add(time.Minute)
	return p.Undo(s.Context(), input, s.db.get)
}

func (s *builtinSchema) commit(p *change.Plan) {
	s.Helper()
	if err := s.db.commit(p); err != nil {
		s.Fatal(err)
	}
}

// A changeCase contains the item's changes and the inputs for an action.
type changeCase struct {
	item, inputs values
}

// newSite contains the inputs of add-site-to-agency.
var newSite = values{"site_id": "site-9", "domain": "shop.example", "role": "member"}

// changeCases lists the actions that need changed items or inputs.
var changeCases = map[string][]changeCase{
	"authbridge.update-verification-status": {{values{"status": "submitted"}, values{"toStatus": "processing"}}},
	"authbridge.create-verification": {{inputs: values{
		"verificationId": "ver_new", "clientId": "client_a", "documentType": "omang", "email": "thabo@example.com", "externalId": "cust_1",
	}}},
	"ebay-sniper.create-bid": {{inputs: values{
		"bidId": "11111111-2222-4333-8444-555555555555", "ebayItemId": "256118207341", "itemTitle": "Brass sextant",
		"maxBidAmount": "900", "currentPrice": "700", "auctionEndTime": "now+2h",
	}}},
	"ebay-sniper.record-loss": {{inputs: values{"finalPrice": "3999"}}, {}},
	"ebay-sniper.record-outcome": {
		{values{"status": "PENDING"}, values{"outcome": "PLACED"}}, {values{"status": "PLACED"}, values{"outcome": "LOST", "finalPrice": "3999"}},
	},
	"ebay-sniper.change-email":       {{inputs: values{"email": "ann@example.com"}}},
	"form-bridge.suspend-site":       {{}, {inputs: values{"deleteKey": "true"}}},
	"form-bridge.rotate-api-key":     {{inputs: values{"api_key_hash": strings.Repeat("ab", 32)}}},
	"form-bridge.add-site-to-agency": {{values{"status": "active", "current_sites": "3"}, newSite}},
	"form-bridge.record-security-event": {{inputs: values{
		"timestamp": "now", "event_type": "auth_failure", "client_ip": "192.0.2.77", "user_agent": "curl/8.9.1",
	}}},
	"form-bridge.record-rate-limit-event":    {{inputs: values{"timestamp": "now", "request_type": "api"}}},
	"form-bridge.record-ip-rate-limit-event": {{inputs: values{"timestamp": "now"}}},
	"tazco.change-credit-limit":              {{values{"status": "active", "limit": "5000", "balance": "1200.75"}, values{"limit": "6500"}}},
	"tazco.update-card-balance": {{
		values{"limit": "5000", "balance": "10", "version": "6"}, values{"balance": "12.50", "seenVersion": "6"},
	}},
	"tazco.adjust-score": {
		{values{"currentScore": "700", "tier": "high"}, values{"score": "655", "tier": "medium"}},
		{values{"currentScore": "700"}, values{"score": "712"}}, // without a tier, which stays
	},
	"tazco.disable-user":     {{item: values{"status": "active"}}},
	"tazco.enable-user":      {{item: values{"status": "disabled"}}},
	"tazco.change-user-role": {{values{"role": "user"}, values{"role": "admin"}}},
	// An approval that expires exactly now has expired.
	"tazco.expire-approval": {{item: values{"approvalStatus": "pending", "expiresAt": "2026-03-01T12:00:00.000Z"}}},
	"tazco.retry-dead-letter": {{item: values{
		"status": "dead_letter", "retryCount": "5", "lastError": "timeout after 10 s", "nextRetryAt": "2026-03-02T12:00:00.000Z",
	}}},
	"tazco.retry-failed-now":             {{item: values{"status": "failed", "nextRetryAt": "2026-03-02T12:00:00.000Z"}}},
	"tazco.resend-notification":          {{item: values{"deliveryStatus": "failed", "nextRetryAt": ""}}},
	"tazco.allocate-outbox-sequence":     {{item: values{"current": "41"}}},
	"zentriqvision.reactivate-org":       {{item: values{"status": "INACTIVE"}}},
	"zentriqvision.correct-user-contact": {{inputs: values{"phone": "+27115550100"}}},
	"zentriqvision.requeue-video":        {{inputs: values{"status": "UPLOADED"}}},
}

// The golden files contain the writes of each action and its undo, as documented. {name} is the item's previous value.
func TestBuiltinSchemaChanges(t *testing.T) {
	schemas.Each(t, func(t *testing.T, p *profiles.Profile) {
		var all strings.Builder
		fresh := openBuiltin(t, p.Name)
		for _, q := range p.Queues {
			actions := models.MapSlice(q.Actions, func(a *change.Action) string { return a.ID })
			fmt.Fprintf(&all, "queue %s: %s\n", q.ID, strings.Join(actions, ", "))
		}
		for _, a := range p.Actions {
			state := "on"
			if a.Disabled != "" {
				state = "off"
			}
			fmt.Fprintf(&all, "\n%s: %s, documented %v, reason %s\n", a.ID, state, a.Documented, a.Reason)
			cases := changeCases[a.FullID()]
			if cases == nil {
				cases = []changeCase{{}}
			}
			for _, c := range cases {
				d := *fresh
				d.db = fresh.db.clone()
				all.WriteString(d.changeText(a.ID, c))
			}
		}
		golden.RequireEqual(t, []byte(all.String()))
	})
}

// changeText returns a line for each write of an action and its undo.
func (s *builtinSchema) changeText(action string, c changeCase) string {
	s.Helper()
	a := s.p.Action(action)
	it := s.subject(a, c.item)
	if action == "approve-card-request" || action == "reject-card-request" {
		it = s.request("pending")
		s.actor, _ = s.items[s.p.Entity("User")][5].Text("ecosystemId") // The audit entry contains a user's email.
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(c.inputs)) {
		fmt.Fprintf(&b, "  %s=%s\n", name, c.inputs[name])
	}
	p, input, err := s.plan(action, it, c.inputs)
	if err != nil {
		return b.String() + "  no change: " + err.Error() + "\n"
	}
	b.WriteString(changeLines(p, "  "))
	s.commit(p)
	undone, err := s.undo(p, input)
	if err != nil {
		return replaceValues(b.String(), a.Entity, it) + "  no undo: " + err.Error() + "\n"
	}
	b.WriteString("  undo\n" + changeLines(undone, "    "))
	return replaceValues(b.String(), a.Entity, it)
}

// changeLines returns a line with the changes for each write of a plan.
func changeLines(p *change.Plan, indent string) string {
	var b strings.Builder
	for _, w := range p.Writes {
		line := fmt.Sprintf("%s%s %s:", indent, w.Operation, w.Entity.Name)
		for _, c := range w.Changes {
			text, ok := models.ValueText(c.After)
			if !ok && c.After != nil {
				text = string(models.AppendValueJSON(nil, c.After))
			}
			line += " " + c.Path + "=" + text
		}
		b.WriteString(orderedID.ReplaceAllString(line, "UUID7") + "\n")
	}
	return b.String()
}

var orderedID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)

// replaceValues replaces the item's values by their paths, the longest value first.
func replaceValues(text string, e *models.Entity, it models.Item) string {
	names := map[string]string{}
	for _, a := range slices.Backward(e.Attributes) {
		if v, ok := e.Values(it)(a.Path); ok && len(v) > 5 {
			names[v] = a.Path
		}
	}
	list := slices.SortedFunc(maps.Keys(names), func(a, b string) int { return len(b) - len(a) })
	for _, v := range list {
		text = strings.ReplaceAll(text, v, "{"+names[v]+"}")
	}
	return text
}

// Every request updates a site's traffic counters. A change of the site must neither depend on them nor restore them.
func TestSiteChangesKeepTraffic(t *testing.T) {
	traffic := []string{"last_seen", "request_count", "rate_limit_remaining"}
	for _, id := range []string{"suspend-site", "reactivate-site", "disable-site"} {
		d := openBuiltin(t, "form-bridge")
		plan, _, err := d.plan(id, d.subject(d.p.Action(id), nil), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range plan.Writes[0].Condition {
			if slices.Contains(traffic, c.Attribute) {
				t.Errorf("%s has a condition on %s", id, c)
			}
		}
		for _, c := range plan.Writes[0].Changes {
			if slices.Contains(traffic, c.Path) {
				t.Errorf("%s changes %s", id, c.Path)
			}
		}
	}
}

// keyOfSite returns the database ID of the item that contains a site's key.
func (s *builtinSchema) keyOfSite(site models.Item) string {
	hash, _ := site.Text("api_key_hash")
	key := models.Item{"PK": models.StringValue("API#" + hash), "SK": models.StringValue("LOOKUP")}
	return itemKey(s.p.Entity("APIKeyLookup").Table, key)
}

func TestReactivatedSiteGetsItsKeyBack(t *testing.T) {
	for restore, want := range map[string]int{"true": 2, "false": 1} {
		d := openBuiltin(t, "form-bridge")
		it := d.subject(d.p.Action("reactivate-site"), nil)
		delete(d.db, d.keyOfSite(it))
		p, _, err := d.plan("reactivate-site", it, values{"restoreKey": restore})
		if err != nil || len(p.Writes) != want || want == 2 && p.Writes[1].Entity.Name != "APIKeyLookup" {
			t.Errorf("restored %s: got %v, %+v", restore, err, p)
		}
	}
}

// Disabling a site must not delete another site's key.
func TestDisabledSiteKeepsOtherSitesKey(t *testing.T) {
	d := openBuiltin(t, "form-bridge")
	it := d.subject(d.p.Action("disable-site"), nil)
	key := d.db[d.keyOfSite(it)].Clone()
	key["site_id"] = models.StringValue("somebody-else")
	d.db[d.keyOfSite(it)] = key
	if _, _, err := d.plan("disable-site", it, nil); err == nil || !strings.Contains(err.Error(), "belongs to another site") {
		t.Errorf("got %v, want a conflict with another site", err)
	}
	if _, _, err := d.plan("disable-site", it, values{"deleteKey": "false"}); err != nil {
		t.Errorf("without deleteKey: got %v", err)
	}
}

func TestItemStatesForbidChanges(t *testing.T) {
	const notYet = "2026-03-01T12:00:00.001Z"
	for _, c := range []struct {
		schema, action string
		item, inputs   values
		want           string
	}{
		{"ebay-sniper", "cancel-bid", values{"status": "PLACED"}, nil, "status is PLACED"},
		{"ebay-sniper", "correct-bid-amount", values{"status": "WON"}, values{"maxBidAmount": "1"}, "status is WON"},
		{"form-bridge", "reactivate-site", values{"status": "disabled"}, nil, "status is disabled"},
		{"form-bridge", "add-site-to-agency", values{"status": "suspended"}, newSite, "the agency is suspended"},
		{
			"form-bridge", "add-site-to-agency",
			values{"status": "active", "current_sites": "10", "max_sites": "10"},
			newSite,
			"its maximum number of sites",
		},
		{"form-bridge", "change-max-sites", values{"current_sites": "10"}, values{"max_sites": "9"}, "more sites than that"},
		{"zentriqvision", "activate-organisation", values{"status": "ACTIVE"}, nil, "status is ACTIVE"},
		{
			"tazco", "expire-approval",
			values{"approvalStatus": "pending", "expiresAt": notYet},
			nil,
			"the approval has not expired yet",
		},
		{
			"tazco", "update-card-balance",
			values{"version": "6"},
			values{"balance": "1", "seenVersion": "5"},
			"the card was changed since that version",
		},
		{"tazco", "retry-failed-now", values{"status": "sent"}, nil, "only failed events are retried"},
		{"tazco", "reactivate-card", values{"status": "cancelled"}, nil, "status is cancelled: reactivate-card needs status suspended"},
	} {
		t.Run(c.schema+"."+c.action, func(t *testing.T) {
			d := openBuiltin(t, c.schema)
			_, _, err := d.plan(c.action, d.subject(d.p.Action(c.action), c.item), c.inputs)
			var conflict *change.Conflict
			if !errors.As(err, &conflict) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want a conflict with %q", err, c.want)
			}
		})
	}
}

// A WhatsApp answer that agrees or came too late does not prevent a decision. A different answer, an expired request or
// a disabled user prevents it.
func TestCardRequestsAndAnswers(t *testing.T) {
	for _, c := range []struct {
		action, answer string
		request, user  values
		stops          bool
	}{
		{"approve-card-request", "pending", nil, nil, false},
		{"approve-card-request", "approved", nil, nil, false},
		{"approve-card-request", "expired", nil, nil, false},
		{"approve-card-request", "rejected", nil, nil, true},
		{"approve-card-request", "pending", values{"expiresAt": "2026-03-01T12:00:00.000Z"}, nil, true},
		{"approve-card-request", "pending", nil, values{"status": "disabled"}, true},
		{"reject-card-request", "pending", nil, nil, false},
		{"reject-card-request", "rejected", nil, nil, false},
		{"reject-card-request", "expired", nil, nil, false},
		{"reject-card-request", "approved", nil, nil, true},
	} {
		d := openBuiltin(t, "tazco")
		request := d.change(d.p.Entity("CardRequest"), d.request(c.answer), c.request)
		if owner, _ := request.Text("ecosystemId"); c.user != nil {
			d.changeItemWith("User", "ecosystemId", owner, c.user)
		}
		p, _, err := d.plan(c.action, request, nil)
		var conflict *change.Conflict
		if stopped := errors.As(err, &conflict); stopped != c.stops || err != nil && !stopped {
			t.Errorf("%+v: got %v", c, err)
		}
		if err == nil && (itemAfter(p, "PendingApproval") != nil) != (c.answer == "pending") {
			t.Errorf("%+v: unexpected writes:\n%s", c, changeLines(p, ""))
		}
	}
}

// itemAfter returns the entity's item after the plan.
func itemAfter(p *change.Plan, entity string) models.Item {
	for _, w := range p.Writes {
		if w.Entity.Name == entity {
			return w.After
		}
	}
	return nil
}

func TestCanceledCardIsRemovedFromSummary(t *testing.T) {
	d := openBuiltin(t, "tazco")
	card := d.subject(d.p.Action("cancel-card"), values{"status": "suspended", "limit": "5000", "cancelledAt": ""})
	id, _ := card.Text("ecosystemId")
	d.changeItemWith("User", "ecosystemId", id, values{"cardSummary.activeCards": "2", "cardSummary.totalLimit": "12500"})
	p, _, err := d.plan("cancel-card", card, nil)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"cardSummary.activeCards": "1", "cardSummary.totalLimit": "7500"} {
		if got, _ := itemAfter(p, "User").Text(path); got != want {
			t.Errorf("%s = %s, want %s", path, got, want)
		}
	}
}

// Each event of an entity gets the next number. A user cannot undo an event that was sent.
func TestEventsAreNumbered(t *testing.T) {
	d := openBuiltin(t, "tazco")
	card := d.subject(d.p.Action("suspend-card"), values{"status": "active"})
	user, _ := card.Text("ecosystemId")
	id, _ := card.Text("cardId")
	checkNumber := func(p *change.Plan, want string) {
		t.Helper()
		current, _ := itemAfter(p, "OutboxSequence").Text("current")
		if event, _ := itemAfter(p, "OutboxEvent").Text("sequenceNumber"); current != want || event != want {
			t.Errorf("got event number %s and sequence %s, want %s", event, current, want)
		}
	}
	first, _, err := d.plan("suspend-card", card, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkNumber(first, "1")
	sum := sha256.Sum256([]byte(user + ":card:" + id))
	if got, _ := itemAfter(first, "OutboxSequence").Text("sequenceId"); got != hex.EncodeToString(sum[:]) {
		t.Errorf("sequenceId = %s, want its digest", got)
	}
	d.commit(first)
	a := d.p.Action("reactivate-card")
	input := change.UserInput{
		Inputs: values{"ecosystemId": user, "cardId": id}, Actor: "kagiso", Reason: "asked for",
		Token: "33333333-4444-4555-8666-777777777777", Now: actionTime,
	}
	b, err := a.Gather(t.Context(), input, d.db.get)
	if err != nil {
		t.Fatal(err)
	}
	second, err := a.Plan(b)
	if err != nil {
		t.Fatal(err)
	}
	checkNumber(second, "2")

	// Another user takes the number between the read and the write.
	taken := d.db.clone()
	sequence := itemAfter(first, "OutboxSequence").Clone()
	sequence["current"], _ = models.ScalarValue(models.TypeN, "2")
	taken.put(d.p.Entity("OutboxSequence").Table, sequence)
	if err := taken.commit(second); err == nil {
		t.Error("commit accepted a number twice")
	}

	d.commit(second)
	d.change(d.p.Entity("OutboxEvent"), itemAfter(second, "OutboxEvent"), values{"status": "sent"})
	var conflict *change.Conflict
	if _, err := d.undo(second, input); !errors.As(err, &conflict) {
		t.Errorf("undoing a sent event: got %v, want a conflict", err)
	}
}
