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
