package cases_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/cases"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// newCaseFile returns the case file of an item of authbridge.
func newCaseFile(t testing.TB) (*fixture.Fixture, *cases.Case, []byte) {
	t.Helper()
	f := fixture.New(t, "authbridge", session.Support)
	e, it := f.SampleCase(t, "approved")
	_, c, _ := collect(t, f.Workspace, e, it, 1)
	text, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return f, c, text
}

// Parse rejects a file that lacks even its last byte.
func TestTruncatedFilesAreRejected(t *testing.T) {
	_, _, text := newCaseFile(t)
	header := bytes.IndexByte(text, '\n')
	for n := range text {
		if _, err := cases.Parse(text[:n]); !errors.Is(err, session.ErrInput) {
			t.Fatalf("%d of %d bytes: got %v, want an input error", n, len(text), err)
		} else if n > header && !strings.Contains(err.Error(), "truncated") {
			t.Fatalf("%d of %d bytes: got %v, want an error about truncation", n, len(text), err)
		}
	}
	if _, err := cases.Parse(text); err != nil {
		t.Fatal(err)
	}
}

func TestEditedFilesAreRefused(t *testing.T) {
	_, _, text := newCaseFile(t)
	for name, edited := range map[string][]byte{
		"item":   bytes.Replace(text, []byte(`"approved"`), []byte(`"rejected"`), 1),
		"source": bytes.Replace(text, []byte(`"production":false`), []byte(`"production":true`), 1),
		"more":   append(bytes.Clone(text), "{}\n"...),
		"order":  append(append(bytes.Clone(text[:bytes.IndexByte(text, '\n')+1]), "\n"...), text[bytes.IndexByte(text, '\n')+1:]...),
	} {
		if bytes.Equal(edited, text) {
			t.Fatalf("%s: the edit changed nothing", name)
		}
		if _, err := cases.Parse(edited); !errors.Is(err, session.ErrRefused) || !strings.Contains(err.Error(), "edited") {
			t.Errorf("%s: got %v, want a refusal", name, err)
		}
	}
	for name, other := range map[string]string{
		"empty": "", "JSON": `{"items":[]}` + "\n", "text": "hello\n", "unknown member": `{"ddbcase":1,"what":2}`, "later version": `{"ddbcase":2,"what":3}`,
		"profile outside of the folder": `{"ddbcase":1,"schema":"../secret.yaml"}`, "no profile": `{"ddbcase":1}`,
	} {
		if _, err := cases.Parse([]byte(other)); !errors.Is(err, session.ErrInput) {
			t.Errorf("%s: got %v, want an input error", name, err)
		}
	}
}

func TestOtherSchemasCaseIsRefused(t *testing.T) {
	_, _, text := newCaseFile(t)
	file, err := cases.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	other := fixture.New(t, "tazco", session.Support)
	if err := file.Match(other.Profile); !errors.Is(err, session.ErrRefused) ||
		!strings.Contains(err.Error(), "another version of schema tazco") {
		t.Errorf("got %v, want an error about the schema version", err)
	}
	if _, err := file.Open(other.Profile); !errors.Is(err, session.ErrInput) {
		t.Errorf("got %v, want an input error", err)
	}
}

// Items that exist with other values prevent the load, equal items are counted, and a missing table counts as empty.
func TestLoadPlan(t *testing.T) {
	f, c, text := newCaseFile(t)
	other := fixture.NewOn(t, f.Profile, fixture.Connect(t, fixture.Database(t)))
	plan := func() *cases.Plan {
		t.Helper()
		p, err := cases.PlanLoad(t.Context(), other.Conn.Reader(), c, fixture.Now)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if p := plan(); len(p.New) != len(c.Records) || p.Conflict() != nil {
		t.Errorf("without tables, %d items are new", len(p.New))
	}
	later, err := cases.PlanLoad(t.Context(), other.Conn.Reader(), c, fixture.Now.AddDate(1, 0, 0))
	if err != nil || later.Expired <= plan().Expired {
		t.Errorf("got %+v a year later and %d expired now, want more later: %v", later, plan().Expired, err)
	}
	for _, rec := range c.Records { // DynamoDB ignores a time to live that is text.
		digits, _ := rec.Item.Text(rec.Table.TTL)
		text := *rec
		text.Item = rec.Item.Clone()
		text.Item[rec.Table.TTL] = models.StringValue(digits)
		withText := &cases.Case{Records: []*cases.Record{&text}}
		p, err := cases.PlanLoad(t.Context(), other.Conn.Reader(), withText, fixture.Now.AddDate(1, 0, 0))
		if err != nil || p.Expired > 0 {
			t.Errorf("got %d expired items with a text as time to live and error %v, want none", p.Expired, err)
		}
	}
	other.Create(t)
	first := c.Records[0]
	other.Put(t, first.Table, first.Item)
	if p := plan(); len(p.New) != len(c.Records)-1 || p.Present != 1 || p.Conflict() != nil {
		t.Errorf("got %d new and %d present items, want 1 present", len(p.New), p.Present)
	}
	changed := first.Item.Clone()
	changed["updatedAt"] = models.StringValue("2026-01-20T12:00:00Z")
	other.Put(t, first.Table, changed)
	if err := plan().Conflict(); store.ClassOf(err) != store.ConditionFailed ||
		!strings.Contains(err.Error(), "1 item of the case exists with other values") {
		t.Errorf("got %v, want a conflict about 1 item", err)
	}
	if counts := cases.Entities(c.Records); len(text) == 0 || len(counts) < 2 {
		t.Errorf("got entities %v, want at least 2", counts)
	}
}

// An item that changes between the plan and its replacement is not replaced. A replaced item keeps attributes that a
// case never contains.
func TestChangedItemReplacement(t *testing.T) {
	f, c, _ := newCaseFile(t)
	other := fixture.NewOn(t, f.Profile, fixture.Connect(t, fixture.Database(t)))
	other.Create(t)
	first := c.Records[0]
	stored := first.Item.Clone()
	stored["updatedAt"], stored["undeclared"] = models.StringValue("2026-01-20T12:00:00Z"), models.StringValue("stays")
	other.Put(t, first.Table, stored)
	p, err := cases.PlanLoad(t.Context(), other.Conn.Reader(), c, fixture.Now)
	if err != nil {
		t.Fatal(err)
	}
	plans, err := p.Replacements(other.Workspace.Session.Viewer)
	if err != nil || len(plans) != 1 {
		t.Fatalf("got %d plans, %v, want 1", len(plans), err)
	}
	meanwhile := stored.Clone()
	meanwhile["updatedAt"] = models.StringValue("2026-01-20T12:00:01Z")
	other.Put(t, first.Table, meanwhile)
	if _, err := other.Conn.Writer().Commit(t.Context(), plans[0].Batch()); store.ClassOf(err) != store.ConditionFailed {
		t.Errorf("the replacement overwrote another program's change: %v", err)
	}
	other.Put(t, first.Table, stored)
	if _, err := other.Conn.Writer().Commit(t.Context(), plans[0].Batch()); err != nil {
		t.Fatal(err)
	}
	want := first.Item.Clone()
	want["undeclared"] = stored["undeclared"]
	page, err := other.Conn.Reader().Fetch(t.Context(), accesspatterns.ScanLeg(first.Table), nil, 0)
	if err != nil || len(page.Items) != 1 || !models.EqualItems(page.Items[0], want) {
		t.Errorf("the table contains %v, %v", page.Items, err)
	}
}

// A case contains neither the secrets nor the undeclared parts of a document, so a replacement must not remove them.
func TestReplacementKeepsOmittedPartsOfDocuments(t *testing.T) {
	p, err := profiles.Load("people.yaml", []byte(`
name: people
title: People
tables: {people: {name: people, partition_key: PK}}
entities:
  Person:
    table: people
    keys: {PK: "PERSON#{id}"}
    attributes:
      id: {type: S, required: true}
      profile: {type: M, attributes: {nick: {type: S}, token: {type: S, sensitive: secret}}}
      devices: {type: L, items: M, attributes: {system: {type: S}, key: {type: S, sensitive: secret}}}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	item := func(text string) models.Item {
		it, err := models.ParseItem([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return it
	}
	const saved = `{"PK":{"S":"PERSON#1"},"id":{"S":"1"},"profile":{"M":{"nick":{"S":"new"}}},"devices":{"L":[{"M":{"system":{"S":"new"}}}]}}`
	stored := item(`{"PK":{"S":"PERSON#1"},"id":{"S":"1"},"profile":{"M":{"nick":{"S":"old"},"token":{"S":"t"},"more":{"N":"1"}}},` +
		`"devices":{"L":[{"M":{"system":{"S":"old"},"key":{"S":"k"}}}]}}`)
	want := item(`{"PK":{"S":"PERSON#1"},"id":{"S":"1"},"profile":{"M":{"nick":{"S":"new"},"token":{"S":"t"},"more":{"N":"1"}}},` +
		`"devices":{"L":[{"M":{"system":{"S":"new"},"key":{"S":"k"}}}]}}`)
	f := fixture.NewOn(t, p, fixture.Connect(t, fixture.Database(t)))
	load := cases.Plan{Conflicting: []*cases.Record{{Table: p.Tables[0], Entity: p.Entities[0], Item: item(saved)}}, Stored: []models.Item{stored}}
	plans, err := load.Replacements(f.Workspace.Session.Viewer)
	if err != nil || len(plans) != 1 || !models.EqualItems(plans[0].Writes[0].After, want) {
		t.Errorf("got plans %v, %v", plans, err)
	}
}

// A replaced item can be undone like any change. The undo restores it with its version and time of change, unless it
// changed since.
func TestReplacedItemsAreUndone(t *testing.T) {
	f, c, _ := newCaseFile(t)
	other := fixture.NewOn(t, f.Profile, fixture.Connect(t, fixture.Database(t)))
	other.Create(t)
	first := c.Records[0]
	stored := first.Item.Clone()
	stored["updatedAt"], stored["undeclared"] = models.StringValue("2026-01-20T12:00:00Z"), models.StringValue("stays")
	delete(stored, "clientId")
	w := other.Workspace
	replace := func() string {
		t.Helper()
		other.Put(t, first.Table, stored)
		p, err := cases.PlanLoad(t.Context(), other.Conn.Reader(), c, fixture.Now)
		if err != nil {
			t.Fatal(err)
		}
		plans, err := p.Replacements(w.Session.Viewer)
		if err != nil {
			t.Fatal(err)
		}
		n, id, err := w.Committer.Replace(t.Context(), other.Conn.Writer(), plans)
		if err != nil || n != 1 {
			t.Fatalf("replaced %d items, %v, want 1", n, err)
		}
		return id
	}
	now := func() models.Item {
		key, _ := first.Table.PrimaryKey(first.Item)
		it, err := w.Reading.Get(t.Context(), first.Table, key)
		if err != nil {
			t.Fatal(err)
		}
		return it
	}
	id := replace()
	if models.EqualItems(now(), stored) {
		t.Fatal("the item is unchanged")
	}
	text, err := os.ReadFile(w.Session.JournalPath())
	if err != nil || bytes.Contains(text, []byte("undeclared")) || bytes.Contains(text, []byte("2026-01-20T12:00:00Z")) {
		t.Errorf("the journal contains the item's values in clear text, or %v", err)
	}
	u, err := w.Journal.Undo(id, "")
	if err != nil || u.Changes != 1 {
		t.Fatalf("got %+v, %v, want 1 change", u, err)
	}
	past, ok, err := w.Journal.Last()
	if err != nil || !ok || !past.Committed() {
		t.Fatalf("got last change %+v, %v, want a committed change", past, err)
	}
	undo := func() error {
		done, err := w.Journal.Undoable(past.PastChange)
		if err != nil {
			return err
		}
		plan, err := w.Planner.PlanUndo(t.Context(), done, "")
		if err != nil {
			return err
		}
		_, err = w.Committer.Commit(t.Context(), plan)
		return err
	}
	if err := undo(); err != nil || !models.EqualItems(now(), stored) {
		t.Errorf("after undo the item is %v, want %v: %v", now(), stored, err)
	}
	replace()
	if past, _, err = w.Journal.Last(); err != nil {
		t.Fatal(err)
	}
	changed := now()
	changed["clientId"] = models.StringValue("client_later")
	other.Put(t, first.Table, changed)
	if err := undo(); !isConflict(err) || !models.EqualItems(now(), changed) {
		t.Errorf("the undo overwrote a later change: %v", err)
	}
}

// The digest of a case file is computed from the file's content, so it confirms no guess about the replaced values:
// two cases of the same items share only values that are not sensitive.
func TestDigestDoesNotConfirmOriginalValue(t *testing.T) {
	var digests, lines []string
	for range 2 {
		f := fixture.New(t, "authbridge", session.Support)
		e, it := f.SampleCase(t, "approved")
		_, c, _ := collect(t, f.Workspace, e, it, 1)
		text, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		file, err := cases.Parse(text) // The digest is checked without the key, so it depends on the file only.
		if err != nil {
			t.Fatal(err)
		}
		digests, lines = append(digests, file.Digest), append(lines, string(text))
	}
	if digests[0] == digests[1] || lines[0] == lines[1] {
		t.Error("the two cases have equal digests or items")
	}
}

func isConflict(err error) bool {
	_, ok := errors.AsType[*change.Conflict](err)
	return ok
}
