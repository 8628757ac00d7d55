package draft

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/models"
)

// newLoanReview returns a review of a draft with two entities.
func newLoanReview(t *testing.T) *Review {
	t.Helper()
	var items []models.Item
	for i := range 12 {
		it := item("pk", fmt.Sprintf("LOAN#l%d", i), "sk", "META", "loanId", fmt.Sprintf("l%d", i), "status", "open",
			"email", fmt.Sprintf("a%d@example.com", i), "updatedAt", fmt.Sprintf("2026-01-%02dT10:00:00Z", i+1))
		if i%2 == 0 {
			it["status"] = models.StringValue("closed")
		}
		items = append(items, it)
	}
	for i := range 4 {
		items = append(items, item("pk", fmt.Sprintf("SHELF#s%d", i), "sk", "META", "shelfId", fmt.Sprintf("s%d", i)))
	}
	table := &Table{Table: models.Table{
		ID: "loans-dev", Name: "loans-dev", PartitionKey: models.Key{Name: "pk", Type: models.TypeS}, SortKey: models.Key{Name: "sk", Type: models.TypeS},
	}}
	p := &Profile{Name: "loans-dev", Notes: Notes("loans-dev", 1)}
	Infer(p, Sample{Table: table, Items: items}, InferOptions{})
	InferPatterns(p, table)
	return NewReview(&Draft{Profile: p, Items: map[string][]models.Item{"loans-dev": items}})
}

// partOf returns the part of a review with the given name.
func partOf(t *testing.T, r *Review, kind PartKind, name string) Part {
	t.Helper()
	list := r.Parts()
	i := slices.IndexFunc(list, func(p Part) bool { return p.Kind == kind && p.Name == name })
	if i < 0 {
		t.Fatalf("the part %s is missing in %+v", name, list)
	}
	return list[i]
}

// line returns the schema's line for an attribute.
func line(r *Review, name string) string {
	for l := range strings.SplitSeq(string(r.Text()), "\n") {
		if strings.HasPrefix(strings.TrimSpace(l), name+":") {
			return l
		}
	}
	return ""
}

func TestReviewAnswersChangeSchema(t *testing.T) {
	r := newLoanReview(t)
	before := string(r.Text())
	email, status, updated := partOf(t, r, AttributePart, "email"), partOf(t, r, AttributePart, "status"), partOf(t, r, UpdatedPart, "updatedAt")
	if !email.Check || email.Sensitivity != models.PII || !status.CanDrop() {
		t.Fatalf("got email %+v and status %+v", email, status)
	}
	for _, c := range []struct {
		answer       func() error
		name         string
		want, absent string
	}{
		{func() error { return r.Answer(email.ID, Confirmed) }, "email", "sensitive: pii", "CHECK"},
		{func() error { return r.SetSensitivity(email.ID, models.Secret) }, "email", "sensitive: secret", "documented: false"},
		{func() error { return r.Answer(status.ID, Dropped) }, "status", "documented: false", "enum"},
		{func() error { return r.Answer(updated.ID, Dropped) }, "updated", "", "updatedAt"},
		{func() error { return r.Answer(updated.ID, Confirmed) }, "updated", "updatedAt", "CHECK"},
	} {
		if err := c.answer(); err != nil {
			t.Fatal(err)
		}
		if got := line(r, c.name); !strings.Contains(got, c.want) || c.absent != "" && strings.Contains(got, c.absent) {
			t.Errorf("%s: got %q, want %q without %q", c.name, got, c.want, c.absent)
		}
	}
	for _, p := range []Part{partOf(t, r, AttributePart, "status"), partOf(t, r, UpdatedPart, "updatedAt")} {
		if err := r.Answer(p.ID, p.Answer); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.SetSensitivity(email.ID, models.PII); err != nil {
		t.Fatal(err)
	}
	if err := r.Answer(email.ID, Confirmed); err != nil || string(r.Text()) != before {
		t.Errorf("the restored answer differs: %v\n%s", err, r.Text())
	}
}

// Every entity can be renamed, and confirming all parts leaves nothing to check.
func TestEntityReview(t *testing.T) {
	r := newLoanReview(t)
	if err := r.Rename(0, "Borrowing"); err != nil {
		t.Fatal(err)
	}
	if err := r.Rename(0, "Shelf"); err == nil {
		t.Error("Rename accepted a name that is in use")
	}
	if err := r.ConfirmAll(0); err != nil {
		t.Fatal(err)
	}
	p, err := r.Profile()
	if err != nil || p.Entity("Borrowing") == nil || p.Pattern("get-borrowing") == nil {
		t.Errorf("the renamed entity is missing: %v\n%s", err, r.Text())
	}
	if n := strings.Count(string(r.Text()), "CHECK: "); n > 0 {
		t.Errorf("%d CHECK notes remain:\n%s", n, r.Text())
	}
	if known, total := r.Recognized(); known != 16 || total != 16 {
		t.Errorf("Recognized() = %d of %d, want all 16", known, total)
	}
	for _, p := range r.Parts() {
		if (p.Answer == Confirmed) != (p.Entity == 0 && p.Kind != PatternPart && p.Kind != LifecyclePart) || strings.Contains(p.Inferred+p.Evidence, "@") {
			t.Errorf("unexpected answer or personal data in %+v", p)
		}
	}
}

// Removing an entity also removes its patterns, which Removal announces. Restoring the entity restores everything.
func TestRestoredEntityIsComplete(t *testing.T) {
	r := newLoanReview(t)
	if _, err := r.Profile(); err != nil {
		t.Fatal(err)
	}
	before, loan := string(r.Text()), partOf(t, r, EntityPart, "Loan")
	message := strings.Join(r.Removal(loan.Entity), "\n")
	for _, want := range []string{"pattern get-loan", "ddbdesk then recognizes 4 of 16 sample items instead of 16"} {
		if !strings.Contains(message, want) {
			t.Errorf("%q is missing in:\n%s", want, message)
		}
	}
	if err := r.Answer(loan.ID, Removed); err != nil {
		t.Fatal(err)
	}
	if p, err := r.Profile(); err != nil || p.Entity("Loan") != nil || p.Pattern("get-loan") != nil || p.Entity("Shelf") == nil {
		t.Errorf("the removed entity is still in the profile: %v\n%s", err, r.Text())
	}
	for _, p := range r.Parts() {
		if p.Entity == loan.Entity && (p.Kind != EntityPart || p.Answer != Removed) {
			t.Errorf("the review lists a part of the removed entity: %+v", p)
		}
	}
	if err := r.Rename(partOf(t, r, EntityPart, "Shelf").Entity, "Loan"); err == nil {
		t.Error("Rename accepted the name of a removed entity")
	}
	if err := r.Answer(loan.ID, Removed); err != nil || string(r.Text()) != before {
		t.Errorf("the restored entity differs: %v\n%s", err, r.Text())
	}
}

func TestRemovalNamesReferencesAndSharedPatterns(t *testing.T) {
	r := newLoanReview(t)
	shelf := r.Draft.Profile.Entity("Shelf")
	shelf.Attributes = append(shelf.Attributes, &Attribute{
		Attribute: models.Attribute{Name: "lastLoan", Type: models.TypeS, Refers: "Loan.loanId"},
	})
	loan := partOf(t, r, EntityPart, "Loan")
	if message := strings.Join(r.Removal(loan.Entity), "\n"); !strings.Contains(message, "No longer a reference: Shelf.lastLoan") {
		t.Errorf("the lost reference is missing in:\n%s", message)
	}
	if err := r.Answer(loan.ID, Removed); err != nil || strings.Contains(string(r.Text()), "refers") {
		t.Errorf("the reference is still in the profile: %v\n%s", err, r.Text())
	}
}

func TestRemovedPatternStaysRemovedWhenItsEntityIsRenamed(t *testing.T) {
	r := newLoanReview(t)
	if err := r.Answer(partOf(t, r, PatternPart, "get-loan").ID, Removed); err != nil {
		t.Fatal(err)
	}
	if err := r.Rename(partOf(t, r, EntityPart, "Loan").Entity, "Borrowing"); err != nil {
		t.Fatal(err)
	}
	p, err := r.Profile()
	if err != nil || p.Pattern("get-borrowing") != nil || p.Pattern("get-shelf") == nil {
		t.Errorf("unexpected patterns: %v\n%s", err, r.Text())
	}
}

func TestAttributeThatKeyNeedsCannotBeRemoved(t *testing.T) {
	r := newLoanReview(t)
	for name, want := range map[string]string{"loanId": "needed for key pk", "updatedAt": "needed for the time of the last change"} {
		if err := r.Answer(partOf(t, r, AttributePart, name).ID, Removed); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want %q", name, err, want)
		}
	}
	email := partOf(t, r, AttributePart, "email").ID
	if err := r.Answer(email, Removed); err != nil || strings.Contains(string(r.Text()), "email") {
		t.Errorf("the removed attribute is still in the profile: %v\n%s", err, r.Text())
	}
	if err := r.Answer(email, Removed); err != nil || !strings.Contains(string(r.Text()), "email") {
		t.Errorf("the attribute was not restored: %v", err)
	}
	if err := r.Answer(partOf(t, r, KeyPart, "pk").ID, Removed); err == nil {
		t.Error("Answer removed a key")
	}
}

func TestConfirmedNotesKeepEvidence(t *testing.T) {
	note := JoinNotes("in 3 of 4", CheckNote("sensitive: pii"))
	if got := WithoutChecks(note); got != "in 3 of 4" {
		t.Errorf("got %q, want \"in 3 of 4\"", got)
	}
	if got := WithoutCheckMark(note); got != "in 3 of 4; sensitive: pii" {
		t.Errorf("got %q, want \"in 3 of 4; sensitive: pii\"", got)
	}
}

// Merge keeps the lines that a person wrote, including comments. It reports differences and parts that it cannot add.
// A text of several lines can contain lines like comments, and a mapping in braces ends with a line that is not indented.
func TestMergeInsertsAfterWholeEntity(t *testing.T) {
	for _, text := range []string{
		"  Other:\n    table: loans-dev\n    description: |\n      First line.\n      # A heading\n\n      # The end\n",
		"  Other: {\n    table: loans-dev, keys: {pk: OTHER, sk: META}\n  }\n",
	} {
		before := "name: mine\ntables:\n  loans-dev:\n    partition_key: pk\nentities:\n" + text + "# The patterns\n"
		merged, _, err := Merge([]byte(before), newLoanReview(t).Draft.Profile)
		if after := text + "  # inferred from"; err != nil || !strings.Contains(string(merged), after) {
			t.Errorf("error %v, and no %q in:\n%s", err, after, merged)
		}
	}
}

func TestMergeKeepsUserLines(t *testing.T) {
	userText := "name: mine\ntables:\n  loans-dev:\n    partition_key: pk\n    sort_key: range\nentities:\n  Loan: # ours\n    table: loans-dev\n"
	merged, unmerged, err := Merge([]byte(userText), newLoanReview(t).Draft.Profile)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"  Loan: # ours\n", "  Shelf:\n", "  get-loan:\n"} {
		if !strings.Contains(string(merged), want) {
			t.Errorf("%q is missing in:\n%s", want, merged)
		}
	}
	if all := strings.Join(unmerged, "\n"); !strings.Contains(all, "tables.loans-dev.sort_key: unchanged; the import has sk") {
		t.Errorf("the note about the sort key is missing in:\n%s", all)
	}
	for _, text := range []string{"a: [", "- x\n"} {
		if _, _, err := Merge([]byte(text), &Profile{}); err == nil {
			t.Errorf("Merge accepted %q", text)
		}
	}
}
