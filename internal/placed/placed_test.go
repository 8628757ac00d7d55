package placed_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/placed"
	"github.com/ddbdesk/ddbdesk/internal/testing/hostile"
	"github.com/ddbdesk/ddbdesk/models"
)

type text struct {
	Title string   `yaml:"title"`
	Words []string `yaml:"words"`
}

// faults decodes a text and returns its faults with their positions.
func faults(in string, decl any) []string {
	var list []string
	s := placed.Source{
		Report: func(f placed.Fault) {
			list = append(list, fmt.Sprintf("%d:%d: %s: %s; %s", f.Line, f.Column, f.Path, f.Message, f.Suggestion))
		},
		Subject: "text", MaxParts: 1000,
	}
	s.Load([]byte(in), decl)
	return list
}

// The decoder rejects invisible and control characters, and its faults do not repeat them.
func TestInvisibleTextIsRefused(t *testing.T) {
	for _, s := range hostile.Valid() {
		quoted, err := json.Marshal(s.Text) // JSON strings are valid YAML strings
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range []string{"title: %s\n", "words: [a, %s]\n", "? %s\n: x\n", "title: {? %s : x}\n"} {
			var decl text
			list := faults(fmt.Sprintf(in, quoted), &decl)
			if refused := len(list) > 0 && (strings.Contains(list[0], "invisible") ||
				strings.Contains(list[0], "not YAML")); refused == models.IsShowable(s.Text) {
				t.Errorf("%s in %q: refused: %v, faults %q", s.Name, in, refused, list)
			}
			for _, f := range list {
				if acts := hostile.FirstUnsafe(f, ""); acts != "" || strings.Contains(f, "\n") {
					t.Errorf("%s in %q: the fault contains %s: %q", s.Name, in, acts, f)
				}
			}
		}
	}
}

func TestInvisibleTextIsLocated(t *testing.T) {
	got := faults("title: fine\nwords:\n  - a\n  - \"b\\x1b[2J\"\n", &text{})
	want := "4:5: words.1: contains invisible or control characters: b␛[2J; remove them"
	if len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
