package profiles_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ddbdesk/ddbdesk/profiles"
)

// jargon is what support staff cannot be expected to know.
var jargon = regexp.MustCompile(`(?i)\b(GSI\d?|PK|SK|sort key|partition|GetItem|UpdateItem|Scan|ttl|projection|reserved word|cursor|expression)\b`)

func TestEveryFindingIsExplained(t *testing.T) {
	for _, name := range profiles.Names() {
		p, err := profiles.Open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		titles := map[string]string{}
		for _, f := range p.Findings {
			switch n := utf8.RuneCountInString(f.Title); {
			case n == 0 || n > 68:
				t.Errorf("%s %s: the title has %d characters: %q", name, f.ID, n, f.Title)
			case strings.HasSuffix(f.Title, "."):
				t.Errorf("%s %s: the title ends in a full stop", name, f.ID)
			case jargon.MatchString(f.Title):
				t.Errorf("%s %s: %q needs knowledge of DynamoDB", name, f.ID, f.Title)
			}
			if other := titles[f.Title]; other != "" {
				t.Errorf("%s: %s and %s have one title", name, other, f.ID)
			}
			titles[f.Title] = f.ID
			if len(f.Text) < 40 || !strings.HasSuffix(f.Text, ".") {
				t.Errorf("%s %s: the text explains little: %q", name, f.ID, f.Text)
			}
			if len(strings.Fields(f.Workaround)) < 3 || !strings.HasSuffix(f.Workaround, ".") {
				t.Errorf("%s %s: what ddbdesk does instead is not said: %q", name, f.ID, f.Workaround)
			}
		}
	}
}
