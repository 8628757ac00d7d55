package expression

import (
	"maps"
	"regexp"
	"slices"
	"sync"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

// Placeholders are the parameters that define the placeholders of expressions.
type Placeholders struct {
	ExpressionAttributeNames  map[string]string
	ExpressionAttributeValues attribute.WireItem
}

// The forms of placeholders.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.ExpressionAttributeNames.html
var (
	validNameRef  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^#[0-9a-zA-Z_]+$") })
	validValueRef = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^:[0-9a-zA-Z_]+$") })
)

// Scope validates the placeholders. The flags tell whether the request has an expression,
// and one that can contain values. It returns a scope without placeholders for a request that
// has none. The order of the checks is the service's.
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

// maxSubstituted is the size in bytes of all names and values of a request together.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
const maxSubstituted = 2 << 20

// maxPlaceholder is the maximum length of a placeholder in bytes, with its # or :.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
const maxPlaceholder = 255

func checkPlaceholder(key string, form *regexp.Regexp) error {
	switch {
	case !form.MatchString(key):
		return complain("Syntax error; key: \"%s\"", key)
	case len(key) > maxPlaceholder:
		return complain("The expression attribute map contains a key that is too long; key length: %d", len(key))
	}
	return nil
}

// SelectionOf returns the selection of the paths, or nil, the whole item, without any.
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
	_ = each(e, func(e *Node) error {
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
