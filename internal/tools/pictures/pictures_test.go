//go:build linux

package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/vt"
)

func TestMistakesInScriptAreFoundBeforeProgramStarts(t *testing.T) {
	for script, want := range map[string]string{
		"run 80x24 x\nclick 3,4": `s.txt:2: unknown step "click"`,
		"run ddbdesk demo":       "use WIDTHxHEIGHT PROGRAM",
		"run 80x24":              "use WIDTHxHEIGHT PROGRAM",
		"run 80x24 light ":       "use WIDTHxHEIGHT PROGRAM",
		"wait (":                 "missing closing )",
		"press down return":      `unknown key "return"`,
		"# ignored\n\nshot":      "s.txt:3: shot needs a value",
	} {
		if _, err := parse("s.txt", script); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", script, err, want)
		}
	}
}

func TestKeysMatchTerminalInput(t *testing.T) {
	for key, want := range map[string]string{"ctrl+k": "\v", "up": "\x1b[A", "?": "?", "é": "é"} {
		if got, ok := keyBytes(key); !ok || got != want {
			t.Errorf("%s: got %q, %v, want %q", key, got, ok, want)
		}
	}
}

// The picture of every screen is well-formed and keeps its columns, in which wide characters take two cells.
func TestScreenPicture(t *testing.T) {
	term := &terminal{w: 20, h: 2, colors: dark, screen: vt.NewSafeEmulator(20, 2)}
	if _, err := term.screen.WriteString("<a> & \x1b[1;31mbold\x1b[0m 漢字 \x1b[7mrev\x1b[0m"); err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimRight(strings.Split(term.text(), "\n")[0], " "); got != "<a> & bold 漢字 rev" {
		t.Errorf("the screen shows %q", got)
	}
	svg := string(term.svg())
	for _, want := range []string{
		"&lt;a&gt;\u00a0&amp;\u00a0", `font-weight="bold">bold<`,
		`textLength="16.8" lengthAdjust="spacingAndGlyphs" fill="#d6d9e0">漢<`,
		`fill="#161821">rev<`,
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("the picture lacks %s:\n%s", want, svg)
		}
	}
	decoder := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("the picture is not valid XML: %v", err)
		}
	}
}

func TestPictureShowsRunningProgram(t *testing.T) {
	if f, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0); err != nil {
		t.Skipf("requires pseudo-terminals: %v", err)
	} else if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "scenes.txt")
	if err := os.WriteFile(script, []byte("run 40x5 cat\ntype hello\npress enter\nwait hello\\s+hello\nshot echo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := recordScript(t.Context(), script, dir); err != nil {
		t.Fatal(err)
	}
	svg, err := os.ReadFile(filepath.Join(dir, "echo.svg"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(svg), "hello") != 2 {
		t.Errorf("the picture lacks the input or the output:\n%s", svg)
	}
}
