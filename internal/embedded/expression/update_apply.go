package expression

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

func invalidPathError() error {
	return apierror.Invalid("The document path provided in the update expression is invalid for update")
}

func wrongTypeError() error {
	return apierror.Invalid("An operand in the update expression has an incorrect data type")
}

// Apply returns the item after the actions of an update expression. It evaluates right sides on the item before the
// update. List indexes refer to positions before any removal.
func Apply(before attribute.Item, actions []Action) (attribute.Item, error) {
	values := make([]attribute.Value, len(actions))
	for i, a := range actions {
		if a.Value == nil {
			continue
		}
		v, err := a.Value.evaluate(before)
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	root := attribute.Value{Kind: attribute.M, Fields: before.Clone()}
	var removals []Path
	for _, c := range []clause{ClauseSet, ClauseAdd, ClauseDelete} {
		for _, i := range inPathOrder(actions, c) {
			emptied, err := actions[i].change(&root, values[i])
			if err != nil {
				return nil, err
			}
			if emptied {
				removals = append(removals, actions[i].Path)
			}
		}
	}
	for _, a := range actions {
		if a.Clause == ClauseRemove {
			removals = append(removals, a.Path)
		}
	}
	slices.SortFunc(removals, func(a, b Path) int { return comparePaths(b, a) })
	for _, p := range removals {
		if err := p.edit(&root, func(attribute.Value, bool) (attribute.Value, bool) { return attribute.Value{}, false }); err != nil {
			return nil, err
		}
	}
	return root.Fields, nil
}

// inPathOrder orders actions so that they append list elements past the end by their indexes.
func inPathOrder(actions []Action, c clause) []int {
	var order []int
	for i, a := range actions {
		if a.Clause == c {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return comparePaths(actions[i].Path, actions[j].Path) })
	return order
}

func comparePaths(a, b Path) int {
	return slices.CompareFunc(a, b, func(s, t Step) int {
		return cmp.Or(strings.Compare(s.Name, t.Name), cmp.Compare(s.index, t.index))
	})
}

func (e *Node) evaluate(it attribute.Item) (attribute.Value, error) {
	switch e.Op {
	case opPlus, opMinus:
		return e.arithmetic(it)
	case OpCall:
		if e.Name == "if_not_exists" {
			other, err := e.Args[1].evaluate(it) // must exist even if unused
			if v, ok := e.Args[0].Path.valueIn(it); ok && err == nil {
				return v, nil
			}
			return other, err
		}
		return e.listAppend(it)
	default:
		v, ok := e.operand(it)
		if !ok {
			return attribute.Value{}, apierror.Invalid("The provided expression refers to an attribute that does not exist in the item")
		}
		return v, nil
	}
}

func (e *Node) operands(it attribute.Item, k attribute.Kind) (left, right attribute.Value, err error) {
	if left, err = e.Args[0].evaluate(it); err != nil {
		return left, right, err
	}
	if right, err = e.Args[1].evaluate(it); err != nil {
		return left, right, err
	}
	if left.Kind != k || right.Kind != k {
		return left, right, wrongTypeError()
	}
	return left, right, nil
}

func (e *Node) arithmetic(it attribute.Item) (attribute.Value, error) {
	left, right, err := e.operands(it, attribute.N)
	if err != nil {
		return attribute.Value{}, err
	}
	if e.Op == opMinus {
		return left.Minus(right)
	}
	return left.Plus(right)
}

func (e *Node) listAppend(it attribute.Item) (attribute.Value, error) {
	left, right, err := e.operands(it, attribute.L)
	if err != nil {
		return attribute.Value{}, err
	}
	return attribute.Value{Kind: attribute.L, List: slices.Concat(left.List, right.List)}, nil
}

// change sets emptied for a set without members. The caller removes it last, because other actions use positions.
func (a Action) change(v *attribute.Value, operand attribute.Value) (emptied bool, err error) {
	var failure error
	err = a.Path.edit(v, func(old attribute.Value, exists bool) (attribute.Value, bool) {
		switch {
		case a.Clause == ClauseSet:
			return operand.Clone(), true
		case exists && old.Kind != operand.Kind:
			failure = wrongTypeError()
			return old, true
		case a.Clause == ClauseDelete:
			if !exists {
				return old, false
			}
			old.Set = slices.DeleteFunc(slices.Clone(old.Set), func(s string) bool { return slices.Contains(operand.Set, s) })
			emptied = len(old.Set) == 0
			return old, true
		case !exists:
			return operand, true
		case operand.Kind == attribute.L: // AttributeUpdates only
			old.List = slices.Concat(old.List, operand.List)
			return old, true
		case operand.Kind == attribute.N:
			old, failure = old.Plus(operand)
			return old, true
		default:
			return attribute.SetOf(old.Kind, slices.Concat(old.Set, operand.Set)), true
		}
	})
	if err == nil {
		err = failure
	}
	return emptied, err
}

func (p Path) edit(v *attribute.Value, change func(old attribute.Value, exists bool) (changed attribute.Value, keep bool)) error {
	s := p[0]
	if s.isIndex && v.Kind != attribute.L || !s.isIndex && v.Kind != attribute.M {
		return invalidPathError()
	}
	old, exists := s.valueIn(*v)
	if len(p) == 1 {
		changed, keep := change(old, exists)
		s.replace(v, changed, exists, keep)
		return nil
	}
	if !exists {
		return invalidPathError()
	}
	if err := p[1:].edit(&old, change); err != nil {
		return err
	}
	s.replace(v, old, true, true)
	return nil
}

func (s Step) replace(v *attribute.Value, child attribute.Value, exists, keep bool) {
	switch {
	case !s.isIndex && keep:
		v.Fields[s.Name] = child
	case !s.isIndex:
		delete(v.Fields, s.Name)
	case exists && keep:
		v.List[s.index] = child
	case exists:
		v.List = slices.Delete(v.List, s.index, s.index+1)
	case keep:
		v.List = append(v.List, child)
	}
}
