package main

import (
	"os"
	"testing"
)

func TestDocumentIsUpToDate(t *testing.T) {
	text, err := os.ReadFile("../../../docs/keys.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != document() {
		t.Error("docs/keys.md is stale: run go generate ./tui")
	}
}
