package screens

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A screen that is not registered cannot be opened or get configured keys.
func TestEveryScreenIsRegistered(t *testing.T) {
	source, err := os.ReadFile("registry.go")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, e := range entries {
		if !e.IsDir() || e.Name() == "testdata" || e.Name() == "lists" {
			continue
		}
		found++
		if !strings.Contains(string(source), "Scope: "+e.Name()+".") && !strings.Contains(string(source), "\t"+e.Name()+".") {
			t.Errorf("%s is not registered", e.Name())
		}
	}
	for _, name := range declaredLists(t) {
		found++
		if !strings.Contains(string(source), "\tlists."+name+",") {
			t.Errorf("lists.%s is not registered", name)
		}
	}
	if found != len(registry) {
		t.Errorf("got %d packages, but %d registrations", found, len(registry))
	}
}

// declaredLists returns the names of all declared lists.
func declaredLists(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("lists/*.go")
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`(?m)^var (\w+) = (?:listing\.Open|screen\.Registration)`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declared.FindAllSubmatch(text, -1) {
			names = append(names, string(m[1]))
		}
	}
	return names
}
