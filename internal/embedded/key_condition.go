// Key conditions: from an expression to the range of stored keys it selects.

package embedded

// keyCondition is a condition on one key attribute, the attribute on the left.
type keyCondition struct {
	op     operator // opCall is begins_with
	values []value
}

var mirrored = map[operator]operator{
	opEqual: opEqual, opLess: opMore, opAtMost: opAtLeast, opMore: opLess, opAtLeast: opAtMost,
}

// keyConditions takes a key condition expression apart, by attribute.
func keyConditions(e *expr) (map[string]keyCondition, error) {
	out := map[string]keyCondition{}
	if err := collectKeyConditions(e, out); err != nil {
		return nil, err
	}
	if len(out) > 2 {
		return nil, invalid("Conditions can be of length 1 or 2 only")
	}
	return out, nil
}

// collectKeyConditions descends through AND, the only connective there is.
func collectKeyConditions(e *expr, out map[string]keyCondition) error {
	switch e.op {
	case opAnd:
		if err := collectKeyConditions(e.args[0], out); err != nil {
			return err
		}
		return collectKeyConditions(e.args[1], out)
	case opOr, opNot, opIn, opOther:
		return invalid("Invalid operator used in KeyConditionExpression: %s", e.op)
	case opCall:
		if e.name != "begins_with" {
			return invalid("Invalid operator used in KeyConditionExpression: %s", e.name)
		}
		return addKeyCondition(e, out)
	default:
		return addKeyCondition(e, out)
	}
}

// addKeyCondition adds one comparison, turned so that the attribute is on the left.
func addKeyCondition(e *expr, out map[string]keyCondition) error {
	word := string(e.op)
	if e.op == opCall {
		word = e.name
	}
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
			return invalid("KeyConditionExpressions cannot have conditions on nested attributes")
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
		return invalid("KeyConditionExpressions must only contain one condition per key")
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

// keyRange checks the conditions against the key schema and returns the keys they select.
func (tb *table) keyRange(ix *index, conditions map[string]keyCondition) (keyRange, error) {
	keys := tb.keys(ix)
	if len(keys) == 1 && len(conditions) > 1 {
		return keyRange{}, invalid("Query key condition not supported")
	}
	for i, k := range keys {
		c, ok := conditions[k.Name]
		if !ok {
			if i == 0 || len(conditions) > 1 {
				return keyRange{}, invalid("Query condition missed key schema element: %s", k.Name)
			}
			continue
		}
		for _, v := range c.values {
			if v.kind != k.Kind {
				return keyRange{}, invalidParameter("Condition parameter type does not match schema type")
			}
			if err := checkKeyValue(k, v, i == 0); err != nil {
				return keyRange{}, err
			}
		}
		if i == 0 && c.op != opEqual {
			return keyRange{}, invalid("Query key condition not supported")
		}
	}
	prefix := partition(conditions[keys[0].Name].values[0])
	if len(keys) == 1 {
		return prefixRange(prefix), nil
	}
	c, ok := conditions[keys[1].Name]
	if !ok {
		return prefixRange(prefix), nil
	}
	return c.rangeWithin(prefix), nil
}

// rangeWithin is the part of a partition that the sort key condition selects.
func (c keyCondition) rangeWithin(prefix []byte) keyRange {
	r := prefixRange(prefix)
	part := func(i int) []byte { return appendKeyPart(append([]byte(nil), prefix...), c.values[i]) }
	switch c.op {
	case opEqual:
		return prefixRange(part(0))
	case opLess:
		r.to = part(0)
	case opAtMost:
		r.to = after(part(0))
	case opMore:
		r.from = after(part(0))
	case opAtLeast:
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
