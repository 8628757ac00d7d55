package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const schema = `{
  "$ref": "#/$defs/shop",
  "$defs": {
    "shop": {"description": "A shop.", "properties": {
      "items": {"description": "What it sells.", "additionalProperties": {"$ref": "#/$defs/item"}},
      "open": {"description": "a | b", "enum": ["yes", "no", null]}
    }},
    "item": {"properties": {"price": {"description": "In cents."}, "name": {}}},
    "word": {"type": "string"},
    "lost": {"properties": {"x": {}}}
  }
}`

func TestPageHasEveryWordAndTheFullestExample(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	profile := write("shop.yaml", "open: yes\nitems:\n  a: {price: 1}\n  b: {price: 2, name: pen}\n  c: {price: 3}\n")
	out := filepath.Join(dir, "out.md")
	if err := run(write("schema.json", schema), out, []string{profile}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, want := range []string{
		"## shop\n\nA shop.\n", "| `items` | What it sells. See [item](#item). |", "| `open` | a \\| b One of `yes`, `no`. |",
		"## item\n", "| `price` | In cents. |", "```yaml\n{price: 2, name: pen}\n```",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	if strings.Contains(page, "lost") || strings.Index(page, "## shop") > strings.Index(page, "## item") {
		t.Errorf("parts are not in the order of a profile:\n%s", page)
	}
	if err := run(write("schema.json", schema), out, []string{write("empty.yaml", "")}); err == nil {
		t.Error("an empty profile passes")
	}
}
