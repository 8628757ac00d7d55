package cases

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/cases"
	"github.com/ddbdesk/ddbdesk/internal/link"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A stage is a dialog about an approved case of authbridge.
type stage struct {
	*testing.T
	d    *Dialog
	done bool
	sent []tea.Msg // to the screen
}

// open starts the dialog and reads the tree, in production if that is set.
func open(t *testing.T, production bool, change func(models.Item)) *stage {
	t.Helper()
	f := fixture.New(t, "authbridge", session.Support)
	o := f.Options()
	if o.Role = session.Support; production {
		o.Environment = "prod"
	}
	e, it := f.SampleCase(t, "approved")
	it = it.Clone()
	change(it)
	env := &screen.Env{
		Context: t.Context(), Workspace: f.Open(o), Styles: widget.NewStyles(true, true), Now: func() time.Time { return fixture.Now },
	}
	key, _ := e.Table.PrimaryKey(it)
	d, cmd := New(env, link.Place{Entity: e, Key: key}, "case")
	s := &stage{T: t, d: d}
	if !strings.Contains(s.view(80, 24), "Reading related items") {
		t.Error(s.view(80, 24))
	}
	s.run(cmd)
	return s
}

// run runs a command and what follows from it, except that time passes.
func (s *stage) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		s.run(msg[len(msg)-1]) // The others tick.
	case nil:
	case doneMsg:
		s.update(msg)
	default:
		s.sent = append(s.sent, msg)
	}
}

func (s *stage) update(msg tea.Msg) {
	cmd, done := s.d.Update(msg)
	s.done = s.done || done
	s.run(cmd)
}

// press presses keys by name.
func (s *stage) press(keys ...string) {
	s.Helper()
	codes := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "down": tea.KeyDown, "up": tea.KeyUp, "tab": tea.KeyTab, "space": tea.KeySpace,
	}
	for _, key := range keys {
		msg := tea.KeyPressMsg{Code: codes[key]}
		if msg.Code == 0 || key == "space" {
			msg.Text = map[bool]string{true: " ", false: key}[key == "space"]
			msg.Code = []rune(msg.Text)[0]
		}
		s.update(msg)
	}
}

func (s *stage) view(w, h int) string {
	s.Helper()
	frame := s.d.Over(s.d.env.Styles, widget.Place("", w, h), w, h)
	tuitest.Sound(s.T, frame, w, h)
	return strings.Join(tuitest.Draw(frame, w, h), "\n")
}

// want looks for texts at three sizes.
func (s *stage) want(texts ...string) {
	s.Helper()
	for _, size := range []tuitest.Size{{W: 80, H: 24}, {W: 120, H: 40}, {W: 200, H: 60}} {
		view := s.view(size.W, size.H)
		for _, text := range texts {
			if !strings.Contains(view, text) {
				s.Errorf("%dx%d lacks %q:\n%s", size.W, size.H, text, view)
			}
		}
	}
	s.view(60, 14)
}

// file enters the name of the file, and returns its path.
func (s *stage) file() string {
	path := filepath.Join(s.TempDir(), "a.ddbcase")
	values := s.d.form.Values()
	values[fieldFile] = path
	s.d.form.SetValues(values)
	return path
}

func none(models.Item) {}

// The tree is shown before anything is taken, a branch can be left out, and the file has the rest.
func TestCaseIsPrunedAndSaved(t *testing.T) {
	s := open(t, false, none)
	s.want("✓ Verification", "list-client-verifications", "saving reads", "Continue")
	items := len(s.d.tree.Items())
	for at := 0; s.d.tree.Rows()[at].Name != "list-client-verifications"; at++ {
		s.press("down")
	}
	s.press("space")
	left := len(s.d.tree.Items())
	if left >= items {
		t.Errorf("%d items of %d are left", left, items)
	}
	s.want("left out", "· ")
	s.press("enter")
	s.want("file*", "reason", "ticket", "Save")
	path := s.file()
	s.press("enter")
	s.want("✓ Saved", "replaced")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if f, err := cases.Parse(text); err != nil || f.Items != left || f.Start.Entity != "Verification" {
		t.Errorf("the file has %+v, %v", f, err)
	}
	s.press("y")
	if copied, ok := s.sent[len(s.sent)-1].(screen.CopyMsg); !ok || copied.Text != path || !s.done {
		t.Errorf("y sent %v", s.sent)
	}
}

// The item itself cannot be left out, and the depth can be changed.
func TestDepthOfATree(t *testing.T) {
	s := open(t, false, none)
	s.press("space")
	if s.d.tree.Root.Pruned {
		t.Error("the start is left out")
	}
	one := len(s.d.tree.Items())
	s.press("+")
	s.want("depth 2 steps")
	two := len(s.d.tree.Items())
	s.press("-", "-", "-")
	s.want("depth 0 steps")
	if none := len(s.d.tree.Items()); none != 1 || two <= one {
		t.Errorf("%d, %d and %d items", none, one, two)
	}
}

// On production the form asks for a reason, and an error keeps the form.
func TestProductionAsksForAReason(t *testing.T) {
	s := open(t, true, none)
	s.press("enter")
	s.want("reason*")
	path := s.file()
	s.press("enter")
	if s.d.phase != names {
		t.Errorf("the phase is %d without a reason", s.d.phase)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	values := s.d.form.Values()
	values[fieldReason] = "OPS-7"
	s.d.form.SetValues(values)
	s.press("enter")
	s.want("the file already exists", "Save")
	s.press("esc")
	s.want("Continue")
	s.press("esc")
	if !s.done {
		t.Error("esc does not close the tree")
	}
}

// An item that is gone has no tree.
func TestItemThatIsGone(t *testing.T) {
	s := open(t, false, func(it models.Item) { it["PK"] = models.StringValue("CASE#ver_gone") })
	s.want("the item no longer exists", "Cancel")
	s.press("enter")
	if !s.done {
		t.Error("the dialog stays")
	}
}

// esc stops the reading, and the late answer changes nothing.
func TestReadingIsStopped(t *testing.T) {
	s := open(t, false, none)
	cmd := s.d.explore()
	s.press("esc")
	if !s.done || s.d.phase != explores {
		t.Error("esc does not stop")
	}
	s.done = false
	s.run(cmd)
	if s.d.err == nil {
		t.Error("the read went on")
	}
}
