package timeline_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// changedCase is a verification with one change each hour after its creation: another program edits it, this console
// approves it, and the other program edits it again.
type changedCase struct {
	*fixture.Fixture
	w      *workspace.Workspace
	e      *models.Entity
	now    time.Time
	states []models.Item // the item at 12:00, 13:00, 14:00 and 15:00
}

// newChangedCase makes the changes on a table whose stream has the view, or "" for no stream.
func newChangedCase(t *testing.T, view models.StreamView) *changedCase {
	t.Helper()
	c := &changedCase{now: fixture.Now}
	db, err := embedded.Open(embedded.Options{NoSync: true, Clock: func() time.Time { return c.now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	c.Fixture = fixture.NewOn(t, schemas.Open(t, "authbridge"), fixture.Connect(t, db))
	c.Create(t)
	c.e = c.Profile.Entity("Verification")
	if view != "" {
		if err := c.Conn.Admin().EnableStream(t.Context(), c.e.Table.Name, view); err != nil {
			t.Fatal(err)
		}
	}
	o := c.Options()
	o.Clock = func() time.Time { return c.now }
	c.w = c.Open(o)
	state := c.PutCase(t, "ver_1")
	keep := func(it models.Item) {
		c.states = append(c.states, it)
		c.now = c.now.Add(time.Hour)
	}
	keep(state)
	state = state.Clone()
	state["userEmail"], state["updatedAt"] = models.StringValue("ana@example.com"), models.StringValue("2026-01-20T13:00:00Z")
	c.Put(t, c.e.Table, state)
	keep(state)
	a, err := c.w.Planner.Action("approve")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := c.w.Planner.Plan(t.Context(), a, changes.ActionArgs(a, c.e, state), "complete")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.w.Committer.Commit(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
	state = c.Read(t, state)
	keep(state)
	state = state.Clone()
	delete(state, "userEmail")
	state["updatedAt"] = models.StringValue("2026-01-20T15:00:00Z")
	c.Put(t, c.e.Table, state)
	keep(state)
	return c
}

func (c *changedCase) key() models.Item {
	key, _ := c.e.Table.PrimaryKey(c.states[0])
	return key
}

// eventTexts formats the timeline entries as masked text.
func (c *changedCase) eventTexts(t *testing.T, recent timeline.Recent) []string {
	t.Helper()
	audit := entries(t, timeline.New(c.w.Session.Viewer, c.w.Reading, c.e, c.states[3]), 100)
	var list []string
	for _, e := range timeline.Merge(c.e, audit, recent.Changes) {
		e = e.Shown(c.w.Session.Masker())
		var changed []string
		for _, ch := range e.Changes() {
			changed = append(changed, ch.Path)
		}
		list = append(list, fmt.Sprintf("%s %s: %s [%s]", e.When.Format("15:04"), e.Who, e.What, strings.Join(changed, " ")))
	}
	return list
}

func TestTimelineListsEachChangeOnce(t *testing.T) {
	c := newChangedCase(t, models.StreamBoth)
	recent := timeline.NewStream(c.w.Session.Viewer, c.e.Table, c.key()).Read(t.Context(), timeline.StreamLimits)
	got := strings.Join(c.eventTexts(t, recent), "\n")
	if want := `15:00 : 2 attributes changed [updatedAt userEmail]
14:00 tester: approve [GSI1SK completedAt status updatedAt]
13:00 : 2 attributes changed [updatedAt userEmail]
12:00 : created`; !strings.HasPrefix(got, want) || strings.Contains(got, "ana@") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if note := recent.Note(c.now); note != "stream since 20 Jan 12:00, 4 requests" {
		t.Error(note)
	}
	// A limit keeps the changes that were read, and the next call continues after them.
	s := timeline.NewStream(c.w.Session.Viewer, c.e.Table, c.key())
	part := s.Read(t.Context(), timeline.Limits{Requests: 1, Time: time.Hour})
	if note := part.Note(c.now); len(part.Changes) != 4 || !part.More || note != "stream: not fully read yet, 1 request, older changes not read" {
		t.Errorf("got %d changes, more: %t, note %s", len(part.Changes), part.More, note)
	}
	if rest := s.Read(t.Context(), timeline.StreamLimits); rest.More || rest.Requests != recent.Requests {
		t.Errorf("got more: %t after %d requests", rest.More, rest.Requests)
	}
}

// If the stream lacks images, the timeline shows the audit entries, and a note names what the stream lacks.
func TestTimelineWithoutImages(t *testing.T) {
	for view, want := range map[models.StreamView]string{
		"":                "table AuthBridgeTable has no stream",
		models.StreamKeys: "the stream view type is KEYS_ONLY",
		models.StreamNew:  "the stream view type is NEW_IMAGE",
	} {
		c := newChangedCase(t, view)
		recent := timeline.NewStream(c.w.Session.Viewer, c.e.Table, c.key()).Read(t.Context(), timeline.StreamLimits)
		got := strings.Join(c.eventTexts(t, recent), "\n")
		if n := strings.Count(got, "approve"); n != 1 || !strings.Contains(recent.Note(c.now), want) {
			t.Errorf("%s: got note %s\n%s", view, recent.Note(c.now), got)
		}
		if lines := strings.Count(got, "\n") + 1; view == "" && lines != 1 || view != "" && lines != 4 {
			t.Errorf("%s: got\n%s", view, got)
		}
	}
}

// Without permission to read the stream, a note explains why the timeline lacks its changes.
func TestTimelineWithoutPermission(t *testing.T) {
	c := newChangedCase(t, models.StreamBoth)
	o := c.Options()
	o.Clock, o.Store = func() time.Time { return c.now }, &noStreams{Reader: c.Conn.Reader()}
	w := workspace.New(o)
	recent := timeline.NewStream(w.Session.Viewer, c.e.Table, c.key()).Read(t.Context(), timeline.StreamLimits)
	if note := recent.Note(c.now); len(recent.Changes) > 0 || !strings.Contains(note, "the stream was not read: access denied") {
		t.Errorf("got %d changes and note %s", len(recent.Changes), note)
	}
}

type noStreams struct{ store.Reader }

func (noStreams) Lookback(context.Context, string) (store.Lookback, error) {
	return nil, &store.Error{Class: store.AccessDenied, Problem: "access denied: dynamodb:DescribeStream"}
}
