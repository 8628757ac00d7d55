package accesspatterns

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// An Operator compares an attribute with values in key conditions, filters, the requirements of actions and the
// conditions of writes. Its text is the operator or function of DynamoDB's expression language. Matches and Range are
// specific to ddbdesk, which never sends them.
type Operator string

// These operators are valid in every condition.
const (
	Equal          Operator = "="
	NotEqual       Operator = "<>"
	Less           Operator = "<"
	LessOrEqual    Operator = "<="
	Greater        Operator = ">"
	GreaterOrEqual Operator = ">="
	Between        Operator = "BETWEEN" // both ends included
	In             Operator = "IN"
	BeginsWith     Operator = "begins_with"
	Contains       Operator = "contains" // a substring of a text, or an element of a set or list
	NotContains    Operator = "NOT contains"
	Exists         Operator = "attribute_exists"
	NotExists      Operator = "attribute_not_exists"
)

// These operators are valid only in a KeyCondition. Binding replaces them with others.
const (
	// Matches means Equal, or BeginsWith if the last placeholders of the template have no value.
	Matches Operator = "matches"
	// Range is an inclusive range on one placeholder of the key's template.
	Range Operator = "range"
)

// IsOrdering reports whether the operator selects values less than, greater than or between given values.
func (o Operator) IsOrdering() bool {
	return slices.Contains([]Operator{Less, LessOrEqual, Greater, GreaterOrEqual, Between}, o)
}

// Expression returns the comparison in DynamoDB's expression language. name and values are aliases or, in text for
// people, the actual name and values. It panics if there are fewer values than the operator needs; see
// Condition.Values.
func (o Operator) Expression(name string, values ...string) string {
	switch o {
	case Exists, NotExists:
		return fmt.Sprintf("%s(%s)", o, name)
	case BeginsWith, Contains, NotContains:
		return fmt.Sprintf("%s(%s, %s)", o, name, values[0])
	case In:
		return fmt.Sprintf("%s IN (%s)", name, strings.Join(values, ", "))
	case Between:
		return fmt.Sprintf("%s BETWEEN %s AND %s", name, values[0], values[1])
	default:
		return fmt.Sprintf("%s %s %s", name, o, values[0])
	}
}

// A Condition compares one attribute of an item, in the filter of a request or in the condition of a write.
type Condition struct {
	Attribute string // a dotted path
	// Names contains the names along a path that a user wrote without a schema. If it is nil, ddbdesk splits Attribute
	// according to the schema and the item.
	Names   []string
	Compare Operator
	// Values contains the values to compare with: none for Exists and NotExists, two for Between, any number for In,
	// and one for every other operator.
	Values    []types.AttributeValue
	OrMissing bool   // an item without the attribute also meets the condition
	Message   string // message if the condition does not hold, "" for the condition itself
	// ChecksUnchanged marks a condition that only checks that a changed attribute still has the value that ddbdesk
	// read.
	ChecksUnchanged bool
	Hidden          bool // the values derive from masked values
	Size            bool // compare the attribute's size, not its value
	// Any contains alternatives, at least one of which must hold. If it is set, the only other field in use is Message.
	Any []Condition
}

// Expression adds the values to e and returns the condition's term. name returns a path's alias; before prefixes value
// aliases.
func (c Condition) Expression(e *Expression, name func(path string) string, before string) string {
	nameOf := name
	if c.Names != nil {
		nameOf = func(string) string { return e.Path(c.Names) }
	}
	return c.term(nameOf, func(v types.AttributeValue) string { return e.Value(before+c.Attribute, v) }, func(o Condition) string {
		return o.Expression(e, name, before)
	})
}

// Text returns the condition in DynamoDB's expression language, with the name and the values in place of aliases. It
// contains the values as plain JSON, so show it only to users who may see them.
func (c Condition) Text() string {
	value := func(v types.AttributeValue) string { return string(models.AppendValueJSON(nil, v)) }
	return c.term(func(path string) string { return path }, value, Condition.Text)
}

func (c Condition) term(name func(string) string, value func(types.AttributeValue) string, alternative func(Condition) string) string {
	if c.Any != nil {
		return "(" + strings.Join(models.MapSlice(c.Any, alternative), " OR ") + ")"
	}
	attribute := name(c.Attribute)
	operand := attribute
	if c.Size {
		operand = "size(" + attribute + ")"
	}
	term := c.Compare.Expression(operand, models.MapSlice(c.Values, value)...)
	if !c.OrMissing {
		return term
	}
	return fmt.Sprintf("(%s OR %s)", NotExists.Expression(attribute), term)
}

// Attributes lists the paths that the condition compares.
func (c Condition) Attributes() []string {
	if c.Any == nil {
		return []string{c.Attribute}
	}
	var paths []string
	for _, o := range c.Any {
		paths = append(paths, o.Attributes()...)
	}
	return paths
}

func (c Condition) topLevelNames() (names []string) {
	for _, o := range c.Any {
		names = append(names, o.topLevelNames()...)
	}
	switch head, _, _ := strings.Cut(c.Attribute, "."); {
	case c.Any != nil:
		return names
	case c.Names != nil:
		return c.Names[:1]
	default:
		return []string{head}
	}
}

// String describes the condition in words. It replaces control characters in the values, but does not mask personal
// data.
func (c Condition) String() string { return c.text(nil) }

// Plain describes the condition on an item of e for role support, with the titles of states.
func (c Condition) Plain(e *models.Entity) string { return c.text(e) }

func (c Condition) text(e *models.Entity) string {
	if c.Any != nil {
		return strings.Join(models.MapSlice(c.Any, func(o Condition) string { return o.text(e) }), " or ")
	}
	name := c.Attribute
	if c.Size {
		name = "size of " + name
	}
	switch c.Compare {
	case Exists:
		return c.Attribute + " is set"
	case NotExists:
		return c.Attribute + " is not set"
	default:
	}
	values := make([]string, len(c.Values))
	for i, v := range c.Values {
		text, ok := models.ValueText(v)
		if !ok {
			text = string(models.AppendValueJSON(nil, v))
		}
		values[i] = models.Printable(text)
		if e == nil {
			continue
		}
		if l := e.Lifecycle(c.Attribute); l != nil {
			values[i] = l.Term(text).Plain()
		}
	}
	text := c.Compare.Expression(name, values...)
	if c.OrMissing {
		text += " or not set"
	}
	return text
}

// Holds reports whether the item meets the condition. It follows DynamoDB's rules: values of different types are
// neither equal nor ordered. Use it to plan a change, or to filter the rows of an index that lacks an attribute.
// DynamoDB evaluates the condition of a write again, and its result is final.
func (c Condition) Holds(it models.Item) bool {
	if c.Any != nil {
		return slices.ContainsFunc(c.Any, func(o Condition) bool { return o.Holds(it) })
	}
	v, exists := c.value(it)
	if exists && c.Size {
		v, exists = sizeOf(v)
	}
	switch {
	case c.Compare == Exists:
		return exists
	case c.Compare == NotExists:
		return !exists
	case !exists:
		return c.OrMissing || c.Compare == NotEqual || c.Compare == NotContains
	}
	equal := func(w types.AttributeValue) bool { return models.EqualValues(v, w) }
	switch c.Compare {
	case Equal:
		return equal(c.Values[0])
	case NotEqual:
		return !equal(c.Values[0])
	case In:
		return slices.ContainsFunc(c.Values, equal)
	case BeginsWith:
		text, prefix, ok := comparableBytes(v, c.Values[0])
		return ok && strings.HasPrefix(text, prefix)
	case Contains, NotContains:
		return contains(v, c.Values[0]) == (c.Compare == Contains)
	case Between:
		return isOrdered(v, GreaterOrEqual, c.Values[0]) && isOrdered(v, LessOrEqual, c.Values[1])
	default:
		return isOrdered(v, c.Compare, c.Values[0])
	}
}

func (c Condition) value(it models.Item) (types.AttributeValue, bool) {
	if c.Names != nil {
		return it.AtNames(c.Names)
	}
	return it.At(c.Attribute)
}

func isOrdered(a types.AttributeValue, o Operator, b types.AttributeValue) bool {
	order, ok := compareValues(a, b)
	switch o {
	case Less:
		return ok && order < 0
	case LessOrEqual:
		return ok && order <= 0
	case Greater:
		return ok && order > 0
	default:
		return ok && order >= 0
	}
}

// compareValues orders values as DynamoDB does: strings by UTF-8 bytes, numbers by value and binary by bytes.
func compareValues(a, b types.AttributeValue) (order int, ok bool) {
	x, isNumber := a.(*types.AttributeValueMemberN)
	y, areNumbers := b.(*types.AttributeValueMemberN)
	if isNumber && areNumbers {
		return models.CompareNumbers(x.Value, y.Value), true
	}
	first, second, ok := comparableBytes(a, b)
	return strings.Compare(first, second), ok
}

// comparableBytes returns the bytes of two strings or of two binary values. ok is false for other values.
func comparableBytes(a, b types.AttributeValue) (x, y string, ok bool) {
	x, okx := bytesOf(a)
	y, oky := bytesOf(b)
	return x, y, okx && oky && models.ValueType(a) == models.ValueType(b)
}

func bytesOf(v types.AttributeValue) (string, bool) {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return v.Value, true
	case *types.AttributeValueMemberB:
		return string(v.Value), true
	}
	return "", false
}

func contains(v, part types.AttributeValue) bool {
	if elements, ok := models.Elements(v); ok {
		return slices.ContainsFunc(elements, func(w types.AttributeValue) bool { return models.EqualValues(w, part) })
	}
	text, fragment, ok := comparableBytes(v, part)
	return ok && strings.Contains(text, fragment)
}

// sizeOf counts the UTF-16 code units of a text, the bytes of binary, or the elements of a set or document. Source:
// Amazon DynamoDB Developer Guide, "Comparison operator and function reference".
func sizeOf(v types.AttributeValue) (types.AttributeValue, bool) {
	elements, ok := models.Elements(v)
	n := len(elements)
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		n, ok = len(utf16.Encode([]rune(v.Value))), true
	case *types.AttributeValueMemberB:
		n, ok = len(v.Value), true
	case *types.AttributeValueMemberM:
		n, ok = len(v.Value), true
	}
	return &types.AttributeValueMemberN{Value: strconv.Itoa(n)}, ok
}

// filter returns false without a value. It rejects reversed ranges, for which DynamoDB's error omits the parameter.
func (b *binding) filter(f FilterCondition) (c Condition, isSet bool, err error) {
	c = Condition{Attribute: f.Attribute, Names: f.Names, Compare: f.Compare, Size: f.Size}
	for _, o := range f.Any {
		alternative, isSet, err := b.filter(o)
		if err != nil {
			return c, false, err
		}
		if isSet {
			c.Any = append(c.Any, alternative)
		}
	}
	if f.Any != nil {
		return c, c.Any != nil, nil
	}
	if f.Compare == Between {
		if err := b.checkOrder(f.Values[0], f.Values[1]); err != nil {
			return c, false, err
		}
	}
	for i, t := range f.Values {
		v, err := b.filterValue(f, t, f.Compare == LessOrEqual || f.Compare == Greater || f.Compare == Between && i == 1)
		switch {
		case err != nil:
			return c, false, err
		case v != nil:
			c.Values = append(c.Values, v)
		case f.Compare != Between:
			return c, false, nil
		case i == 0:
			c.Compare = LessOrEqual
		default:
			c.Compare = GreaterOrEqual
		}
	}
	if c.Compare == Between && isOrdered(c.Values[0], Greater, c.Values[1]) {
		return c, false, ParamErrorf(b.longestParam(f.Values[0]), "later than %s", b.longestParam(f.Values[1]))
	}
	return c, len(f.Values) == 0 || len(c.Values) > 0, nil
}

func (b *binding) filterValue(f FilterCondition, t models.Template, upper bool) (types.AttributeValue, error) {
	fill := b.fill
	if upper {
		fill = func(t models.Template) (string, bool, error) { return b.fillEnd(t, true) }
	}
	text, complete, err := fill(t)
	if err != nil || !complete {
		return nil, b.bindError(err)
	}
	if f.Type == models.TypeNULL {
		return &types.AttributeValueMemberNULL{Value: true}, nil
	}
	names := t.Placeholders()
	v, err := models.ValueOf(f.Type, text)
	switch {
	case err == nil:
		return v, nil
	case len(names) == 0:
		return nil, fmt.Errorf("%s: filter on %s: %w", b.pattern.FullID(), f.Attribute, err)
	default:
		return nil, b.paramError(b.longestParam(t), err)
	}
}

// An Expression collects the attribute names and values in the expressions of one request. Every name gets an alias,
// because many names in real schemas are reserved words. It derives aliases from the names, so that requests are
// readable. The zero Expression is empty and ready to use. It does not check DynamoDB's limits of 4 KB for an
// expression and 2 MB for all names and values of a request. It is not safe for concurrent use. Source: Amazon DynamoDB
// Developer Guide, "Quotas in Amazon DynamoDB".
type Expression struct {
	names  map[string]string
	values map[string]types.AttributeValue

	// Short makes aliases consist of numbers, for expressions that would otherwise be too long. Set it before the first
	// name, because existing aliases do not change.
	Short bool
}

// Path returns a path with aliases in place of its names; see models.PathText.
func (e *Expression) Path(path []string) string {
	aliases := slices.Clone(path)
	for i, step := range path {
		if _, element := models.ElementIndex(step); i == 0 || !element {
			aliases[i] = e.Name(step)
		}
	}
	return models.PathText(aliases)
}

// Name returns the alias of one attribute name, which may contain dots. The same name always has the same alias.
func (e *Expression) Name(name string) string {
	base := "#" + identifier(name)
	if e.Short {
		base = "#" + e.number(name)
	}
	alias := base
	for n := 2; e.names[alias] != "" && e.names[alias] != name; n++ {
		alias = fmt.Sprintf("%s%d", base, n)
	}
	if e.names == nil {
		e.names = map[string]string{}
	}
	e.names[alias] = name
	return alias
}

func (e *Expression) number(name string) string {
	for alias, known := range e.names {
		if known == name {
			return alias[1:]
		}
	}
	return strconv.FormatInt(int64(len(e.names)), 36)
}

// Value returns a new alias of a value, derived from hint, which is the compared attribute. Equal values get different
// aliases. v must not be nil.
func (e *Expression) Value(hint string, v types.AttributeValue) string {
	base := ":" + identifier(hint)
	if e.Short {
		base = ":" + strconv.FormatInt(int64(len(e.values)), 36)
	}
	alias := base
	for n := 2; e.values[alias] != nil; n++ {
		alias = fmt.Sprintf("%s%d", base, n)
	}
	if e.values == nil {
		e.values = map[string]types.AttributeValue{}
	}
	e.values[alias] = v
	return alias
}

// Names returns the names by alias. It returns nil if there are none, because DynamoDB rejects an empty map.
func (e *Expression) Names() map[string]string { return e.names }

// Values returns the values by alias, or nil if there are none.
func (e *Expression) Values() map[string]types.AttributeValue { return e.values }

func identifier(s string) string {
	if s == "" {
		return "x"
	}
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '_'
	}, s)
}
