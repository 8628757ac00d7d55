package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The documentation of this repository is complete: every page is listed, and every link leads to something.
func TestDocumentationIsASite(t *testing.T) {
	out := t.TempDir()
	if err := run("../../../docs", out); err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(filepath.Join(out, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<title>ddbdesk</title>`, `aria-current="page">ddbdesk</a>`, `href="install.html"`, `src="docs/pictures/tour.svg"`,
		`<code class="word">authbridge</code>`,
	} {
		if !strings.Contains(string(index), want) {
			t.Errorf("index.html has no %s", want)
		}
	}
	pages, err := filepath.Glob(filepath.Join(out, "*.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, foreign := range []string{`src="http`, `<link rel="stylesheet" href="http`} {
			if strings.Contains(string(text), foreign) {
				t.Errorf("%s has %s", filepath.Base(page), foreign)
			}
		}
	}
}

// folder writes the files of a documentation and returns its folder docs.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(root, "docs")
}

const nav = "- title: Start\n  pages: [{file: ../README.md, as: index.html}, {file: a.md, title: First}]\n"

func TestFaultsAreFound(t *testing.T) {
	good := "# One\n\n## What's `new`?\n\n## What's `new`?\n"
	for name, c := range map[string]struct{ readme, a, fault string }{
		"good":            {"# Home\n\n[a](docs/a.md#whats-new-1) [code](code.go) [x](https://example.com)\n", good, ""},
		"missing page":    {"# Home\n\n[a](docs/b.md)\n", good, `link to "docs/b.md", which does not exist`},
		"missing heading": {"# Home\n\n[a](docs/a.md#whats-new-2)\n", good, "no such heading"},
		"own heading":     {"# Home\n\n[a](#away)\n", good, "no such heading"},
		"outside":         {"# Home\n\n[a](../../)\n", good, "outside the repository"},
		"foreign picture": {"# Home\n\n![a](https://example.com/a.png)\n", good, "on another host"},
		"missing picture": {"# Home\n\n![a](a.png)\n", good, `picture "a.png" does not exist`},
		"no heading":      {"# Home\n", "text\n", "has no heading"},
	} {
		docs := folder(t, map[string]string{"README.md": c.readme, "docs/a.md": c.a, "docs/site.yaml": nav, "code.go": ""})
		out := filepath.Join(t.TempDir(), "out")
		err := run(docs, out)
		switch {
		case c.fault == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
			t.Errorf("%s: %v, want %s", name, err, c.fault)
		}
		if _, missing := os.Stat(out); (missing == nil) != (c.fault == "") {
			t.Errorf("%s: written is %v", name, missing == nil)
		}
	}
	docs := folder(t, map[string]string{"README.md": "# Home\n", "docs/a.md": good, "docs/b.md": good, "docs/site.yaml": nav})
	if err := run(docs, ""); err == nil || !strings.Contains(err.Error(), "b.md is not in site.yaml") {
		t.Errorf("a page that is not listed: %v", err)
	}
}

func TestLinksLeadToPagesOfTheSite(t *testing.T) {
	docs := folder(t, map[string]string{
		"README.md":      "# Home\n\n[a](docs/a.md#two) and [code](code.go)\n",
		"docs/a.md":      "# One\n\nwords of one\n\n## Two\n\nwords of `two`\n\n| a |\n| --- |\n| cell |\n\n[home](../README.md)\n",
		"docs/site.yaml": nav, "code.go": "",
	})
	out := t.TempDir()
	if err := run(docs, out); err != nil {
		t.Fatal(err)
	}
	for file, wants := range map[string][]string{
		"index.html": {`href="a.html#two"`, `href="` + repository + `code.go"`},
		"a.html":     {`<title>First · ddbdesk</title>`, `<h2 id="two">`, `href="index.html"`, `<a href="#two">Two</a>`, "<td>cell</td>"},
		"search.js":  {`{"p":"First","t":"Two","l":"a.html#two","x":"words of two a cell home"}`},
	} {
		text, err := os.ReadFile(filepath.Join(out, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s has no %s:\n%s", file, want, text)
			}
		}
	}
}
