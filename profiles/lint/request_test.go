package lint_test

import (
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/profiles"
)

// requested is the key of the first pattern of validSchema.
const requested = `key: {PK: "USER#{userId}", SK: {begins_with: "ORDER#"}}`

// query returns a pattern on one line.
func query(words string) string { return "  p: {operation: query, " + words + "}" }

func requestCases() []lintCase {
	const (
		storeKeys      = `keys: {PK: "STORE#{storeId}", SK: META}`
		storeRequested = `key: {PK: "STORE#{storeId}", SK: META}`
	)
	sharded := func(format string) []string {
		return []string{
			`GPK: "STORE#{storeId}"`, `GPK: "STORE#{storeId:crc32 mod 8}"`,
			"", query(`index: ByStore, returns: [Order], key: {GPK: "STORE#{storeId:` + format + `}", GSK: {begins_with: "{madeAt}#"}}`),
		}
	}
	orders := func(key string) []string { return []string{requested, "key: " + key} }
	documented := func(read string) []string { return []string{requested, requested + "\n    as_documented: " + read} }
	byStore := func(sort string) []string {
		return []string{"", query(`index: ByStore, returns: [Order], key: {GPK: "STORE#{storeId}", GSK: ` + sort + `}`)}
	}
	byDay := func(words string) []string {
		return []string{"", query(`index: ByDay, returns: [Order], key: {DPK: "DAY#{day}", DSK: {range: madeAt, from: "{from}"}}, parameters: {day: {type: date}, from: {attribute: Order.madeAt}}` + words)}
	}
	strict := func(sort string) []string {
		return documented(`{index: ByDay, key: {DPK: "DAY#{day}", DSK: ` + sort + `}}`)
	}
	monthPattern := func(sort, condition string) []string {
		const byDay, id = "ByDay: {partition_key: DPK, sort_key: DSK, projection: ALL}", "storeId: {type: S, required: true, refers: Store.storeId}"
		return []string{
			byDay, byDay + "\n      ByMonth: {partition_key: MPK, sort_key: " + sort + ", projection: ALL}",
			"keys: {PK: ", `keys: {MPK: "M#{madeAt:month}", PK: `, id, id + "\n      weight: {type: N, required: true}",
			"", `  p: {operation: query, index: ByMonth, key: {MPK: "M#{month}", ` + condition + `}, returns: [Order], parameters: {month: {}}}`,
		}
	}
	several := func(key string) []string {
		const byDay = "ByDay: {partition_key: DPK, sort_key: DSK, projection: ALL}"
		return []string{
			byDay, byDay + "\n      ByStage: {partition_key: storeId, sort_key: [stage, madeAt], projection: ALL}",
			"", "  p: {operation: query, index: ByStage, key: " + key + ", returns: [Order], parameters: {from: {attribute: Order.madeAt}}}",
		}
	}
	named := func(compare string) []string {
		return []string{
			"label: {type: S}", "label: {type: S, sensitive: pii}",
			"", query(`key: {PK: "STORE#{storeId}", SK: META}, returns: [Store], filter: [{attribute: label, ` + compare + `: "{label}"}]`),
		}
	}
	return []lintCase{
		{"masked-parameter", named("begins_with"), named("equals"), "patterns.p", profiles.Warning, "filter-reads-all"},
		{"masked-parameter", named("gte"), named("equals"), "patterns.p", profiles.Warning, "filter-reads-all"},
		{"partition-key-missing", []string{requested, `key: {SK: {begins_with: "ORDER#"}}`}, nil, "patterns.orders.key", profiles.Error, ""},
		{
			"key-not-in-index", orders(`{PK: "USER#{userId}", GSK: {begins_with: "{madeAt}#"}, SK: {begins_with: "ORDER#"}}`),
			nil, "patterns.orders.key.GSK", profiles.Error, "",
		},
		{
			"sort-key-skipped",
			several(`{storeId: "{storeId}", stage: {begins_with: p}, madeAt: {range: madeAt, from: "{from}"}}`),
			several(`{storeId: "{storeId}", stage: "{stage}", madeAt: {range: madeAt, from: "{from}"}}`),
			"patterns.p.key.madeAt", profiles.Error, "",
		},
		{
			"prefix-of-number",
			[]string{
				"ByDay: {partition_key: DPK, sort_key: DSK, projection: ALL}",
				"ByDay: {partition_key: DPK, sort_key: DSK, projection: ALL}\n      ByRank: {partition_key: GPK, sort_key: {name: weight, type: N}, projection: ALL}",
				"storeId: {type: S, required: true, refers: Store.storeId}",
				"storeId: {type: S, required: true, refers: Store.storeId}\n      weight: {type: N, required: true}",
				"",
				"  p: {operation: query, index: ByRank, key: {GPK: \"STORE#{storeId}\", weight: {begins_with: \"{weight}\"}}, returns: [Order]}",
			},
			[]string{
				"ByDay: {partition_key: DPK, sort_key: DSK, projection: ALL}",
				"ByDay: {partition_key: DPK, sort_key: DSK, projection: ALL}\n      ByRank: {partition_key: GPK, sort_key: {name: weight, type: N}, projection: ALL}",
				"storeId: {type: S, required: true, refers: Store.storeId}",
				"storeId: {type: S, required: true, refers: Store.storeId}\n      weight: {type: N, required: true}",
				"",
				"  p: {operation: query, index: ByRank, key: {GPK: \"STORE#{storeId}\", weight: {range: weight, from: \"{least}\"}}, returns: [Order]}",
			},
			"patterns.p.key.weight", profiles.Error, "",
		},
		{
			"get-on-index",
			[]string{
				"",
				`  p: {operation: get, index: ByStore, key: {GPK: "STORE#{storeId}", GSK: "{madeAt}#{orderId}"}, returns: [Order]}`,
			},
			byStore(`"{madeAt}#{orderId}"`), "patterns.p.index", profiles.Error, "",
		},
		{
			"get-needs-whole-key",
			[]string{`key: {PK: "STORE#{storeId}", SK: META}`, `key: {PK: "STORE#{storeId}"}`},
			nil,
			"patterns.store.key", profiles.Error, "",
		},
		{
			"filter-on-key",
			[]string{requested, requested + "\n    filter: [{attribute: SK, begins_with: \"ORDER#2\"}]"},
			nil,
			"patterns.orders.filter.0", profiles.Error, "",
		},
		{
			"key-never-written", documented(`{index: ByStore, key: {GPK: "STAGE#open"}}`),
			documented(`{index: ByStore, key: {GPK: "STORE#12"}}`), "patterns.orders.as_documented.key.GPK", profiles.Info, "",
		},
		{
			"returns-others", append(
				orders(`{PK: "USER#{userId}"}`), storeKeys, `keys: {PK: "USER#{storeId}", SK: META}`, storeRequested,
				`key: {PK: "USER#{storeId}", SK: META}`,
			),
			[]string{storeKeys, `keys: {PK: "USER#{storeId}", SK: META}`, storeRequested, `key: {PK: "USER#{storeId}", SK: META}`},
			"patterns.orders.key", profiles.Warning, "",
		},
		{ // a literal after the value separates the keys of two entities, like a literal before it
			"returns-others", append(
				orders(`{PK: "USER#{userId}"}`), storeKeys, `keys: {PK: "USER#{storeId}", SK: META}`, storeRequested,
				`key: {PK: "USER#{storeId}", SK: META}`,
			),
			append(
				orders(`{PK: "USER#{userId}#ORDERS"}`), `keys: {PK: "USER#{userId}", SK: "ORDER#`, `keys: {PK: "USER#{userId}#ORDERS", SK: "ORDER#`,
				storeKeys, `keys: {PK: "USER#{storeId}", SK: META}`, storeRequested, `key: {PK: "USER#{storeId}", SK: META}`,
			),
			"patterns.orders.key", profiles.Warning, "",
		},
		{
			"one-of-many-indexed",
			[]string{
				`GPK: "STORE#{storeId}"`, `GPK: "TAG#{tag}#{storeId}"`, "stage: {type: S",
				"tag: {type: S, key_only: true, enum: [size, colour]}\n      stage: {type: S", "",
				query(`index: ByStore, returns: [Order], key: {GPK: "TAG#size#{storeId}"}`),
			},
			byStore(`{begins_with: "{madeAt}#"}`), "patterns.p.key.GPK", profiles.Warning, "key-only-value",
		},
		{
			"prefix-without-delimiter", byStore(`{begins_with: "{madeAt}"}`), byStore(`{begins_with: "{madeAt}#"}`),
			"patterns.p.key.GSK", profiles.Warning, "",
		},
		{
			"strict-bound", strict(`{gt: "{since}"}`), strict(`{begins_with: "{since}"}`),
			"patterns.orders.as_documented.key.DSK", profiles.Info, "partition-by-day",
		},
		{
			"shard-differs",
			sharded("crc32 mod 9"), sharded("crc32 mod 8"),
			"patterns.p.key.GPK", profiles.Warning, "",
		},
		{
			"bound-on-composed-key", documented(`{index: ByStore, key: {GPK: "STORE#{storeId}", GSK: {lte: "{now}"}}}`),
			documented(`{index: ByStore, key: {GPK: "STORE#{storeId}", GSK: {gte: "{now}"}}}`),
			"patterns.orders.as_documented.key.GSK", profiles.Info, "",
		},
		{
			"partition-by-day", byDay(""), byDay(`, fan_out: {placeholder: day, days: {from: "{from}", to: "{from}"}}`),
			"patterns.p.key.DPK", profiles.Warning, "",
		},
		{ // a range of amounts in the partition of a month is not a range of times
			"partition-by-day", monthPattern("DSK", `DSK: {range: madeAt, from: "{from}"}`),
			monthPattern("{name: weight, type: N}", `weight: {gte: "{weight}"}`), "patterns.p.key.MPK", profiles.Warning, "",
		},
		{
			"text-precision", append(byStore(`{range: madeAt, from: "{from}"}`), "format: iso8601}", "format: iso8601-any}"),
			[]string{"", query(`index: ByStore, returns: [Order], key: {GPK: "STORE#{storeId}", GSK: {range: madeAt, from: "{from}"}}, parameters: {from: {attribute: Order.madeAt}}`)},
			"patterns.p.key.GSK", profiles.Warning, "",
		},
	}
}

func resultCases() []lintCase {
	filtered := func(words string) []string {
		return []string{"", query(`table: shop, returns: [Order], key: {PK: "USER#{userId}", SK: "ORDER#{madeAt}#{orderId}"}, filter: [{attribute: stage, equals: open}]` + words)}
	}
	expect := func(words string) []string {
		return []string{"", query(`index: ByStore, returns: [Order], key: {GPK: "STORE#{storeId}"}` + words)}
	}
	return []lintCase{
		{
			"filter-undocumented-attribute", append(
				filtered(""), "stage: {type: S, required: true,", "stage: {type: S, required: true, documented: false,",
			),
			filtered(""), "patterns.p.filter.0", profiles.Warning, "",
		},
		{
			"filter-misses-entity",
			[]string{"", `  p: {operation: query, returns: [Order, Store], key: {PK: "USER#{userId}", SK: "ORDER#{madeAt}#{orderId}"}, filter: [{attribute: stage, equals: open}]}`},
			filtered(""), "patterns.p.filter.0", profiles.Warning, "",
		},
		{
			"unused-parameter", filtered(", parameters: {since: {type: timestamp}}"), filtered(""), "patterns.p.parameters.since", profiles.Warning, "",
		},
		{"limit-before-filter", filtered(", limit: 1"), filtered(", stop_after: 1"), "patterns.p.limit", profiles.Warning, ""},
		{
			"page-token-with-filter", filtered(", parameters: {cursor: {type: token}}"), filtered(""),
			"patterns.p.parameters.cursor", profiles.Warning, "",
		},
		{
			"filter-reads-all",
			[]string{requested, requested + "\n    filter: [{attribute: stage, equals: open}]"},
			filtered(""),
			"patterns.orders.filter", profiles.Warning, "",
		},
		{
			"full-scan",
			[]string{"", `  p: {operation: scan, returns: [Store], filter: [{attribute: PK, begins_with: "STORE#"}]}`},
			nil, "patterns.p.operation", profiles.Warning, "",
		},
		{
			"unordered-result",
			[]string{`SK: "ORDER#{madeAt}#{orderId}"`, `SK: "ORDER#{orderId}"`},
			nil,
			"patterns.orders.order", profiles.Info, "",
		},
		{ // ULIDs sort by their creation time
			"unordered-result",
			[]string{`SK: "ORDER#{madeAt}#{orderId}"`, `SK: "ORDER#{orderId}"`},
			[]string{`SK: "ORDER#{madeAt}#{orderId}"`, `SK: "ORDER#{orderId}"`, "orderId: {type: S, required: true, format: uuid}", "orderId: {type: S, required: true, format: ulid}"},
			"patterns.orders.order", profiles.Info, "",
		},
		{
			"time-order-rests-on-id",
			[]string{`SK: "ORDER#{madeAt}#{orderId}"`, `SK: "ORDER#{orderId}"`, "format: uuid}", "format: uuid7}"},
			[]string{"format: uuid}", "format: uuid7}"},
			"patterns.orders.order", profiles.Warning, "",
		},
		{
			"optional-index-used", append(expect(""), "sort_key: GSK, projection: ALL", "sort_key: GSK, projection: ALL, optional: true"),
			expect(""), "patterns.p.index", profiles.Info, "",
		},
		{"index-not-unique", expect(", expect: one"), expect(""), "patterns.p.index", profiles.Warning, ""},
	}
}

func TestLintFindsAlternativeForms(t *testing.T) {
	documented := func(read string) []string { return []string{requested, requested + "\n    as_documented: " + read} }
	for _, c := range []struct {
		name    string
		edits   []string
		message string // "" for no defect
	}{
		{
			"a partition requested by prefix",
			[]string{requested, `key: {PK: {begins_with: "USER#"}, SK: {begins_with: "ORDER#"}}`},
			"partition key PK is compared with begins_with",
		},
		{
			"a prefix of a number",
			[]string{"sort_key: SK", "sort_key: {name: SK, type: N}", requested, `key: {PK: "USER#{userId}", SK: {begins_with: "1"}}`},
			"begins_with on SK, which is a number",
		},
		{
			"a GetItem by prefix",
			[]string{`SK: META}` + "\n    returns", `SK: {begins_with: META}}` + "\n    returns"},
			"GetItem has no value for SK",
		},
		{
			"between on a composed key", documented(`{index: ByStore, key: {GPK: "STORE#{storeId}", GSK: {between: ["{from}", "{to}"]}}}`),
			"between .. and {to} on sort key {madeAt}#{orderId}",
		},
		{
			"greater than on a composed key", documented(`{index: ByStore, key: {GPK: "STORE#{storeId}", GSK: {gt: "{from}"}}}`),
			"includes items at exactly that value",
		},
		{"a bound after the whole key", documented(`{index: ByStore, key: {GPK: "STORE#{storeId}", GSK: {lte: "{now}#{orderId}"}}}`), ""},
		{
			"a prefix that ends inside of a word",
			[]string{requested, `key: {PK: "USER#{userId}", SK: {begins_with: "ORD"}}`},
			`prefix ORD lacks the separator "ER#"`,
		},
		{
			"ends of another precision",
			[]string{"", query(`index: ByStore, returns: [Order], key: {GPK: "STORE#{storeId}", GSK: {range: madeAt, from: "{from}"}}, parameters: {from: {type: timestamp, format: iso8601-ms}}`)},
			"the range on madeAt compares iso8601 with iso8601-ms",
		},
		{
			"a filter of unknown precision", []string{
				"stage: {type: S, required: true", "paidAt: {type: S, format: iso8601-any}\n      stage: {type: S, required: true",
				"", query(`returns: [Order], key: {PK: "USER#{userId}", SK: "ORDER#{madeAt}#{orderId}"}, filter: [{attribute: paidAt, from: "{since}"}]`),
			}, "the range on paidAt needs one precision",
		},
		{
			"a scan that one entity passes",
			[]string{
				"",
				`  p: {operation: scan, returns: [Order], filter: [{attribute: stage, equals: "{stage}"}], parameters: {stage: {}}}`,
			},
			"it scans all items of shop",
		},
		{
			"a scan with an optional filter",
			[]string{
				"",
				`  p: {operation: scan, returns: [Order], filter: [{attribute: stage, equals: "{stage}"}], parameters: {stage: {required: false}}}`,
			},
			"also returns Store",
		},
		{"a partition key that is an attribute", []string{
			"partition_key: GPK", "partition_key: stage", `GPK: "STORE#{storeId}", `, "", "",
			query("index: ByStore, returns: [Order], key: {stage: open}"),
		}, ""},
		{
			"a variant",
			[]string{"", `  p: {operation: query, returns: [Order], key: {PK: "USER#{userId}", SK: {begins_with: "ORDER#"}}, variants: [{when: [storeId], index: ByStore, key: {GSK: "{madeAt}#{orderId}"}}]}`},
			"partition key GPK of ByStore has no value",
		},
		{"a counter that never expires", []string{"sort_key: SK\n", "sort_key: SK\n    ttl: endsOn\n"}, ""},
		{
			"two expiry attributes",
			[]string{
				"sort_key: SK\n", "sort_key: SK\n    ttl: endsOn\n", "label: {type: S}",
				"endsOn: {type: N, format: epoch-seconds, equals: validUntil}\n      validUntil: {type: S, format: iso8601}",
			},
			"stays readable",
		},
		{"an update that changes the index key", []string{
			"", "  w: {operation: write, returns: [Order], writes: UpdateItem, condition: c, set: [stage, GSK]}",
			`GSK: "{madeAt}#{orderId}"`, `GSK: "{stage}#{orderId}"`,
		}, "every transition (pay) must rewrite it"},
		{
			"a transition without a name",
			[]string{"{name: pay, from", "{from", `GSK: "{madeAt}#{orderId}"`, `GSK: "{stage}#{orderId}"`},
			"every transition (open to paid)",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := run(t, edit(t, c.edits))
			if c.message == "" {
				if len(found) > 0 {
					t.Errorf("got diagnostics %v, want none", found)
				}
				return
			}
			for _, d := range found {
				if strings.Contains(d.Message, c.message) {
					return
				}
			}
			t.Errorf("no diagnostic contains %q: %v", c.message, found)
		})
	}
}
