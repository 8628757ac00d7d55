package compare

// Hold sets the maximum number of items in memory.
func (c *Comparison) Hold(items int) { c.limit = items }
