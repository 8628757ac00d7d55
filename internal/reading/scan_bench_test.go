package reading_test

import (
	"fmt"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/sdkbench"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
)

// benchTable returns a table, and a workspace that reads it.
func benchTable(b *testing.B, url string) (*sdkbench.Table, *workspace.Workspace) {
	b.Helper()
	t := sdkbench.New(b, url)
	return t, workspace.New(session.Options{
		Profile: t.Profile, Store: t.Conn.Reader(), Target: t.Conn.Describe(), StateDir: b.TempDir(),
		Environment: "bench", // In an unclassified environment, the benchmark would measure the budget.
	})
}

// BenchmarkScanAll compares Run.All with a scan by the bare SDK.
func BenchmarkScanAll(b *testing.B) {
	sdkbench.Servers(b, func(b *testing.B, url string) {
		t, s := benchTable(b, url)
		for _, segments := range []int{1, 4, 8} {
			b.Run(fmt.Sprint(segments), func(b *testing.B) {
				ours := func() error {
					r, err := s.Reading.Start(
						t.Profile.Pattern("all"), nil, reading.RunOptions{AllowScan: true, All: true, Segments: segments},
					)
					if err != nil {
						return err
					}
					items := 0
					err = r.All(b.Context(), func(p reading.Page) error {
						items += len(p.Items)
						return nil
					})
					if err == nil && items != sdkbench.Items {
						err = fmt.Errorf("the run found %d items", items)
					}
					return err
				}
				sdkbench.Compare(b, sdkbench.Items, 15, ours, func() error { return t.Scan(b.Context(), segments) })
			})
		}
	})
}

// BenchmarkFirstPage compares the first page of a query, with 100 rows, with the same read by the bare SDK.
func BenchmarkFirstPage(b *testing.B) {
	sdkbench.Servers(b, func(b *testing.B, url string) {
		t, s := benchTable(b, url)
		ours := func() error {
			r, err := s.Reading.Start(t.Profile.Pattern("lines"), map[string]string{"order": sdkbench.Order}, reading.RunOptions{})
			if err != nil {
				return err
			}
			page, err := r.Next(b.Context())
			if err == nil && (len(page.Items) != 100 || page.Requests != 1) {
				err = fmt.Errorf("%d items after %d requests", len(page.Items), page.Requests)
			}
			return err
		}
		sdkbench.Compare(b, 100, 25, ours, func() error { return t.Lines(b.Context()) })
	})
}
