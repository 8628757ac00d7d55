// Command worddoc writes the reference of all keys of a schema, from the JSON Schema of its file.
//
//	go run ./internal/tools/worddoc -schema profiles/profile.schema.json -out docs/schema-words.md
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

func main() {
	schema := flag.String("schema", "profiles/profile.schema.json", "the JSON Schema, as `FILE`")
	out := flag.String("out", "docs/schema-words.md", "write the page to `FILE`")
	flag.Parse()
	if err := run(*schema, *out); err != nil {
		fmt.Fprintln(os.Stderr, "worddoc:", err)
		os.Exit(1)
	}
}

func run(schema, out string) error {
	text, err := os.ReadFile(schema)
	if err != nil {
		return err
	}
	var s node
	if err := json.Unmarshal(text, &s); err != nil {
		return fmt.Errorf("%s: %w", schema, err)
	}
	return os.WriteFile(out, []byte(document(&s)), 0o644)
}

// A node contains the parts of a JSON Schema that the document uses.
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
	Type        any              `json:"type"`                 // a text or a list of texts
	More        json.RawMessage  `json:"additionalProperties"` // a schema or a boolean
}

// additionalProperties returns the schema for values with arbitrary names, or nil if the node does not allow them.
func (n *node) additionalProperties() *node {
	var more node
	if len(n.More) == 0 || n.More[0] != '{' || json.Unmarshal(n.More, &more) != nil {
		return nil
	}
	return &more
}

// def returns the name of the definition to which n refers, or "".
func (n *node) def() string { return strings.TrimPrefix(n.Ref, "#/$defs/") }

// A page collects the data for the document.
type page struct {
	*node

	titles map[string]string // titles of definitions with a table: the first word with this content
	places map[string]string // the first word that contains each definition
	shared map[string]string // meanings of words that mean the same in many parts
	now    string            // title of the section being written, to which no link is needed
}

const (
	sharedFrom = 4  // a word in at least this many parts is explained only once
	maxInline  = 3  // maximum number of words that are explained without a table
	maxEnum    = 12 // maximum number of values to list
)

// guide maps sections to those of the guide that explain them, as anchors. Others have the same name or none.
var guide = map[string]string{
	"tables": "tables-and-indexes", "indexes": "tables-and-indexes", "patterns": "access-patterns", "variants": "access-patterns",
	"fan_out": "reads-from-several-partitions", "trails": "audit-trails", "states": "lifecycles", "transitions": "lifecycles",
	"attributes": "entities", "inputs": "actions", "also": "actions", "require": "actions", "queues": "queues-issues-accepted-warnings",
	"findings": "queues-issues-accepted-warnings", "guardrails": "rules-for-access", "sample": "sample-data", "actions": "actions",
	"entities": "entities", "lifecycles": "lifecycles", "filter": "access-patterns", "read": "audit-trails", "reads": "actions",
	"The file": "a-whole-schema",
}

// document returns the document, with the parts in the order of the schema.
func document(s *node) string {
	p := page{node: s, titles: map[string]string{}, places: map[string]string{}, shared: map[string]string{}}
	names := slices.DeleteFunc(p.definitionOrder(), func(name string) bool { return len(s.Defs[name].Properties) == 0 })
	parts := map[string]int{}
	for _, name := range names {
		for word, property := range s.Defs[name].Properties {
			if meaning := p.meaning(property); !p.repeats(name) && meaning != "" {
				parts[word+"\n"+meaning]++
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(parts)) {
		if word, meaning, _ := strings.Cut(key, "\n"); parts[key] >= sharedFrom {
			p.shared[word] = meaning
		}
	}
	var b strings.Builder
	b.WriteString(`# Schema keys

[The schema language](schema-language.md) shows examples and explains how the keys work together. ` +
		"`ddbdesk schema json-schema`" + `
prints the same reference for editors. A map has names of your choice, such as those of attributes; a section has the keys below. A list
with one string needs no brackets. Keys without a form accept a string, a number or a formula, or several forms; the meaning lists them. The
sections start with the file and continue with its parts:

`)
	var sections, links []string
	for _, name := range names {
		if title := p.titles[name]; title != "" && !slices.ContainsFunc(sections, func(n string) bool { return p.titles[n] == title }) {
			sections, links = append(sections, name), append(links, link(title))
		}
	}
	b.WriteString(strings.Join(links, " · ") + `

Several sections accept these keys. Each section lists them under *Also*:

| Key | Form | Meaning |
| --- | --- | --- |
`)
	for _, word := range slices.Sorted(maps.Keys(p.shared)) {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", word, p.sharedForm(word), p.shared[word])
	}
	for _, name := range sections {
		p.now = p.titles[name]
		fmt.Fprintf(&b, "\n## %s\n\n", p.now)
		if text := s.Defs[name].Description; text != "" {
			b.WriteString(text + "\n\n")
		}
		b.WriteString("| Key | Form | Meaning |\n| --- | --- | --- |\n")
		for _, word := range p.words(name) {
			n := s.Defs[name].Properties[word]
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", word, p.form(n), p.meaning(n))
		}
		text := p.validity(name, names)
		if anchor := guide[p.now]; anchor != "" {
			text += " [Guide](schema-language.md#" + anchor + ")."
		}
		if text != "" {
			fmt.Fprintf(&b, "| | | %s |\n", strings.TrimSpace(text))
		}
	}
	return b.String()
}

func link(title string) string {
	return fmt.Sprintf("[%s](#%s)", title, strings.ReplaceAll(strings.ToLower(title), " ", "-"))
}

// form returns the YAML form of a word, or "" for text and for formulas.
func (p *page) form(n *node) string {
	if d := p.Defs[n.def()]; d != nil {
		return p.form(d)
	}
	switch fmt.Sprint(n.Type) {
	case "boolean":
		return "true or false"
	case "integer":
		return "number"
	case "[object null]":
		if len(n.Properties) > 0 {
			return "section"
		}
		return "map"
	case "[array null]":
		return "list"
	}
	if len(n.AnyOf) > 0 && fmt.Sprint(n.AnyOf[0].Type) == "[array null]" {
		return "list"
	}
	return ""
}

// sharedForm returns the form of a word of the first table, or "" if it depends on the part.
func (p *page) sharedForm(word string) string {
	forms := map[string]bool{}
	for _, d := range p.Defs {
		if n := d.Properties[word]; n != nil && p.meaning(n) == p.shared[word] {
			forms[p.form(n)] = true
		}
	}
	if len(forms) != 1 {
		return ""
	}
	return slices.Collect(maps.Keys(forms))[0]
}

// validity describes where a part is valid: the words that contain it, with the parts of these words. It also lists the
// required and the shared words of the part.
func (p *page) validity(name string, names []string) string {
	var words, sentences []string
	parents := map[string][]string{}
	for _, parent := range names {
		if p.repeats(parent) || p.titles[parent] == p.titles[name] {
			continue
		}
		title := p.titles[parent]
		if title == "" {
			title = p.places[parent]
		}
		for _, word := range slices.Sorted(maps.Keys(p.Defs[parent].Properties)) {
			part := p.part(p.Defs[parent].Properties[word])
			if part == "" || p.titles[part] != p.titles[name] {
				continue
			}
			if !slices.Contains(words, word) {
				words = append(words, word)
			}
			if parent != p.def() && !slices.Contains(parents[word], title) {
				parents[word] = append(parents[word], title)
			}
		}
	}
	for i, word := range words {
		words[i] = "`" + word + "`"
		if len(parents[word]) > 0 {
			words[i] += " (" + strings.Join(parents[word], ", ") + ")"
		}
	}
	if len(words) > 0 {
		sentences = append(sentences, "Valid under "+strings.Join(words, ", ")+".")
	}
	if required := p.Defs[name].Required; len(required) > 0 {
		sentences = append(sentences, "Required: `"+strings.Join(required, "`, `")+"`.")
	}
	var also []string
	for _, word := range slices.Sorted(maps.Keys(p.Defs[name].Properties)) {
		if p.isShared(name, word) && !slices.Contains(p.Defs[name].Required, word) {
			also = append(also, word)
		}
	}
	if len(also) > 0 {
		sentences = append(sentences, "Also: `"+strings.Join(also, "`, `")+"`.")
	}
	return strings.Join(sentences, " ")
}

// words returns the words of a part that no other part explains.
func (p *page) words(name string) []string {
	words := slices.Sorted(maps.Keys(p.Defs[name].Properties))
	return slices.DeleteFunc(words, func(word string) bool { return p.isShared(name, word) })
}

// isShared reports whether the first table of the page explains a word of a part.
func (p *page) isShared(name, word string) bool {
	return p.shared[word] != "" && p.shared[word] == p.meaning(p.Defs[name].Properties[word])
}

// repeats reports whether a part contains only words of the whole schema, as an overlay does.
func (p *page) repeats(name string) bool {
	for word := range p.Defs[name].Properties {
		if p.Defs[p.def()].Properties[word] == nil {
			return false
		}
	}
	return name != p.def()
}

// meaning describes a word with its possible values and the part that it contains.
func (p *page) meaning(n *node) string {
	text := strings.ReplaceAll(n.Description, "|", "\\|")
	var values []string
	for _, alternative := range append(n.AnyOf, n) {
		for _, v := range alternative.Enum {
			if v != nil {
				values = append(values, fmt.Sprintf("`%v`", v))
			}
		}
	}
	switch {
	case len(values) > maxEnum:
		text += " [All formats](schema-language.md#formats)."
	case len(values) > 0:
		text += " One of " + strings.Join(values, ", ") + "."
	}
	part := p.part(n)
	switch {
	case part == "" || p.repeats(part) || p.now != "" && p.titles[part] == p.now:
	case p.titles[part] != "":
		text += " See " + link(p.titles[part]) + "."
	default:
		var inner []string
		for _, word := range p.words(part) {
			n := p.Defs[part].Properties[word]
			form := p.form(n)
			if form != "" {
				form = " (" + form + ")"
			}
			inner = append(inner, fmt.Sprintf("`%s`%s: %s", word, form, strings.TrimSuffix(p.meaning(n), ".")))
		}
		text += " (" + strings.Join(inner, "; ") + ")"
	}
	return strings.TrimSpace(text)
}

// part returns the first definition with words inside a word. It skips definitions without words, such as a formula.
func (p *page) part(n *node) string {
	name := contentDef(n)
	for range p.Defs { // a definition can contain itself
		def := p.Defs[name]
		if def == nil {
			break
		}
		if len(def.Properties) > 0 {
			return name
		}
		name = contentDef(&node{Items: def.Items, AnyOf: def.AnyOf, OneOf: def.OneOf, More: def.More})
	}
	return ""
}

// contentDef returns the definition of a word's content, which may be in a list or under names.
func contentDef(n *node) string {
	if n == nil {
		return ""
	}
	if n.Ref != "" {
		return n.def()
	}
	for _, inner := range append([]*node{n.Items, n.additionalProperties()}, append(n.AnyOf, n.OneOf...)...) {
		if part := contentDef(inner); part != "" {
			return part
		}
	}
	return ""
}

// definitionOrder returns the definitions in reading order, from the outside to the inside, and records the titles of
// those with a table.
func (p *page) definitionOrder() []string {
	var names []string
	type queuedDef struct{ def, word string }
	queue := []queuedDef{{p.def(), "The file"}}
	for len(queue) > 0 {
		next := queue[0]
		queue = queue[1:]
		def := p.Defs[next.def]
		if def == nil || slices.Contains(names, next.def) {
			continue
		}
		names = append(names, next.def)
		p.places[next.def] = next.word
		if len(def.Properties) > maxInline && !p.repeats(next.def) {
			p.titles[next.def] = p.title(next.def, next.word, names)
		}
		for _, word := range slices.Sorted(maps.Keys(def.Properties)) {
			queue = append(queue, queuedDef{contentDef(def.Properties[word]), word})
		}
		queue = append(queue, queuedDef{contentDef(&node{Items: def.Items, AnyOf: def.AnyOf, OneOf: def.OneOf, More: def.More}), next.word})
	}
	return names
}

// title returns the title of an earlier part with all words of this part. Otherwise it returns the word that contains
// this part.
func (p *page) title(name, word string, before []string) string {
	for _, other := range before {
		includesAll := p.titles[other] != "" && other != name
		for inner := range p.Defs[name].Properties {
			includesAll = includesAll && p.Defs[other].Properties[inner] != nil
		}
		if includesAll {
			return p.titles[other]
		}
	}
	return word
}
