package sample_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// The formats of placeholders in keys, by the type of the value.
var (
	textWords = []string{
		"", ":lower", ":upper", ":first 2", ":crc32 mod 5", ":fnv1a mod 4", ":java mod 16 02d", ":md5 mod 9 + 1", ":sha256", ":sha1", ":md5", ":kinds",
	}
	numberWords = []string{":09d", ":div 100", ":div 7 010d", ":mod 3", ""}
	timeWords   = []string{
		"", ":date", ":day", ":hour", ":week", ":month", ":year", ":compact", ":iso8601", ":iso8601-ms", ":iso8601-local", ":iso8601-local-ms",
		":epoch-seconds", ":%G-W%V", ":%Y%j", ":%d.%m.%Y %H:%M:%S", ":epoch-millis", ":epoch-micros", ":epoch-nanos", ":epoch-decimal", ":%Y/%m",
		":9999999999 - epoch-seconds", ":9007199254740991 - epoch-millis",
	}
)

// The lists above must contain every new format.
func TestWordListIsComplete(t *testing.T) {
	kind := func(f string) string {
		return strings.Join(strings.FieldsFunc(f, func(r rune) bool { return r == ':' || r == ' ' || '0' <= r && r <= '9' }), " ")
	}
	known := map[string]bool{kind("4"): true} // the width of {code:4}
	for _, w := range slices.Concat(textWords, numberWords, timeWords) {
		known[kind(w)] = true
	}
	for _, f := range models.KeyFormats() {
		if !known[kind(f)] {
			t.Errorf("the generated profiles have no format %q", f)
		}
	}
}

// drawProfile generates a schema with random formats in its keys and conditions.
func drawProfile(t *rapid.T) string {
	text, number, times := rapid.SampledFrom(textWords), rapid.SampledFrom(numberWords), rapid.SampledFrom(timeWords)
	part := func() string {
		switch rapid.IntRange(0, 4).Draw(t, "part") {
		case 3:
			return "{doc.city}#{code:4}"
		case 4:
			return "{period}"
		case 0:
			return "{kind" + text.Draw(t, "text") + "}"
		case 1:
			return "{n" + number.Draw(t, "number") + "}"
		default:
			return "{at" + times.Draw(t, "time") + "}"
		}
	}
	format := rapid.SampledFrom([]string{
		"S, format: iso8601", "S, format: iso8601-ms", "N, format: epoch-seconds", "N, format: epoch-micros", "N, format: epoch-nanos",
		"N, format: epoch-decimal", `N, format: "9007199254740991 - epoch-millis"`, "N, format: epoch-millis", "S, format: iso8601-any",
		"S, format: iso8601-local", "S, format: iso8601-local-ms", "S, format: compact", `S, format: "%Y-%m-%d %H:%M:%S"`,
	}).Draw(t, "format")
	optional := rapid.SampledFrom([]string{"", "[#{a}]", "[#{a}[#{b}]]", "[#{a}][;{b}]", "[#{a}]!{kind}"})
	label := rapid.SampledFrom([]string{"{has: [a]}", "{lacks: [b]}", "{has: [a], lacks: [c]}", "{kind: [on]}"}).Draw(t, "when")
	period := rapid.SampledFrom([]string{
		"S, format: date", "S, format: hour", "S, format: week", "S, format: month", "S, format: year", `N, format: "%Y%m%d%H"`, "S, format: ulid",
	}).Draw(t, "period")
	other := rapid.SampledFrom(models.Formats()).Draw(t, "other")
	kind := "S"
	if other.IsTime() && other.IsNumber() || slices.Contains([]models.Format{models.Cents, models.Bytes, models.Seconds, models.Score, models.Version}, other) {
		kind = "N"
	}
	hashed := rapid.SampledFrom([]string{`"{kind}"`, `{template: "{tenant}|{id}", digest: sha256}`}).Draw(t, "hashed")
	sort := "S#" + part() + optional.Draw(t, "sort")
	return fmt.Sprintf(`name: drawn
title: Drawn
tables:
  main: {name: drawn, partition_key: PK, sort_key: SK, ttl: ttl, indexes: {
    GSI1: {partition_key: GSI1PK, sort_key: GSI1SK, projection: ALL}, GSI2: {partition_key: kind, sort_key: {name: n, type: N}},
    GSI3: {partition_key: [hashed, kind], sort_key: [id]}}}
maps: {kinds: {values: {on: ACTIVE, off: PASSIVE}}}
mixins:
  all:
    attributes:
      id: {type: S, format: uuid, required: true}
      tenant: {type: S}
      kind: {type: S, enum: [on, off], required: true}
      n: {type: N, required: true}
      at: {type: %s, required: true}
      period: {type: %s, required: true}
      expiresAt: {type: S, format: iso8601}
      ttl: {type: N, format: epoch-seconds, equals: expiresAt}
      doc: {type: M, required: true, attributes: {city: {type: S, required: true}}}
      code: {type: S, required: true, enum: [AB12, CD34]}
      a: {type: S}
      b: {type: S}
      c: {type: M}
      other: {type: %s, format: %s, required: true}
entities:
  Thing:
    table: main
    mixins: [all]
    when: {lacks: [latest]}
    keys:
      PK: "T#{tenant}#{id}"
      SK: "%s"
      hashed: %s
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
actions:
  move: {entity: Thing, kind: move, set: {id: "{uuid}"}}
patterns:
  thing: {operation: get, key: {PK: "T#{tenant}#{id}", SK: "%s"}, returns: [Thing]}
`, format, period, kind, other, sort, hashed, part(), label, "X#"+part(), optional.Draw(t, "index"), label, "S#"+part(), sort)
}

// For any key format, drift search finds nothing in the sample data.
func TestSampleDataHasNoDrift(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		source := drawProfile(t)
		p, err := profiles.Load("drawn.yaml", []byte(source), nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, source)
		}
		items, err := sample.Items(p, sample.Options{At: schemas.Now, Seed: rapid.Uint64().Draw(t, "seed")})
		if err != nil || len(items) == 0 {
			t.Fatalf("got %d items, %v\n%s", len(items), err, source)
		}
		for _, it := range items {
			r, defects := change.Drift{Entities: p.Entities, Now: schemas.Now}.Defects(it.Table, it.Item)
			if len(defects) > 0 || r.Entity != it.Entity {
				t.Fatalf("got defects %v of %s: %s\n%s", defects, it.Entity.Name, it.Item.AppendJSON(nil), source)
			}
		}
	})
}

// For any key format, a moved item has no drift, and its undo restores it.
func TestMovedSampleDataHasNoDrift(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		source := drawProfile(t)
		p, err := profiles.Load("drawn.yaml", []byte(source), nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, source)
		}
		items, err := sample.Items(p, sample.Options{At: schemas.Now, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		move := p.Action("move")
		for _, it := range items {
			if it.Entity != move.Entity {
				continue
			}
			related := accesspatterns.Relations(p.Patterns[:1], p.Entities, accesspatterns.ItemView(it.Entity, it.Item))
			if len(related) != 1 {
				t.Fatalf("want one related pattern for %s\n%s", it.Item.AppendJSON(nil), source)
			}
			key, _ := it.Table.PrimaryKey(it.Item)
			r, err := related[0].Pattern.Bind(related[0].Args, schemas.Now)
			if err != nil || !models.EqualItems(r.Legs[0].Get.Key, key) {
				t.Fatalf("%v does not open %s: %v\n%s", related[0].Args, it.Item.AppendJSON(nil), err, source)
			}
			stored := map[string]models.Item{it.Table.KeyText(it.Item): it.Item}
			get := func(_ context.Context, table *models.Table, key models.Item) (models.Item, error) {
				return stored[table.KeyText(key)], nil
			}
			g := change.UserInput{Inputs: move.Args(it.Item), Token: change.NewToken(), Now: schemas.Now}
			b, err := move.Gather(t.Context(), g, get)
			if err != nil {
				t.Fatalf("%v: %s\n%s", err, it.Item.AppendJSON(nil), source)
			}
			plan, err := move.Plan(b)
			if err != nil {
				t.Fatalf("%v: %s\n%s", err, it.Item.AppendJSON(nil), source)
			}
			after := plan.Writes[0].After
			found, defects := change.Drift{Entities: p.Entities, Now: schemas.Now}.Defects(it.Table, after)
			if len(defects) > 0 || found.Entity != it.Entity {
				t.Fatalf("got defects %v of %s, moved from %s\n%s", defects, after.AppendJSON(nil), it.Item.AppendJSON(nil), source)
			}
			stored = map[string]models.Item{it.Table.KeyText(after): after}
			undone, err := plan.Undo(t.Context(), g, get)
			if err != nil || !models.EqualItems(undone.Writes[1].After, it.Item) {
				t.Fatalf("got undo %v, %v\n%s", undone, err, source)
			}
		}
	})
}
