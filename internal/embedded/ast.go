// The syntax tree shared by all expression languages.

package embedded

import (
	"fmt"
	"strings"
)

// operator is the kind of a node: an operand, a connective, a comparison or a sum.
type operator string

const (
	opPath  operator = "path"
	opValue operator = "value"
	opCall  operator = "call" // expr.name is the function

	opAnd     operator = "AND"
	opOr      operator = "OR"
	opNot     operator = "NOT"
	opBetween operator = "BETWEEN"
	opIn      operator = "IN"
	opEqual   operator = "="
	opOther   operator = "<>"
	opLess    operator = "<"
	opAtMost  operator = "<="
	opMore    operator = ">"
	opAtLeast operator = ">="

	opPlus  operator = "+"
	opMinus operator = "-"
)

// expr is an operand or a condition.
type expr struct {
	op    operator
	name  string // the function of a call, the placeholder of a value
	args  []*expr
	path  path
	value value // filled in when placeholders are resolved
}

// isOperand tells operands from conditions. A call can be either.
func (e *expr) isOperand() bool {
	switch e.op {
	case opPath, opValue, opCall, opPlus, opMinus:
		return true
	default:
		return false
	}
}

// isCondition tells what is true or false. size() passes here and is refused by check.go,
// which has the better message.
func (e *expr) isCondition() bool { return e.op == opCall || !e.isOperand() }

// step is one part of a document path: a name, or an index into a list.
type step struct {
	name    string // as written until resolved: may be a #placeholder
	index   int
	isIndex bool
	isRef   bool
}

// path leads to an attribute or into a list or map.
type path []step

// String is the form the service uses in messages: [a, b, [0]].
func (p path) String() string {
	parts := make([]string, len(p))
	for i, s := range p {
		if parts[i] = s.name; s.isIndex {
			parts[i] = fmt.Sprintf("[%d]", s.index)
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func (p path) equal(o path) bool {
	return len(p) == len(o) && p.prefixOf(o)
}

// prefixOf reports whether o is p or lies below it.
func (p path) prefixOf(o path) bool {
	if len(p) > len(o) {
		return false
	}
	for i := range p {
		if p[i] != o[i] {
			return false
		}
	}
	return true
}

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
