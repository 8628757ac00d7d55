package embedded

import (
	"maps"
	"regexp"
	"slices"
)

// placeholders are the parameters that define the placeholders of expressions.
type placeholders struct {
	ExpressionAttributeNames  map[string]string
	ExpressionAttributeValues wireItem
}

// The forms of placeholders.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.ExpressionAttributeNames.html
var (
	validNameRef  = regexp.MustCompile("^#[0-9a-zA-Z_]+$")
	validValueRef = regexp.MustCompile("^:[0-9a-zA-Z_]+$")
)

// scope validates the placeholders. The flags tell whether the request has an expression,
// and one that can contain values.
func (p *placeholders) scope(hasExpression, takesValues bool, valueParameters string) (*scope, error) {
	sc := &scope{names: p.ExpressionAttributeNames, used: map[string]bool{}}
	if p.ExpressionAttributeNames != nil {
		if !hasExpression {
			return nil, invalid("ExpressionAttributeNames can only be specified when using expressions")
		}
		if len(p.ExpressionAttributeNames) == 0 {
			return nil, invalid("ExpressionAttributeNames must not be empty")
		}
		for _, key := range slices.Sorted(maps.Keys(p.ExpressionAttributeNames)) {
			if p.ExpressionAttributeNames[key] == "" {
				return nil, invalid("ExpressionAttributeNames contains invalid value: Empty attribute name for key %s", key)
			}
			if !validNameRef.MatchString(key) {
				return nil, invalid("ExpressionAttributeNames contains invalid key: Syntax error; key: \"%s\"", key)
			}
		}
	}
	if p.ExpressionAttributeValues == nil {
		return sc, nil
	}
	if !takesValues {
		return nil, invalid("ExpressionAttributeValues can only be specified when using expressions: %s null", valueParameters)
	}
	if len(p.ExpressionAttributeValues) == 0 {
		return nil, invalid("ExpressionAttributeValues must not be empty")
	}
	sc.values = make(item, len(p.ExpressionAttributeValues))
	for _, key := range slices.Sorted(maps.Keys(p.ExpressionAttributeValues)) {
		if !validValueRef.MatchString(key) {
			return nil, invalid("ExpressionAttributeValues contains invalid key: Syntax error; key: \"%s\"", key)
		}
		w := p.ExpressionAttributeValues[key]
		v, err := w.decode(1)
		if err != nil {
			return nil, invalid("ExpressionAttributeValues contains invalid value: %s for key %s", messageOf(err), key)
		}
		sc.values[key] = v
	}
	return sc, nil
}

// selectionOf returns the selection of the paths, or nil, the whole item, without any.
func selectionOf(paths []path) *selection {
	if paths == nil {
		return nil
	}
	return selectPaths(paths)
}

// pathsOf returns the document paths of a tree.
func pathsOf(e *expr) []path {
	var paths []path
	// The visitor returns no error.
	_ = each(e, func(e *expr) error {
		if e.op == opPath {
			paths = append(paths, e.path)
		}
		return nil
	})
	return paths
}
