package sample_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// drawProfile draws a profile with any words in its keys and conditions.
func drawProfile(t *rapid.T) string {
	text := rapid.SampledFrom([]string{"", ":lower", ":upper", ":first 2", ":crc32 mod 5", ":sha256", ":m"})
	number := rapid.SampledFrom([]string{":09d", ":div 100", ":div 7 010d", ":mod 3", ""})
	times := rapid.SampledFrom([]string{
		"", ":date", ":hour", ":compact", ":epoch-millis", ":epoch-micros", ":epoch-nanos", ":epoch-decimal", ":%Y/%m",
		":9999999999 - epoch-seconds", ":9007199254740991 - epoch-millis",
	})
	part := func() string {
		switch rapid.IntRange(0, 2).Draw(t, "part") {
		case 0:
			return "{kind" + strings.Replace(text.Draw(t, "text"), ":m", ":kinds", 1) + "}"
		case 1:
			return "{n" + number.Draw(t, "number") + "}"
		default:
			return "{at" + times.Draw(t, "time") + "}"
		}
	}
	format := rapid.SampledFrom([]string{
		"S, format: iso8601", "S, format: iso8601-ms", "N, format: epoch-seconds", "N, format: epoch-micros", "N, format: epoch-nanos",
		"N, format: epoch-decimal", `N, format: "9007199254740991 - epoch-millis"`,
	}).Draw(t, "format")
	optional := rapid.SampledFrom([]string{"", "[#{a}]", "[#{a}[#{b}]]", "[#{a}][;{b}]", "[#{a}]!{kind}"})
	when := rapid.SampledFrom([]string{"{has: [a]}", "{lacks: [b]}", "{has: [a], lacks: [c]}", "{kind: [on]}"}).Draw(t, "when")
	return fmt.Sprintf(`name: drawn
title: Drawn
tables:
  main: {name: drawn, partition_key: PK, sort_key: SK, indexes: {GSI1: {partition_key: GSI1PK, sort_key: GSI1SK, projection: ALL}}}
maps: {kinds: {values: {on: ACTIVE, off: PASSIVE}}}
mixins:
  all:
    attributes:
      id: {type: S, format: uuid, required: true}
      tenant: {type: S}
      kind: {type: S, enum: [on, off], required: true}
      n: {type: N, required: true}
      at: {type: %s, required: true}
      a: {type: S}
      b: {type: S}
      c: {type: M}
entities:
  Thing:
    table: main
    mixins: [all]
    when: {lacks: [latest]}
    keys:
      PK: "T#{tenant}#{id}"
      SK: "%s%s"
      GSI1PK: {template: "G#%s", when: %s}
      GSI1SK: {template: "%s%s", when: %s}
    attributes: {latest: {type: S}}
    sample: {count: 6}
  Latest:
    table: main
    mixins: [all]
    when: {has: [latest]}
    keys: {PK: "T#{tenant}#{id}", SK: "%s"}
    attributes: {latest: {type: S}}
    sample: {count: 4}
`, format, "S#"+part(), optional.Draw(t, "sort"), part(), when, "X#"+part(), optional.Draw(t, "index"), when, "S#"+part())
}

// Whatever words a profile has, drift search finds nothing in its sample data.
func TestSampleDataHasNoDrift(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		source := drawProfile(t)
		p, err := profiles.Load("drawn.yaml", []byte(source), nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, source)
		}
		items, err := sample.Items(p, sample.Options{At: schemas.Now, Seed: rapid.Uint64().Draw(t, "seed")})
		if err != nil || len(items) == 0 {
			t.Fatalf("%d items, %v\n%s", len(items), err, source)
		}
		for _, it := range items {
			r, defects := change.Drift{Entities: p.Entities, Now: schemas.Now}.Defects(it.Table, it.Item)
			if len(defects) > 0 || r.Entity != it.Entity {
				t.Fatalf("%v of %s: %s\n%s", defects, it.Entity.Name, it.Item.AppendJSON(nil), source)
			}
		}
	})
}
