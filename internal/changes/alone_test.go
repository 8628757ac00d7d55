package changes_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// erasing is authbridge with erase-case switched on, and two approved cases.
func erasing(t *testing.T) *fixture.Fixture {
	t.Helper()
	p, err := profiles.Open("authbridge", nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Action("erase-case").Off = ""
	w := actingAs(t, "kagiso", p, fixture.Connect(t, &cable{next: fixture.Database(t)}))
	for _, id := range []string{"ver_1", "ver_2"} {
		w.PutCase(t, id)
		if err := approve(t, w.Workspace, id); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func erase(t *testing.T, w *fixture.Fixture, id string) error {
	t.Helper()
	p, err := w.Workspace.Planner.Plan(t.Context(), w.Profile.Action("erase-case"), map[string]string{"verificationId": id}, "GDPR request")
	if err != nil {
		return err
	}
	_, err = w.Workspace.Committer.Commit(t.Context(), p)
	return err
}

// An action called erase does not leave half of the data behind: it is refused while documents of the case exist.
func TestErasureNeedsAnItemAlone(t *testing.T) {
	w := erasing(t)
	e := w.Profile.Entity("Document")
	doc, err := e.Build(models.Item{
		"verificationId": models.StringValue("ver_1"), "documentId": models.StringValue("doc_1"), "status": models.StringValue("uploaded"),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.Put(t, e.Table, doc)
	err = erase(t, w, "ver_1")
	if !errors.As(err, new(*change.Conflict)) || !strings.Contains(err.Error(), "get-case-file finds Uploaded document") ||
		!strings.Contains(err.Error(), "delete them first") {
		t.Errorf("got %v", err)
	}
	if err := erase(t, w, "ver_2"); err != nil {
		t.Errorf("a case without documents: %v", err)
	}
}

// A video stays as long as people appear in it: their appearances would belong to nothing.
func TestVideoWithAppearancesStays(t *testing.T) {
	p, err := profiles.Open("zentriqvision", nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Action("delete-video").Off = ""
	w := actingAs(t, "kagiso", p, fixture.Connect(t, &cable{next: fixture.Database(t)}))
	deleteVideo := func(video string) error {
		plan, err := w.Workspace.Planner.Plan(t.Context(), p.Action("delete-video"), map[string]string{"orgId": "org_1", "videoId": video}, "mistake")
		if err == nil {
			_, err = w.Workspace.Committer.Commit(t.Context(), plan)
		}
		return err
	}
	put := func(entity string, attributes map[string]string) {
		t.Helper()
		it := models.Item{}
		for name, text := range attributes {
			it[name] = models.StringValue(text)
		}
		made, err := p.Entity(entity).Build(it, nil)
		if err != nil {
			t.Fatal(err)
		}
		w.Put(t, p.Entity(entity).Table, made)
	}
	for _, video := range []string{"video_1", "video_12"} {
		put("Video", map[string]string{"orgId": "org_1", "videoId": video, "status": "PROCESSED", "uploadedAt": "2026-01-14T10:00:00Z"})
	}
	put("Appearance", map[string]string{
		"orgId": "org_1", "videoId": "video_1", "personId": "person_1", "timestamp": "2026-01-14T10:05:00Z", "color": "red", "emotion": "happy",
	})
	if err := deleteVideo("video_1"); !errors.As(err, new(*change.Conflict)) ||
		!strings.Contains(err.Error(), "list-video-appearances finds") {
		t.Errorf("got %v", err)
	}
	if err := deleteVideo("video_12"); err != nil {
		t.Errorf("a video without appearances: %v", err)
	}
}
