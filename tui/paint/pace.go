package paint

import "time"

const (
	// apart is how far frames are from each other in a long row of them: as far as
	// on a fast monitor.
	apart = 8 * time.Millisecond
	// atOnce is how many frames may follow each other at once after some quiet: the
	// key, and the answers that it had within no time.
	atOnce = 3
)

// pace says when the next frame may be drawn. The zero pace draws at once.
type pace struct {
	due time.Time // when the frame would come if all were apart
}

// wait is how long the next frame has to wait at now; not above zero is not at
// all.
func (p *pace) wait(now time.Time) time.Duration {
	return p.due.Add(-(atOnce - 1) * apart).Sub(now)
}

// drawn takes account of a frame that took so long. Where frames are dear, by
// their making or on a slow line, as much time is left to everything else.
func (p *pace) drawn(begun time.Time, took time.Duration) {
	if p.due.Before(begun) {
		p.due = begun
	}
	p.due = p.due.Add(max(apart, 2*took))
}
