package hostile

import (
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/models"
)

// The shapes are valid items of DynamoDB; others would prove nothing.
func TestShapesFitIntoATable(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Shapes() {
		if seen[s.Name] {
			t.Errorf("two shapes are called %q", s.Name)
		}
		seen[s.Name] = true
		if n := s.Attributes.Size(); n > MaxItem-4096 {
			t.Errorf("%s: %d bytes leave no room for keys", s.Name, n)
		}
		for n := range s.Attributes {
			if n == "" || len(n) > 64<<10 {
				t.Errorf("%s: a name of %d bytes", s.Name, len(n))
			}
		}
	}
}

func TestActs(t *testing.T) {
	for text, acts := range map[string]bool{
		"plain\n": false, "👩‍👩‍👧 日本 é": false, "\ufffd": false, "a\tb": true, "\x1b": true, "\u009b": true, "\xff": true,
		"\u202e": true, "\u2028": true, "\x7f": true,
	} {
		if got := Acts(text, ""); (got != "") != acts {
			t.Errorf("%+q: %q", text, got)
		}
	}
	if Acts("a\tb", "\t") != "" {
		t.Error("a tab was allowed")
	}
}

func TestTextIsOneOfEverything(t *testing.T) {
	for _, part := range []string{"\x1b]52", "\x1b]8", "\u202e", "\u009b", "\x00", "\ufeff", "\u2028"} {
		if !strings.Contains(Text, part) {
			t.Errorf("%q is missing", part)
		}
	}
	if models.Printable(Text) == Text {
		t.Error("it is printable")
	}
}
