package profiles_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// periodProfile is a schema with one partition for each period of a time. Tests insert the period's format.
const periodProfile = `name: shop
variables: {shards: {default: "3"}, stage: {default: qa}}
tables: {t: {partition_key: PK, sort_key: SK}}
entities:
  Log: {table: t, keys: {PK: "LOG#{at:PERIOD}", SK: "{at}#{id}"}, attributes: {id: {type: S}, at: {type: S, format: iso8601}}}
patterns:
  p:
    operation: query
    returns: [Log]
    key: {PK: "LOG#KEY"}
    fan_out: {placeholder: KEYNAME, FAN}
`

func loadFanOut(t *testing.T, period, key, fan string) (*profiles.Profile, error) {
	t.Helper()
	name, _, _ := strings.Cut(strings.Trim(key, "{}"), ":")
	text := strings.NewReplacer("PERIOD", period, "KEYNAME", name, "KEY", key, "FAN", fan).Replace(periodProfile)
	return profiles.Load("shop.yaml", []byte(text), nil)
}

// Each period is one partition, whether the pattern or only the entity specifies its format.
func TestFanOutOverPeriods(t *testing.T) {
	for _, c := range []struct{ period, word, from, to, want string }{
		{"hour", "hours", "2026-01-14T22:30:00Z", "2026-01-15T01:10:00Z", "2026-01-14T22 2026-01-14T23 2026-01-15T00 2026-01-15T01"},
		{"hour", "hours", "2026-01-14T22:30:00Z", "2026-01-14T22:31:00Z", "2026-01-14T22"},
		{"date", "days", "2026-02-27", "2026-03-01", "2026-02-27 2026-02-28 2026-03-01"},
		{"day", "days", "2026-02-28", "2026-03-01", "20260228 20260301"},
		{"week", "days", "2025-12-28", "2026-01-05", "2025-W52 2026-W01 2026-W02"},
		{"week", "days", "2026-12-31", "2027-01-04", "2026-W53 2027-W01"},
		{"month", "days", "2025-11-30", "2026-02-01", "2025-11 2025-12 2026-01 2026-02"},
		{"year", "days", "2024-12-31", "2026-01-01", "2024 2025 2026"},
		{"%Y/%m/%d-%H", "hours", "2026-01-14T22:30:00Z", "2026-01-14T23:10:00Z", "2026/01/14-22 2026/01/14-23"},
		{"%d.%m.%Y", "days", "2026-02-28", "2026-03-01", "28.02.2026 01.03.2026"},
		{"%Y%m", "days", "2025-11-30", "2026-01-01", "202511 202512 202601"},
		{"%GW%V", "days", "2026-12-31", "2027-01-04", "2026W53 2027W01"},
	} {
		for _, key := range []string{"{bucket}", "{bucket:" + c.period + "}"} {
			p, err := loadFanOut(t, c.period, key, fmt.Sprintf("%s: {from: %q, to: %q}", c.word, c.from, c.to))
			if err != nil {
				t.Errorf("%s: %v", key, err)
				continue
			}
			r, err := p.Patterns[0].Bind(nil, schemas.Now)
			if err != nil {
				t.Fatal(err)
			}
			var sent []string
			for _, l := range r.Explain(0, nil) {
				_, rest, _ := strings.Cut(string(l.Input), `"LOG#`)
				one, _, _ := strings.Cut(rest, `"`)
				sent = append(sent, one)
			}
			if got := strings.Join(sent, " "); got != c.want || strings.Join(r.Labels, " ") != c.want {
				t.Errorf("%s over %s: got %s with labels %s, want %s", key, c.period, got, r.Labels, c.want)
			}
			if !r.Sequential && len(r.Legs) > 1 {
				t.Errorf("%s over %s: the legs are merged although the sort key follows the time", key, c.period)
			}
		}
	}
}

func TestFanOutOverNumbersAndVariables(t *testing.T) {
	for fan, want := range map[string]string{
		"values: {from: 0, to: 3}":                     "0 1 2 3",
		"values: {count: 3}":                           "0 1 2",
		`values: {from: 1, count: "{shards}"}`:         "1 2 3",
		`values: {to: "{shards}"}`:                     "0 1 2 3",
		`values: {from: "08", to: 11}`:                 "08 09 10 11",
		`values: ["{stage}", "x-{stage}", c]`:          "qa x-qa c",
		`values: "{stage}"`:                            "qa",
		`values: {from: 4, to: 3}`:                     "!fan_out.values: range of values from 4 to 3 is empty",
		`values: {from: 0}`:                            "!fan_out.values: range of values needs exactly one of to: and count:",
		`values: {to: 1, count: 2}`:                    "!range of values needs exactly one of to: and count:",
		`values: {to: many}`:                           `!fan_out.values.to: "many" is not a whole number from 0 to 1000000`,
		`values: {to: 400}`:                            "!range of values has 401 partitions; at most 400 are read",
		`values: {count: "{shard}"}`:                   `!unknown variable {shard}; did you mean "shards"?`,
		`values: {until: 2}`:                           `!unknown key "until"`,
		`days: {from: today, to: now}`:                 "",
		`values: shards`:                               "!fan_out.values: the key has no shard of {shard}; write {shard:crc32 mod 10} in the key",
		`hours: {from: today, to: now}`:                "!fan_out.hours: the key contains a month, not an hour; use days:",
		`days: {from: today, to: now}, values: [a]`:    "!fan-out has both days: and values:",
		`hours: {from: now, to: now}, values: {to: 1}`: "!fan-out has both hours: and values:",
	} {
		p, err := loadFanOut(t, "month", "{shard}", fan)
		if strings.HasPrefix(want, "!") {
			if err == nil || !strings.Contains(err.Error(), want[1:]) {
				t.Errorf("%s: got %v, want %s", fan, err, want[1:])
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", fan, err)
			continue
		}
		if got := strings.Join(p.Patterns[0].Read.FanOut.Values, " "); got != want {
			t.Errorf("%s: got %s, want %s", fan, got, want)
		}
	}
}

// ddbdesk cannot guess the format of an hour in a key. A query with a wrong format finds nothing and reports no error.
func TestFanOutOverHoursNeedsFormat(t *testing.T) {
	const hours = "hours: {from: today, to: now}"
	if _, err := loadFanOut(t, "05d", "{h}", hours); err == nil || !strings.Contains(err.Error(), "the format of the hours in the key is unknown; write {h:hour} in the key") {
		t.Error(err)
	}
	if _, err := loadFanOut(t, "hour", "{h}", "days: {from: today, to: now}"); err == nil ||
		!strings.Contains(err.Error(), "fan_out.days: the key contains an hour, not a day; use hours:") {
		t.Error(err)
	}
	p, err := loadFanOut(t, "05d", "{h:hour}", hours)
	if err != nil || p.Patterns[0].Read.FanOut.Format != "hour" {
		t.Error(err)
	}
}

func TestFanOutOverShards(t *testing.T) {
	for _, c := range []struct{ key, fan, want string }{
		{"{id:crc32 mod 4}", "values: shards", "0 1 2 3"},
		{"{id:mod 3 + 1 02d}", "values: shards", "01 02 03"},
		{"{id:crc32 mod 4}", "values: {to: 3}", "!fan_out: the key has the shard {id:crc32 mod 4}; other values are not its partitions; write values: shards"},
		{"{id:crc32 mod 4}", "days: {from: today, to: now}", "!write values: shards"},
		{"{id:crc32 mod 500}", "values: shards", "!{id:crc32 mod 500} has 500 shards; at most 400 are read"},
		{"{id:sha256}", "values: shards", "!the key has no shard of {id}"},
	} {
		p, err := loadFanOut(t, "month", c.key, c.fan)
		if reason, fails := strings.CutPrefix(c.want, "!"); fails {
			if err == nil || !strings.Contains(err.Error(), reason) {
				t.Errorf("%s, %s: got %v, want %s", c.key, c.fan, err, reason)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s, %s: %v", c.key, c.fan, err)
			continue
		}
		r, err := p.Patterns[0].Bind(nil, schemas.Now)
		if err != nil || strings.Join(r.Labels, " ") != c.want {
			t.Errorf("%s: got %s (%v), want %s", c.key, r.Labels, err, c.want)
		}
	}
}

// dailyProfile is a schema with one partition for each day.
const dailyProfile = `name: shop
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

func TestInvalidFanOutsAreReported(t *testing.T) {
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
			"days with an end that is not a time", day + `{placeholder: day, days: {from: "{since}", to: soon}}` + times,
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
			"an attribute with alternatives", `    key: {PK: "DAY#{day}"}
    filter: [{attribute: id, any: [{attribute: id, equals: a}]}]`,
			"patterns.p.filter.0.attribute: any: has conditions of its own, so it takes no attribute; write it in every condition under any:",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := profiles.Load("shop.yaml", []byte(dailyProfile+c.text), nil)
			var got []string
			if list, ok := errors.AsType[profiles.Errors](err); ok {
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

func TestTailAndFanOutParametersAreOptional(t *testing.T) {
	text := dailyProfile + `    key: {PK: "DAY#{day}", SK: "{at}#{id}[#{part}]"}
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
		t.Errorf("the shared fan-out placeholder is a parameter: %v", all.Params)
	}
}

// ddbdesk sends a parameter in the format of the attribute that it is compared with. In another format, a time would
// exclude items at the ends of the range.
func TestParameterHasComparedAttributeFormat(t *testing.T) {
	const text = `name: shop
tables: {t: {partition_key: PK, sort_key: at, indexes: {ByDay: {partition_key: PK, sort_key: day, local: true}}}}
entities:
  Log:
    table: t
    keys: {day: "D#{bookedAt:date}"}
    attributes:
      PK: {type: S, required: true}
      at: {type: S, required: true, format: iso8601-local}
      bookedAt: {type: S, required: true, format: epoch-seconds}
      seenAt: {type: N, format: epoch-seconds}
patterns:
  p: {operation: query, returns: [Log], REQUEST, parameters: {since: {TYPE}}}
`
	for _, c := range []struct{ request, typed, want string }{
		{`key: {PK: x, at: {range: at, from: "{since}"}}`, "type: timestamp", "2026-01-14T10:00:00"},
		{`key: {PK: x, at: {range: at, from: "{since}"}}`, "", "2026-01-14T10:00:00"},
		{`key: {PK: x, at: {gt: "{since}"}}`, "type: timestamp", "2026-01-14T10:00:00"},
		{`index: ByDay, key: {PK: x, day: {range: bookedAt, from: "{since}"}}`, "type: timestamp", "D#2026-01-14"},
		{`key: {PK: x}, filter: [{attribute: seenAt, lt: "{since}"}]`, "type: timestamp", "1768384800"},
		{`key: {PK: x}, filter: [{any: [{attribute: at, equals: "{since}"}]}]`, "type: timestamp", "2026-01-14T10:00:00"},
		{`key: {PK: x, at: {gt: "{since}"}}`, "type: timestamp, format: iso8601", "2026-01-14T10:00:00Z"},
	} {
		p, err := profiles.Load("shop.yaml", []byte(strings.NewReplacer("REQUEST", c.request, "TYPE", c.typed).Replace(text)), nil)
		if err != nil {
			t.Fatalf("%s: %v", c.request, err)
		}
		r, err := p.Patterns[0].Bind(map[string]string{"since": "2026-01-14T10:00:00Z"}, schemas.Now)
		if err != nil {
			t.Fatalf("%s: %v", c.request, err)
		}
		if sent := string(r.Explain(0, nil)[0].Input); !strings.Contains(sent, `"`+c.want+`"`) {
			t.Errorf("%s with %s sends %s, want %s", c.request, c.typed, sent, c.want)
		}
	}
}
