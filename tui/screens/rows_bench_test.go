// This file measures rows: what a key costs however many there are, and how long
// filters and orders take.

package screens

import (
	"runtime"
	"testing"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

const many = 100_000

// BenchmarkSort is what all steps of an order of 100,000 rows take together, off
// the screen's time.
func BenchmarkSort(b *testing.B) {
	r := verifications(b, many)
	for _, key := range []string{"createdAt", "status", "n"} {
		b.Run(key, func(b *testing.B) {
			for b.Loop() {
				sortRows(b, r, key, widget.Descending)
			}
		})
	}
}

// BenchmarkFilterFirst is how long it takes until the first rows are shown.
func BenchmarkFilterFirst(b *testing.B) {
	r := verifications(b, many)
	for _, text := range []string{"ver_0", "status:approved", "createdAt>=-7d", ".n > 100"} {
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				r.setFilter("")
				r.setFilter(text)
				r.took(r.arrange()().(rowsArrangedMsg))
			}
			if r.Len() == 0 {
				b.Fatal("nothing is found")
			}
		})
	}
}

// BenchmarkFilterAll is how long all steps take together.
func BenchmarkFilterAll(b *testing.B) {
	r := verifications(b, many)
	for _, text := range []string{"ver_0", "status:approved", "n>5000", ".n > 100"} {
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				r.setFilter("")
				filterBy(b, r, text)
			}
		})
	}
}

// BenchmarkKey is a key and the frame after it, on rows that are sorted and
// filtered.
func BenchmarkKey(b *testing.B) {
	r := verifications(b, many)
	filterBy(b, r, "status:approved")
	sortRows(b, r, "createdAt", widget.Descending)
	g := widget.NewGrid(r.env.Styles, r.columns()...)
	g.SetSource(markedRows{r})
	g.SetSize(160, 50)
	for b.Loop() {
		g.SetCursor((g.Cursor() + 47) % r.Len())
		_ = g.View()
	}
}

// BenchmarkTake is what the screen's own time has to give for a step.
func BenchmarkTake(b *testing.B) {
	r := verifications(b, many)
	sortRows(b, r, "createdAt", widget.Descending)
	j := &job{rows: r, grid: widget.NewGrid(r.env.Styles, r.columns()...)}
	j.grid.SetSource(markedRows{r})
	msg := rowsArrangedMsg{r.pattern, *r.work}
	for b.Loop() {
		at := j.place()
		r.took(msg)
		j.settle(at)
	}
}

// BenchmarkMemory reports what a row costs beside its item.
func BenchmarkMemory(b *testing.B) {
	for b.Loop() {
		r := verifications(b, many)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		sortRows(b, r, "createdAt", widget.Descending)
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/many, "bytes/row")
		runtime.KeepAlive(r)
	}
}
