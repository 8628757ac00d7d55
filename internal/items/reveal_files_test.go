package items_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

func TestFilesWithRevealedDataAreJournaledFirst(t *testing.T) {
	w := fixture.New(t, "authbridge", session.Developer)
	logs := filepath.Join(t.TempDir(), "logs")
	log := filepath.Join(logs, "journal.jsonl")
	s := workspace.New(session.Options{Profile: w.Profile, Store: w.Conn.Reader(), Role: session.Developer, JournalPath: log})
	noted := func(path string) bool {
		text, err := os.ReadFile(log)
		return err == nil && strings.Contains(string(text), "saved to "+path+": case 7")
	}
	save := func(name string, known bool) error {
		path := filepath.Join(t.TempDir(), name)
		_, err := s.Exporter.SaveText(t.Context(), "the item", path, false, func() (string, error) {
			if noted(path) != known {
				t.Errorf("%s: the journal entry exists before the text: %v", name, !known)
			}
			return "text\n", nil
		})
		if _, statErr := os.Stat(path); (statErr == nil) != (err == nil) {
			t.Errorf("%s: got %v, but the file %v", name, err, statErr)
		}
		return err
	}
	if err := save("masked.txt", false); err != nil {
		t.Fatal(err)
	}
	if err := s.Session.Reveal(t.Context(), "x", "case 7"); err != nil {
		t.Fatal(err)
	}
	if err := save("revealed.txt", true); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.RemoveAll(logs), os.WriteFile(logs, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := save("refused.txt", true); err == nil {
		t.Error("Save wrote revealed data without a journal")
	}
	table := w.Profile.Tables[0]
	e := items.Export{
		Table: table, Items: []models.Item{{table.PartitionKey.Name: models.StringValue("x")}}, Single: true,
		Format: items.JSON, Path: filepath.Join(t.TempDir(), "item.json"),
	}
	_, err := s.Exporter.Export(t.Context(), e, func(items.ExportProgress) {})
	if _, statErr := os.Stat(e.Path); err == nil || !errors.Is(statErr, fs.ErrNotExist) {
		t.Errorf("Export without a journal: got %v, file %v", err, statErr)
	}
	s.Session.Hide()
	if err := save("hidden.txt", false); err != nil {
		t.Errorf("saving masked text without a journal: %v", err)
	}
}
