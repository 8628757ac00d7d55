package embedded

import (
	"maps"
	"slices"
)

// selection is a tree of selected parts. Without branches, it selects everything.
type selection struct {
	names   map[string]*selection
	indexes map[int]*selection
}

// selectPaths merges paths into one selection.
func selectPaths(paths []path) *selection {
	root := &selection{}
	for _, p := range paths {
		at := root
		for _, s := range p {
			at = at.branch(s)
		}
	}
	return root
}

// selectNames selects whole attributes.
func selectNames(names []string) *selection {
	paths := make([]path, len(names))
	for i, name := range names {
		paths[i] = path{{name: name}}
	}
	return selectPaths(paths)
}

// has reports whether an attribute is selected, at least in part. A nil selection has all.
func (s *selection) has(name string) bool { return s == nil || s.names[name] != nil }

// branch returns the part at a step, and selects it.
func (s *selection) branch(st step) *selection {
	if st.isIndex {
		return branchOf(&s.indexes, st.index)
	}
	return branchOf(&s.names, st.name)
}

func branchOf[K comparable](branches *map[K]*selection, key K) *selection {
	if *branches == nil {
		*branches = map[K]*selection{}
	}
	if (*branches)[key] == nil {
		(*branches)[key] = &selection{}
	}
	return (*branches)[key]
}

// of returns the selected part of an item; a nil selection is the whole item.
func (s *selection) of(it item) item {
	if s == nil {
		return it
	}
	out := make(item, len(s.names))
	for name, branch := range s.names {
		if v, ok := it[name]; ok {
			if part, ok := branch.part(v); ok {
				out[name] = part
			}
		}
	}
	return out
}

// part returns the selected part of a value; ok is false if there is none. Selected list
// elements become adjacent, as in the service.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.ProjectionExpressions.html
func (s *selection) part(v value) (value, bool) {
	switch {
	case s.names == nil && s.indexes == nil:
		return v, true
	case v.kind == kindM && s.names != nil:
		v.fields = s.of(v.fields)
		return v, len(v.fields) > 0
	case v.kind == kindL && s.indexes != nil:
		var list []value
		for _, i := range slices.Sorted(maps.Keys(s.indexes)) {
			if i < len(v.list) {
				if part, ok := s.indexes[i].part(v.list[i]); ok {
					list = append(list, part)
				}
			}
		}
		v.list = list
		return v, len(list) > 0
	}
	return value{}, false
}
