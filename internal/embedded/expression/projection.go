package expression

import (
	"maps"
	"slices"

	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

// Selection is a tree of selected parts. Without branches, it selects everything.
type Selection struct {
	names   map[string]*Selection
	indexes map[int]*Selection
}

// Select merges paths into one selection.
func Select(paths []Path) *Selection {
	root := &Selection{}
	for _, p := range paths {
		at := root
		for _, s := range p {
			at = at.branch(s)
		}
	}
	return root
}

// SelectNames selects whole attributes.
func SelectNames(names []string) *Selection {
	paths := make([]Path, len(names))
	for i, name := range names {
		paths[i] = Path{{Name: name}}
	}
	return Select(paths)
}

// Has reports whether an attribute is selected, at least in part. A nil selection has all.
func (s *Selection) Has(name string) bool { return s == nil || s.names[name] != nil }

func (s *Selection) branch(st Step) *Selection {
	if st.isIndex {
		return branchOf(&s.indexes, st.index)
	}
	return branchOf(&s.names, st.Name)
}

func branchOf[K comparable](branches *map[K]*Selection, key K) *Selection {
	if *branches == nil {
		*branches = map[K]*Selection{}
	}
	if (*branches)[key] == nil {
		(*branches)[key] = &Selection{}
	}
	return (*branches)[key]
}

// Of returns the selected part of an item; a nil selection is the whole item. The item is not
// copied as a whole: parts that are selected completely are shared with it.
func (s *Selection) Of(it attribute.Item) attribute.Item {
	if s == nil {
		return it
	}
	out := make(attribute.Item, len(s.names))
	for name, branch := range s.names {
		if v, ok := it[name]; ok {
			if part, ok := branch.part(v); ok {
				out[name] = part
			}
		}
	}
	return out
}

// part makes selected list elements adjacent, as the service does. Source:
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.ProjectionExpressions.html
func (s *Selection) part(v attribute.Value) (attribute.Value, bool) {
	switch {
	case s.names == nil && s.indexes == nil:
		return v, true
	case v.Kind == attribute.M && s.names != nil:
		v.Fields = s.Of(v.Fields)
		return v, len(v.Fields) > 0
	case v.Kind == attribute.L && s.indexes != nil:
		var list []attribute.Value
		for _, i := range slices.Sorted(maps.Keys(s.indexes)) {
			if i < len(v.List) {
				if part, ok := s.indexes[i].part(v.List[i]); ok {
					list = append(list, part)
				}
			}
		}
		v.List = list
		return v, len(list) > 0
	}
	return attribute.Value{}, false
}
