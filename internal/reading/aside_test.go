package reading_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// DynamoDB rejects a filter on an attribute that the index does not project. ddbdesk then filters the items itself,
// with the same result.
func TestFiltersOnUnprojectedAttributes(t *testing.T) {
	t.Parallel()
	filtered := 0
	for _, name := range profiles.Names() {
		p, err := profiles.Open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		var usual *fixture.Fixture
		for _, table := range p.Tables {
			var list []*accesspatterns.Pattern
			for _, q := range p.Patterns {
				if q.Table == table && filtersIndex(q) {
					list = append(list, q)
				}
			}
			if list == nil {
				continue
			}
			if usual == nil {
				usual = fixture.New(t, name, session.Support)
			}
			keys := fixture.NewAltered(t, name, table.ID, func(m *models.Table) {
				for _, x := range m.Indexes {
					x.Projection, x.Include = models.ProjectionKeysOnly, nil
				}
			}, nil)
			for _, q := range list {
				filtered += sameResults(t, usual, keys, q)
			}
		}
	}
	if filtered == 0 {
		t.Error("no pattern filters the items of an index")
	}
}

// filtersIndex reports whether the pattern reads an index and filters the items.
func filtersIndex(p *accesspatterns.Pattern) bool {
	reads := []accesspatterns.Read{p.Read}
	for _, v := range p.Variants {
		reads = append(reads, v.Read)
	}
	return slices.ContainsFunc(reads, func(r accesspatterns.Read) bool { return r.Index != nil && len(r.Filter) > 0 })
}

// sameResults compares the results of a pattern in both fixtures for arguments from the sample data, and returns how
// many of them had results.
func sameResults(t *testing.T, a, b *fixture.Fixture, p *accesspatterns.Pattern) int {
	t.Helper()
	samples, err := sample.Items(a.Profile, sample.Options{Seed: 1, At: fixture.Now})
	if err != nil {
		t.Fatal(err)
	}
	tries := fixture.FixedArgs(p)
	for _, s := range samples {
		for _, r := range a.Workspace.Reading.Related(s.Table, s.Item) {
			if r.Pattern.ID == p.ID && len(tries) < 8 {
				tries = append(tries, r.Args)
			}
		}
	}
	for _, v := range p.Variants { // arguments that select the other variants
		for _, args := range tries {
			for _, name := range v.When {
				if q := p.Param(name); args[name] == "" && len(q.Enum) > 0 {
					more := maps.Clone(args)
					more[name] = q.Enum[0]
					tries = append(tries, more)
				}
			}
		}
	}
	found := 0
	for _, args := range tries {
		if _, err := a.Workspace.Reading.Bind(p, args); err != nil {
			continue
		}
		first, second := a.Profile.Pattern(p.ID), b.Profile.Pattern(p.ID)
		want := a.Ask(t, first, args, 1000)
		if len(want) > 0 && want[0] != "0" {
			found++
		}
		for _, limit := range []int{2, 1000} {
			if diff := cmp.Diff(want, b.Ask(t, second, args, limit)); diff != "" {
				t.Errorf("%s %v in pages of %d (-full projection +keys only):\n%s", p.FullID(), args, limit, diff)
			}
		}
	}
	return found
}
