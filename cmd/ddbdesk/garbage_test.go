package main

import "testing"

// TestGarbage: little memory is left alone, much is kept tidy.
func TestGarbage(t *testing.T) {
	for _, c := range []struct {
		live uint64
		want int
	}{{0, 400}, {2 << 20, 400}, {8 << 20, 200}, {32 << 20, 50}, {200 << 20, 30}, {4 << 30, 30}} {
		if got := garbageFor(c.live); got != c.want {
			t.Errorf("%d MB alive: %d %%, want %d %%", c.live>>20, got, c.want)
		}
	}
}
