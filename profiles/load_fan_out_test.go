package profiles_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/profiles"
)

// daily has an entity in one partition for each day.
const daily = `name: shop
tables: {t: {partition_key: PK, sort_key: SK}}
entities:
  Log:
    table: t
    keys: {PK: "DAY#{at:date}", SK: "{at}#{id}[#{part}]"}
    attributes: {id: {type: S}, kind: {type: S, enum: [a, b]}, at: {type: S, format: iso8601}, part: {type: S}}
patterns:
  p:
    operation: query
    returns: [Log]
`

func TestFaultsOfAFanOut(t *testing.T) {
	const day = "    key: {PK: \"DAY#{day}\"}\n    fan_out: "
	const times = "\n    parameters: {since: {type: timestamp}, until: {type: timestamp}}\n"
	for _, c := range []struct{ name, text, want string }{
		{"days", day + `{placeholder: day, days: {from: "{since}", to: "{until}"}}` + times, ""},
		{"days with literal ends", day + `{placeholder: day, days: {from: "2026-01-04", to: today}}`, ""},
		{
			"days without an end", day + `{placeholder: day, days: {from: "{since}"}}` + times,
			"patterns.p.fan_out.days.to: range of days has no end here; write a {parameter} or a time such as 2026-01-14 or today-7d",
		},
		{
			"days with an end that is no time", day + `{placeholder: day, days: {from: "{since}", to: soon}}` + times,
			`patterns.p.fan_out.days.to: "soon" is not a time`,
		},
		{
			"days with an end of two parts", day + `{placeholder: day, days: {from: "T{since}", to: today}}` + times,
			`patterns.p.fan_out.days.from: expected one {parameter} or a time, found "T{since}"`,
		},
		{
			"days from text", day + `{placeholder: day, days: {from: "{since}", to: "{until}"}}` + strings.ReplaceAll(times, "timestamp", "string"),
			"patterns.p.fan_out.days.from: parameter since is of type string, not a time; set type: timestamp\n" +
				"patterns.p.fan_out.days.to: parameter until is of type string, not a time; set type: timestamp",
		},
		{
			"days and values", day + `{placeholder: day, days: {from: today, to: today}, values: [a]}`,
			"patterns.p.fan_out: fan-out has both days: and values:; keep one",
		},
		{
			"a placeholder in no key", day + `{placeholder: kind, values: enum}`,
			"patterns.p.fan_out.placeholder: no key condition uses {kind}, so every request would return the same rows",
		},
		{"no placeholder", day + `{values: [a]}`, "patterns.p.fan_out: fan-out needs placeholder:"},
		{"a value twice", day + `{placeholder: day, values: [x, y, x]}`, `patterns.p.fan_out.values: duplicate value "x"`},
		{
			"a comparison with an optional value", `    key: {PK: "DAY#{day}", SK: {lte: "{x}"}}
    parameters: {x: {required: false}}`,
			"patterns.p.key.SK: <= compares with {x}, which is optional; give it a default, or use range: with from: and to:, " +
				"whose ends can be missing",
		},
		{
			"two comparisons of one key", `    key: {PK: "DAY#{day}", SK: {gt: a, lt: b}}`,
			"patterns.p.key.SK: condition has lt and gt; DynamoDB allows one comparison of a key attribute; write one of them, or gte: with lte:",
		},
		{
			"a comparison and a prefix", `    key: {PK: "DAY#{day}", SK: {begins_with: a, range: id, from: b}}`,
			"patterns.p.key.SK: condition has begins_with and range; DynamoDB allows one comparison of a key attribute; " +
				"write one of them, or gte: with lte:",
		},
		{
			"between with one end", `    key: {PK: "DAY#{day}", SK: {between: [a]}}`,
			"patterns.p.key.SK.between: between needs two values, found 1; write [lower, upper]",
		},
		{
			"two comparisons in a filter", `    key: {PK: "DAY#{day}"}
    filter: [{attribute: id, equals: a, in: [b]}]`,
			"patterns.p.filter.0: expected one comparison, found equals and in; write one of them, or from: with to:",
		},
		{
			"an attribute beside alternatives", `    key: {PK: "DAY#{day}"}
    filter: [{attribute: id, any: [{attribute: id, equals: a}]}]`,
			"patterns.p.filter.0.attribute: any: has conditions of its own, so it takes no attribute; write it in every condition under any:",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := profiles.Load("shop.yaml", []byte(daily+c.text), nil)
			var got []string
			var list profiles.Errors
			if errors.As(err, &list) {
				for _, d := range list {
					text := d.String()
					got = append(got, text[strings.Index(text, "patterns."):])
				}
			}
			if text := strings.Join(got, "\n"); c.want == "" && err != nil || !strings.HasPrefix(text, c.want) {
				t.Errorf("(-want +got):\n%s%v", cmp.Diff(c.want, text), err)
			}
		})
	}
}

func TestParametersOfTailsAndFanOutsAreOptional(t *testing.T) {
	text := daily + `    key: {PK: "DAY#{day}", SK: "{at}#{id}[#{part}]"}
    parameters: {mail: {required: false}}
    variants:
      - when: [mail]
        key: {PK: "DAY#{day}[#{mail}]"}
        fan_out: {placeholder: day, days: {from: today-1d, to: today}}
  all:
    operation: query
    returns: [Log]
    key: {PK: "DAY#{kind}"}
    fan_out: {placeholder: kind, values: enum}
    parameters: {mail: {required: false}}
    variants:
      - when: [mail]
        key: {PK: "DAY#{kind}", SK: "{mail}"}
        fan_out: {placeholder: kind, values: [a]}
`
	p, err := profiles.Load("shop.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"day": true, "at": true, "id": true, "part": false, "mail": false}
	got := map[string]bool{}
	for _, q := range p.Pattern("p").Params {
		got[q.Name] = q.Required
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("required (-want +got):\n%s", diff)
	}
	if all := p.Pattern("all"); len(all.Params) != 1 || all.Params[0].Name != "mail" {
		t.Errorf("the placeholder of both fan-outs is a parameter: %v", all.Params)
	}
}
