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
