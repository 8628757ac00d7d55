package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/internal/testing/hostile"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A drafter is an opener that returns a draft with its review.
type drafter struct {
	*openerFixture
	review *draft.Review
	name   string
	err    error
	path   string // path of the saved draft
}

func (d *drafter) Draft(context.Context, string) (string, error) { return d.name, d.err }

func (d *drafter) Review(profile string) *draft.Review {
	if d.review == nil || d.path != "" || profile != d.review.Name() {
		return nil
	}
	return d.review
}

func (d *drafter) UseDraft(r *draft.Review) (*profiles.Profile, error) {
	p, err := r.Profile()
	d.profile = p
	return p, err
}

func (d *drafter) SaveDraft(r *draft.Review, path string) (*profiles.Profile, error) {
	if d.err != nil {
		return nil, d.err
	}
	d.path = path + "/profiles/" + r.Name() + ".yaml"
	return d.UseDraft(r)
}

// draftsOpener returns a draft with hostile texts for the schema of a stage.
type draftsOpener struct {
	contextsOpener
	review *draft.Review
}

func (o draftsOpener) Review(string) *draft.Review { return o.review }

func (o draftsOpener) UseDraft(r *draft.Review) (*profiles.Profile, error) { return r.Profile() }

func (o draftsOpener) SaveDraft(*draft.Review, string) (*profiles.Profile, error) {
	return nil, errors.New(hostile.Text)
}

// reviewOf returns the review of a draft with loans and shelves. Its texts end with text.
func reviewOf(t testing.TB, text string) *draft.Review {
	t.Helper()
	var items []models.Item
	for i := range 12 {
		items = append(items, models.Item{
			"PK": models.StringValue(fmt.Sprintf("LOAN#l%d", i)), "SK": models.StringValue("META"),
			"loanId": models.StringValue(fmt.Sprintf("l%d", i)),
			"email":  models.StringValue(fmt.Sprintf("a%d@example.com", i)), "status": models.StringValue([]string{"open", "closed"}[i%2]),
			"due": models.StringValue(fmt.Sprintf("2026-01-%02d", i+1)),
		}, models.Item{"PK": models.StringValue(fmt.Sprintf("SHELF#s%d", i)), "SK": models.StringValue("META")})
	}
	table := &draft.Table{Table: models.Table{
		ID: "loans", Name: "loans-dev",
		PartitionKey: models.Key{Name: "PK", Type: models.TypeS}, SortKey: models.Key{Name: "SK", Type: models.TypeS},
	}}
	p := &draft.Profile{Name: "loans-dev"}
	draft.Infer(p, draft.Sample{Table: table, Items: items}, draft.InferOptions{})
	for _, e := range p.Entities {
		e.Notes = append(e.Notes, draft.CheckNote("an entity%s", text))
		for i := range e.Keys {
			e.Keys[i].Note += text
		}
		for _, a := range e.Attributes {
			a.Note += text
		}
	}
	return draft.NewReview(&draft.Draft{Profile: p, Items: map[string][]models.Item{"loans": items}})
}

// The user drafts a schema for the tables, answers its questions, and saves it under another name. Screens use the
// answers.
func TestDraftIsReviewedAndSaved(t *testing.T) {
	runFlow(t, "authbridge", func(t *testing.T, base *openerFixture, size tuitest.Size) {
		d := &drafter{openerFixture: base, err: errors.New("no permission to list tables")}
		tt := tuitest.New(t, New(Options{Opener: d}), size)
		tt.WaitFor("Needs attention")
		tt.Reach("no permission to list tables", "ctrl+o", "n")
		d.err = nil
		tt.Press("ctrl+o", "n") // The user leaves the dialog and returns.
		tt.WaitFor("Needs attention")
		d.review, d.name = reviewOf(t, ""), "loans-dev"
		if _, err := d.UseDraft(d.review); err != nil {
			t.Fatal(err)
		}
		tt.Reach("Inferred", "ctrl+o", "n")

		tt.WaitFor("more parts") // the parts without a question
		tt.WaitFor("loans-dev (draft)")
		if tt.Has("pattern get-") {
			t.Errorf("the list shows parts without a question:\n%s", tt.Screen())
		}
		if size.W >= 120 && tt.Has("…") {
			t.Errorf("a wide screen cuts the parts or the file:\n%s", tt.Screen())
		}
		tt.Reach("Rename the entity", "o", "e")
		tt.Advance(time.Second)
		tt.Press("ctrl+u")
		tt.Enter("Borrowing")
		tt.WaitFor("Borrowing")
		tt.Press("o", "w") // Other screens use the new name.
		tt.WaitFor("Patterns ─")
		tt.WaitFor("Borrowing")
		tt.Reach("Inferred", "esc")

		tt.Type("/email")
		tt.Reach("✗", "enter", "o", "m", "o", "m", "o", "d")
		tt.Reach("loans-dev.yaml", "esc", "v")
		if text := string(d.review.Text()); strings.Contains(text, "format: email") || strings.Contains(text, "email: {type: S, required: true, sensitive") {
			t.Errorf("the draft lacks the answers:\n%s", text)
		}
		tt.Reach("Confirm every part?", "esc", "o", "a")
		tt.Reach("✓", "tab", "enter")

		tt.Type("/states of")
		tt.Reach("In which states does work remain?", "enter")
		tt.Reach("mark at least one state", "enter") // An empty answer is refused.
		tt.Reach("[x] open", "down", "space")
		tt.Reach("work remains in open", "enter")
		tt.Advance(time.Minute)
		if text := string(d.review.Text()); !strings.Contains(text, "open-borrowings:") {
			t.Errorf("the draft lacks the queue open-borrowings:\n%s", text)
		}
		tt.Press("esc")

		tt.Type("/entity shelf")
		tt.Reach("Save the schema", "enter") // Saving confirms the remaining part.
		tt.Press("esc")
		tt.Reach("Remove Shelf?", "g", "o", "x")
		tt.WaitFor("Also removes pattern get-shelf")
		tt.Golden("draft-remove")
		tt.Reach("✗", "tab", "enter")
		if text := string(d.review.Text()); strings.Contains(text, "Shelf") || strings.Contains(text, "get-shelf") {
			t.Errorf("the draft contains the removed entity:\n%s", text)
		}
		tt.Press("o", "x")
		tt.WaitForRemoval("press x to restore")
		tt.Press("esc")
		tt.Type("/get-borrowing")
		tt.Reach("removed: not written", "enter", "o", "x")
		if text := string(d.review.Text()); !strings.Contains(text, "Shelf") || strings.Contains(text, "get-borrowing") {
			t.Errorf("the entity is missing, or the draft contains the removed pattern:\n%s", text)
		}
		tt.Press("o", "x", "esc")

		tt.Reach("Save the schema", "ctrl+s")
		tt.Press("ctrl+u")
		tt.Enter("library")
		tt.WaitFor("› Borrowing")
		tt.WaitFor("saved ")
		if d.path != "/profiles/library.yaml" {
			t.Errorf("the draft was saved as %q", d.path)
		}
		tt.Reach("library is not a draft", ":draft")
	})
}
