package output

import (
	"os"
	"path/filepath"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// Esc during the check of the answers leaves the dialog, and nothing is written afterward.
func TestClosedExportWritesNothing(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	env := screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Developer)
	env.Context = t.Context()
	x := NewExport(env, ExportContent{Title: "Export", Name: "text", Texts: []Piece{
		{Label: "CSV", What: "the rows", File: "rows.csv", Text: Fixed(func() string { return "a,b" })},
	}})
	path := filepath.Join(t.TempDir(), "rows.csv")
	x.Form.SetValues(map[string]string{exportFile: path})
	check, _ := x.Update(screentest.Pressed("enter"))
	if check == nil {
		t.Fatal("enter returned no check of the answers")
	}
	if _, done := x.Update(screentest.Pressed("esc")); !done {
		t.Fatal("esc did not close the dialog")
	}
	drain(check)
	if _, err := os.Stat(path); err == nil {
		t.Error("the closed dialog wrote the file")
	}
}

// drain runs a command and the commands that its answers return, except ticks.
func drain(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			drain(c)
		}
	case screen.Answer:
		drain(msg())
	}
}
