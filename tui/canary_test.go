// This file looks for personal data and secrets in everything that the console
// shows, copies, writes and hands to other programs.

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

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/canary"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/memory"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/screens"
)

// A mine is a planted profile in a store of its own.
type mine struct {
	t    testing.TB
	g    *canary.Garden
	p    *profiles.Profile // as the console reads it
	conn *store.Connection
	home string
	wire *wire
}

// A wire is the way to the store; it keeps what is sent beside values of items.
type wire struct {
	next *embedded.Store
	mu   sync.Mutex
	sent map[string]bool
}

// Do implements store.Doer.
func (w *wire) Do(r *http.Request) (*http.Response, error) {
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
	header.Del("Authorization") // a signature over all of it
	w.mu.Lock()
	w.sent[fmt.Sprint(r.URL, header, withoutValues(input))] = true
	w.mu.Unlock()
	return w.next.Do(r)
}

// withoutValues is a request without the values of items: keys, items, and what
// conditions compare with.
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

// newMine plants a profile. It is called outside of bubbles.
func newMine(t testing.TB, name string, blind bool) *mine {
	t.Helper()
	m := &mine{t: t, home: t.TempDir()}
	p, err := canary.Open(name, false)
	if err == nil {
		m.p, err = canary.Open(name, blind)
	}
	if err == nil {
		m.g, err = canary.Plant(p, 2, noon)
	}
	if err != nil {
		t.Fatal(err)
	}
	early := func() time.Time { return noon.AddDate(-1, 0, 0) }
	db, err := embedded.Open(embedded.Options{NoSync: true, Clock: early})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	m.wire = &wire{next: db, sent: map[string]bool{}}
	if m.conn, err = store.Connect(t.Context(), store.Options{Embedded: m.wire}); err != nil {
		t.Fatal(err)
	}
	if _, err := session.CreateTables(t.Context(), m.g.Profile, m.conn); err != nil {
		t.Fatal(err)
	}
	m.restore()
	return m
}

// restore puts what was planted, as it was planted.
func (m *mine) restore() {
	m.t.Helper()
	for table, items := range m.g.Tables() {
		if err := m.conn.Admin().PutItems(context.Background(), table.Name, items); err != nil {
			m.t.Fatal(err)
		}
	}
}

// A miner works the console by keys and looks at each frame.
type miner struct {
	*mine
	m       *Model
	memory  *memory.Memory
	answers chan tea.Msg
	role    session.Role
	one     bool // one kind of item
	quick   bool // fewer keys
	where   string
	size    tea.WindowSizeMsg
	typed   []string // what the person gave, and may be shown again
	open    bool     // personal data was revealed
	place   *place   // the item's
	there   func()   // opens it again
	seen    map[string]int
	leaks   []string
	frames  map[uint64]bool
	hash    maphash.Seed
}

// Profiles implements screens.Opener.
func (m *miner) Profiles() ([]*profiles.Profile, error) { return []*profiles.Profile{m.p}, nil }

// Open implements screens.Opener.
func (m *miner) Open(context.Context, *profiles.Profile) (*session.Session, error) {
	o := session.Options{
		Profile: m.p, Store: m.conn.Reader(), Target: store.Target{Region: "af-south-1", Endpoint: "embedded", Embedded: true},
		Role: m.role, Actor: "kagiso", JournalPath: filepath.Join(m.home, "journal"), StateDir: m.home, Clock: func() time.Time { return noon },
		Memory: m.memory, BookmarkPath: filepath.Join(m.home, "bookmarks.yaml"),
	}
	if m.role == session.Admin {
		o.Writer = m.conn.Writer()
	}
	return session.New(o), nil
}

// enter starts the console in a bubble.
func (m *mine) enter(role session.Role, w, h int) *miner {
	x := &miner{
		mine: m, role: role, answers: make(chan tea.Msg, 1<<12), seen: map[string]int{}, frames: map[uint64]bool{}, hash: maphash.MakeSeed(),
		memory: memory.Open(filepath.Join(m.home, "memory.json")), size: tea.WindowSizeMsg{Width: w, Height: h},
	}
	x.where = "start"
	x.m = New(Options{Opener: x, Start: m.p.Name, Clipboard: x.clipboard, Now: func() time.Time { return noon }})
	x.m.out.exec = x.program
	x.send(x.size)
	x.feed(x.m.Init())
	x.settle()
	if x.m.env == nil {
		m.t.Fatalf("no session:\n%s", ansi.Strip(x.m.View().Content))
	}
	return x
}

// leave ends the console and searches the files that it leaves.
func (x *miner) leave() {
	x.m.close()
	time.Sleep(24 * time.Hour)
	synctest.Wait()
	if err := x.memory.Close(context.Background()); err != nil {
		x.t.Error(err)
	}
	x.open, x.typed = false, nil
	for request := range x.wire.sent {
		x.look("request", request)
	}
	err := filepath.WalkDir(x.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		x.look("file "+strings.TrimRight(filepath.Base(path), "0123456789"), path+"\n"+string(text))
		return err
	})
	if err != nil {
		x.t.Error(err)
	}
}

func (x *miner) feed(cmd tea.Cmd) {
	if cmd != nil {
		go func() { x.answers <- cmd() }()
	}
}

func (x *miner) send(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			x.feed(c)
		}
	default:
		text := fmt.Sprintf("%T", msg)
		if !ofBubbleTea(msg) || strings.HasSuffix(text, "PressMsg") || strings.HasSuffix(text, "SizeMsg") || strings.HasSuffix(text, "PasteMsg") {
			x.feed(x.m.update(msg))
		} else if strings.Contains(text, "lipboard") {
			x.look("terminal's clipboard", fmt.Sprint(msg))
		}
	}
}

// settle lets the console work off what it was sent, and looks at its frames.
func (x *miner) settle() {
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

// press presses keys, one after the other.
func (x *miner) press(keys ...string) {
	for _, k := range keys {
		if k == "alt+s" {
			x.send(tea.KeyPressMsg{Code: 's', Mod: tea.ModAlt})
		} else {
			x.send(pressed(k))
		}
		x.settle()
	}
}

func (x *miner) text(text string) {
	for _, r := range text {
		x.send(pressed(string(r)))
	}
	x.settle()
}

// frame looks at what is on the screen, if it was not seen before.
func (x *miner) frame() {
	v := x.m.View()
	text := ansi.Strip(v.Content) + "\n" + v.WindowTitle
	if id := maphash.String(x.hash, text); !x.frames[id] {
		x.frames[id] = true
		x.look("frame", text)
	}
}

// screen is the text on the screen.
func (x *miner) screen() string { return ansi.Strip(x.m.View().Content) }

func (x *miner) clipboard(text string) error {
	x.look("clipboard", text)
	return nil
}

// program stands in the place of a pager or an editor.
func (x *miner) program(c *exec.Cmd, done tea.ExecCallback) tea.Cmd {
	x.look("arguments", strings.Join(c.Args, " "))
	if text, err := os.ReadFile(c.Args[len(c.Args)-1]); err == nil {
		x.look("pager's file", string(text))
	}
	return func() tea.Msg { return done(nil) }
}

// look searches what came out of a channel.
func (x *miner) look(channel, text string) {
	for _, s := range x.g.Watch.Find(text) {
		given := !s.Marker.Secret && slices.ContainsFunc(x.typed, func(arg string) bool {
			return s.Marker.Value != "" && strings.Contains(arg, s.Marker.Value) || strings.HasPrefix(s.How, "its ")
		})
		if given {
			continue
		}
		if x.open && !s.Marker.Secret {
			x.seen[channel+", revealed"]++
			continue
		}
		if x.seen[channel]++; x.seen[channel] < 40 {
			x.leaks = append(x.leaks, fmt.Sprintf("%s, %dx%d, %s, %s: %s", x.role, x.size.Width, x.size.Height, x.where, channel, s))
		}
	}
}

// reset goes back to the workbench, whatever lies over it.
func (x *miner) reset() {
	x.m.dialog, x.m.palette, x.m.help = nil, nil, nil
	for len(x.m.stack) > 2 {
		x.m.back()
	}
	x.settle()
	if x.m.atHome() {
		x.press("esc", "enter")
	}
}

// items opens an item of every kind, and everything about it.
func (x *miner) items() {
	of := map[*models.Entity]bool{}
	for _, planted := range x.g.Items {
		if of[planted.Entity] || x.one && planted.Entity != x.g.Profile.Entities[0] {
			continue
		}
		of[planted.Entity] = true
		name := "(no kind)"
		if planted.Entity != nil {
			name = planted.Entity.Name
		}
		x.reset()
		x.where = name
		table := x.p.Table(planted.Table.ID)
		x.there = func() {
			x.feed(x.m.push(screens.NewItem(x.m.env, table, planted.Item)))
			x.place = x.m.top()
			x.settle()
		}
		x.there()
		x.item(name)
	}
}

// item goes through everything that can be done with the item in view.
func (x *miner) item(name string) {
	for tab := 1; tab <= 7; tab++ {
		x.where = fmt.Sprintf("%s, tab %d", name, tab)
		x.press(fmt.Sprint(tab), "z", "G")
		if !x.quick {
			x.press("pgup", "g")
		}
		x.press("down", "enter")
		x.back()
	}
	x.where = name + ", search"
	x.press("1", "/")
	x.text("note")
	x.press("enter", "esc")
	x.takes(name)
	x.where = name + ", export"
	x.press("E", "right", "esc")
	x.where = name + ", compare"
	x.press("=", "down", "enter", "d", "z", "G", "y", "j", "y", "l", "y", "enter", "esc")
	x.back()
	x.where = name + ", pictures"
	x.press("alt+s", "right", "right", "esc")
	x.where = name + ", bookmark"
	x.press("b", "enter", "esc", "B", "down", "enter", "esc")
	x.back()
	x.where = name + ", decoded"
	x.press("P", "tab", "tab", "esc")
	x.back()
	x.where = name + ", related"
	x.press("5")
	for i := range x.most(5) {
		x.press("g")
		for range i {
			x.press("down")
		}
		x.press("enter")
		if x.m.top() != x.place {
			x.rows()
		}
		x.back()
		x.press("5")
	}
	x.where = name + ", history"
	x.press("H", "down", "down", "esc")
	x.where = name + ", palette"
	x.press(":")
	x.text("person")
	x.press("esc")
	x.back()
	x.changes(name)
}

// most is how many of n things are tried.
func (x *miner) most(n int) int {
	if x.quick {
		return (n + 3) / 4
	}
	return n
}

// back goes back to the item, wherever the keys have led.
func (x *miner) back() {
	x.m.dialog, x.m.palette, x.m.help = nil, nil, nil
	for len(x.m.stack) > 3 {
		x.m.back()
	}
	for range 3 { // a box lies over it
		x.send(pressed("esc"))
	}
	x.settle()
	if x.m.top() != x.place {
		x.reset()
		x.there()
	}
}

// takes copies, pages and saves everything in the menu of what can be taken.
func (x *miner) takes(name string) {
	x.where = name + ", take"
	for i := range x.most(14) {
		for _, key := range []string{"enter", "|"}[:x.most(2)] {
			x.press("y")
			for range i {
				x.send(pressed("down"))
			}
			x.press(key, "esc")
			x.back()
		}
	}
}

// rows goes through everything that can be done with rows.
func (x *miner) rows() {
	x.toRows()
	x.press("down", "right", "right", "G", "g", "x")
	x.press("y", "esc", "f", "esc", "c", "esc", "v", "G", "esc", "s", "enter", "esc", "space")
	for _, key := range []string{"r", "T", "K", "g", "i", "c", "p", "j", "d", "k", "v"}[:x.most(11)] {
		x.press("y", key, "esc")
	}
	x.press("E", "esc")
}

// changes plans every action of the item, and carries out what can be.
func (x *miner) changes(name string) {
	x.where = name + ", changes"
	x.press("a")
	for i := range x.most(6) {
		x.press("a")
		for range i {
			x.send(pressed("down"))
		}
		x.press("enter")
		x.text("because")
		x.press("enter", "pgdown", "pgdown", "y")
		time.Sleep(wardGrace)
		x.press("tab", "enter")
		time.Sleep(wardGrace)
		x.press("enter", "u", "esc", "esc")
		x.back()
	}
	x.press("J", "down", "enter", "G", "esc")
	x.back()
	x.restore()
}

// patterns asks every pattern with what no item hides.
func (x *miner) patterns() {
	asked := map[string]bool{}
	for _, planted := range x.g.Items {
		if planted.Entity == nil {
			continue
		}
		view := accesspatterns.ItemView(planted.Entity, planted.Item)
		for _, r := range accesspatterns.Relations(x.g.Profile.Patterns, x.g.Profile.Entities, view) {
			if asked[r.Pattern.ID] || len(x.g.Watch.Find(fmt.Sprint(r.Args))) > 0 {
				continue
			}
			asked[r.Pattern.ID] = true
			x.ask(r.Pattern.ID, r.Args)
			x.rows()
		}
	}
	for _, p := range x.g.Profile.Patterns {
		if p.IsRead() && !asked[p.ID] && !slices.ContainsFunc(p.Params, func(q *accesspatterns.Param) bool { return q.Required }) {
			x.ask(p.ID, map[string]string{})
			x.rows()
		}
	}
}

func (x *miner) ask(id string, args map[string]string) {
	x.reset()
	x.where = id
	b, ok := x.m.top().screen.(*screens.Workbench)
	if !ok {
		x.t.Fatalf("no workbench, but\n%s", x.screen())
	}
	x.feed(x.m.route(x.m.top(), b.Show(x.p.Pattern(id), args, true)))
	x.settle()
	time.Sleep(wardGrace)
	if strings.Contains(x.screen(), "Read the whole table?") {
		x.press("tab", "enter")
	}
	x.toRows()
}

// toRows goes to the rows that were read.
func (x *miner) toRows() {
	if strings.Contains(x.screen(), "enter to the rows") {
		x.press("enter")
	}
}

// reveals shows personal data for a reason, takes it away, and hides it again.
func (x *miner) reveals() {
	x.where = "revealed"
	x.there()
	x.press("R")
	x.text("a request of the customer")
	time.Sleep(wardGrace)
	x.open = true
	x.press("tab", "tab", "enter")
	if x.m.env.Session.Masker().Hides(models.PII) {
		x.t.Errorf("%s: nothing is revealed:\n%s", x.role, x.screen())
	}
	quick := x.quick
	x.quick = true
	x.item("revealed")
	x.quick = quick
	x.where = "revealed, export"
	x.press("E", "tab", "tab", "ctrl+u")
	x.text(filepath.Join(x.t.TempDir(), "item.json"))
	x.press("enter", "esc", "b", "enter")
	x.back()
	x.where = "hidden again"
	x.press("R")
	if !x.m.env.Session.Masker().Hides(models.PII) {
		x.t.Errorf("%s: nothing is hidden again:\n%s", x.role, x.screen())
	}
	x.open, x.frames = false, map[uint64]bool{}
	if !x.one {
		x.item("hidden again")
	}
}

// queues goes through queues, drift, and what is about the whole schema.
func (x *miner) queues() {
	x.reset()
	for _, key := range []string{"Q", "D", "M", "F", "B", "J", "H", "?", ":"} {
		x.where = "screen " + key
		x.press(key, "enter", "tab", "enter", "down", "right", "G", "y", "enter", "esc", "E", "esc", "tab", "y", "esc", "f", "esc", "o", "esc")
		x.reset()
	}
}

// dig does everything, and returns what came out, by channel.
func (m *mine) dig(role session.Role, w, h int, one, quick bool) (x *miner) {
	x = m.enter(role, w, h)
	x.one, x.quick = one, quick
	x.patterns()
	x.items()
	if role != session.Support {
		x.reveals()
	}
	x.queues()
	x.leave()
	return x
}

// guess types a value in a form into the field that a key opens, and returns the
// screen without the lines that repeat what was typed.
func (x *miner) guess(key, form, value string) string {
	text := fmt.Sprintf(form, value)
	x.typed = []string{text}
	x.press(key)
	x.text(text)
	x.press("enter")
	lines := slices.DeleteFunc(strings.Split(x.screen(), "\n"), func(line string) bool { return strings.Contains(line, value[:min(len(value), 3)]) })
	x.press("esc", key, "ctrl+u", "esc")
	x.typed = nil
	return strings.Join(lines, "\n")
}

// TestAGuessIsNotConfirmed: whatever is typed into a filter or a search, nothing
// on the screen tells a hidden value from one that is nowhere.
func TestAGuessIsNotConfirmed(t *testing.T) {
	m := newMine(t, canary.Awkward, false)
	synctest.Test(t, func(t *testing.T) {
		m.t = t
		x := m.enter(session.Developer, 120, 40)
		x.quick = true
		x.ask("list-people", map[string]string{})
		if !strings.Contains(x.screen(), "active") {
			t.Fatalf("no rows:\n%s", x.screen())
		}
		right, wrong := x.g.Of(x.g.Profile.Entity("Person"))[0], map[string]string{}
		for _, name := range []string{"email", "salary", "phone", "status"} {
			text, _ := right.Text(name)
			// As long, nowhere, and with the letter that the mask of an address shows.
			wrong[name] = text[:1] + strings.Map(func(r rune) rune {
				switch {
				case r >= '0' && r <= '9':
					return '9'
				case r >= 'a' && r <= 'z':
					return 'y'
				}
				return r
			}, text[1:])
			for _, form := range []string{"%s", name + "=%s", "." + name + `=="%s"`, "." + name + ` < "%s"`} {
				a, b := x.guess("/", form, text), x.guess("/", form, wrong[name])
				if (a != b) != (name == "status") {
					t.Errorf("%s typed as %s: told from a wrong one: %v\n%s\n%s", name, form, a != b, a, b)
				}
			}
		}
		x.leave()
	})
}

// everywhereSeen are the channels in which a blind console shows what it should
// hide: those that show nothing prove nothing.
var everywhereSeen = []string{"frame", "clipboard", "terminal's clipboard", "pager's file", "arguments", "file bookmarks.yaml", "file memory.json", "file journal"}

// TestCanaries: no screen lets a planted value out, and all would if nothing
// were masked. With DDBDESK_TEST_CANARY=1 it is every profile, role and kind of
// item, and every key for the profile of awkward places.
func TestCanaries(t *testing.T) {
	full := os.Getenv("DDBDESK_TEST_CANARY") != ""
	names := []string{canary.Awkward}
	if full {
		names = canary.Names()
	}
	dig := func(t *testing.T, name string, blind bool, role session.Role, w, h int) (x *miner) {
		m := newMine(t, name, blind)
		synctest.Test(t, func(t *testing.T) {
			m.t = t
			x = m.dig(role, w, h, !full, !full || name != canary.Awkward)
		})
		return x
	}
	for i, name := range names {
		for j, role := range session.Roles() {
			size := [][2]int{{80, 24}, {120, 40}, {200, 60}}[(i+j)%3]
			if role != session.Admin && (!full || name != canary.Awkward && i%2 != j) {
				continue
			}
			t.Run(name+"/"+string(role), func(t *testing.T) {
				for _, leak := range dig(t, name, false, role, size[0], size[1]).leaks {
					t.Error(leak)
				}
			})
		}
	}
	t.Run("blind", func(t *testing.T) {
		seen := dig(t, canary.Awkward, true, session.Admin, 120, 40).seen
		for _, channel := range everywhereSeen {
			if seen[channel] == 0 && full {
				t.Errorf("%s: nothing is found where nothing is hidden", channel)
			}
		}
		t.Log(seen)
	})
}
