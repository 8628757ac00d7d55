package tui

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// contextsOpener opens the databases of other contexts, too.
type contextsOpener struct {
	queueOpener
	others map[string]*queueFixture
}

func (o contextsOpener) Others() []string { return slices.Sorted(maps.Keys(o.others)) }

func (o contextsOpener) OpenIn(_ context.Context, name string, _ *profiles.Profile) (*workspace.Workspace, error) {
	return o.others[name].session(), nil
}

// enterBeside starts the console with other contexts, and opens the comparison.
func (w *queueFixture) enterBeside(size tuitest.Size, others map[string]*queueFixture) *tuitest.Terminal {
	w.t.Helper()
	o := contextsOpener{queueOpener{&desk{profile: w.p}, w.session()}, others}
	tt := tuitest.New(w.t, New(Options{Opener: o, Start: w.p.Name, Clipboard: w.clip.write}), size)
	tt.WaitFor("Patterns")
	tt.Reach("Compare staging with", "S")
	tt.WaitFor("there ")
	return tt
}

// Items of production are compared after a confirmation, because whole tables are read. What differs is listed, and enter shows both states of an item, each masked as its session demands.
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
			tt := w.enterBeside(size, map[string]*queueFixture{"prod-af": other, "test": other})
			tt.Golden("contexts")
			tt.Reach("Press a to compare the items", "enter")
			tt.Reach("Compare the items?", "a")
			tt.Reach("▸ 1 · ≠ 1", "tab", "enter")
			tt.Golden("differences")
			tt.Type("/" + "only in prod")
			tt.WaitFor(w.id(5)[:12])
			tt.Reach("clientId", "esc", "home", "enter")
			tt.Golden("item")
			if text := tt.Screen(); strings.Contains(text, "canary") {
				t.Errorf("personal data is shown:\n%s", text)
			}
		})
	})
}

// Without another context the screen says how to get one.
func TestEnvironmentsWithoutAnotherContext(t *testing.T) {
	inQueueFixture(t, 1, func(_ *testing.T, w *queueFixture, size tuitest.Size) {
		w.enter(size, "S", "No other context")
	})
}
