package main

import (
	"slices"

	"go.yaml.in/yaml/v4"
)

// longest is the number of lines of the longest example.
const longest = 14

// A collector finds an example of every definition in profiles.
type collector struct {
	defs  map[string]*node
	found map[string]*yaml.Node
}

// walk reads n as what the schema s describes, and keeps what is a better example than those before.
func (c *collector) walk(s *node, n *yaml.Node) {
	if s == nil || n == nil {
		return
	}
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if s.Ref != "" {
		c.offer(s.def(), n)
		c.walk(c.defs[s.def()], n)
		return
	}
	for _, form := range slices.Concat(s.AnyOf, s.OneOf) {
		c.walk(form, n)
	}
	switch n.Kind {
	case yaml.SequenceNode:
		for _, item := range n.Content {
			c.walk(s.Items, item)
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if word := s.Properties[n.Content[i].Value]; word != nil {
				c.walk(word, n.Content[i+1])
			} else {
				c.walk(s.others(), n.Content[i+1])
			}
		}
	default: // has no parts
	}
}

// offer keeps a mapping as the example of a definition if it shows more words than the one before, within the longest
// example. What another definition describes is not shown in both: an example of more lines is none.
func (c *collector) offer(name string, n *yaml.Node) {
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 || lines(n) > longest || slices.ContainsFunc(n.Content, isAlias) {
		return
	}
	if best := c.found[name]; best == nil || len(n.Content) > len(best.Content) {
		c.found[name] = n
	}
}

func isAlias(n *yaml.Node) bool { return n.Kind == yaml.AliasNode || n.Anchor != "" || n.Value == "<<" }

// lines returns the number of lines of a node.
func lines(n *yaml.Node) int {
	last := n.Line
	for _, inner := range n.Content {
		last = max(last, inner.Line+lines(inner)-1)
	}
	return last - n.Line + 1
}
