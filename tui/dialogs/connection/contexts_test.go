package connection

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// manyContexts returns n contexts, one of them with a hostile name.
func manyContexts(n int) []Context {
	list := []Context{{Role: "support", ReadOnly: true}}
	for i := range n {
		list = append(list, Context{
			Name: fmt.Sprintf("context-%03d", i), Profile: "zentriq", Region: "af-south-1", Endpoint: "https://example.com",
			Role: "admin", Environment: "staging", Color: "teal", Flags: []string{"--role", "--read-only"},
		})
	}
	list = append(list, Context{Name: "日本 مرحبا 👩‍🚀", Profile: "\x1b[2J\r\n\u202e", Region: strings.Repeat("x", 500), Role: "admin"})
	return list
}

func TestContextsFitAnyTerminal(t *testing.T) {
	s := widget.NewStyles(true, false)
	for _, size := range []tuitest.Size{{W: 60, H: 14}, {W: 80, H: 22}, {W: 120, H: 38}, {W: 240, H: 68}} {
		for _, n := range []int{0, 3, 200} {
			all := manyContexts(n)
			for i := range all {
				all[i].Name = models.Printable(all[i].Name)
			}
			d := NewContexts(s, all, "", nil)
			background := widget.Place("", size.W, size.H)
			for _, key := range []string{"", "G", "up", "/", "x"} {
				d.Update(tea.KeyPressMsg{Code: rune(append([]byte(key), ' ')[0]), Text: key})
				tuitest.RendersExactly(t, d.Over(s, background, size.W, size.H), size.W, size.H)
			}
		}
	}
}

func TestDialogsFitAnyTerminal(t *testing.T) {
	s := widget.NewStyles(false, false)
	for _, size := range []tuitest.Size{{W: 60, H: 14}, {W: 240, H: 68}} {
		background := widget.Place("", size.W, size.H)
		for _, d := range []overlay.Overlay{
			NewSignIn([]string{"aws", "sso", "login", "--profile", strings.Repeat("p", 300)}),
			NewQuestionDialog(
				s,
				NewQuestion(
					"MFA code", "The role of AWS profile \x1b[31m"+strings.Repeat("w ", 200), "six digits",
					func(string) string { return "" },
				),
			),
		} {
			tuitest.RendersExactly(t, d.Over(s, background, size.W, size.H), size.W, size.H)
		}
	}
}

func BenchmarkContexts(b *testing.B) {
	s := widget.NewStyles(true, false)
	d := NewContexts(s, manyContexts(100), "", nil)
	background := widget.Place("", 160, 48)
	b.ReportAllocs()
	for b.Loop() {
		d.Over(s, background, 160, 48)
	}
}

// The user can type an endpoint or a region. The dialog saves a connection without a context as one.
func TestContextsAcceptEndpointsAndRegions(t *testing.T) {
	s := widget.NewStyles(true, true)
	var saved []string
	save := func(name string) (string, error) {
		saved = append(saved, name)
		return "mine", nil
	}
	for typed, name := range map[string]string{
		"http://localhost:8000": "http://localhost:8000", "eu-west-1": "region:eu-west-1", "acme": "profile:acme", "nothing": "",
	} {
		d := NewContexts(s, []Context{{}, {Name: "profile:acme", Kind: "AWS profile", Label: "acme", Profile: "acme"}}, "", save)
		d.Over(s, widget.Place("", 80, 24), 80, 24)
		for _, r := range typed {
			d.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
		cmd, done := d.Update(tea.KeyPressMsg{Code: tea.KeyEnter})
		if used := name != ""; done != used || used && cmd().(screen.SwitchContextMsg).Name != name {
			t.Errorf("%q connects to %q: %v", typed, name, done)
		}
	}
	d := NewContexts(s, []Context{{}}, "", nil)
	for _, key := range []tea.KeyPressMsg{{Code: tea.KeyDown}, {Code: tea.KeyEnter}, {Code: tea.KeyEnter}, {Code: 'x', Text: "x"}} {
		if _, done := d.Update(key); done {
			t.Error("the row for an endpoint closes the dialog")
		}
	}
	if cmd, _ := d.Update(tea.KeyPressMsg{Code: tea.KeyEnter}); cmd().(screen.SwitchContextMsg).Name != "http://x" {
		t.Error("the row for an endpoint does not connect to the typed endpoint")
	}
	d = NewContexts(s, []Context{{Name: "profile:acme", Kind: "AWS profile", Label: "acme"}}, "", save)
	d.Update(tea.KeyPressMsg{Code: 's', Mod: tea.ModCtrl})
	view := d.Over(s, widget.Place("", 80, 24), 80, 24)
	if len(saved) != 1 || saved[0] != "profile:acme" || !strings.Contains(view, "saved as context mine") || !strings.Contains(view, "AWS profile acme") {
		t.Errorf("saved %v, want profile:acme:\n%s", saved, view)
	}
}

// Ctrl+s saves the connection that enter would open, also a typed one.
func TestContextsSaveChosenConnection(t *testing.T) {
	s := widget.NewStyles(true, true)
	for typed, want := range map[string]string{
		"http://localhost:8000": "http://localhost:8000", "eu-west-1": "region:eu-west-1", "acme": "profile:acme", "nothing": "", "type an": "",
	} {
		saved := ""
		save := func(name string) (string, error) {
			saved = name
			return "mine", nil
		}
		d := NewContexts(s, []Context{{}, {Name: "profile:acme", Kind: "AWS profile", Label: "acme", Profile: "acme"}}, "", save)
		for _, r := range typed {
			d.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
		d.Update(tea.KeyPressMsg{Code: 's', Mod: tea.ModCtrl})
		if saved != want {
			t.Errorf("%q saves %q, want %q", typed, saved, want)
		}
		if view := d.Over(s, widget.Place("", 80, 24), 80, 24); strings.Contains(view, "saved as context mine") != (want != "") {
			t.Errorf("%q has another message:\n%s", typed, view)
		}
	}
}
