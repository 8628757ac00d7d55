package expression

import (
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

// Scope checks the expressions of one request after parsing, resolves their placeholders, and records the used ones.
// The checks run in DynamoDB's order, so that an expression with several mistakes gets the same message. All
// expressions of a request share one Scope, because any of them may use a placeholder.
type Scope struct {
	names  map[string]string
	values attribute.Item
	used   map[string]bool
}

// function describes a function of the expression languages.
type function struct {
	operands  int
	update    bool             // belongs to update expressions, not to conditions
	needsPath bool             // the first operand must be a document path
	kinds     []attribute.Kind // allowed kinds of literal operands; nil allows all
}

// functions lists the functions of conditions and updates. Sources: "Condition and filter expressions, operators, and
// functions" and "Using update expressions",
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.OperatorsAndFunctions.html
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.UpdateExpressions.html
var functions = map[string]function{
	"attribute_exists":     {operands: 1, needsPath: true},
	"attribute_not_exists": {operands: 1, needsPath: true},
	"attribute_type":       {operands: 2},
	"begins_with":          {operands: 2, kinds: []attribute.Kind{attribute.S, attribute.B}},
	"contains":             {operands: 2},
	"size":                 {operands: 1, kinds: sizeKinds},
	"if_not_exists":        {operands: 2, update: true, needsPath: true},
	"list_append":          {operands: 2, update: true, kinds: []attribute.Kind{attribute.L}},
}

// sizeKinds lists the kinds that size accepts.
var sizeKinds = []attribute.Kind{
	attribute.S, attribute.B, attribute.SS, attribute.NS, attribute.BS, attribute.L, attribute.M,
}

// typeNames lists the attribute types in the order of DynamoDB's messages.
var typeNames = []string{"B", "NULL", "SS", "BOOL", "L", "BS", "N", "NS", "S", "M"}

func parse[T any](parameter, src string, read func(*parser) T, check func(T) error) (T, error) {
	var out T
	p, err := newParser(src)
	if err == nil {
		out = read(p)
		err = p.finish()
	}
	if err == nil {
		err = check(out)
	}
	if err != nil {
		var zero T
		return zero, apierror.Invalid("Invalid %s: %s", parameter, err)
	}
	return out, nil
}

// Condition parses and checks a condition, key condition or filter. It uses the parameter's name only in messages. The
// error is a ValidationException with DynamoDB's wording.
func (sc *Scope) Condition(parameter, src string) (*Node, error) {
	return parse(parameter, src, (*parser).condition, sc.checkCondition)
}

// Projection parses a projection expression.
func (sc *Scope) Projection(src string) ([]Path, error) {
	return parse("ProjectionExpression", src, (*parser).projection, sc.checkProjection)
}

// Update parses an update expression.
func (sc *Scope) Update(src string) ([]Action, error) {
	return parse("UpdateExpression", src, (*parser).actions, sc.checkUpdate)
}

// checkCondition checks, in DynamoDB's order, size, words and functions, then placeholders and operands by node.
func (sc *Scope) checkCondition(e *Node) error {
	if err := checkOperators(e); err != nil {
		return err
	}
	if err := checkWords(e, language{}, false); err != nil {
		return err
	}
	return visitNodes(e, func(e *Node) error {
		if err := sc.resolveNode(e); err != nil {
			return err
		}
		return checkOperands(e)
	})
}

func (sc *Scope) checkProjection(paths []Path) error {
	for _, check := range []func(Path) error{checkReserved, sc.resolvePath} {
		for _, p := range paths {
			if err := check(p); err != nil {
				return err
			}
		}
	}
	return checkOverlap(paths)
}

// checkUpdate checks in DynamoDB's order: words and functions, then the changed paths, then the values.
func (sc *Scope) checkUpdate(actions []Action) error {
	paths, values := make([]Path, len(actions)), make([]*Node, len(actions))
	for i, a := range actions {
		paths[i], values[i] = a.Path, a.Value
	}
	if err := checkOperators(values...); err != nil {
		return err
	}
	checks := []func(Action) error{
		func(a Action) error {
			if err := checkReserved(a.Path); err != nil {
				return err
			}
			return checkWords(a.Value, language{update: true}, false)
		},
		func(a Action) error { return sc.resolvePath(a.Path) },
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
		if err := visitNodes(value, sc.resolveNode); err != nil {
			return err
		}
	}
	for _, a := range actions {
		if err := checkActionType(a); err != nil {
			return err
		}
		if err := visitNodes(a.Value, checkOperands); err != nil {
			return err
		}
	}
	return nil
}

// language describes the language of a tree.
type language struct {
	update  bool // an update, not a condition
	anyName bool // a statement, in which reserved words can be names
}

func checkWords(e *Node, l language, isOperand bool) error {
	if e == nil {
		return nil
	}
	if e.Op == OpCall {
		if err := checkFunction(e.Name, l.update, isOperand); err != nil {
			return err
		}
	}
	if err := checkReserved(e.Path); err != nil && !l.anyName {
		return err
	}
	logical := e.Op == OpAnd || e.Op == OpOr || e.Op == OpNot
	for _, arg := range e.Args {
		if err := checkWords(arg, l, !logical); err != nil {
			return err
		}
	}
	return nil
}

func checkFunction(name string, update, isOperand bool) error {
	language, misplaced := "a condition", isOperand != (name == "size")
	if update {
		language, misplaced = "an update", isOperand && name == "list_append"
	}
	switch f, known := functions[name]; {
	case !known:
		return expressionErrorf("Invalid function name; function: %s", name)
	case f.update != update:
		return expressionErrorf("The function is not allowed in %s expression; function: %s", language, name)
	case misplaced:
		return expressionErrorf("The function is not allowed to be used this way in an expression; function: %s", name)
	}
	return nil
}

func visitNodes(e *Node, check func(*Node) error) error {
	if e == nil {
		return nil
	}
	for _, arg := range e.Args {
		if err := visitNodes(arg, check); err != nil {
			return err
		}
	}
	return check(e)
}

// checkOperators counts functions as operators, as DynamoDB does. The limit is 300 for an expression.
func checkOperators(trees ...*Node) error {
	n := 0
	for _, e := range trees {
		err := visitNodes(e, func(e *Node) error {
			if e.Op != OpPath && e.Op != OpValue {
				n++
			}
			if n > maxOperators {
				return expressionErrorf("The expression contains too many operators; operator count: %d", n)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func checkReserved(p Path) error {
	for _, s := range p {
		if !s.isRef && !s.isIndex && isReserved(s.Name) {
			return expressionErrorf("Attribute name is a reserved keyword; reserved keyword: %s", s.Name)
		}
	}
	return nil
}

func (sc *Scope) resolveNode(e *Node) error {
	if e.Op != OpValue {
		return sc.resolvePath(e.Path)
	}
	v, ok := sc.values[e.Name]
	if !ok {
		return expressionErrorf("An expression attribute value used in expression is not defined; attribute value: %s", e.Name)
	}
	sc.used[e.Name] = true
	e.Value = v
	return nil
}

func (sc *Scope) resolvePath(p Path) error {
	for i, s := range p {
		if !s.isRef {
			continue
		}
		name, ok := sc.names[s.Name]
		if !ok {
			return expressionErrorf("An expression attribute name used in the document path is not defined; attribute name: %s", s.Name)
		}
		sc.used[s.Name] = true
		p[i] = Step{Name: name}
	}
	return nil
}

// CheckUnused rejects placeholders that no expression of the request uses. Call it after parsing all expressions of the
// request.
func (sc *Scope) CheckUnused() error {
	if unused := sc.unusedText(maps.Keys(sc.names)); unused != "" {
		return apierror.Invalid("Value provided in ExpressionAttributeNames unused in expressions: keys: {%s}", unused)
	}
	if unused := sc.unusedText(maps.Keys(sc.values)); unused != "" {
		return apierror.Invalid("Value provided in ExpressionAttributeValues unused in expressions: keys: {%s}", unused)
	}
	return nil
}

func (sc *Scope) unusedText(keys iter.Seq[string]) string {
	var unused []string
	for _, key := range slices.Sorted(keys) {
		if !sc.used[key] {
			unused = append(unused, key)
		}
	}
	return strings.Join(unused, ", ")
}

func checkOverlap(paths []Path) error {
	for i, p := range paths {
		for _, o := range paths[:i] {
			if o.isPrefixOf(p) || p.isPrefixOf(o) {
				return expressionErrorf("Two document paths overlap with each other; must remove or rewrite one of these paths; "+
					"path one: %s, path two: %s", o, p)
			}
			if n := sharedSteps(o, p); o[n].isIndex != p[n].isIndex {
				return expressionErrorf("Two document paths conflict with each other; must remove or rewrite one of these paths; "+
					"path one: %s, path two: %s", o, p)
			}
		}
	}
	return nil
}

func sharedSteps(a, b Path) int {
	n := 0
	for a[n] == b[n] {
		n++
	}
	return n
}

// Placeholders contains the parameters that define the placeholders of expressions.
type Placeholders struct {
	ExpressionAttributeNames  map[string]string
	ExpressionAttributeValues attribute.WireItem
}

// These patterns match the forms of placeholders.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.ExpressionAttributeNames.html
var (
	validNameRef  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^#[0-9a-zA-Z_]+$") })
	validValueRef = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^:[0-9a-zA-Z_]+$") })
)

// Scope validates the placeholders in DynamoDB's order. hasExpression means that the request has an expression, and
// takesValues means that an expression can contain values. Without placeholders, it returns an empty scope.
func (p *Placeholders) Scope(hasExpression, takesValues bool, valueParameters string) (*Scope, error) {
	sc := &Scope{names: p.ExpressionAttributeNames, used: map[string]bool{}}
	if p.ExpressionAttributeNames != nil {
		if !hasExpression {
			return nil, apierror.Invalid("ExpressionAttributeNames can only be specified when using expressions")
		}
		if len(p.ExpressionAttributeNames) == 0 {
			return nil, apierror.Invalid("ExpressionAttributeNames must not be empty")
		}
		for _, key := range slices.Sorted(maps.Keys(p.ExpressionAttributeNames)) {
			if err := attribute.CheckName(p.ExpressionAttributeNames[key]); err != nil {
				return nil, apierror.Invalid("ExpressionAttributeNames contains invalid value: %s for key %s", apierror.MessageOf(err), key)
			}
			if err := checkPlaceholder(key, validNameRef()); err != nil {
				return nil, apierror.Invalid("ExpressionAttributeNames contains invalid key: %s", err)
			}
		}
	}
	if p.ExpressionAttributeValues == nil {
		return sc, nil
	}
	if !takesValues {
		return nil, apierror.Invalid("ExpressionAttributeValues can only be specified when using expressions: %s null", valueParameters)
	}
	if len(p.ExpressionAttributeValues) == 0 {
		return nil, apierror.Invalid("ExpressionAttributeValues must not be empty")
	}
	sc.values = make(attribute.Item, len(p.ExpressionAttributeValues))
	for _, key := range slices.Sorted(maps.Keys(p.ExpressionAttributeValues)) {
		if err := checkPlaceholder(key, validValueRef()); err != nil {
			return nil, apierror.Invalid("ExpressionAttributeValues contains invalid key: %s", err)
		}
		w := p.ExpressionAttributeValues[key]
		v, err := w.Value()
		if err != nil {
			return nil, apierror.Invalid("ExpressionAttributeValues contains invalid value: %s for key %s", apierror.MessageOf(err), key)
		}
		sc.values[key] = v
	}
	if sc.values.Size()+p.nameSize() > maxSubstituted {
		return nil, apierror.Invalid("ExpressionAttributeValues exceeds max size")
	}
	return sc, nil
}

func (p *Placeholders) nameSize() int {
	n := 0
	for key, name := range p.ExpressionAttributeNames {
		n += len(key) + len(name)
	}
	return n
}

// maxSubstituted is the maximum size in bytes of all names and values of a request together.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
const maxSubstituted = 2 << 20

// maxPlaceholder is the maximum length of a placeholder in bytes, including its # or :.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
const maxPlaceholder = 255

func checkPlaceholder(key string, form *regexp.Regexp) error {
	switch {
	case !form.MatchString(key):
		return expressionErrorf("Syntax error; key: \"%s\"", key)
	case len(key) > maxPlaceholder:
		return expressionErrorf("The expression attribute map contains a key that is too long; key length: %d", len(key))
	}
	return nil
}

// SelectionOf returns the selection of the paths. If paths is nil, it returns nil, which selects the whole item.
func SelectionOf(paths []Path) *Selection {
	if paths == nil {
		return nil
	}
	return Select(paths)
}

// Paths returns the document paths of a tree.
func Paths(e *Node) []Path {
	var paths []Path
	// The visitor returns no error.
	_ = visitNodes(e, func(e *Node) error {
		if e.Op == OpPath {
			paths = append(paths, e.Path)
		}
		return nil
	})
	return paths
}

// ActionPaths returns the paths that an update changes.
func ActionPaths(actions []Action) []Path {
	paths := make([]Path, len(actions))
	for i, a := range actions {
		paths[i] = a.Path
	}
	return paths
}
