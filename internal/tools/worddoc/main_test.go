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
      "items": {"description": "What it sells.", "type": ["object", "null"], "additionalProperties": {"$ref": "#/$defs/item"}},
      "open": {"description": "a | b", "enum": ["yes", "no", null]},
      "place": {"description": "Where.", "$ref": "#/$defs/place"},
      "stock": {"$ref": "#/$defs/stock"},
      "east": {"$ref": "#/$defs/shop"}
    }},
    "item": {"required": ["name"], "properties": {"price": {"type": "integer", "description": "In cents."}, "name": {}, "weight": {}, "note": {}}},
    "stock": {"type": ["object", "null"], "properties": {"price": {}, "name": {}, "weight": {}, "note": {}}},
    "place": {"type": ["object", "null"], "properties": {"street": {"description": "And number."}, "city": {"description": "Its name."}}},
    "word": {"type": "string"},
    "lost": {"properties": {"x": {}}}
  }
}`

func TestPageHasEveryWordOnce(t *testing.T) {
	dir := t.TempDir()
	file, out := filepath.Join(dir, "schema.json"), filepath.Join(dir, "out.md")
	if err := os.WriteFile(file, []byte(schema), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(file, out); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, want := range []string{
		"## The file\n\nA shop.\n", "| `items` | map | What it sells. See [items](#items). |", "| `open` |  | a \\| b One of `yes`, `no`. |",
		"| `place` | section | Where. (`city`: Its name; `street`: And number) |", "| `stock` | section | See [items](#items). |",
		"| | | Valid under `items`, `stock`. Required: `name`. |\n", "| `price` | number | In cents. |", "[The file](#the-file) · [items](#items)\n",
	} {
		if strings.Count(page, want) != 1 {
			t.Errorf("%q occurs %d times, want once:\n%s", want, strings.Count(page, want), page)
		}
	}
	if strings.Contains(page, "lost") || strings.Index(page, "## The file") > strings.Index(page, "## items") {
		t.Errorf("the sections are not in the schema's order:\n%s", page)
	}
}
