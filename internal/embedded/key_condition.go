package embedded

import "slices"

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

// conjuncts returns the conditions that a tree connects with AND.
func conjuncts(e *expr) []*expr {
	switch {
	case e == nil:
		return nil
	case e.op == opAnd:
		return append(conjuncts(e.args[0]), conjuncts(e.args[1])...)
	}
	return []*expr{e}
}

// conjoin connects conditions with AND; nil always holds.
func conjoin(conditions []*expr) *expr {
	var tree *expr
	for _, e := range conditions {
		if tree == nil {
			tree = e
		} else {
			tree = &expr{op: opAnd, args: []*expr{tree, e}}
		}
	}
	return tree
}

// keyConditionOf returns a condition as one on a key attribute; ok is false if it is
// another one.
func keyConditionOf(e *expr, k keyAttribute) (c keyCondition, ok bool) {
	found := map[string]keyCondition{}
	if collectKeyConditions(e, found) != nil {
		return keyCondition{}, false
	}
	c, ok = found[k.Name]
	return c, ok
}

// indexOfCondition finds the first condition on a key attribute, or its first equality.
func indexOfCondition(all []*expr, k keyAttribute, equality bool) int {
	return slices.IndexFunc(all, func(e *expr) bool {
		c, ok := keyConditionOf(e, k)
		return ok && (!equality || c.op == opEqual)
	})
}

// splitKeys takes the key conditions out of a WHERE: one for each attribute of the partition
// key and, from left to right, of the sort key, of which only the last may be no equality.
// The rest is a filter. Without an equality on the whole partition key, everything is.
func splitKeys(where *expr, keys []keyAttribute, width int) (conditions map[string]keyCondition, filter *expr, err error) {
	all := conjuncts(where)
	conditions = map[string]keyCondition{}
	used := make([]bool, len(all))
	for i, k := range keys {
		at := indexOfCondition(all, k, true)
		if at < 0 && i >= width {
			at = indexOfCondition(all, k, false)
		}
		if at < 0 {
			if i < width {
				return nil, where, nil
			}
			break
		}
		c, _ := keyConditionOf(all[at], k)
		for _, v := range c.values {
			if v.kind != k.Kind {
				return nil, nil, invalid("Key attribute's data type should match its data type in table's schema: Key %s", k.Name)
			}
		}
		conditions[k.Name], used[at] = c, true
		if c.op != opEqual {
			break
		}
	}
	var rest []*expr
	for i, e := range all {
		if !used[i] {
			rest = append(rest, e)
		}
	}
	return conditions, conjoin(rest), nil
}
