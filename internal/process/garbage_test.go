package process

import "testing"

func TestGCPercentFallsAsTheHeapGrows(t *testing.T) {
	for _, c := range []struct {
		live uint64
		want int
	}{{0, 400}, {2 << 20, 400}, {8 << 20, 100}, {16 << 20, 50}, {32 << 20, 30}, {200 << 20, 30}, {4 << 30, 30}} {
		if got := gcPercent(c.live); got != c.want {
			t.Errorf("%d MB live: %d %%, want %d %%", c.live>>20, got, c.want)
		}
	}
}
