package workbench

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// benchSizes are the numbers of rows that are measured.
var benchSizes = []int{100, 100_000, 1_000_000}

// benched are the workbenches that were filled.
var benched = map[int]*Workbench{}

// manyRows is a workbench with n rows. There are 20,000 different ones: making them
// takes longer than all that is measured.
func manyRows(b *testing.B, n int) *Workbench {
	b.Helper()
	if benched[n] == nil {
		bench := benchOf(b, nil)
		bench.env.Context = context.Background() // It outlives the benchmark that fills it.
		bench.SetSize(160, 50)
		const different = 20_000
		items := make([]models.Item, min(n, different))
		for i := range items {
			items[i] = fullCase(i)
		}
		r := bench.job.rows
		for page := r.Items.Packer().Pack(items); r.Items.Len() < n; {
			r.Take(page, nil)
		}
		bench.job.more = false
		benched[n] = bench
	}
	return benched[n]
}

// eachSize runs a benchmark for each number of rows, as they were read.
func eachSize(b *testing.B, run func(b *testing.B, bench *Workbench, n int)) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			if n > 100_000 && testing.Short() {
				b.Skip("takes minutes")
			}
			bench := manyRows(b, n)
			r := bench.job.rows
			r.SetFilter("")
			settle(bench, bench.job.rows.Sort(results.SortBy{}))
			r.Arrange()
			bench.job.rows.Grid.SetCursor(0)
			run(b, bench, n)
		})
	}
}

// press is a key and the frame after it.
func press(b *Workbench, name string) {
	b.Update(pressRow(name))
	_ = b.View()
}

// BenchmarkKeyToFrame is a key and the frame after it, for rows as they were read
// and for sorted ones, of which each comes from another place.
func BenchmarkKeyToFrame(b *testing.B) {
	for _, by := range []results.SortBy{{}, {Key: "updatedAt", Order: widget.Descending}} {
		for _, key := range []string{"down", "pgdown"} {
			b.Run(map[widget.Order]string{widget.Unsorted: "read", widget.Descending: "sorted"}[by.Order]+"/"+key, func(b *testing.B) {
				var few float64
				eachSize(b, func(b *testing.B, bench *Workbench, n int) {
					settle(bench, bench.job.rows.Sort(by))
					for b.Loop() {
						press(bench, key)
						if bench.job.rows.Grid.Cursor() == n-1 {
							bench.job.rows.Grid.SetCursor(0)
						}
					}
					took := float64(b.Elapsed()) / float64(b.N)
					if n == benchSizes[0] {
						few = took
					}
					if few > 0 {
						b.ReportMetric(took/few, "x-100-rows")
					}
				})
			})
		}
	}
}

// BenchmarkFilter is how long it takes until the first rows are shown, and what all
// of them take together.
func BenchmarkFilter(b *testing.B) {
	for _, text := range []string{"client_33", "status:approved", "createdAt>=2026-01-01", ".ttl > 100", "nowhere"} {
		b.Run(text, func(b *testing.B) {
			eachSize(b, func(b *testing.B, bench *Workbench, n int) {
				var shown, longest time.Duration
				for b.Loop() {
					bench.job.rows.SetFilter("")
					bench.job.rows.Arrange()
					bench.job.rows.SetFilter(text)
					from, first := time.Now(), true
					for cmd := bench.job.rows.Rearrange(); cmd != nil; {
						msg := cmd()
						at := time.Now()
						cmd = bench.Update(msg)
						longest = max(longest, time.Since(at))
						if first && bench.job.rows.View != nil && bench.job.rows.Len() > 0 {
							first, shown = false, shown+time.Since(from)
						}
					}
				}
				b.ReportMetric(float64(shown.Microseconds())/1000/float64(b.N), "first-ms")
				b.ReportMetric(float64(longest.Microseconds())/1000, "screen-ms")
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
			})
		})
	}
}

// BenchmarkSort is what all steps of an order take together, off the screen's time.
func BenchmarkSort(b *testing.B) {
	for _, key := range []string{"updatedAt", "status", "ttl", "verificationId"} {
		b.Run(key, func(b *testing.B) {
			eachSize(b, func(b *testing.B, bench *Workbench, n int) {
				for b.Loop() {
					settle(bench, bench.job.rows.Sort(results.SortBy{Key: key, Order: widget.Descending}))
					settle(bench, bench.job.rows.Sort(results.SortBy{}))
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
			})
		})
	}
}

// BenchmarkPage is what the screen's own time has to give for a page of 2,000 rows.
func BenchmarkPage(b *testing.B) {
	eachSize(b, func(b *testing.B, bench *Workbench, _ int) {
		items := make([]models.Item, 2000)
		for i := range items {
			items[i] = fullCase(i)
		}
		r := bench.job.rows
		page := r.Items.Packer().Pack(items)
		before := r.Items
		for b.Loop() {
			r.Take(page, nil)
			bench.job.rows.Added(false)
			_ = bench.View()
			r.Items = before
		}
	})
}

// BenchmarkMarks marks all rows and lets them be taken away.
func BenchmarkMarks(b *testing.B) {
	eachSize(b, func(b *testing.B, bench *Workbench, _ int) {
		for b.Loop() {
			bench.job.rows.MarkAll()
			_ = rowPieces(bench.job)
			bench.job.rows.MarkAll()
		}
	})
}

// BenchmarkMemory reports what rows take beside what they hold.
func BenchmarkMemory(b *testing.B) {
	eachSize(b, func(b *testing.B, bench *Workbench, n int) {
		items, held := bench.job.rows.Items, 0
		reader := items.Reader()
		for i := range min(n, 2000) {
			held += reader.At(i).Size()
		}
		for b.Loop() {
			items.Bytes()
		}
		b.ReportMetric(float64(items.Bytes())/float64(n), "bytes/row")
		b.ReportMetric(float64(held)/float64(min(n, 2000)), "held/row")
	})
}
