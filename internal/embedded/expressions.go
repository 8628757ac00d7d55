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
			if err := checkName(p.ExpressionAttributeNames[key]); err != nil {
				return nil, invalid("ExpressionAttributeNames contains invalid value: %s for key %s", messageOf(err), key)
			}
			if err := checkPlaceholder(key, validNameRef); err != nil {
				return nil, invalid("ExpressionAttributeNames contains invalid key: %s", err)
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
		if err := checkPlaceholder(key, validValueRef); err != nil {
			return nil, invalid("ExpressionAttributeValues contains invalid key: %s", err)
		}
		w := p.ExpressionAttributeValues[key]
		v, err := w.value()
		if err != nil {
			return nil, invalid("ExpressionAttributeValues contains invalid value: %s for key %s", messageOf(err), key)
		}
		sc.values[key] = v
	}
	if sc.values.size()+p.nameSize() > maxSubstituted {
		return nil, invalid("ExpressionAttributeValues exceeds max size")
	}
	return sc, nil
}

// nameSize returns the bytes of the names and their placeholders.
func (p *placeholders) nameSize() int {
	n := 0
	for key, name := range p.ExpressionAttributeNames {
		n += len(key) + len(name)
	}
	return n
}

// maxSubstituted is the size in bytes of all names and values of a request together.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
const maxSubstituted = 2 << 20

// maxPlaceholder is the maximum length of a placeholder in bytes, with its # or :.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
const maxPlaceholder = 255

// checkPlaceholder checks the form and length of a placeholder.
func checkPlaceholder(key string, form *regexp.Regexp) error {
	switch {
	case !form.MatchString(key):
		return complain("Syntax error; key: \"%s\"", key)
	case len(key) > maxPlaceholder:
		return complain("The expression attribute map contains a key that is too long; key length: %d", len(key))
	}
	return nil
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

// pathsOfActions returns the paths that an update changes.
func pathsOfActions(actions []action) []path {
	paths := make([]path, len(actions))
	for i, a := range actions {
		paths[i] = a.path
	}
	return paths
}
