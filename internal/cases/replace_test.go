package cases_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/internal/cases"
	"github.com/ddbdesk/ddbdesk/internal/link"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// sampleOf returns the first sample item of an entity.
func sampleOf(t *testing.T, f *fixture.Fixture, entity string) sample.Item {
	t.Helper()
	samples := f.Samples(t)
	return samples[slices.IndexFunc(samples, func(s sample.Item) bool { return s.Entity.Name == entity })]
}

// Personal data of any stored type is replaced by a value of the same type.
func TestReplacedValuesKeepTheirType(t *testing.T) {
	f := fixture.New(t, "ebay-sniper", session.Support)
	replace, _ := f.Workspace.Cases.Replacer()
	s := sampleOf(t, f, "User")
	name := "name"
	for _, a := range s.Entity.Attributes {
		if _, key := s.Entity.KeyTemplate(a.Name); a.Sensitive == models.PII && !key && len(a.Attributes) == 0 {
			name = a.Name
		}
	}
	text := models.StringValue("Kabo Modise")
	for _, v := range []types.AttributeValue{
		text, &types.AttributeValueMemberN{Value: "26771234567"}, &types.AttributeValueMemberB{Value: []byte("Modise")},
		&types.AttributeValueMemberSS{Value: []string{"Kabo", "Modise"}}, &types.AttributeValueMemberNS{Value: []string{"71", "72.5"}},
		&types.AttributeValueMemberBS{Value: [][]byte{[]byte("Kabo")}}, &types.AttributeValueMemberBOOL{Value: true},
		&types.AttributeValueMemberL{Value: []types.AttributeValue{text}},
		&types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"Kabo": text}},
	} {
		it := s.Item.Clone()
		it[name] = v
		out, err := replace(s.Entity, it)
		if err != nil {
			t.Fatal(err)
		}
		if got := out[name]; models.ValueType(got) != models.ValueType(v) || models.EqualItems(models.Item{"": got}, models.Item{"": v}) {
			t.Errorf("%s: %v is replaced by %v, want another value of its type", name, v, got)
		}
	}
	it := s.Item.Clone()
	it[name] = &types.AttributeValueMemberNULL{Value: true}
	if out, err := replace(s.Entity, it); err != nil || models.ValueType(out[name]) != models.TypeNULL {
		t.Errorf("NULL is replaced by %v, %v, want NULL", out[name], err)
	}
}

// DynamoDB rejects a set with two equal elements, so nobody could load the case.
func TestReplacedSetsHaveNoEqualElements(t *testing.T) {
	f := fixture.New(t, "ebay-sniper", session.Support)
	replace, _ := f.Workspace.Cases.Replacer()
	s := sampleOf(t, f, "User")
	i := slices.IndexFunc(s.Entity.Attributes, func(a *models.Attribute) bool {
		_, key := s.Entity.KeyTemplate(a.Name)
		return a.Sensitive == models.PII && !key && len(a.Attributes) == 0
	})
	name, it := s.Entity.Attributes[i].Name, s.Item.Clone()
	it[name] = &types.AttributeValueMemberSS{Value: []string{"Kabo@example.com", "kabo@example.com", "neo@example.com"}}
	out, err := replace(s.Entity, it)
	if err != nil {
		t.Fatal(err)
	}
	if set, ok := out[name].(*types.AttributeValueMemberSS); !ok || len(set.Value) != 2 || set.Value[0] == set.Value[1] {
		t.Errorf("%s is replaced by %v, want 2 different elements", name, out[name])
	}
}

// A key that does not match the attributes keeps its form, so that the case shows the defect but no personal data.
func TestMismatchedKeyIsReplacedByItsParts(t *testing.T) {
	f := fixture.New(t, "form-bridge", session.Support)
	replace, _ := f.Workspace.Cases.Replacer()
	s := sampleOf(t, f, "RateLimitIP")
	for _, stored := range []string{"RATE#198.51.100.77", "RATE#", "198.51.100.77"} {
		it := s.Item.Clone()
		it["GSI1PK"] = models.StringValue(stored)
		out, err := replace(s.Entity, it)
		if err != nil {
			t.Fatal(err)
		}
		indexPartition, _ := out.Text("GSI1PK")
		partition, _ := out.Text("PK")
		if strings.Contains(indexPartition, "198.51.100.77") || indexPartition == partition || strings.HasPrefix(stored, "RATE#") != strings.HasPrefix(indexPartition, "RATE#") {
			t.Errorf("%s is replaced by %s, but the partition by %s", stored, indexPartition, partition)
		}
	}
}

// A case of a pattern begins with the pattern's parameters. Items that disappear are counted.
func TestPatternCase(t *testing.T) {
	f := fixture.New(t, "authbridge", session.Support)
	_, it := f.SampleCase(t, "approved")
	id, _ := it.Text("clientId")
	p := f.Profile.Pattern("list-client-verifications")
	tree, err := f.Workspace.Cases.Explore(t.Context(), link.Place{Pattern: p, Args: map[string]string{"clientId": id}}, cases.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	row := tree.Rows()[0]
	if row.Name != p.ID || !strings.Contains(row.Counts(), " Verification") {
		t.Errorf("the tree starts with %s, %s", row.Name, row.Counts())
	}
	deleted := tree.Items()[1]
	deleted.Item = models.Item{"PK": models.StringValue("CASE#ver_gone"), "SK": deleted.Item["SK"]}
	c, report, err := f.Workspace.Cases.Collect(t.Context(), tree, cases.Purpose{})
	if err != nil || report.Deleted != 1 || len(c.Records) != len(tree.Items())-1 ||
		!slices.Contains(report.Lines(), "missing   1 item deleted since the search") {
		t.Fatalf("the report lacks the deleted item: %q, %v", report.Lines(), err)
	}
	if place, err := c.Link(f.Profile).Resolve(f.Profile); err != nil || place.Pattern != p || place.Args["clientId"] != id {
		t.Errorf("the case starts at %+v, %v", place, err)
	}
}
