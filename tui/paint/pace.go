package paint

import "time"

const (
	// apart is the distance of frames during a burst: that of a fast monitor.
	apart = 8 * time.Millisecond
	// atOnce is the number of frames without a distance after a pause: the key and its
	// immediate results.
	atOnce = 3
)

// A pace decides when the next frame may be drawn. The zero pace draws at once.
type pace struct {
	due time.Time // time of the next frame if all kept their distance
}

func (p *pace) wait(now time.Time) time.Duration {
	return p.due.Add(-(atOnce - 1) * apart).Sub(now)
}

// drawn leaves as much time to everything else as an expensive frame took.
func (p *pace) drawn(begun time.Time, took time.Duration) {
	if p.due.Before(begun) {
		p.due = begun
	}
	p.due = p.due.Add(max(apart, 2*took))
}
