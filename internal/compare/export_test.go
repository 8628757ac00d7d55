package compare

// SetLimit sets the maximum number of items in memory.
func (c *Comparison) SetLimit(items int) { c.limit = items }
