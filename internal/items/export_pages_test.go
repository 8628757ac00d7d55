package items_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/models"
)

// The columns include attributes that only the last page has. An export can be canceled between pages.
func TestPageExportEqualsItemExport(t *testing.T) {
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
	list := page.Items
	list[len(list)-1] = list[len(list)-1].Clone()
	list[len(list)-1]["zzz"] = models.StringValue("late")
	pages := func(yield func([]models.Item) bool) {
		for i := range list {
			if !yield(list[i : i+1]) {
				return
			}
		}
	}
	for _, f := range items.Formats() {
		written := map[bool]string{}
		for _, whole := range []bool{true, false} {
			e := items.Export{
				Subject: p.FullID(), Table: p.Table, Entities: p.Returns, Format: f,
				Path: filepath.Join(t.TempDir(), "rows"),
			}
			if whole {
				e.Items = list
			} else {
				e.Pages, e.Count = pages, len(list)
			}
			done, err := w.Workspace.Exporter.Export(t.Context(), e, func(items.ExportProgress) {})
			if err != nil || done.Items != len(list) || len(done.Omitted) > 0 {
				t.Fatalf("%s: got %+v, %v, want all items", f, done, err)
			}
			text, err := os.ReadFile(e.Path)
			if err != nil {
				t.Fatal(err)
			}
			written[whole] = string(text)
		}
		if written[true] != written[false] {
			t.Errorf("%s: the export by page is\n%s\nwant\n%s", f, written[false], written[true])
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	e := items.Export{
		Subject: p.FullID(), Table: p.Table, Entities: p.Returns, Pages: pages, Count: len(list),
		Format: items.JSONL, Path: filepath.Join(t.TempDir(), "rows"),
	}
	done, err := w.Workspace.Exporter.Export(ctx, e, func(items.ExportProgress) { cancel() })
	if _, missing := os.Stat(e.Path); !errors.Is(err, context.Canceled) || done.Items != 1 || missing == nil {
		t.Errorf("got %d items, %v and stat error %v, want 1 item, a canceled context and a missing file", done.Items, err, missing)
	}
}
