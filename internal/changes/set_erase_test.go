package changes_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"

	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// After a sweep erases the items that refer to an item, a user can erase the item itself. The built-in schemas turn
// these actions off.
func TestErasureSweepsReferringItems(t *testing.T) {
	text := func(pairs ...string) models.Item {
		it := models.Item{}
		for i := 0; i < len(pairs); i += 2 {
			it[pairs[i]] = models.StringValue(pairs[i+1])
		}
		return it
	}
	for name, test := range map[string]struct {
		first, over, action string
		finds               string // item that the refusal names
		args                map[string]string
		items               map[string][]models.Item // by entity
	}{
		"authbridge": {
			"erase-document", "list-verification-documents", "erase-case", "get-case-file finds Uploaded document",
			map[string]string{"verificationId": "ver_1"},
			map[string][]models.Item{
				"Verification": {text("verificationId", "ver_1", "clientId", "c", "status", "approved", "createdAt", "2026-01-14T10:00:00Z")},
				"Document": {
					text("verificationId", "ver_1", "documentId", "doc_1", "status", "uploaded"),
					text("verificationId", "ver_1", "documentId", "doc_2", "status", "uploaded"),
				},
			},
		},
		"zentriqvision": {
			"erase-appearance", "list-video-appearances", "delete-video", "list-video-appearances finds",
			map[string]string{"orgId": "org_1", "videoId": "video_1"},
			map[string][]models.Item{
				"Video": {text("orgId", "org_1", "videoId", "video_1", "status", "PROCESSED", "uploadedAt", "2026-01-14T10:00:00Z")},
				"Appearance": {
					text("orgId", "org_1", "videoId", "video_1", "personId", "p_1", "timestamp", "2026-01-14T10:05:00Z", "color", "red", "emotion", "happy"),
					text("orgId", "org_1", "videoId", "video_1", "personId", "p_2", "timestamp", "2026-01-14T10:06:00Z", "color", "red", "emotion", "happy"),
					text("orgId", "org_1", "videoId", "video_12", "personId", "p_2", "timestamp", "2026-01-14T10:06:00Z", "color", "red", "emotion", "happy"), // of another video, stays
				},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := profiles.Open(name, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range []string{test.first, test.action} {
				if p.Action(id).Disabled == "" {
					t.Errorf("the action %s is enabled by default", id)
				}
				p.Action(id).Disabled = ""
			}
			w := fixture.NewOn(t, p, fixture.Connect(t, fixture.Database(t)))
			w.Create(t)
			for entity, list := range test.items {
				for _, attributes := range list {
					it, err := p.Entity(entity).Build(attributes, nil)
					if err != nil {
						t.Fatal(err)
					}
					w.Put(t, p.Entity(entity).Table, it)
				}
			}
			erase := func() error {
				plan, err := w.Workspace.Planner.Plan(t.Context(), p.Action(test.action), test.args, "request")
				if err == nil {
					_, err = w.Workspace.Committer.Commit(t.Context(), plan)
				}
				return err
			}
			if err := erase(); !errors.As(err, new(*change.Conflict)) || !strings.Contains(err.Error(), test.finds) {
				t.Fatalf("erasing a referenced item: got %v, want a conflict", err)
			}
			m := planFile(t, w.Workspace, changes.Selection{
				Set: changes.Set{Action: p.Action(test.first), Reason: "request"}, Pattern: p.Pattern(test.over), Args: test.args,
			})
			sum, err := w.Workspace.Committer.ApplyFile(t.Context(), m, changes.Limits{}, nil)
			if err != nil || sum.Counts[changes.Committed] != 2 {
				t.Fatalf("got %+v, %v, want 2 committed items", sum, err)
			}
			if err := erase(); err != nil {
				t.Error(err)
			}
		})
	}
}
