package compare

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The expected values are those of the tables of Clopper and Pearson.
func TestBoundsAreThoseOfTheTables(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		k, n      int
		low, high float64
	}{
		{0, 0, 0, 1},
		{0, 1, 0, 0.975},
		{1, 1, 0.025, 1},
		{0, 100, 0, 0.03622},
		{5, 100, 0.01643, 0.11283},
		{50, 100, 0.39832, 0.60168},
		{100, 100, 0.96378, 1},
		{0, 100_000, 0, 0.0000369},
	} {
		low, high := bounds(tt.k, tt.n, 0.05)
		if math.Abs(low-tt.low) > 0.00001 || math.Abs(high-tt.high) > 0.00001 {
			t.Errorf("%d of %d: %f to %f, want %f to %f", tt.k, tt.n, low, high, tt.low, tt.high)
		}
	}
}

// The true share is within the bounds at least as often as they promise.
func TestBoundsHoldAsOftenAsTheyPromise(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	const runs, n = 400, 300
	type pair struct{ low, high float64 }
	of := make([]*pair, n+1) // the bounds of each count, once
	for _, share := range []float64{0.001, 0.02, 0.3, 0.97} {
		held := 0
		for range runs {
			k := 0
			for range n {
				if random.Float64() < share {
					k++
				}
			}
			if of[k] == nil {
				low, high := bounds(k, n, 1-Confidence)
				of[k] = &pair{low, high}
			}
			if of[k].low <= share && share <= of[k].high {
				held++
			}
		}
		if got := float64(held) / runs; got < Confidence-0.02 {
			t.Errorf("share %g: held in %g of the runs", share, got)
		}
	}
}
