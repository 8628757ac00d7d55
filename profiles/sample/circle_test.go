package sample_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// Entities that are parents of each other, and refer to each other in a circle, have sample items too.
func TestCirclesOfParentsAndReferencesHaveItems(t *testing.T) {
	kinds := []string{
		"{type: S, required: true}", "{type: S, required: true, refers: OTHER}", "{type: S, key_only: true}",
		"{type: S, key_only: true, refers: OTHER}", "{type: S, refers: OTHER}",
	}
	n := len(kinds)
	for i := range n * n * n * n {
		kind := func(place int, other string) string { return strings.Replace(kinds[i/place%n], "OTHER", other, 1) }
		text := fmt.Sprintf(`name: circle
tables: {t: {name: circle-t, partition_key: PK, sort_key: SK}}
entities:
  A: {table: t, parent: B, keys: {PK: "X#{b}", SK: "A#{a}"}, attributes: {a: %s, b: %s}}
  B: {table: t, parent: A, keys: {PK: "Y#{a}", SK: "B#{b}"}, attributes: {a: %s, b: %s}}
patterns: {q: {title: x, operation: query, key: {PK: "X#{b}"}, returns: [A]}}
`, kind(1, "B.a"), kind(n, "B.b"), kind(n*n, "A.a"), kind(n*n*n, "A.b"))
		p, err := profiles.Load("circle.yaml", []byte(text), nil)
		if err != nil {
			t.Fatalf("%v:\n%s", err, text)
		}
		items, err := sample.Items(p, sample.Options{Seed: 1, At: time.Date(2026, 1, 20, 12, 0, 0, 0, time.UTC)})
		if err != nil || len(items) == 0 {
			t.Errorf("%d items, %v:\n%s", len(items), err, text)
		}
	}
}
