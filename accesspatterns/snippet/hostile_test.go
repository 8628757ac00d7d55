package snippet_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/snippet"
	"github.com/ddbdesk/ddbdesk/internal/testing/hostile"
	"github.com/ddbdesk/ddbdesk/models"
)

// A snippet that is pasted, or shown by a pager, contains no control sequences:
// values are escaped as the language requires.
func TestHostileSnippetsAreHarmless(t *testing.T) {
	index := &models.Index{Name: "GSI1", PartitionKeys: models.KeyList(key("PK"))}
	for name, read := range map[string]accesspatterns.Read{
		"get": {Operation: accesspatterns.Get, Key: []accesspatterns.KeyCondition{matches("PK", "CASE#{id}"), matches("SK", "META")}},
		"loop": {
			Index: index, Key: []accesspatterns.KeyCondition{matches("PK", "KIND#{kind}")},
			FanOut: &accesspatterns.FanOut{Placeholder: "kind", Values: []string{"a", hostile.Text}},
		},
	} {
		p := pattern(read, &accesspatterns.Param{Name: "id", Type: accesspatterns.String})
		for _, s := range hostile.Valid() {
			if s.Text == "" || len(s.Text) > 1000 {
				continue
			}
			p.Title = s.Text
			given := map[string]string{}
			if name == "get" {
				given["id"] = s.Text
			}
			r, err := p.Bind(given, noon)
			if err != nil {
				continue // The key does not take it.
			}
			for _, lang := range snippet.Languages() {
				text := snippet.ForRequest(r, lang, snippet.Options{Region: s.Text, Endpoint: s.Text, Profile: s.Text})
				if acts := hostile.Acts(text, "\t"); acts != "" {
					t.Errorf("%s, %s in %s holds %s", s.Name, name, lang, acts)
				}
			}
		}
	}
}

// Text that is not safe to print is written by printf, with escapes for that alone, and for an exclamation mark, which recalls
// commands in an interactive shell.
func TestShellQuoteEscapesOnlyWhatActs(t *testing.T) {
	for text, want := range map[string]string{
		"a b":           `'a b'`,
		"a b\x1b":       `"$(printf 'a b\033')"`,
		"wow!\x1b":      `"$(printf 'wow\041\033')"`,
		"-n\x1b-":       `"$(printf '\055n\033-')"`,
		"50%\\'s\x7f\n": `"$(printf '50%%\\'\''s\177')"'` + "\n'",
	} {
		if got := snippet.ShellQuote(text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

func TestShellQuoteRoundTrips(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh")
	}
	var command strings.Builder
	var want []string
	command.WriteString(`for word in`)
	for _, s := range append(
		hostile.Texts(), hostile.Sample{Text: "=ls"}, hostile.Sample{Text: "-n\x1b"},
		hostile.Sample{Text: "\x1b ends in lines\n\n"},
	) {
		text := strings.ReplaceAll(s.Text, "\x00", "")
		word := snippet.ShellQuote(text)
		if acts := hostile.Acts(word, "\t"); acts != "" {
			t.Errorf("%s is quoted as %s", s.Name, acts)
		}
		command.WriteString(" " + word)
		want = append(want, text)
	}
	command.WriteString("; do printf '%s\\000' \"$word\"; done")
	out, err := exec.CommandContext(t.Context(), shell, "-c", command.String()).Output()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
