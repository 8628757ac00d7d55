package paint

import (
	"reflect"
	"time"

	tea "charm.land/bubbletea/v2"
)

const (
	// modesPerSecond is how often Bubble Tea writes changed modes, the window title and
	// requests to the terminal. Frames do not depend on it.
	modesPerSecond = 30
	// restAfter is how long Bubble Tea keeps looking for them after the last message.
	restAfter = 200 * time.Millisecond
)

// A rest stops the ticker of Bubble Tea while no message arrives. The ticker never stops by
// itself, and would wake an idle processor 150 times a second:
// https://github.com/charmbracelet/bubbletea/pull/1796
type rest struct {
	program *tea.Program // nil leaves the ticker alone
	ticking bool         // the ticker runs, and a restMsg is on its way
	last    time.Time    // of the last message
}

// restMsg stops the ticker if no other message came since.
type restMsg struct{}

// heard must be called in Update: Bubble Tea replaces the ticker on the same goroutine.
func (r *rest) heard(now time.Time) tea.Cmd {
	r.last = now
	if r.ticking {
		return nil
	}
	t := tickerOf(r.program)
	if t == nil {
		return nil
	}
	r.ticking = true
	t.Reset(time.Second / modesPerSecond)
	return restIn(restAfter)
}

func (r *rest) stop(now time.Time) tea.Cmd {
	if wait := r.last.Add(restAfter).Sub(now); wait > 0 {
		return restIn(wait)
	}
	r.ticking = false
	if t := tickerOf(r.program); t != nil {
		t.Stop()
	}
	return nil
}

func restIn(wait time.Duration) tea.Cmd {
	return tea.Tick(wait, func(time.Time) tea.Msg { return restMsg{} })
}

// tickerOf finds the ticker that Bubble Tea does not export. It is nil if a later version has another one; then it is
// left alone.
func tickerOf(p *tea.Program) *time.Ticker {
	if p == nil {
		return nil
	}
	f := reflect.ValueOf(p).Elem().FieldByName("ticker")
	if !f.IsValid() || f.Type() != reflect.TypeFor[*time.Ticker]() {
		return nil
	}
	return (*time.Ticker)(f.UnsafePointer())
}
