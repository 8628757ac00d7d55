package expression

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

func (s Step) valueIn(v attribute.Value) (attribute.Value, bool) {
	if s.isIndex {
		if s.index >= len(v.List) {
			return attribute.Value{}, false
		}
		return v.List[s.index], true
	}
	field, ok := v.Fields[s.Name]
	return field, ok
}

func (p Path) valueIn(it attribute.Item) (v attribute.Value, ok bool) {
	v, ok = it[p[0].Name]
	for _, s := range p[1:] {
		if v, ok = s.valueIn(v); !ok {
			break
		}
	}
	return v, ok
}

func (e *Node) operand(it attribute.Item) (attribute.Value, bool) {
	switch e.Op {
	case OpPath:
		return e.Path.valueIn(it)
	case OpValue:
		return e.Value, true
	default: // size, the only function that can be an operand of a condition
		v, ok := e.Args[0].operand(it)
		if !ok {
			return attribute.Value{}, false
		}
		n, ok := v.Length()
		return attribute.Value{Kind: attribute.N, Str: strconv.Itoa(n)}, ok
	}
}

// Holds reports whether the item satisfies the condition. A nil condition always holds. Evaluation cannot fail, because
// Scope has checked the expression. An item without the attributes does not match.
func (e *Node) Holds(it attribute.Item) bool {
	if e == nil {
		return true
	}
	switch e.Op {
	case OpAnd:
		return e.Args[0].Holds(it) && e.Args[1].Holds(it)
	case OpOr:
		return e.Args[0].Holds(it) || e.Args[1].Holds(it)
	case OpNot:
		return !e.Args[0].Holds(it)
	case OpCall:
		return e.callHolds(it)
	default:
		return e.comparisonHolds(it)
	}
}

func (e *Node) comparisonHolds(it attribute.Item) bool {
	left, ok := e.Args[0].operand(it)
	switch e.Op {
	case OpBetween:
		low, okLow := e.Args[1].operand(it)
		high, okHigh := e.Args[2].operand(it)
		return ok && okLow && okHigh && isOrdered(OpGreaterOrEqual, left, low) && isOrdered(OpLessOrEqual, left, high)
	case OpIn:
		return ok && slices.ContainsFunc(e.Args[1:], func(arg *Node) bool {
			right, found := arg.operand(it)
			return found && left.Equal(right)
		})
	case OpEqual, OpNotEqual:
		right, okRight := e.Args[1].operand(it)
		return (ok && okRight && left.Equal(right)) == (e.Op == OpEqual)
	default:
		right, okRight := e.Args[1].operand(it)
		return ok && okRight && isOrdered(e.Op, left, right)
	}
}

func isOrdered(op Operator, left, right attribute.Value) bool {
	order, ok := left.Compare(right)
	if !ok {
		return false
	}
	switch op {
	case OpLess:
		return order < 0
	case OpLessOrEqual:
		return order <= 0
	case OpGreater:
		return order > 0
	default:
		return order >= 0
	}
}

func (e *Node) callHolds(it attribute.Item) bool {
	v, ok := e.Args[0].operand(it)
	switch e.Name {
	case "attribute_exists":
		return ok
	case "attribute_not_exists":
		return !ok
	}
	arg, okArg := e.Args[1].operand(it)
	if !ok || !okArg {
		return false
	}
	switch e.Name {
	case "attribute_type":
		return v.Kind.String() == arg.Str
	case "begins_with":
		return v.Kind == arg.Kind && (v.Kind == attribute.S || v.Kind == attribute.B) && strings.HasPrefix(v.Str, arg.Str)
	default:
		return v.Contains(arg)
	}
}

// Selection is a tree of selected parts. Without branches, it selects everything.
type Selection struct {
	names   map[string]*Selection
	indexes map[int]*Selection
}

// Select merges paths into one selection.
func Select(paths []Path) *Selection {
	root := &Selection{}
	for _, p := range paths {
		at := root
		for _, s := range p {
			at = at.branch(s)
		}
	}
	return root
}

// SelectNames selects whole attributes.
func SelectNames(names []string) *Selection {
	paths := make([]Path, len(names))
	for i, name := range names {
		paths[i] = Path{{Name: name}}
	}
	return Select(paths)
}

// Has reports whether an attribute is selected, at least in part. A nil selection includes all attributes.
func (s *Selection) Has(name string) bool { return s == nil || s.names[name] != nil }

func (s *Selection) branch(st Step) *Selection {
	if st.isIndex {
		return branchOf(&s.indexes, st.index)
	}
	return branchOf(&s.names, st.Name)
}

func branchOf[K comparable](branches *map[K]*Selection, key K) *Selection {
	if *branches == nil {
		*branches = map[K]*Selection{}
	}
	if (*branches)[key] == nil {
		(*branches)[key] = &Selection{}
	}
	return (*branches)[key]
}

// Project returns the selected part of an item, which shares completely selected parts with the item. A nil selection
// returns the whole item.
func (s *Selection) Project(it attribute.Item) attribute.Item {
	if s == nil {
		return it
	}
	out := make(attribute.Item, len(s.names))
	for name, branch := range s.names {
		if v, ok := it[name]; ok {
			if part, ok := branch.projectValue(v); ok {
				out[name] = part
			}
		}
	}
	return out
}

// projectValue makes selected list elements adjacent, as DynamoDB does.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.ProjectionExpressions.html
func (s *Selection) projectValue(v attribute.Value) (attribute.Value, bool) {
	switch {
	case s.names == nil && s.indexes == nil:
		return v, true
	case v.Kind == attribute.M && s.names != nil:
		v.Fields = s.Project(v.Fields)
		return v, len(v.Fields) > 0
	case v.Kind == attribute.L && s.indexes != nil:
		var list []attribute.Value
		for _, i := range slices.Sorted(maps.Keys(s.indexes)) {
			if i < len(v.List) {
				if part, ok := s.indexes[i].projectValue(v.List[i]); ok {
					list = append(list, part)
				}
			}
		}
		v.List = list
		return v, len(list) > 0
	}
	return attribute.Value{}, false
}
