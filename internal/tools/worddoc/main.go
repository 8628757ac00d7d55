// Command worddoc writes the reference of all words of a profile, from the JSON Schema, with an example of each part from
// profiles that lint.
//
//	go run ./internal/tools/worddoc -schema profiles/profile.schema.json -out docs/schema-words.md PROFILE...
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

func main() {
	schema := flag.String("schema", "profiles/profile.schema.json", "the JSON Schema, as `FILE`")
	out := flag.String("out", "docs/schema-words.md", "write the page to `FILE`")
	flag.Parse()
	if err := run(*schema, *out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "worddoc:", err)
		os.Exit(1)
	}
}

func run(schema, out string, profiles []string) error {
	text, err := os.ReadFile(schema)
	if err != nil {
		return err
	}
	var s node
	if err := json.Unmarshal(text, &s); err != nil {
		return fmt.Errorf("%s: %w", schema, err)
	}
	examples := collector{defs: s.Defs, found: map[string]*yaml.Node{}}
	for _, file := range profiles {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var document yaml.Node
		if err := yaml.Unmarshal(text, &document); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if len(document.Content) != 1 {
			return fmt.Errorf("%s: %w", file, errors.New("no profile"))
		}
		examples.walk(&s, document.Content[0])
	}
	page, err := page(&s, examples.found)
	if err != nil {
		return err
	}
	return os.WriteFile(out, []byte(page), 0o644)
}

// A node is the part of a JSON Schema that the page needs.
type node struct {
	Ref         string           `json:"$ref"`
	Defs        map[string]*node `json:"$defs"`
	Description string           `json:"description"`
	Properties  map[string]*node `json:"properties"`
	Required    []string         `json:"required"`
	Enum        []any            `json:"enum"`
	Items       *node            `json:"items"`
	AnyOf       []*node          `json:"anyOf"`
	OneOf       []*node          `json:"oneOf"`
	More        json.RawMessage  `json:"additionalProperties"` // a schema, or a boolean
}

// others returns the schema of the values whose names are free, nil if there are none.
func (n *node) others() *node {
	var more node
	if len(n.More) == 0 || n.More[0] != '{' || json.Unmarshal(n.More, &more) != nil {
		return nil
	}
	return &more
}

// def returns the name of the definition that n refers to, "" if it is none.
func (n *node) def() string { return strings.TrimPrefix(n.Ref, "#/$defs/") }

// page returns the reference: the parts in the order in which a profile has them, then the others.
func page(s *node, examples map[string]*yaml.Node) (string, error) {
	var b strings.Builder
	b.WriteString(`# All words of a profile

Every word that a profile can have, with an example of each part. [The schema language](schema-language.md) explains how they work together.
` + "`ddbdesk schema json-schema`" + ` prints the same for editors, and ` + "`go generate ./profiles`" + ` writes this page from it.
`)
	for _, name := range order(s) {
		def := s.Defs[name]
		if len(def.Properties) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n", name)
		if def.Description != "" {
			b.WriteString(def.Description + "\n\n")
		}
		b.WriteString("| Word | Meaning |\n| --- | --- |\n")
		for _, word := range slices.Sorted(maps.Keys(def.Properties)) {
			fmt.Fprintf(&b, "| `%s` | %s |\n", word, s.meaning(def.Properties[word]))
		}
		if example := examples[name]; example != nil {
			text, err := yaml.Marshal(example)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "\n```yaml\n%s```\n", text)
		}
	}
	return b.String(), nil
}

// meaning returns the description of a word, the values that it can have, and the part that it holds.
func (n *node) meaning(of *node) string {
	text := strings.ReplaceAll(of.Description, "|", "\\|")
	var values []string
	for _, one := range append(of.AnyOf, of) {
		for _, v := range one.Enum {
			if v != nil {
				values = append(values, fmt.Sprintf("`%v`", v))
			}
		}
	}
	if len(values) > 0 {
		text += " One of " + strings.Join(values, ", ") + "."
	}
	if part := n.part(of); part != "" {
		text += fmt.Sprintf(" See [%s](#%s).", part, strings.ToLower(part))
	}
	return strings.TrimSpace(text)
}

// part returns the definition with words that a word holds, through those that have none, such as a formula.
func (n *node) part(of *node) string {
	name := held(of)
	for range n.Defs { // A definition can hold itself.
		def := n.Defs[name]
		if def == nil {
			break
		}
		if len(def.Properties) > 0 {
			return name
		}
		name = held(&node{Items: def.Items, AnyOf: def.AnyOf, OneOf: def.OneOf, More: def.More})
	}
	return ""
}

// held returns the definition of what a word holds, directly, in a list or under names.
func held(n *node) string {
	if n == nil {
		return ""
	}
	if n.Ref != "" {
		return n.def()
	}
	for _, inner := range append([]*node{n.Items, n.others()}, append(n.AnyOf, n.OneOf...)...) {
		if part := held(inner); part != "" {
			return part
		}
	}
	return ""
}

// order returns the definitions as a reader meets them, from the profile inwards.
func order(s *node) []string {
	var names []string
	queue := []string{s.def()}
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		def := s.Defs[name]
		if def == nil || slices.Contains(names, name) {
			continue
		}
		names = append(names, name)
		for _, word := range slices.Sorted(maps.Keys(def.Properties)) {
			queue = append(queue, held(def.Properties[word]))
		}
		queue = append(queue, held(&node{Items: def.Items, AnyOf: def.AnyOf, OneOf: def.OneOf, More: def.More}))
	}
	return names
}

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
