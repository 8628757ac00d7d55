package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// sampleID returns an attribute of an entity's first demo item.
func sampleID(t *testing.T, schema, entity, attribute string) string {
	t.Helper()
	p, err := profiles.Open(schema, nil)
	if err != nil {
		t.Fatal(err)
	}
	items, err := sample.Items(p, sample.Options{Seed: 1, At: demoTime(), Defects: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range items {
		if v, ok := it.Entity.Values(it.Item)(attribute); ok && it.Entity.Name == entity {
			return v
		}
	}
	t.Fatalf("no sample %s has %s", entity, attribute)
	return ""
}

// pasteTask is a support task: it pastes text, which finds an item, and opens the item.
func pasteTask(schema, entity, attribute string) func(d *demoRun) {
	return func(d *demoRun) {
		id := sampleID(d.t, schema, entity, attribute)
		d.until("counted just now")
		d.paste("› ", id)
		d.pressUntil("1 Overview", "\r")
		if !strings.Contains(d.shown(), id) {
			d.t.Errorf("the open item is not %s:\n%s", id, d.shown())
		}
	}
}

// decodeTask is a developer task: it decodes a key, runs the key's pattern, and shows the request.
func decodeTask(d *demoRun) {
	d.until("counted just now")
	d.pressUntil("type to filter", "\r")
	d.paste("1 match", "CASE#"+sampleID(d.t, "authbridge", "Verification", "verificationId")+" / META")
	d.pressUntil("1/1", "\r")
	d.pressUntil("GetItem", "x")
}

// decideTask is an admin task: it approves three cases at once, rejects one, and undoes the rejection.
func decideTask(d *demoRun) {
	d.until("counted just now")
	d.pressUntil("type to filter", "\r")
	d.pressUntil("waiting ·", "i")
	for n := range 3 {
		d.pressOnCase(" ", fmt.Sprintf("%d marked", n+1))
	}
	d.pressUntil("Approve", "o")
	d.pressUntil("Approve · 3 items", "a", "\t")
	d.enter("up go to the reason")
	d.confirm("3 done")
	d.pressUntil("o actions", "\x1b")
	d.pressOnCase("o", "Reject")
	d.pressUntil("Reject · ", "r", "\t")
	d.typeText("The photo is blurred")
	d.pressUntil("only if", "\r")
	d.confirm("✓ Done")
	d.confirm("Reason for the undo")
	d.typeText("Wrong case")
	d.pressUntil("only if", "\r")
	d.confirm("rejected → in_review")
}

// docs/internals/performance.md states the number of keys for each task in the demo. A paste counts as one key. The
// text of a reason and cursor movements do not count.
func TestDocumentedKeysCompleteTasks(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/internals/performance.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range []struct {
		name, role string
		do         func(d *demoRun)
	}{
		{"Find a case by its ID", "support", pasteTask("authbridge", "Verification", "verificationId")},
		{"Find a card request by its ID", "support", pasteTask("tazco", "CardRequest", "requestId")},
		{"Find a bid by its ID", "support", pasteTask("ebay-sniper", "Bid", "bidId")},
		{"Find the site of a submission by its domain", "support", pasteTask("form-bridge", "Registration", "domain")},
		{"Find a video by its ID", "support", pasteTask("zentriqvision", "Video", "videoId")},
		{"Decode a key, read its item, explain the request", "developer", decodeTask},
		{"Approve three cases, reject one, undo the rejection", "admin", decideTask},
	} {
		t.Run(task.name, func(t *testing.T) {
			t.Parallel()
			d := startDemo(t, "--tour=false", "--role", task.role)
			task.do(d)
			if row := fmt.Sprintf("| %s | `%s` | %d |", task.name, task.role, d.keys); !strings.Contains(string(page), row) {
				t.Errorf("docs/internals/performance.md lacks the row %s", row)
			}
		})
	}
}

// The console does not answer with a command, which the user cannot type there, or with an action that the state forbids.
func TestRefusedEditInConsoleNamesState(t *testing.T) {
	t.Parallel()
	d := startDemo(t, "--tour=false", "--role", "admin")
	pasteTask("authbridge", "Verification", "verificationId")(d)
	d.pressUntil("Edit the item as JSON", "\x1b[B", "\x1b[B", "o")
	d.pressUntil("Plan the change", "e")
	d.typeText("\x15approved")
	d.pressUntil("state, auto_rejected, does not allow that action", "\r")
}
