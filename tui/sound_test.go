package tui

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/screens"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// walk is a model without a program: what commands answer is fed back at once,
// ticks are dropped.
type walk struct {
	t *testing.T
	m *Model
}

func newWalk(t *testing.T, d *desk, w, h int) *walk {
	k := &walk{t, New(Options{Opener: d, Start: d.profile.Name, Clipboard: func(string) error { return nil }})}
	k.m.out.exec = func(_ *exec.Cmd, done tea.ExecCallback) tea.Cmd { // No walk ends in an editor.
		return func() tea.Msg { return done(nil) }
	}
	k.send(tea.WindowSizeMsg{Width: w, Height: h})
	k.run(k.m.Init())
	return k
}

func (k *walk) send(msg tea.Msg) {
	_, cmd := k.m.Update(msg)
	k.run(cmd)
}

// run answers a command. What takes longer than a moment is a tick.
func (k *walk) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	done := make(chan tea.Msg, 1)
	go func() { done <- cmd() }()
	select {
	case msg := <-done:
		switch msg := msg.(type) {
		case nil:
		case tea.BatchMsg:
			for _, c := range msg {
				k.run(c)
			}
		case tea.QuitMsg:
			k.m.hold.quitting = false
		default:
			if !ofBubbleTea(msg) {
				k.send(msg)
			}
		}
	case <-time.After(10 * time.Millisecond):
	}
}

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

// check fails unless the frame has the terminal's size.
func check(t interface{ Fatalf(string, ...any) }, m *Model, after any) {
	view := m.View().Content
	if m.w <= 0 || m.h <= 0 {
		return
	}
	lines := strings.Split(view, "\n")
	if len(lines) != m.h {
		t.Fatalf("after %v: %d lines at %dx%d", after, len(lines), m.w, m.h)
	}
	for i, line := range lines {
		if w := ansi.StringWidth(line); w != m.w {
			t.Fatalf("after %v: line %d is %d wide at %dx%d: %q", after, i, w, m.w, m.h, ansi.Strip(line))
		}
	}
}

// TestRandomKeysKeepFramesValid presses keys at random, at sizes at random.
func TestRandomKeysKeepFramesValid(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out sequential drawing; go test without it runs this")
	}
	keys := []string{
		"enter", "enter", "enter", "esc", "tab", "shift+tab", "up", "down", "down", "left", "right", "pgdown", "pgup", "backspace",
		"space", "j", "k", "g", "G", "/", "n", "e", "x", "f", "y", "r", "R", "?", ":", "p", "]", "1", "2", "5", "a", "v",
		"Q", "D", "J", "Q", "*", "t", "o", "u", "s", "c", "b", "E", "=", "M", "F", "B", "H", "[", "z", "|", "日", "ctrl+p",
		"ctrl+c", "q",
	}
	for _, name := range []string{"authbridge", "form-bridge"} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir()) // Keys drawn at random can export.
			d := newDesk(t, name)
			rapid.Check(t, func(rt *rapid.T) {
				size := rapid.SampledFrom([]tuitest.Size{
					{W: 80, H: 24}, {W: 120, H: 40}, {W: 60, H: 16}, {W: 99, H: 17}, {W: 200, H: 50}, {W: 1, H: 1},
				})
				start := size.Draw(rt, "size")
				k := newWalk(t, d, start.W, start.H)
				defer k.m.close()
				check(rt, k.m, "start")
				for range rapid.IntRange(1, 25).Draw(rt, "n") {
					switch rapid.IntRange(0, 11).Draw(rt, "what") {
					case 0:
						s := size.Draw(rt, "size")
						k.send(tea.WindowSizeMsg{Width: s.W, Height: s.H})
					case 1:
						x, y := rapid.IntRange(-1, 130).Draw(rt, "x"), rapid.IntRange(-1, 45).Draw(rt, "y")
						k.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
						check(rt, k.m, fmt.Sprint("click ", x, ",", y))
					case 2:
						k.send(tea.MouseWheelMsg{X: rapid.IntRange(0, 100).Draw(rt, "x"), Y: 10, Button: tea.MouseWheelDown})
					case 3:
						k.send(tea.PasteMsg{Content: rapid.SampledFrom([]string{"ver_1\n", "\x1b[31mred\x1b]0;x\a", "日本語"}).Draw(
							rt, "paste",
						)})
					default:
						name := rapid.SampledFrom(keys).Draw(rt, "key")
						k.m.input.interrupted = time.Time{}
						k.send(pressed(name))
						check(rt, k.m, name)
					}
				}
			})
		})
	}
}

// The letters of a queue's actions are its own, in every built-in profile.
func TestQueueKeysDoNotClash(t *testing.T) {
	for _, name := range profiles.Names() {
		p, err := profiles.Open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		m := New(Options{})
		env := &screen.Env{
			Context: t.Context(), Workspace: workspace.New(session.Options{Profile: p}), Styles: widget.NewStyles(true, true),
			Now: time.Now,
		}
		for _, q := range p.Queues {
			s := screens.Open(env, screen.Queue{ID: q.ID})
			as := append(append(append(widget.Actions{}, s.Actions()...), m.actions...), widget.NavigationActions()...)
			if err := as.Clashes(); err != nil {
				t.Errorf("%s.%s: %v", name, q.ID, err)
			}
			for _, a := range q.Actions {
				if _, ok := as.Named("change-" + a.ID); !ok {
					t.Errorf("%s.%s: %s has no letter", name, q.ID, a.ID)
				}
			}
			s.Close()
		}
	}
}

// filled is the console with so many rows on the workbench.
func filled(t testing.TB, n int) *Model {
	d := newDesk(t, "authbridge")
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
	feed(m.route(m.top(), b.(screen.Bench).Show(d.profile.Pattern("list-verifications-by-date"), nil, true)))
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

// TestFrameCostDoesNotDependOnTheData proves that a key and its frame do not depend on the
// rows that were read.
func TestFrameCostDoesNotDependOnTheData(t *testing.T) {
	cost := func(n int) float64 {
		m := filled(t, n)
		i := 0
		return testing.AllocsPerRun(200, func() {
			m.update(pressed([]string{"down", "up"}[i/40%2]))
			_ = m.View()
			i++
		})
	}
	few, many := cost(200), cost(5_000)
	if many > few*1.1 {
		t.Errorf("a frame allocates %.0f times with 200 rows, %.0f times with 5,000", few, many)
	}
}

func grouped(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

// BenchmarkKeyToFrame is a key and the frame after it, with few rows and many.
func BenchmarkKeyToFrame(b *testing.B) {
	for _, n := range []int{100, 100_000} {
		m := filled(b, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				m.update(pressed([]string{"down", "up"}[i/40%2]))
				_ = m.View()
			}
		})
	}
}

// BenchmarkFirstFrame is from the start to the first frame.
func BenchmarkFirstFrame(b *testing.B) {
	d := newDesk(b, "authbridge")
	for b.Loop() {
		m := New(Options{Opener: d})
		m.update(tea.WindowSizeMsg{Width: 160, Height: 50})
		_ = m.View()
	}
}
