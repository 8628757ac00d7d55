package tui

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// secret stands for data of an item.
const secret = "MARKER-448211907"

// panickingModel is a model that panics in the method whose name is at.
type panickingModel struct{ at string }

type breakMsg struct{}

func (m panickingModel) panicIfAt(at string) {
	if m.at == at {
		panic(errors.New("cannot show " + secret))
	}
}

func (m panickingModel) command() tea.Msg {
	m.panicIfAt("command")
	return nil
}

func (m panickingModel) Init() tea.Cmd {
	m.panicIfAt("Init")
	one := func() tea.Msg { return nil }
	switch m.at {
	case "command":
		return m.command
	case "batch":
		return tea.Batch(one, func() tea.Msg { panic(secret) })
	case "sequence":
		return tea.Sequence(one, tea.Batch(one, func() tea.Msg { panic(secret) }))
	case "tick":
		return tea.Tick(time.Second, func(time.Time) tea.Msg { panic(secret) })
	case "goroutine":
		return func() tea.Msg {
			go func() {
				defer crash.Catch("a goroutine")
				panic(secret)
			}()
			return nil
		}
	}
	return func() tea.Msg { return breakMsg{} }
}

func (m panickingModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(breakMsg); ok {
		m.panicIfAt("Update")
	}
	return m, nil
}

func (m panickingModel) View() tea.View {
	m.panicIfAt("View")
	v := tea.NewView("all is well")
	v.AltScreen = true
	return v
}

// installHandler installs a crash handler that writes to a test folder.
func installHandler(t *testing.T) (dir string) {
	dir = t.TempDir()
	crash.Install(crash.NewHandler(dir, func() crash.Environment { return crash.Environment{Command: "ddbdesk demo"} }))
	t.Cleanup(func() { crash.Install(nil) })
	return dir
}

// crashText returns the text of the only crash report.
func crashText(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("got crash reports %v, %v, want 1", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestPanicRestoresTerminal(t *testing.T) {
	for at, activity := range map[string]string{
		"Init": "tui.panickingModel starts", "Update": "tui.panickingModel takes tui.breakMsg", "View": "tui.panickingModel draws",
		"command": "a command", "batch": "a command", "sequence": "a command", "tick": "a command", "goroutine": "a goroutine",
	} {
		t.Run(at, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := installHandler(t)
				in, input := io.Pipe()
				var out bytes.Buffer
				begin := time.Now()
				err := runProgram(t.Context(), tea.NewProgram(guardedModel{panickingModel{at}}, tea.WithInput(in), tea.WithOutput(&out), tea.WithWindowSize(80, 24),
					tea.WithEnvironment([]string{"TERM=xterm-256color"}), tea.WithoutSignalHandler(), tea.WithoutCatchPanics()))
				_ = input.Close()
				if _, ok := errors.AsType[*crash.Failure](err); !ok {
					t.Fatalf("the program ended with %v", err)
				}
				if d := time.Since(begin); d > 2*time.Second {
					t.Errorf("the program took %v to end, want at most 2s", d)
				}
				text := crashText(t, dir)
				if !strings.Contains(text, activity) || strings.Contains(text+err.Error(), secret) {
					t.Errorf("want %q and no data in:\n%s\n%v", activity, text, err)
				}
				if taken, left := strings.Count(out.String(), "\x1b[?1049h"), strings.Count(out.String(), "\x1b[?1049l"); taken > left {
					t.Errorf("the alternate screen was entered %d times, but left %d times", taken, left)
				}
			})
		})
	}
}

// If a part of the console panics during a change, the console waits for the outcome. The journal then contains it.
func TestPanicWaitsForOutcomeOfChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := installHandler(t)
		o := newChangeFixture(t, session.Admin, "", "in_review")
		m := New(Options{Opener: singleOpener{&openerFixture{profile: o.p}, o.session}, Start: o.p.Name, Clipboard: o.clip.write})
		tt := tuitest.New(t, guardedModel{m}, wideSize)
		tt.WaitFor("Patterns")
		tt.Send(screen.OpenMsg{To: screen.Item{Table: o.p.Entity("Verification").Table, Item: o.item()}})
		tt.WaitFor("read at")
		planApproval(tt, "ok")
		tt.Advance(planGrace)
		o.delay.Store(int64(5 * time.Second))
		tt.Reach("cannot be canceled", "tab", "enter")
		func() {
			defer crash.Catch("something else")
			panic(secret)
		}()
		tt.Advance(time.Second)
		if _, ended := tt.Exited(); !ended {
			t.Fatalf("the program is still running:\n%s", tt.Screen())
		}
		if err := m.finish(); err != nil {
			t.Error(err)
		}
		crashText(t, dir)
		o.delay.Store(0)
		if got := o.status(); got != "approved" {
			t.Errorf("status = %s, want approved", got)
		}
		if list, err := fixture.Changes(o.session.Journal); err != nil || len(list) != 1 || !list[0].Committed() {
			t.Errorf("got changes %v, %v, want 1 committed change", list, err)
		}
	})
}
