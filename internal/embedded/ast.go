package embedded

import (
	"fmt"
	"slices"
	"strings"
)

// operator is the kind of a node: an operand, a connective, a comparison or a sum.
type operator string

const (
	opPath  operator = "path"
	opValue operator = "value"
	opCall  operator = "call" // expr.name is the function

	opAnd            operator = "AND"
	opOr             operator = "OR"
	opNot            operator = "NOT"
	opBetween        operator = "BETWEEN"
	opIn             operator = "IN"
	opEqual          operator = "="
	opNotEqual       operator = "<>"
	opLess           operator = "<"
	opLessOrEqual    operator = "<="
	opGreater        operator = ">"
	opGreaterOrEqual operator = ">="

	opPlus  operator = "+"
	opMinus operator = "-"
)

// isComparison reports whether the operator compares two operands.
func (op operator) isComparison() bool {
	return slices.Contains([]operator{opEqual, opNotEqual, opLess, opLessOrEqual, opGreater, opGreaterOrEqual}, op)
}

// expr is an operand or a condition.
type expr struct {
	op    operator
	name  string // the function of a call, the placeholder of a value
	args  []*expr
	path  path
	value value // filled in when placeholders are resolved
}

// isOperand reports whether the node can be an operand. A call can be an operand
// or a condition.
func (e *expr) isOperand() bool {
	return slices.Contains([]operator{opPath, opValue, opCall, opPlus, opMinus}, e.op)
}

// isCondition reports whether the node can be a condition. A call of size() passes,
// because check.go rejects it with a better message.
func (e *expr) isCondition() bool { return e.op == opCall || !e.isOperand() }

// step is one part of a document path: a name, or an index into a list.
type step struct {
	name    string // as written until resolved: may be a #placeholder
	index   int
	isIndex bool
	isRef   bool
}

// path is a document path: an attribute, or a part of a list or map.
type path []step

// String returns the form that the service uses in messages: [a, b, [0]].
func (p path) String() string {
	parts := make([]string, len(p))
	for i, s := range p {
		if parts[i] = s.name; s.isIndex {
			parts[i] = fmt.Sprintf("[%d]", s.index)
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// prefixOf reports whether o equals p or is nested in it.
func (p path) prefixOf(o path) bool { return len(p) <= len(o) && slices.Equal(p, o[:len(p)]) }

// clause is a section of an update expression.
type clause string

const (
	clauseSet    clause = "SET"
	clauseRemove clause = "REMOVE"
	clauseAdd    clause = "ADD"
	clauseDelete clause = "DELETE"
)

// action is one change of an update expression.
type action struct {
	clause clause
	path   path
	value  *expr // nil for REMOVE
}
