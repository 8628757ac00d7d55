package profiles_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// BenchmarkBind binds the parameters of every read pattern of the largest schema, as a form does at every key press.
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
		inputs := map[string]string{}
		for _, a := range q.Params {
			switch {
			case !a.Required:
			case len(a.Enum) > 0:
				inputs[a.Name] = a.Enum[0]
			default:
				inputs[a.Name] = "id-1"
			}
		}
		if _, err := q.Bind(inputs, now); err != nil {
			b.Fatal(err)
		}
		args[q] = inputs
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		for q, inputs := range args {
			if _, err := q.Bind(inputs, now); err != nil {
				b.Fatal(err)
			}
			n++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(n), "µs/bind")
}

// BenchmarkLoad reads and checks the largest built-in schema.
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

// BenchmarkMask masks the sensitive values of an item.
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

// BenchmarkLoadLarge reads and checks a schema of 200 entities and 500 patterns, and a small one.
func BenchmarkLoadLarge(b *testing.B) {
	for _, entities := range []int{2, 200} {
		text := schemas.Large(entities)
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

// TestLoadCostIsLinear compares the allocations for each entity of a large and a small schema.
func TestLoadCostIsLinear(t *testing.T) {
	perEntity := func(entities int) float64 {
		text := schemas.Large(entities)
		return testing.AllocsPerRun(1, func() {
			if _, err := profiles.Load("large.yaml", text, nil); err != nil {
				t.Fatal(err)
			}
		}) / float64(entities)
	}
	if small, large := perEntity(20), perEntity(200); large > 1.1*small {
		t.Fatalf("%.0f allocations for each of 200 entities, but %.0f for each of 20", large, small)
	}
}
