package main

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/crash"
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

const (
	// progressDelay is how long a read takes before its progress is shown.
	progressDelay = time.Second
	// progressInterval is how often the line is redrawn.
	progressInterval = 250 * time.Millisecond
)

// showLine shows a line that changes, from progressDelay on until end is called.
func (a *app) showLine(text func() string) (end func()) {
	if !cli.IsTerminal(a.Stderr) {
		return func() {}
	}
	f, _ := cli.FileOf(a.Stderr)
	a.progress = true
	begun, ended := time.Now(), make(chan struct{})
	var drawing sync.WaitGroup
	drawing.Add(1)
	crash.Go("draw the progress", func() {
		defer drawing.Done()
		cli.DrawLine(f, func() string {
			if time.Since(begun) < progressDelay {
				return ""
			}
			return text()
		}, time.NewTicker(progressInterval), ended)
	})
	return func() {
		close(ended)
		drawing.Wait()
		a.progress = false
	}
}
