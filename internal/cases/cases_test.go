package cases_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/cases"
	"github.com/ddbdesk/ddbdesk/internal/link"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/canary"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// startAt returns the start of a case at an item.
func startAt(e *models.Entity, it models.Item) link.Place {
	key, _ := e.Table.PrimaryKey(it)
	return link.Place{Entity: e, Key: key}
}

func collect(t testing.TB, w *workspace.Workspace, e *models.Entity, it models.Item, depth int) (*cases.Tree, *cases.Case, *cases.Report) {
	t.Helper()
	l := cases.DefaultLimits()
	l.Depth = depth
	tree, err := w.Cases.Explore(t.Context(), startAt(e, it), l)
	if err != nil {
		t.Fatal(err)
	}
	c, report, err := w.Cases.Collect(t.Context(), tree, cases.Purpose{})
	if err != nil {
		t.Fatal(err)
	}
	return tree, c, report
}

// reopen encodes a case and parses it again.
func reopen(t testing.TB, f *fixture.Fixture, c *cases.Case) *cases.Case {
	t.Helper()
	text, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	file, err := cases.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Match(f.Profile); err != nil {
		t.Fatal(err)
	}
	second, err := file.Open(f.Profile)
	if err != nil {
		t.Fatal(err)
	}
	return second
}

// loadCase returns a console on a database that contains only the items of a case.
func loadCase(t testing.TB, f *fixture.Fixture, c *cases.Case) *workspace.Workspace {
	t.Helper()
	other := fixture.NewOn(t, f.Profile, fixture.Connect(t, fixture.Database(t)))
	other.Create(t)
	for _, r := range c.Records {
		other.Put(t, r.Table, r.Item)
	}
	return other.With(session.Support)
}

// firstSamples returns the first sample item of each entity.
func firstSamples(list []sample.Item) []sample.Item {
	var out []sample.Item
	for _, s := range list {
		if !slices.ContainsFunc(out, func(o sample.Item) bool { return o.Entity == s.Entity }) {
			out = append(out, s)
		}
	}
	return out
}

// runAll runs a pattern to its end.
func runAll(t testing.TB, w *workspace.Workspace, p *accesspatterns.Pattern, args map[string]string) []models.Item {
	t.Helper()
	run, err := w.Reading.Start(p, args, reading.RunOptions{AllowScan: true, All: true, Segments: 1})
	if err != nil {
		t.Fatalf("%s %v: %v", p.ID, args, err)
	}
	var items []models.Item
	if err := run.All(t.Context(), func(page reading.Page) error {
		items = append(items, page.Items...)
		return nil
	}); err != nil {
		t.Fatalf("%s %v: %v", p.ID, args, err)
	}
	return items
}

// Every pattern returns the same items on a case as on its source, restricted to the items of the case. This covers
// patterns that an item fills, and patterns that only need a state or a time.
func TestCopyReturnsSameItemsAsSource(t *testing.T) {
	fixture.EachSchema(t, session.Support, func(t *testing.T, f *fixture.Fixture, samples []sample.Item) {
		f.Workspace.Cases.SharePseudonyms()
		requested, answers := map[string]bool{}, 0
		for i, s := range firstSamples(samples) {
			_, c, _ := collect(t, f.Workspace, s.Entity, s.Item, 1)
			if place, err := c.Link(f.Profile).Resolve(f.Profile); err != nil ||
				c.Records[0].Table.KeyText(place.Key) != c.Records[0].Table.KeyText(c.Records[0].Item) {
				t.Errorf("the case of %s starts at %+v, %v", s.Entity.Name, place, err)
			}
			q := comparison{f, loadCase(t, f, reopen(t, f, c)), map[string]bool{}}
			for _, r := range c.Records {
				q.in[r.Table.ID+r.Table.KeyText(r.Item)] = true
			}
			list := f.Workspace.Reading.Related(s.Table, s.Item)
			for _, p := range f.Profile.Patterns {
				for _, args := range fixture.FixedArgs(p) {
					if _, err := f.Workspace.Reading.Bind(p, args); err == nil && i == 0 {
						list = append(list, accesspatterns.Related{Pattern: p, Args: args})
					}
				}
			}
			for _, r := range list {
				if id := s.Entity.Name + r.Pattern.ID; r.Pattern.Read.Operation != accesspatterns.Count && !requested[id] {
					requested[id] = true
					answers += min(1, q.compare(t, r))
				}
			}
		}
		if answers < len(f.Profile.Entities) || answers < len(requested)/2 {
			t.Errorf("only %d of %d comparisons returned rows", answers, len(requested))
		}
	})
}

// A comparison contains a source, and a database with a case of it.
type comparison struct {
	*fixture.Fixture
	copied *workspace.Workspace
	in     map[string]bool // keys of the case's items
}

// compare runs a pattern on both databases, and returns the number of rows of the case. The items of a scan have no
// order.
func (q comparison) compare(t *testing.T, r accesspatterns.Related) int {
	replace, argument := q.Workspace.Cases.Replacer()
	p, args := r.Pattern, map[string]string{}
	for name, v := range r.Args {
		args[name] = argument(p.Param(name), v)
	}
	var want, got []string
	for _, it := range runAll(t, q.Workspace, p, r.Args) {
		known, ok := q.Workspace.Session.Recognize(p.Table, it)
		if !ok {
			continue
		}
		replaced, err := replace(known.Entity, it)
		if err != nil {
			t.Fatal(err)
		}
		if q.in[p.Table.ID+p.Table.KeyText(replaced)] {
			want = append(want, string(replaced.AppendDynamoDBJSON(nil)))
		}
	}
	for _, it := range runAll(t, q.copied, p, args) {
		got = append(got, string(it.AppendDynamoDBJSON(nil)))
	}
	if p.Read.Operation == accesspatterns.Scan {
		slices.Sort(want)
		slices.Sort(got)
	}
	if !slices.Equal(want, got) {
		t.Errorf("%s %v:\n source %s\n  case %s", p.ID, r.Args, strings.Join(want, "\n"), strings.Join(got, "\n"))
	}
	return len(got)
}

// Keys match the attributes in a case whenever they match in its source, the file contains no original value of a
// sensitive attribute, and the same key file produces the same items.
func TestCasesHaveConsistentItemsWithoutPersonalData(t *testing.T) {
	fixture.EachSchema(t, session.Support, func(t *testing.T, f *fixture.Fixture, samples []sample.Item) {
		f.Workspace.Cases.SharePseudonyms()
		for _, s := range firstSamples(samples) {
			tree, c, _ := collect(t, f.Workspace, s.Entity, s.Item, 2)
			text, err := c.Encode()
			if err != nil {
				t.Fatal(err)
			}
			_, rest, _ := bytes.Cut(text, []byte("\n"))
			for _, r := range c.Records {
				known, ok := models.Recognize(f.Profile.Entities, r.Table, r.Item)
				if !ok || known.Entity != r.Entity {
					t.Fatalf("an item in the case of %s matches no entity or another entity", s.Entity.Name)
				}
				for _, k := range known.Entity.KeyStates(r.Item) {
					if k.Problem != "" && k.Present {
						t.Errorf("%s.%s: %s", known.Entity.Name, k.Name, k.Problem)
					}
				}
			}
			for _, value := range sensitiveValues(samples) {
				if bytes.Contains(text, []byte(value)) {
					t.Errorf("the case of %s contains %q", s.Entity.Name, value)
				}
			}
			second, _, err := f.Workspace.Cases.Collect(t.Context(), tree, cases.Purpose{})
			if err != nil {
				t.Fatal(err)
			}
			if text, err = second.Encode(); err != nil {
				t.Fatal(err)
			}
			if _, repeated, _ := bytes.Cut(text, []byte("\n")); !bytes.Equal(rest, repeated) {
				t.Errorf("the second case of %s differs from the first", s.Entity.Name)
			}
		}
	})
}

// A value has different pseudonyms in two cases, so a guess cannot be confirmed in another case.
func TestPseudonymsDifferBetweenCases(t *testing.T) {
	f := fixture.New(t, "authbridge", session.Support)
	e, it := f.SampleCase(t, "approved")
	tree, c, _ := collect(t, f.Workspace, e, it, 0)
	second, _, err := f.Workspace.Cases.Collect(t.Context(), tree, cases.Purpose{})
	if err != nil {
		t.Fatal(err)
	}
	one, _ := c.Records[0].Item.Text("customerMetadata.email")
	other, _ := second.Records[0].Item.Text("customerMetadata.email")
	if one == "" || other == "" || one == other {
		t.Errorf("got IDs %q and %q, want different pseudonyms", one, other)
	}
}

// sensitiveValues returns the texts that only sensitive attributes contain and that are too long to occur by chance.
func sensitiveValues(samples []sample.Item) []string {
	var hidden, open []string
	var walk func(a *models.Attribute, v types.AttributeValue)
	walk = func(a *models.Attribute, v types.AttributeValue) {
		if m, ok := v.(*types.AttributeValueMemberM); ok {
			for _, n := range a.Attributes {
				walk(n, m.Value[n.Name])
			}
		}
		if text, ok := models.ValueText(v); ok && a.Sensitive != models.NotSensitive && len(text) > 6 {
			hidden = append(hidden, text)
		} else if ok {
			open = append(open, text)
		}
	}
	for _, s := range samples {
		for _, a := range s.Entity.Attributes {
			walk(a, s.Item[a.Name])
		}
	}
	return slices.DeleteFunc(hidden, func(v string) bool {
		return slices.ContainsFunc(open, func(o string) bool { return strings.Contains(o, v) })
	})
}

// A case contains no marker of a sensitive attribute. With a schema that declares no attribute as sensitive, it
// contains them.
func TestCasesHaveNoCanary(t *testing.T) {
	t.Parallel()
	for _, name := range canary.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			count := map[bool]int{}
			for _, unmasked := range []bool{false, true} {
				p, err := canary.Open(name, false)
				if err != nil {
					t.Fatal(err)
				}
				g, err := canary.Plant(p, 2, fixture.Now)
				if err != nil {
					t.Fatal(err)
				}
				if p, err = canary.Open(name, unmasked); err != nil {
					t.Fatal(err)
				}
				f := fixture.NewOn(t, p, fixture.Connect(t, fixture.Database(t)))
				f.Workspace.Cases.SharePseudonyms()
				f.Create(t)
				for _, marked := range g.Items {
					f.Put(t, p.Table(marked.Table.ID), marked.Item)
				}
				for _, marked := range g.Items {
					if marked.Entity == nil {
						continue
					}
					_, c, report := collect(t, f.Workspace, p.Entity(marked.Entity.Name), marked.Item, 2)
					text, err := c.Encode()
					if err != nil {
						t.Fatal(err)
					}
					found := g.Watch.Find(string(text) + "\n" + strings.Join(report.Lines(), "\n"))
					if count[unmasked] += len(found); !unmasked {
						for _, s := range found {
							t.Errorf("the case of %s contains %s", marked.Entity.Name, s)
						}
					}
				}
			}
			if count[true] == 0 {
				t.Error("the check finds no canary without declared sensitive attributes")
			}
		})
	}
}
