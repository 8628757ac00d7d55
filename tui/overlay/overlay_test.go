package overlay

import (
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// press returns the message for a named key.
func press(name string) tea.KeyPressMsg {
	codes := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "up": tea.KeyUp, "down": tea.KeyDown, "tab": tea.KeyTab}
	if code, ok := codes[name]; ok {
		return tea.KeyPressMsg{Code: code}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

func TestMenuChoosesByLetterAndCursor(t *testing.T) {
	for _, tt := range []struct {
		name, keys string
		want       string // label of the selected entry or text of the notice, or ""
		done       bool
	}{
		{"letter of an entry", "k", "key", true},
		{"cursor over a heading", "down enter", "key", true},
		{"navigation letter", "G enter", "last: not yet", false},
		{"unavailable entry", "x", "last: not yet", false},
		{"letter of a folded entry", "f", "folded: too early", false},
		{"cursor on a folded entry after its letter", "f down enter", "last: not yet", false},
		{"esc", "esc", "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			chosen := ""
			run := func(label string) func() tea.Cmd {
				return func() tea.Cmd { chosen = label; return nil }
			}
			m := &Menu{Entries: []MenuEntry{
				{Key: "a", Label: "first", Run: run("first")},
				{Label: "Heading"},
				{Key: "k", Label: "key", Run: run("key")},
				{Label: "1 unavailable", More: []MenuEntry{{Key: "f", Label: "folded", Why: "too early", Run: run("folded")}}},
				{Key: "x", Label: "last", Why: "not yet", Run: run("last")},
			}}
			var cmd tea.Cmd
			var done bool
			for key := range strings.FieldsSeq(tt.keys) {
				cmd, done = m.Update(press(key))
			}
			if cmd != nil {
				chosen = cmd().(screen.NoticeMsg).Text
			}
			if chosen != tt.want || done != tt.done {
				t.Errorf("got choice %q, closed: %v, want %q, %v", chosen, done, tt.want, tt.done)
			}
		})
	}
}

func TestMenuDescribesEntryUnderCursor(t *testing.T) {
	m := &Menu{Title: "Change", DetailRows: 2}
	for _, label := range []string{"one", "two"} {
		m.Entries = append(m.Entries, MenuEntry{
			Label: label, Run: func() tea.Cmd { return nil },
			Detail: func(*widget.Styles, int) []string { return []string{"described " + label} },
		})
	}
	m.Update(press("j"))
	view := ansi.Strip(m.Over(widget.NewStyles(true, true), widget.Place("", 80, 24), 80, 24))
	if !strings.Contains(view, "described two") || strings.Contains(view, "described one") {
		t.Errorf("the menu lacks the description of the second entry:\n%s", view)
	}
}

func TestMenuUnfoldsFurtherEntries(t *testing.T) {
	none := func() tea.Cmd { return nil }
	more := []MenuEntry{{Label: "three", Why: "three is off", Run: none}, {Label: "four", Run: none}}
	m := &Menu{Title: "Change"}
	m.AddUnavailable("two is refused; run it", []MenuEntry{{Label: "two", Why: "two is refused; run it", Run: none}})
	m.Entries = append(m.Entries, MenuEntry{Label: "2 not possible", More: more})
	view := func() string {
		return ansi.Strip(m.Over(widget.NewStyles(true, true), widget.Place("", 80, 24), 80, 24))
	}
	if strings.Count(view(), "two is refused") != 1 || !strings.Contains(view(), "  run it ") || strings.Contains(view(), "three") {
		t.Errorf("the menu repeats the reason or shows a folded entry:\n%s", view())
	}
	for _, key := range []string{"j", "enter"} {
		if _, done := m.Update(press(key)); done {
			t.Errorf("%s closed the menu", key)
		}
	}
	if !strings.Contains(view(), "▾ 2 not possible") || !strings.Contains(view(), "⊘ three is off") {
		t.Errorf("enter did not unfold the entries:\n%s", view())
	}
	m.Update(press("enter"))
	if strings.Contains(view(), "three") || len(m.Entries) != 4 {
		t.Errorf("enter did not fold the entries again:\n%s", view())
	}
}

func TestQuestionMovesBetweenFieldAndButtons(t *testing.T) {
	answer := ""
	q := NewHarmlessQuestion("Name", "", "Save", nil, "Which name?")
	q.Prompt(widget.NewStyles(true, true), widget.FormField{Name: "name"}, func(value string) string {
		if value == "" {
			return "a name is needed"
		}
		return ""
	})
	q.Yes = func() tea.Cmd { answer = q.Value(); return nil }
	if cmd, done := q.Update(press("enter")); done || cmd == nil || cmd().(screen.NoticeMsg).Text != "a name is needed" {
		t.Fatal("the question accepted an empty field")
	}
	q.Update(press("n"))
	q.Update(press("tab"))
	if q.OnForm() || q.Dialog.Focused() != "cancel" {
		t.Errorf("after tab, the focus is on %q, in the form: %v", q.Dialog.Focused(), q.OnForm())
	}
	q.Update(press("up"))
	if _, done := q.Update(press("enter")); !done || answer != "n" {
		t.Errorf("closed: %v, answer %q, want n", done, answer)
	}
}

// A click on the open list of options does not choose the button behind it.
func TestClickOnOptionsChoosesNoButton(t *testing.T) {
	st, chosen := widget.NewStyles(true, true), false
	q := NewHarmlessQuestion("Export", "", "Write", func() tea.Cmd { chosen = true; return nil })
	options := make([]widget.Option, 12)
	for i := range options {
		options[i] = widget.Option{Value: strconv.Itoa(i) + strings.Repeat(" option", 9)}
	}
	q.PromptAll(st, widget.FormField{Name: "format", Kind: widget.FieldEnum, Default: options[0].Value, Options: options})
	draw := func() { q.Over(st, widget.Place("", 80, 24), 80, 24) }
	draw()
	q.Update(tea.KeyPressMsg{Code: tea.KeySpace, Text: " "})
	draw()
	for y := range 24 {
		for x := range 80 {
			if !q.Form.Choosing() {
				q.Update(tea.KeyPressMsg{Code: tea.KeySpace, Text: " "})
				draw()
			}
			q.Click(x, y)
		}
	}
	if chosen {
		t.Error("a click on the list answered the question")
	}
}
