package placed

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v4"
)

// maxDepth is the depth to which Patch merges mappings. Declarations are never deeper, but an alias inside itself would
// never end.
const maxDepth = 50

// Pair returns the key and the value of a pair in a mapping, including pairs from a merge key, or nil for both.
func Pair(n *yaml.Node, key string) (k, value *yaml.Node) {
	return pairWithin(n, key, 0)
}

func pairWithin(n *yaml.Node, key string, depth int) (k, value *yaml.Node) {
	if n = resolve(n); n.Kind != yaml.MappingNode || depth > maxDepth {
		return nil, nil
	}
	if i := indexOf(n, key); i >= 0 {
		return n.Content[i], n.Content[i+1]
	}
	for _, m := range mergedNodes(n) {
		if k, value = pairWithin(m, key, depth+1); k != nil {
			return k, value
		}
	}
	return nil, nil
}

func indexOf(n *yaml.Node, key string) int {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Kind == yaml.ScalarNode && n.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// copyOf copies a mapping before a change, because aliases may refer to it.
func (s *Source) copyOf(n *yaml.Node) *yaml.Node {
	c := *n
	c.Content = slices.Clone(n.Content)
	if file := s.files[n]; file != "" {
		s.files[&c] = file
	}
	return &c
}

// Patch returns a mapping with the changes in patch. It merges mappings pair by pair; null removes a pair, and any
// other value replaces the old one. It follows the rules of JSON Merge Patch:
// https://datatracker.ietf.org/doc/html/rfc7396
func (s *Source) Patch(n, patch *yaml.Node) *yaml.Node { return s.patch(n, patch, 0) }

func (s *Source) patch(n, patch *yaml.Node, depth int) *yaml.Node {
	n, patch = resolve(n), resolve(patch)
	if n.Kind != yaml.MappingNode || patch.Kind != yaml.MappingNode || depth > maxDepth {
		return patch
	}
	n = s.copyOf(n)
	for _, m := range slices.Backward(mergedNodes(patch)) {
		n = s.patch(n, m, depth+1)
	}
	for i := 0; i+1 < len(patch.Content); i += 2 {
		k, value := patch.Content[i], patch.Content[i+1]
		if isMerge(k) {
			continue
		}
		_, before := Pair(n, k.Value)
		at := indexOf(n, k.Value)
		isNull := value.Kind == yaml.ScalarNode && value.Tag == "!!null"
		switch {
		case isNull && at >= 0:
			n.Content = slices.Delete(n.Content, at, at+2)
			continue
		case before != nil:
			value = s.patch(before, value, depth+1)
		}
		if at >= 0 {
			n.Content[at], n.Content[at+1] = k, value
		} else {
			n.Content = append(n.Content, k, value)
		}
	}
	return n
}

// Union returns a mapping with the parts of an included mapping added: the pairs of its mappings and the elements of
// its lists. If both define a part, it reports a fault in the included mapping.
func (s *Source) Union(n, more *yaml.Node) *yaml.Node {
	n = s.copyOf(n)
	for i := 0; i+1 < len(more.Content); i += 2 {
		k, value := more.Content[i], resolve(more.Content[i+1])
		at := indexOf(n, k.Value)
		if at < 0 {
			n.Content = append(n.Content, k, value)
			continue
		}
		existing := resolve(n.Content[at+1])
		switch {
		case existing.Kind == yaml.SequenceNode && value.Kind == yaml.SequenceNode:
			existing = s.copyOf(existing)
			existing.Content = append(existing.Content, value.Content...)
		case existing.Kind == yaml.MappingNode && value.Kind == yaml.MappingNode:
			existing = s.addPairs(existing, value, k.Value)
		default:
			s.reportRepeated(k, n.Content[at], k.Value)
		}
		n.Content[at+1] = existing
	}
	return n
}

func (s *Source) addPairs(n, more *yaml.Node, path string) *yaml.Node {
	n = s.copyOf(n)
	for i := 0; i+1 < len(more.Content); i += 2 {
		k := more.Content[i]
		if first, _ := Pair(n, k.Value); first != nil && !isMerge(k) {
			s.reportRepeated(k, first, Join(path, k.Value))
			continue
		}
		n.Content = append(n.Content, k, more.Content[i+1])
	}
	return n
}

func (s *Source) reportRepeated(k, first *yaml.Node, path string) {
	place := fmt.Sprintf("the %s, line %d", s.Subject, first.Line)
	if file := s.files[first]; file != "" {
		place = fmt.Sprintf("%s:%d", file, first.Line)
	}
	s.FaultAt(k, path, "rename or remove one of the two", fmt.Sprintf("%q is already defined in %s", k.Value, place))
}

// files maps each node to its file.
type files map[*yaml.Node]string

func (f files) note(n *yaml.Node, file string) {
	f[n] = file
	for _, part := range n.Content {
		f.note(part, file)
	}
}
