package models

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// PathNames returns the attribute names on the way to a dotted path. A name that the
// schema declares with a dot in it is one name, whether an item has it or not; anything
// else is split at the dots. Requests need the single names, because each one gets its own
// #alias in an expression: a dot in an expression always separates two names. The result is
// never empty.
func (e *Entity) PathNames(path string) []string {
	for _, k := range e.Table.KeyAttributes() {
		if k.Name == path {
			return []string{path}
		}
	}
	return pathNames(e.Attributes, path)
}

func pathNames(list []*Attribute, path string) []string {
	var found *Attribute
	for _, a := range list {
		longer := found == nil || len(a.Name) > len(found.Name)
		if longer && (a.Name == path || strings.HasPrefix(path, a.Name+".")) {
			found = a
		}
	}
	switch {
	case found == nil:
		return strings.Split(path, ".")
	case found.Name == path:
		return []string{path}
	default:
		return append([]string{found.Name}, pathNames(found.Attributes, path[len(found.Name)+1:])...)
	}
}

// Set sets the value at a dotted path of an item of the entity; see PathNames. A name
// that the item has takes precedence, as in Item.At. Maps on the way are copied, as in
// Item.With.
func (e *Entity) Set(it Item, path string, v types.AttributeValue) {
	if _, whole := it[path]; whole {
		it[path] = v
		return
	}
	it.setNames(e.PathNames(path), v)
}

// Remove removes the value at a dotted path of an item of the entity; see Set. A path that the
// item does not have is no error. A map that becomes empty stays.
func (e *Entity) Remove(it Item, path string) {
	if _, present := it.At(path); !present {
		return
	}
	if names := e.PathNames(path); len(names) > 1 {
		it.Without(path)
	} else {
		delete(it, path)
	}
}

func (it Item) setNames(names []string, v types.AttributeValue) {
	head := names[0]
	if len(names) == 1 {
		it[head] = v
		return
	}
	inner := Item{}
	if m, ok := it[head].(*types.AttributeValueMemberM); ok {
		inner = Item(m.Value).Clone()
	}
	inner.setNames(names[1:], v)
	it[head] = &types.AttributeValueMemberM{Value: inner}
}
