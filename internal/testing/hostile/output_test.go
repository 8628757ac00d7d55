package hostile

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/models"
)

// printFunctions lists the functions and variables that can print text, by package.
var printFunctions = map[string][]string{
	"os":         {"Stdout", "Stderr", "WriteFile", "OpenFile", "Create", "CreateTemp", "NewFile", "Setenv"},
	"fmt":        {"Print", "Printf", "Println"},
	"log":        {"Print", "Printf", "Println", "Fatal", "Fatalf", "Fatalln", "Panic", "Panicf", "Panicln", "New", "Default", "Writer"},
	"log/slog":   {"New", "Default", "Debug", "Info", "Warn", "Error", "Log"},
	"os/exec":    {"Command", "CommandContext"},
	"syscall":    {"Write", "Exec", "StartProcess"},
	"net":        {"Listen", "Dial", "DialTimeout"},
	"net/http":   {"Get", "Post", "PostForm", "Head", "ListenAndServe"},
	"log/syslog": {"New", "Dial"},

	"charm.land/bubbletea/v2": {
		"SetClipboard", "SetPrimaryClipboard", "Printf", "Println", "Raw", "NewView", "ExecProcess",
		"Exec", "WithOutput",
	},
	"charm.land/lipgloss/v2":          {"Print", "Println", "Printf", "Fprint", "Fprintln", "Fprintf"},
	"github.com/atotto/clipboard":     {"WriteAll"},
	"github.com/charmbracelet/x/ansi": {"SetWindowTitle", "SetSystemClipboard", "SetClipboard", "SetHyperlink", "Execute", "Notify"},
}

// reviewedUses lists the uses of these functions by folder and name, with the reason why each use is safe.
var reviewedUses = map[string]string{
	"cmd/ddbdesk os.Stdout":         "main hands it to run, which puts a models.SafeWriter before it",
	"cmd/ddbdesk os.Stderr":         "main hands it to run, which puts a models.SafeWriter before it",
	"cmd/ddbdesk os.WriteFile":      "man pages and the reference of commands, when they are generated: text of the program itself",
	"internal/cli os.Stdout":        "its width, for the help",
	"internal/localhttp log.New":    "the log of serve, of models.Printable lines, behind the fence",
	"internal/doctor os.CreateTemp": "an empty file that is removed at once",
	"internal/appdir os.CreateTemp": "files of the program itself: bookmarks " +
		"are YAML of scalars that are models.Showable, the head of the journal is a number and a hash, the key is random bytes",
	"internal/appdir os.OpenFile":     "files that are read, and the journal: lines of models.PrintableJSON",
	"internal/embedded os.OpenFile":   "the file of the embedded database, which only the store reads",
	"internal/embedded os.CreateTemp": "as os.OpenFile, until the file is complete",
	"internal/crash os.OpenFile":      "the crash file: places in the program, without a word of data",
	"internal/items os.CreateTemp":    "exports: JSON of models.PrintableJSON, cells of CSVCell, models.Printable text, snippets",
	"tui os.Stdout":                   "the terminal: paint writes the frames of View there",
	"tui/paint tea.WithOutput":        "as os.Stdout: modes of the terminal, which Bubble Tea sets, pass through the screen",
	"tui tea.NewView":                 "View: the frame and the title pass models.SafeFrame and models.Printable",
	"tui tea.SetClipboard":            "copy: OSC 52 of base64; see safeToPaste in copy.go",
	"tui clipboard.WriteAll":          "copy: the same text as by OSC 52",
	"tui os.WriteFile":                "what a pager or editor is given, in a folder of its own, as copied",
	"tui exec.CommandContext":         "$PAGER and $EDITOR with the path of that file; no shell",
	"tui tea.ExecProcess":             "as exec.CommandContext",
	"tui/paint ansi.SetWindowTitle":   "an empty title, when the program ends",
}

// A developer must review every new use of such a function.
func TestEveryPrintedOutputIsReviewed(t *testing.T) {
	found := map[string]string{}
	root := filepath.Join("..", "..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || isTool(root, path)):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		return addPrintUses(root, path, found)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, exit := range slices.Sorted(maps.Keys(found)) {
		if reviewedUses[exit] == "" {
			t.Errorf("%s in %s is not reviewed; add it with the reason why its output is safe", exit, found[exit])
		}
	}
	for exit := range reviewedUses {
		if found[exit] == "" {
			t.Errorf("%s no longer prints; remove it", exit)
		}
	}
}

// isTool reports whether a folder contains developer tools or test support.
func isTool(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return false
	}
	return slices.Contains([]string{"internal/tools", "internal/testing", "profiles/internal"}, filepath.ToSlash(rel))
}

// addPrintUses adds the uses in a file to found.
func addPrintUses(root, path string, found map[string]string) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	names := map[string]string{} // import paths by the package name in this file
	for _, spec := range file.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil || printFunctions[importPath] == nil {
			continue
		}
		name := importPath[strings.LastIndexByte(importPath, '/')+1:]
		if name == "v2" {
			name = strings.Split(importPath, "/")[1]
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = importPath
	}
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return err
	}
	folder := filepath.ToSlash(filepath.Dir(rel))
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && slices.Contains(printFunctions[names[x.Name]], n.Sel.Name) {
				found[folder+" "+x.Name+"."+n.Sel.Name] = rel
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.Ident); ok && (f.Name == "print" || f.Name == "println") {
				found[folder+" "+f.Name] = rel
			}
		}
		return true
	})
	return nil
}

// The shapes must be valid DynamoDB items, because other shapes would prove nothing.
func TestTableWriterFitsShapes(t *testing.T) {
	previous := map[string]bool{}
	for _, s := range Shapes() {
		if previous[s.Name] {
			t.Errorf("two shapes have the name %q", s.Name)
		}
		previous[s.Name] = true
		if n := s.Attributes.Size(); n > MaxItem-4096 {
			t.Errorf("%s: %d bytes leave no space for keys", s.Name, n)
		}
		for n := range s.Attributes {
			if n == "" || len(n) > 64<<10 {
				t.Errorf("%s: the name has %d bytes", s.Name, len(n))
			}
		}
	}
}

func TestFirstUnsafeFindsUnsafeText(t *testing.T) {
	for text, acts := range map[string]bool{
		"plain\n": false, "👩‍👩‍👧 日本 é": false, "\ufffd": false, "a\tb": true, "\x1b": true, "\u009b": true, "\xff": true,
		"\u202e": true, "\u2028": true, "\x7f": true,
	} {
		if got := FirstUnsafe(text, ""); (got != "") != acts {
			t.Errorf("FirstUnsafe(%+q) = %q", text, got)
		}
	}
	if FirstUnsafe("a\tb", "\t") != "" {
		t.Error("FirstUnsafe does not allow a tab")
	}
}

func TestHostileTextHasEveryKind(t *testing.T) {
	for _, part := range []string{"\x1b]52", "\x1b]8", "\u202e", "\u009b", "\x00", "\ufeff", "\u2028"} {
		if !strings.Contains(Text, part) {
			t.Errorf("%q is missing in the text", part)
		}
	}
	if models.Printable(Text) == Text {
		t.Error("the text contains no unprintable character")
	}
}
