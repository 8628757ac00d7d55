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
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func (a *app) terminal() io.Writer {
	f, ok := cli.FileOf(a.Stdout)
	if !ok {
		return nil
	}
	profile := colorprofile.Detect(f, os.Environ())
	width, _, err := term.GetSize(f.Fd())
	switch {
	case !cli.IsTerminal(a.Stdout) && profile > colorprofile.NoTTY:
		width = unlimitedWidth // CLICOLOR_FORCE requests colors even in a pipe.
	case err != nil || width <= 0:
		return nil
	}
	theme := widget.Theme{}
	if c, err := a.configuration(); err == nil {
		theme, _ = chooseTheme(c.Theme, "") // The console reports an invalid theme.
	}
	styles := theme.Styles(true, profile, a.flags.noColor || a.Plain())
	screen := &colorprofile.Writer{Forward: f, Profile: profile} // The writer omits sequences that TERM=dumb cannot show.
	return &results.Terminal{
		Writer: a.Stdout, Screen: screen, Styles: styles, Width: width, Now: time.Now, Plain: session.Role(a.flags.Role).Plain(),
	}
}

// unlimitedWidth is a width in cells that no table reaches.
const unlimitedWidth = 1 << 16

const (
	// progressDelay is the time after which ddbdesk shows the progress of a read.
	progressDelay = time.Second
	// progressInterval is the time between two redraws of the line.
	progressInterval = 250 * time.Millisecond
)

// showLine shows a progress line after progressDelay, until the caller calls end.
func (a *app) showLine(text func() string) (end func()) {
	if !cli.IsTerminal(a.Stderr) {
		return func() {}
	}
	f, _ := cli.FileOf(a.Stderr)
	a.progress = true
	start, ended := time.Now(), make(chan struct{})
	var drawing sync.WaitGroup
	drawing.Add(1)
	crash.Go("draw the progress", func() {
		defer drawing.Done()
		cli.DrawLine(f, func() string {
			if time.Since(start) < progressDelay {
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
