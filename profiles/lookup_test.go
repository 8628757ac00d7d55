package profiles_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

func openProfile(t *testing.T, name string) *profiles.Profile {
	t.Helper()
	p, err := profiles.Open(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Every pattern of zentriqvision needs an organization, which only a listing can find.
func TestListingsComplementDocumentedPatterns(t *testing.T) {
	for name, want := range map[string][]string{
		"authbridge":    {"scan-session", "scan-apikey"},
		"ebay-sniper":   nil,
		"form-bridge":   nil,
		"tazco":         {"scan-outbox-sequence", "scan-audit-log"},
		"zentriqvision": {"scan-organization"},
	} {
		p := openProfile(t, name)
		got := models.MapSlice(p.Listings(), func(q *accesspatterns.Pattern) string { return q.ID })
		if !slices.Equal(got, want) {
			t.Errorf("%s lists %v, want %v", name, got, want)
		}
		for _, q := range p.Listings() {
			if p.Pattern(q.FullID()) != q || slices.Contains(p.PatternIDs(), q.ID) {
				t.Errorf("%s has no unique ID or is documented", q.ID)
			}
		}
	}
}

func TestStatesAreListedByBestPattern(t *testing.T) {
	for _, c := range []struct {
		schema, entity, attribute, state, pattern string
		args                                      map[string]string
	}{
		{"authbridge", "Verification", "status", "approved", "scan-verification", map[string]string{"status": "approved"}},
		{"tazco", "CardRequest", "status", "approved", "list-card-requests-by-status", map[string]string{
			"status": "approved", "from": "2000-01-01", // By default the pattern reads 30 days.
		}},
		{"tazco", "PendingApproval", "approvalStatus", "pending", "list-approvals-by-status", map[string]string{"approvalStatus": "pending"}},
	} {
		p := openProfile(t, c.schema)
		q, args := p.StateQuery(p.Entity(c.entity).Lifecycle(c.attribute), c.state)
		if q.ID != c.pattern || !maps.Equal(args, c.args) {
			t.Errorf("%s.%s %s: got %s %v, want %s %v", c.schema, c.entity, c.state, q.ID, args, c.pattern, c.args)
		}
	}
}

// A user can list the items in every state without further parameters.
func TestEveryStateHasRequest(t *testing.T) {
	for _, name := range profiles.Names() {
		p := openProfile(t, name)
		for _, l := range p.Lifecycles {
			for _, s := range l.States {
				q, args := p.StateQuery(l, s.Name)
				r, err := q.Bind(args, time.Date(2026, 1, 20, 12, 0, 0, 0, time.UTC))
				if err != nil || len(r.Legs) != 1 {
					t.Errorf("%s in state %s of %s: %v", q.FullID(), s.Name, l.Attribute, err)
				}
			}
		}
	}
}

// In hierarchical keys, the keys of children begin like the keys of their parents. A listing excludes the children.
func TestListingsOfHierarchicalKeysExcludeChildren(t *testing.T) {
	p, err := profiles.Load("chat.yaml", []byte(`
name: chat
tables: {chat: {partition_key: PK, sort_key: SK}}
mixins: {ids: {attributes: {room: {type: S}, thread: {type: S}, message: {type: S}, part: {type: S}, emoji: {type: S}}}}
entities:
  Room: {table: chat, mixins: [ids], keys: {PK: "ROOM#{room}", SK: "ROOM#{room}"}}
  Thread: {table: chat, mixins: [ids], keys: {PK: "ROOM#{room}", SK: "THREAD#{thread}"}}
  Message: {table: chat, mixins: [ids], keys: {PK: "ROOM#{room}", SK: "THREAD#{thread}#MSG#{message}[#{part}]"}}
  Reaction: {table: chat, mixins: [ids], keys: {PK: "ROOM#{room}#THREAD#{thread}", SK: "REACT#{emoji}"}}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	for entity, want := range map[string]string{
		"Room":     "begins_with(PK, ROOM#) begins_with(SK, ROOM#)",
		"Thread":   "begins_with(PK, ROOM#) begins_with(SK, THREAD#) NOT contains(SK, #MSG#)",
		"Message":  "begins_with(PK, ROOM#) begins_with(SK, THREAD#) contains(SK, #MSG#)",
		"Reaction": "begins_with(PK, ROOM#) begins_with(SK, REACT#)",
	} {
		var got []string
		for _, f := range p.Listing(p.Entity(entity)).Read.Filter {
			got = append(got, f.Compare.Expression(f.Attribute, f.Values[0].String()))
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s: got %s, want %s", entity, text, want)
		}
	}
}

func TestPastedKeysSelectPattern(t *testing.T) {
	for _, c := range []struct {
		about, pattern, text string
		want                 map[string]string
		entity               string
	}{
		{"a partition key", "get-verification", "CASE#ver_1", map[string]string{"verificationId": "ver_1"}, "Verification"},
		{"a quoted pair", "get-verification", `"CASE#ver_1" / "META"`, map[string]string{"verificationId": "ver_1"}, "Verification"},
		{
			"a pair of an index", "list-client-verifications-by-status", "CLIENT#client_9 / pending_review#2026-11-21T08:01:00Z",
			map[string]string{"clientId": "client_9", "status": "pending_review"},
			"Verification",
		},
		{
			"half of the required parameters", "list-client-verifications-by-status", "CLIENT#client_9",
			map[string]string{"clientId": "client_9"},
			"Verification",
		},
		{
			"a key of a related entity", "list-verification-documents", "CASE#ver_1 / DOC#doc_7",
			map[string]string{"verificationId": "ver_1"},
			"Document",
		},
		{
			"an item", "list-client-verifications-by-status",
			`{"PK":"CASE#ver_1","SK":"META","verificationId":"ver_1","clientId":"client_9","status":"approved"}`,
			map[string]string{"clientId": "client_9", "status": "approved"},
			"Verification",
		},
		{"a bare id", "get-verification", "ver_1", nil, ""},
		{"a key without matching parameters", "get-verification", "APIKEY#key_1", map[string]string{}, "APIKey"},
		{"not a key", "get-verification", "hello there", nil, ""},
		{"broken JSON", "get-verification", `{"PK":`, nil, ""},
	} {
		p, err := profiles.Open("authbridge", nil)
		if err != nil {
			t.Fatal(err)
		}
		pattern := p.Pattern(c.pattern)
		if pattern == nil {
			t.Fatalf("%s: pattern %s does not exist", c.about, c.pattern)
		}
		args, e := accesspatterns.Pasted(pattern, p.Patterns, p.Entities, c.text)
		name := ""
		if e != nil {
			name = e.Name
		}
		if diff := cmp.Diff(c.want, args); diff != "" || name != c.entity {
			t.Errorf("%s: entity %q, want %q\n%s", c.about, name, c.entity, diff)
		}
	}
}

const labelProfile = `name: shop
tables: {t: {partition_key: PK}}
entities:
  Job: {table: t, keys: {PK: "J#{level}"}, attributes: {level: {type: N, labels: {0: Open, 1: Closed}}}}
patterns:
  p: {operation: query, key: {PK: "J#{level}"}, returns: [Job], parameters: PARAMS}
`

func TestParametersHaveLabels(t *testing.T) {
	for params, want := range map[string]string{
		"{level: {type: enum}}":                                     `Open (0), Closed (1)`,
		"{level: {type: enum, labels: {0: New, 1: Old}}}":           `New (0), Old (1)`,
		"{level: {type: enum, enum: [0, 2], labels: {2: Waiting}}}": `0, Waiting (2)`,
		"{level: {labels: {7: Seven}}}":                             `!parameters.level.labels.7: "7" is not a value of level; known: 0, 1`,
	} {
		p, err := profiles.Load("shop.yaml", []byte(strings.Replace(labelProfile, "PARAMS", params, 1)), nil)
		if strings.HasPrefix(want, "!") {
			if err == nil || !strings.Contains(err.Error(), want[1:]) {
				t.Errorf("%s: got %v, want %s", params, err, want[1:])
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		q := p.Patterns[0]
		if got := q.Params[0].Choices(); got != want {
			t.Errorf("%s: got %s, want %s", params, got, want)
		}
		for _, args := range []map[string]string{{"level": "9"}, nil} {
			if _, err := q.Bind(args, schemas.Now); err == nil || !strings.Contains(err.Error(), "one of "+want) {
				t.Errorf("%s with %v: got %v, want the labels", params, args, err)
			}
		}
	}
}

func TestProductionNamesMatchWholeWords(t *testing.T) {
	p := &profiles.Profile{Guardrails: profiles.Guardrails{Production: []string{"prd", "blue-green", "111122223333"}}}
	for name, want := range map[string]bool{
		"prod": true, "PROD": true, "production": true, "live": true, "acme-production": true, "acme_prod_eu": true,
		"live.orders": true, "shop/prod": true, "AcmeProd": true, "acmePROD": true, "PRODOrders": true, "prod2": true,
		"eu1prod": true, "prd": true, "acme-prd": true, "blue-green": true, "111122223333": true,
		"": false, "dev": false, "products": false, "Product": false, "reproduction": false, "alive": false, "livestock": false,
		"preprod": false, "prodigy": false, "staging": false, "blue": false, "111122223334": false,
	} {
		if got := p.IsProduction(name); got != want {
			t.Errorf("IsProduction(%q) = %v, want %v", name, got, want)
		}
	}
}

func TestVariablesAndTableNamesIndicateProduction(t *testing.T) {
	for _, c := range []struct {
		variable, table string
		want            bool
	}{
		{"dev", "orders-dev", false},
		{"eu-prod", "orders-eu", true},
		{"dev", "OrdersLive", true},
	} {
		p := &profiles.Profile{
			Variables: []profiles.Variable{{Name: "stage", Value: c.variable}}, Tables: []*models.Table{{Name: c.table}},
		}
		if got := p.IsProduction("", "staging"); got != c.want {
			t.Errorf("%+v: IsProduction() = %v", c, got)
		}
	}
}

func TestActionAliases(t *testing.T) {
	p, err := profiles.Open("zentriqvision", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"suspend-org", "deactivate-organisation", "zentriqvision.deactivate-organisation"} {
		if a := p.Action(name); a == nil || a.ID != "suspend-org" {
			t.Errorf("Action(%s) = %v, want suspend-org", name, a)
		}
	}
	const one = "actions:\n  a: {entity: User, aliases: [%], set: {mail: x}}\n  b: {entity: User, aliases: [old], set: {mail: y}}\n"
	for alias, want := range map[string]string{
		"former": "", "b": "b already names an action", "old": "old already names an action", "x, x": "x already names an action",
	} {
		_, err := profiles.Load("shop.yaml", []byte(shopProfile+strings.Replace(one, "%", alias, 1)), nil)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", alias, err, want)
		}
	}
}

// jargon matches technical terms that role support need not understand.
var jargon = regexp.MustCompile(`(?i)\b(GSI\d?|PK|SK|sort key|partition|GetItem|UpdateItem|Scan|ttl|projection|reserved word|cursor|expression)\b`)

func TestEveryFindingIsExplained(t *testing.T) {
	for _, name := range profiles.Names() {
		p, err := profiles.Open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		titles := map[string]string{}
		for _, f := range p.Findings {
			switch n := utf8.RuneCountInString(f.Title); {
			case n == 0 || n > 68:
				t.Errorf("%s %s: the title has %d characters, want 1 to 68: %q", name, f.ID, n, f.Title)
			case strings.HasSuffix(f.Title, "."):
				t.Errorf("%s %s: the title ends with a period", name, f.ID)
			case jargon.MatchString(f.Title):
				t.Errorf("%s %s: the title %q contains DynamoDB jargon", name, f.ID, f.Title)
			}
			if other := titles[f.Title]; other != "" {
				t.Errorf("%s: %s and %s have the same title", name, other, f.ID)
			}
			titles[f.Title] = f.ID
			if len(f.Text) < 40 || !strings.HasSuffix(f.Text, ".") {
				t.Errorf("%s %s: the text is too short or lacks a period: %q", name, f.ID, f.Text)
			}
			if len(strings.Fields(f.Workaround)) < 3 || !strings.HasSuffix(f.Workaround, ".") {
				t.Errorf("%s %s: the workaround is too short or lacks a period: %q", name, f.ID, f.Workaround)
			}
		}
	}
}

// If a profile's audit entries cannot contain the user's AWS identity, the notes of its guardrails explain why.
func TestAuditEntriesHaveIdentityOrReason(t *testing.T) {
	for _, name := range profiles.Names() {
		p := schemas.Open(t, name)
		if len(p.Actions) == 0 {
			continue
		}
		writes := slices.ContainsFunc(p.Trails, func(t *change.Trail) bool {
			return slices.ContainsFunc(t.Set, func(s change.Setting) bool {
				return slices.ContainsFunc(s.Formula.References(), func(r change.Reference) bool { return r.Name == "identity" })
			})
		})
		hasNote := slices.ContainsFunc(p.Guardrails.Notes, func(note string) bool {
			return strings.Contains(note, "AWS identity") && strings.Contains(note, "local journal")
		})
		if !writes && !hasNote {
			t.Errorf("%s: the audit trail has no identity, and the notes give no reason", name)
		}
	}
}
