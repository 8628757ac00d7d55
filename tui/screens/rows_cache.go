package screens

import ()

// rowsKept is how many presented rows are kept at least: several screens of them.
const rowsKept = 256

// A rowCache keeps presented rows by the place of their item: those since it was
// last full, and those of the time before.
type rowCache struct{ now, before map[int]*row }

func (c *rowCache) find(at int) (*row, bool) {
	if r, ok := c.now[at]; ok {
		return r, true
	}
	r, ok := c.before[at]
	if ok {
		c.keep(at, r)
	}
	return r, ok
}

func (c *rowCache) keep(at int, r *row) {
	if c.now == nil || len(c.now) >= rowsKept {
		c.now, c.before = make(map[int]*row, rowsKept), c.now
	}
	c.now[at] = r
}

func (c *rowCache) clear() { *c = rowCache{} }
