package main

import (
	"sync"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/internal/reading"
)

const (
	// progressDelay is how long a read takes before its progress is shown.
	progressDelay = time.Second
	// progressInterval is how often the line is redrawn.
	progressInterval = 250 * time.Millisecond
)

// showProgress draws nothing where items appear on the same terminal while they are read.
func showProgress(a *app, p *reading.Progress, format string) (end func()) {
	if cli.IsTerminal(a.Stdout) && !export.Named(format).Buffered {
		return func() {}
	}
	return showLine(a, func() string {
		figures := p.Figures()
		if figures.Elapsed < progressDelay {
			return ""
		}
		return figures.String()
	})
}

func showLine(a *app, text func() string) (end func()) {
	if !cli.IsTerminal(a.Stderr) {
		return func() {}
	}
	f, _ := cli.FileOf(a.Stderr)
	a.progress = true
	ended := make(chan struct{})
	var drawing sync.WaitGroup
	drawing.Add(1)
	crash.Go("draw the progress", func() {
		defer drawing.Done()
		cli.DrawLine(f, text, time.NewTicker(progressInterval), ended)
	})
	return func() {
		close(ended)
		drawing.Wait()
		a.progress = false
	}
}
