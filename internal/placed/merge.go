package placed

import (
	"reflect"

	"go.yaml.in/yaml/v4"
)

// isMerge reports whether a key is a merge key, "<<": https://yaml.org/type/merge.html
func isMerge(k *yaml.Node) bool { return k.Value == "<<" && k.Style == 0 }

func (s *Source) merge(n *yaml.Node, path string, previous map[string]bool, slot func(key string) (reflect.Value, bool)) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		for _, from := range mergedBy(n.Content[i], n.Content[i+1]) {
			s.mergeFrom(resolve(from), n.Content[i], path, previous, slot)
		}
	}
}

func mergedNodes(n *yaml.Node) (list []*yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		list = append(list, mergedBy(n.Content[i], n.Content[i+1])...)
	}
	return list
}

func mergedBy(k, value *yaml.Node) []*yaml.Node {
	if !isMerge(k) {
		return nil
	}
	if value = resolve(value); value.Kind == yaml.SequenceNode {
		return value.Content
	}
	return []*yaml.Node{value}
}

func (s *Source) mergeFrom(from, key *yaml.Node, path string, previous map[string]bool, slot func(key string) (reflect.Value, bool)) {
	at := Join(path, "<<")
	switch {
	case !s.countPart(path):
		return
	case from.Kind != yaml.MappingNode:
		s.SetPosition(at, key)
		s.Errorf(at, "refer to a mapping with an alias", "expected a mapping (key: value), found %s", kindName(from))
		return
	case s.decoding[from]:
		s.SetPosition(at, key)
		s.Errorf(at, "write the value instead", "alias refers to a mapping that contains it")
		return
	}
	s.decoding[from] = true
	defer delete(s.decoding, from)
	for i := 0; i+1 < len(from.Content); i += 2 {
		if k := from.Content[i]; k.Kind == yaml.ScalarNode && !isMerge(k) && !previous[k.Value] {
			s.pair(k, from.Content[i+1], Join(path, k.Value), previous, slot)
		}
	}
	s.merge(from, path, previous, slot)
}

func resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}
