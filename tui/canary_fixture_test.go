package tui

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/local"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/canary"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/stored"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/screens/home"
)

// canaryFixture is a profile with canaries in a store.
type canaryFixture struct {
	t    testing.TB
	g    *canary.MarkedData
	p    *profiles.Profile // the profile that the console reads
	conn *store.Connection
	home string
	wire *requestRecorder
}

// A requestRecorder is the connection to the store. It records the requests without their values.
type requestRecorder struct {
	next *embedded.Store
	mu   sync.Mutex
	sent map[string]bool
}

// Do implements store.Doer.
func (w *requestRecorder) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var input map[string]any
	if err := json.Unmarshal(body, &input); err != nil {
		return nil, err
	}
	header := r.Header.Clone()
	header.Del("Authorization") // the signature depends on the whole request
	w.mu.Lock()
	w.sent[fmt.Sprint(r.URL, header, withoutValues(input))] = true
	w.mu.Unlock()
	return w.next.Do(r)
}

// withoutValues removes the item values from a request: keys, items, and values in conditions.
func withoutValues(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, inner := range v {
			switch name {
			case "Key", "Keys", "Item", "ExclusiveStartKey", "ExpressionAttributeValues", "ExpressionAttributeNames":
			default:
				out[name] = withoutValues(inner)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			out[i] = withoutValues(inner)
		}
		return out
	}
	return v
}

// newCanaryFixture stores the items of a profile with canaries. Call it outside of bubbles.
func newCanaryFixture(t testing.TB, name string, unmasked bool) *canaryFixture {
	t.Helper()
	m := &canaryFixture{t: t, home: t.TempDir()}
	p, err := canary.Open(name, false)
	if err == nil {
		m.p, err = canary.Open(name, unmasked)
	}
	if err == nil {
		m.g, err = canary.Plant(p, 2, noon)
	}
	if err != nil {
		t.Fatal(err)
	}
	early := func() time.Time { return noon.AddDate(-1, 0, 0) }
	m.wire = &requestRecorder{next: fixture.DatabaseAt(t, early), sent: map[string]bool{}}
	m.conn = fixture.Connect(t, m.wire)
	fixture.NewOn(t, m.g.Profile, m.conn).Create(t)
	m.restore()
	return m
}

// restore writes the items again in their original state.
func (m *canaryFixture) restore() {
	m.t.Helper()
	for table, items := range m.g.Tables() {
		if err := stored.Put(context.Background(), m.conn.Writer(), table.Name, items); err != nil {
			m.t.Fatal(err)
		}
	}
}

// canaryUser presses keys and searches every frame.
type canaryUser struct {
	*canaryFixture
	m       *Model
	memory  *local.Store
	answers chan tea.Msg
	role    session.Role
	one     bool // open only one kind of item
	quick   bool // press fewer keys
	where   string
	size    tea.WindowSizeMsg
	typed   []string          // text from the user, which the screen may repeat
	open    bool              // personal data was revealed
	noted   bool              // the journal contains the reveal
	reason  string            // reason of the reveal, which the journal must contain before the screen shows data
	floor   int               // esc must not reduce the stack of screens below this height
	shown   map[string]bool   // canaries that frames showed during a reveal
	place   *place            // place of the item
	reopen  func()            // opens the item again
	found   canary.MarkedItem // the item
	seen    map[string]int
	leaks   []string
	frames  map[uint64]bool
	hash    maphash.Seed
}

// Profile implements home.Opener.
func (x *canaryUser) Profile(string) (*profiles.Profile, error) { return x.p, nil }

// Profiles implements home.Opener.
func (x *canaryUser) Profiles() ([]*profiles.Profile, error) { return []*profiles.Profile{x.p}, nil }

// Source implements home.Opener.
func (x *canaryUser) Source() home.Source { return home.Source{} }

// Open implements home.Opener.
func (x *canaryUser) Open(context.Context, *profiles.Profile) (*workspace.Workspace, error) {
	o := session.Options{
		Profile: x.p, Store: x.conn.Reader(), Target: store.Target{Region: "af-south-1", Endpoint: "embedded", Embedded: true},
		Role: x.role, Actor: "kagiso", JournalPath: filepath.Join(x.home, "journal"), StateDir: x.home,
		Clock:        func() time.Time { return noon },
		BookmarkPath: filepath.Join(x.home, "bookmarks.yaml"),
	}
	return workspace.NewWriting(o, x.conn.Writer()).Remember(x.memory), nil
}

// enter starts the console in a bubble.
func (m *canaryFixture) enter(role session.Role, w, h int) *canaryUser {
	x := &canaryUser{
		canaryFixture: m, role: role, answers: make(chan tea.Msg, 1<<12), seen: map[string]int{}, frames: map[uint64]bool{},
		hash:   maphash.MakeSeed(),
		memory: local.Open(filepath.Join(m.home, "local.db")), size: tea.WindowSizeMsg{Width: w, Height: h},
	}
	x.where = "start"
	now := noon
	x.m = New(Options{Opener: x, Start: m.p.Name, Clipboard: x.clipboard, Now: func() time.Time {
		now = now.Add(time.Second) // Keys at the same moment would count as a paste.
		return now
	}})
	x.m.out.exec = x.program
	x.send(x.size)
	x.feed(x.m.Init())
	x.settle()
	if x.m.env == nil {
		m.t.Fatalf("no session:\n%s", ansi.Strip(x.m.View().Content))
	}
	return x
}

// leave ends the console and searches the files that it wrote.
func (x *canaryUser) leave() {
	x.m.close()
	time.Sleep(24 * time.Hour)
	synctest.Wait()
	if err := x.memory.Close(context.Background()); err != nil {
		x.t.Error(err)
	}
	x.open, x.typed = false, nil
	for request := range x.wire.sent {
		x.inspect("request", request)
	}
	err := filepath.WalkDir(x.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		x.inspect("file "+strings.TrimRight(filepath.Base(path), "0123456789"), path+"\n"+string(text))
		return err
	})
	if err != nil {
		x.t.Error(err)
	}
}

func (x *canaryUser) feed(cmd tea.Cmd) {
	if cmd != nil {
		go func() { x.answers <- cmd() }()
	}
}

func (x *canaryUser) send(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			x.feed(c)
		}
	default:
		text := fmt.Sprintf("%T", msg)
		if !isBubbleTeaMsg(msg) || strings.HasSuffix(
			text, "PressMsg",
		) || strings.HasSuffix(text, "SizeMsg") || strings.HasSuffix(text, "PasteMsg") {
			x.feed(x.m.update(msg))
		} else if strings.Contains(text, "lipboard") {
			x.inspect("terminal's clipboard", fmt.Sprint(msg))
		}
	}
}

// settle delivers all messages and searches the frames.
func (x *canaryUser) settle() {
	for round := range 2 {
		for more := true; more; {
			synctest.Wait()
			select {
			case msg := <-x.answers:
				x.send(msg)
			default:
				more = false
			}
		}
		if round > 0 || !x.quick {
			x.frame()
		}
		time.Sleep(60 * time.Millisecond)
	}
}

// press presses the keys in order.
func (x *canaryUser) press(keys ...string) {
	for _, k := range keys {
		name, inPalette := strings.CutPrefix(k, ":")
		switch {
		case inPalette && name != "":
			x.send(pressed(":"))
			for _, r := range name {
				x.send(pressed(string(r)))
			}
			x.send(pressed("enter"))
		case strings.HasPrefix(k, "alt+"):
			x.send(tea.KeyPressMsg{Code: altKey(k[4:]), Mod: tea.ModAlt})
		case k == "esc" && x.wouldLeave():
			cancel(x.m.top().screen)
		default:
			x.send(pressed(k))
		}
		x.settle()
	}
}

// pressAction presses the keys of an action on the current screen.
func (x *canaryUser) pressAction(name string) {
	a, ok := x.m.top().screen.Actions().Named(name)
	if !ok {
		x.t.Fatalf("no action %s:\n%s", name, x.screen())
	}
	for key := range strings.FieldsSeq(a.Binding.Keys()[0]) {
		x.send(pressed(key))
	}
}

func altKey(name string) rune {
	if name == "home" {
		return tea.KeyHome
	}
	return pressed(name).Code
}

// wouldLeave reports whether esc would leave a screen that must stay open.
func (x *canaryUser) wouldLeave() bool {
	m := x.m
	return len(m.screens.stack) <= x.floor && m.topBox() == nil && !isTyping(m.top().screen)
}

// keepScreens keeps the open screens open during esc, until the test calls leave.
func (x *canaryUser) keepScreens() (leave func()) {
	before := x.floor
	x.floor = len(x.m.screens.stack)
	return func() { x.floor = before }
}

func (x *canaryUser) text(text string) {
	for _, r := range text {
		x.send(pressed(string(r)))
	}
	x.settle()
}

// frame searches the current frame, unless it is equal to an earlier one.
func (x *canaryUser) frame() {
	v := x.m.View()
	text := ansi.Strip(v.Content) + "\n" + v.WindowTitle
	if id := maphash.String(x.hash, text); !x.frames[id] {
		x.frames[id] = true
		x.inspect("frame", text)
	}
}

// screen returns the text on the screen.
func (x *canaryUser) screen() string { return ansi.Strip(x.m.View().Content) }

func (x *canaryUser) clipboard(text string) error {
	x.inspect("clipboard", text)
	return nil
}

// program replaces pagers and editors.
func (x *canaryUser) program(c *exec.Cmd, done tea.ExecCallback) tea.Cmd {
	x.inspect("arguments", strings.Join(c.Args, " "))
	if text, err := os.ReadFile(c.Args[len(c.Args)-1]); err == nil {
		x.inspect("pager's file", string(text))
	}
	return func() tea.Msg { return done(nil) }
}

// inspect searches the output of a channel for canaries.
func (x *canaryUser) inspect(channel, text string) {
	for _, s := range x.g.Watch.Find(text) {
		isSet := !s.Marker.Secret && slices.ContainsFunc(x.typed, func(arg string) bool {
			return s.Marker.Value != "" && strings.Contains(arg, s.Marker.Value) || strings.HasPrefix(s.How, "its ")
		})
		if isSet {
			continue
		}
		if x.open && !s.Marker.Secret && !strings.HasPrefix(channel, "file ") && x.revealed(channel, s) {
			x.seen[channel+", revealed"]++
			continue
		}
		if x.seen[channel]++; x.seen[channel] < 40 {
			x.leaks = append(x.leaks, fmt.Sprintf("%s, %dx%d, %s, %s: %s", x.role, x.size.Width, x.size.Height, x.where, channel, s))
		}
	}
}

// revealed reports whether a sighting is allowed: the user has revealed the data, and the journal contains the reason.
func (x *canaryUser) revealed(channel string, s canary.Sighting) bool {
	if x.m.env.Session.Masker().Hides(models.PII) {
		return false
	}
	if channel == "arguments" || channel == "name of a file" { // Other users can see them, and histories keep them.
		return false
	}
	if channel == "frame" {
		x.shown[s.Marker.Value] = true
	}
	if x.noted {
		return true
	}
	x.noted = x.journal(x.reason)
	return x.noted
}

// journal reports whether the journal contains a reveal with the text.
func (x *canaryUser) journal(text string) bool {
	lines, err := os.ReadFile(filepath.Join(x.home, "journal"))
	return err == nil && slices.ContainsFunc(strings.Split(string(lines), "\n"), func(line string) bool {
		return strings.Contains(line, `"reveal"`) && strings.Contains(line, text)
	})
}
