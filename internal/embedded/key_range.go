package embedded

import "strings"

// keyRange checks the conditions against the key schema and returns the range of stored
// keys that they select. Every attribute of the partition key needs an equality. Those of
// the sort key are used from left to right, and only the last one used may have another
// operator.
func (tb *table) keyRange(ix *index, conditions map[string]keyCondition) (keyRange, error) {
	keys, width := tb.keys(ix), ix.partitionWidth()
	if len(conditions) > len(keys) {
		return keyRange{}, invalid("The number of query conditions (%d) exceeds the number of key attributes defined in the schema (%d)",
			len(conditions), len(keys))
	}
	missed := func(k keyAttribute) error { return invalid("Query condition missed key schema element: %s", k.Name) }
	equal, found := item{}, 0
	var without *keyAttribute // the first attribute without a condition
	for i, k := range keys {
		c, ok := conditions[k.Name]
		if !ok {
			if i < width {
				return keyRange{}, missed(k)
			}
			if without == nil {
				without = &k
			}
			continue
		}
		found++
		if err := fits(c, k, i < width); err != nil {
			return keyRange{}, err
		}
		if c.op == opEqual {
			equal[k.Name] = c.values[0]
		}
	}
	if found < len(conditions) {
		return keyRange{}, missed(*without)
	}
	if err := checkSortConditions(keys[width:], conditions); err != nil {
		return keyRange{}, err
	}
	prefix := partition(equal, keys[:width])
	for _, k := range keys[width:] {
		c, ok := conditions[k.Name]
		switch {
		case !ok:
			return prefixRange(prefix), nil
		case c.op != opEqual:
			return rangeWithin(c, prefix), nil
		}
		prefix = appendKeyPart(prefix, c.values[0])
	}
	return prefixRange(prefix), nil
}

// fits checks the values of a condition, and the operator of one on a partition key.
func fits(c keyCondition, k keyAttribute, isPartition bool) error {
	for _, v := range c.values {
		if v.kind != k.Kind {
			return invalidParameter("Condition parameter type does not match schema type")
		}
		if err := checkKeyValue(k, v, isPartition); err != nil {
			return err
		}
	}
	if isPartition && c.op != opEqual {
		return invalid("Query key condition not supported")
	}
	return nil
}

// checkSortConditions rejects a condition on a sort key attribute if an attribute before
// it has no equality.
func checkSortConditions(keys []keyAttribute, conditions map[string]keyCondition) error {
	var loose []string
	for _, k := range keys {
		c, ok := conditions[k.Name]
		if ok && loose != nil {
			return invalid("RANGE key attributes %s must have equality conditions specified in the query "+
				"because a condition is present on key attribute %s", strings.Join(loose, ", "), k.Name)
		}
		if !ok || c.op != opEqual {
			loose = append(loose, k.Name)
		}
	}
	return nil
}

// rangeWithin returns the part of a partition that the sort key condition selects.
func rangeWithin(c keyCondition, prefix []byte) keyRange {
	r := prefixRange(prefix)
	part := func(i int) []byte { return appendKeyPart(append([]byte(nil), prefix...), c.values[i]) }
	switch c.op {
	case opEqual: // used by matches only
		return prefixRange(part(0))
	case opLess:
		r.to = part(0)
	case opLessOrEqual:
		r.to = after(part(0))
	case opGreater:
		r.from = after(part(0))
	case opGreaterOrEqual:
		r.from = part(0)
	case opBetween:
		return keyRange{from: part(0), to: after(part(1))}
	default: // begins_with
		return prefixRange(appendKeyPrefix(append([]byte(nil), prefix...), c.values[0].str))
	}
	return r
}

// matches reports whether a sort key value satisfies the condition.
func matches(c keyCondition, v value) bool {
	prefix := []byte{}
	r := rangeWithin(c, prefix)
	return inRange(appendKeyPart(nil, v), keyRange{to: r.to}, false) && inRange(appendKeyPart(nil, v), r, true)
}
