// Package recording writes what the console shows as an asciicast, so that a user can attach it to a report of a bug. It knows neither
// screens nor data. It leaves out what a user typed, and frames that show personal data.
package recording

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// A Recorder records one run of the console. The methods of a nil Recorder do nothing. It is not safe for concurrent use.
type Recorder struct {
	w     io.Writer
	now   func() time.Time
	typed typed

	width, height int
	lines         []string // of the last frame, as recorded
	last          time.Time
	err           error // why the recording ended early
}

// New returns a recorder that writes to w, an event at a time, so that a recording is complete until a crash.
func New(w io.Writer, now func() time.Time) *Recorder { return &Recorder{w: w, now: now} }

// Err returns why the recording ended early, nil if it did not.
func (r *Recorder) Err() error {
	if r == nil {
		return nil
	}
	return r.err
}

// Observe notices what the user types. Frames must not show it.
func (r *Recorder) Observe(msg tea.Msg) {
	if r == nil {
		return
	}
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		r.typed.press(msg.String(), msg.Text)
	case tea.PasteMsg:
		r.typed.paste(msg.Content)
	}
}

// notRecorded takes the place of frames with personal data.
const notRecorded = "Personal data is revealed. This part is not recorded."

// Frame records a frame of a terminal of this size. Revealed says that it may show personal data.
func (r *Recorder) Frame(content string, width, height int, revealed bool) {
	if r == nil || r.err != nil || width <= 0 || height <= 0 {
		return
	}
	lines := strings.Split(content, "\n")
	if revealed {
		lines = []string{notRecorded}
	} else {
		for i, line := range lines {
			lines[i] = r.typed.hide(line)
		}
	}
	lines = lines[:min(len(lines), height)]
	for len(lines) < height {
		lines = append(lines, "")
	}
	var out strings.Builder
	if r.width != width || r.height != height {
		r.resize(width, height)
		out.WriteString("\x1b[?25l\x1b[2J")
	}
	for y, line := range lines {
		if y >= len(r.lines) || r.lines[y] != line {
			fmt.Fprintf(&out, "\x1b[%d;1H%s\x1b[0m\x1b[K", y+1, line)
		}
	}
	r.lines = lines
	if out.Len() > 0 {
		r.event("o", out.String())
	}
}

// resize begins the recording, or says that the size changed.
func (r *Recorder) resize(width, height int) {
	if r.width == 0 {
		r.last = r.now()
		r.write(map[string]any{
			"version": 3, "term": map[string]any{"cols": width, "rows": height, "type": "xterm-256color"},
			"timestamp": r.last.Unix(), "title": "ddbdesk",
		})
	} else {
		r.event("r", fmt.Sprintf("%dx%d", width, height))
	}
	r.width, r.height, r.lines = width, height, slices.Clip(r.lines[:0])
}

// event writes an event with the time since the one before: https://docs.asciinema.org/manual/asciicast/v3.
func (r *Recorder) event(code, data string) {
	now := r.now()
	wait := max(now.Sub(r.last), 0).Round(time.Millisecond)
	r.last = r.last.Add(wait)
	r.write([]any{wait.Seconds(), code, data})
}

func (r *Recorder) write(v any) {
	if r.err != nil {
		return
	}
	e := json.NewEncoder(r.w)
	e.SetEscapeHTML(false)
	r.err = e.Encode(v)
}
