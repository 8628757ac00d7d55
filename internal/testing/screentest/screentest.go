// Package screentest contains helpers for the tests of screens: environments with small stores, a program with one
// screen, hostile items, and the search for personal data on a screen.
package screentest

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// ChangeSizes contains the sizes at which tests draw the dialog of a change.
var ChangeSizes = []tuitest.Size{{W: 60, H: 14}, {W: 80, H: 22}, {W: 120, H: 38}, {W: 200, H: 58}}

// Seeded returns an admin's environment, and its store with sample data.
func Seeded(t *testing.T, p *profiles.Profile) (*screen.Env, store.Reader) {
	t.Helper()
	s, err := embedded.Open(embedded.Options{NoSync: true, Clock: func() time.Time { return ItemNow }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	conn, err := store.Connect(t.Context(), store.Options{Embedded: s})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tables.Create(t.Context(), p, conn); err != nil {
		t.Fatal(err)
	}
	if _, err := tables.Seed(t.Context(), p, conn, sample.Options{Seed: 1, At: ItemNow}); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	w := workspace.NewWriting(session.Options{
		Profile: p, Store: conn.Reader(), Role: session.Admin, Actor: "thabo",
		Target: store.Target{Region: "af-south-1", Embedded: true}, JournalPath: filepath.Join(dir, "journal"), StateDir: dir,
		Clock: func() time.Time { return ItemNow },
	}, conn.Writer())
	return &screen.Env{
		Context: t.Context(), Workspace: w, Styles: widget.NewStyles(true, false),
		Now: func() time.Time { return ItemNow },
	}, conn.Reader()
}

// EveryItem calls f for every item in the schema's tables.
func EveryItem(t *testing.T, env *screen.Env, reader store.Reader, f func(*models.Table, models.Item)) {
	t.Helper()
	for _, table := range env.Session.Profile().Tables {
		var start models.Item
		for {
			page, err := reader.Fetch(t.Context(), accesspatterns.ScanLeg(table), start, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, it := range page.Items {
				f(table, it)
			}
			if start = page.LastKey; start == nil {
				break
			}
		}
	}
}

// Cases returns the cases of authbridge from one number to another, latest first. Their customer metadata is personal
// data.
func Cases(from, to int) []models.Item {
	states := []string{"created", "pending_review", "approved"}
	var items []models.Item
	for i := from; i < to; i++ {
		id := fmt.Sprintf("ver_%05d", i)
		items = append(items, models.Item{
			"PK": models.StringValue("CASE#" + id), "SK": models.StringValue("META"), "verificationId": models.StringValue(id),
			"status": models.StringValue(states[i%3]), "clientId": models.StringValue("client_" + strconv.Itoa(i%7)),
			"createdAt":        models.StringValue(fmt.Sprintf("2026-01-%02dT10:00:00Z", 28-i%28)),
			"customerMetadata": models.StringValue("kagiso@example.com"),
			"GSI2PK":           models.StringValue("DATE#2026-01-20"), "GSI2SK": models.StringValue("2026-01-20T10:00:00Z#" + id),
			"n": &types.AttributeValueMemberN{Value: strconv.Itoa(i * 7919 % 10007)},
		})
	}
	return items
}

// Huge is a text of 300 KB that is difficult to draw.
var Huge = strings.Repeat("\x1b[31mevil \u202e 長い \u200b", 300<<10/24)

// EverySize contains the terminal sizes that every screen must support.
var EverySize = map[string]tuitest.Size{"80x24": {W: 80, H: 24}, "120x40": {W: 120, H: 40}, "200x60": {W: 200, H: 60}}

// Largest returns an item of 400 KB. One text takes half of it, and many small values the other half.
func Largest(b testing.TB) (*screen.Env, *models.Table, models.Item) {
	p := schemas.Open(b, "authbridge")
	list := make([]types.AttributeValue, 0, 6000)
	for i := range 6000 {
		list = append(list, &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{
			"n": ItemNumber(fmt.Sprint(i)), "name": ItemText(fmt.Sprintf("entry number %d", i)),
		}})
	}
	it := With(Verification(b, p), map[string]types.AttributeValue{
		"blob": ItemText(strings.Repeat("lorem ipsum ", 200<<10/12)), "list": &types.AttributeValueMemberL{Value: list},
	})
	return NewItemEnv(b, p, &Memory{}, session.Developer), p.Entity("Verification").Table, it
}

// BenchEnv returns a developer's environment for a built-in schema, without a store.
func BenchEnv(t testing.TB, name string) *screen.Env {
	t.Helper()
	p, err := profiles.Open(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	noon := func() time.Time { return time.Date(2026, 1, 20, 12, 0, 0, 0, time.UTC) }
	s := workspace.New(session.Options{Profile: p, Role: session.Developer, Clock: noon})
	return &screen.Env{Context: t.Context(), Workspace: s, Styles: widget.NewStyles(true, true), Now: noon}
}
