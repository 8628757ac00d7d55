package screens

import (
	"os"
	"strings"
	"testing"
)

// A screen that is not registered cannot be opened, and nobody can change its keys.
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
		if !e.IsDir() || e.Name() == "testdata" || e.Name() == "palette" {
			continue
		}
		found++
		if !strings.Contains(string(source), e.Name()+".Scope") {
			t.Errorf("%s is not registered", e.Name())
		}
	}
	if found != len(registry) {
		t.Errorf("%d packages and %d registrations", found, len(registry))
	}
}
