package compare

import "math"

// bounds returns the exact confidence interval of a share of which k of n are known, after Clopper and Pearson: with a
// probability of alpha at most, the share is outside.
func bounds(k, n int, alpha float64) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	high = 1
	if k > 0 {
		low = bisect(func(p float64) bool { return 1-atMost(k-1, n, p) < alpha/2 })
	}
	if k < n {
		high = bisect(func(p float64) bool { return atMost(k, n, p) > alpha/2 })
	}
	return low, high
}

// bisect returns the largest number from 0 to 1 below which something holds.
func bisect(holds func(float64) bool) float64 {
	low, high := 0.0, 1.0
	for range 60 {
		if middle := (low + high) / 2; holds(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// atMost returns the probability of at most k hits in n draws with the chance p.
func atMost(k, n int, p float64) float64 {
	switch {
	case p <= 0:
		return 1
	case p >= 1:
		return 0
	}
	all, _ := math.Lgamma(float64(n + 1))
	sum := 0.0
	for i := range k + 1 {
		hits, _ := math.Lgamma(float64(i + 1))
		misses, _ := math.Lgamma(float64(n - i + 1))
		sum += math.Exp(all - hits - misses + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return min(sum, 1)
}
