package profiles_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// bucketed has entities in one partition for each period of a time, by several spellings.
const bucketed = `name: shop
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

func fanned(t *testing.T, period, key, fan string) (*profiles.Profile, error) {
	t.Helper()
	name, _, _ := strings.Cut(strings.Trim(key, "{}"), ":")
	text := strings.NewReplacer("PERIOD", period, "KEYNAME", name, "KEY", key, "FAN", fan).Replace(bucketed)
	return profiles.Load("shop.yaml", []byte(text), nil)
}

// Each period is one partition, whether its spelling is in the pattern or only in the entity.
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
			p, err := fanned(t, c.period, key, fmt.Sprintf("%s: {from: %q, to: %q}", c.word, c.from, c.to))
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
				t.Errorf("%s over %s reads %s, labels %s, want %s", key, c.period, got, r.Labels, c.want)
			}
			if !r.Sequential && len(r.Legs) > 1 {
				t.Errorf("%s over %s is merged, although the sort key follows the time", key, c.period)
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
		p, err := fanned(t, "month", "{shard}", fan)
		if strings.HasPrefix(want, "!") {
			if err == nil || !strings.Contains(err.Error(), want[1:]) {
				t.Errorf("%s: %v, want %s", fan, err, want[1:])
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", fan, err)
			continue
		}
		if got := strings.Join(p.Patterns[0].Read.FanOut.Values, " "); got != want {
			t.Errorf("%s: %s, want %s", fan, got, want)
		}
	}
}

// Nothing guesses how a key spells an hour: another spelling finds nothing, without an error.
func TestFanOutOverHoursNeedsTheirSpelling(t *testing.T) {
	const hours = "hours: {from: today, to: now}"
	if _, err := fanned(t, "05d", "{h}", hours); err == nil || !strings.Contains(err.Error(), "the format of the hours in the key is unknown; write {h:hour} in the key") {
		t.Error(err)
	}
	if _, err := fanned(t, "hour", "{h}", "days: {from: today, to: now}"); err == nil ||
		!strings.Contains(err.Error(), "fan_out.days: the key contains an hour, not a day; use hours:") {
		t.Error(err)
	}
	p, err := fanned(t, "05d", "{h:hour}", hours)
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
		p, err := fanned(t, "month", c.key, c.fan)
		if reason, fails := strings.CutPrefix(c.want, "!"); fails {
			if err == nil || !strings.Contains(err.Error(), reason) {
				t.Errorf("%s, %s: %v, want %s", c.key, c.fan, err, reason)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s, %s: %v", c.key, c.fan, err)
			continue
		}
		r, err := p.Patterns[0].Bind(nil, schemas.Now)
		if err != nil || strings.Join(r.Labels, " ") != c.want {
			t.Errorf("%s reads %s (%v), want %s", c.key, r.Labels, err, c.want)
		}
	}
}
