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

// canaryFixture is a schema with canaries in a store.
type canaryFixture struct {
	t    testing.TB
	g    *canary.MarkedData
	p    *profiles.Profile // the schema that the console reads
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
func (rec *requestRecorder) Do(r *http.Request) (*http.Response, error) {
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
	rec.mu.Lock()
	rec.sent[fmt.Sprint(r.URL, header, withoutValues(input))] = true
	rec.mu.Unlock()
	return rec.next.Do(r)
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

// newCanaryFixture stores the items of a schema with canaries. Call it outside of bubbles.
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
func (f *canaryFixture) restore() {
	f.t.Helper()
	for table, items := range f.g.Tables() {
		if err := stored.Put(context.Background(), f.conn.Writer(), table.Name, items); err != nil {
			f.t.Fatal(err)
		}
	}
}

// canaryUser presses keys and searches every frame.
type canaryUser struct {
	*canaryFixture
	m           *Model
	memory      *local.Store
	answers     chan tea.Msg
	role        session.Role
	oneKind     bool // open only one kind of item
	quick       bool // press fewer keys
	where       string
	size        tea.WindowSizeMsg
	typed       []string          // text from the user, which the screen may repeat
	wasRevealed bool              // personal data was revealed
	isJournaled bool              // the journal contains the reveal
	reason      string            // reason of the reveal, which the journal must contain before the screen shows data
	minScreens  int               // esc must not reduce the stack of screens below this height
	shown       map[string]bool   // canaries that frames showed during a reveal
	place       *place            // place of the item
	reopenItem  func()            // opens the item again
	currentItem canary.MarkedItem // the item
	seen        map[string]int
	leaks       []string
	frames      map[uint64]bool
	hash        maphash.Seed
}

// Profile implements home.Opener.
func (u *canaryUser) Profile(string) (*profiles.Profile, error) { return u.p, nil }

// Profiles implements home.Opener.
func (u *canaryUser) Profiles() ([]*profiles.Profile, error) { return []*profiles.Profile{u.p}, nil }

// Source implements home.Opener.
func (u *canaryUser) Source() home.Source { return home.Source{} }

// Open implements home.Opener.
func (u *canaryUser) Open(context.Context, *profiles.Profile) (*workspace.Workspace, error) {
	o := session.Options{
		Profile: u.p, Store: u.conn.Reader(), Target: store.Target{Region: "af-south-1", Endpoint: "embedded", Embedded: true},
		Role: u.role, Actor: "kagiso", JournalPath: filepath.Join(u.home, "journal"), StateDir: u.home,
		Clock:        func() time.Time { return noon },
		BookmarkPath: filepath.Join(u.home, "bookmarks.yaml"),
	}
	return workspace.NewWriting(o, u.conn.Writer()).WithLocalStore(u.memory), nil
}

// enter starts the console in a bubble.
func (f *canaryFixture) enter(role session.Role, w, h int) *canaryUser {
	x := &canaryUser{
		canaryFixture: f, role: role, answers: make(chan tea.Msg, 1<<12), seen: map[string]int{}, frames: map[uint64]bool{},
		hash:   maphash.MakeSeed(),
		memory: local.Open(filepath.Join(f.home, "local.db")), size: tea.WindowSizeMsg{Width: w, Height: h},
	}
	x.where = "start"
	now := noon
	x.m = New(Options{Opener: x, Start: f.p.Name, Clipboard: x.clipboard, Now: func() time.Time {
		now = now.Add(time.Second) // Keys at the same moment would count as a paste.
		return now
	}})
	x.m.external.exec = x.program
	x.send(x.size)
	x.feed(x.m.Init())
	x.settle()
	if x.m.env == nil {
		f.t.Fatalf("the console has no session:\n%s", ansi.Strip(x.m.View().Content))
	}
	return x
}

// leave ends the console and searches the files that it wrote.
func (u *canaryUser) leave() {
	u.m.close()
	time.Sleep(24 * time.Hour)
	synctest.Wait()
	if err := u.memory.Close(context.Background()); err != nil {
		u.t.Error(err)
	}
	u.wasRevealed, u.typed = false, nil
	for request := range u.wire.sent {
		u.inspect("request", request)
	}
	err := filepath.WalkDir(u.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		u.inspect("file "+strings.TrimRight(filepath.Base(path), "0123456789"), path+"\n"+string(text))
		return err
	})
	if err != nil {
		u.t.Error(err)
	}
}

func (u *canaryUser) feed(cmd tea.Cmd) {
	if cmd != nil {
		go func() { u.answers <- cmd() }()
	}
}

func (u *canaryUser) send(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			u.feed(c)
		}
	default:
		text := fmt.Sprintf("%T", msg)
		if !isBubbleTeaMsg(msg) || strings.HasSuffix(
			text, "PressMsg",
		) || strings.HasSuffix(text, "SizeMsg") || strings.HasSuffix(text, "PasteMsg") {
			u.feed(u.m.update(msg))
		} else if strings.Contains(text, "lipboard") {
			u.inspect("terminal's clipboard", fmt.Sprint(msg))
		}
	}
}

// settle delivers all messages and searches the frames.
func (u *canaryUser) settle() {
	for round := range 2 {
		for more := true; more; {
			synctest.Wait()
			select {
			case msg := <-u.answers:
				u.send(msg)
			default:
				more = false
			}
		}
		if round > 0 || !u.quick {
			u.frame()
		}
		time.Sleep(60 * time.Millisecond)
	}
}

// press presses the keys in order.
func (u *canaryUser) press(keys ...string) {
	for _, k := range keys {
		name, inPalette := strings.CutPrefix(k, ":")
		switch {
		case inPalette && name != "":
			u.send(pressed(":"))
			for _, r := range name {
				u.send(pressed(string(r)))
			}
			u.send(pressed("enter"))
		case strings.HasPrefix(k, "alt+"):
			u.send(tea.KeyPressMsg{Code: altKey(k[4:]), Mod: tea.ModAlt})
		case k == "esc" && u.wouldLeave():
			cancel(u.m.top().screen)
		default:
			u.send(pressed(k))
		}
		u.settle()
	}
}

// pressAction presses the keys of an action on the current screen.
func (u *canaryUser) pressAction(name string) {
	a, ok := u.m.top().screen.Actions().Named(name)
	if !ok {
		u.t.Fatalf("the menu lacks the action %s:\n%s", name, u.screen())
	}
	for key := range strings.FieldsSeq(a.Binding.Keys()[0]) {
		u.send(pressed(key))
	}
}

func altKey(name string) rune {
	if name == "home" {
		return tea.KeyHome
	}
	return pressed(name).Code
}

// wouldLeave reports whether esc would leave a screen that must stay open.
func (u *canaryUser) wouldLeave() bool {
	m := u.m
	return len(m.screens.stack) <= u.minScreens && m.topBox() == nil && !isTyping(m.top().screen)
}

// keepScreens keeps the open screens open during esc, until the test calls leave.
func (u *canaryUser) keepScreens() (leave func()) {
	before := u.minScreens
	u.minScreens = len(u.m.screens.stack)
	return func() { u.minScreens = before }
}

func (u *canaryUser) text(text string) {
	for _, r := range text {
		u.send(pressed(string(r)))
	}
	u.settle()
}

// frame searches the current frame, unless it is equal to an earlier one.
func (u *canaryUser) frame() {
	v := u.m.View()
	text := ansi.Strip(v.Content) + "\n" + v.WindowTitle
	if id := maphash.String(u.hash, text); !u.frames[id] {
		u.frames[id] = true
		u.inspect("frame", text)
	}
}

// screen returns the text on the screen.
func (u *canaryUser) screen() string { return ansi.Strip(u.m.View().Content) }

func (u *canaryUser) clipboard(text string) error {
	u.inspect("clipboard", text)
	return nil
}

// program replaces pagers and editors.
func (u *canaryUser) program(c *exec.Cmd, done tea.ExecCallback) tea.Cmd {
	u.inspect("arguments", strings.Join(c.Args, " "))
	if text, err := os.ReadFile(c.Args[len(c.Args)-1]); err == nil {
		u.inspect("pager's file", string(text))
	}
	return func() tea.Msg { return done(nil) }
}

// inspect searches the output of a channel for canaries.
func (u *canaryUser) inspect(channel, text string) {
	for _, s := range u.g.Watch.Find(text) {
		wasTyped := !s.Marker.Secret && slices.ContainsFunc(u.typed, func(arg string) bool {
			return s.Marker.Value != "" && strings.Contains(arg, s.Marker.Value) || strings.HasPrefix(s.Encoding, "its ")
		})
		if wasTyped {
			continue
		}
		if u.wasRevealed && !s.Marker.Secret && !strings.HasPrefix(channel, "file ") && u.revealed(channel, s) {
			u.seen[channel+", revealed"]++
			continue
		}
		if u.seen[channel]++; u.seen[channel] < 40 {
			u.leaks = append(u.leaks, fmt.Sprintf("%s, %dx%d, %s, %s: %s", u.role, u.size.Width, u.size.Height, u.where, channel, s))
		}
	}
}

// revealed reports whether a sighting is allowed: the user has revealed the data, and the journal contains the reason.
func (u *canaryUser) revealed(channel string, s canary.Sighting) bool {
	if u.m.env.Session.Masker().Hides(models.PII) {
		return false
	}
	if channel == "arguments" || channel == "name of a file" { // Other users can see them, and histories keep them.
		return false
	}
	if channel == "frame" {
		u.shown[s.Marker.Value] = true
	}
	if u.isJournaled {
		return true
	}
	u.isJournaled = u.journal(u.reason)
	return u.isJournaled
}

// journal reports whether the journal contains a reveal with the text.
func (u *canaryUser) journal(text string) bool {
	lines, err := os.ReadFile(filepath.Join(u.home, "journal"))
	return err == nil && slices.ContainsFunc(strings.Split(string(lines), "\n"), func(line string) bool {
		return strings.Contains(line, `"reveal"`) && strings.Contains(line, text)
	})
}
