package profiles_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/profiles"
)

// table is the shortest schema to which a case can add a fault without causing others.
const table = "name: shop\ntables: {shop: {partition_key: PK, sort_key: SK, indexes: {ByMail: {partition_key: mail}}}}\n"

// user is the schema of table with an entity. Each case appends a part.
const user = table + "entities:\n  User:\n    table: shop\n    keys: {PK: \"USER#{id}\", SK: META}\n    attributes:\n      id: {type: S}\n"

func TestInvalidSchemasAreReported(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty file", "", `shop.yaml:1:1: error: file is empty; a schema starts with name:`},
		{"only a comment", "# nothing yet\n", `shop.yaml:1:1: error: file is empty; a schema starts with name:`},
		{
			"not YAML", "name: shop\ntables: [\n",
			`shop.yaml:3:1: error: not YAML: did not find expected node content while parsing a flow node`,
		},
		{
			"tab", "name: shop\ntables:\n\tshop: {}\n",
			`shop.yaml:3:1: error: not YAML: found character that cannot start any token while scanning for the next token`,
		},
		{
			"a type that YAML reads as nothing", user + "      gone: {type: NULL}\n",
			`shop.yaml:9:7: error: entities.User.attributes.gone: attribute has no type; use one of S N B BOOL "NULL" M L SS NS BS`,
		},
		{"Latin-1 text", "name: shop\ntitle: \"caf\xe9\"\n", `shop.yaml:2:1: error: not UTF-8 text; save the file as UTF-8`},
		{"two documents", "name: shop\n---\nname: b\n", `shop.yaml:1:1: error: not YAML: expected single document, found multiple`},
		{"a list", "- name\n", `shop.yaml:1:1: error: expected a mapping (key: value), found a list`},
		{"text", "shop\n", `shop.yaml:1:1: error: expected a mapping (key: value), found "shop"`},
		{"unknown key", "nam: shop\n" + table[11:], `
shop.yaml: error: name: invalid schema name ""; use lowercase letters, digits and hyphens
shop.yaml:1:1: error: nam: unknown key "nam"; did you mean "name"?
`},
		{"unknown key without a similar one", table + "xyzzy_plugh: 1\n", `shop.yaml:3:1: error: xyzzy_plugh: unknown key "xyzzy_plugh"; use name, title, description, source, variables, requests, session, undeclared, guardrails, maps, tables, mixins, entities, lifecycles, patterns, actions, bundles, trails, queues, findings, accept, include, or overlays`},
		{"wrong types", table + "entities: [User]\nfindings: none\nguardrails: {regions: {a: b}}\n", `
shop.yaml:3:1: error: entities: expected a mapping (key: value), found a list
shop.yaml:4:1: error: findings: expected a mapping (key: value), found "none"
shop.yaml:5:14: error: guardrails.regions: expected a list, found a mapping
`},
		{"wrong scalars", user + "      n: {type: S, required: yes, key_only: [true]}\npatterns:\n  p: {operation: get, table: shop, stop_after: few}\n", `
shop.yaml:9:20: error: entities.User.attributes.n.required: expected true or false, found "yes"
shop.yaml:9:35: error: entities.User.attributes.n.key_only: expected plain text, found a list
shop.yaml:11:36: error: patterns.p.stop_after: expected a whole number, found "few"
`},
		{"twice", user + "      id: {type: N}\n", `shop.yaml:9:7: error: entities.User.attributes.id: duplicate key "id"`},
		{"no name", "tables: {t: {partition_key: id}}\n", `shop.yaml: error: name: invalid schema name ""; use lowercase letters, digits and hyphens`},
		{"no tables", "name: shop\n", `shop.yaml: error: tables: schema has no tables`},
		{"no partition key", "name: shop\ntables: {t: {sort_key: id, indexes: {i: {sort_key: x}}}}\n", `
shop.yaml:2:10: error: tables.t: table has no partition_key
shop.yaml:2:38: error: tables.t.indexes.i: index has no partition_key
`},
		{"key type", "name: shop\ntables: {t: {partition_key: {name: id, type: BOOL}}}\n", `shop.yaml:2:40: error: tables.t.partition_key.type: unknown type "BOOL"; known: S, N, B`},
		{"unknown table", strings.Replace(
			user, "table: shop", "table: shp", 1,
		), `shop.yaml:5:5: error: entities.User.table: unknown table "shp"; did you mean "shop"?`},
		{
			"no key template", strings.Replace(user, ", SK: META", "", 1),
			`shop.yaml:6:5: error: entities.User.keys: User has no template for key attribute SK`,
		},
		{"no key attribute", strings.Replace(
			user, "SK: META", "SK: META, SQ: x", 1,
		), `shop.yaml:6:39: error: entities.User.keys.SQ: SQ is not a key attribute of shop or its indexes; did you mean "SK"?`},
		{"unknown placeholder", strings.Replace(
			user, "USER#{id}", "USER#{di}", 1,
		), `shop.yaml:6:12: error: entities.User.keys.PK: {di} is not an attribute of User; did you mean "id"?`},
		{"bad templates", strings.Replace(user, `"USER#{id}", SK: META`, `"USER#{id", SK: "{id:shouting}"`, 1), `
shop.yaml:6:12: error: entities.User.keys.PK: template "USER#{id": { without }
shop.yaml:6:28: error: entities.User.keys.SK: template "{id:shouting}": "shouting" is not a format or a map; formats are date, day, compact, iso8601, iso8601-ms, epoch-seconds, epoch-millis, epoch-micros, epoch-nanos, epoch-decimal, iso8601-local, iso8601-local-ms, hour, week, month, year, lower, upper, 05d, 26, sha256, md5, sha1, mod 10, crc32 mod 10, first 3, div 100, 9999999999 - epoch-seconds
`},
		{"more bad templates", strings.NewReplacer(`"USER#{id}", SK: META`, `"{id}{no}", SK: "a}[b"`, "id: {type: S}",
			"id: {type: S, key_only: true}\n      no: {type: S, key_only: true}").Replace(user), `
shop.yaml:6:12: error: entities.User.keys.PK: template "{id}{no}": {no} follows {id} with no text between; a key could not be split into its parts; write text between them, or a width such as {id:26}
shop.yaml:6:28: error: entities.User.keys.SK: template "a}[b": } without {
`},
		{
			"bad conditions of keys", strings.Replace(user, `"USER#{id}"`, `{template: "USER#{id}", when: {id: [a]}}`, 1) +
				"      kind: {type: S, enum: [user]}\n    when: {equals: {kind: usr, nobody: x}}\n", `
shop.yaml:6:40: error: entities.User.keys.PK.when: every item has PK, a key of the table; remove it, or describe the items as another entity
shop.yaml:10:27: error: entities.User.when.equals.kind.0: "usr" is not a value of kind; did you mean "user"?
shop.yaml:10:32: error: entities.User.when.equals.nobody: User has no attribute "nobody"
`,
		},
		{
			"a key that can be empty", strings.Replace(user, `"USER#{id}"`, `"[USER#{id}]"`, 1),
			`shop.yaml:6:12: error: entities.User.keys.PK: template "[USER#{id}]" is optional as a whole; a key cannot be empty; write a part that every key has`,
		},
		{"unknown type and format", user + "      n: {type: STRING, format: iso, sensitive: very}\n", `
shop.yaml:9:11: error: entities.User.attributes.n.type: unknown type "STRING"; known: S, N, B, BOOL, NULL, M, L, SS, NS, BS
shop.yaml:9:25: error: entities.User.attributes.n.format: unknown format "iso"; did you mean "iso8601"?
shop.yaml:9:38: error: entities.User.attributes.n.sensitive: unknown sensitivity "very"; known: pii, secret
`},
		{"unknown attributes", user + "    columns: [idd]\n    groups: {All: [nme]}\n", `
shop.yaml:9:15: error: entities.User.columns.0: User has no attribute "idd"; did you mean "id"?
shop.yaml:10:20: error: entities.User.groups.All.0: User has no attribute "nme"
`},
		{"bad reference", user + "      n: {type: S, refers: Usr.id}\n      m: {type: S, refers: User.idd}\n      o: {type: S, refers: id}\n", `
shop.yaml:9:20: error: entities.User.attributes.n.refers: unknown entity "Usr"; did you mean "User"?
shop.yaml:10:20: error: entities.User.attributes.m.refers: User has no attribute "idd"; did you mean "id"?
shop.yaml:11:20: error: entities.User.attributes.o.refers: expected Entity.attribute, found "id"
`},
		{"unknown entity", user + "patterns:\n  p: {operation: get, returns: [Usr]}\n", `
shop.yaml:10:3: error: patterns.p: pattern needs table: or an entity in returns:
shop.yaml:10:33: error: patterns.p.returns.0: unknown entity "Usr"; did you mean "User"?
`},
		{"unknown index", user + "patterns:\n  p: {operation: query, index: ByMale, returns: [User], key: {mail: x}}\n", `shop.yaml:10:25: error: patterns.p.index: shop has no index "ByMale"; did you mean "ByMail"?`},
		{"unknown operation", user + "patterns:\n  p: {operation: fetch, returns: [User]}\n", `shop.yaml:10:7: error: patterns.p.operation: unknown operation "fetch"; known: get, query, count, scan, write`},
		{"writing variant", user + "patterns:\n  p: {operation: get, returns: [User], parameters: {mail: {required: false}}, variants: [{when: [mail], operation: write}]}\n", "shop.yaml:10:105: error: patterns.p.variants.0.operation: a variant cannot write; use get, query or scan, or declare another pattern"},
		{
			"words that select items but have no effect", user + "patterns:\n" +
				"  g: {operation: get, returns: [User], key: {PK: \"USER#{id}\", SK: META}, filter: [{attribute: id, equals: x}]}\n" +
				"  s: {operation: scan, returns: [User], key: {PK: \"USER#{id}\"}}\n" +
				"  w: {operation: write, returns: [User], fan_out: {placeholder: id, values: [a]}, key: {PK: \"USER#{id}\"}}\n" +
				"  v: {operation: get, returns: [User], key: {PK: \"USER#{id}\", SK: META}, parameters: {mail: {required: false}},\n" +
				"    variants: [{when: [mail], operation: scan, key: {mail: x}}]}\n",
			`
shop.yaml:10:74: error: patterns.g.filter: filter has no effect with operation get; remove it, or use another operation
shop.yaml:11:41: error: patterns.s.key: key has no effect with operation scan; remove it, or use another operation
shop.yaml:12:42: error: patterns.w.fan_out: fan_out has no effect with operation write; remove it, or use another operation
shop.yaml:14:48: error: patterns.v.variants.0.key: key has no effect with operation scan; remove it, or use another operation
`,
		},
		{
			"defaults of a parameter", user + "patterns:\n" +
				"  p: {operation: get, returns: [User], key: {PK: \"USER#{id}\", SK: \"{day}{mode}\"}, parameters: {day: {type: date, default: tomorow},\n" +
				"    mode: {enum: [all, new], default_when: [{if: {dya: [today]}, value: old}]}}}\n",
			`
shop.yaml:10:114: error: patterns.p.parameters.day.default: "tomorow" is not a time; use 2026-01-14, 2026-01-14T10:00:00Z, epoch seconds, today, yesterday, or now-7d
shop.yaml:11:46: error: patterns.p.parameters.mode.default_when.0.if: unknown parameter "dya"; did you mean "day"?
shop.yaml:11:66: error: patterns.p.parameters.mode.default_when.0.value: "old" is not one of all, new
`,
		},
		{
			"variant without when, and an unknown write", user + "patterns:\n" +
				"  p: {operation: query, returns: [User], key: {PK: \"USER#{id}\"}, variants: [{index: ByMail, key: {mail: \"{mail}\"}}]}\n" +
				"  w: {operation: write, returns: [User], writes: PutItems}\n",
			`
shop.yaml:10:77: error: patterns.p.variants.0: variant has no when:, so it would always replace the pattern's request; list the parameters that select it
shop.yaml:11:42: error: patterns.w.writes: unknown operation "PutItems"; did you mean "PutItem"?
`,
		},
		{
			"negative numbers", user + "patterns:\n" +
				"  p: {operation: query, returns: [User], key: {PK: \"USER#{id}\"}, stop_after: -1, fan_out: {placeholder: id, values: [a], max: -2}}\n",
			`
shop.yaml:10:66: error: patterns.p.stop_after: invalid number -1; write a number from 1 on, or remove it
shop.yaml:10:122: error: patterns.p.fan_out.max: invalid number -2; write a number from 1 on, or remove it
`,
		},
		{"no operation", user + "patterns:\n  p: {returns: [User]}\n", `shop.yaml:10:3: error: patterns.p: request has no operation; use one of get, query, count, scan, write`},
		{"unknown filter attribute", user + "patterns:\n  p: {operation: scan, returns: [User], filter: [{attribute: idd, equals: x}, {attribute: id}]}\n", `
shop.yaml:10:51: error: patterns.p.filter.0.attribute: User has no attribute "idd"; did you mean "id"?
shop.yaml:10:79: error: patterns.p.filter.1: condition is empty
`},
		{"ends without a range", user + "patterns:\n  p: {operation: query, returns: [User], key: {PK: \"USER#{id}\", SK: {from: \"{a}\", to: \"{b}\"}}}\n", `
shop.yaml:10:65: error: patterns.p.key.SK: from: and to: without range:; add range: with the name of the placeholder that is compared
`},
		{"empty condition", user + "patterns:\n  p: {operation: query, returns: [User], key: {PK: {}, SK: {range: nothing}}}\n", `
shop.yaml:10:48: error: patterns.p.key.PK: condition is empty; write a template, begins_with:, or range: with from: and to:
shop.yaml:10:61: error: patterns.p.key.SK.range: no key template of SK in User contains {nothing}
`},
		{
			"bad limit", user + "patterns:\n  p: {operation: scan, returns: [User], limit: all}\n",
			`shop.yaml:10:41: error: patterns.p.limit: expected a number of rows or a {parameter}, found "all"`,
		},
		{"sample items of an unknown state", user + "    sample: {per: User, during: b}\nlifecycles:\n" +
			"  L: {entity: User, attribute: id, states: {a: {}}}\n", `
shop.yaml:9:25: error: entities.User.sample.during: unknown state "b"; known: a
`},
		{"computed sample values", user + "      n: {type: N}\n      o: {type: N}\n      p: {type: N}\n      q: {type: N}\n    sample:\n      computed: {m: '{n}', id: '{n}', n: '{x}', o: '{sum.Usr.n}', " +
			"p: '{count.User.b}', q: '{'}\n      together: [{values: {z: a}}]\n", `
shop.yaml:14:18: error: entities.User.sample.computed.m: User has no attribute "m"
shop.yaml:14:28: error: entities.User.sample.computed.id: id is a part of key PK, which is made before values are computed
shop.yaml:14:39: error: entities.User.sample.computed.n: User has no attribute "x"
shop.yaml:14:49: error: entities.User.sample.computed.o: unknown entity "Usr"; did you mean "User"?
shop.yaml:14:67: error: entities.User.sample.computed.p: User has no state "b"
shop.yaml:14:88: error: entities.User.sample.computed.q: formula "{": { without }
shop.yaml:15:7: error: entities.User.sample.together: User has no attribute "z"
`},
		{"unknown states", user + "lifecycles:\n  L: {entity: User, attribute: idd, states: {a: {kind: happy}}, transitions: [{from: [b], to: c}]}\n", `
shop.yaml:10:21: error: lifecycles.L.attribute: User has no attribute "idd"; did you mean "id"?
shop.yaml:10:50: error: lifecycles.L.states.a.kind: unknown kind "happy"; known: open, good, bad, final
shop.yaml:10:87: error: lifecycles.L.transitions.0.from.0: unknown state "b"; known: a
shop.yaml:10:91: error: lifecycles.L.transitions.0.to: unknown state "c"; known: a
`},
		{"bad finding", user + "findings:\n  F: {kind: WORNG, text: t, patterns: [p], entities: [Usr]}\n  G: {}\n", `
shop.yaml:10:7: error: findings.F.kind: unknown kind "WORNG"; did you mean "WRONG"?
shop.yaml:10:40: error: findings.F.patterns.0: unknown pattern "p"; none is declared
shop.yaml:10:55: error: findings.F.entities.0: unknown entity "Usr"; did you mean "User"?
shop.yaml:11:3: error: findings.G: finding needs a kind and a text
`},
		{
			"terms of a session", table + "session: {reason: always, ticket: \"OPS-(\"}\n",
			`
shop.yaml:3:11: error: session.reason: unknown reason "always"; known: required, optional
shop.yaml:3:27: error: session.ticket: invalid regular expression "OPS-("; write one such as OPS-[0-9]+
`,
		},
		{
			"ambiguous map", table + "maps: {m: {values: {a: X, b: X}}}\n",
			`shop.yaml:3:27: error: maps.m.values.b: "a" and "b" both map to "X", so a key cannot be decoded`,
		},
		{"unknown variable", "name: shop\nvariables: {stage: {default: dev}}\ntables: {t: {name: \"shop-{stge}\", " +
			"partition_key: id}}\n", `shop.yaml:3:14: error: tables.t.name: unknown variable {stge}; did you mean "stage"?`},
		{"alias inside itself", table + "entities: &e\n  User: *e\n", `
shop.yaml:4:3: error: entities.User: alias refers to a mapping that contains it; write the value instead
shop.yaml:4:3: error: entities.User: entity has no table
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := profiles.Load("shop.yaml", []byte(c.text), nil)
			got := ""
			if err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(strings.TrimSpace(c.want), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnknownVariableIsRejected(t *testing.T) {
	const text = "name: shop\nvariables: {stage: {default: dev}, zone: {}}\ntables: {t: {name: \"{stage}-{zone}\", partition_key: id}}\n"
	_, err := profiles.Load("shop.yaml", []byte(text), map[string]string{"stge": "prod"})
	want := `shop.yaml:2:1: error: variables: --var stge: unknown variable; did you mean "stage"?
shop.yaml:2:36: error: variables.zone: variable has no value; set a default, or pass --var zone=VALUE`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	_, err = profiles.Load("shop.yaml", []byte(text), map[string]string{"other": "1", "zone": "a"})
	want = "shop.yaml:2:1: error: variables: --var other: unknown variable; the schema's variables are stage and zone"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	p, err := profiles.Load("shop.yaml", []byte(text), map[string]string{"stage": "prod", "zone": "a"})
	if err != nil || p.Tables[0].Name != "prod-a" {
		t.Errorf("with both values: got %v", err)
	}
}

func TestLoadListsHundredErrors(t *testing.T) {
	text := user
	for i := range 100 {
		text += fmt.Sprintf("      a%d: {type: S, colour: red}\n", i)
	}
	_, err := profiles.Load("shop.yaml", []byte(text), nil)
	var list profiles.Errors
	if !errors.As(err, &list) || len(list) != 100 {
		t.Fatalf("got %d faults, want 100: %v", len(list), err)
	}
	for i, d := range list {
		if d.Line != 9+i || d.Rule != "unknown-word" {
			t.Errorf("fault %d is %v", i, d)
		}
	}
}

func TestKeysMayHaveAnyName(t *testing.T) {
	text := "name: shop\ntables: {t: {partition_key: \"made#id\"}}\nentities: {e: {table: t, attributes: {\"made#id\": {type: S}}}}\n"
	p, err := profiles.Load("shop.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	if template, ok := p.Entities[0].KeyTemplate("made#id"); !ok || template.String() != "{made#id}" {
		t.Errorf("got template %q, want {made#id}", template)
	}
}

func TestExponentialAliasesAreRejected(t *testing.T) {
	text := "name: shop\nguardrails:\n  notes: &a [x, x, x, x, x, x, x, x]\nentities:\n  e0: &e0 {groups: {g: *a, h: *a, i: *a, j: *a}}\n"
	attributes := "&m0 {type: S, description: d, format: text, prefix: p}"
	for i := range 12 {
		attributes = fmt.Sprintf("&m%d {type: M, attributes: {a: %s, b: *m%d, c: *m%d, d: *m%d}}", i+1, attributes, i, i, i)
	}
	text += "  e1: {attributes: {z: " + attributes + "}}\n"
	_, err := profiles.Load("shop.yaml", []byte(text), nil)
	if err == nil || !strings.Contains(err.Error(), "parts") {
		t.Errorf("16 million attributes: got %.200v, want an error about parts", err)
	}
}

// A comparison of times in a format that does not sort would silently return wrong items.
func TestUnsortableTimeFormatsAreReported(t *testing.T) {
	const text = `name: shop
tables: {t: {partition_key: PK, sort_key: SK}}
entities:
  Log:
    table: t
    keys: {PK: "LOG#{id}", SK: "{at}"}
    attributes: {id: {type: S}, at: {type: S, format: FORMAT}, n: {type: N, format: NUMBER}}
patterns:
  p: {operation: query, returns: [Log], key: {PK: "LOG#{id}"SORT}FILTER}
actions:
  a: {entity: Log, inputs: {x: {}}, set: {n: "{now-2d}"}REQUIRE}
`
	fill := func(format, number, sort, filter, require string) string {
		return strings.NewReplacer("FORMAT", format, "NUMBER", number, "SORT", sort, "FILTER", filter, "REQUIRE", require).Replace(text)
	}
	const unsorted, digits = `"%d/%m/%Y"`, `"%Y%m%d"`
	const rangeOf, filter, require = `, SK: {range: at, from: "{from}"}`, `, filter: [{attribute: at, from: "{from}"}]`,
		`, require: [{attribute: at, over: "{now}"}]`
	for _, c := range []struct{ text, want string }{
		{fill(`"%Y/%m/%d"`, digits, rangeOf, "", require), ""},
		{fill(unsorted, digits, `, SK: "{at}"`, "", ""), ""},
		{fill(`"%Y-%W"`, digits, "", "", ""), `at.format: layout "%Y-%W": "%W" is not a directive`},
		{fill(unsorted, digits, rangeOf, "", ""), `key.SK.range: {at} has times in the format %d/%m/%Y, which do not sort by time`},
		{strings.Replace(fill(unsorted, digits, rangeOf, "", ""), `SK: "{at}"`, `SK: "{at:day}"`, 1), ""},
		{
			strings.Replace(fill(`"%d/%m/%Y %H:%M"`, digits, rangeOf, "", ""), `SK: "{at}"`, `SK: "{at:day}"`, 1),
			`key.SK.range: at has times in the format %d/%m/%Y %H:%M, which do not sort by time`,
		},
		{fill(unsorted, digits, `, SK: {gte: "{at}"}`, "", ""), `key.SK: {at} has times in the format %d/%m/%Y`},
		{fill(unsorted, digits, `, SK: {between: ["{at}", "{b}"]}`, "", ""), `key.SK: {at} has times in the format %d/%m/%Y`},
		{fill(unsorted, digits, "", filter, ""), `filter.0: at has times in the format %d/%m/%Y`},
		{fill(unsorted, digits, "", "", require), `require.0.over: at has times in the format %d/%m/%Y`},
		{fill(unsorted, `"%Y-%m"`, "", "", ""), `n.format: n has type N, but times in the format %Y-%m are not numbers; use type S`},
		{fill(unsorted, "iso8601", "", "", ""), `n.format: n has type N, but times in the format iso8601 are not numbers`},
	} {
		_, err := profiles.Load("shop.yaml", []byte(c.text), nil)
		if got := fmt.Sprint(err); c.want == "" && err != nil || !strings.Contains(got, c.want) {
			t.Errorf("got %v, want %s\n%s", err, c.want, c.text)
		}
	}
}

func TestInvalidComputedPartsAreReported(t *testing.T) {
	for attribute, want := range map[string]string{
		"{type: S}":                   "",
		"{type: N}":                   "",
		`{type: S, format: "%Y%m%d"}`: "",
		"{type: S, format: uuid}":     "keys.PK: {id:mod 9}: values of id are not whole numbers; name the hash of the schema, such as {id:crc32 mod 9}",
		"{type: S, prefix: ord_}":     "values of id are not whole numbers",
		"{type: BOOL}":                "keys.PK: {id:mod 9}: id has type BOOL; use an attribute of type S or N",
		"{type: B}":                   "id has type B",
	} {
		text := "name: shop\ntables: {t: {partition_key: PK}}\nentities: {A: {table: t, keys: {PK: \"{id:mod 9}#{id}\"}, attributes: {id: " + attribute + "}}}\n"
		_, err := profiles.Load("shop.yaml", []byte(text), nil)
		if got := fmt.Sprint(err); want == "" && err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: got %v, want %s", attribute, err, want)
		}
	}
}

func TestInvalidOneWayKeysAreReported(t *testing.T) {
	const text = `name: shop
tables: {t: {partition_key: PK, sort_key: SK}}
entities:
  A: {table: t, keys: {PK: {template: "A#{x}{y}", digest: sha256}, SK: "{n}"}, attributes: {x: {type: S}, n: {type: S}, y: {type: S}}}
patterns:
  p: {operation: get, key: {PK: {equals: "A#{x}{y}", digest: sha256}, SK: "{n}"}, returns: [A]}
`
	for _, c := range []struct{ old, text, want string }{
		{"", "", ""},
		{"y: {type: S}", "y: {type: S, key_only: true}", "keys.PK: y exists only in keys, and a one-way key cannot be read; store y as an attribute"},
		{"{y}\", digest: sha256", "{y}\", digest: sha512", `PK.digest: unknown digest "sha512"`},
		{"equals: ", "begins_with: ", "key.PK.digest: a digest can only be compared for equality; write equals:"},
	} {
		_, err := profiles.Load("shop.yaml", []byte(strings.Replace(text, c.old, c.text, 1)), nil)
		if got := fmt.Sprint(err); c.want == "" && err != nil || !strings.Contains(got, c.want) {
			t.Errorf("%q: got %v, want %s", c.text, err, c.want)
		}
	}
}

func TestInputBoundsAreChecked(t *testing.T) {
	for input, want := range map[string]string{
		"{type: number, minimum: -1.5, maximum: 1e3}":            "",
		"{attribute: User.orders, minimum: 0, default: 1}":       "",
		"{type: integer, minimum: 5, maximum: 4}":                `n.minimum: "5" is above the maximum of 4`,
		"{type: integer, minimum: few}":                          `"few" is not a number`,
		"{type: boolean, default: maybe}":                        `n.default: "maybe" is neither true nor false`,
		"{type: string, maximum: 4}":                             "a value of type string has no maximum",
		"{type: integer, minimum: 5, default: 4}":                `"4" is below the minimum of 5`,
		"{type: date, minimum: today, maximum: now+1w}":          "",
		"{type: timestamp, minimum: soon}":                       `"soon" is not a time`,
		"{type: date, minimum: now+1d, maximum: today}":          `n.minimum: "now+1d" is after today, the latest time`,
		"{type: date, minimum: today, default: now-7d}":          `"now-7d" is before today, the earliest time`,
		"{type: integer, maximum: 5, default: \"{orders} + 1\"}": "",
	} {
		text := shopProfile + action("entity: User, inputs: {n: "+input+`}, set: {mail: "{n}"}`)
		_, err := profiles.Load("shop.yaml", []byte(text), nil)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", input, err, want)
		}
	}
}
