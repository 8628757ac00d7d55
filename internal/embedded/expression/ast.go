// Package expression parses, checks and evaluates the languages of the service: conditions, key conditions, projections,
// updates and PartiQL statements, all of which become the same trees. It knows no tables; the store binds trees to them.
package expression

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

// Operator is the kind of a node: an operand, a connective, a comparison or a sum.
type Operator string

// The operators. The name of those of the languages is their spelling.
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

// Node is an operand or a condition. The checks fill in what placeholders stand for, so a tree
// belongs to one request.
type Node struct {
	Op    Operator
	Name  string // the function of a call, the placeholder of a value
	Args  []*Node
	Path  Path
	Value attribute.Value // filled in when placeholders are resolved
}

// Attribute is the operand with the value of an attribute.
func Attribute(name string) *Node { return &Node{Op: OpPath, Path: Path{{Name: name}}} }

// Literal is the operand with a value.
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

// String returns the form that the service uses in messages: [a, b, [0]].
func (p Path) String() string {
	parts := make([]string, len(p))
	for i, s := range p {
		if parts[i] = s.Name; s.isIndex {
			parts[i] = fmt.Sprintf("[%d]", s.index)
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func (p Path) prefixOf(o Path) bool { return len(p) <= len(o) && slices.Equal(p, o[:len(p)]) }

// clause is a section of an update expression.
type clause string

// The sections of an update expression.
const (
	ClauseSet    clause = "SET"
	ClauseRemove clause = "REMOVE"
	ClauseAdd    clause = "ADD"
	ClauseDelete clause = "DELETE"
)

// Action is one change of an update expression. Actions of one expression see the item as it
// was before all of them.
type Action struct {
	Clause clause
	Path   Path
	Value  *Node // nil for REMOVE
}
