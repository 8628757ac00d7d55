// Package docs contains the documentation and the tests that check it. The
// tests read the repository and use no network.
package docs

import (
	"bufio"
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

func TestGlossaryWordsAreNotRetired(t *testing.T) {
	retired := retiredWords(t)
	for word := range glossaryWords(t) {
		if retired.MatchString(word) {
			t.Errorf("docs/internals/glossary.md lists %q and retires it", word)
		}
	}
}

func TestProgramUsesNoRetiredWords(t *testing.T) {
	retired := retiredWords(t)
	for _, text := range readableTexts(t) {
		for _, word := range retired.FindAllString(text.value, -1) {
			t.Errorf("%s:%d: %q is retired; see docs/internals/glossary.md", text.file, text.line, word)
		}
	}
}

// text is a piece of text that users read, with its place in the repository.
type text struct {
	file  string
	line  int
	value string
}

// readableTexts returns the string literals of the program, the values of the
// built-in schemas and the lines of the documentation.
func readableTexts(t *testing.T) []text {
	t.Helper()
	var texts []text
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		file := filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
		switch {
		case entry.IsDir() && (file == ".git" || file == "bin" || file == "internal/testing" || file == "internal/tools" ||
			entry.Name() == "testdata"):
			return filepath.SkipDir
		case strings.HasSuffix(file, "_test.go") || file == "docs/internals/glossary.md" || file == "CHANGELOG.md":
			return nil
		case strings.HasSuffix(file, ".go"):
			texts = append(texts, literals(t, path, file)...)
		case strings.HasPrefix(file, "profiles/") && strings.HasSuffix(file, ".yaml"):
			texts = append(texts, profileValues(t, path, file)...)
		case strings.HasSuffix(file, ".md"):
			texts = append(texts, lines(t, path, file)...)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// literals returns the strings of a Go file, without imports and struct tags.
func literals(t *testing.T, path, file string) []text {
	t.Helper()
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var texts []text
	ast.Inspect(parsed, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			node.Tag = nil
		case *ast.BasicLit:
			if value, err := strconv.Unquote(node.Value); node.Kind == token.STRING && err == nil {
				texts = append(texts, text{file, files.Position(node.Pos()).Line, value})
			}
		}
		return true
	})
	return texts
}

// profileValues returns the values of a schema. Its keys are the words of the
// schema language, which keep working.
func profileValues(t *testing.T, path, file string) []text {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(content, &document); err != nil {
		t.Fatal(err)
	}
	var texts []text
	var walk func(node *yaml.Node)
	walk = func(node *yaml.Node) {
		if node.Kind == yaml.ScalarNode {
			texts = append(texts, text{file, node.Line, node.Value})
		}
		for i, child := range node.Content {
			if node.Kind != yaml.MappingNode || i%2 == 1 {
				walk(child)
			}
		}
	}
	walk(&document)
	return texts
}

// lines returns the lines of a document without code, which quotes the schema
// language.
func lines(t *testing.T, path, file string) []text {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var texts []text
	code := regexp.MustCompile("`[^`]*`")
	scanner := bufio.NewScanner(f)
	fenced := false
	for n := 1; scanner.Scan(); n++ {
		if strings.HasPrefix(scanner.Text(), "```") {
			fenced = !fenced
		} else if !fenced {
			texts = append(texts, text{file, n, code.ReplaceAllString(scanner.Text(), "")})
		}
	}
	if err := scanner.Err(); err != nil {
		t.Fatal(err)
	}
	return texts
}

// retiredWords returns an expression for the words in the table "Retired words".
func retiredWords(t *testing.T) *regexp.Regexp {
	t.Helper()
	_, table, found := strings.Cut(glossary(t), "## Retired words")
	if !found {
		t.Fatal("docs/internals/glossary.md has no section \"Retired words\"")
	}
	var words []string
	for row := range strings.SplitSeq(table, "\n") {
		cells := strings.Split(row, "|")
		if len(cells) < 3 {
			continue
		}
		for _, word := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
			words = append(words, regexp.QuoteMeta(word[1]))
		}
	}
	if len(words) == 0 {
		t.Fatal("docs/internals/glossary.md retires no words")
	}
	// The longest alternative first, so that a phrase counts once.
	slices.SortFunc(words, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return regexp.MustCompile(`(?i)\b(?:` + strings.Join(words, "|") + `)\b`)
}

// glossaryWords returns the words and meanings of the glossary.
func glossaryWords(t *testing.T) map[string]bool {
	t.Helper()
	tables, _, _ := strings.Cut(glossary(t), "## Retired words")
	words := map[string]bool{}
	for row := range strings.SplitSeq(tables, "\n") {
		if cells := strings.Split(row, "|"); len(cells) == 4 {
			words[strings.TrimSpace(cells[1])] = true
			words[strings.TrimSpace(cells[2])] = true
		}
	}
	return words
}

func glossary(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile("internals/glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
