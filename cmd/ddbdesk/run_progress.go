package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/models"
)

const (
	// progressDelay is how long a read takes before its progress is shown.
	progressDelay = time.Second
	// progressInterval is how often the line is redrawn.
	progressInterval = 250 * time.Millisecond
	// defaultWidth is the width in cells of a terminal that does not report it.
	defaultWidth = 80
)

// showProgress draws the progress of a read on stderr until end is called, unless
// items appear on the same terminal while they are read.
func showProgress(a *app, p *reading.Progress, format string) (end func()) {
	if isTerminal(a.stdout) && !export.Named(format).Buffered {
		return func() {}
	}
	return showLine(a, func() string {
		figures := p.Figures()
		if figures.Elapsed < progressDelay {
			return ""
		}
		return progressText(figures)
	})
}

// showLine draws a line of text on stderr, again and again until end is called. It
// draws nothing while text returns "", or if stderr is not a terminal.
func showLine(a *app, text func() string) (end func()) {
	if !isTerminal(a.stderr) {
		return func() {}
	}
	f, _ := fileOf(a.stderr)
	a.progress = true
	ended := make(chan struct{})
	var drawing sync.WaitGroup
	drawing.Add(1)
	crash.Go("draw the progress", func() {
		defer drawing.Done()
		drawLine(f, text, time.NewTicker(progressInterval), ended)
	})
	return func() {
		close(ended)
		drawing.Wait()
		a.progress = false
	}
}

// drawLine redraws the line at each tick, and erases it when ended is closed.
func drawLine(f *os.File, text func() string, ticks *time.Ticker, ended <-chan struct{}) {
	defer ticks.Stop()
	drawn := false
	for {
		select {
		case <-ended:
			if drawn {
				eraseLine(f)
			}
			return
		case <-ticks.C:
			line := text()
			if line == "" {
				continue
			}
			width, _, err := term.GetSize(f.Fd())
			if err != nil || width <= 0 {
				width = defaultWidth
			}
			eraseLine(f)
			drawn = true
			_, _ = io.WriteString(f, models.Truncate(line, width-1)) // an error here has nowhere to be shown
		}
	}
}

// eraseLine empties the line of the cursor.
func eraseLine(f *os.File) {
	_, _ = io.WriteString(f, "\r\x1b[K")
}

// progressText describes the progress of a read, most important first because a
// narrow terminal cuts the line.
func progressText(f reading.Figures) string {
	var parts []string
	if f.Share > 0 {
		parts = append(parts, fmt.Sprintf("%d%%", int(f.Share*100)))
	}
	rows := humanize.Comma(int64(f.Rows)) + " items"
	if f.Rows != f.Scanned {
		rows += " of " + humanize.Comma(int64(f.Scanned)) + " scanned"
	}
	parts = append(parts, rows)
	if f.Rest > 0 {
		parts = append(parts, "about "+f.Rest.Round(time.Second).String()+" left")
	}
	if f.Segments > 1 {
		parts = append(parts, fmt.Sprintf("%d of %d segments", f.SegmentsDone, f.Segments))
	}
	parts = append(parts, english.Plural(f.Pages, "page", ""))
	if f.Capacity > 0 { // Some servers do not report it.
		capacity := fmt.Sprintf("%s RCU, %s/s", decimal(f.Capacity), decimal(f.Rate))
		if f.Budget > 0 {
			capacity += " of " + decimal(f.Budget)
		}
		parts = append(parts, capacity)
	}
	if f.Waiting {
		parts = append(parts, "waiting for the budget")
	}
	if f.Throttled > 0 {
		parts = append(parts, "throttled "+english.Plural(f.Throttled, "time", ""))
	}
	return strings.Join(parts, " · ")
}

// decimal formats a number with at most one decimal.
func decimal(f float64) string {
	return strings.TrimSuffix(humanize.CommafWithDigits(math.Round(f*10)/10, 1), ".0")
}
