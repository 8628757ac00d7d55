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

func size(n int, exact bool) string {
	switch {
	case n > limit:
		return "large"
	case exact && n == limit:
		return "exact"
	default:
		return "small"
	}
}

type pair[T any] struct{ b string }

func (p *pair[T]) join(a string) string {
	if a+p.b > p.b {
		return a
	}
	return p.b
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
	if size(7, false) != "large" || size(6, false) != "small" {
		t.Error("size")
	}
	if half(4) != -2 {
		t.Error("half")
	}
}
`

// Of the mutants of a small package, those that make no difference live, and all others are noticed. Mutants that the tests do
// not evaluate are only counted, and constants and texts that are joined have none.
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
	if err := run(t.Context(), &out, options{workers: 2, uncovered: true}, []string{"."}); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(strings.Fields(out.String()), " ")
	const want = "lives: ./sample.go:9:7 Clamp: n <= 0: < instead of <= " +
		"not covered: ./sample.go:32:18 size: n == limit: negated " +
		"not covered: ./sample.go:42:11 pair.join: a+p.b > p.b: negated not covered: ./sample.go:42:11 pair.join: a+p.b > p.b: >= instead of > " +
		"| Package | Killed | Lived | Not covered | Efficacy | Covered | | --- | --- | --- | --- | --- | --- | " +
		"| `.` | 12 | 1 | 3 | 92.3 % | 81.2 % |"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
