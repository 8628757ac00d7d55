package profiles_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// BenchmarkBind measures what happens at every key press in a form: the
// parameters of each read pattern of the largest profile, bound to a request.
func BenchmarkBind(b *testing.B) {
	now := time.Date(2026, 1, 20, 12, 0, 0, 0, time.UTC)
	p, err := profiles.Open("tazco", nil)
	if err != nil {
		b.Fatal(err)
	}
	args := map[*accesspatterns.Pattern]map[string]string{}
	for _, q := range p.Patterns {
		if !q.IsRead() {
			continue
		}
		given := map[string]string{}
		for _, a := range q.Params {
			switch {
			case !a.Required:
			case len(a.Enum) > 0:
				given[a.Name] = a.Enum[0]
			default:
				given[a.Name] = "id-1"
			}
		}
		if _, err := q.Bind(given, now); err != nil {
			b.Fatal(err)
		}
		args[q] = given
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		for q, given := range args {
			if _, err := q.Bind(given, now); err != nil {
				b.Fatal(err)
			}
			n++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(n), "µs/bind")
}

// BenchmarkLoad measures reading and checking the largest profile.
func BenchmarkLoad(b *testing.B) {
	_, text, err := profiles.ReadSource("tazco")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := profiles.Load("tazco.yaml", text, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMask measures hiding the sensitive parts of an item.
func BenchmarkMask(b *testing.B) {
	p, err := profiles.Open("authbridge", nil)
	if err != nil {
		b.Fatal(err)
	}
	samples, err := sample.Items(p, sample.Options{Items: 1, Seed: 1, At: time.Date(2026, 1, 20, 12, 0, 0, 0, time.UTC)})
	if err != nil {
		b.Fatal(err)
	}
	m := models.NewMasker(p.Entities, false)
	b.ReportAllocs()
	for b.Loop() {
		for _, s := range samples {
			m.Item(s.Table, s.Item)
		}
	}
}

// largeProfile returns a profile of so many entities, with five patterns for every two of them.
func largeProfile(entities int) []byte {
	var b strings.Builder
	b.WriteString(`name: large
title: Large schema
tables:
  things:
    name: Things
    partition_key: PK
    sort_key: SK
    indexes:
      GSI1: {partition_key: GSI1PK, sort_key: GSI1SK, projection: ALL}
entities:
`)
	for i := range entities {
		fmt.Fprintf(&b, `  Entity%[1]d:
    table: things
    keys:
      PK: "E%[1]d#{id%[1]d}"
      SK: META
      GSI1PK: "O%[1]d#{owner%[1]d}"
      GSI1SK: "{createdAt}"
    attributes:
      id%[1]d: {type: S, required: true, description: Number of the entity}
      owner%[1]d: {type: S, required: true}
      createdAt: {type: S, format: iso8601, required: true}
      state: {type: S, enum: [open, closed, waiting]}
      email: {type: S, format: email, sensitive: pii}
`, i)
		for field := range 6 {
			fmt.Fprintf(&b, "      field%[1]d:\n        type: S\n        description: Field %[1]d of the entity\n", field)
		}
	}
	b.WriteString("patterns:\n")
	for i := range entities * 5 / 2 {
		e := i % entities
		if i < entities {
			fmt.Fprintf(&b, "  get-%d:\n    title: Entity %d\n    operation: get\n    returns: [Entity%d]\n    key: {PK: \"E%d#{id%d}\", SK: META}\n", i, e, e, e, e)
			continue
		}
		fmt.Fprintf(&b, "  list-%d:\n    title: Entities %d of an owner\n    operation: query\n    index: GSI1\n    returns: [Entity%d]\n"+
			"    key: {GSI1PK: \"O%d#{owner%d}\"}\n    order: descending\n    limit: 50\n", i, e, e, e, e)
	}
	return []byte(b.String())
}

// BenchmarkLoadLarge measures reading and checking a profile of 200 entities and 500 patterns, and of a small one.
func BenchmarkLoadLarge(b *testing.B) {
	for _, entities := range []int{2, 200} {
		text := largeProfile(entities)
		b.Run(fmt.Sprintf("entities=%d", entities), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := profiles.Load("large.yaml", text, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*entities), "µs/entity")
		})
	}
}

// TestLoadingCostIsLinear compares the allocations for an entity of a large profile with those of a small one.
func TestLoadingCostIsLinear(t *testing.T) {
	perEntity := func(entities int) float64 {
		text := largeProfile(entities)
		return testing.AllocsPerRun(1, func() {
			if _, err := profiles.Load("large.yaml", text, nil); err != nil {
				t.Fatal(err)
			}
		}) / float64(entities)
	}
	if small, large := perEntity(20), perEntity(200); large > 1.1*small {
		t.Fatalf("an entity of 200 costs %.0f allocations, of 20 %.0f", large, small)
	}
}
