// This file shows how far a long read is, in one line of the terminal that is
// written over and over.

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

	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

const (
	// progressAfter is how long a read takes at least before its progress is shown.
	progressAfter = time.Second
	// redrawEvery is how often the line is written.
	redrawEvery = 250 * time.Millisecond
	// lineWidth is for terminals that do not say how wide they are.
	lineWidth = 80
)

// showProgress shows the progress until the function that it returns is called.
// There is none where nobody looks, and none between rows that go to the same
// terminal.
func (a *app) showProgress(p *session.Progress, format string) (end func()) {
	words, ok := fileOf(a.stderr)
	if !ok || !term.IsTerminal(words.Fd()) {
		return func() {}
	}
	if rows, ok := fileOf(a.stdout); ok && term.IsTerminal(rows.Fd()) && !export.Named(format).Buffered {
		return func() {}
	}
	a.progress = true
	var (
		ended = make(chan struct{})
		done  sync.WaitGroup
	)
	done.Add(1)
	crash.Go("show how far the read is", func() {
		defer done.Done()
		drawProgress(words, p, time.NewTicker(redrawEvery), ended)
	})
	return func() {
		close(ended)
		done.Wait()
		a.progress = false
	}
}

// drawProgress writes the line until ended is closed, and takes it away then.
func drawProgress(f *os.File, p *session.Progress, ticks *time.Ticker, ended <-chan struct{}) {
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
			at := p.Figures()
			if at.Elapsed < progressAfter {
				continue
			}
			width, _, err := term.GetSize(f.Fd())
			if err != nil || width <= 0 {
				width = lineWidth
			}
			eraseLine(f)
			drawn = true
			_, _ = io.WriteString(f, models.Truncate(progressText(at), width-1)) // Nobody is told of a line that cannot be drawn.
		}
	}
}

// eraseLine empties the line of the cursor.
func eraseLine(f *os.File) {
	_, _ = io.WriteString(f, "\r\x1b[K") // As in drawProgress.
}

// progressText says how far a read is: what matters most comes first, the line
// may be cut.
func progressText(f session.Figures) string {
	var words []string
	if f.Share > 0 {
		words = append(words, fmt.Sprintf("%d %%", int(f.Share*100)))
	}
	rows := humanize.Comma(int64(f.Rows)) + " items"
	if f.Rows != f.Scanned {
		rows += " of " + humanize.Comma(int64(f.Scanned)) + " read"
	}
	words = append(words, rows)
	if f.Rest > 0 {
		words = append(words, "about "+f.Rest.Round(time.Second).String()+" to go")
	}
	if f.Segments > 1 {
		words = append(words, fmt.Sprintf("%d of %d parts", f.SegmentsDone, f.Segments))
	}
	words = append(words, count(f.Pages, "page"))
	units := fmt.Sprintf("%s RCU, %s/s", figure(f.Capacity), figure(f.Rate))
	if f.Budget > 0 {
		units += " of " + figure(f.Budget)
	}
	words = append(words, units)
	if f.Waiting {
		words = append(words, "waiting for the budget")
	}
	if f.Throttled > 0 {
		words = append(words, fmt.Sprintf("throttled %s", times(f.Throttled)))
	}
	return strings.Join(words, " · ")
}

// figure writes a number with a digit behind its point, where there is one.
func figure(f float64) string {
	return strings.TrimSuffix(humanize.CommafWithDigits(math.Round(f*10)/10, 1), ".0")
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return humanize.Comma(int64(n)) + " times"
}
