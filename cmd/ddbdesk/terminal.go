package main

import (
	"os"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/table"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func (a *app) terminal() *table.Terminal {
	f, ok := cli.FileOf(a.Stdout)
	if !ok || !cli.IsTerminal(a.Stdout) {
		return nil
	}
	width, _, err := term.GetSize(f.Fd())
	if err != nil || width <= 0 {
		return nil
	}
	theme := widget.Theme{}
	if c, err := a.configuration(); err == nil {
		theme, _ = chooseTheme(c.Theme, "") // A wrong theme is reported by the console.
	}
	styles := theme.Styles(true, colorprofile.Detect(f, os.Environ()), a.flags.noColor || a.Plain())
	return &table.Terminal{Writer: a.Stdout, Screen: f, Styles: styles, Width: width, Now: time.Now}
}

// A screenTable shows rows on a terminal in the columns of the console.
type screenTable struct {
	to   *table.Terminal
	rows *results.Rows
}

func newScreenTable(t *table.Terminal, s *workspace.Workspace, p *accesspatterns.Pattern) op.Items {
	return &screenTable{t, results.NewRows(&screen.Env{Workspace: s, Styles: t.Styles, Now: s.Session.Now}, p)}
}

// Write adds rows.
func (t *screenTable) Write(items []models.Item) error {
	t.rows.Add(items)
	return nil
}

// LeftOut names nothing: which columns there are depends on the width.
func (*screenTable) LeftOut() []string { return nil }

// Close writes the table.
func (t *screenTable) Close(items.Tail) error { return t.to.Draw(t.rows) }
