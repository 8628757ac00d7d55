// Package expression parses, checks and evaluates DynamoDB's languages: conditions, key conditions, projections,
// updates and PartiQL statements, all as the same kind of tree. It does not depend on tables; the store binds trees to
// them.
package expression

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

// Operator is the kind of a node: an operand, a connective, a comparison or a sum.
type Operator string

// These are the operators. The value of each operator is its spelling in the languages, if it has one.
const (
	OpPath  Operator = "path"
	OpValue Operator = "value"
	OpCall  Operator = "call" // Node.Name is the function

	OpAnd            Operator = "AND"
	OpOr             Operator = "OR"
	OpNot            Operator = "NOT"
	OpBetween        Operator = "BETWEEN"
	OpIn             Operator = "IN"
	OpEqual          Operator = "="
	OpNotEqual       Operator = "<>"
	OpLess           Operator = "<"
	OpLessOrEqual    Operator = "<="
	OpGreater        Operator = ">"
	OpGreaterOrEqual Operator = ">="

	opPlus  Operator = "+"
	opMinus Operator = "-"
)

func (op Operator) isComparison() bool {
	return slices.Contains([]Operator{OpEqual, OpNotEqual, OpLess, OpLessOrEqual, OpGreater, OpGreaterOrEqual}, op)
}

// Node is an operand or a condition. The checks resolve its placeholders in place, so a tree belongs to one request.
type Node struct {
	Op    Operator
	Name  string // function of a call, or placeholder of a value
	Args  []*Node
	Path  Path
	Value attribute.Value // set after Scope resolves placeholders
}

// Attribute returns an operand for an attribute's value.
func Attribute(name string) *Node { return &Node{Op: OpPath, Path: Path{{Name: name}}} }

// Literal returns an operand with a fixed value.
func Literal(v attribute.Value) *Node { return &Node{Op: OpValue, Value: v} }

func (e *Node) isOperand() bool {
	return slices.Contains([]Operator{OpPath, OpValue, OpCall, opPlus, opMinus}, e.Op)
}

func (e *Node) isCondition() bool { return e.Op == OpCall || !e.isOperand() }

// Step is one part of a document path: a name, or an index into a list.
type Step struct {
	Name    string // as written until resolved: may be a #placeholder
	index   int
	isIndex bool
	isRef   bool
}

// Path is a document path: an attribute, or a part of a list or map.
type Path []Step

// String returns the form in DynamoDB's messages: [a, b, [0]].
func (p Path) String() string {
	parts := make([]string, len(p))
	for i, s := range p {
		if parts[i] = s.Name; s.isIndex {
			parts[i] = fmt.Sprintf("[%d]", s.index)
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func (p Path) isPrefixOf(o Path) bool { return len(p) <= len(o) && slices.Equal(p, o[:len(p)]) }

// clause is a section of an update expression.
type clause string

// These are the sections of an update expression.
const (
	ClauseSet    clause = "SET"
	ClauseRemove clause = "REMOVE"
	ClauseAdd    clause = "ADD"
	ClauseDelete clause = "DELETE"
)

// Action is one change of an update expression. All actions of an expression operate on the item before the update.
type Action struct {
	Clause clause
	Path   Path
	Value  *Node // nil for REMOVE
}
