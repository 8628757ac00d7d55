package expression

import (
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

// StaticKind returns the kind of a literal value or of size(), or 0 if the kind depends on the item. Evaluation
// compares operands of unknown kind, which do not match if their kinds differ.
func (e *Node) StaticKind() attribute.Kind {
	switch {
	case e.Op == OpValue:
		return e.Value.Kind
	case e.Op == OpCall && e.Name == "size":
		return attribute.N
	}
	return 0
}

func wrongOperandError(function, kindName string) error {
	return expressionErrorf("Incorrect operand type for operator or function; operator or function: %s, operand type: %s",
		function, kindName)
}

// Scalars contains the kinds that have an order.
var Scalars = []attribute.Kind{attribute.S, attribute.N, attribute.B}

func checkKinds(name string, args []*Node, allowed []attribute.Kind) error {
	for _, arg := range args {
		if k := arg.StaticKind(); k != 0 && allowed != nil && !slices.Contains(allowed, k) {
			return wrongOperandError(name, k.String())
		}
	}
	return nil
}

func checkOperands(e *Node) error {
	switch e.Op {
	case OpCall:
		return checkCall(e)
	case OpEqual, OpNotEqual:
		return checkDistinct(string(e.Op), e.Args)
	case OpLess, OpLessOrEqual, OpGreater, OpGreaterOrEqual:
		if err := checkDistinct(string(e.Op), e.Args); err != nil {
			return err
		}
		return checkKinds(string(e.Op), e.Args, Scalars)
	case OpBetween:
		return checkBetween(e.Args)
	case OpIn:
		if n := len(e.Args) - 1; n > MaxInOperands {
			return expressionErrorf("The IN operator is provided with too many operands; number of operands: %d", n)
		}
		return checkDistinct("IN", e.Args)
	case opPlus, opMinus:
		return checkKinds(string(e.Op), e.Args, []attribute.Kind{attribute.N})
	default:
		return nil
	}
}

func checkCall(e *Node) error {
	f := functions[e.Name]
	if len(e.Args) != f.operands {
		return expressionErrorf("Incorrect number of operands for operator or function; operator or function: %s, number of operands: %d",
			e.Name, len(e.Args))
	}
	if e.Name != "list_append" {
		if err := checkDistinct(e.Name, e.Args); err != nil {
			return err
		}
	}
	if f.needsPath && e.Args[0].Op != OpPath {
		return expressionErrorf("Operator or function requires a document path; operator or function: %s", e.Name)
	}
	if e.Name == "attribute_type" {
		return checkAttributeType(e.Args[1])
	}
	return checkKinds(e.Name, e.Args, f.kinds)
}

func checkAttributeType(arg *Node) error {
	k := arg.StaticKind()
	if k == 0 {
		return wrongOperandError("attribute_type", "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}")
	}
	if k != attribute.S {
		return wrongOperandError("attribute_type", k.String())
	}
	if !slices.Contains(typeNames, arg.Value.Str) {
		return expressionErrorf("Invalid attribute type name found; type: %s, valid types: {%s}",
			arg.Value.Str, strings.Join(typeNames, ","))
	}
	return nil
}

func checkDistinct(name string, args []*Node) error {
	for _, arg := range args[1:] {
		if args[0].Op == OpPath && arg.Op == OpPath && slices.Equal(args[0].Path, arg.Path) {
			return expressionErrorf("The first operand must be distinct from the remaining operands for this operator or function; "+
				"operator: %s, first operand: %s", name, args[0].Path)
		}
	}
	return nil
}

func checkBetween(args []*Node) error {
	if err := checkDistinct("BETWEEN", args); err != nil {
		return err
	}
	if err := checkKinds("BETWEEN", args, Scalars); err != nil {
		return err
	}
	if args[1].Op != OpValue || args[2].Op != OpValue {
		return nil
	}
	low, high := args[1].Value.Kind, args[2].Value.Kind
	boundsError := func(problem string) error {
		return expressionErrorf("The BETWEEN operator requires %s; lower bound operand: AttributeValue: %s, upper bound operand: "+
			"AttributeValue: %s",
			problem, shortText(args[1].Value), shortText(args[2].Value))
	}
	if low != high {
		return boundsError("same data type for lower and upper bounds")
	}
	if order, ok := args[1].Value.Compare(args[2].Value); ok && order > 0 {
		return boundsError("upper bound to be greater than or equal to lower bound")
	}
	return nil
}

func shortText(v attribute.Value) string { return "{" + v.Kind.String() + ":" + v.Str + "}" }

// longNames contains the type names in messages about ADD and DELETE.
var longNames = map[attribute.Kind]string{
	attribute.S: "STRING", attribute.N: "NUMBER", attribute.B: "BINARY", attribute.BOOL: "BOOLEAN",
	attribute.NULL: "NULL", attribute.L: "LIST", attribute.M: "MAP",
}

func checkActionType(a Action) error {
	if a.Clause != ClauseAdd && a.Clause != ClauseDelete {
		return nil
	}
	k := a.Value.Value.Kind
	if k.IsSet() || k == attribute.N && a.Clause == ClauseAdd {
		return nil
	}
	return expressionErrorf("Incorrect operand type for operator or function; operator: %s, operand type: %s, typeSet: ALLOWED_FOR_%s_OPERAND",
		a.Clause, longNames[k], a.Clause)
}
