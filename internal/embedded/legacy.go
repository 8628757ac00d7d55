// The legacy parameters preceded expressions: Expected, AttributeUpdates, KeyConditions, QueryFilter, ScanFilter,
// AttributesToGet and ConditionalOperator. The store translates them into expression trees.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/LegacyConditionalParameters.html

package embedded

import (
	"maps"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
	"github.com/ddbdesk/ddbdesk/internal/embedded/expression"
)

// parameter is the name of a request parameter and whether the request contains it.
type parameter struct {
	name    string
	isGiven bool
}

func checkUnmixed(legacy, modern []parameter) error {
	names := func(all []parameter) string {
		var given []string
		for _, p := range all {
			if p.isGiven {
				given = append(given, p.name)
			}
		}
		return strings.Join(given, ", ")
	}
	if old, given := names(legacy), names(modern); old != "" && given != "" {
		return apierror.Invalid("Can not use both expression and non-expression parameters in the same request: "+
			"Non-expression parameters: {%s} Expression parameters: {%s}", old, given)
	}
	return nil
}

// legacyCondition compares one attribute with values. Value and Exists are the short form in Expected.
type legacyCondition struct {
	ComparisonOperator string
	AttributeValueList []attribute.WireValue
	Value              *attribute.WireValue
	Exists             *bool
}

// legacyWrite contains the conditions of a single write.
type legacyWrite struct {
	Expected            map[string]legacyCondition `json:",omitempty"`
	ConditionalOperator string                     `json:",omitempty"`
}

func (l *legacyWrite) expected() (*expression.Node, error) {
	for _, name := range slices.Sorted(maps.Keys(l.Expected)) {
		if err := l.Expected[name].checkExpected(name); err != nil {
			return nil, err
		}
	}
	return joinConditions(l.Expected, l.ConditionalOperator)
}

func (c legacyCondition) checkExpected(name string) error {
	problem := ""
	switch {
	case c.ComparisonOperator != "" && c.Exists != nil:
		problem = "Exists and ComparisonOperator cannot be used together"
	case c.Value != nil && c.AttributeValueList != nil:
		problem = "Value and AttributeValueList cannot be used together"
	case c.ComparisonOperator != "" && c.Value == nil && c.AttributeValueList == nil && legacyOperators[c.ComparisonOperator].minValues > 0:
		problem = "Value or AttributeValueList must be used with ComparisonOperator: " + c.ComparisonOperator
	case c.ComparisonOperator != "":
	case c.AttributeValueList != nil:
		problem = "AttributeValueList can only be used with a ComparisonOperator"
	case c.Value == nil && c.Exists == nil:
		problem = "Value must be provided when Exists is null"
	case c.Value == nil && *c.Exists:
		problem = "Value must be provided when Exists is true"
	case c.Value != nil && c.Exists != nil && !*c.Exists:
		problem = "Value cannot be used when Exists is false"
	}
	if problem != "" {
		return apierror.InvalidParameter("%s for Attribute: %s", problem, name)
	}
	return nil
}

func joinConditions(conditions map[string]legacyCondition, word string) (*expression.Node, error) {
	var c checks
	c.oneOf(word, "conditionalOperator", "OR", "AND")
	if err := c.err(); err != nil {
		return nil, err
	}
	switch {
	case word != "" && conditions == nil:
		return nil, apierror.Invalid("ConditionalOperator cannot be used without Filter or Expected")
	case word != "" && len(conditions) < 2:
		return nil, apierror.Invalid("ConditionalOperator can only be used when Filter or Expected has two or more elements")
	}
	connective := expression.OpAnd
	if word == "OR" {
		connective = expression.OpOr
	}
	var tree *expression.Node
	for _, name := range slices.Sorted(maps.Keys(conditions)) {
		if err := attribute.CheckName(name); err != nil {
			return nil, err
		}
		e, err := conditions[name].tree(name)
		switch {
		case err != nil:
			return nil, err
		case tree == nil:
			tree = e
		default:
			tree = &expression.Node{Op: connective, Args: []*expression.Node{tree, e}}
		}
	}
	return tree, nil
}

// legacyOperator describes a ComparisonOperator.
type legacyOperator struct {
	op                   expression.Operator // equivalent operator in expressions; OpCall means a function
	function             string
	negated              bool
	minValues, maxValues int              // minimum and maximum number of values
	kinds                []attribute.Kind // allowed kinds of values; nil allows all
}

// legacyOperators maps the values of ComparisonOperator to their definitions.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Condition.html
var legacyOperators = map[string]legacyOperator{
	"EQ":           {op: expression.OpEqual, minValues: 1, maxValues: 1},
	"NE":           {op: expression.OpNotEqual, minValues: 1, maxValues: 1},
	"LE":           {op: expression.OpLessOrEqual, minValues: 1, maxValues: 1, kinds: expression.Scalars},
	"LT":           {op: expression.OpLess, minValues: 1, maxValues: 1, kinds: expression.Scalars},
	"GE":           {op: expression.OpGreaterOrEqual, minValues: 1, maxValues: 1, kinds: expression.Scalars},
	"GT":           {op: expression.OpGreater, minValues: 1, maxValues: 1, kinds: expression.Scalars},
	"IN":           {op: expression.OpIn, minValues: 1, maxValues: expression.MaxInOperands, kinds: expression.Scalars},
	"BETWEEN":      {op: expression.OpBetween, minValues: 2, maxValues: 2, kinds: expression.Scalars},
	"NULL":         {op: expression.OpCall, function: "attribute_not_exists"},
	"NOT_NULL":     {op: expression.OpCall, function: "attribute_exists"},
	"CONTAINS":     {op: expression.OpCall, function: "contains", minValues: 1, maxValues: 1, kinds: elements},
	"NOT_CONTAINS": {op: expression.OpCall, function: "contains", negated: true, minValues: 1, maxValues: 1, kinds: elements},
	"BEGINS_WITH": {
		op: expression.OpCall, function: "begins_with", minValues: 1, maxValues: 1,
		kinds: []attribute.Kind{attribute.S, attribute.B},
	},
}

// elements lists the kinds that CONTAINS compares with the elements of a set or list.
var elements = []attribute.Kind{attribute.S, attribute.N, attribute.B, attribute.BOOL, attribute.NULL}

func (c legacyCondition) tree(name string) (*expression.Node, error) {
	word, given := c.ComparisonOperator, c.AttributeValueList
	switch {
	case c.Value != nil:
		given = []attribute.WireValue{*c.Value}
		if word == "" {
			word = "EQ"
		}
	case c.Exists != nil:
		word = "NULL"
	}
	values, err := legacyValues(word, given)
	if err != nil {
		return nil, err
	}
	args := []*expression.Node{expression.Attribute(name)}
	for _, v := range values {
		args = append(args, expression.Literal(v))
	}
	legacy := legacyOperators[word]
	tree := &expression.Node{Op: legacy.op, Name: legacy.function, Args: args}
	if legacy.negated { // an absent attribute satisfies neither the function nor its opposite
		present := expression.Exists(name)
		tree = &expression.Node{Op: expression.OpAnd, Args: []*expression.Node{
			present,
			{Op: expression.OpNot, Args: []*expression.Node{tree}},
		}}
	}
	return tree, nil
}

func legacyValues(word string, given []attribute.WireValue) ([]attribute.Value, error) {
	operator, ok := legacyOperators[word]
	if !ok {
		var c checks
		c.present(word != "", "comparisonOperator")
		c.oneOf(
			word, "comparisonOperator", "IN", "NULL", "BETWEEN", "LT", "NOT_CONTAINS", "EQ", "GT", "NOT_NULL", "NE", "LE",
			"BEGINS_WITH", "GE", "CONTAINS",
		)
		return nil, c.err()
	}
	values := make([]attribute.Value, len(given))
	for i := range given {
		var err error
		if values[i], err = given[i].Value(); err != nil {
			return nil, err
		}
	}
	if len(values) < operator.minValues || len(values) > operator.maxValues {
		return nil, apierror.InvalidParameter("Invalid number of argument(s) for the %s ComparisonOperator", word)
	}
	for _, v := range values {
		if v.Kind != values[0].Kind {
			return nil, apierror.InvalidParameter("AttributeValues inside AttributeValueList must be of same type")
		}
		if operator.kinds != nil && !slices.Contains(operator.kinds, v.Kind) {
			return nil, apierror.InvalidParameter("ComparisonOperator %s is not valid for %s AttributeValue type", word, v.Kind)
		}
	}
	if word == "BETWEEN" {
		if order, _ := values[0].Compare(values[1]); order > 0 {
			return nil, apierror.Invalid("The BETWEEN condition was provided a range where the lower bound is greater than the upper bound")
		}
	}
	return values, nil
}

// attributeUpdate is the change of one attribute in AttributeUpdates.
type attributeUpdate struct {
	Action string
	Value  *attribute.WireValue
}

func attributeUpdates(updates map[string]attributeUpdate) ([]expression.Action, error) {
	var actions []expression.Action
	for _, name := range slices.Sorted(maps.Keys(updates)) {
		a, err := updates[name].action(name)
		if err != nil {
			return nil, err
		}
		actions = append(actions, a)
	}
	return actions, nil
}

func (u attributeUpdate) action(name string) (expression.Action, error) {
	a := expression.Action{Path: expression.Path{{Name: name}}}
	if err := attribute.CheckName(name); err != nil {
		return a, err
	}
	if u.Value == nil {
		a.Clause = expression.ClauseRemove
		if u.Action != "DELETE" {
			return a, apierror.InvalidParameter("Only DELETE action is allowed when no attribute value is specified")
		}
		return a, nil
	}
	v, err := u.Value.Value()
	if err != nil {
		return a, err
	}
	a.Value = expression.Literal(v)
	switch u.Action {
	case "", "PUT":
		a.Clause = expression.ClauseSet
	case "ADD":
		a.Clause = expression.ClauseAdd
		if v.Kind != attribute.N && v.Kind != attribute.L && !v.Kind.IsSet() {
			return a, apierror.InvalidParameter("ADD action is not supported for the type %s", v.Kind)
		}
	case "DELETE":
		a.Clause = expression.ClauseDelete
		if !v.Kind.IsSet() {
			return a, apierror.InvalidParameter("DELETE action with value is not supported for the type %s", v.Kind)
		}
	default:
		var c checks
		c.oneOf(u.Action, "attributeUpdates."+name+".member.action", "ADD", "PUT", "DELETE")
		return a, c.err()
	}
	return a, nil
}

func onlyDeletes(actions []expression.Action) bool {
	return len(actions) > 0 &&
		!slices.ContainsFunc(actions, func(a expression.Action) bool {
			return a.Clause == expression.ClauseSet || a.Clause == expression.ClauseAdd
		})
}

// legacyProjection contains the legacy parameter AttributesToGet.
type legacyProjection struct {
	AttributesToGet []string `json:",omitempty"`
}

func (l *legacyProjection) projection(sc *expression.Scope, modern *string) ([]expression.Path, error) {
	if modern != nil {
		return sc.Projection(*modern)
	}
	if l.AttributesToGet == nil {
		return nil, nil
	}
	if len(l.AttributesToGet) == 0 {
		var c checks
		c.fail("[]", "attributesToGet", "Member must have length greater than or equal to 1")
		return nil, c.err()
	}
	var out []expression.Path
	for i, name := range l.AttributesToGet {
		if err := attribute.CheckName(name); err != nil {
			return nil, err
		}
		if slices.Contains(l.AttributesToGet[:i], name) {
			return nil, apierror.InvalidParameter("Duplicate value in attribute name: %s", name)
		}
		out = append(out, expression.Path{{Name: name}})
	}
	return out, nil
}
