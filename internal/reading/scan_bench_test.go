package reading_test

import (
	"fmt"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/sdkbench"
)

// benchTable is a table with the session that reads it.
func benchTable(b *testing.B, url string) (*sdkbench.Table, *session.Session) {
	b.Helper()
	t := sdkbench.New(b, url)
	return t, session.New(session.Options{Profile: t.Profile, Store: t.Conn.Reader(), Target: t.Conn.Describe(), StateDir: b.TempDir()})
}

// BenchmarkScanAll reads a table through Run.All and through the bare SDK.
func BenchmarkScanAll(b *testing.B) {
	sdkbench.Servers(b, func(b *testing.B, url string) {
		t, s := benchTable(b, url)
		for _, segments := range []int{1, 4, 8} {
			b.Run(fmt.Sprint(segments), func(b *testing.B) {
				ours := func() error {
					r, err := fixture.Start(s, t.Profile.Pattern("all"), nil, session.RunOptions{AllowScan: true, All: true, Segments: segments})
					if err != nil {
						return err
					}
					items := 0
					err = r.All(b.Context(), func(p session.Page) error {
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

// BenchmarkFirstPage reads the first page of a query, of 100 rows.
func BenchmarkFirstPage(b *testing.B) {
	sdkbench.Servers(b, func(b *testing.B, url string) {
		t, s := benchTable(b, url)
		ours := func() error {
			r, err := fixture.Start(s, t.Profile.Pattern("lines"), map[string]string{"order": sdkbench.Order}, session.RunOptions{})
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
