package compare

// Hold limits how many items the comparison holds.
func (c *Comparison) Hold(items int) { c.limit = items }
