package main

import (
	"sync"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/crash"
)

const (
	// progressDelay is how long a read takes before its progress is shown.
	progressDelay = time.Second
	// progressInterval is how often the line is redrawn.
	progressInterval = 250 * time.Millisecond
)

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
