package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"html/template"
	"regexp"
	"strings"
)

var (
	//go:embed page.html
	layoutText string
	//go:embed page.css
	style []byte
	//go:embed page.js
	script []byte

	layout = template.Must(template.New("page").Parse(layoutText))
)

// A navigation entry, as the template shows it.
type entry struct {
	Title, Name string
	Current     bool
	Parts       []entry // the sections of the current page
}

// render returns the HTML of a page.
func (s *site) render(p *page) ([]byte, error) {
	var body bytes.Buffer
	if err := markdown.Renderer().Render(&body, p.source, p.document); err != nil {
		return nil, err
	}
	type part struct {
		Title string
		Pages []entry
	}
	var nav []part
	for _, g := range s.groups {
		shown := part{Title: g.Title}
		for _, other := range g.pages {
			e := entry{Title: other.title, Name: other.name, Current: other == p}
			if e.Current {
				e.Parts = sections(p)
			}
			shown.Pages = append(shown.Pages, e)
		}
		nav = append(nav, shown)
	}
	var out bytes.Buffer
	err := layout.Execute(&out, map[string]any{
		"Title": p.title, "Nav": nav,
		"Body": template.HTML(wholeWords(body.String())), //nolint:gosec // Rendered from the documents of this repository, without raw HTML.
	})
	return out.Bytes(), err
}

// word matches code that is short and without a space, such as the name of a key.
var word = regexp.MustCompile(`<code>([^<\s]{1,20})</code>`)

// wholeWords marks short words of code, which narrow columns of tables do not break.
func wholeWords(html string) string {
	return word.ReplaceAllString(html, `<code class="word">$1</code>`)
}

// sections returns the headings of the second level.
func sections(p *page) []entry {
	var list []entry
	for _, a := range p.anchors {
		if a.level == 2 {
			list = append(list, entry{Title: a.title, Name: "#" + a.id})
		}
	}
	return list
}

// index returns a script with the text of all sections, which the page searches. A script also loads from the file
// system, where a page may not read other files.
func (s *site) index() []byte {
	type section struct {
		Page  string `json:"p"`
		Title string `json:"t"`
		Link  string `json:"l"`
		Text  string `json:"x"`
	}
	var all []section
	for _, p := range s.pages {
		for _, a := range p.anchors {
			link := p.name
			if a.level > 1 {
				link += "#" + a.id
			}
			all = append(all, section{p.title, a.title, link, strings.ToLower(a.text)})
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		panic(err) // strings only
	}
	return append(append([]byte("const sections = "), text...), ";\n"...)
}
