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

// A narrow terminal shows which actions are disabled.
func TestNarrowActionsKeepTheirNotes(t *testing.T) {
	for _, name := range []string{"authbridge", "tazco"} {
		p, err := profiles.Open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := drawn(t, true, func(to op.Output) error { return actionTable(p, to.Plain).Write(to.Writer) })
		if header, _, _ := strings.Cut(got, "\n"); !strings.Contains(header, "NOTES") {
			t.Errorf("%s: got columns %s, want NOTES", name, header)
		}
	}
}
