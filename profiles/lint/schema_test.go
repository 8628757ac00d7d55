package lint_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/profiles"
)

// withThirdEntity returns edits that add an entity. words are further fields of the entity.
func withThirdEntity(keys string, words ...string) []string {
	return []string{
		"lifecycles:\n", "  Third: {table: shop, " + strings.Join(append(words, ""), ", ") + "keys: " + keys +
			", attributes: {thirdId: {type: S, required: true}, mark: {type: S, required: true}}}\nlifecycles:\n",
	}
}

// replaceLabel returns an edit that replaces the only unused attribute of validSchema.
func replaceLabel(attribute string) []string { return []string{"label: {type: S}", attribute} }

func entityCases() []lintCase {
	const storeKeys = `{PK: "STORE#{storeId}", SK: META}`
	number := func(key string) []string {
		return append(
			replaceLabel("label: {type: N, required: true}"), storeKeys, `{PK: "STORE#{storeId}", SK: "`+key+`"}`, storeKeys,
			`{PK: "STORE#{storeId}", SK: "N#{label}"}`,
		)
	}
	optional := withThirdEntity(`{PK: "THIRD#{thirdId}", SK: META}`)
	optional[1] = strings.Replace(optional[1], "thirdId: {type: S, required: true}", "thirdId: {type: S}", 1)
	valid := withThirdEntity(`{PK: "THIRD#{thirdId}", SK: META}`)
	owner := withThirdEntity(`{PK: "THIRD#{thirdId}", SK: "STORE#{mark}"}`)
	owner[1] = strings.Replace(owner[1], "mark: {type: S, required: true}", "mark: {type: S, required: true, refers: Store.storeId}", 1)
	opened := slices.Clone(owner)
	opened[1] = strings.NewReplacer("refers: Store.storeId", "format: iso8601", "{mark}", "{mark}#{thirdId}").Replace(opened[1])
	keyOnly := func(keys string) []string {
		e := withThirdEntity(keys)
		e[1] = strings.Replace(e[1], "thirdId: {type: S, required: true}", "thirdId: {type: S, key_only: true}", 1)
		return e
	}
	const ownID, uuidID = "storeId: {type: S, required: true}\n", "storeId: {type: S, required: true, format: uuid}\n"
	copies := func(sensitive, label string) []string {
		return []string{
			"userId: {type: S, required: true}", "userId: {type: S, required: true, sensitive: " + sensitive + "}", "label: {type: S}", label,
			"lifecycles:\n", "actions:\n  name: {entity: Store, kind: put, inputs: {who: {attribute: Order.userId}}, let: {by: \"by {who}\"}, " +
				"set: {label: \"{by}\"}, audit: none}\nlifecycles:\n",
		}
	}
	deciding := func(name string) []string {
		return append(replaceLabel("label: {type: S}\n      changes: {type: N}\n      code: {type: S, sensitive: pii}"),
			"keys: {PK: \"STORE#{storeId}\", SK: META}\n", "keys: {PK: \"STORE#{storeId}\", SK: META}\n    version: changes\n", "lifecycles:\n", "actions:\n"+
				"  name: {entity: Store, set: {label: x}, also: [{put: Order, if: "+name+", set: {orderId: \"{uuid}\", stage: open, userId: x, madeAt: \"{now}\", storeId: x}}], audit: none}\n"+
				"lifecycles:\n")
	}
	return []lintCase{
		{
			"copy-not-declared", copies("pii", "label: {type: S}"), copies("pii", "label: {type: S, sensitive: pii}"),
			"entities.Store.attributes.label", profiles.Warning, "",
		},
		{
			"copy-not-declared", replaceLabel("label: {type: S, refers: Store.code}\n      code: {type: S, sensitive: pii}"),
			replaceLabel("label: {type: S, refers: Store.code}\n      code: {type: S}"), "entities.Store.attributes.label", profiles.Warning, "",
		},
		{
			"masked-condition", deciding("code"), deciding("storeId"), "actions.name", profiles.Warning, "",
		},
		{
			"secret-copied", copies("secret", "label: {type: S}"), copies("secret", "label: {type: S, sensitive: secret}"),
			"entities.Store.attributes.label", profiles.Warning, "",
		},
		{
			"indistinguishable-entities", withThirdEntity(`{PK: "STORE#{thirdId}", SK: META}`), valid, "entities.Third.keys",
			profiles.Warning, "prefix-with-two-meanings",
		},
		{
			"told-apart-by-attributes", withThirdEntity(`{PK: "STORE#{thirdId}", SK: META}`, "when: {has: [mark]}"), valid,
			"entities.Third.keys", profiles.Warning, "prefix-with-two-meanings",
		},
		{
			"overlapping-keys", withThirdEntity(`{PK: "STORE#hq-{thirdId}", SK: META}`), withThirdEntity(`{PK: "HQ#{thirdId}", SK: META}`),
			"entities.Third.keys", profiles.Warning, "",
		},
		{
			"prefix-with-two-meanings", withThirdEntity(`{PK: "THIRD#{thirdId}", SK: "STORE#{mark}"}`),
			withThirdEntity(`{PK: "THIRD#{thirdId}", SK: "MARK#{mark}"}`), "entities.Order.keys", profiles.Warning, "",
		},
		{ // values that refer to the same attribute have the same kind
			"prefix-with-two-meanings", withThirdEntity(`{PK: "THIRD#{thirdId}", SK: "STORE#{mark}"}`), owner,
			"entities.Order.keys", profiles.Warning, "",
		},
		{ // the two names of one partition key have the same kind
			"prefix-with-two-meanings", withThirdEntity(`{PK: "THIRD#{thirdId}", SK: "STORE#{mark}"}`),
			withThirdEntity(`{PK: "STORE#{mark}", SK: "THIRD#{thirdId}"}`), "entities.Order.keys", profiles.Warning, "",
		},
		{ // a time cannot be mistaken for an ID
			"prefix-with-two-meanings", withThirdEntity(`{PK: "THIRD#{thirdId}", SK: "STORE#{mark}"}`), opened,
			"entities.Order.keys", profiles.Warning, "",
		},
		{
			"key-not-unique",
			[]string{`SK: "ORDER#{madeAt}#{orderId}"`, `SK: "ORDER#{storeId}#{madeAt}"`},
			nil,
			"entities.Order.keys", profiles.Warning, "",
		},
		{
			"key-starts-with-value", withThirdEntity(`{PK: THIRD, SK: "{thirdId}#x"}`), withThirdEntity(`{PK: THIRD, SK: "THIRD#{thirdId}"}`),
			"entities.Third.keys.SK", profiles.Warning, "",
		},
		{
			"key-not-unique", withThirdEntity(`{PK: "THIRD#{thirdId:crc32 mod 9}", SK: META}`), withThirdEntity(`{PK: "THIRD#{thirdId:crc32 mod 9}", SK: "{thirdId}"}`),
			"entities.Third.keys", profiles.Warning, "",
		},
		{"optional-in-key", optional, valid, "entities.Third.keys.PK", profiles.Warning, ""},
		{"key-only-value", keyOnly(`{PK: "THIRD#{thirdId}", SK: META}`), valid, "entities.Third.keys", profiles.Info, ""},
		{
			"delimiter-in-value", keyOnly(`{PK: "THIRD#{thirdId}#{mark}", SK: META}`),
			withThirdEntity(`{PK: "THIRD#{thirdId}#{mark}", SK: META}`), "entities.Third.keys.PK", profiles.Warning, "key-only-value",
		},
		{
			"circular-parent", append(withThirdEntity(`{PK: "THIRD#{thirdId}", SK: META}`, "parent: Store"), "  Store:\n", "  Store:\n    parent: Third\n"),
			append(withThirdEntity(`{PK: "THIRD#{thirdId}", SK: META}`, "parent: Store"), "  Store:\n", "  Store:\n    parent: Order\n"),
			"entities.Store.parent", profiles.Warning, "",
		},
		{
			"key-type-differs", replaceLabel("DSK: {type: N, required: true}"), replaceLabel("DSK: {type: S}"),
			"entities.Store.attributes.DSK", profiles.Warning, "",
		},
		{
			"time-does-not-sort",
			[]string{`SK: "ORDER#{madeAt}#{orderId}"`, `SK: "ORDER#{madeAt:%d/%m/%Y %H:%M:%S}#{orderId}"`},
			nil,
			"entities.Order.keys.SK", profiles.Warning, "two-spellings",
		},
		{ // partitions are not sorted, and a shard is often a number
			"number-as-text", number("N#{label}"), append(replaceLabel("label: {type: N, required: true}"),
				storeKeys, `{PK: "STORE#{storeId}#{label}", SK: META}`, storeKeys, `{PK: "STORE#{storeId}#{label}", SK: META}`),
			"entities.Store.keys.SK", profiles.Warning, "",
		},
		{"number-as-text", number("N#{label}"), number("N#{label:05d}"), "entities.Store.keys.SK", profiles.Warning, ""},
		{
			"enum-differs", replaceLabel("stage: {type: S, enum: [open, old]}"), replaceLabel("phase: {type: S, enum: [open, old]}"),
			"entities.Store.attributes.stage", profiles.Warning, "",
		},
		{
			"format-differs", replaceLabel("madeAt: {type: N, format: epoch-seconds}"), replaceLabel("madeAt: {type: S, format: iso8601}"),
			"entities.Store.attributes.madeAt", profiles.Warning, "",
		},
		{ // a reference has the format of its target
			"format-differs",
			[]string{ownID, uuidID, "required: true, refers: Store.storeId}", "required: true, refers: Store.storeId, format: sha256}"},
			[]string{ownID, uuidID},
			"entities.Store.attributes.storeId", profiles.Warning, "",
		},
		{
			"two-spellings",
			[]string{`DSK: "{madeAt}"`, `DSK: "{madeAt:compact}"`},
			nil,
			"entities.Order.attributes.madeAt", profiles.Warning, "",
		},
		{"reserved-words", replaceLabel("status: {type: S}"), replaceLabel("state_of_it: {type: S}"), "entities", profiles.Info, ""},
	}
}

func indexCases() []lintCase {
	index := func(words string) []string {
		return []string{"entities:\n", "      Extra: {" + words + ", projection: ALL}\nentities:\n"}
	}
	written := func(index, keys string) []string {
		return append(
			[]string{"entities:\n", "      Extra: {" + index + ", projection: ALL}\nentities:\n"},
			withThirdEntity(`{PK: "THIRD#{thirdId}", SK: META, `+keys+`}`)...,
		)
	}
	const extra = "partition_key: XPK, sort_key: XSK"
	tenant := func(partition string) []string {
		return []string{
			`keys: {PK: "USER#{userId}", SK: "ORDER#{madeAt}#{orderId}"`, `keys: {PK: "USER#{orgId}", SK: "ORDER#{madeAt}#{orderId}"`, requested, `key: {PK: "USER#{orgId}", SK: {begins_with: "ORDER#"}}`,
			"      userId: {type: S, required: true}\n      orderId", "      orgId: {type: S, required: true}\n      orderId",
			`keys: {PK: "STORE#{storeId}", SK: META}`, `keys: {PK: "USER#{orgId}", SK: "STORE#{storeId}"}`,
			`key: {PK: "STORE#{storeId}", SK: META}`, `key: {PK: "USER#{orgId}", SK: "STORE#{storeId}"}`, "storeId: {type: S, " +
				"required: true}\n", "storeId: {type: S, required: true}\n      orgId: {type: S, required: true}\n",
			`GPK: "STORE#{storeId}"`, `GPK: "` + partition + `"`, `DPK: "DAY#`, `DPK: "DAY#{orgId}#`,
		}
	}
	single := func(keys string) []string {
		return append(index(extra), withThirdEntity(keys)...)
	}
	maybe := func(keys string) []string {
		list := written(extra, keys)
		list[3] = strings.Replace(list[3], "mark: {type: S, required: true}", "mark: {type: S}", 1)
		return list
	}
	short := written("partition_key: XPK, sort_key: XSK", `XPK: "MARK#{mark}", XSK: "{thirdId}"`)
	short[1] = strings.Replace(short[1], "Extra:", "X1:", 1)
	return []lintCase{
		{
			"name-refused", short, written(extra, `XPK: "MARK#{mark}", XSK: "{thirdId}"`), "tables.shop.indexes.X1", profiles.Error, "",
		},
		{
			"optional-in-key", maybe(`XPK: "MARK#{mark}", XSK: "{thirdId}"`),
			maybe(`XPK: "MARK#{mark}", XSK: {template: "{thirdId}", when: {has: [mark]}}`), "entities.Third.keys.XPK", profiles.Warning, "",
		},
		{
			"index-not-written", index(extra), written(extra, `XPK: "MARK#{mark}", XSK: "{thirdId}"`),
			"tables.shop.indexes.Extra", profiles.Warning, "",
		},
		{
			"projection-unknown",
			[]string{"sort_key: DSK, projection: ALL", "sort_key: DSK"},
			nil,
			"tables.shop.indexes.ByDay", profiles.Info, "",
		},
		{
			"index-same-partition", written(
				"partition_key: PK, sort_key: XSK", `XSK: "MARK#{mark}"`,
			), written(extra, `XPK: "MARK#{mark}", XSK: "{thirdId}"`),
			"tables.shop.indexes.Extra.partition_key", profiles.Warning, "",
		},
		{
			"index-without-tenant", tenant("STORE#{storeId}"), tenant("OF#{orgId}#{storeId}"), "entities.Order.keys.GPK",
			profiles.Warning, "",
		},
		{
			"index-of-one-item", written(extra, `XPK: "ALL#{thirdId}", XSK: "{mark}"`),
			written(extra, `XPK: "ALL#{mark}", XSK: "{thirdId}"`), "entities.Third.keys.XPK", profiles.Warning, "",
		},
		{
			"index-of-one-item", written(extra, `XPK: "ALL#{thirdId:sha256}", XSK: "{mark}"`),
			written(extra, `XPK: "ALL#{thirdId:first 2}", XSK: "{mark}"`), "entities.Third.keys.XPK", profiles.Warning, "",
		},
		{
			"single-item-indexed", single(`{PK: THIRD, SK: ONE, XPK: "MARK#{mark}", XSK: X}`),
			single(`{PK: THIRD, SK: ONE, XPK: ALL, XSK: X}`), "entities.Third.keys.XPK", profiles.Warning, "",
		},
		{
			"index-repeats-table", written(extra, `XPK: "THIRD#{thirdId}", XSK: META`), written(extra, `XPK: "MARK#{mark}", XSK: META`),
			"entities.Third.keys.XPK", profiles.Warning, "index-of-one-item",
		},
	}
}

func stateCases() []lintCase {
	const states, moves = "paid: {kind: good}}", "transitions: [{name: pay, from: [open], to: paid}]"
	write := func(words string) []string {
		return []string{"", "  w: {operation: write, returns: [Order], " + words + "}"}
	}
	stageInKey := []string{`GSK: "{madeAt}#{orderId}"`, `GSK: "{stage}#{orderId}"`}
	return []lintCase{
		{"state-in-index-key", stageInKey, nil, "lifecycles.Stage", profiles.Info, ""},
		{
			"stale-index-key", append(write("writes: UpdateItem, condition: c, set: [stage]"), stageInKey...),
			write("writes: UpdateItem, condition: c, set: [stage]"), "patterns.w.set", profiles.Warning, "state-in-index-key",
		},
		{
			"literal-state-key",
			[]string{`GSK: "{madeAt}#{orderId}"`, "GSK: STAGE#OPEN"},
			nil, "entities.Order.keys.GSK",
			profiles.Warning, "",
		},
		{
			"update-without-condition", write("writes: UpdateItem, set: [stage]"),
			write(`writes: UpdateItem, set: [stage], condition: "attribute_exists(PK)"`),
			"patterns.w", profiles.Warning, "",
		},
		{"batch-write", write("writes: BatchWriteItem"), write("writes: TransactWriteItems"), "patterns.w.writes", profiles.Warning, ""},
		{
			"write-sets-unknown", write("writes: PutItem, set: [stag]"), write("writes: PutItem, set: [stage]"),
			"patterns.w.set", profiles.Warning, "",
		},
		{
			"undocumented-transition",
			[]string{"to: paid}]", "to: paid, documented: false}]"},
			nil,
			"lifecycles.Stage.transitions", profiles.Info, "",
		},
		{"no-transitions", []string{"\n    " + moves, ""}, nil, "lifecycles.Stage", profiles.Warning, ""},
		{
			"unreachable-state",
			[]string{states, "paid: {kind: good}, lost: {kind: bad}}"},
			nil,
			"lifecycles.Stage.states.lost", profiles.Warning, "",
		},
		{"state-without-exit", []string{states, "paid: {kind: open}}"}, nil, "lifecycles.Stage.states.paid", profiles.Warning, ""},
	}
}

func ttlCases() []lintCase {
	const seconds = "endsOn: {type: N, format: epoch-seconds}"
	withTTL := func(edits ...string) []string {
		return append([]string{"sort_key: SK\n", "sort_key: SK\n    ttl: endsOn\n"}, edits...)
	}
	both := func(store string) []string {
		return withTTL("stage: {type: S", seconds+"\n      stage: {type: S", "label: {type: S}", store)
	}
	unread := []string{"  store:\n    operation: get\n    key: {PK: \"STORE#{storeId}\", SK: META}\n    returns: [Store]\n", ""}
	const ms = "endsOn: {type: N, format: epoch-millis}"
	const always = "endsOn: {type: N, required: true, format: epoch-seconds}"
	return []lintCase{
		{
			"ttl-name-differs", withTTL("ttl: endsOn", "ttl: endsOn\n    ttl_documented: EndsOn"), withTTL(),
			"tables.shop.ttl_documented", profiles.Warning, "",
		},
		{
			"ttl-missing", append(withTTL("label: {type: S}", always), unread...), append(withTTL("label: {type: S}", seconds), unread...),
			"entities.Order.attributes", profiles.Info, "",
		},
		{
			"ttl-not-seconds",
			append(withTTL("label: {type: S}", ms, "stage: {type: S", ms+"\n      stage: {type: S"), unread...), withTTL(),
			"entities.Order.attributes.endsOn", profiles.Warning, "expired-still-read",
		},
		{
			"expiry-beside-ttl", withTTL("label: {type: S}", "expiresAt: {type: S, format: iso8601}"), withTTL(),
			"entities.Store.attributes.expiresAt", profiles.Warning, "",
		},
		{"expired-still-read", both(seconds), withTTL(), "tables.shop.ttl", profiles.Info, ""},
	}
}

// withActions returns edits that add actions and trails to validSchema.
func withActions(text string, edits ...string) []string {
	return append(edits, "", text)
}

func actionCases() []lintCase {
	const (
		rename  = "actions:\n  rename: {entity: Store, set: {label: new}}\n"
		pay     = "actions:\n  pay: {transition: pay}\n"
		entries = `  Entry:
    table: shop
    keys: {PK: "ENTRY#{storeId}", SK: "{entryId}"}
    attributes:
      entryId: {type: S, required: true}
      storeId: {type: S, required: true}
      what: {type: S, required: true, enum: [pay, undo-pay]}
lifecycles:
`
		trail   = "trails:\n  Entry: {about: {Order: {storeId: \"{storeId}\"}}, put: {entryId: \"{uuid}\", what: \"{action}\"}}\n"
		keeping = "label: {type: S}"
		counted = "label: {type: S}\n      changes: {type: N}"
		states  = "states: {open: {kind: open, initial: true}, paid: {kind: good}}"
		moves   = "transitions: [{name: pay, from: [open], to: paid}]"
	)
	version := []string{
		"keys: {PK: \"STORE#{storeId}\", SK: META}\n", "keys: {PK: \"STORE#{storeId}\", SK: META}\n    version: changes\n",
		keeping, counted,
	}
	audited := func(text string, edits ...string) []string {
		return withActions(text+trail, append(edits, "lifecycles:\n", entries)...)
	}
	const counts = "actions:\n  add: {entity: Order, kind: put, inputs: {line: {default: \"{last.line|0} + 1\"}}, " +
		"reads: {last: {pattern: orders, optional: true}}, set: {orderId: \"{uuid}\", storeId: x, stage: open}}\n"
	numbered := []string{
		`SK: "ORDER#{madeAt}#{orderId}"`, `SK: "ORDER#{madeAt}#{line:03d}"`,
		"orderId: {type: S, required: true, format: uuid}", "orderId: {type: S, required: true, format: uuid}\n      line: {type: N, required: true}",
	}
	stage := "  stage: {entity: Order, set: {stage: paid}"
	dated := []string{
		"madeAt: {type: S, required: true, format: iso8601}",
		"madeAt: {type: S, required: true, format: iso8601}\n      movedAt: {type: S, format: iso8601}",
		"  Order:\n    table: shop\n", "  Order:\n    table: shop\n    updated: movedAt\n",
	}
	return []lintCase{
		{"change-unnoticed", withActions(rename), withActions(rename, version...), "actions.rename", profiles.Info, ""},
		{
			"change-without-audit", audited(pay+"  rename: {entity: Store, set: {label: new}}\n", version...), audited(
				pay+"  rename: {entity: Store, audit: none, set: {label: new}}\n", version...,
			),
			"actions.rename", profiles.Info, "",
		},
		{
			"audit-value-outside-enum", audited("actions:\n  settle: {transition: pay}\n"), audited("actions:\n  settle: " +
				"{transition: pay, audit: {what: pay}, undo: {what: undo-pay}}\n"),
			"actions.settle", profiles.Warning, "",
		},
		{
			"state-set-without-transition", withActions("actions:\n"+stage+"}\n", dated...), withActions(
				"actions:\n"+stage+", require: [{attribute: stage, equals: open}]}\n", dated...,
			),
			"actions.stage.set", profiles.Warning, "",
		},
		{
			"key-not-moved",
			withActions(pay, `SK: "ORDER#{madeAt}#{orderId}"`, `SK: "ORDER#{madeAt}#{stage}#{orderId}"`),
			withActions("actions: {pay: {transition: pay, kind: move}}\n", `SK: "ORDER#{madeAt}#{orderId}"`, `SK: "ORDER#{madeAt}#{stage}#{orderId}"`),
			"actions.pay.transition", profiles.Warning, "",
		},
		{
			"number-not-unique", withActions(counts, numbered...),
			withActions(counts, append(numbered, "SK: {begins_with: \"ORDER#\"}}", "SK: {begins_with: \"ORDER#\"}}\n    order: descending")...),
			"actions.add.reads.last", profiles.Warning, "",
		},
		{
			"number-without-bounds",
			withActions("actions:\n  rename: {entity: Store, inputs: {n: {type: integer, minimum: 1}}, set: {label: \"{n}\"}}\n", version...),
			withActions("actions:\n  rename: {entity: Store, inputs: {n: {type: integer, minimum: 1, maximum: 9}}, set: {label: \"{n}\"}}\n", version...),
			"actions.rename.inputs.n", profiles.Warning, "",
		},
		{
			"state-never-entered",
			withActions(
				pay, states, "states: {open: {kind: open, initial: true}, paid: {kind: good}, lost: {kind: bad}}", moves,
				"transitions: [{name: pay, from: [open], to: paid}, {name: lose, from: [open], to: lost}]",
			),
			withActions(
				pay+"  lose: {transition: lose}\n", states,
				"states: {open: {kind: open, initial: true}, paid: {kind: good}, lost: {kind: bad}}", moves,
				"transitions: [{name: pay, from: [open], to: paid}, {name: lose, from: [open], to: lost}]",
			),
			"lifecycles.Stage.states.lost", profiles.Info, "",
		},
	}
}

// An action that creates items reaches the state that it sets.
func TestActionStatesAreReached(t *testing.T) {
	lost := []string{"paid: {kind: good}}", "paid: {kind: good}, lost: {kind: bad}}"}
	create := "actions:\n  lose:\n    entity: Order\n    kind: put\n    set: {storeId: x, stage: lost}\n"
	enum := []string{"enum: [open, paid]", "enum: [open, paid, lost]"}
	if got := rules(run(t, edit(t, slices.Concat(lost, enum)))); !slices.Contains(got, "unreachable-state") {
		t.Fatalf("without the action: got %v", got)
	}
	if got := rules(run(t, edit(t, withActions(create, slices.Concat(lost, enum)...)))); slices.Contains(got, "unreachable-state") {
		t.Errorf("with the action: got %v", got)
	}
}

// Lint also checks the requests of queues and trails.
func TestQueueReadsAreLinted(t *testing.T) {
	queue := "queues:\n  stores: {read: {operation: query, key: {SK: META}, returns: [Store]}}\n"
	for _, d := range run(t, edit(t, withActions(queue))) {
		if d.Rule == "partition-key-missing" && d.Severity == profiles.Error && d.Path == "queues.stores.read.key" {
			return
		}
	}
	t.Errorf("got diagnostics %v", run(t, edit(t, withActions(queue))))
}
