package tui

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// enableStreams enables a stream on every table.
func (f *queueFixture) enableStreams() {
	f.t.Helper()
	for _, table := range f.p.Tables {
		if err := f.conn.Admin().EnableStream(f.t.Context(), table.Name, models.StreamBoth); err != nil {
			f.t.Fatal(err)
		}
	}
}

// The list shows new changes immediately, unless the user pauses it. The user can open an item.
func TestChangesAreListedAsTheyHappen(t *testing.T) {
	inQueueFixture(t, 1, func(t *testing.T, w *queueFixture, size tuitest.Size) {
		w.role = session.Support
		w.enableStreams()
		tt := w.enter(size, ":tail", "No changes in the last hour")
		w.put(1, "approved", nil)
		tt.WaitFor("Approved")
		w.put(2, "in_review", nil)
		tt.WaitFor("+  Verification")
		tt.Golden("changes")

		tt.Reach("paused", "o", "P")
		w.put(3, "in_review", nil)
		tt.Advance(time.Minute)
		if tt.Has(w.id(3)) {
			t.Errorf("a paused list shows a new change:\n%s", tt.Screen())
		}
		tt.Reach("3 changes", "o", "P")

		tt.Reach("Overview", "enter")
		w.put(4, "in_review", nil)
		tt.Reach("4 changes", "esc")
		tt.Press("/")
		tt.Type("approved")
		tt.Reach("copied the change", "tab", "y")
	})
}

// The log shows the requests without keys or values, and explains failures.
func TestCommandLogListsRequests(t *testing.T) {
	withCases(t, 2, func(t *testing.T, w *queueFixture) {
		w.role = session.Support
		tt := w.enter(wideSize, "i", "2 waiting")
		w.transport.failAll = true
		tt.Reach("not refreshed", "ctrl+r")
		tt.Reach("╭ Calls", ":command log")
		if !tt.Has("AuthBridgeTable GSI2") || !tt.Has("Query") || !tt.Has("RCU") || !tt.Has("✗ Query") ||
			!tt.Has("GSI2  Waiting for review") {
			t.Errorf("the log lacks the requests:\n%s", tt.Screen())
		}
		if strings.Contains(tt.Screen(), "ver_0") || strings.Contains(tt.Screen(), "DATE#") {
			t.Errorf("the log shows a key:\n%s", tt.Screen())
		}
		tt.Press("/")
		tt.Type("Describe")
		tt.Press("tab")
		if tt.Has("GSI2") {
			t.Errorf("the filtered log shows other requests:\n%s", tt.Screen())
		}
		tt.Reach("copied the call", "esc", "y")
		if got := w.clip.read(); !strings.Contains(got, "AuthBridgeTable") || strings.Contains(got, "ver_") {
			t.Errorf("got copied text %q", got)
		}
		tt.Reach("already open", ":command log")
		tt.Press("esc")
		tt.Reach("Waiting for review ─", "esc")
	})
}

// contextsOpener also opens the databases of other contexts.
type contextsOpener struct {
	queueOpener
	others map[string]*queueFixture
}

func (o contextsOpener) Others() []string { return slices.Sorted(maps.Keys(o.others)) }

func (o contextsOpener) OpenIn(_ context.Context, name string, _ *profiles.Profile) (*workspace.Workspace, error) {
	return o.others[name].session(), nil
}

// enterComparison starts the console with other contexts and opens the comparison.
func (f *queueFixture) enterComparison(size tuitest.Size, others map[string]*queueFixture) *tuitest.Terminal {
	f.t.Helper()
	o := contextsOpener{queueOpener{&openerFixture{profile: f.p}, f.session()}, others}
	tt := tuitest.New(f.t, New(Options{Opener: o, Start: f.p.Name, Clipboard: f.clip.write}), size)
	tt.WaitFor("Patterns")
	tt.Reach("Compare staging with", ":environments")
	tt.WaitFor("there ")
	return tt
}

// Comparing production needs confirmation, because it reads whole tables. The screen lists the differences, and enter
// shows both states of an item, each masked for its session.
func TestEnvironments(t *testing.T) {
	const here, there = "jane.canary@example.com", "john.canary@example.com"
	atSizes(t, func(t *testing.T, size tuitest.Size) {
		w, other := newQueueFixture(t, 3), newEmptyQueueFixture(t, "authbridge")
		w.named, other.named, other.role, w.role = "staging", "prod-af", session.Support, session.Developer
		metadata := func(email string) models.Item {
			return models.Item{"customerMetadata": &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{
				"email": models.StringValue(email), "secretNote": models.StringValue(email),
			}}}
		}
		w.put(4, "in_review", metadata(here))
		other.put(1, "in_review", nil)
		other.put(2, "in_review", nil)
		other.put(4, "approved", metadata(there))
		other.put(5, "in_review", nil)
		synctest.Test(t, func(t *testing.T) {
			w.t, other.t = t, t
			tt := w.enterComparison(size, map[string]*queueFixture{"prod-af": other, "test": other})
			tt.Golden("contexts")
			tt.Reach("Press o a to compare the items", "enter")
			tt.Reach("Compare the items?", "o", "a")
			tt.Reach("1 only here, 1 there, 1 different", "tab", "enter")
			tt.Golden("differences")
			tt.Type("/" + "only in prod")
			tt.WaitFor(w.id(5)[:12])
			tt.Reach("clientId", "esc", "home", "enter")
			tt.Golden("item")
			if text := tt.Screen(); strings.Contains(text, "canary") {
				t.Errorf("the screen shows personal data:\n%s", text)
			}
		})
	})
}

// Without another context, the palette explains how to configure one.
func TestEnvironmentsWithoutAnotherContext(t *testing.T) {
	inQueueFixture(t, 1, func(_ *testing.T, w *queueFixture, size tuitest.Size) {
		w.enter(size, ":environments", "no other context is configured")
	})
}

// Role support gets no tabs with operations, tables and capacity, or for repairs.
func TestSupportHasNoTabsForDevelopers(t *testing.T) {
	withCases(t, 1, func(t *testing.T, w *queueFixture) {
		w.role = session.Support
		tt := w.enter(wideSize, "a", "3 Visited")
		tt.Reach("2 Issues", "S")
		if tt.Has("Calls") || tt.Has("3 Drift") {
			t.Errorf("role support has tabs for developers:\n%s", tt.Screen())
		}
	})
}
