package results

// rowsKept is how many presented rows are kept at least: several screens of them.
const rowsKept = 256

// A rowCache keeps presented rows by the place of their item: those since it was
// last full, and those of the time before.
type rowCache struct{ now, before map[int]*Row }

func (c *rowCache) Find(at int) (*Row, bool) {
	if r, ok := c.now[at]; ok {
		return r, true
	}
	r, ok := c.before[at]
	if ok {
		c.keep(at, r)
	}
	return r, ok
}

func (c *rowCache) keep(at int, r *Row) {
	if c.now == nil || len(c.now) >= rowsKept {
		c.now, c.before = make(map[int]*Row, rowsKept), c.now
	}
	c.now[at] = r
}

func (c *rowCache) Clear() { *c = rowCache{} }
