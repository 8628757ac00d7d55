package lint_test

import (
	"strings"
	"testing"
)

func TestLintKnowsTheOtherForms(t *testing.T) {
	documented := func(read string) []string { return []string{requested, requested + "\n    as_documented: " + read} }
	for _, c := range []struct {
		name    string
		edits   []string
		message string // "" when nothing is wrong
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
		{"a bound behind the whole key", documented(`{index: ByStore, key: {GPK: "STORE#{storeId}", GSK: {lte: "{now}#{orderId}"}}}`), ""},
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
			"it scans the whole table shop",
		},
		{
			"a scan whose filter may be left out",
			[]string{
				"",
				`  p: {operation: scan, returns: [Order], filter: [{attribute: stage, equals: "{stage}"}], parameters: {stage: {required: false}}}`,
			},
			"also returns Store",
		},
		{"a partition that is a plain attribute", []string{
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
			"two attributes of expiry",
			[]string{
				"sort_key: SK\n", "sort_key: SK\n    ttl: endsOn\n", "label: {type: S}",
				"endsOn: {type: N, format: epoch-seconds, equals: validUntil}\n      validUntil: {type: S, format: iso8601}",
			},
			"stays readable",
		},
		{"an update that takes the index along", []string{
			"", "  w: {operation: write, returns: [Order], writes: UpdateItem, condition: c, set: [stage, GSK]}",
			`GSK: "{madeAt}#{orderId}"`, `GSK: "{stage}#{orderId}"`,
		}, "every transition (pay) must rewrite it"},
		{
			"a nameless transition",
			[]string{"{name: pay, from", "{from", `GSK: "{madeAt}#{orderId}"`, `GSK: "{stage}#{orderId}"`},
			"every transition (open to paid)",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := run(t, edit(t, c.edits))
			if c.message == "" {
				if len(found) > 0 {
					t.Errorf("got %v", found)
				}
				return
			}
			for _, d := range found {
				if strings.Contains(d.Message, c.message) {
					return
				}
			}
			t.Errorf("nothing says %q: %v", c.message, found)
		})
	}
}
