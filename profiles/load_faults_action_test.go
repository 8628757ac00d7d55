package profiles_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/profiles"
)

// shopProfile is a schema with everything that actions need. Each case appends a part, which begins at line 44.
const shopProfile = `name: shop
tables:
  shop: {partition_key: PK, sort_key: SK, indexes: {ByStage: {partition_key: GPK, sort_key: madeAt}}}
entities:
  Order:
    table: shop
    version: version
    keys: {PK: "ORDER#{orderId}", SK: META, GPK: "STAGE#{stage}"}
    attributes:
      orderId: {type: S, required: true, prefix: ord_}
      userId: {type: S, required: true, sensitive: pii}
      stage: {type: S, required: true, enum: [open, paid, lost]}
      total: {type: N}
      paid: {type: BOOL}
      madeAt: {type: S, format: iso8601}
      endsAt: {type: S, format: iso8601}
      ttl: {type: N, format: epoch-seconds, equals: endsAt}
      version: {type: N, required: true}
      notes: {type: M}
      tags: {type: L, items: S}
      address: {type: M, attributes: {city: {type: S}, floor: {type: N}}}
  User:
    table: shop
    keys: {PK: "USER#{userId}", SK: "{site}"}
    attributes: {userId: {type: S, required: true}, site: {type: S, key_only: true}, orders: {type: N}, mail: {type: S, required: true}}
  Session:
    table: shop
    owner: auth service
    keys: {PK: "SESSION#{sessionId}", SK: META}
    attributes: {sessionId: {type: S}}
  Entry:
    table: shop
    keys: {PK: "ENTRY#{orderId}", SK: "{entryId}"}
    attributes: {entryId: {type: S}, orderId: {type: S}, what: {type: S, required: true}}
lifecycles:
  Stage:
    entity: Order
    attribute: stage
    states: {open: {initial: true}, paid: {set: {paid: "true"}}, lost: {}}
    transitions: [{name: pay, from: [open], to: paid}, {name: lose, from: [open], to: lost, documented: false}]
patterns:
  orders: {operation: query, index: ByStage, returns: [Order], key: {GPK: "STAGE#{stage}"}}
  add: {operation: write, writes: PutItem, returns: [Order]}
`

// action returns the declaration of an action named a, in one line.
func action(words string) string { return "actions:\n  a: {" + words + "}\n" }

type faultCase struct{ name, text, want string }

func checkFaults(t *testing.T, cases []faultCase) {
	t.Helper()
	if _, err := profiles.Load("shop.yaml", []byte(shopProfile), nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := profiles.Load("shop.yaml", []byte(shopProfile+c.text), nil)
			got := ""
			if err != nil {
				got = strings.ReplaceAll(err.Error(), "shop.yaml:", "")
			}
			if diff := cmp.Diff(strings.TrimSpace(c.want), got); diff != "" {
				t.Errorf("%s\n(-want +got):\n%s", c.text, diff)
			}
		})
	}
}

func TestInvalidActionsAreReported(t *testing.T) {
	const user = "reads: {user: {entity: User, key: {site: x}}}, "
	checkFaults(t, []faultCase{
		{"id", "actions:\n  Pay: {transition: pay}\n", `45:3: error: actions.Pay: invalid action ID "Pay"; use lowercase letters, digits and hyphens`},
		{"alone", action("entity: User, kind: delete, alone: [ordrs, add, orders]"), `
45:43: error: actions.a.alone.0: unknown pattern "ordrs"; did you mean "orders"?
45:50: error: actions.a.alone.1: add is not a query
45:55: error: actions.a.alone.2: User has no attribute for parameter stage of orders
`},
		{"no entity", action("title: t"), `45:3: error: actions.a: action needs entity: or transition:`},
		{"no change", action("entity: Order"), `45:3: error: actions.a: action changes nothing; add set:, remove: or transition:`},
		{"unknown entity", action("entity: Ordr, set: {total: 1}"), `45:7: error: actions.a.entity: unknown entity "Ordr"; did you mean "Order"?`},
		{"words", action("transition: pay, kind: change, reason: always, findings: [F]"), `
45:24: error: actions.a.kind: unknown kind "change"; known: update, put, delete, move, repair
45:38: error: actions.a.reason: unknown reason "always"; known: required, optional
45:65: error: actions.a.findings.0: unknown finding "F"; none is declared
`},
		{"entity of another service", action("entity: Session, set: {sessionId: x}"), `
45:3: error: actions.a: Session is owned by another service (auth service) and cannot be changed
45:30: error: actions.a.set.sessionId: sessionId is part of the primary key of Session, which only an action of kind move changes
`},
		{"unknown transition", action("transition: pya"), `45:7: error: actions.a.transition: unknown transition "pya"; did you mean "pay"?`},
		{"unknown lifecycle", action("transition: Stages.pay"), `45:7: error: actions.a.transition: unknown transition "Stages.pay"; did you mean "Stage.pay"?`},
		{"transition of another entity", action("entity: User, transition: pay"), `45:21: error: actions.a.transition: unknown transition "pay"; none is declared`},
		{"transition of other kinds", "actions:\n  a: {transition: pay, kind: delete}\n  b: {transition: pay, kind: put, set: {userId: x, stage: open}}\n", `
45:7: error: actions.a.transition: an action of kind delete cannot make a transition
46:7: error: actions.b.transition: an action of kind put cannot make a transition; set the state under set:
`},
		{"state and transition", action("transition: pay, set: {stage: paid}"), `45:30: error: actions.a.set.stage: the transition sets stage; remove it`},
		{"unknown attribute", action("entity: Order, set: {totl: 1, address.town: x, address: {cty: x}}, remove: [note]"), `
45:28: error: actions.a.set.totl: Order has no attribute "totl"; did you mean "total"?
45:37: error: actions.a.set.address.town: Order has no attribute "address.town"; did you mean "address.city"?
45:54: error: actions.a.set.address: address.town and address overlap, and DynamoDB refuses to change both
45:64: error: actions.a.set.address.cty: address has no nested attribute "cty"; did you mean "city"?
45:83: error: actions.a.remove.0: Order has no attribute "note"; did you mean "notes"?
`},
		{"key attributes", action(`entity: Order, set: {orderId: x, GPK: x, ttl: "{now}"}`), `
45:28: error: actions.a.set.orderId: orderId is part of the primary key of Order, which only an action of kind move changes
45:40: error: actions.a.set.GPK: key attribute GPK is derived from STAGE#{stage}; remove it
45:48: error: actions.a.set.ttl: ttl repeats endsAt and is set automatically; remove it
`},
		{
			"attribute inside a key", action(`entity: User, set: {site: x}`),
			`45:27: error: actions.a.set.site: site exists only in the keys of User`,
		},
		{"overlapping paths", action("entity: Order, set: {address.city: x}, remove: [address, userId]"), `
45:55: error: actions.a.remove.0: address.city and address overlap, and DynamoDB refuses to change both
45:64: error: actions.a.remove.1: every Order requires userId, so it cannot be removed
`},
		{"literals", action("entity: Order, set: {total: ten, paid: perhaps, tags: a, address: {floor: one}}"), `
45:28: error: actions.a.set.total: total has type N: "ten" is not a number
45:40: error: actions.a.set.paid: paid has type BOOL: "perhaps" is not a boolean; use true or false
45:55: error: actions.a.set.tags: tags has type L: type L has no text form
45:74: error: actions.a.set.address.floor: address.floor has type N: "one" is not a number
`},
		{"forms", action("entity: Order, set: {total: {a: b}, userId: [a], madeAt: , tags: [{a: b}]}"), `
45:28: error: actions.a.set.total: total has type N and cannot be a map
45:43: error: actions.a.set.userId: userId has type S and cannot be a list
45:56: error: actions.a.set.madeAt: formula is empty; write a formula, or use remove: to delete the attribute
45:73: error: actions.a.set.tags.0: tags has type S and cannot be a map
`},
		{"value of an enum", action("entity: Order, kind: put, set: {stage: pid, userId: x}"), `45:39: error: actions.a.set.stage: "pid" is not a value of stage; did you mean "paid"?`},
		{"formula", action(`entity: Order, set: {userId: "{a", total: "{total:shout}", madeAt: "{a b}"}`), `
45:28: error: actions.a.set.userId: formula "{a": { without }
45:42: error: actions.a.set.total: formula "{total:shout}": "shout" is not a format or a map; formats are date, day, compact, iso8601, iso8601-ms, epoch-seconds, epoch-millis, epoch-micros, epoch-nanos, epoch-decimal, iso8601-local, iso8601-local-ms, hour, week, month, year, lower, upper, 05d, 26, sha256, md5, sha1, mod 10, crc32 mod 10, first 3, div 100, 9999999999 - epoch-seconds
45:66: error: actions.a.set.madeAt: formula "{a b}": "a b" is not a reference; write {name}, {name:format} or {name|default}
`},
		{"unknown name", action(`entity: Order, set: {userId: "{usrId}", total: "{totl} + 1", notes: {by: "{actr}"}, tags: ["{xyzzy}"]}`), `
45:28: error: actions.a.set.userId: unknown reference {usrId}; did you mean "userId"?
45:47: error: actions.a.set.total: unknown reference {totl}; did you mean "total"?
45:76: error: actions.a.set.notes.by: unknown reference {actr}; did you mean "actor"?
45:98: error: actions.a.set.tags.0: unknown reference {xyzzy}; known: orderId, now, today, actor, identity, reason, action, uuid, uuid7
`},
		{"unknown path", action(user + `entity: Order, set: {userId: "{user.mial}", address.city: "{item.address.cty}", notes.seen: "{notes.x} {user.site}"}`), `
45:75: error: actions.a.set.userId: unknown reference {user.mial}; did you mean "user.mail"?
45:98: error: actions.a.set.address.city: unknown reference {item.address.cty}; did you mean "item.address.city"?
45:134: error: actions.a.set.notes.seen: unknown reference {user.site}; did you mean "userId"?
`},
		{"names of entries", action(`entity: Order, set: {notes: "{before}", userId: "{item}"}`), `
45:28: error: actions.a.set.notes: unknown reference {before}; known: orderId, now, today, actor, identity, reason, action, uuid, uuid7
45:47: error: actions.a.set.userId: unknown reference {item}; did you mean "item.orderId"?
`},
		{"names of a new item", action(`entity: Order, kind: put, set: {userId: "{userId}", stage: open, total: "{item.total}"}`), `
45:39: error: actions.a.set.userId: unknown reference {userId}; did you mean "orderId"?
45:72: error: actions.a.set.total: unknown reference {item.total}; known: orderId, now, today, actor, identity, reason, action, uuid, uuid7
`},
		{"clashing names", action("entity: Order, set: {total: 1}, inputs: {now: {}, limit: {}}, let: {reason: x, limit: x, a b: x}, reads: {item: {entity: User, key: {site: x}}}"), `
45:48: error: actions.a.inputs.now: now is already the name of a built-in value; choose another name
45:75: error: actions.a.let.reason: reason is already the name of a built-in value; choose another name
45:86: error: actions.a.let.limit: limit is already the name of an input; choose another name
45:96: error: actions.a.let.a b: invalid name "a b"; use letters, digits, _ and -
45:113: error: actions.a.reads.item: item is already the name of a built-in value; choose another name
`},
		{"circular names", action(`entity: Order, set: {total: 1}, let: {a: "{b}", b: "{c}{a}", c: x}`), `
45:45: error: actions.a.let.a: {a} refers to itself
45:55: error: actions.a.let.b: {b} refers to itself
`},
		{"incomplete item", action("entity: Order, kind: put, set: {total: 1}"), `
45:33: error: actions.a.set: a new Order has no value for stage; add stage to set:
45:33: error: actions.a.set: a new Order has no value for userId; add userId to set:
`},
		{"keys that a put does not allow", action("entity: Order, kind: put, set: {userId: x, stage: open}, remove: [total], require: [{attribute: total, exists: true}]"), `
45:64: error: actions.a.remove: an action of kind put cannot have remove
45:81: error: actions.a.require: an action of kind put cannot have require
`},
		{"keys that a repair does not allow", action("entity: Order, kind: repair, set: {total: 1}, remove: [paid]"), `
45:36: error: actions.a.set: an action of kind repair cannot have set
45:53: error: actions.a.remove: an action of kind repair cannot have remove
`},
		{"requirements", action(`entity: Order, set: {total: 1}, require: [{attribute: totl, equals: 1}, {attribute: total}, {attribute: total, over: 1, under: 3}, {attribute: total, over: "{x}"}, {attribute: stage, equals: gone}]`), `
45:50: error: actions.a.require.0.attribute: Order has no attribute "totl"; did you mean "total"?
45:79: error: actions.a.require.1: expected exactly one of equals, differs, under, up_to, over, from, contains and exists, found 0
45:99: error: actions.a.require.2: expected exactly one of equals, differs, under, up_to, over, from, contains and exists, found 2
45:157: error: actions.a.require.3.over: unknown reference {x}; known: orderId, now, today, actor, identity, reason, action, uuid, uuid7
45:190: error: actions.a.require.4.equals: "gone" is not a value of stage; known: open, paid, lost
`},
		{"input", action(`entity: Order, set: {total: 1}, inputs: {orderId: {default: "{userId}"}, limit: {type: number, default: "{totl}"}, x: {type: nubmer}, y z: {}}`), `
45:58: error: actions.a.inputs.orderId.default: unknown reference {userId}; did you mean "orderId"?
45:102: error: actions.a.inputs.limit.default: unknown reference {totl}; did you mean "total"?
45:126: error: actions.a.inputs.x.type: unknown type "nubmer"; did you mean "number"?
45:141: error: actions.a.inputs.y z: invalid name "y z"; use letters, digits, _ and -
`},
		{"reading", action("entity: Order, set: {total: 1}, reads: {user: {entity: Usr}, other: {entity: User, key: {usrId: x}}}"), `
45:54: error: actions.a.reads.user.entity: unknown entity "Usr"; did you mean "User"?
45:90: error: actions.a.reads.other.key.site: the primary key of User needs {site}, which has no value here; add key: {site: ..}
45:96: error: actions.a.reads.other.key.usrId: the primary key of User does not contain {usrId}; did you mean "userId"?
`},
		{"audit and undo", action("entity: Order, set: {total: 1}, audit: no, undo: [a]"), `
45:39: error: actions.a.audit: unknown audit "no"; did you mean "none"?
45:50: error: actions.a.undo: expected the reason why the action cannot be undone, or values of the undo's audit entry
`},
		{
			"audit without a trail", action("entity: Order, set: {total: 1}, audit: {what: x}"),
			`45:47: error: actions.a.audit.what: no trail with put: covers Order`,
		},
	})
}

func TestInvalidGroupedWritesAreReported(t *testing.T) {
	const user = "entity: Order, set: {total: 1}, reads: {user: {entity: User, key: {site: x}}, session: {entity: " +
		"Session, key: {sessionId: x}}, other: {entity: Order, key: {orderId: x}}}, also: "
	checkFaults(t, []faultCase{
		{"no operation or several", action(user + "[{set: {orders: 1}}, {put: User, update: user}]"), `
45:185: error: actions.a.also.0: expected exactly one of put, update, delete and check, found 0
45:205: error: actions.a.also.1: expected exactly one of put, update, delete and check, found 2
`},
		{"unknown", action(user + "[{put: Usr}, {update: usr}, {delete: xyzzy}, {check: item, require: [{attribute: total, exists: true}]}]"), `
45:186: error: actions.a.also.0.put: unknown entity "Usr"; did you mean "User"?
45:198: error: actions.a.also.1.update: unknown item "usr"; did you mean "user"?
45:213: error: actions.a.also.2.delete: unknown item "xyzzy"; add it to reads:
45:230: error: actions.a.also.3.check: the action itself writes its subject; use set:, remove: and require: of the action
`},
		{"another service", action(user + "[{update: session, set: {x: y}}, {delete: session}]"), `
45:186: error: actions.a.also.0.update: Session is owned by another service (auth service) and cannot be changed
45:209: error: actions.a.also.0.set.x: Session has no attribute "x"
45:218: error: actions.a.also.1.delete: Session is owned by another service (auth service) and cannot be changed
`},
		{"companion without effect", action(user + "[{update: user}, {check: user}]"), `
45:185: error: actions.a.also.0: update changes nothing; add set:, remove: or transition:
45:201: error: actions.a.also.1: check requires nothing; add require:
`},
		{"keys that a companion does not allow", action(user + "[{delete: user, set: {orders: 1}, remove: [mail], transition: pay}, {check: user, remove: [mail], require: [{attribute: mail, exists: true}]}]"), `
45:200: error: actions.a.also.0.set: delete does not support set
45:218: error: actions.a.also.0.remove: delete does not support remove
45:234: error: actions.a.also.0.transition: delete does not support transition
45:266: error: actions.a.also.1.remove: check does not support remove
`},
		{"attributes and names", action(user + `[{update: user, set: {ordrs: 1, mail: "{mial}", site: x}, remove: [mail], require: [{attribute: mil, exists: true}]}]`), `
45:206: error: actions.a.also.0.set.ordrs: User has no attribute "ordrs"; did you mean "orders"?
45:216: error: actions.a.also.0.set.mail: unknown reference {mial}; known: orderId, other, session, user, now, today, actor, identity, reason, action, uuid, uuid7
45:232: error: actions.a.also.0.set.site: site exists only in the keys of User
45:251: error: actions.a.also.0.remove.0: every User requires mail, so it cannot be removed
45:251: error: actions.a.also.0.remove.0: mail is both set and removed
45:269: error: actions.a.also.0.require.0.attribute: User has no attribute "mil"; did you mean "mail"?
`},
		{"incomplete companion", action(user + "[{put: User, set: {orders: 1}}]"), `
45:197: error: actions.a.also.0.set: a new User has no value for mail; add mail to set:
45:197: error: actions.a.also.0.set: a new User has no value for site; add site to let:, because it exists only in a key
`},
		{"when", action(user + "[{update: user, set: {orders: 1}, if: usr, unless: totl}]"), `
45:218: error: actions.a.also.0.if: unknown name "usr"; did you mean "user"?
45:227: error: actions.a.also.0.unless: unknown name "totl"; did you mean "total"?
`},
		{"transitions", action(user + "[{update: other, transition: pya}, {update: other, transition: \"Stage.{to}\"}, {update: user, transition: pay}]"), `
45:201: error: actions.a.also.0.transition: unknown transition "pya"; did you mean "pay"?
45:235: error: actions.a.also.1.transition: only the transition of the action itself can take its state from an input; name a single transition
45:277: error: actions.a.also.2.transition: unknown transition "pay"; none is declared
`},
		{"unknown bundle", action("entity: Order, set: {total: 1}, uses: [evnt]") + "bundles: {event: {let: {a: x}}}\n", `
45:46: error: actions.a.uses.0: unknown bundle "evnt"; did you mean "event"?
46:11: error: bundles.event: bundle is not used by any action; reference it in uses: of an action, or remove it
`},
		{"faults of a bundle, once", "actions:\n  a: {entity: Order, set: {total: 1}, uses: [event]}\n  b: {entity: Order, set: {total: 1}, uses: [event]}\nbundles: {event: {let: {x: \"{totl}\"}, also: [{update: usr}]}}\n", `
47:25: error: bundles.event.let.x: unknown reference {totl}; did you mean "total"?
47:47: error: bundles.event.also.0.update: unknown item "usr"; add it to reads:
`},
		{"clash with a bundle", action("entity: Order, set: {total: 1}, uses: [event], inputs: {x: {}}, let: {y: b}") + "bundles: {event: {let: {x: a, y: a}}}\n", `46:25: error: bundles.event.let.x: x is already the name of an input; choose another name`},
	})
}

func TestInvalidTrailsAndQueuesAreReported(t *testing.T) {
	const (
		about = "about: {Order: {orderId: \"{orderId}\"}}"
		pay   = "actions:\n  pay: {transition: pay}\n"
	)
	checkFaults(t, []faultCase{
		{"incomplete trail", "trails:\n  Entri: {}\n  Entry: {}\n", `
45:3: error: trails.Entri: unknown entity "Entri"; did you mean "Entry"?
46:3: error: trails.Entry.about: trail names no entity; add Entity: {attribute of the entry: "{attribute of the item}"}
`},
		{"fields", "trails:\n  Entry: {who: user, what: wat, " + about + "}\n", `
45:11: error: trails.Entry.who: Entry has no attribute "user"
45:22: error: trails.Entry.what: Entry has no attribute "wat"; did you mean "what"?
`},
		{"subjects", "trails:\n  Entry: {about: {Ordr: {}, Order: {orderid: \"{oderId}\", orderId: \"{now}\"}}}\n", `
45:19: error: trails.Entry.about.Ordr: unknown entity "Ordr"; did you mean "Order"?
45:37: error: trails.Entry.about.Order.orderid: Entry has no attribute "orderid"; did you mean "orderId"?
45:58: error: trails.Entry.about.Order.orderId: {now} is not an attribute of Order
`},
		{"values", "trails:\n  Entry: {" + about + ", let: {now: x}, put: {entryId: \"{uid}\", what: \"{action}\", wat: x}}\n", `
45:57: error: trails.Entry.let.now: now is already the name of a built-in value; choose another name
45:66: error: trails.Entry.put: the audit entry of repair-index-key in Entry has no value for entryId; set it under put: of the trail, or under audit:
45:72: error: trails.Entry.put.entryId: unknown reference {uid}; did you mean "uuid"?
45:108: error: trails.Entry.put.wat: Entry has no attribute "wat"; did you mean "what"?
`},
		{"incomplete entry", pay + "trails:\n  Entry: {" + about + ", put: {entryId: \"{uuid}\"}}\n", `
45:3: error: actions.pay: the audit entry of pay in Entry has no value for what; set it under put: of the trail, or under audit:
47:51: error: trails.Entry.put: the audit entry of repair-index-key in Entry has no value for what; set it under put: of the trail, or under audit:
`},
		{"values of an action", "actions:\n  pay: {transition: pay, audit: {wht: x, what: \"{actio}\"}, undo: {what: \"{actio}\"}}\ntrails:\n  Entry: {" + about + ", put: {entryId: \"{uuid}\", what: x}}\n", `
45:34: error: actions.pay.audit.wht: Entry has no attribute "wht"; did you mean "what"?
45:42: error: actions.pay.audit.what: unknown reference {actio}; did you mean "action"?
45:67: error: actions.pay.undo.what: unknown reference {actio}; did you mean "action"?
`},
		{"trail of another service", "trails:\n  Session: {about: {Order: {}}, put: {sessionId: x}}\n", `45:33: error: trails.Session.put: Session is owned by another service (auth service); remove put:`},
		{"read", "trails:\n  Entry: {" + about + ", read: {operation: query, key: {PK: \"ENTRY#{orderId}\", SK: " +
			"{begins_with: \"{since}\"}}}}\n", `45:51: error: trails.Entry.read.parameters.since: {since} is neither a name under about: nor an attribute of Order; set a default`},
		{"read of another entity", "trails:\n  Entry: {" + about + ", read: {pattern: orders}}\n  User: {about: {Order: {}}, read: {pattern: ordrs, order: ascending, operation: get}}\n", `
45:51: error: trails.Entry.read: read does not return Entry
46:30: error: trails.User.read: a read with pattern: cannot have other fields
46:37: error: trails.User.read.pattern: unknown pattern "ordrs"; did you mean "orders"?
`},
		{"incomplete queue", "queues:\n  q: {}\n  Q: {pattern: ordrs}\n  r: {pattern: add}\n", `
45:3: error: queues.q: expected either pattern: or read:
46:3: error: queues.Q: invalid queue ID "Q"; use lowercase letters, digits and hyphens
46:7: error: queues.Q.pattern: unknown pattern "ordrs"; did you mean "orders"?
47:7: error: queues.r.pattern: pattern add is a write
`},
		{"arguments", "queues:\n  q: {pattern: orders, args: {stage: opn, stge: x}}\n  r: {pattern: orders}\n", `
45:31: error: queues.q.args.stage: "opn" is not one of open, paid, lost; did you mean "open"?
45:43: error: queues.q.args.stge: orders has no parameter "stge"; did you mean "stage"?
46:3: error: queues.r.args: orders requires stage; add stage to args: or parameters:
`},
		{"parameters", "queues:\n  q: {pattern: orders, parameters: [stge, stage, stage]}\n  r: {pattern: orders, args: {stage: open}, parameters: [stage]}\n", `
45:37: error: queues.q.parameters.0: orders has no parameter "stge"; did you mean "stage"?
45:50: error: queues.q.parameters.2: duplicate parameter stage
46:58: error: queues.r.parameters.0: stage already has a value under args:; remove it here or there
`},
		{"queue after an action", "actions:\n  visit: {entity: User, set: {orders: 1}}\n  pay: {transition: pay}\nqueues:\n" +
			"  q: {pattern: orders, parameters: [stage], after: [visit, pay, vist]}\n  r: {pattern: orders, args: {stage: open}, after: [pay]}\n", `
48:53: error: queues.q.after.0: User has no attribute for parameter stage of orders
48:65: error: queues.q.after.2: unknown action "vist"; did you mean "visit"?
49:45: error: queues.r.after: queue has no parameter that the item of an action fills; add parameters:
`},
		{"actions of a queue", "actions:\n  visit: {entity: User, set: {orders: 1}}\nqueues:\n  q: {pattern: orders, args: {stage: open}, actions: [visit, vist]}\n", `
47:55: error: queues.q.actions.0: visit changes a User, which the queue does not return
47:62: error: queues.q.actions.1: unknown action "vist"; did you mean "visit"?
`},
		{"id of a pattern", "queues:\n  orders: {read: {operation: scan, returns: [User]}}\n", `45:3: error: queues.orders: orders is already the ID of a pattern; choose another ID`},
		{
			"write as a queue", "queues:\n  q: {read: {operation: write, returns: [User]}}\n",
			`45:14: error: queues.q.read.operation: expected a read, found operation write`,
		},
	})
}

func TestInvalidVersionAndUpdatedAreReported(t *testing.T) {
	for name, c := range map[string]struct{ old, now, want string }{
		"version": {
			"version: version\n", "version: stage\n",
			`7:5: error: entities.Order.version: stage is incremented by every change, so it must have type N, not S`,
		},
		"updated": {"version: version\n", "updated: versio\n", `7:5: error: entities.Order.updated: Order has no attribute "versio"; did you mean "version"?`},
		"day":     {"version: version\n", "updated: total\n", `7:5: error: entities.Order.updated: total must be a time, because it holds the time of the last change; set a format such as iso8601`},
		"state": {`{paid: "true"}`, `{paid: "{userId}", pid: x, orderId: x}`, `
39:50: error: lifecycles.Stage.states.paid.set.paid: unknown reference {userId}; did you mean "uuid"?
39:68: error: lifecycles.Stage.states.paid.set.pid: Order has no attribute "pid"; did you mean "paid"?
39:76: error: lifecycles.Stage.states.paid.set.orderId: orderId is part of the primary key of Order, which only an action of kind move changes
`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := profiles.Load("shop.yaml", []byte(strings.Replace(shopProfile, c.old, c.now, 1)), nil)
			if err == nil || strings.ReplaceAll(err.Error(), "shop.yaml:", "") != strings.TrimSpace(c.want) {
				t.Errorf("got\n%v\nwant%s", err, c.want)
			}
		})
	}
}

func TestInvalidTransitionNamesAreReported(t *testing.T) {
	const moves = "[{name: pay, from: [open], to: paid}, {name: lose, from: [open], to: lost, documented: false}]"
	for name, c := range map[string]struct{ moves, more, text, want string }{
		"two transitions with one name": {
			"[{name: pay, from: [open], to: paid}, {name: pay, from: [lost], to: paid}]", "", "transition: pay",
			"45:7: error: actions.a.transition: 2 transitions of Stage have the name pay; use different names",
		},
		"two lifecycles": {
			moves, "  Paid: {entity: Order, attribute: paid, states: {a: {}, b: {}}, transitions: [{name: pay, from: [a], to: " +
				"b}]}\n", "transition: pay",
			"46:7: error: actions.a.transition: Stage and Paid both have transition pay; write Stage.pay",
		},
		"no documented transition": {
			"[{from: [open], to: paid, documented: false}]", "", `transition: "Stage.{to}"`,
			"45:7: error: actions.a.transition: Stage has no documented transitions",
		},
		"no name": {
			"[{from: [open], to: paid}]", "", "transition: Stage.",
			`45:7: error: actions.a.transition: unknown transition "Stage."; none is declared`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(shopProfile, moves+"\n", c.moves+"\n"+c.more, 1) + action(c.text)
			_, err := profiles.Load("shop.yaml", []byte(text), nil)
			if err == nil || strings.ReplaceAll(err.Error(), "shop.yaml:", "") != c.want {
				t.Errorf("got\n%v\nwant\n%s", err, c.want)
			}
		})
	}
}
