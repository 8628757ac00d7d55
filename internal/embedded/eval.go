package embedded

import (
	"slices"
	"strconv"
	"strings"
)

// of returns the element of a list or the field of a map at one step of a path.
func (s step) of(v value) (value, bool) {
	if s.isIndex {
		if s.index >= len(v.list) {
			return value{}, false
		}
		return v.list[s.index], true
	}
	field, ok := v.fields[s.name]
	return field, ok
}

// of follows a path through maps and lists.
func (p path) of(it item) (v value, ok bool) {
	v, ok = it[p[0].name]
	for _, s := range p[1:] {
		if v, ok = s.of(v); !ok {
			break
		}
	}
	return v, ok
}

// operand returns the value of a path, a literal or size(); ok is false if the item has
// no value there.
func (e *expr) operand(it item) (value, bool) {
	switch e.op {
	case opPath:
		return e.path.of(it)
	case opValue:
		return e.value, true
	default: // size, the only function that can be an operand of a condition
		v, ok := e.args[0].operand(it)
		if !ok {
			return value{}, false
		}
		n, ok := v.length()
		return value{kind: kindN, str: strconv.Itoa(n)}, ok
	}
}

// holds reports whether the item satisfies the condition. A nil condition always holds.
func (e *expr) holds(it item) bool {
	if e == nil {
		return true
	}
	switch e.op {
	case opAnd:
		return e.args[0].holds(it) && e.args[1].holds(it)
	case opOr:
		return e.args[0].holds(it) || e.args[1].holds(it)
	case opNot:
		return !e.args[0].holds(it)
	case opCall:
		return e.callHolds(it)
	default:
		return e.comparisonHolds(it)
	}
}

// comparisonHolds evaluates an operator. A missing value equals nothing and has no
// order.
func (e *expr) comparisonHolds(it item) bool {
	left, ok := e.args[0].operand(it)
	switch e.op {
	case opBetween:
		low, okLow := e.args[1].operand(it)
		high, okHigh := e.args[2].operand(it)
		return ok && okLow && okHigh && ordered(opGreaterOrEqual, left, low) && ordered(opLessOrEqual, left, high)
	case opIn:
		return ok && slices.ContainsFunc(e.args[1:], func(arg *expr) bool {
			right, found := arg.operand(it)
			return found && left.equal(right)
		})
	case opEqual, opNotEqual:
		right, okRight := e.args[1].operand(it)
		return (ok && okRight && left.equal(right)) == (e.op == opEqual)
	default:
		right, okRight := e.args[1].operand(it)
		return ok && okRight && ordered(e.op, left, right)
	}
}

// ordered compares two values; values of different kinds have no order.
func ordered(op operator, left, right value) bool {
	order, ok := left.compare(right)
	if !ok {
		return false
	}
	switch op {
	case opLess:
		return order < 0
	case opLessOrEqual:
		return order <= 0
	case opGreater:
		return order > 0
	default:
		return order >= 0
	}
}

// callHolds evaluates a function. Only attribute_not_exists holds for a missing value.
func (e *expr) callHolds(it item) bool {
	v, ok := e.args[0].operand(it)
	switch e.name {
	case "attribute_exists":
		return ok
	case "attribute_not_exists":
		return !ok
	}
	arg, okArg := e.args[1].operand(it)
	if !ok || !okArg {
		return false
	}
	switch e.name {
	case "attribute_type":
		return v.kind.String() == arg.str
	case "begins_with":
		return v.kind == arg.kind && (v.kind == kindS || v.kind == kindB) && strings.HasPrefix(v.str, arg.str)
	default:
		return v.contains(arg)
	}
}
