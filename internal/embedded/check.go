// Static checks of parsed expressions: functions, reserved words, placeholders and
// operand types. They run in the service's order, so that an expression with several
// mistakes gets the same message.

package embedded

import (
	"maps"
	"slices"
	"strings"
)

// scope resolves the placeholders of one request and tracks which are used.
type scope struct {
	names  map[string]string
	values item
	used   map[string]bool
}

var conditionFunctions = map[string]int{
	"attribute_exists": 1, "attribute_not_exists": 1, "attribute_type": 2,
	"begins_with": 2, "contains": 2, "size": 1,
}

var updateFunctions = map[string]int{"if_not_exists": 2, "list_append": 2}

// language describes the functions of conditions or of updates.
type language struct {
	name           string // with its article, for messages
	known, foreign map[string]int
	// misplaced reports whether a function may not be an operand, or must be one.
	misplaced func(name string, isOperand bool) bool
}

var (
	conditionLanguage = language{
		"a condition", conditionFunctions, updateFunctions,
		func(name string, isOperand bool) bool { return isOperand != (name == "size") },
	}
	updateLanguage = language{
		"an update", updateFunctions, conditionFunctions,
		func(name string, isOperand bool) bool { return isOperand && name == "list_append" },
	}
)

// typeNames lists the attribute types in the order of the service's messages.
var typeNames = []string{"B", "NULL", "SS", "BOOL", "L", "BS", "N", "NS", "S", "M"}

// condition parses and checks a condition, key condition or filter. The parameter's
// name is used in messages only.
func (sc *scope) condition(parameter, src string) (*expr, error) {
	p, err := newParser(src)
	if err != nil {
		return nil, invalid("Invalid %s: %s", parameter, err)
	}
	e, err := p.parseCondition()
	if err == nil {
		err = sc.checkCondition(e)
	}
	if err != nil {
		return nil, invalid("Invalid %s: %s", parameter, err)
	}
	return e, nil
}

func (sc *scope) checkCondition(e *expr) error {
	if err := checkOperators(e); err != nil {
		return err
	}
	if err := conditionLanguage.check(e, false); err != nil {
		return err
	}
	return each(e, func(e *expr) error {
		if err := sc.resolveNode(e); err != nil {
			return err
		}
		return checkOperands(e)
	})
}

// projection parses a projection expression.
func (sc *scope) projection(src string) ([]path, error) {
	p, err := newParser(src)
	var paths []path
	if err == nil {
		paths, err = p.parseProjection()
	}
	for i := 0; err == nil && i < len(paths); i++ {
		err = reservedIn(paths[i])
	}
	for i := 0; err == nil && i < len(paths); i++ {
		err = sc.resolvePath(paths[i])
	}
	if err == nil {
		err = checkOverlap(paths)
	}
	if err != nil {
		return nil, invalid("Invalid ProjectionExpression: %s", err)
	}
	return paths, nil
}

// update parses an update expression.
func (sc *scope) update(src string) ([]action, error) {
	p, err := newParser(src)
	var actions []action
	if err == nil {
		actions, err = p.parseUpdate()
	}
	if err == nil {
		err = sc.checkUpdate(actions)
	}
	if err != nil {
		return nil, invalid("Invalid UpdateExpression: %s", err)
	}
	return actions, nil
}

// checkUpdate checks words and functions in the order of the text, then the changed
// paths, then the values.
func (sc *scope) checkUpdate(actions []action) error {
	paths, values := make([]path, len(actions)), make([]*expr, len(actions))
	for i, a := range actions {
		paths[i], values[i] = a.path, a.value
	}
	if err := checkOperators(values...); err != nil {
		return err
	}
	checks := []func(action) error{
		func(a action) error {
			if err := reservedIn(a.path); err != nil {
				return err
			}
			return updateLanguage.check(a.value, false)
		},
		func(a action) error { return sc.resolvePath(a.path) },
	}
	for _, check := range checks {
		for _, a := range actions {
			if err := check(a); err != nil {
				return err
			}
		}
	}
	if err := checkOverlap(paths); err != nil {
		return err
	}
	for _, value := range values {
		if err := each(value, sc.resolveNode); err != nil {
			return err
		}
	}
	for _, a := range actions {
		if err := checkActionType(a); err != nil {
			return err
		}
		if err := each(a.value, checkOperands); err != nil {
			return err
		}
	}
	return nil
}

// check rejects reserved words, and functions that are unknown, belong to the other
// language or are misplaced, in the order of the text.
func (l *language) check(e *expr, isOperand bool) error {
	if e == nil {
		return nil
	}
	if e.op == opCall {
		if err := l.checkFunction(e.name, isOperand); err != nil {
			return err
		}
	}
	if err := reservedIn(e.path); err != nil {
		return err
	}
	logical := e.op == opAnd || e.op == opOr || e.op == opNot
	for _, arg := range e.args {
		if err := l.check(arg, !logical); err != nil {
			return err
		}
	}
	return nil
}

func (l *language) checkFunction(name string, isOperand bool) error {
	if _, ok := l.foreign[name]; ok {
		return complain("The function is not allowed in %s expression; function: %s", l.name, name)
	}
	if _, ok := l.known[name]; !ok {
		return complain("Invalid function name; function: %s", name)
	}
	if l.misplaced(name, isOperand) {
		return complain("The function is not allowed to be used this way in an expression; function: %s", name)
	}
	return nil
}

// each visits a tree in post-order until check returns an error.
func each(e *expr, check func(*expr) error) error {
	if e == nil {
		return nil
	}
	for _, arg := range e.args {
		if err := each(arg, check); err != nil {
			return err
		}
	}
	return check(e)
}

// checkOperators limits the operators and functions of an expression.
func checkOperators(trees ...*expr) error {
	n := 0
	for _, e := range trees {
		err := each(e, func(e *expr) error {
			if e.op != opPath && e.op != opValue {
				n++
			}
			if n > maxOperators {
				return complain("The expression contains too many operators; operator count: %d", n)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func reservedIn(p path) error {
	for _, s := range p {
		if !s.isRef && !s.isIndex && isReserved(s.name) {
			return complain("Attribute name is a reserved keyword; reserved keyword: %s", s.name)
		}
	}
	return nil
}

// resolveNode replaces the placeholders of a node with their names or value.
func (sc *scope) resolveNode(e *expr) error {
	if e.op != opValue {
		return sc.resolvePath(e.path)
	}
	v, ok := sc.values[e.name]
	if !ok {
		return complain("An expression attribute value used in expression is not defined; attribute value: %s", e.name)
	}
	sc.used[e.name] = true
	e.value = v
	return nil
}

func (sc *scope) resolvePath(p path) error {
	for i, s := range p {
		if !s.isRef {
			continue
		}
		name, ok := sc.names[s.name]
		if !ok {
			return complain("An expression attribute name used in the document path is not defined; attribute name: %s", s.name)
		}
		sc.used[s.name] = true
		p[i] = step{name: name}
	}
	return nil
}

// unused rejects placeholders that no expression of the request uses.
func (sc *scope) unused() error {
	if left := sc.notUsed(maps.Keys(sc.names)); left != "" {
		return invalid("Value provided in ExpressionAttributeNames unused in expressions: keys: {%s}", left)
	}
	if left := sc.notUsed(maps.Keys(sc.values)); left != "" {
		return invalid("Value provided in ExpressionAttributeValues unused in expressions: keys: {%s}", left)
	}
	return nil
}

func (sc *scope) notUsed(keys func(func(string) bool)) string {
	var left []string
	for _, key := range slices.Sorted(keys) {
		if !sc.used[key] {
			left = append(left, key)
		}
	}
	return strings.Join(left, ", ")
}

// checkOverlap rejects two paths if one contains the other, or if they treat the same
// attribute as a list and as a map.
func checkOverlap(paths []path) error {
	for i, p := range paths {
		for _, o := range paths[:i] {
			if o.prefixOf(p) || p.prefixOf(o) {
				return complain("Two document paths overlap with each other; must remove or rewrite one of these paths; "+
					"path one: %s, path two: %s", o, p)
			}
			if n := sharedSteps(o, p); o[n].isIndex != p[n].isIndex {
				return complain("Two document paths conflict with each other; must remove or rewrite one of these paths; "+
					"path one: %s, path two: %s", o, p)
			}
		}
	}
	return nil
}

// sharedSteps counts the leading steps that two paths have in common, neither of which
// contains the other.
func sharedSteps(a, b path) int {
	n := 0
	for a[n] == b[n] {
		n++
	}
	return n
}
