package exporter_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/internal/exporter"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/models"
)

// Also if only the last page has another attribute. An export can be stopped between two pages.
func TestExportOfPagesEqualsExportOfItems(t *testing.T) {
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
	items := page.Items
	items[len(items)-1] = items[len(items)-1].Clone()
	items[len(items)-1]["zzz"] = models.StringValue("late")
	pages := func(yield func([]models.Item) bool) {
		for i := range items {
			if !yield(items[i : i+1]) {
				return
			}
		}
	}
	for _, f := range export.Formats() {
		written := map[bool]string{}
		for _, whole := range []bool{true, false} {
			e := exporter.Export{
				Subject: p.FullID(), Table: p.Table, Entities: p.Returns, Format: f,
				Path: filepath.Join(t.TempDir(), "rows"),
			}
			if whole {
				e.Items = items
			} else {
				e.Pages, e.Count = pages, len(items)
			}
			done, err := w.Workspace.Exporter.Export(t.Context(), e, func(exporter.Exported) {})
			if err != nil || done.Items != len(items) || len(done.LeftOut) > 0 {
				t.Fatalf("%s: %+v, %v", f, done, err)
			}
			text, err := os.ReadFile(e.Path)
			if err != nil {
				t.Fatal(err)
			}
			written[whole] = string(text)
		}
		if written[true] != written[false] {
			t.Errorf("%s: pages are written as\n%s\nnot as\n%s", f, written[false], written[true])
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	e := exporter.Export{
		Subject: p.FullID(), Table: p.Table, Entities: p.Returns, Pages: pages, Count: len(items),
		Format: export.JSONL, Path: filepath.Join(t.TempDir(), "rows"),
	}
	done, err := w.Workspace.Exporter.Export(ctx, e, func(exporter.Exported) { cancel() })
	if _, missing := os.Stat(e.Path); !errors.Is(err, context.Canceled) || done.Items != 1 || missing == nil {
		t.Errorf("stopped after %d items: %v, the file is missing: %v", done.Items, err, missing)
	}
}
