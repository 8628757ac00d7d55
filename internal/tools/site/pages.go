package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"go.yaml.in/yaml/v4"
)

// repository is where links to files that are no page lead.
const repository = "https://github.com/ddbdesk/ddbdesk/blob/main/"

// A site is the documentation: its pages in the order of the navigation.
type site struct {
	root   string // folder of the repository
	groups []group
	pages  []*page
	byFile map[string]*page // by path
}

// A group is a part of the navigation.
type group struct {
	Title string `yaml:"title"`
	Pages []*struct {
		File  string `yaml:"file"`
		As    string `yaml:"as"`
		Title string `yaml:"title"`
	} `yaml:"pages"`
	pages []*page
}

// A page is one document.
type page struct {
	file     string // path of the Markdown
	name     string // of the HTML file
	title    string
	source   []byte
	document ast.Node
	anchors  []anchor
	files    map[string]bool // pictures and other files that it shows, relative to its folder
}

// An anchor is a heading, and the text below it.
type anchor struct {
	id, title, text string
	level           int
}

var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// read reads the navigation and all pages of a folder of documentation.
func read(docs string) (*site, error) {
	s := &site{root: filepath.Dir(filepath.Clean(docs)), byFile: map[string]*page{}}
	nav, err := os.ReadFile(filepath.Join(docs, "site.yaml"))
	if err != nil {
		return nil, err
	}
	if err := yaml.Unmarshal(nav, &s.groups); err != nil {
		return nil, fmt.Errorf("site.yaml: %w", err)
	}
	for i := range s.groups {
		g := &s.groups[i]
		for _, entry := range g.Pages {
			p, err := readPage(filepath.Join(docs, entry.File))
			if err != nil {
				return nil, err
			}
			p.name = cmp.Or(entry.As, strings.ToLower(strings.TrimSuffix(filepath.Base(entry.File), ".md"))+".html")
			p.title = cmp.Or(entry.Title, p.title)
			g.pages, s.pages, s.byFile[p.file] = append(g.pages, p), append(s.pages, p), p
		}
	}
	return s, s.complete(docs)
}

// complete returns an error for documents that the navigation leaves out.
func (s *site) complete(docs string) error {
	documents, err := filepath.Glob(filepath.Join(docs, "*.md"))
	if err != nil {
		return err
	}
	var faults []error
	for _, file := range documents {
		if s.byFile[filepath.Clean(file)] == nil {
			faults = append(faults, fmt.Errorf("%s is not in site.yaml; list it where its readers look", file))
		}
	}
	return errors.Join(faults...)
}

// readPage parses a document. Its title is its first heading.
func readPage(file string) (*page, error) {
	source, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	p := &page{file: filepath.Clean(file), source: source, files: map[string]bool{}}
	context := parser.NewContext(parser.WithIDs(&headings{seen: map[string]int{}}))
	p.document = markdown.Parser().Parse(text.NewReader(source), parser.WithContext(context))
	for n := p.document.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok {
			if len(p.anchors) > 0 {
				last := &p.anchors[len(p.anchors)-1]
				last.text = strings.TrimSpace(last.text + " " + plain(n, source))
			}
			continue
		}
		id, _ := h.AttributeString("id")
		name, _ := id.([]byte)
		p.anchors = append(p.anchors, anchor{id: string(name), title: plain(h, source), level: h.Level})
	}
	if len(p.anchors) == 0 {
		return nil, fmt.Errorf("%s has no heading", file)
	}
	p.title = p.anchors[0].title
	return p, nil
}

// plain returns the text of a node without marks, its words separated by one space.
func plain(n ast.Node, source []byte) string {
	var b bytes.Buffer
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function returns no error
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(n.Segment.Value(source))
				if n.SoftLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			if entering {
				b.Write(n.Lines().Value(source))
			}
		default:
			if n.Type() == ast.TypeBlock {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// headings makes the anchors of headings as GitHub does, so that a link works in both places.
type headings struct{ seen map[string]int }

// Generate returns the anchor of a heading: lower case, with hyphens for spaces and without other punctuation. A repeated
// one gets a number.
func (h *headings) Generate(value []byte, _ ast.NodeKind) []byte {
	id := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(string(value)))
	n := h.seen[id]
	h.seen[id]++
	if n > 0 {
		id = fmt.Sprintf("%s-%d", id, n)
	}
	return []byte(id)
}

// Put does nothing: no document names its own anchors.
func (h *headings) Put([]byte) {}

// has reports whether a page has an anchor; the empty one is its beginning.
func (p *page) has(id string) bool {
	return id == "" || slices.ContainsFunc(p.anchors, func(a anchor) bool { return a.id == id })
}
