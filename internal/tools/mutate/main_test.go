package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sample is a package whose tests notice some mutants and not others.
const sample = `package sample

import "strings"

const limit = 2 * 3

// Clamp returns n, at least 0 and at most limit.
func Clamp(n int) int {
	if n <= 0 {
		return 0
	}
	return min(n, limit)
}

// Count counts a byte, and what follows it.
func Count(s string, b byte) (n int, rest string) {
	for i := 0; i < len(s); i++ {
		if s[i] == b && strings.ToUpper(s) != "" {
			n++
			rest = s[i+1:]
		}
	}
	return n, rest
}

func half(n float64) float64 { return -n/2 }

func unused(a, b string) string {
	if a+b > b {
		return a
	}
	return b
}
`

const sampleTests = `package sample

import "testing"

func TestAll(t *testing.T) {
	if Clamp(-1) != 0 || Clamp(3) != 3 || Clamp(9) != 6 {
		t.Error("Clamp")
	}
	if n, rest := Count("a-b-", '-'); n != 2 || rest != "" {
		t.Error("Count", n, rest)
	}
	if half(4) != -2 {
		t.Error("half")
	}
}
`

// Of the mutants of a small package, those that make no difference live, and all others are noticed. Mutants in code that
// the tests do not run are only counted, and constants and texts that are joined have none.
func TestMutantsOfASamplePackage(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module sample\n\ngo 1.26\n", "sample.go": sample, "sample_test.go": sampleTests} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("GOFLAGS", "-mod=mod")
	var out strings.Builder
	if err := run(t.Context(), &out, options{workers: 2}, []string{"."}); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(strings.Fields(out.String()), " ")
	const want = "lives: ./sample.go:9:7 n <= 0: < instead of <= " +
		"| Package | Killed | Lived | Not covered | Efficacy | Covered | | --- | --- | --- | --- | --- | --- | " +
		"| `.` | 10 | 1 | 2 | 90.9 % | 84.6 % |"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
