package embedded

import "strings"

// keyCondition is a condition on one key attribute, with the attribute on the left.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Query.KeyConditionExpressions.html
type keyCondition struct {
	op     operator // opCall is begins_with
	values []value
}

// mirrored are the operators after an exchange of their operands.
var mirrored = map[operator]operator{
	opEqual: opEqual, opLess: opGreater, opLessOrEqual: opGreaterOrEqual, opGreater: opLess, opGreaterOrEqual: opLessOrEqual,
}

// collectKeyConditions adds the conditions of a key condition expression to out, by attribute.
// AND is the only connective allowed.
func collectKeyConditions(e *expr, out map[string]keyCondition) error {
	word := string(e.op)
	if e.op == opCall {
		word = e.name
	}
	switch {
	case e.op == opAnd:
		if err := collectKeyConditions(e.args[0], out); err != nil {
			return err
		}
		return collectKeyConditions(e.args[1], out)
	case e.op == opOr, e.op == opNot, e.op == opIn, e.op == opNotEqual, e.op == opCall && e.name != "begins_with":
		return invalid("Invalid operator used in KeyConditionExpression: %s", word)
	}
	return addKeyCondition(e, word, out)
}

// addKeyCondition adds one comparison, mirrored if the attribute is not on the left.
func addKeyCondition(e *expr, word string, out map[string]keyCondition) error {
	name, at := "", -1
	for i, arg := range e.args {
		switch {
		case arg.op == opCall:
			return invalid("KeyConditionExpressions cannot contain nested operations")
		case arg.op != opPath:
			continue
		case at >= 0:
			return invalid("Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition")
		case len(arg.path) > 1:
			return invalid("Invalid KeyConditionExpression: KeyConditionExpressions cannot have conditions on nested attributes")
		}
		name, at = arg.path[0].name, i
	}
	if at < 0 {
		return invalid("Invalid condition in KeyConditionExpression: No key attribute specified")
	}
	if at > 0 && (e.op == opBetween || e.op == opCall) {
		return invalid("Invalid condition in KeyConditionExpression: %s operator must have the key attribute as its first operand", word)
	}
	if _, again := out[name]; again {
		return invalid("Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key")
	}
	c := keyCondition{op: e.op}
	if at > 0 {
		c.op = mirrored[e.op]
	}
	for i, arg := range e.args {
		if i != at {
			c.values = append(c.values, arg.value)
		}
	}
	out[name] = c
	return nil
}

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
		if err := c.fits(k, i < width); err != nil {
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
			return c.rangeWithin(prefix), nil
		}
		prefix = appendKeyPart(prefix, c.values[0])
	}
	return prefixRange(prefix), nil
}

// fits checks the values of a condition, and the operator of one on a partition key.
func (c keyCondition) fits(k keyAttribute, isPartition bool) error {
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
func (c keyCondition) rangeWithin(prefix []byte) keyRange {
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
func (c keyCondition) matches(v value) bool {
	prefix := []byte{}
	r := c.rangeWithin(prefix)
	return inRange(appendKeyPart(nil, v), keyRange{to: r.to}, false) && inRange(appendKeyPart(nil, v), r, true)
}
