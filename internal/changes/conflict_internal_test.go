package changes

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// Personal data and undocumented attributes are masked in the differences of a conflict.
func TestDifferencesAreMasked(t *testing.T) {
	p, err := profiles.Open("authbridge", nil)
	if err != nil {
		t.Fatal(err)
	}
	shown := shownDifferences(session.NewViewer(session.Options{Profile: p}), p.Tables[:1], []models.Change{
		{Path: "status", Before: models.StringValue("in_review"), After: models.StringValue("approved")},
		{Path: "customerMetadata.email", Before: models.StringValue("kago@example.com")},
		{Path: "undocumented", After: models.StringValue("kago@example.com")},
	})
	for i, want := range []string{"in_review approved", "••• –", "– •••"} {
		if got := change.ValueWords(shown[i].Before) + " " + change.ValueWords(shown[i].After); got != want {
			t.Errorf("%s: %s, want %s", shown[i].Path, got, want)
		}
	}
}
