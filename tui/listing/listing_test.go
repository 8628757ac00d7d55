package listing

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A parcel is a row of the list.
type parcel struct {
	id, to, state string
	weight        int
	contents      string // added by Read
}

// A listSource is the source of the list.
type listSource struct {
	mu      sync.Mutex
	parcels []parcel
	more    bool
	err     error
	readErr error
	delay   time.Duration
	calls   int // number of reads
	times   int // Reading.ExtraPages of the last read
	actions []string
}

func (d *listSource) set(change func(d *listSource)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change(d)
}

func (d *listSource) load(ctx context.Context, _ *screen.Env, r *Reading[parcel]) (Rows[parcel], error) {
	d.mu.Lock()
	d.calls++
	d.times = r.ExtraPages
	delay := d.delay
	found := append([]parcel(nil), d.parcels...)
	d.mu.Unlock()
	if delay > 0 && len(found) > 1 {
		r.Found(Rows[parcel]{Status: "halfway"})
		r.Found(Rows[parcel]{List: found[:1], Status: "halfway"})
	}
	select {
	case <-time.After(delay):
	case <-ctx.Done():
		return Rows[parcel]{}, ctx.Err()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return Rows[parcel]{List: append([]parcel(nil), d.parcels...), More: d.more}, d.err
}

func (d *listSource) spec() *Spec[parcel] {
	return &Spec[parcel]{
		Name: "parcels", Title: "Parcels", Noun: "parcel", Does: "Parcels.",
		Guide: screen.Guide{Purpose: "Parcels of the depot.", First: "press enter to open one."},
		ID:    func(p parcel) string { return p.id }, Search: func(p parcel) string { return "depot" + p.id },
		Label: func(_ *screen.Env, p parcel) string { return p.id },
		Tabs: []Tab[parcel]{
			{Title: "Waiting", Has: func(p parcel) bool { return p.state == "waiting" }, Empty: None("No parcel waits", "come back later")},
			{Title: "Sent", Has: func(p parcel) bool { return p.state == "sent" }, Empty: None("No parcel was sent", "")},
			{Title: "Lost", Ended: true, Has: func(p parcel) bool { return p.state == "lost" }, Empty: None("No parcel was lost", "")},
		},
		Load: d.load, Every: time.Minute,
		Columns: []Column[parcel]{
			Text("to", func(p parcel) string { return p.to }),
			{
				Column: widget.Column{Title: "weight"}, By: func(a, b parcel) int { return cmp.Compare(a.weight, b.weight) },
				Cell: func(_ *screen.Env, p parcel) widget.Cell { return widget.Cell{Text: strings.Repeat("#", p.weight)} },
			},
		},
		Facts: func(_ *screen.Env, p parcel) []Fact {
			list := []Fact{{Label: "to", Text: p.to}, {Label: "from", Text: ""}, {Text: "fragile", Role: widget.RoleWarn}}
			if p.contents != "" {
				list = append(append(list, Heading("Contents")), Fact{Lines: func(int) []string { return []string{p.contents} }})
			}
			return list
		},
		Read: func(_ context.Context, _ *screen.Env, p parcel) (func(*parcel), error) {
			d.mu.Lock()
			defer d.mu.Unlock()
			if d.readErr != nil {
				return nil, d.readErr
			}
			return func(q *parcel) { q.contents = "books of " + p.id }, nil
		},
		Actions: []Action[parcel]{
			{
				Name: "enter", Keys: "enter", Desc: "open", Detailed: true,
				Run: func(_ *Screen[parcel], p parcel) tea.Cmd {
					return screen.Send(screen.NoticeMsg{Text: "opened " + p.id + " with " + p.contents})
				},
			},
			{
				Name: "lose", Keys: "x", Desc: "lose", Doing: "losing",
				Can: func(_ *screen.Env, p parcel) error {
					if p.weight > 8 {
						return errors.New("too heavy to be lost")
					}
					return nil
				},
				Prompt: &Prompt[parcel]{
					Label: "Where", Required: true, About: func(_ *screen.Env, p parcel) []string { return []string{"It goes to " + p.to + "."} },
					Check: func(text string) error {
						if text == "here" {
							return errors.New("it is found here")
						}
						return nil
					},
				},
				Do: func(_ context.Context, _ *screen.Env, p parcel, text string) (ActionResult, error) {
					time.Sleep(5 * time.Second)
					d.set(func(d *listSource) { d.actions = append(d.actions, p.id+" "+text) })
					if text == "nowhere" {
						return ActionResult{}, errors.New("nowhere is no place")
					}
					return ActionResult{Message: "lost " + p.id}, nil
				},
			},
			{
				Name: "weigh", Keys: "w", Desc: "weigh",
				All: func(s *Screen[parcel], rows []parcel) tea.Cmd {
					var ids []string
					for _, p := range rows {
						ids = append(ids, p.id)
					}
					s.Unmark()
					return func() tea.Msg {
						return screen.Answer(func() tea.Cmd {
							return screen.Send(screen.NoticeMsg{Text: "weighed " + strings.Join(ids, " ")})
						})
					}
				},
			},
		},
	}
}

// parcels returns the rows of most tests. Three are waiting, and one is sent.
func parcels() []parcel {
	return []parcel{
		{id: "p1", to: "Maun", state: "waiting", weight: 3},
		{id: "p2", to: "Kasane in_review", state: "waiting", weight: 1},
		{id: "p3", to: "Gaborone", state: "waiting", weight: 9},
		{id: "p4", to: "Serowe", state: "sent", weight: 2},
	}
}

// A root handles the messages that a screen sends to the console's root.
type root struct {
	s       *Screen[parcel]
	notices []string
	copied  string
	expired []string
	menu    screentest.Menu
	w, h    int
}

func (r *root) Init() tea.Cmd { return r.s.Init() }

func (r *root) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		r.w, r.h = msg.Width, msg.Height-1
		r.s.SetSize(r.w, r.h)
		return r, nil
	case tea.KeyPressMsg:
		if msg.String() == "esc" && !r.s.Typing() {
			if !r.s.Cancel() {
				r.notices = append(r.notices, "left the screen")
			}
			return r, nil
		}
		if !r.s.Typing() {
			if cmd, used := r.menu.Press(r.s, msg); used {
				return r, cmd
			}
		}
	case tea.MouseClickMsg:
		return r, r.s.Click(msg.X, msg.Y)
	case tea.MouseWheelMsg:
		return r, r.s.Wheel(msg.X, msg.Y, msg.Button == tea.MouseWheelUp)
	case screen.NoticeMsg:
		r.notices = append(r.notices, msg.Text)
		return r, nil
	case screen.CopyMsg:
		r.copied = msg.Text
		return r, nil
	case screen.ExpiredMsg:
		r.expired = msg.Command
		return r, nil
	}
	return r, r.s.Update(msg)
}

func (r *root) View() tea.View {
	last := ""
	if n := len(r.notices); n > 0 {
		last = r.notices[n-1]
	}
	v := tea.NewView(r.s.View() + "\n" + r.s.Status() + " | " + last)
	v.MouseMode, v.AltScreen = tea.MouseModeCellMotion, true
	v.Cursor = r.s.Cursor()
	return v
}

// onList shows the list of a depot and runs a test on it.
func onList(t *testing.T, d *listSource, run func(tt *tuitest.Terminal, m *root), change ...func(s *Spec[parcel])) {
	t.Helper()
	if d.parcels == nil {
		d.parcels = parcels()
	}
	env := screentest.BenchEnv(t, "authbridge")
	spec := d.spec()
	for _, c := range change {
		c(spec)
	}
	synctest.Test(t, func(t *testing.T) {
		env.Context = t.Context()
		m := &root{s: New(env, spec)}
		defer m.s.Close()
		run(tuitest.New(t, m, tuitest.Size{W: 100, H: 30}), m)
	})
}

// cursor returns the line under the cursor.
func cursor(tt *tuitest.Terminal) string {
	for y := range tt.Size().H {
		if _, line, ok := strings.Cut(tt.Line(y), "▌"); ok {
			return strings.TrimSpace(strings.Split(line, "  ")[0])
		}
	}
	return ""
}

func wantCursor(t *testing.T, tt *tuitest.Terminal, want string) {
	t.Helper()
	if got := cursor(tt); !strings.Contains(got, want) {
		t.Errorf("the cursor is on %q, want %q:\n%s", got, want, tt.Screen())
	}
}

func TestFilterReceivesEveryKeyUntilEnter(t *testing.T) {
	d := &listSource{}
	onList(t, d, func(tt *tuitest.Terminal, m *root) {
		tt.WaitFor("Maun")
		tt.Press("down", "/")
		tt.Type("in_review") // r reads again, w weighs, x would lose, s sorts
		tt.WaitFor("/ in_review")
		tt.WaitFor("1 of 3")
		if len(m.notices) > 0 || d.calls != 1 || tt.Has("Maun") {
			t.Errorf("typing ran an action: notices %q, read %d times:\n%s", m.notices, d.calls, tt.Screen())
		}
		if x, y, on := tt.Cursor(); !on || y != 2 || x != 4+len("in_review") {
			t.Errorf("the terminal cursor is at %d,%d", x, y)
		}
		tt.Reach("weighed p2", "enter", "w")
		tt.Press("tab", "esc") // The first esc leaves the details.
		tt.WaitFor("/ in_review")
		tt.Press("esc")
		tt.WaitForRemoval("/ in_review")
		wantCursor(t, tt, "Kasane")
		tt.Press("/")
		tt.Type("depotp3  GABO")
		tt.WaitFor("1 of 3")
		tt.Reach("Maun", "esc")
		wantCursor(t, tt, "Kasane")
		tt.Press("/")
		tt.Type("e #") // All rows contain the words, but only one contains the text.
		tt.WaitFor("1 of 3")
		tt.Reach("Maun", "esc")
		tt.Press("/")
		tt.Type("zzz")
		tt.WaitFor("No parcel matches")
		tt.Press("esc")
		wantCursor(t, tt, "Kasane")
		tt.Press("/")
		tt.Type("depot")
		tt.Press("down", "esc") // The user moved to this row.
		wantCursor(t, tt, "Gaborone")
		tt.Reach("left the screen", "esc")
	})
}

func TestTabsCountAndExplainTheirRows(t *testing.T) {
	onList(t, &listSource{}, func(tt *tuitest.Terminal, _ *root) {
		tt.WaitFor("1 Waiting 3  2 Sent 1  3 Lost 0")
		tt.Reach("No parcel was lost", "3")
		tt.Reach("Maun", "1")
		tt.ClickText("2 Sent")
		tt.WaitFor("Serowe")
		wantCursor(t, tt, "Serowe")
	})
}

func TestEmptyTabSwitchesToTabWithRows(t *testing.T) {
	onList(t, &listSource{parcels: parcels()[3:]}, func(tt *tuitest.Terminal, _ *root) { tt.WaitFor("Serowe") })
	onList(t, &listSource{parcels: []parcel{{id: "p5", to: "Ghanzi", state: "lost"}}}, func(tt *tuitest.Terminal, _ *root) {
		tt.WaitFor("3 Lost 1")
		tt.WaitFor("No parcel waits")
		tt.WaitFor("come back later")
	})
}

func TestDetailsReadMoreOnceCursorRests(t *testing.T) {
	d := &listSource{}
	onList(t, d, func(tt *tuitest.Terminal, _ *root) {
		tt.WaitFor("books of p1")
		tt.WaitFor("fragile")
		if tt.Has("from ") {
			t.Errorf("the details show an empty fact:\n%s", tt.Screen())
		}
		d.set(func(d *listSource) { d.readErr = errors.New("no light") })
		tt.Reach("✗ The parcel was not read: no light", "down")
		tt.Reach("| the parcel was not read: no light", "enter")
		d.set(func(d *listSource) { d.readErr = nil })
		tt.Reach("books of p2", "r")
		tt.Reach("opened p2 with books of p2", "enter")
		tt.Press("up", "enter") // The row comes from the earlier read of the list.
		tt.WaitFor("opened p1")
	})
}

func TestSortByColumns(t *testing.T) {
	onList(t, &listSource{}, func(tt *tuitest.Terminal, _ *root) {
		tt.WaitFor("Maun")
		order := func() string {
			var list []string
			for y := range tt.Size().H {
				for _, p := range parcels() {
					if strings.Contains(tt.Line(y), " "+p.to+" ") && !strings.Contains(tt.Line(y), "│ to ") {
						list = append(list, p.id)
					}
				}
			}
			return strings.Join(list, " ")
		}
		for _, step := range []struct {
			keys []string
			want string
		}{
			{[]string{"s", "down", "enter"}, "p3 p2 p1"},
			{[]string{"s", "enter"}, "p1 p2 p3"},
			{[]string{"s", "down", "enter"}, "p2 p1 p3"},
			{[]string{"s", "home", "enter"}, "p1 p2 p3"},
		} {
			tt.Press(step.keys...)
			if got := order(); got != step.want {
				t.Errorf("after %v, the order is %s, want %s:\n%s", step.keys, got, step.want, tt.Screen())
			}
			wantCursor(t, tt, "Maun")
		}
		tt.ClickText("weight")
		tt.WaitFor("weight ↑")
		tt.ClickText("weight")
		tt.WaitFor("weight ↓")
		if got := order(); got != "p3 p1 p2" {
			t.Errorf("after two clicks, the order is %s, want p3 p1 p2", got)
		}
	})
}

func TestMarksSurviveFilterTabsAndReload(t *testing.T) {
	d := &listSource{}
	onList(t, d, func(tt *tuitest.Terminal, m *root) {
		tt.WaitFor("Maun")
		tt.Reach("3 marked", "space", "space", "2", "space", "1")
		tt.Press("y")
		if want := "to          Maun\nfragile\n"; !strings.HasPrefix(m.copied, want) || strings.Count(m.copied, "fragile") != 3 {
			t.Errorf("got copied text %q", m.copied)
		}
		tt.Press("o", "Y")
		if m.copied != "to\tweight\nMaun\t###\nKasane in_review\t#\nSerowe\t##\n" {
			t.Errorf("got copied text %q", m.copied)
		}
		tt.Press("/")
		tt.Enter("Kasane")
		tt.WaitFor("2 marked hidden")
		if tt.Press("o", "Y"); m.copied != "to\tweight\nKasane in_review\t#\n" {
			t.Errorf("the copied text contains filtered rows: %q", m.copied)
		}
		tt.Press("esc")
		d.set(func(d *listSource) { d.parcels = d.parcels[1:] })
		tt.Reach("2 marked", "r")
		tt.Reach("weighed p2 p4", "w")
		tt.WaitForRemoval("marked")
		tt.Press("o", "Y")
		if !strings.Contains(m.copied, "Gaborone") {
			t.Errorf("the copied text lacks rows: %q", m.copied)
		}
	})
}

func TestResolvedRowStaysUntilCursorLeavesIt(t *testing.T) {
	d := &listSource{}
	onList(t, d, func(tt *tuitest.Terminal, m *root) {
		tt.WaitFor("books of p1")
		d.set(func(d *listSource) { d.parcels[0].state = "sent" })
		tt.Advance(61 * time.Second)
		tt.WaitFor("1 Waiting 2")
		wantCursor(t, tt, "Maun")
		tt.Reach("weighed p1", "w")
		tt.Press("down")
		tt.WaitForRemoval("Maun")
		wantCursor(t, tt, "Kasane")
		m.s.Remask()
		wantCursor(t, tt, "Kasane")
		d.set(func(d *listSource) { d.parcels = d.parcels[2:] })
		tt.Press("r") // The user asks for the read.
		tt.WaitForRemoval("Kasane")
	})
}

func TestFollowedListStaysOnNewest(t *testing.T) {
	d := &listSource{}
	add := func() {
		d.set(func(d *listSource) {
			d.parcels = append([]parcel{{id: "p0", to: "Palapye", state: "waiting"}}, d.parcels...)
		})
	}
	follows := func(s *Spec[parcel]) { s.FollowsNewest = true }
	onList(t, d, func(tt *tuitest.Terminal, _ *root) {
		tt.WaitFor("Maun")
		add()
		tt.Reach("Palapye", "r")
		wantCursor(t, tt, "Palapye")
		tt.Press("down")
		d.set(func(d *listSource) {
			d.parcels = append([]parcel{{id: "p9", to: "Tsau", state: "waiting"}}, d.parcels...)
		})
		tt.Reach("Tsau", "r")
		wantCursor(t, tt, "Maun")
	}, follows)
}

// While the list is paused, or its window has no keyboard focus, it is not read. Afterwards, it is read immediately if
// it is old.
func TestListsAreNotReadWithoutFocus(t *testing.T) {
	for name, c := range map[string]struct {
		stop, start func(tt *tuitest.Terminal)
		message     string
	}{
		"pause": {
			func(tt *tuitest.Terminal) { tt.Press("o", "P") }, func(tt *tuitest.Terminal) { tt.Press("o", "P") },
			"paused · o P continue · 1/3",
		},
		"window": {
			func(tt *tuitest.Terminal) { tt.Send(tea.BlurMsg{}) }, func(tt *tuitest.Terminal) { tt.Send(tea.FocusMsg{}) },
			" 1/3 ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := &listSource{}
			onList(t, d, func(tt *tuitest.Terminal, _ *root) {
				tt.WaitFor("Maun")
				read := func() (n int) { d.set(func(d *listSource) { n = d.calls }); return n }
				c.stop(tt)
				tt.WaitFor(c.message)
				tt.Advance(10 * time.Minute)
				if read() != 1 {
					t.Errorf("the list was read %d times, want 1", read())
				}
				c.start(tt)
				tt.Advance(time.Second)
				if read() != 2 {
					t.Errorf("the list was read %d times after a long pause, want 2", read())
				}
				c.stop(tt)
				tt.Advance(time.Second)
				c.start(tt)
				tt.Advance(time.Second)
				if read() != 2 {
					t.Errorf("the list was read %d times after a short pause, want 2", read())
				}
				tt.Advance(time.Minute)
				if read() != 3 {
					t.Errorf("the list was read %d times after the refresh interval, want 3", read())
				}
			})
		})
	}
}

// A notice names the marks that a read removed. The next action on marked rows asks before it uses the row under the
// cursor.
func TestLostMarksAreAnnounced(t *testing.T) {
	d := &listSource{}
	onList(t, d, func(tt *tuitest.Terminal, m *root) {
		tt.WaitFor("Maun")
		tt.Press("space", "space")
		d.set(func(d *listSource) { d.parcels = d.parcels[1:]; d.delay = time.Second })
		tt.Press("r")
		tt.Advance(500 * time.Millisecond)
		if len(m.notices) > 0 {
			t.Errorf("a page of the list removed marks: %q", m.notices)
		}
		tt.WaitFor("1 marked · ")
		tt.WaitForRemoval("reading the parcels")
		wantNotices(t, m, "1 mark removed, no longer in the list: p1")
		tt.Press("w")
		wantNotices(t, m, "weighed p2")
		d.set(func(d *listSource) { d.parcels = d.parcels[1:]; d.delay = 0 })
		tt.Press("up", "space", "down", "r")
		tt.WaitForRemoval("Kasane")
		wantNotices(t, m, "1 mark removed, no longer in the list: p2")
		tt.Reach("Weigh another parcel?", "w")
		tt.WaitFor("These marked rows are gone: p2.")
		tt.Press("enter") // Cancel has the focus.
		wantNotices(t, m)
		tt.Press("w", "tab", "enter")
		wantNotices(t, m, "weighed p3")
		tt.Press("w") // The second time, the action does not ask.
		wantNotices(t, m, "weighed p3")
	})
}

// wantNotices fails unless exactly these notices have arrived since its last call.
func wantNotices(t *testing.T, m *root, want ...string) {
	t.Helper()
	if !slices.Equal(m.notices, want) {
		t.Errorf("got notices %q, want %q", m.notices, want)
	}
	m.notices = nil
}

// MarkAll marks every visible row that is still in the list, or removes all marks.
func TestMarkAll(t *testing.T) {
	d := &listSource{}
	onList(t, d, func(tt *tuitest.Terminal, m *root) {
		tt.WaitFor("Maun")
		d.set(func(d *listSource) { d.parcels = d.parcels[1:] })
		tt.Advance(61 * time.Second)
		tt.WaitFor("No longer in the list.")
		tt.Reach("2 marked", "o", "M")
		tt.Press("o", "M")
		tt.WaitForRemoval("marked")
		tt.Press("space", "w")
		wantNotices(t, m, "weighed p2") // The cursor has moved to the next row.
	})
}

// Changed rows appear immediately. A read that started before the change is canceled.
func TestChangedRowsAreShownAtOnce(t *testing.T) {
	d := &listSource{}
	onList(t, d, func(tt *tuitest.Terminal, m *root) {
		tt.WaitFor("Maun")
		send := func() {
			tt.Send(screen.Answer(func() tea.Cmd {
				s := m.s
				s.Change(func(p parcel) (parcel, bool) {
					p.to += " by air"
					return p, p.id != "p2"
				})
				return s.RestartRead()
			}))
		}
		send()
		tt.WaitFor("Maun by air")
		if tt.Has("Kasane") || d.calls != 1 {
			t.Errorf("the list was read %d times, want 1:\n%s", d.calls, tt.Screen())
		}
		d.set(func(d *listSource) { d.delay = 20 * time.Second; d.parcels = d.parcels[:1] })
		tt.Press("r")
		tt.Advance(15 * time.Second)
		send()
		tt.Advance(15 * time.Second)
		tt.WaitFor("Maun by air by air") // The canceled read would have ended by now.
		tt.WaitForRemoval("by air")
		if d.calls != 3 {
			t.Errorf("the list was read %d times, want 3", d.calls)
		}
	})
}

func TestStoppedReadKeepsItsRows(t *testing.T) {
	d := &listSource{delay: time.Minute}
	onList(t, d, func(tt *tuitest.Terminal, _ *root) {
		tt.WaitFor("reading the parcels · halfway · esc stop")
		tt.WaitFor("Maun")
		tt.Reach("stopped: there may be more · 1 parcel", "esc")
		d.set(func(d *listSource) { d.delay = 0 })
		tt.Reach("4 parcels · as of", "r")
	})
	onList(t, &listSource{delay: time.Minute, parcels: []parcel{}}, func(tt *tuitest.Terminal, _ *root) {
		tt.WaitFor("Reading the parcels")
		tt.Reach("Stopped before the parcels were read", "esc")
	})
}

func TestFailedReadKeepsRows(t *testing.T) {
	d := &listSource{err: errors.New("depot closed; knock")}
	onList(t, d, func(tt *tuitest.Terminal, _ *root) {
		tt.WaitFor("✗ depot closed")
		tt.WaitFor("→ knock")
		tt.WaitFor("✗ no parcels read")
		d.set(func(d *listSource) { d.err = nil })
		tt.Reach("Maun", "r")
		tt.WaitForRemoval("closed")
		d.set(func(d *listSource) { d.err = errors.New("depot closed again") })
		tt.Reach("✗ not refreshed · 4 parcels", "r")
		wantCursor(t, tt, "Maun")
	})
}

func TestExpiredTokenOffersToSignInOnce(t *testing.T) {
	d := &listSource{err: &store.Error{Class: store.ExpiredCredentials, Problem: "the token expired", SignIn: []string{"sh", "login"}}}
	onList(t, d, func(tt *tuitest.Terminal, m *root) {
		tt.WaitFor("the token expired")
		if strings.Join(m.expired, " ") != "sh login" {
			t.Fatalf("got sign-in commands %q, want sh login", m.expired)
		}
		m.expired = nil
		tt.Advance(2 * time.Minute)
		if m.expired != nil {
			t.Error("an automatic refresh offered the sign-in again")
		}
		d.set(func(d *listSource) { d.err = nil })
		tt.Reach("Maun", "r")
	})
}

// An ID can contain a key that the list masks.
func TestRowWithoutLabelIsNamedByItsFirstColumn(t *testing.T) {
	onList(t, &listSource{}, func(tt *tuitest.Terminal, m *root) {
		tt.WaitFor("Maun")
		if got := m.s.On(); got != "Maun" {
			t.Errorf("the row is named %q, want Maun", got)
		}
	}, func(s *Spec[parcel]) { s.Label = nil })
}

func TestPromptBlocksActionsUntilSaved(t *testing.T) {
	d := &listSource{}
	onList(t, d, func(tt *tuitest.Terminal, m *root) {
		tt.WaitFor("Maun")
		tt.Reach("Lose · parcel p1", "x")
		tt.WaitFor("It goes to Maun.")
		tt.Reach("| Where: missing", "enter")
		tt.Enter("here")
		tt.WaitFor("| it is found here")
		tt.Press("ctrl+u")
		tt.Enter("nowhere")
		tt.WaitFor("losing parcel p1")
		if m.s.Holds() != "losing parcel p1" {
			t.Errorf("Holds() = %q, want \"losing parcel p1\"", m.s.Holds())
		}
		tt.Reach("| the last change is being written", "x")
		tt.WaitFor("| lose: nowhere is no place")
		tt.WaitFor("│ lose: nowhere is no place") // The details keep showing the message.
		tt.Press("x")
		tt.Enter("there")
		tt.WaitFor("| lost p1")
		if got := strings.Join(d.actions, ", "); got != "p1 nowhere, p1 there" || m.s.Holds() != "" {
			t.Errorf("got actions %q, and Holds() = %q", got, m.s.Holds())
		}
		m.s.Wait()
		tt.Reach("| too heavy to be lost", "G", "x")
	})
}

func TestKeysBeforeListIsRead(t *testing.T) {
	d := &listSource{delay: 10 * time.Second, parcels: parcels()[:1]}
	onList(t, d, func(tt *tuitest.Terminal, m *root) {
		tt.Reach("| there are no parcels", "enter", "w", "x", "y", "o", "E", "o", "Y", "s", "space", "G")
		if m.copied != "" || len(d.actions) > 0 || m.s.Boxed() {
			t.Errorf("a key ran an action without rows:\n%s", tt.Screen())
		}
		tt.Press("/")
		tt.Type("Maun")
		tt.WaitFor("1 of 1")
	})
}

func TestEnterBeforeListIsReadOpensFirstRow(t *testing.T) {
	allowEarly := func(s *Spec[parcel]) { s.Actions[0].Detailed = false }
	onList(t, &listSource{delay: time.Second, parcels: parcels()[:1]}, func(tt *tuitest.Terminal, _ *root) {
		tt.Reach("opened p1", "enter")
	}, allowEarly)
	onList(t, &listSource{delay: time.Second, parcels: parcels()[:1]}, func(tt *tuitest.Terminal, m *root) {
		tt.Reach("Maun", "enter", "down")
		if len(m.notices) > 0 {
			t.Errorf("after a movement key, the notices are %q", m.notices)
		}
	}, allowEarly)
}

func TestMouseAndResize(t *testing.T) {
	onList(t, &listSource{}, func(tt *tuitest.Terminal, m *root) {
		tt.WaitFor("books of p1")
		tt.ClickText("Gaborone")
		wantCursor(t, tt, "Gaborone")
		tt.WaitFor("books of p3")
		tt.ClickText("Gaborone")
		tt.WaitFor("opened p3")
		tt.Press("/")
		tt.Type("x")
		tt.ClickText("Parcels of the depot")
		tt.Reach("/ x", "down", "esc")
		tt.Press("esc")
		tt.Wheel(5, 5, true)
		for _, size := range []tuitest.Size{{W: 60, H: 16}, {W: 200, H: 60}, {W: 10, H: 4}, {W: 1, H: 1}, {W: 0, H: 0}} {
			m.s.SetSize(size.W, size.H)
			tuitest.Fits(t, m.s.View(), size.W, size.H)
		}
	})
}

func TestEveryLayoutFitsScreen(t *testing.T) {
	many := parcels()
	for i := range 60 {
		many = append(many, parcel{id: strconv.Itoa(i), to: "Orapa", state: "waiting"})
	}
	for _, layout := range []Layout{Below, Tall, Beside} {
		onList(t, &listSource{parcels: many}, func(tt *tuitest.Terminal, m *root) {
			tt.WaitFor("books of p1")
			for _, size := range []tuitest.Size{{W: 99, H: 16}, {W: 160, H: 40}} {
				m.s.SetSize(size.W, size.H)
				tuitest.Fits(t, m.s.View(), size.W, size.H)
			}
			details := m.s.detailsAt
			switch wide := details.X > 0; {
			case wide != (layout == Beside):
				t.Errorf("layout %d: unexpected position of the details: %v", layout, details)
			case layout == Tall && details.H <= m.s.rowsAt.H, layout == Below && details.H >= m.s.rowsAt.H:
				t.Errorf("layout %d: got %d lines of rows and %d of details", layout, m.s.rowsAt.H, details.H)
			}
		}, func(s *Spec[parcel]) { s.Layout = layout })
	}
}

// The details get the lines that a short list does not need.
func TestDetailsFillScreenBelowShortList(t *testing.T) {
	onList(t, &listSource{}, func(tt *tuitest.Terminal, m *root) {
		tt.WaitFor("books of p1")
		m.s.SetSize(120, 40)
		m.s.View()
		if got, want := m.s.rowsAt.H, len(parcels())+3; got != want || m.s.detailsAt.H != 39-want {
			t.Errorf("got %d lines of rows and %d of details", got, m.s.detailsAt.H)
		}
	})
}

// Details that repeat the cells appear only while they have the focus, or if the grid cuts a cell.
func TestBriefDetailsLeaveTheirLinesToRows(t *testing.T) {
	onList(t, &listSource{}, func(tt *tuitest.Terminal, m *root) {
		tt.WaitFor("Kasane")
		shown := func(w int) bool {
			m.s.SetSize(w, 40)
			m.s.View()
			m.s.View() // The first frame measures the columns.
			return m.s.detailsAt.H > 0
		}
		m.s.FocusDetails(true)
		focused := shown(120)
		m.s.FocusDetails(false)
		if !focused || shown(120) || !shown(20) {
			t.Errorf("focused: %v, shown when wide: %v, shown when narrow: %v", focused, shown(120), shown(20))
		}
	}, func(s *Spec[parcel]) { s.Brief = func(*Screen[parcel]) bool { return true } })
}

func TestMissingSetupIsExplained(t *testing.T) {
	missing := func(s *Spec[parcel]) {
		s.Missing = func(*screen.Env) *Advice {
			return &Advice{Title: "No depot is configured", Text: "Build one:", Command: "ddbdesk build depot"}
		}
	}
	d := &listSource{}
	onList(t, d, func(tt *tuitest.Terminal, m *root) {
		tt.WaitFor("Build one:")
		tt.Reach("| No depot is configured", "r")
		tt.Press("y")
		if m.copied != "ddbdesk build depot" || d.calls != 0 {
			t.Errorf("copied %q and read the list %d times", m.copied, d.calls)
		}
	}, missing)
}

func TestMoreIsReadAtEnd(t *testing.T) {
	d := &listSource{more: true}
	onList(t, d, func(tt *tuitest.Terminal, _ *root) {
		tt.WaitFor("Maun")
		tt.Press("G")
		tt.Settle()
		if d.times != 1 {
			t.Errorf("the end of the list loaded %d pages, want 1", d.times)
		}
		d.set(func(d *listSource) { d.more = false })
		tt.Press("n")
		tt.Settle()
		tt.Reach("| no more rows", "n")
		if d.times != 2 {
			t.Errorf("n loaded %d pages, want 2", d.times)
		}
	}, func(s *Spec[parcel]) { s.Pages = true })
}

func TestHiddenListIsNotRead(t *testing.T) {
	for name, c := range map[string]struct {
		change func(s *Spec[parcel])
		again  int
	}{
		"read when visible again":     {func(*Spec[parcel]) {}, 2},
		"costly: read only on demand": {func(s *Spec[parcel]) { s.Costly = true }, 1},
	} {
		d := &listSource{}
		onList(t, d, func(tt *tuitest.Terminal, m *root) {
			tt.WaitFor("Maun")
			m.s.Watch(false)
			tt.Advance(10 * time.Minute)
			if d.calls != 1 {
				t.Errorf("%s: the hidden list was read %d times", name, d.calls)
			}
			if cmd := m.s.Watch(true); (cmd != nil) != (c.again > 1) {
				t.Errorf("%s: the visible list is read again: %v", name, cmd != nil)
			}
		}, c.change)
	}
}

func TestExportWritesRows(t *testing.T) {
	path := t.TempDir() + "/parcels.csv"
	onList(t, &listSource{}, func(tt *tuitest.Terminal, _ *root) {
		tt.WaitFor("Maun")
		tt.Press("/")
		tt.Type("Kasane")
		tt.Reach("Export parcels", "enter", "o", "E")
		tt.Press("ctrl+u")
		tt.Enter(path)
		tt.WaitFor("wrote 1 parcel")
	})
}

func TestCheckAllReturnsFirstFailure(t *testing.T) {
	cause := func(text string) func(*screen.Env, int) error {
		return func(_ *screen.Env, n int) error {
			if n > len(text) {
				return errors.New(text)
			}
			return nil
		}
	}
	can := CheckAll(cause("four"), cause("fifth"))
	for n, want := range map[int]string{3: "", 5: "four", 9: "four"} {
		if err := can(nil, n); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%d: got %v, want %q", n, err, want)
		}
	}
}
