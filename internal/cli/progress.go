package cli

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"

	"github.com/ddbdesk/ddbdesk/models"
)

// defaultWidth is the width in cells of a terminal that does not report it.
const defaultWidth = 80

// DrawLine redraws the line at each tick, and erases it when ended is closed.
func DrawLine(f *os.File, text func() string, ticks *time.Ticker, ended <-chan struct{}) {
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
			_, _ = io.WriteString(f, models.Truncate(line, width-1)) // there is no way to show an error here
		}
	}
}

func eraseLine(f *os.File) {
	_, _ = io.WriteString(f, "\r\x1b[K")
}

// retryNoteInterval is the minimum time between two reports of retries, so that an hour of throttling does not fill a
// log.
const retryNoteInterval = 15 * time.Second

// RetryNotes limits how often commands report retries. It is safe for concurrent use.
type RetryNotes struct {
	mu   sync.Mutex
	last time.Time // zero before the first report
}

// Due reports whether to report a retry now, and records the report.
func (r *RetryNotes) Due(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.last.IsZero() && now.Sub(r.last) < retryNoteInterval {
		return false
	}
	r.last = now
	return true
}
