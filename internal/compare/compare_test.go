package compare_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/compare"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// emptyDatabase returns a database with the tables of a schema.
func emptyDatabase(t *testing.T, name string) *fixture.Fixture {
	t.Helper()
	f := fixture.NewOn(t, schemas.Open(t, name), fixture.Connect(t, fixture.Database(t)))
	f.Create(t)
	return f
}

// differencesOf returns the differences as text: their kind, table and key.
func differencesOf(t *testing.T, c *compare.Comparison, o compare.Options) (list []string, sum compare.Summary) {
	t.Helper()
	sum, err := c.Find(t.Context(), o, func(d compare.Difference) error {
		list = append(list, fmt.Sprint(d.Kind, " ", d.Table.KeyText(d.Key)))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list, sum
}

// In databases that differ in random places, Find reports the same differences as a comparison item by item.
func TestFindAgreesWithComparisonItemByItem(t *testing.T) {
	t.Parallel()
	fixture.EachSchema(t, session.Support, func(t *testing.T, f *fixture.Fixture, samples []sample.Item) {
		left, right := emptyDatabase(t, f.Profile.Name), emptyDatabase(t, f.Profile.Name)
		random := rand.New(rand.NewPCG(1, 2))
		var want []string
		equal := len(samples)
		for _, s := range samples {
			key, _ := s.Entity.Table.PrimaryKey(s.Item)
			text := s.Entity.Table.KeyText(key)
			kind := compare.Kind("")
			original, changed := s.Item, s.Item.Clone()
			switch random.IntN(8) {
			case 0:
				kind, changed = compare.OnlyLeft, nil
			case 1:
				kind, original = compare.OnlyRight, nil
			case 2:
				kind, changed["note"] = compare.Differs, models.StringValue("changed")
			}
			for f, it := range map[*fixture.Fixture]models.Item{left: original, right: changed} {
				if it != nil {
					f.Put(t, s.Entity.Table, it)
				}
			}
			if kind == "" {
				continue
			}
			equal--
			want = append(want, fmt.Sprint(kind, " ", text))
		}
		got, sum := differencesOf(t, compare.New(left.Workspace, right.Workspace), compare.Options{})
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if sum.Equal != equal || sum.OnlyLeft+sum.OnlyRight+sum.Differs != len(want) || !sum.Different() ||
			sum.Capacity[0] == 0 || sum.Capacity[1] == 0 {
			t.Errorf("got %+v, want %d equal items and both capacities", sum, equal)
		}
	})
}

func TestVolatileAttributesDoNotDiffer(t *testing.T) {
	t.Parallel()
	var volatile atomic.Int32
	t.Cleanup(func() { // runs after the schemas
		if volatile.Load() == 0 {
			t.Error("no sample item has a volatile attribute")
		}
	})
	fixture.EachSchema(t, session.Support, func(t *testing.T, left *fixture.Fixture, samples []sample.Item) {
		right := fixture.New(t, left.Profile.Name, session.Support)
		for _, s := range samples {
			changed := s.Item.Clone()
			for _, a := range s.Entity.Attributes {
				if a.Volatile && changed[a.Name] != nil {
					changed[a.Name] = fixture.Number(t, "987654")
					volatile.Add(1)
				}
			}
			right.Put(t, s.Entity.Table, changed)
		}
		if list, sum := differencesOf(t, compare.New(left.Workspace, right.Workspace), compare.Options{}); sum.Different() || sum.Equal != len(samples) {
			t.Errorf("got differences %q, %+v, want none", list, sum)
		}
	})
}

func TestVolatilePartsDoNotDiffer(t *testing.T) {
	t.Parallel()
	p, err := profiles.Load("p.yaml", []byte(`name: p
tables: {docs: {partition_key: id}}
entities:
  Doc:
    table: docs
    attributes:
      id: {type: S, required: true}
      stats: {type: M, attributes: {hits: {type: N, volatile: true}, name: {type: S}}}
      parts: {type: L, items: M, attributes: {hits: {type: N, volatile: true}}}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	var sides [2]*fixture.Fixture
	for i := range sides {
		sides[i] = fixture.NewOn(t, p, fixture.Connect(t, fixture.Database(t)))
		sides[i].Create(t)
		for _, names := range []string{"aa", "ab"} {
			stats := models.Item{"hits": fixture.Number(t, fmt.Sprint(i)), "name": models.StringValue(names[i : i+1])}
			part := &types.AttributeValueMemberM{Value: models.Item{"hits": fixture.Number(t, fmt.Sprint(i))}}
			sides[i].Put(t, p.Tables[0], models.Item{
				"id": models.StringValue(names), "stats": &types.AttributeValueMemberM{Value: stats},
				"parts": &types.AttributeValueMemberL{Value: []types.AttributeValue{part}},
			})
		}
	}
	list, sum := differencesOf(t, compare.New(sides[0].Workspace, sides[1].Workspace), compare.Options{})
	if diff := cmp.Diff([]string{"differs ab"}, list); diff != "" || sum.Equal != 1 {
		t.Errorf("%+v (-want +got):\n%s", sum, diff)
	}
}

// Differences contain masked values. A change between the two scans is not a difference.
func TestShownDifferencesAreMasked(t *testing.T) {
	t.Parallel()
	left := fixture.New(t, "ebay-sniper", session.Support)
	right := fixture.New(t, "ebay-sniper", session.Support)
	samples := left.Samples(t)
	i := slices.IndexFunc(samples, func(s sample.Item) bool {
		return s.Item["email"] != nil && s.Entity.Attribute("email").Sensitive == models.PII
	})
	e, it := samples[i].Entity, samples[i].Item
	changed := it.Clone()
	changed["email"], changed["extra"] = models.StringValue("jane.canary@example.com"), models.StringValue("shown")
	right.Put(t, e.Table, changed)
	c := compare.New(left.Workspace, right.Workspace)
	shown := map[string]string{}
	_, err := c.Find(t.Context(), compare.Options{Entity: e.Name}, func(d compare.Difference) error {
		key, changes := c.Shown(d)
		shown["key"] = d.Table.KeyText(key)
		for _, ch := range changes {
			after, _ := models.ValueText(ch.After)
			shown[ch.Path] = after
		}
		return nil
	})
	if err != nil || shown["email"] == "" {
		t.Fatal(shown, err)
	}
	if text := fmt.Sprint(shown); strings.Contains(text, "canary") {
		t.Error(text)
	}
}

// For a role that cannot reveal masked values, items that only differ in them are equal.
func TestOnlyRevealingRolesCompareMaskedValues(t *testing.T) {
	t.Parallel()
	for role, different := range map[session.Role]int{session.Support: 0, session.Developer: 1} {
		left, right := fixture.New(t, "ebay-sniper", role), fixture.New(t, "ebay-sniper", role)
		samples := left.Samples(t)
		it := samples[slices.IndexFunc(samples, func(s sample.Item) bool { return s.Entity.Name == "User" && s.Item["email"] != nil })]
		changed := it.Item.Clone()
		email, _ := changed.Text("email")
		changed["email"] = models.StringValue(email[:1] + "another@example." + email[strings.LastIndexByte(email, '.')+1:])
		right.Put(t, it.Table, changed)
		c := compare.New(left.Workspace, right.Workspace)
		list, sum := differencesOf(t, c, compare.Options{Entity: "User"})
		if sum.Differs != different || len(list) != different || c.IgnoresMasked() != (different == 0) {
			t.Errorf("%s: got differences %q, %+v", role, list, sum)
		}
	}
}

// If the role of one side cannot reveal masked values, a comparison of two roles masks both sides alike: it reveals
// no equal values and adds no differences.
func TestBlindComparisonsMaskBothSides(t *testing.T) {
	t.Parallel()
	for _, roles := range [][2]session.Role{
		{session.Support, session.Support},
		{session.Support, session.Developer},
		{session.Developer, session.Support},
		{session.Developer, session.Developer},
	} {
		left, right := fixture.New(t, "ebay-sniper", roles[0]), fixture.New(t, "ebay-sniper", roles[1])
		samples := left.Samples(t)
		it := samples[slices.IndexFunc(samples, func(s sample.Item) bool { return s.Entity.Name == "User" && s.Item["email"] != nil })]
		it.Item["undeclared"], it.Item["ebayAccountId"] = models.StringValue("same"), models.StringValue("same")
		left.Put(t, it.Table, it.Item)
		email, _ := it.Item.Text("email")
		it.Item["email"] = models.StringValue(email[:1] + "another@example." + email[strings.LastIndexByte(email, '.')+1:])
		it.Item["updatedAt"] = fixture.Number(t, "1")
		right.Put(t, it.Table, it.Item)
		c := compare.New(left.Workspace, right.Workspace)
		differ, shown := map[string]bool{}, map[string]bool{}
		sum, err := c.Find(t.Context(), compare.Options{}, func(d compare.Difference) error {
			_, changes := c.Shown(d)
			for _, ch := range changes {
				shown[ch.Path] = true
			}
			list, err := c.ReadBoth(t.Context(), d)
			for _, a := range list {
				if a.Differs {
					differ[a.Name] = true
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]bool{"updatedAt": true}
		if roles[0] == roles[1] && roles[0] == session.Developer {
			want["email"] = true
		}
		if sum.Differs != 1 || sum.OnlyLeft+sum.OnlyRight > 0 || !maps.Equal(shown, want) || !maps.Equal(differ, want) {
			t.Errorf("%v: got %+v, shown %v, differences %v", roles, sum, shown, differ)
		}
	}
}

// The scope is one entity, or the items of a pattern.
func TestFindComparesSelectedScope(t *testing.T) {
	t.Parallel()
	left := fixture.New(t, "authbridge", session.Support)
	e, it := left.SampleCase(t, "approved")
	it["verificationId"] = models.StringValue("ver_other")
	it["PK"] = models.StringValue("CASE#ver_other")
	right := fixture.New(t, left.Profile.Name, session.Support)
	left.Put(t, e.Table, it)
	c := compare.New(left.Workspace, right.Workspace)
	id, _ := it.Text("verificationId")
	for _, o := range []compare.Options{
		{Entity: e.Name}, {Pattern: "get-verification", Args: map[string]string{"verificationId": id}},
	} {
		if list, sum := differencesOf(t, c, o); len(list) != 1 || sum.OnlyLeft != 1 {
			t.Errorf("%+v: got %q, %+v, want 1 difference", o, list, sum)
		}
	}
	if list, sum := differencesOf(t, c, compare.Options{Entity: "Session"}); sum.Different() || sum.Equal == 0 {
		t.Errorf("got %q, %+v, want only equal items", list, sum)
	}
	for _, o := range []compare.Options{{Entity: "Verificaton"}, {Pattern: "nothing"}} {
		if err := c.Check(t.Context(), o); !errors.Is(err, session.ErrInput) {
			t.Errorf("%+v: got %v, want an input error", o, err)
		}
	}
	if err := c.Check(t.Context(), compare.Options{Pattern: "get-verification"}); err == nil {
		t.Error("Check accepted a pattern without its parameter")
	}
}

// A stubIndex is an index whose queries return the items.
type stubIndex struct {
	store.Reader
	items []models.Item
}

func (x stubIndex) DescribeTable(context.Context, string) (store.TableInfo, error) {
	return store.TableInfo{Name: "parts", Indexes: []store.IndexInfo{{Status: "ACTIVE", Index: models.Index{
		Name: "byBin", PartitionKeys: []models.Key{{Name: "bin", Type: models.TypeS}}, Projection: models.ProjectionAll,
	}}}}, nil
}

func (x stubIndex) Fetch(context.Context, accesspatterns.Leg, models.Item, int) (accesspatterns.Page, error) {
	return accesspatterns.Page{Items: x.items}, nil
}

// An index returns an item again if its index key changes during the read.
func TestItemThatIndexReturnsAgainIsEqual(t *testing.T) {
	p, err := profiles.Load("parts.yaml", []byte(`
name: parts
tables: {parts: {name: parts, partition_key: PK, indexes: {byBin: {partition_key: bin}}}}
entities:
  Part:
    table: parts
    keys: {PK: "PART#{part}"}
    attributes: {bin: {type: S, required: true}, part: {type: S, required: true}}
patterns:
  by-bin: {operation: query, index: byBin, key: {bin: "{bin}"}, returns: Part}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	part := models.Item{"PK": models.StringValue("PART#1"), "part": models.StringValue("1"), "bin": models.StringValue("a")}
	var sides []*workspace.Workspace
	for _, items := range [][]models.Item{{part}, {part, part}} {
		sides = append(sides, workspace.New(session.Options{
			Profile: p, Store: stubIndex{items: items}, StateDir: t.TempDir(), JournalPath: filepath.Join(t.TempDir(), "journal.jsonl"),
			Environment: "test",
		}))
	}
	list, sum := differencesOf(t, compare.New(sides[0], sides[1]), compare.Options{Pattern: "by-bin", Args: map[string]string{"bin": "a"}})
	if sum.Different() || sum.Equal != 1 {
		t.Errorf("got %q, %+v, want 1 equal item", list, sum)
	}
}

func TestFindEndsWithContextAndWithItsCaller(t *testing.T) {
	t.Parallel()
	left := fixture.New(t, "authbridge", session.Support)
	right := fixture.New(t, left.Profile.Name, session.Support)
	c := compare.New(left.Workspace, right.Workspace)
	stop := errors.New("enough")
	e, it := left.SampleCase(t, "approved")
	it["note"] = models.StringValue("changed")
	right.Put(t, e.Table, it)
	if _, err := c.Find(t.Context(), compare.Options{}, func(compare.Difference) error { return stop }); !errors.Is(err, stop) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Find(ctx, compare.Options{}, func(compare.Difference) error { return nil }); err == nil {
		t.Error("a canceled comparison returned no error")
	}
}

func TestTablesAreCompared(t *testing.T) {
	t.Parallel()
	left := fixture.New(t, "authbridge", session.Support)
	right := fixture.NewOn(t, left.Profile, fixture.Connect(t, fixture.Database(t)))
	c := compare.New(left.Workspace, right.Workspace)
	list, err := c.Tables(t.Context())
	if err != nil || len(list) == 0 || !slices.ContainsFunc(list, func(d compare.TableDifference) bool { return d.Property == "table" && d.Right == "missing" }) {
		t.Errorf("got %+v, %v, want a missing table", list, err)
	}
	db := fixture.Database(t)
	right = fixture.NewOn(t, left.Profile, fixture.Connect(t, db))
	right.Create(t)
	if list, err := compare.New(left.Workspace, right.Workspace).Tables(t.Context()); err != nil || len(list) > 0 {
		t.Errorf("got %+v, %v, want no differences", list, err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/", strings.NewReader(
		`{"TableName":"AuthBridgeTable","PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true}}`))
	r.RequestURI = ""
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810.UpdateContinuousBackups")
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=x/20260120/local/dynamodb/aws4_request, SignedHeaders=host, Signature=x")
	answer, err := db.Do(r)
	if err != nil || answer.Body.Close() != nil || answer.StatusCode != http.StatusOK {
		t.Fatal(answer, err)
	}
	want := []compare.TableDifference{{Table: left.Profile.Tables[0].ID, Property: "point-in-time recovery", Left: "disabled", Right: "enabled"}}
	if list, err = compare.New(left.Workspace, right.Workspace).Tables(t.Context()); err != nil || !slices.Equal(list, want) {
		t.Errorf("%+v, %v", list, err)
	}
}
