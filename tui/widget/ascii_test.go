package widget

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/models"
)

func TestSymbolsHaveASCIIForms(t *testing.T) {
	s := NewStyles(true, true)
	panel := Panel{Title: "Élan", Note: "3 …", Focused: true}.Render(s, "✓ approved · 日本 → ❤️", 30, 3)
	for signs, want := range map[Signs]string{
		SignsFew:   "+ Élan ---------------- 3 ~ -+\n|+ approved - 日本 > ❤️      |\n+----------------------------+",
		SignsASCII: "+ ?lan ---------------- 3 ~ -+\n|+ approved - ???? > ??      |\n+----------------------------+",
	} {
		if got := plain(signs.Draw(panel)); got != want {
			t.Errorf("signs %d: got\n%s\nwant\n%s", signs, got, want)
		}
	}
	if got := SignsAll.Draw(panel); got != panel {
		t.Error("Draw changed plain text")
	}
}

func TestSignsKeepWidth(t *testing.T) {
	s := NewStyles(true, false)
	rapid.Check(t, func(t *rapid.T) {
		text := s.Paint(RoleGood, models.Printable(hostile().Draw(t, "text")))
		for _, signs := range []Signs{SignsFew, SignsASCII} {
			got := signs.Draw(text)
			if ansi.StringWidth(got) != ansi.StringWidth(text) {
				t.Fatalf("%d: %q is %d cells wide, %q was %d", signs, got, ansi.StringWidth(got), text, ansi.StringWidth(text))
			}
			if signs == SignsASCII && strings.IndexFunc(got, func(r rune) bool { return r > unicode.MaxASCII }) >= 0 {
				t.Fatalf("%q is not ASCII", got)
			}
		}
	})
}

// ASCII replacements appear next to keys and must not look like them.
func TestSymbolsDifferFromKeys(t *testing.T) {
	if got := SignsASCII.Draw("⊘ READ-ONLY"); got != "! READ-ONLY" {
		t.Errorf("Draw() = %q, want ! READ-ONLY", got)
	}
}

// A terminal without UTF-8 would show a question mark for a symbol that has no replacement.
func TestEverySymbolHasASCIIReplacement(t *testing.T) {
	err := filepath.WalkDir("..", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") ||
			entry.Name() == "ascii.go" {
			return err
		}
		for _, r := range literalSigns(t, file) {
			if _, ok := plainSigns[r]; !ok {
				t.Errorf("%s draws %q (%U); add its ASCII form to plainSigns", file, r, r)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// literalSigns returns the non-ASCII characters in the literals of a file, except letters.
func literalSigns(t *testing.T, file string) []rune {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var s scanner.Scanner
	files := token.NewFileSet()
	s.Init(files.AddFile(file, -1, len(text)), text, nil, 0)
	var list []rune
	for {
		_, tok, literal := s.Scan()
		switch tok {
		case token.EOF:
			return list
		case token.STRING, token.CHAR:
			for _, r := range literal {
				if r > unicode.MaxASCII && !unicode.IsLetter(r) {
					list = append(list, r)
				}
			}
		default:
		}
	}
}

func BenchmarkSigns(b *testing.B) {
	view := workbench(NewStyles(true, false), 160, 50, false, false)
	b.ReportAllocs()
	for b.Loop() {
		SignsASCII.Draw(view)
	}
}
