package changes_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// erasing is authbridge with erase-case switched on, and two approved cases.
func erasing(t *testing.T) (*fixture.Fixture, *cable) {
	t.Helper()
	p, err := profiles.Open("authbridge", nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Action("erase-case").Off = ""
	c := &cable{next: fixture.Database(t)}
	w := actingAs(t, "kagiso", p, fixture.Connect(t, c))
	for _, id := range []string{"ver_1", "ver_2"} {
		w.PutCase(t, id)
		if err := approve(t, w.Workspace, id); err != nil {
			t.Fatal(err)
		}
	}
	return w, c
}

func erase(t *testing.T, w *fixture.Fixture, id string) (*changes.Commitment, error) {
	t.Helper()
	p, err := w.Workspace.Planner.Plan(t.Context(), w.Profile.Action("erase-case"), map[string]string{"verificationId": id}, "GDPR request")
	if err != nil {
		return nil, err
	}
	return w.Workspace.Committer.Commit(t.Context(), p)
}

// readable returns the keys of the items in the journal whose records can be read, oldest change first.
func readable(t *testing.T, w *fixture.Fixture) string {
	t.Helper()
	list, err := w.Workspace.Journal.Changes()
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, c := range list {
		if p, err := w.Workspace.Journal.PlanOf(c); err == nil {
			key, _ := p.Writes[0].Key.Text("PK")
			keys = append([]string{p.Action.ID + " " + key}, keys...)
		} else if !errors.Is(err, session.ErrInput) || !strings.Contains(err.Error(), "an item of the change was erased, or ") {
			t.Error(err)
		}
	}
	return strings.Join(keys, ", ")
}

// What this machine recorded of an item that was erased cannot be read again: neither from changes before nor from the
// erasure itself. Records of other items stay.
func TestErasureReachesTheRecordsOfTheItem(t *testing.T) {
	w, _ := erasing(t)
	keys := w.Workspace.Session.JournalPath() + ".keys"
	before, err := os.ReadFile(keys)
	if err != nil {
		t.Fatal(err)
	}
	done, err := erase(t, w, "ver_1")
	if err != nil {
		t.Fatal(err)
	}
	if got := readable(t, w); got != "approve CASE#ver_2" {
		t.Errorf("readable: %s", got)
	}
	if notes := strings.Join(done.Notes, "; "); !strings.Contains(notes, "2 records of the item on this machine erased") {
		t.Errorf("the notes are %s", notes)
	}
	after, err := os.ReadFile(keys)
	if err != nil || strings.Count(string(before), "\n") != 2 || strings.Count(string(after), "\n") != 1 ||
		!strings.Contains(string(before), string(after)) {
		t.Errorf("the keys are %s, were %s, %v", after, before, err)
	}
	if _, problems, err := w.Workspace.Journal.Verify(true); len(problems) > 0 || err != nil {
		t.Errorf("the journal is no longer valid: %v, %v", problems, err)
	}
	_, _, found, err := w.Workspace.Journal.LastChange(w.Profile.Entity("Verification").Table, models.Item{
		"PK": models.StringValue("CASE#ver_1"), "SK": models.StringValue("META"),
	})
	if found || err != nil {
		t.Errorf("an erased change can be undone: %v", err)
	}
}

// An erasure whose answer is lost stays open with its record, and resolving it erases the records, also if the item was created
// again meanwhile.
func TestResolvedErasureReachesTheRecords(t *testing.T) {
	for want, again := range map[change.State]bool{change.Written: false, change.Overtaken: true} {
		t.Run(string(want), func(t *testing.T) { resolvesErasure(t, want, again) })
	}
}

func resolvesErasure(t *testing.T, want change.State, again bool) {
	w, c := erasing(t)
	c.cutAfter = true
	if _, err := erase(t, w, "ver_1"); !errors.Is(err, changes.ErrUnknown) {
		t.Fatalf("got %v", err)
	}
	c.cut, c.cutAfter = false, false
	if got := readable(t, w); got != "approve CASE#ver_1, approve CASE#ver_2, erase-case CASE#ver_1" {
		t.Errorf("readable before its outcome is known: %s", got)
	}
	open, err := w.Workspace.Journal.Open()
	if err != nil || len(open) != 1 {
		t.Fatalf("%d open, %v", len(open), err)
	}
	if again {
		w.PutCase(t, "ver_1")
	}
	o := w.Options()
	o.Actor, o.Clock = "kagiso", func() time.Time { return fixture.Now.Add(time.Hour) }
	if state, err := w.Open(o).Journal.Resolve(t.Context(), open[0]); err != nil || state != want {
		t.Fatalf("resolved as %s, %v", state, err)
	}
	if got := readable(t, w); got != "approve CASE#ver_2" {
		t.Errorf("readable: %s", got)
	}
}

// A conflict erases nothing.
func TestRefusedErasureKeepsTheRecords(t *testing.T) {
	w, _ := erasing(t)
	p, err := w.Workspace.Planner.Plan(t.Context(), w.Profile.Action("erase-case"), map[string]string{"verificationId": "ver_1"}, "GDPR request")
	if err != nil {
		t.Fatal(err)
	}
	w.PutCase(t, "ver_1")
	if _, err := w.Workspace.Committer.Commit(t.Context(), p); !errors.As(err, new(*change.Conflict)) {
		t.Fatalf("got %v", err)
	}
	if got := readable(t, w); got != "approve CASE#ver_1, approve CASE#ver_2, erase-case CASE#ver_1" {
		t.Errorf("readable: %s", got)
	}
}

// An action called erase does not leave half of the data behind: it is refused while documents of the case exist.
func TestErasureNeedsAnItemAlone(t *testing.T) {
	w, _ := erasing(t)
	e := w.Profile.Entity("Document")
	doc, err := e.Build(models.Item{
		"verificationId": models.StringValue("ver_1"), "documentId": models.StringValue("doc_1"), "status": models.StringValue("uploaded"),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.Put(t, e.Table, doc)
	_, err = erase(t, w, "ver_1")
	if !errors.As(err, new(*change.Conflict)) || !strings.Contains(err.Error(), "get-case-file finds Uploaded document") ||
		!strings.Contains(err.Error(), "delete them first") {
		t.Errorf("got %v", err)
	}
	if _, err := erase(t, w, "ver_2"); err != nil {
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
