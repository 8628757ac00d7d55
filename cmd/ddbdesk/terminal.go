package main

import (
	"io"
	"os"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func (a *app) terminal() io.Writer {
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
	return &results.Terminal{Writer: a.Stdout, Screen: f, Styles: styles, Width: width, Now: time.Now}
}
