package schema

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// drawn returns what a terminal of 80 columns shows of a result, without colors.
func drawn(t *testing.T, plain bool, text func(to op.Output) error) string {
	t.Helper()
	var out strings.Builder
	terminal := &results.Terminal{Writer: &out, Screen: &out, Width: 80, Styles: widget.NewStyles(true, true), Now: time.Now}
	if err := text(op.Output{Writer: terminal, Plain: plain}); err != nil {
		t.Fatal(err)
	}
	return ansi.Strip(out.String())
}

type builtInHost struct{ op.Host }

func (builtInHost) Profiles() ([]*profiles.Profile, error) {
	p, err := profiles.Open("authbridge", nil)
	return []*profiles.Profile{p}, err
}

// A narrow terminal shows the titles of the schemas instead of some counts.
func TestNarrowSchemasKeepTheirTitles(t *testing.T) {
	r, err := listSchemas.Form().Run(t.Context(), builtInHost{}, "table")
	if err != nil {
		t.Fatal(err)
	}
	got := drawn(t, true, r.Text)
	want := "NAME        TITLE                             TABLES  ENTITIES  PATTERNS  ISSUES\n" +
		"authbridge  AuthBridge identity verification       1         5        14      25\n" +
		"not shown: INDEXES; -o json prints all columns\n"
	if got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

// A narrow terminal shows which patterns write.
func TestNarrowPatternsKeepTheirKinds(t *testing.T) {
	p, err := profiles.Open("authbridge", nil)
	if err != nil {
		t.Fatal(err)
	}
	for plain, want := range map[bool]string{true: "KIND", false: "OPERATION"} {
		r := op.Rows{List: NewPatterns(p.Patterns), Plain: plainPatterns(p.Patterns), Optional: optionalOfPatterns}
		header, _, _ := strings.Cut(drawn(t, plain, r.Text), "\n")
		if !strings.Contains(header, want) || !strings.Contains(header, "TITLE") {
			t.Errorf("plain %t: got columns %s, want TITLE and %s", plain, header, want)
		}
	}
}

// A narrow terminal shows what actions do and which are disabled, but no titles, which repeat the IDs.
func TestNarrowActionsKeepTheirChangesAndNotes(t *testing.T) {
	for _, name := range []string{"authbridge", "tazco"} {
		p, err := profiles.Open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := drawn(t, true, func(to op.Output) error { return actionTable(p, to.Plain).Write(to.Writer) })
		if header, _, _ := strings.Cut(got, "\n"); !strings.Contains(header, "CHANGE") || !strings.Contains(header, "NOTES") {
			t.Errorf("%s: got columns %s, want CHANGE and NOTES", name, header)
		}
	}
}
