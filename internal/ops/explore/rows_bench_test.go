package explore

import (
	"fmt"
	"io"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/sdkbench"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
)

// BenchmarkRunAll compares reading, masking and writing a table with an SDK program that only reads it.
func BenchmarkRunAll(b *testing.B) {
	sdkbench.Servers(b, func(b *testing.B, url string) {
		t := sdkbench.New(b, url)
		s := workspace.New(session.Options{
			Profile: t.Profile, Store: t.Conn.Reader(), Target: t.Conn.Describe(), StateDir: b.TempDir(),
			Environment: "bench", // In an unclassified environment, the benchmark would measure the budget.
		})
		for _, c := range []struct {
			output   string
			segments int
		}{{"jsonl", 1}, {"jsonl", 4}, {"jsonl", 8}, {"csv", 8}, {"json", 8}} {
			b.Run(fmt.Sprintf("%s/%d", c.output, c.segments), func(b *testing.B) {
				ours := func() error {
					r, err := start(s, t.Profile.Pattern("all"), nil, reading.RunOptions{AllowScan: true, All: true, Segments: c.segments})
					if err == nil {
						err = newRowWriter(b.Context(), s, r, &readInput{all: true}).Write(op.Output{Writer: io.Discard, Note: func(string) {}}, c.output)
					}
					if err == nil && r.Totals().Count != sdkbench.Items {
						err = fmt.Errorf("%d items were written", r.Totals().Count)
					}
					return err
				}
				sdkbench.Compare(b, sdkbench.Items, 15, ours, func() error { return t.Scan(b.Context(), c.segments) })
			})
		}
	})
}
