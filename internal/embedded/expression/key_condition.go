package expression

import (
	"slices"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

// KeyCondition is a condition on one key attribute, with the attribute on the left.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Query.KeyConditionExpressions.html
type KeyCondition struct {
	Op     Operator // OpCall means begins_with
	Values []attribute.Value
}

// mirrored maps each operator to the equivalent one for swapped operands.
var mirrored = map[Operator]Operator{
	OpEqual: OpEqual, OpLess: OpGreater, OpLessOrEqual: OpGreaterOrEqual, OpGreater: OpLess, OpGreaterOrEqual: OpLessOrEqual,
}

// KeyConditions adds the conditions of a key condition expression to out, by attribute. It allows no connective except
// AND. The caller checks whether the attributes belong to a key of the table.
func KeyConditions(e *Node, out map[string]KeyCondition) error {
	word := string(e.Op)
	if e.Op == OpCall {
		word = e.Name
	}
	switch {
	case e.Op == OpAnd:
		if err := KeyConditions(e.Args[0], out); err != nil {
			return err
		}
		return KeyConditions(e.Args[1], out)
	case e.Op == OpOr, e.Op == OpNot, e.Op == OpIn, e.Op == OpNotEqual, e.Op == OpCall && e.Name != "begins_with":
		return apierror.Invalid("Invalid operator used in KeyConditionExpression: %s", word)
	}
	return addKeyCondition(e, word, out)
}

func addKeyCondition(e *Node, word string, out map[string]KeyCondition) error {
	name, at := "", -1
	for i, arg := range e.Args {
		switch {
		case arg.Op == OpCall:
			return apierror.Invalid("KeyConditionExpressions cannot contain nested operations")
		case arg.Op != OpPath:
			continue
		case at >= 0:
			return apierror.Invalid("Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition")
		case len(arg.Path) > 1:
			return apierror.Invalid("Invalid KeyConditionExpression: KeyConditionExpressions cannot have conditions on nested attributes")
		}
		name, at = arg.Path[0].Name, i
	}
	if at < 0 {
		return apierror.Invalid("Invalid condition in KeyConditionExpression: No key attribute specified")
	}
	if at > 0 && (e.Op == OpBetween || e.Op == OpCall) {
		return apierror.Invalid("Invalid condition in KeyConditionExpression: %s operator must have the key attribute as its first operand", word)
	}
	if _, duplicate := out[name]; duplicate {
		return apierror.Invalid("Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key")
	}
	c := KeyCondition{Op: e.Op}
	if at > 0 {
		c.Op = mirrored[e.Op]
	}
	for i, arg := range e.Args {
		if i != at {
			c.Values = append(c.Values, arg.Value)
		}
	}
	out[name] = c
	return nil
}

// Exists returns the condition that an item has an attribute.
func Exists(name string) *Node {
	return &Node{Op: OpCall, Name: "attribute_exists", Args: []*Node{Attribute(name)}}
}

// Conjuncts returns the conditions that a tree connects with AND.
func Conjuncts(e *Node) []*Node {
	switch {
	case e == nil:
		return nil
	case e.Op == OpAnd:
		return append(Conjuncts(e.Args[0]), Conjuncts(e.Args[1])...)
	}
	return []*Node{e}
}

// Conjoin connects conditions with AND. For an empty list, it returns nil, which always holds. It is the inverse of
// Conjuncts.
func Conjoin(conditions []*Node) *Node {
	var tree *Node
	for _, e := range conditions {
		if tree == nil {
			tree = e
		} else {
			tree = &Node{Op: OpAnd, Args: []*Node{tree, e}}
		}
	}
	return tree
}

// KeyConditionOn converts a condition to a condition on the key attribute. ok is false if the condition is not on k.
func KeyConditionOn(e *Node, k attribute.Key) (c KeyCondition, ok bool) {
	found := map[string]KeyCondition{}
	if KeyConditions(e, found) != nil {
		return KeyCondition{}, false
	}
	c, ok = found[k.Name]
	return c, ok
}

func indexOfCondition(all []*Node, k attribute.Key, equalityOnly bool) int {
	return slices.IndexFunc(all, func(e *Node) bool {
		c, ok := KeyConditionOn(e, k)
		return ok && (!equalityOnly || c.Op == OpEqual)
	})
}

// SplitKeys extracts the key conditions from a WHERE clause: one for each attribute of the partition key and, from left
// to right, of the sort key. All except the last one must be equalities. The remaining conditions form the filter.
// Without an equality on the whole partition key, conditions is nil, the filter contains everything and the statement
// scans. keys are the attributes of the key in order, and width is the number of attributes in the partition key.
func SplitKeys(where *Node, keys []attribute.Key, width int) (conditions map[string]KeyCondition, filter *Node, err error) {
	all := Conjuncts(where)
	conditions = map[string]KeyCondition{}
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
		c, _ := KeyConditionOn(all[at], k)
		for _, v := range c.Values {
			if v.Kind != k.Kind {
				return nil, nil, apierror.Invalid("Key attribute's data type should match its data type in table's schema: Key %s", k.Name)
			}
		}
		conditions[k.Name], used[at] = c, true
		if c.Op != OpEqual {
			break
		}
	}
	var rest []*Node
	for i, e := range all {
		if !used[i] {
			rest = append(rest, e)
		}
	}
	return conditions, Conjoin(rest), nil
}
