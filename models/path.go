package models

import (
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// These functions take paths as lists of steps: the name of an attribute, then names inside maps and elements of lists,
// such as [0].

// ElementIndex returns the index of a path step that is a list element, or false if the step is a name.
func ElementIndex(step string) (int, bool) {
	digits, bracketed := strings.CutPrefix(step, "[")
	digits, closed := strings.CutSuffix(digits, "]")
	i, err := strconv.ParseInt(digits, 10, 32)
	return int(i), bracketed && closed && err == nil && strconv.FormatInt(i, 10) == digits && i >= 0
}

// PathText returns a path in its usual notation: a.b[0].
func PathText(path []string) string {
	text := ""
	for i, step := range path {
		if _, element := ElementIndex(step); i > 0 && !element {
			text += "."
		}
		text += step
	}
	return text
}

// withoutElements omits list elements, because a schema declares all elements of a list together.
func withoutElements(path []string) []string {
	for i := 1; i < len(path); i++ {
		if _, element := ElementIndex(path[i]); element {
			return withoutElements(slices.Delete(slices.Clone(path), i, i+1))
		}
	}
	return path
}

// AttributeAt returns the declared attribute of the value at a path, or nil if the schema does not declare it.
func (e *Entity) AttributeAt(path []string) *Attribute {
	a, last := e.Attribute(strings.Join(withoutElements(path), ".")), len(path)-1
	if len(withoutElements(path[last-min(last, 2):])) == 1 && last > 1 {
		return nil // the element of a list in a list
	}
	if _, element := ElementIndex(path[last]); last > 0 && element {
		return a.Element()
	}
	return a
}

// AtNames returns the value at a path.
func (it Item) AtNames(path []string) (types.AttributeValue, bool) {
	v, ok := it[path[0]]
	for _, step := range path[1:] {
		i, element := ElementIndex(step)
		switch w := v.(type) {
		case *types.AttributeValueMemberM:
			v, ok = w.Value[step]
			ok = ok && !element
		case *types.AttributeValueMemberL:
			if ok = element && i < len(w.Value); ok {
				v = w.Value[i]
			}
		default:
			ok = false
		}
		if !ok {
			return nil, false
		}
	}
	return v, ok
}

// SetNames sets the value at a path. It copies maps and lists along the path and creates missing ones. An index beyond
// the end of a list appends to the list.
func (it Item) SetNames(path []string, v types.AttributeValue) {
	it[path[0]] = withPart(it[path[0]], path[1:], v)
}

func withPart(v types.AttributeValue, path []string, part types.AttributeValue) types.AttributeValue {
	if len(path) == 0 {
		return part
	}
	if i, element := ElementIndex(path[0]); element {
		out := &types.AttributeValueMemberL{}
		if l, ok := v.(*types.AttributeValueMemberL); ok {
			out.Value = slices.Clone(l.Value)
		}
		if i >= len(out.Value) {
			i, out.Value = len(out.Value), append(out.Value, nil)
		}
		out.Value[i] = withPart(out.Value[i], path[1:], part)
		return out
	}
	inner := Item{}
	if m, ok := v.(*types.AttributeValueMemberM); ok {
		inner = Item(m.Value).Clone()
	}
	inner.SetNames(path, part)
	return &types.AttributeValueMemberM{Value: inner}
}

// RemoveNames removes the value at a path, if there is one. It copies maps and lists along the path.
func (it Item) RemoveNames(path []string) {
	last := len(path) - 1
	if _, exists := it.AtNames(path); !exists {
		return
	}
	i, element := ElementIndex(path[last])
	if last == 0 {
		delete(it, path[0])
		return
	}
	switch in, _ := it.AtNames(path[:last]); in := in.(type) {
	case *types.AttributeValueMemberL:
		if element {
			it.SetNames(path[:last], &types.AttributeValueMemberL{Value: slices.Delete(slices.Clone(in.Value), i, i+1)})
		}
	case *types.AttributeValueMemberM:
		inner := Item(in.Value).Clone()
		delete(inner, path[last])
		it.SetNames(path[:last], &types.AttributeValueMemberM{Value: inner})
	}
}
