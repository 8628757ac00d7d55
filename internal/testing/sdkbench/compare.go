package sdkbench

import (
	"runtime"
	"slices"
	"testing"
	"time"
)

// Compare runs ours and raw, which read the same number of items, in pairs and in alternating
// order, so that other load of the machine affects both. Every iteration runs several pairs.
// The metric x-raw is the median ratio of the throughput of ddbdesk to that of the SDK.
func Compare(b *testing.B, items, pairs int, ours, raw func() error) {
	b.Helper()
	reads := []func() error{ours, raw}
	timed := func(k int) float64 {
		runtime.GC() // Neither collects the garbage of the other.
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
