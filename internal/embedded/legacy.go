// The legacy parameters that expressions replaced: Expected, AttributeUpdates,
// KeyConditions, QueryFilter, ScanFilter, AttributesToGet, ConditionalOperator. They are
// translated into the trees of expressions and evaluated like these.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/LegacyConditionalParameters.html

package embedded

import (
	"maps"
	"slices"
	"strings"
)

// parameter is a parameter of a request and whether it was given.
type parameter struct {
	name  string
	given bool
}

// unmixed rejects a request that uses legacy and modern parameters.
func unmixed(legacy, modern []parameter) error {
	names := func(all []parameter) string {
		var given []string
		for _, p := range all {
			if p.given {
				given = append(given, p.name)
			}
		}
		return strings.Join(given, ", ")
	}
	if old, given := names(legacy), names(modern); old != "" && given != "" {
		return invalid("Can not use both expression and non-expression parameters in the same request: "+
			"Non-expression parameters: {%s} Expression parameters: {%s}", old, given)
	}
	return nil
}

// legacyCondition compares one attribute with values. Value and Exists are the short form
// in Expected.
type legacyCondition struct {
	ComparisonOperator string
	AttributeValueList []wireValue
	Value              *wireValue
	Exists             *bool
}

// legacyWrite are the conditions of a single write.
type legacyWrite struct {
	Expected            map[string]legacyCondition `json:",omitempty"`
	ConditionalOperator string                     `json:",omitempty"`
}

// expected returns the condition of Expected, or nil.
func (l *legacyWrite) expected() (*expr, error) {
	for _, name := range slices.Sorted(maps.Keys(l.Expected)) {
		if err := l.Expected[name].checkExpected(name); err != nil {
			return nil, err
		}
	}
	return joined(l.Expected, l.ConditionalOperator)
}

// checkExpected rejects combinations of the short form and the long form.
func (c legacyCondition) checkExpected(name string) error {
	problem := ""
	switch {
	case c.ComparisonOperator != "" && c.Exists != nil:
		problem = "Exists and ComparisonOperator cannot be used together"
	case c.Value != nil && c.AttributeValueList != nil:
		problem = "Value and AttributeValueList cannot be used together"
	case c.ComparisonOperator != "" && c.Value == nil && c.AttributeValueList == nil && legacyOperators[c.ComparisonOperator].least > 0:
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
		return invalidParameter("%s for Attribute: %s", problem, name)
	}
	return nil
}

// joined returns one tree of the conditions on several attributes, ordered by name.
func joined(conditions map[string]legacyCondition, word string) (*expr, error) {
	var c checks
	c.oneOf(word, "conditionalOperator", "OR", "AND")
	if err := c.err(); err != nil {
		return nil, err
	}
	switch {
	case word != "" && conditions == nil:
		return nil, invalid("ConditionalOperator cannot be used without Filter or Expected")
	case word != "" && len(conditions) < 2:
		return nil, invalid("ConditionalOperator can only be used when Filter or Expected has two or more elements")
	}
	connective := opAnd
	if word == "OR" {
		connective = opOr
	}
	var tree *expr
	for _, name := range slices.Sorted(maps.Keys(conditions)) {
		if err := checkName(name); err != nil {
			return nil, err
		}
		e, err := conditions[name].tree(name)
		switch {
		case err != nil:
			return nil, err
		case tree == nil:
			tree = e
		default:
			tree = &expr{op: connective, args: []*expr{tree, e}}
		}
	}
	return tree, nil
}

// legacyOperator describes a ComparisonOperator.
type legacyOperator struct {
	op          operator // the same operator in expressions; opCall is a function
	function    string
	negated     bool
	least, most int    // values
	kinds       []kind // of the values; nil allows all
}

// legacyOperators are the values of ComparisonOperator.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Condition.html
var legacyOperators = map[string]legacyOperator{
	"EQ":           {op: opEqual, least: 1, most: 1},
	"NE":           {op: opNotEqual, least: 1, most: 1},
	"LE":           {op: opLessOrEqual, least: 1, most: 1, kinds: scalars},
	"LT":           {op: opLess, least: 1, most: 1, kinds: scalars},
	"GE":           {op: opGreaterOrEqual, least: 1, most: 1, kinds: scalars},
	"GT":           {op: opGreater, least: 1, most: 1, kinds: scalars},
	"IN":           {op: opIn, least: 1, most: maxInOperands, kinds: scalars},
	"BETWEEN":      {op: opBetween, least: 2, most: 2, kinds: scalars},
	"NULL":         {op: opCall, function: "attribute_not_exists"},
	"NOT_NULL":     {op: opCall, function: "attribute_exists"},
	"CONTAINS":     {op: opCall, function: "contains", least: 1, most: 1, kinds: elements},
	"NOT_CONTAINS": {op: opCall, function: "contains", negated: true, least: 1, most: 1, kinds: elements},
	"BEGINS_WITH":  {op: opCall, function: "begins_with", least: 1, most: 1, kinds: []kind{kindS, kindB}},
}

// elements are the kinds that CONTAINS compares with the elements of a set or list.
var elements = []kind{kindS, kindN, kindB, kindBOOL, kindNULL}

// tree returns the condition on the attribute as the tree of an expression.
func (c legacyCondition) tree(name string) (*expr, error) {
	word, given := c.ComparisonOperator, c.AttributeValueList
	switch {
	case c.Value != nil:
		given = []wireValue{*c.Value}
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
	args := []*expr{{op: opPath, path: path{{name: name}}}}
	for _, v := range values {
		args = append(args, &expr{op: opValue, value: v})
	}
	legacy := legacyOperators[word]
	tree := &expr{op: legacy.op, name: legacy.function, args: args}
	if legacy.negated { // an absent attribute satisfies neither the function nor its opposite
		present := &expr{op: opCall, name: "attribute_exists", args: args[:1]}
		tree = &expr{op: opAnd, args: []*expr{present, {op: opNot, args: []*expr{tree}}}}
	}
	return tree, nil
}

// legacyValues checks the values of an operator: how many, and of which types.
func legacyValues(word string, given []wireValue) ([]value, error) {
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
	values := make([]value, len(given))
	for i := range given {
		var err error
		if values[i], err = given[i].value(); err != nil {
			return nil, err
		}
	}
	if len(values) < operator.least || len(values) > operator.most {
		return nil, invalidParameter("Invalid number of argument(s) for the %s ComparisonOperator", word)
	}
	for _, v := range values {
		if v.kind != values[0].kind {
			return nil, invalidParameter("AttributeValues inside AttributeValueList must be of same type")
		}
		if operator.kinds != nil && !slices.Contains(operator.kinds, v.kind) {
			return nil, invalidParameter("ComparisonOperator %s is not valid for %s AttributeValue type", word, v.kind)
		}
	}
	if word == "BETWEEN" {
		if order, _ := values[0].compare(values[1]); order > 0 {
			return nil, invalid("The BETWEEN condition was provided a range where the lower bound is greater than the upper bound")
		}
	}
	return values, nil
}

// attributeUpdate is the change of one attribute in AttributeUpdates.
type attributeUpdate struct {
	Action string
	Value  *wireValue
}

// attributeUpdates translates AttributeUpdates into the actions of an update expression.
func attributeUpdates(updates map[string]attributeUpdate) ([]action, error) {
	var actions []action
	for _, name := range slices.Sorted(maps.Keys(updates)) {
		a, err := updates[name].action(name)
		if err != nil {
			return nil, err
		}
		actions = append(actions, a)
	}
	return actions, nil
}

func (u attributeUpdate) action(name string) (action, error) {
	a := action{path: path{{name: name}}}
	if err := checkName(name); err != nil {
		return a, err
	}
	if u.Value == nil {
		a.clause = clauseRemove
		if u.Action != "DELETE" {
			return a, invalidParameter("Only DELETE action is allowed when no attribute value is specified")
		}
		return a, nil
	}
	v, err := u.Value.value()
	if err != nil {
		return a, err
	}
	a.value = &expr{op: opValue, value: v}
	switch u.Action {
	case "", "PUT":
		a.clause = clauseSet
	case "ADD":
		a.clause = clauseAdd
		if v.kind != kindN && v.kind != kindL && !v.kind.isSet() {
			return a, invalidParameter("ADD action is not supported for the type %s", v.kind)
		}
	case "DELETE":
		a.clause = clauseDelete
		if !v.kind.isSet() {
			return a, invalidParameter("DELETE action with value is not supported for the type %s", v.kind)
		}
	default:
		var c checks
		c.oneOf(u.Action, "attributeUpdates."+name+".member.action", "ADD", "PUT", "DELETE")
		return a, c.err()
	}
	return a, nil
}

// onlyDeletes reports whether the update does nothing if the item does not exist.
func onlyDeletes(actions []action) bool {
	return len(actions) > 0 &&
		!slices.ContainsFunc(actions, func(a action) bool { return a.clause == clauseSet || a.clause == clauseAdd })
}

// legacyProjection is AttributesToGet.
type legacyProjection struct {
	AttributesToGet []string `json:",omitempty"`
}

// projection returns the document paths of a projection, modern or legacy; nil is the whole
// item.
func (l *legacyProjection) projection(sc *scope, modern *string) ([]path, error) {
	if modern != nil {
		return sc.projection(*modern)
	}
	if l.AttributesToGet == nil {
		return nil, nil
	}
	if len(l.AttributesToGet) == 0 {
		var c checks
		c.fail("[]", "attributesToGet", "Member must have length greater than or equal to 1")
		return nil, c.err()
	}
	var out []path
	for i, name := range l.AttributesToGet {
		if err := checkName(name); err != nil {
			return nil, err
		}
		if slices.Contains(l.AttributesToGet[:i], name) {
			return nil, invalidParameter("Duplicate value in attribute name: %s", name)
		}
		out = append(out, path{{name: name}})
	}
	return out, nil
}
