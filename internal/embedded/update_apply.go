package embedded

import (
	"cmp"
	"slices"
	"strings"
)

// badPath is the error of a path whose parent does not exist or is no list or map.
func badPath() error {
	return invalid("The document path provided in the update expression is invalid for update")
}

// wrongType is the error of a stored value that an action or operator cannot change.
func wrongType() error {
	return invalid("An operand in the update expression has an incorrect data type")
}

// apply returns the item after the actions of an update expression. Right sides are
// evaluated on the item before the update; list indexes are positions before any removal.
func apply(before item, actions []action) (item, error) {
	values := make([]value, len(actions))
	for i, a := range actions {
		if a.value == nil {
			continue
		}
		v, err := a.value.assigned(before)
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	root := value{kind: kindM, fields: before.clone()}
	var removals []path
	for _, c := range []clause{clauseSet, clauseAdd, clauseDelete} {
		for _, i := range inPathOrder(actions, c) {
			emptied, err := actions[i].change(&root, values[i])
			if err != nil {
				return nil, err
			}
			if emptied {
				removals = append(removals, actions[i].path)
			}
		}
	}
	for _, a := range actions {
		if a.clause == clauseRemove {
			removals = append(removals, a.path)
		}
	}
	slices.SortFunc(removals, func(a, b path) int { return comparePaths(b, a) })
	for _, p := range removals {
		if err := p.edit(&root, func(value, bool) (value, bool) { return value{}, false }); err != nil {
			return nil, err
		}
	}
	return root.fields, nil
}

// inPathOrder returns the actions of a clause in an order that appends list elements past
// the end by their indexes.
func inPathOrder(actions []action, c clause) []int {
	var order []int
	for i, a := range actions {
		if a.clause == c {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return comparePaths(actions[i].path, actions[j].path) })
	return order
}

// comparePaths orders paths by name and index, step by step.
func comparePaths(a, b path) int {
	return slices.CompareFunc(a, b, func(s, t step) int {
		return cmp.Or(strings.Compare(s.name, t.name), cmp.Compare(s.index, t.index))
	})
}

// assigned returns the value of the right side of an action.
func (e *expr) assigned(it item) (value, error) {
	switch e.op {
	case opPlus, opMinus:
		return e.arithmetic(it)
	case opCall:
		if e.name == "if_not_exists" {
			other, err := e.args[1].assigned(it) // must exist even if it is not used
			if v, ok := e.args[0].path.of(it); ok && err == nil {
				return v, nil
			}
			return other, err
		}
		return e.joined(it)
	default:
		v, ok := e.operand(it)
		if !ok {
			return value{}, invalid("The provided expression refers to an attribute that does not exist in the item")
		}
		return v, nil
	}
}

// both evaluates two operands, which must be of kind k.
func (e *expr) both(it item, k kind) (left, right value, err error) {
	if left, err = e.args[0].assigned(it); err != nil {
		return left, right, err
	}
	if right, err = e.args[1].assigned(it); err != nil {
		return left, right, err
	}
	if left.kind != k || right.kind != k {
		return left, right, wrongType()
	}
	return left, right, nil
}

// arithmetic returns a sum or difference. Both operands must exist and be numbers.
func (e *expr) arithmetic(it item) (value, error) {
	left, right, err := e.both(it, kindN)
	if err != nil {
		return value{}, err
	}
	if e.op == opMinus {
		return left.minus(right)
	}
	return left.plus(right)
}

// joined returns the result of list_append.
func (e *expr) joined(it item) (value, error) {
	left, right, err := e.both(it, kindL)
	if err != nil {
		return value{}, err
	}
	return value{kind: kindL, list: slices.Concat(left.list, right.list)}, nil
}

// change performs SET, ADD or DELETE. emptied reports that a set has lost its last member.
// The caller removes it after all other actions, which may refer to list positions.
func (a action) change(v *value, operand value) (emptied bool, err error) {
	var failure error
	err = a.path.edit(v, func(old value, exists bool) (value, bool) {
		switch {
		case a.clause == clauseSet:
			return operand.clone(), true
		case exists && old.kind != operand.kind:
			failure = wrongType()
			return old, true
		case a.clause == clauseDelete:
			if !exists {
				return old, false
			}
			old.set = slices.DeleteFunc(slices.Clone(old.set), func(s string) bool { return slices.Contains(operand.set, s) })
			emptied = len(old.set) == 0
			return old, true
		case !exists:
			return operand, true
		case operand.kind == kindL: // AttributeUpdates only
			old.list = slices.Concat(old.list, operand.list)
			return old, true
		case operand.kind == kindN:
			old, failure = old.plus(operand)
			return old, true
		default:
			return setOf(old.kind, slices.Concat(old.set, operand.set)), true
		}
	})
	if err == nil {
		err = failure
	}
	return emptied, err
}

// edit replaces the value at the path with the result of change, or removes it if keep is
// false. All steps but the last must exist.
func (p path) edit(v *value, change func(old value, exists bool) (changed value, keep bool)) error {
	s := p[0]
	if s.isIndex && v.kind != kindL || !s.isIndex && v.kind != kindM {
		return badPath()
	}
	old, exists := s.of(*v)
	if len(p) == 1 {
		changed, keep := change(old, exists)
		s.replace(v, changed, exists, keep)
		return nil
	}
	if !exists {
		return badPath()
	}
	if err := p[1:].edit(&old, change); err != nil {
		return err
	}
	s.replace(v, old, true, true)
	return nil
}

// replace sets the child at a step, or removes it if keep is false. A list index past the
// end appends.
func (s step) replace(v *value, child value, exists, keep bool) {
	switch {
	case !s.isIndex && keep:
		v.fields[s.name] = child
	case !s.isIndex:
		delete(v.fields, s.name)
	case exists && keep:
		v.list[s.index] = child
	case exists:
		v.list = slices.Delete(v.list, s.index, s.index+1)
	case keep:
		v.list = append(v.list, child)
	}
}
