package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/screens"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func pressed(name string) tea.KeyPressMsg {
	special := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
		"left": tea.KeyLeft, "right": tea.KeyRight, "pgdown": tea.KeyPgDown, "pgup": tea.KeyPgUp, "backspace": tea.KeyBackspace,
	}
	switch {
	case name == "space":
		return tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
	case name == "shift+tab":
		return tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift}
	case strings.HasPrefix(name, "ctrl+"):
		return tea.KeyPressMsg{Code: rune(name[5]), Mod: tea.ModCtrl}
	case special[name] != 0:
		return tea.KeyPressMsg{Code: special[name]}
	}
	r := []rune(name)[0]
	return tea.KeyPressMsg{Code: r, Text: name}
}

// checkFrameSize fails unless the frame has the size of the terminal.
func checkFrameSize(t interface{ Fatalf(string, ...any) }, m *Model, after any) {
	view := m.View().Content
	if m.w <= 0 || m.h <= 0 {
		return
	}
	lines := strings.Split(view, "\n")
	if len(lines) != m.h {
		t.Fatalf("after %v: got %d lines at %dx%d", after, len(lines), m.w, m.h)
	}
	for i, line := range lines {
		if w := ansi.StringWidth(line); w != m.w {
			t.Fatalf("after %v: line %d is %d wide at %dx%d: %q", after, i, w, m.w, m.h, ansi.Strip(line))
		}
	}
}

func TestQueueKeysAreUnique(t *testing.T) {
	for _, name := range profiles.Names() {
		p := schemas.Shared(t, name)
		m := New(Options{})
		env := &screen.Env{
			Context: t.Context(), Workspace: workspace.New(session.Options{Profile: p}), Styles: widget.NewStyles(true, true),
			Now: time.Now,
		}
		for _, q := range p.Queues {
			s := screens.Open(env, screen.Queue{ID: q.ID})
			actions := append(append(append(widget.Actions{}, s.Actions()...), m.actions...), widget.NavigationActions()...)
			if err := actions.Clashes(); err != nil {
				t.Errorf("%s.%s: %v", name, q.ID, err)
			}
			for _, a := range q.Actions {
				if _, ok := actions.Named("change-" + a.ID); !ok {
					t.Errorf("%s.%s: %s has no letter", name, q.ID, a.ID)
				}
			}
			s.Close()
		}
	}
}

// newFilledModel returns a console with n rows on the workbench.
func newFilledModel(t testing.TB, n int) *Model {
	d := newOpenerFixture(t, "authbridge")
	d.store = pages(d.store, n, nil)
	s, err := d.Open(context.Background(), d.profile)
	if err != nil {
		t.Fatal(err)
	}
	env := &screen.Env{Context: t.Context(), Workspace: s, Styles: widget.NewStyles(true, false), Now: s.Session.Now}
	m := New(Options{Opener: d})
	m.env = env
	m.update(tea.WindowSizeMsg{Width: 160, Height: 50})
	answers := make(chan tea.Msg, 64)
	feed := func(cmd tea.Cmd) {
		if cmd != nil {
			go func() { answers <- cmd() }()
		}
	}
	b := screens.Open(env, screen.Patterns{})
	feed(m.push(b, nil))
	feed(m.route(m.top(), b.(screen.PatternRunner).Show(d.profile.Pattern("list-verifications-by-date"), nil, true)))
	for last := ""; !strings.HasPrefix(b.Status(), grouped(n)+" items"); {
		if status := b.Status(); status != last && strings.Contains(status, "+ items") {
			last = status
			feed(m.update(pressed("n")))
		}
		msg := <-answers
		if batch, ok := msg.(tea.BatchMsg); ok {
			for _, c := range batch {
				feed(c)
			}
			continue
		}
		feed(m.update(msg))
	}
	return m
}

// TestFrameCostDoesNotDependOnData fails if a key and its frame cost more with more rows.
func TestFrameCostDoesNotDependOnData(t *testing.T) {
	cost := func(n int) float64 {
		m := newFilledModel(t, n)
		i := 0
		return testing.AllocsPerRun(200, func() {
			m.update(pressed([]string{"down", "up"}[i/40%2]))
			_ = m.View()
			i++
		})
	}
	few, many := cost(200), cost(5_000)
	if many > few*1.1 {
		t.Errorf("a frame with 200 rows needs %.0f allocations, but %.0f with 5,000", few, many)
	}
}

func grouped(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

// BenchmarkKeyToFrame measures a key with its frame, for few and many rows.
func BenchmarkKeyToFrame(b *testing.B) {
	for _, n := range []int{100, 100_000} {
		m := newFilledModel(b, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				m.update(pressed([]string{"down", "up"}[i/40%2]))
				_ = m.View()
			}
		})
	}
}

// BenchmarkFirstFrame measures the time from the start to the first frame.
func BenchmarkFirstFrame(b *testing.B) {
	d := newOpenerFixture(b, "authbridge")
	for b.Loop() {
		m := New(Options{Opener: d})
		m.update(tea.WindowSizeMsg{Width: 160, Height: 50})
		_ = m.View()
	}
}
