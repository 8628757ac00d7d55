package sdkbench

import (
	"runtime"
	"slices"
	"testing"
	"time"
)

// Compare runs ours and raw, which read so many items, in pairs: one right after
// the other, each first every other time, so that what else the machine does is
// the same for both. Every iteration is so many pairs. x-raw is the median of
// their ratios: ddbdesk's throughput for one of the SDK's.
func Compare(b *testing.B, items, pairs int, ours, raw func() error) {
	b.Helper()
	reads := []func() error{ours, raw}
	timed := func(k int) float64 {
		runtime.GC() // Neither clears up behind the other.
		began := time.Now()
		if err := reads[k](); err != nil {
			b.Fatal(err)
		}
		return time.Since(began).Seconds()
	}
	timed(0)
	timed(1)
	var mine, ratios []float64
	for b.Loop() {
		for i := range pairs {
			var took [2]float64
			for _, k := range []int{i % 2, 1 - i%2} {
				took[k] = timed(k)
			}
			mine, ratios = append(mine, took[0]), append(ratios, took[1]/took[0])
		}
	}
	b.ReportMetric(median(ratios), "x-raw")
	b.ReportMetric(float64(items)/median(mine), "items/s")
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}
