package profiles_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

func loadShop(t *testing.T, text string) *profiles.Profile {
	t.Helper()
	p, err := profiles.Load("shop.yaml", []byte(shopProfile+text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func settings(list []change.Setting) string {
	var out []string
	for _, s := range list {
		text := s.Formula.String()
		if text == "" {
			for _, r := range s.Formula.References() {
				text += "<" + r.Name + ">"
			}
		}
		out = append(out, s.Name+"="+text)
	}
	return strings.Join(out, " ")
}

// actionText returns a line for each part of an action.
func actionText(a *change.Action) string {
	var b strings.Builder
	line := func(word, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%s: %s\n", word, text)
		}
	}
	line("kind", fmt.Sprintf("%s %s %s", a.Kind, a.Entity.Name, a.Reason))
	if a.Lifecycle != nil {
		line("moves", fmt.Sprintf("%s %v %q %q", a.Lifecycle.Name, a.From(), a.To(), a.Target))
	}
	for _, p := range a.Inputs {
		text := fmt.Sprintf("%s %s", p.Name, p.Type)
		if p.Required {
			text += " required"
		}
		if f, ok := a.Defaults[p.Name]; ok {
			text += " " + f.String()
		}
		line("input", fmt.Sprintf("%s %s%v%s", text, p.Prefix, p.Enum, p.Sensitive))
	}
	for _, state := range slices.Sorted(maps.Keys(a.OnEnter)) {
		line("on "+state, settings(a.OnEnter[state]))
	}
	line("let", settings(a.Let))
	for _, r := range a.Reads {
		line("reads", fmt.Sprintf("%s %s %s %v", r.Alias, r.Entity.Name, settings(r.Key), r.Optional))
	}
	line("set", settings(a.Set))
	line("remove", strings.Join(a.Remove, " "))
	line("require", requirements(a.Require))
	for _, c := range a.Companions {
		text := fmt.Sprintf("%s %s%s", c.Operation, c.Alias, c.Entity.Name)
		if c.Transition != nil {
			text += " to " + c.Transition.To
		}
		line("also", strings.TrimSpace(fmt.Sprintf(
			"%s %s %s %s %s%s", text, settings(c.Set), strings.Join(c.Remove, " "), requirements(c.Require), c.If, c.Unless,
		)))
	}
	for _, e := range a.Audits {
		line("entry", e.Trail.Entity.Name+" "+settings(e.Set))
	}
	line("undo", a.NoUndo+settings(a.UndoEntry))
	return b.String()
}

func requirements(list []change.Requirement) string {
	var out []string
	for _, r := range list {
		out = append(
			out,
			strings.TrimSpace(fmt.Sprintf(
				"%s %s %s%s", r.Attribute, r.Compare, r.Value, map[bool]string{true: " or missing"}[r.OrMissing],
			)),
		)
	}
	return strings.Join(out, ", ")
}

func TestActionsAsWritten(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"transition", action("transition: pay, reason: required"), `
kind: update Order required
moves: Stage [open] "paid" ""
input: orderId string required ord_[]
on paid: paid=true
`},
		{"any documented transition", action(`transition: "Stage.{to}"`), `
kind: update Order optional
moves: Stage [open] "" "to"
input: orderId string required ord_[]
input: to enum required [paid]
on paid: paid=true
`},
		{"new item", action(`entity: Order, kind: put, inputs: {limit: {type: number, default: "{orderId} + 1"}, orderId: {default: "ord_{uuid}"}}, set: {userId: x, stage: open, total: "{limit}", endsAt: "{now+30d}"}`), `
kind: put Order optional
input: orderId string ord_{uuid} ord_[]
input: limit number {orderId} + 1 []
set: userId=x stage=open total={limit} endsAt={now+30d}
`},
		{"values", action(`entity: Order, inputs: {userId: {required: false}}, set: {total: "{total} + 1", notes.seen.by: "{actor}", address: {city: "{item.address.city|here}", floor: 3}, tags: [a, "{reason}"]}, remove: [madeAt]`), `
kind: update Order optional
input: orderId string required ord_[]
input: userId string []pii
set: total={total} + 1 notes.seen.by={actor} address=<item.address.city> tags=<reason>
remove: madeAt
`},
		{"requirements", action(`entity: Order, set: {total: 1}, require: [{attribute: endsAt, over: "{now}", or_missing: true}, {attribute: total, up_to: 9}, {attribute: notes.x, exists: false}, {attribute: PK, differs: x}]`), `
kind: update Order optional
input: orderId string required ord_[]
set: total=1
require: endsAt > {now} or missing, total <= 9, notes.x attribute_not_exists, PK <> x
`},
		{"reads and companion writes", action(`entity: Order, set: {total: 1}, let: {site: x}, reads: {user: {entity: User}, next: {entity: Order, key: {orderId: "{user.mail}"}, optional: true}}, also: [{update: user, set: {orders: "{user.orders} + 1"}, if: site}, {update: next, transition: pay, set: {total: 2}}, {put: User, set: {userId: y, mail: z}, unless: reason}, {delete: user, require: [{attribute: orders, under: 1}]}, {check: next, require: [{attribute: total, exists: true}]}]`), `
kind: update Order optional
input: orderId string required ord_[]
let: site=x
reads: user User userId={userId} site={site} false
reads: next Order orderId={user.mail} true
set: total=1
also: Update userUser orders={user.orders} + 1   site
also: Update nextOrder to paid paid=true total=2
also: Put User userId=y mail=z   reason
also: Delete userUser   orders < 1
also: ConditionCheck nextOrder   total attribute_exists
`},
		{"bundles", action(`entity: Order, set: {total: 1}, uses: [first, second], let: {z: own, b: "{z}"}, also: [{delete: user}]`) +
			"bundles:\n  first: {let: {a: \"{b}\", b: x}, reads: {user: {entity: User, key: {site: \"{c}\"}}}}\n  second: {let: {c: x}, also: [{update: user, set: {orders: 1}}]}\n", `
kind: update Order optional
input: orderId string required ord_[]
let: a={b} b={z} c=x z=own
reads: user User userId={userId} site={c} false
set: total=1
also: Delete userUser
also: Update userUser orders=1
`},
		{"entries", action("transition: pay, audit: {what: PAY}, undo: {what: REFUND}") +
			"trails:\n  Entry: {about: {Order: {orderId: \"{orderId}\"}}, put: {what: \"{action}\", entryId: \"{uuid7}\"}}\n", `
kind: update Order optional
moves: Stage [open] "paid" ""
input: orderId string required ord_[]
on paid: paid=true
entry: Entry what=PAY entryId={uuid7} orderId={orderId}
undo: what=REFUND
`},
		{"put repeats about", action("transition: pay, undo: It was shipped.") +
			"trails:\n  Entry: {about: {Order: {orderId: \"{orderId}\"}}, put: {orderId: \"X{orderId}\", what: x, entryId: y}}\n", `
kind: update Order optional
moves: Stage [open] "paid" ""
input: orderId string required ord_[]
on paid: paid=true
entry: Entry orderId=X{orderId} what=x entryId=y
undo: It was shipped.
`},
		{"no entry", action("transition: pay, audit: none") +
			"trails:\n  Entry: {about: {Order: {orderId: \"{orderId}\"}}, put: {what: x, entryId: y}}\n", `
kind: update Order optional
moves: Stage [open] "paid" ""
input: orderId string required ord_[]
on paid: paid=true
`},
		{"trail that is only read", action("transition: pay") + "trails:\n  Entry: {about: {Order: {orderId: \"{orderId}\"}}}\n", `
kind: update Order optional
moves: Stage [open] "paid" ""
input: orderId string required ord_[]
on paid: paid=true
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := loadShop(t, c.text).Action("shop.a")
			if a == nil {
				t.Fatal("the profile has no action a")
			}
			if diff := cmp.Diff(strings.TrimLeft(c.want, "\n"), actionText(a)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestEveryBuiltinEntityCanBeRepaired(t *testing.T) {
	p := loadShop(t, "actions:\n  mend: {entity: User, kind: repair}\ntrails:\n  Entry: {about: {Order: {orderId: "+
		"\"{orderId}\"}}, put: {what: \"{action}\", entryId: \"{uuid}\"}}\n")
	for entity, want := range map[string]string{"User": "mend", "Order": "repair-index-key", "Entry": "repair-index-key"} {
		a := p.RepairOf(p.Entity(entity))
		if a == nil || a.ID != want || a.Kind != change.KindRepair || a.Entity.Name != entity || a.Disabled != "" {
			t.Errorf("%s: got %+v, want %s", entity, a, want)
		}
	}
	if a := p.RepairOf(p.Entity("Order")); len(a.Audits) != 1 || a.Input("orderId") == nil || p.RepairOf(p.Entity("Order")) != a {
		t.Errorf("the generated repair is %s", actionText(a))
	}
	if a := p.RepairOf(p.Entity("Session")); a != nil {
		t.Errorf("an item of another service has the repair %s", actionText(a))
	}
	if p.Action("repair-index-key") != nil || !slices.Equal(p.ActionIDs(), []string{"mend"}) {
		t.Errorf("got actions %v, want mend", p.ActionIDs())
	}
}

func TestTrailsAndQueuesAreFound(t *testing.T) {
	p := loadShop(t, `actions:
  pay: {transition: pay}
trails:
  Entry:
    documented: false
    about: {Order: {orderId: "{orderId}"}, Session: {orderId: "{sessionId}"}}
    read: {operation: query, key: {PK: "ENTRY#{orderId}"}, order: descending}
queues:
  open: {pattern: shop.orders, args: {stage: open}, actions: [shop.pay]}
  users: {title: All users, read: {operation: scan, returns: [User]}}
  likewise: {pattern: orders, parameters: [stage], after: [pay], actions: [pay]}
`)
	if got := p.TrailsOf(p.Entity("Session")); len(got) != 1 || got[0] != p.Trails[0] || got[0].Documented || got[0].Title != "Entry" {
		t.Errorf("TrailsOf(Session) = %+v", got)
	}
	if got := p.TrailsOf(p.Entity("User")); got != nil {
		t.Errorf("TrailsOf(User) = %+v, want none", got)
	}
	if r := p.Trails[0].Read; !r.Read.Descending || r.Documented || len(r.Params) != 1 || r.Returns[0] != p.Entity("Entry") {
		t.Errorf("got trail read %+v", r)
	}
	open, users := p.Queue("shop.open"), p.Queue("users")
	if open.Pattern != p.Pattern("orders") || open.Args["stage"] != "open" || open.Actions[0] != p.Action("pay") || open.Title != "open" {
		t.Errorf("got queue open %+v", open)
	}
	if users.Pattern.ID != "users" || p.Pattern("users") != nil || len(p.Patterns) != 2 || p.Queue("none") != nil {
		t.Errorf("got queue users %+v", users)
	}
	like, order := p.Queue("likewise"), p.Entity("Order")
	view := accesspatterns.ItemView(order, models.Item{"stage": models.StringValue("paid")})
	if args, ok := like.Fill(p.Entities, view); !ok || args["stage"] != "paid" || !like.Follows(p.Action("pay")) {
		t.Errorf("got queue likewise %v, %+v", args, like)
	}
	if _, ok := like.Fill(p.Entities, accesspatterns.ItemView(p.Entity("User"), models.Item{})); ok {
		t.Error("Fill accepted an item without a stage")
	}
	if _, ok := open.Fill(p.Entities, view); ok || open.Follows(p.Action("pay")) {
		t.Error("a queue without parameters accepted an item")
	}
	if args, ok := like.Bind(map[string]string{"stage": "lost", "other": "x"}); !ok || !maps.Equal(args, map[string]string{"stage": "lost"}) {
		t.Errorf("Bind() = %v, want stage lost", args)
	}
	if _, ok := like.Bind(nil); ok {
		t.Error("Bind accepted a missing parameter")
	}
}

func TestDigestCoversTextAndVariables(t *testing.T) {
	const text = "name: shop\nvariables: {stage: {default: dev}}\ntables: {t: {name: \"t-{stage}\", partition_key: id}}\n"
	digest := func(text, stage string) string {
		p, err := profiles.Load("shop.yaml", []byte(text), map[string]string{"stage": stage})
		if err != nil {
			t.Fatal(err)
		}
		return p.Digest()
	}
	dev := digest(text, "dev")
	if len(dev) != 64 || dev != digest(text, "dev") {
		t.Errorf("Digest() = %q is not repeatable", dev)
	}
	if dev == digest(text, "prod") || dev == digest(text+"# more\n", "dev") {
		t.Error("other values or another text have the same digest")
	}
}

// The documents describe 119 access patterns. The console's own reads for trails and queues do not count.
func TestTrailAndQueueReadsAreNotPatterns(t *testing.T) {
	patterns := 0
	for _, name := range profiles.Names() {
		patterns += len(schemas.Open(t, name).Patterns)
	}
	if patterns != 119 {
		t.Errorf("got %d patterns, want 119", patterns)
	}
}

// No index contains the review queue or the history of a case, so ddbdesk reads one partition per day, without extra
// days.
func TestAuthBridgeQueriesDaysInSequence(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	now := time.Date(2026, 3, 31, 23, 59, 59, 0, time.UTC)
	for _, c := range []struct {
		name        string
		pattern     *accesspatterns.Pattern
		given       map[string]string
		days        int
		first, last string
	}{
		{"queue", p.Queue("review-queue").Pattern, p.Queue("review-queue").Args, 33, "2026-02-27", "2026-03-31"},
		{
			"trail", p.Trails[0].Read,
			map[string]string{"verificationId": "ver_x", "createdAt": "2026-03-01T10:00:00Z"},
			31,
			"2026-03-31", "2026-03-01",
		},
	} {
		r, err := c.pattern.Bind(c.given, now)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(r.Labels); n != c.days || r.Labels[0] != c.first || r.Labels[n-1] != c.last {
			t.Errorf("%s: got %d days, %v", c.name, n, r.Labels)
		}
	}
}

const teams = `name: shop
tables: {t: {name: users, partition_key: PK, sort_key: SK, indexes: {I: {partition_key: team, projection: INCLUDE, include: [name]}}}}
entities:
  User: {table: t, keys: {PK: "U#{id}", SK: META}, attributes: {id: {type: S}, team: {type: S}, name: {type: S}, k: {type: S, key_only: true}, address: {type: M, attributes: {city: {type: S}}}}}
patterns:
  p: `

func TestInvalidProjectionsAndListsAreReported(t *testing.T) {
	for text, want := range map[string]string{
		`{operation: get, key: {PK: "U#{id}", SK: META}, returns: [User], projection: [name, address.city, team]}`:                                          "",
		`{operation: query, index: I, key: {team: "{team}"}, returns: [User], projection: PK}`:                                                              "",
		`{operation: query, index: I, key: {team: "{team}"}, returns: [User], projection: [names]}`:                                                         `projection.0: no attribute "names" in User; did you mean "name"?`,
		`{operation: query, index: I, key: {team: "{team}"}, returns: [User], projection: [k]}`:                                                             `projection.0: no attribute "k" in User`,
		`{operation: query, index: I, key: {team: "{team}"}, returns: [User], projection: [name, name]}`:                                                    `projection.1: duplicate attribute "name"; remove it`,
		`{operation: query, index: I, key: {team: "{team}"}, returns: [User], projection: []}`:                                                              `projection: projection has no attributes`,
		`{operation: count, index: I, key: {team: "{team}"}, returns: [User], projection: [name]}`:                                                          `projection: count returns no attributes; remove it`,
		`{operation: get, key: {PK: "U#{id}", SK: META}, returns: [User], parameters: {id: {list: true}}}`:                                                  "",
		`{operation: query, index: I, key: {team: "{team}"}, returns: [User], parameters: {team: {list: true}}}`:                                            "",
		`{operation: query, index: I, key: {team: {lt: "{team}"}}, returns: [User], parameters: {team: {list: true}}}`:                                      `parameters.team.list: a list parameter works only in equality conditions of a key`,
		`{operation: query, index: I, key: {team: a}, filter: [{attribute: name, equals: "{name}"}], returns: [User], parameters: {name: {list: true}}}`:    `parameters.name.list: a list parameter works only in equality conditions of a key`,
		`{operation: query, key: {PK: "U#{id}", SK: "{team}"}, returns: [User], parameters: {id: {list: true}, team: {list: true}}}`:                        `parameters.team.list: id and team both take several values`,
		`{operation: query, index: I, key: {team: "{team}"}, returns: [User], parameters: {x: {list: true}}}`:                                               `parameters.x.list: no key condition uses {x}`,
		`{operation: query, key: {PK: "U#{id}", SK: "{team}"}, fan_out: {placeholder: id, values: [a]}, returns: [User], parameters: {team: {list: true}}}`: `parameters.team.list: fan_out: and a list parameter cannot be combined`,
		"{operation: scan, returns: [User]}\nactions: {a: {entity: User, inputs: {n: {list: true}}, set: {name: \"{n}\"}}}":                                 `actions.a.inputs.n.list: an action's input cannot be a list`,
	} {
		_, err := profiles.Load("shop.yaml", []byte(teams+text+"\n"), nil)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

// A pattern needs permission to read whole items only if its index lacks an attribute.
func TestPermissionsFollowProjection(t *testing.T) {
	for text, want := range map[string]string{
		`{operation: query, index: I, key: {team: a}, returns: [User], projection: [name]}`:                "dynamodb:Query on …/index/I",
		`{operation: query, index: I, key: {team: a}, returns: [User], projection: [address]}`:             "dynamodb:Query on …/index/I dynamodb:BatchGetItem on …/users",
		`{operation: query, index: I, key: {team: a}, returns: [User]}`:                                    "dynamodb:Query on …/index/I dynamodb:BatchGetItem on …/users",
		`{operation: get, key: {PK: "U#{id}", SK: META}, returns: [User], parameters: {id: {list: true}}}`: "dynamodb:GetItem on …/users dynamodb:BatchGetItem on …/users",
	} {
		p, err := profiles.Load("shop.yaml", []byte(teams+text+"\n"), nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, permission := range p.Patterns[0].Permissions() {
			got = append(got, permission.String())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// A value from an item stays one value, even for a parameter that accepts a list.
func TestItemValuesStayWhole(t *testing.T) {
	p, err := profiles.Load("shop.yaml", []byte(teams+`{operation: get, key: {PK: "U#{id}", SK: META}, returns: [User], parameters: {id: {list: true}}}`+"\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	q := p.Patterns[0].Param("id")
	for _, id := range []string{"7", "a, b", " a", `["a"]`, "[", "a\nb", `say "x", y`, "7,"} {
		v, err := q.Read(q.Argument(id), accesspatterns.Value{}.Time.Time)
		if strings.Contains(id, "\n") {
			continue // A key never contains a line break.
		}
		if err != nil || len(v.List) != 1 || v.Text != id {
			t.Errorf("%q: got %+v, %v, want 1 value", id, v.List, err)
		}
	}
}

// Rows show columns only for attributes that the pattern reads.
func TestPatternListsItsReads(t *testing.T) {
	p, err := profiles.Load("shop.yaml", []byte(teams+`{operation: query, index: I, key: {team: a}, returns: [User], projection: [address.city]}`+"\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"address.city": true, "address": true, "PK": true, "team": true, "k": true, "name": false, "id": false, "address.street": false,
	} {
		if got := p.Patterns[0].ReadsAttribute(path); got != want {
			t.Errorf("ReadsAttribute(%s) = %v, want %v", path, got, want)
		}
	}
}
