package local_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/local"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/models"
)

// sampleOf returns the first sample item of an entity.
func sampleOf(t *testing.T, s historySession, entity string) (*models.Table, models.Item) {
	t.Helper()
	for _, it := range fixture.Samples(t, s.Profile()) {
		if it.Entity.Name == entity {
			return it.Table, it.Item
		}
	}
	t.Fatalf("no sample item is a %s", entity)
	return nil, nil
}

// caseIDs returns the suggestions for a case ID.
func caseIDs(s historySession) []string {
	p := s.Profile().Pattern("get-verification")
	return s.Suggest(p, p.Param("verificationId"))
}

func TestSuggestPutsEnteredValuesFirst(t *testing.T) {
	s := newHistorySession(t, "authbridge", local.New(), "eu-west-1")
	table, it := sampleOf(t, s, "Verification")
	id, _ := it.Text("verificationId")
	if got := caseIDs(s); len(got) != 0 {
		t.Fatalf("a new session suggests %q, want nothing", got)
	}
	s.RecordItems(table, []models.Item{it, it})
	if got := caseIDs(s); !slices.Equal(got, []string{id}) {
		t.Errorf("after reading the item: got %q", got)
	}
	s.RecordRun(s.Profile().Pattern("get-verification"), map[string]string{"verificationId": "ver_typed"})
	if got := caseIDs(s); !slices.Equal(got, []string{"ver_typed", id}) {
		t.Errorf("after entering a value: got %q", got)
	}
}

// The ID of a case is also an attribute of its documents, which therefore supply suggestions for it.
func TestSuggestFollowsReferences(t *testing.T) {
	s := newHistorySession(t, "authbridge", local.New(), "eu-west-1")
	table, it := sampleOf(t, s, "Document")
	id, _ := it.Text("verificationId")
	s.RecordItems(table, []models.Item{it})
	if got := caseIDs(s); !slices.Contains(got, id) {
		t.Errorf("the document's case is missing in %q", got)
	}
}

func TestSuggestIsBounded(t *testing.T) {
	s := newHistorySession(t, "authbridge", local.New(), "eu-west-1")
	table, it := sampleOf(t, s, "Verification")
	for i := range 200 {
		more := it.Clone()
		id := "ver_" + strings.Repeat("x", i+1)
		more["verificationId"] = &types.AttributeValueMemberS{Value: id}
		more["PK"] = &types.AttributeValueMemberS{Value: "CASE#" + id}
		s.RecordItems(table, []models.Item{more})
	}
	if got := caseIDs(s); len(got) != 20 {
		t.Errorf("got %d suggestions, want 20", len(got))
	}
}

// No suggestion contains personal data, even while the user has revealed it.
func TestSuggestKeepsNoPersonalData(t *testing.T) {
	t.Setenv("DDBDESK_STATE_DIR", t.TempDir())
	for _, name := range []string{"authbridge", "ebay-sniper", "form-bridge", "tazco", "zentriqvision"} {
		s := newHistorySession(t, name, local.New(), "eu-west-1")
		if err := s.Reveal(t.Context(), "a test", "a reason"); err != nil {
			t.Fatal(err)
		}
		personal := map[string]bool{}
		for _, it := range fixture.Samples(t, s.Profile()) {
			s.RecordItems(it.Table, []models.Item{it.Item})
			for _, a := range it.Entity.Attributes {
				if text, ok := it.Item.Text(a.Path); ok && a.Sensitive != models.NotSensitive && len(a.Enum) == 0 && len(text) > 3 {
					personal[text] = true
				}
			}
		}
		for _, p := range s.Profile().Patterns {
			for _, q := range p.Params {
				for _, v := range s.Suggest(p, q) {
					if personal[v] && s.Sensitivity(q) != models.NotSensitive {
						t.Errorf("%s %s suggests the personal value %q", p.FullID(), q.Name, v)
					}
				}
			}
		}
	}
}

func TestSuggestReturnsNothingWhileValuesAreMasked(t *testing.T) {
	s := newHistorySession(t, "form-bridge", local.New(), "eu-west-1")
	for _, p := range s.Profile().Patterns {
		for _, q := range p.Params {
			if s.Sensitivity(q) == models.NotSensitive || q.Type != accesspatterns.String {
				continue
			}
			s.RecordRun(p, map[string]string{q.Name: "someone@example.com"})
			if got := s.Suggest(p, q); len(got) > 0 {
				t.Errorf("%s %s suggests %q", p.FullID(), q.Name, got)
			}
		}
	}
}
