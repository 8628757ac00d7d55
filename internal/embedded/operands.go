package embedded

import (
	"slices"
	"strings"
)

// staticKind returns the kind of a literal value or of size(), 0 if it depends on the
// item.
func (e *expr) staticKind() kind {
	switch {
	case e.op == opValue:
		return e.value.kind
	case e.op == opCall && e.name == "size":
		return kindN
	}
	return 0
}

// wrongOperand is the error of a literal whose kind an operator or function does not accept.
func wrongOperand(function, kindName string) error {
	return complain("Incorrect operand type for operator or function; operator or function: %s, operand type: %s",
		function, kindName)
}

// scalars are the kinds that have an order.
var scalars = []kind{kindS, kindN, kindB}

// checkKinds rejects literals of other kinds; nil allows all.
func checkKinds(name string, args []*expr, allowed []kind) error {
	for _, arg := range args {
		if k := arg.staticKind(); k != 0 && allowed != nil && !slices.Contains(allowed, k) {
			return wrongOperand(name, k.String())
		}
	}
	return nil
}

// checkOperands checks the operands of one node, as far as they do not depend on an item.
// The arguments have been checked already.
func checkOperands(e *expr) error {
	switch e.op {
	case opCall:
		return checkCall(e)
	case opEqual, opNotEqual:
		return checkDistinct(string(e.op), e.args)
	case opLess, opLessOrEqual, opGreater, opGreaterOrEqual:
		if err := checkDistinct(string(e.op), e.args); err != nil {
			return err
		}
		return checkKinds(string(e.op), e.args, scalars)
	case opBetween:
		return checkBetween(e.args)
	case opIn:
		if n := len(e.args) - 1; n > maxInOperands {
			return complain("The IN operator is provided with too many operands; number of operands: %d", n)
		}
		return checkDistinct("IN", e.args)
	case opPlus, opMinus:
		return checkKinds(string(e.op), e.args, []kind{kindN})
	default:
		return nil
	}
}

// checkCall checks the number and the kinds of a function's operands.
func checkCall(e *expr) error {
	f := functions[e.name]
	if len(e.args) != f.operands {
		return complain("Incorrect number of operands for operator or function; operator or function: %s, number of operands: %d",
			e.name, len(e.args))
	}
	if e.name != "list_append" {
		if err := checkDistinct(e.name, e.args); err != nil {
			return err
		}
	}
	if f.needsPath && e.args[0].op != opPath {
		return complain("Operator or function requires a document path; operator or function: %s", e.name)
	}
	if e.name == "attribute_type" {
		return checkAttributeType(e.args[1])
	}
	return checkKinds(e.name, e.args, f.kinds)
}

// checkAttributeType checks the second operand of attribute_type: a literal with the name of a
// type.
func checkAttributeType(arg *expr) error {
	k := arg.staticKind()
	if k == 0 {
		return wrongOperand("attribute_type", "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}")
	}
	if k != kindS {
		return wrongOperand("attribute_type", k.String())
	}
	if !slices.Contains(typeNames, arg.value.str) {
		return complain("Invalid attribute type name found; type: %s, valid types: {%s}",
			arg.value.str, strings.Join(typeNames, ","))
	}
	return nil
}

// checkDistinct rejects a comparison of a path with itself.
func checkDistinct(name string, args []*expr) error {
	for _, arg := range args[1:] {
		if args[0].op == opPath && arg.op == opPath && slices.Equal(args[0].path, arg.path) {
			return complain("The first operand must be distinct from the remaining operands for this operator or function; "+
				"operator: %s, first operand: %s", name, args[0].path)
		}
	}
	return nil
}

// checkBetween checks the bounds of BETWEEN: both of one ordered kind, the lower first.
func checkBetween(args []*expr) error {
	if err := checkDistinct("BETWEEN", args); err != nil {
		return err
	}
	if err := checkKinds("BETWEEN", args, scalars); err != nil {
		return err
	}
	if args[1].op != opValue || args[2].op != opValue {
		return nil
	}
	low, high := args[1].value.kind, args[2].value.kind
	bounds := func(problem string) error {
		return complain("The BETWEEN operator requires %s; lower bound operand: AttributeValue: %s, upper bound operand: "+
			"AttributeValue: %s",
			problem, brief(args[1].value), brief(args[2].value))
	}
	if low != high {
		return bounds("same data type for lower and upper bounds")
	}
	if order, ok := args[1].value.compare(args[2].value); ok && order > 0 {
		return bounds("upper bound to be greater than or equal to lower bound")
	}
	return nil
}

// brief returns a value in the form of messages: {S:text}.
func brief(v value) string { return "{" + v.kind.String() + ":" + v.str + "}" }

// longNames are the type names in messages about ADD and DELETE.
var longNames = map[kind]string{
	kindS: "STRING", kindN: "NUMBER", kindB: "BINARY", kindBOOL: "BOOLEAN",
	kindNULL: "NULL", kindL: "LIST", kindM: "MAP",
}

// checkActionType checks the operand of ADD, a number or a set, and of DELETE, a set.
func checkActionType(a action) error {
	if a.clause != clauseAdd && a.clause != clauseDelete {
		return nil
	}
	k := a.value.value.kind
	if k.isSet() || k == kindN && a.clause == clauseAdd {
		return nil
	}
	return complain("Incorrect operand type for operator or function; operator: %s, operand type: %s, typeSet: ALLOWED_FOR_%s_OPERAND",
		a.clause, longNames[k], a.clause)
}
