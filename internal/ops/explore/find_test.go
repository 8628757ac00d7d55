package explore

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// If the hits are in several tables, the terminal shows the table in front of the key.
func TestFoundKeysNameTheirTable(t *testing.T) {
	var out strings.Builder
	terminal := &results.Terminal{Writer: &out, Screen: &out, Width: 80, Styles: widget.NewStyles(true, true), Now: time.Now}
	found := Found{Hits: []Hit{{Title: "a", Table: "cards", keyText: "CARD#a / META"}, {Title: "b", Table: "users", keyText: "USER#b"}}}
	if err := found.Text(op.Output{Writer: terminal}); err != nil {
		t.Fatal(err)
	}
	if got := ansi.Strip(out.String()); !strings.Contains(got, "a   cards: CARD#a / META\n") || !strings.Contains(got, "b   users: USER#b ") {
		t.Errorf("got:\n%s", got)
	}
}

// A terminal shows the rows above at most two notes, and other outputs receive each note as a line.
func TestTerminalShowsNotesBelowRows(t *testing.T) {
	var out strings.Builder
	terminal := &results.Terminal{Writer: &out, Screen: &out, Width: 80, Styles: widget.NewStyles(true, true), Now: time.Now}
	found := Found{Hits: []Hit{{Title: "ver_1"}}, notes: []string{"no limit", "not scanned", "to list all, run ddbdesk run a", "to list all, run ddbdesk run b"}}
	to := op.Output{Writer: terminal, Note: func(text string) { out.WriteString("note: " + text + "\n") }}
	if err := found.Text(to); err != nil {
		t.Fatal(err)
	}
	rows, notes, _ := strings.Cut(out.String(), "note: ")
	want := "no limit\nnote: not scanned\nnote: to list all, run ddbdesk run a\nnote: to list all, run ddbdesk run b\n"
	if !strings.Contains(rows, "ver_1") || notes != want {
		t.Errorf("got:\n%s", out.String())
	}
	out.Reset()
	to.Writer = &out
	if err := found.Text(to); err != nil || strings.Count(out.String(), "note: ") != len(found.notes) {
		t.Errorf("got %v and:\n%s", err, out.String())
	}
}

// The terminal wraps the explanation of a key between words.
func TestDecodedKeysWrap(t *testing.T) {
	var out strings.Builder
	terminal := &results.Terminal{Writer: &out, Screen: &out, Width: 40, Styles: widget.NewStyles(true, true), Now: time.Now}
	for _, plain := range []bool{false, true} {
		d := Decoded{BuiltKeys: []BuiltKey{{Schema: "shop", Entity: "Order", title: "Order of a customer", key: "ORDER#1234567 / META"}}}
		if err := d.Text(op.Output{Writer: terminal, Plain: plain}); err != nil {
			t.Fatal(err)
		}
	}
	for line := range strings.Lines(out.String()) {
		if width := ansi.StringWidth(strings.TrimRight(line, " \n")); width > 40 {
			t.Errorf("%d cells: %s", width, line)
		}
	}
}
