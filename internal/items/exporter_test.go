package items_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/accesspatterns/snippet"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/models"
)

// clients returns a query whose results have personal data and several pages.
func clients(t *testing.T, w *fixture.Fixture) (*accesspatterns.Pattern, map[string]string) {
	t.Helper()
	p, err := w.Workspace.Reading.Pattern("list-client-verifications")
	if err != nil {
		t.Fatal(err)
	}
	return p, map[string]string{"clientId": "client_xyz789"}
}

func exportText(t *testing.T, w *fixture.Fixture, e items.Export) string {
	t.Helper()
	_, err := w.Workspace.Exporter.Export(t.Context(), e, func(items.ExportProgress) {})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(e.Path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The export contains the rows that were already read, and requests only the remaining ones.
func TestExportReadsRest(t *testing.T) {
	w := fixture.New(t, "authbridge", session.Support)
	p, args := clients(t, w)
	all := len(w.Ask(t, p, args, 100))
	r, err := w.Workspace.Reading.Start(p, args, reading.RunOptions{Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	page, err := r.Next(t.Context())
	if err != nil || !page.More {
		t.Fatalf("got %d items, more: %v, %v, want a further page", len(page.Items), page.More, err)
	}
	steps := 0
	e := items.Export{
		Subject: p.FullID(), Table: p.Table, Entities: p.Returns, Items: page.Items, Rest: r,
		Format: items.JSONL, Path: filepath.Join(t.TempDir(), "rows.jsonl"),
	}
	done, err := w.Workspace.Exporter.Export(t.Context(), e, func(items.ExportProgress) { steps++ })
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(e.Path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(
		string(text), "\n",
	); n != all || done.Items != all || done.Bytes != int64(len(text)) || steps < 2 || done.Pages < 1 || done.Capacity <= 0 {
		t.Errorf("got %d lines, want %d; %+v after %d reports", n, all, done, steps)
	}
}

func TestExportIsMaskedAsShown(t *testing.T) {
	w := fixture.New(t, "authbridge", session.Developer)
	p, args := clients(t, w)
	r, err := w.Workspace.Reading.Start(p, args, reading.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	page, err := r.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	hidden := ""
	for _, it := range page.Items {
		if text, ok := it.Text("customerMetadata.email"); ok {
			hidden = text
		}
	}
	if hidden == "" {
		t.Fatal("the item has no hidden value")
	}
	e := items.Export{
		Subject: p.FullID(), Table: p.Table, Entities: p.Returns, Items: page.Items,
		Format: items.CSV, Path: filepath.Join(t.TempDir(), "rows.csv"),
	}
	if text := exportText(t, w, e); strings.Contains(text, hidden) {
		t.Errorf("the file contains the masked value %q", hidden)
	}
	if log, err := w.Workspace.Journal.Log(1000); err != nil || len(log.Remarks) != 0 {
		t.Errorf("a masked export wrote the journal: %v, %v", log.Remarks, err)
	}
	if err := w.Workspace.Session.Reveal(t.Context(), "x", "case 7"); err != nil {
		t.Fatal(err)
	}
	e.Replace = true
	if text := exportText(t, w, e); !strings.Contains(text, hidden) {
		t.Errorf("the file lacks the revealed value %q", hidden)
	}
	log, err := w.Workspace.Journal.Log(1000)
	list := log.Remarks
	if err != nil || len(list) != 2 || list[0].Subject != p.FullID() || list[0].Detail.Reason != change.Reason("exported to "+e.Path+": case 7") {
		t.Errorf("got journal entries %+v, %v, want one for the export", list, err)
	}
}

// If an export fails, the existing file stays unchanged. A second file contains the items that were read, as an
// incomplete document.
func TestStoppedExportKeepsPart(t *testing.T) {
	w := fixture.New(t, "authbridge", session.Support)
	p, args := clients(t, w)
	r, err := w.Workspace.Reading.Start(p, args, reading.RunOptions{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	e := items.Export{
		Subject: p.FullID(), Table: p.Table, Entities: p.Returns, Rest: r, Format: items.JSON,
		Path: filepath.Join(dir, "rows.json"), Replace: true,
	}
	if err := os.WriteFile(e.Path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = w.Workspace.Exporter.Export(ctx, e, func(progress items.ExportProgress) {
		if progress.Pages == 1 {
			cancel()
		}
	})
	if err == nil || !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "stopped after ") ||
		!strings.HasSuffix(err.Error(), "rows.json.part") {
		t.Errorf("got %v, want an error with the partial file", err)
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 2 || list[1].Name() != "rows.json.part" {
		t.Errorf("the folder contains %v, %v", list, err)
	}
	if text, err := os.ReadFile(e.Path + ".part"); err != nil || !strings.Contains(string(text), `"PK"`) || json.Valid(text) {
		t.Errorf("the partial file contains %s, %v", text, err)
	}
	if text, err := os.ReadFile(e.Path); err != nil || string(text) != "old" {
		t.Errorf("the existing file contains %q, %v, want \"old\"", text, err)
	}
	e.Replace = false
	if _, err := w.Workspace.Exporter.Export(t.Context(), e, func(items.ExportProgress) {}); !errors.Is(err, items.ErrExists) {
		t.Errorf("an existing file: got %v, want ErrExists", err)
	}
}

func TestSingleItemExportIsDocument(t *testing.T) {
	w := fixture.New(t, "authbridge", session.Support)
	p, _ := clients(t, w)
	it := models.Item{
		"PK": models.StringValue("CASE#ver_1"), "SK": models.StringValue("META"),
		"verificationId": models.StringValue("ver_1"),
	}
	e := items.Export{
		Table: p.Table, Items: []models.Item{it}, Single: true, Format: items.JSON, Path: filepath.Join(t.TempDir(), "item.json"),
	}
	if text := exportText(t, w, e); text != "{\n  \"PK\": \"CASE#ver_1\",\n  \"SK\": \"META\",\n  \"verificationId\": \"ver_1\"\n}\n" {
		t.Errorf("the file contains\n%s", text)
	}
}

// Snippets and command lines show a placeholder for a masked argument.
func TestSnippetsContainNoMaskedValue(t *testing.T) {
	w := fixture.New(t, "authbridge", session.Support)
	p, args := clients(t, w)
	r, err := w.Workspace.Reading.Bind(p, args)
	if err != nil {
		t.Fatal(err)
	}
	for _, lang := range snippet.Languages() {
		open, hidden := w.Workspace.Exporter.Snippet(r, lang), w.Workspace.Exporter.Snippet(r, lang, "clientId")
		if !strings.Contains(open, "CLIENT#client_xyz789") {
			t.Errorf("%s lacks the value:\n%s", lang, open)
		}
		if strings.Contains(hidden, "xyz789") || !strings.Contains(hidden, "CLIENT#<clientId>") {
			t.Errorf("%s: want a placeholder without the value, got:\n%s", lang, hidden)
		}
	}
	if got, want := w.Workspace.Exporter.CommandLine(r), "ddbdesk run authbridge list-client-verifications "+
		"clientId=client_xyz789 --embedded"; got != want {
		t.Errorf("the command line is %s, want %s", got, want)
	}
	if got, want := w.Workspace.Exporter.CommandLine(
		r, "clientId",
	), "ddbdesk run authbridge list-client-verifications 'clientId=<clientId>' --embedded"; got != want {
		t.Errorf("the command line is %s, want %s", got, want)
	}
}

// A snippet contains placeholders for personal data in a key until the user reveals it.
func TestItemSnippetsNameMaskedParts(t *testing.T) {
	w := fixture.New(t, "authbridge", session.Developer)
	e := w.Profile.Entity("Session")
	key := models.Item{"PK": models.StringValue("SESSION#s_123"), "SK": models.StringValue("META")}
	for _, lang := range snippet.Languages() {
		got := w.Workspace.Exporter.ItemSnippet(e.Table, key, lang)
		if strings.Contains(got, "s_123") || !strings.Contains(got, "SESSION#<sessionId>") {
			t.Errorf("%s: want a placeholder without the ID, got:\n%s", lang, got)
		}
	}
	if err := w.Workspace.Session.Reveal(t.Context(), "x", "case 7"); err != nil {
		t.Fatal(err)
	}
	if got := w.Workspace.Exporter.ItemSnippet(e.Table, key, snippet.Python); !strings.Contains(
		got, `{"S": "SESSION#s_123"}`,
	) || strings.Contains(got, "Hidden") {
		t.Errorf("want the revealed value, got:\n%s", got)
	}
}

func TestTextUsesColumnsOfScreen(t *testing.T) {
	w := fixture.New(t, "authbridge", session.Support)
	p, _ := clients(t, w)
	it := models.Item{"PK": models.StringValue("CASE#ver_1"), "SK": models.StringValue("META"), "status": models.StringValue("created")}
	got, err := w.Workspace.Exporter.Text(items.TSV, p.Table, p.Returns, []models.Item{it}, "status", "verificationId")
	if want := "status\tverificationId\ncreated\t\n"; err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

// An undeclared attribute name may be personal data, so an export does not mention it.
func TestExportHidesNamesThatMayContainData(t *testing.T) {
	w := fixture.New(t, "authbridge", session.Support)
	p, args := clients(t, w)
	r, err := w.Workspace.Reading.Start(p, args, reading.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	page, err := r.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const phone = "+26771234567"
	stray := models.Item{"PK": models.StringValue("X#1"), "SK": models.StringValue("X"), phone: models.StringValue("Ann")}
	late := func(yield func([]models.Item) bool) { _ = yield(page.Items) && yield([]models.Item{stray}) }
	for _, f := range items.Formats() {
		for _, e := range []items.Export{{Items: append(slices.Clone(page.Items), stray)}, {Pages: late, Count: len(page.Items) + 1}} {
			e.Subject, e.Table, e.Entities, e.Format, e.Path = p.FullID(), p.Table, p.Returns, f, filepath.Join(t.TempDir(), "rows")
			done, err := w.Workspace.Exporter.Export(t.Context(), e, func(items.ExportProgress) {})
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(e.Path)
			if err != nil {
				t.Fatal(err)
			}
			if all := string(text) + fmt.Sprint(done.Omitted); strings.Contains(all, phone) || strings.Contains(all, "Ann") {
				t.Errorf("%s contains a hidden name or value:\n%s", f, all)
			}
		}
	}
}
