package home

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/find"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// An opener is a connection that the test controls.
type opener struct {
	list    []*profiles.Profile
	listErr error
	open    func(ctx context.Context, p *profiles.Profile) (*workspace.Workspace, error)
	opened  []string
	listed  int // number of calls of Profiles
	source  Source
	connect func(byUser bool) (*Connection, error)
}

func (o *opener) Profile(name string) (*profiles.Profile, error) {
	for _, p := range o.list {
		if p.Name == name {
			return p, nil
		}
	}
	return nil, &profiles.UnknownError{Name: name}
}

func (o *opener) Profiles() ([]*profiles.Profile, error) {
	o.listed++
	return o.list, o.listErr
}

func (o *opener) Source() Source { return o.source }

func (o *opener) Connect(_ context.Context, byUser bool) (*Connection, error) {
	if o.connect == nil {
		return nil, nil
	}
	return o.connect(byUser)
}

func (o *opener) Open(ctx context.Context, p *profiles.Profile) (*workspace.Workspace, error) {
	o.opened = append(o.opened, p.Name)
	if o.open != nil {
		return o.open(ctx, p)
	}
	return workspace.New(session.Options{Profile: p}), nil
}

func twoProfiles(t *testing.T) *opener {
	t.Helper()
	return &opener{list: []*profiles.Profile{schemas.Open(t, "authbridge"), schemas.Open(t, "tazco")}}
}

// run runs commands in the order of their results and returns the messages to the root.
func run(h *Home, cmds ...tea.Cmd) (sent []tea.Msg) {
	for steps := 0; len(cmds) > 0; steps++ {
		if steps == 10_000 {
			panic("the screen never comes to rest")
		}
		cmd := cmds[0]
		cmds = cmds[1:]
		if cmd == nil {
			continue
		}
		switch msg := cmd().(type) {
		case nil:
		case tea.BatchMsg:
			cmds = append(slices.Clone(msg), cmds...) // before the commands that wait for them
		case screen.Answer, screen.TickMsg:
			cmds = append(cmds, h.Update(msg))
		default:
			sent = append(sent, msg)
		}
	}
	return sent
}

// newLoadedHome returns the screen after it has loaded an opener's schemas.
func newLoadedHome(t *testing.T, o *opener, start string) (h *Home, sent []tea.Msg) {
	t.Helper()
	h = New(t.Context(), widget.NewStyles(true, true), o, start, nil, find.Options{})
	h.SetSize(100, 30)
	return h, run(h, h.Init())
}

func wantText(t *testing.T, h *Home, want ...string) {
	t.Helper()
	view := ansi.Strip(h.View())
	for _, text := range want {
		if !strings.Contains(view, text) {
			t.Errorf("%q is missing in:\n%s", text, view)
		}
	}
}

func TestHomeShowsSelectedSchema(t *testing.T) {
	h := New(t.Context(), widget.NewStyles(true, true), twoProfiles(t), "", nil, find.Options{})
	h.SetSize(120, 40)
	wantText(t, h, "loading the schemas")
	run(h, h.Init())
	wantText(t, h, "authbridge", "tazco", "AuthBridge identity verification", "Verification case by status")
	if h.Status() != "authbridge" || h.Selected().Name != "authbridge" {
		t.Errorf("status = %q, selected = %v, want authbridge", h.Status(), h.Selected())
	}
	h.Update(screentest.Pressed("down"))
	if h.Selected().Name != "tazco" {
		t.Errorf("selected = %s, want tazco", h.Selected().Name)
	}
	wantText(t, h, "Card request by status")
}

func TestCloseEndsAllWork(t *testing.T) {
	h, _ := newLoadedHome(t, twoProfiles(t), "")
	start := func() *screen.Task {
		task, _ := screen.Run(t.Context(), func(context.Context) func() tea.Cmd { return nil })
		return task
	}
	h.drafting = start()
	opening := start()
	h.opening = &openState{Task: opening}
	h.Close()
	if h.drafting.Running() || opening.Running() {
		t.Error("closing home did not end the draft and the opening")
	}
}

func TestHomeShowsCountsFromOpenedQueues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _ := newLoadedHome(t, twoProfiles(t), "")
		run(h, h.OpenThen(nil))
		queue := h.Selected().Queues[0]
		h.SetQueueCount(screen.QueueCountMsg{Profile: "authbridge", Queue: queue.ID, N: 7, More: true, At: time.Now()})
		wantText(t, h, "authbridge  ", "● 7+", queue.Title)
		run(h, h.Reload(""))
		if strings.Contains(h.View(), "7+") {
			t.Error("home shows the counts of another connection")
		}
	})
}

// If one queue was counted by its screen, or a count was interrupted, home still counts the other queues of the
// schema.
func TestHomeCountsOtherQueuesOfSchema(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _ := newLoadedHome(t, twoProfiles(t), "")
		run(h, h.Update(screentest.Pressed("down")))
		run(h, h.OpenThen(nil))
		p := h.Selected()
		run(h, h.Update(screentest.Pressed("up")))
		delete(h.counter.boards, p.Name)
		h.SetQueueCount(screen.QueueCountMsg{Profile: p.Name, Queue: p.Queues[0].ID, N: 7, At: time.Now()})
		run(h, h.counter.scheduleCount())
		for _, after := range []string{"a visit of one queue", "an interruption"} {
			if b := h.counter.boards[p.Name]; h.Selected() == p || b.outdated || !b.sum.Brief || !b.sum.Done {
				t.Errorf("after %s, the queues of %s were not counted: outdated %v, done %v", after, p.Name, b.outdated, b.sum.Done)
			}
			h.counter.boards[p.Name].outdated = true
			run(h, h.counter.scheduleCount())
		}
	})
}

// After the user chooses another connection, home shows no counts until the schemas are loaded.
func TestHomeDropsCountsWhenConnectionChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _ := newLoadedHome(t, twoProfiles(t), "")
		run(h, h.OpenThen(nil))
		p := h.Selected()
		h.SetQueueCount(screen.QueueCountMsg{Profile: p.Name, Queue: p.Queues[0].ID, N: 7, At: time.Now()})
		h.counter.boards[p.Name].sum.Queues[0].Since = []time.Time{time.Now().Add(-3 * time.Hour)}
		h.fillSections()
		wantText(t, h, "oldest ")
		h.Reload("")
		if strings.Contains(h.View(), "oldest") {
			t.Error("home shows the counts of another connection")
		}
	})
}

// A schema in production is not counted while it is selected, but the other schemas are.
func TestHomeCountsAnotherSchemaBesideProduction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := twoProfiles(t)
		o.source.Local = true
		o.open = func(_ context.Context, p *profiles.Profile) (*workspace.Workspace, error) {
			options := session.Options{Profile: p}
			if p.Name == "authbridge" {
				options.Environment = "prod"
			}
			return workspace.New(options), nil
		}
		h, _ := newLoadedHome(t, o, "authbridge")
		if h.Selected().Name != "authbridge" || h.counter.boards["tazco"] == nil || h.counter.boards["authbridge"] != nil {
			t.Errorf("selected = %s, counted %v", h.Selected().Name, h.counter.boards)
		}
	})
}

func TestHomeOpensSchema(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := twoProfiles(t)
		h, _ := newLoadedHome(t, o, "")
		to := screen.Findings{}
		sent := run(h, h.OpenThen(func(*screen.Env) screen.Target { return to }))
		msg, ok := sent[0].(screen.SessionMsg)
		if len(sent) != 1 || !ok || msg.Workspace == nil || msg.Then(nil) != screen.Target(to) {
			t.Errorf("home sent %v, want a session", sent)
		}
		if h.opening != nil || h.Status() != "authbridge" {
			t.Errorf("status = %q, want authbridge", h.Status())
		}
	})
}

func TestHomeOpensCommandLineSchema(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := twoProfiles(t)
		if _, sent := newLoadedHome(t, o, "tazco"); len(sent) != 1 || len(o.opened) != 1 || o.opened[0] != "tazco" {
			t.Errorf("opened %v and sent %v, want tazco", o.opened, sent)
		}
		h, sent := newLoadedHome(t, o, "nowhere")
		if notice, ok := sent[0].(screen.NoticeMsg); !ok || notice.Text != "There is no schema nowhere" || !notice.Bad {
			t.Errorf("home sent %v, want a notice", sent)
		}
		if len(o.opened) != 1 || h.opening != nil {
			t.Error("home opened another profile")
		}
	})
}

func TestHomeReadsCommandLineSchemaFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := twoProfiles(t)
		h := New(t.Context(), widget.NewStyles(true, true), o, "tazco", nil, find.Options{})
		h.SetSize(100, 30)
		first := h.Init()()
		open := h.Update(first)
		if o.listed != 0 || h.opening == nil || h.Selected().Name != "tazco" || len(h.Profiles()) != 1 {
			t.Errorf("listed %d times, %d profiles before tazco was opened", o.listed, len(h.Profiles()))
		}
		run(h, open)
		if o.listed != 1 || len(h.Profiles()) != 2 || h.Selected().Name != "tazco" {
			t.Errorf("listed %d times, %d profiles, status = %q", o.listed, len(h.Profiles()), h.Status())
		}
	})
}

func TestFirstSchemaErrorStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := twoProfiles(t)
		o.open = func(context.Context, *profiles.Profile) (*workspace.Workspace, error) {
			return nil, errors.New("no route")
		}
		h, _ := newLoadedHome(t, o, "tazco")
		wantText(t, h, "no route")
		if cmd := h.Retry(); cmd == nil {
			t.Error("Retry() = nil after the error")
		}
	})
}

func TestHomeShowsErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &opener{listErr: errors.New("profile x.yaml: line 3: unknown key")}
		h, _ := newLoadedHome(t, o, "")
		wantText(t, h, "Cannot load the schemas", "line 3: unknown key", "ctrl+r to reload")

		o = twoProfiles(t)
		o.open = func(context.Context, *profiles.Profile) (*workspace.Workspace, error) {
			return nil, errors.New("no route to host")
		}
		h, _ = newLoadedHome(t, o, "")
		if h.Retry() != nil {
			t.Error("Retry() is not nil before an error")
		}
		run(h, h.OpenThen(nil))
		wantText(t, h, "authbridge cannot be opened", "no route to host")
		if h.Status() != "✗ no schema opened" {
			t.Errorf("status = %q, want ✗ no schema opened", h.Status())
		}
		o.open = nil
		if sent := run(h, h.Retry()); len(sent) != 1 || len(o.opened) != 2 {
			t.Errorf("the second attempt opened %v and sent %v", o.opened, sent)
		}
		if strings.Contains(h.View(), "no route to host") {
			t.Error("the resolved error is still visible")
		}
	})
}

// A connection without a session must not crash home.
func TestHomeSurvivesEmptyConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := twoProfiles(t)
		o.open = func(context.Context, *profiles.Profile) (*workspace.Workspace, error) { return nil, nil }
		h, _ := newLoadedHome(t, o, "")
		run(h, h.OpenThen(nil))
		wantText(t, h, "authbridge was not opened")
	})
}

func TestCanceledConnectionIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := twoProfiles(t)
		h, _ := newLoadedHome(t, o, "")
		if h.Cancel() {
			t.Error("Cancel() is true without an attempt to open")
		}
		cmd := h.OpenThen(nil)
		wantText(t, h, "authbridge")
		if h.Status() != "opening authbridge · esc cancel" || h.cannotOpen() != "authbridge is opening" {
			t.Errorf("status = %q, cannotOpen() = %q", h.Status(), h.cannotOpen())
		}
		if !h.Cancel() {
			t.Error("Cancel() is false while a schema opens")
		}
		if sent := run(h, cmd); len(sent) != 0 || len(o.opened) != 0 {
			t.Errorf("the canceled attempt sent %v and opened %v", sent, o.opened)
		}
	})
}

func TestEnterLeavesAnotherConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := twoProfiles(t)
		h, _ := newLoadedHome(t, o, "")
		first := h.OpenThen(nil)
		sent := run(h, first, h.Enter(o.list[1], nil))
		if len(sent) != 1 || len(o.opened) != 1 || o.opened[0] != "tazco" || h.Selected().Name != "tazco" {
			t.Errorf("opened %v and sent %v, want tazco", o.opened, sent)
		}
	})
}

func TestHomeHandlesMouse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := twoProfiles(t)
		h, _ := newLoadedHome(t, o, "")
		line := func(text string) int {
			return slices.IndexFunc(strings.Split(h.View(), "\n"), func(line string) bool { return strings.Contains(line, text) })
		}
		row := line("tazco   ")
		run(h, h.Click(5, row))
		if h.Selected().Name != "tazco" || len(o.opened) != 0 {
			t.Fatalf("a click selected %s and opened %v", h.Selected().Name, o.opened)
		}
		if run(h, h.Click(70, line("◐ pending"))); h.focused != h.states {
			t.Error("a click on a state did not move the focus")
		}
		if run(h, h.Click(5, row)); h.focused != h.tables || len(o.opened) != 0 {
			t.Errorf("a click on another list opened %v", o.opened)
		}
		if run(h, h.Click(5, row)); len(o.opened) != 1 {
			t.Errorf("the second click opened %v, want 1 profile", o.opened)
		}
		h.SetSize(100, 14)
		before := h.View()
		if h.Wheel(70, 12, false); h.View() == before {
			t.Error("the wheel did not scroll the states")
		}
	})
}

func TestHomeFitsEverySize(t *testing.T) {
	h, _ := newLoadedHome(t, twoProfiles(t), "")
	for _, size := range []tuitest.Size{{W: 40, H: 8}, {W: 60, H: 16}, {W: 80, H: 24}, {W: 240, H: 70}} {
		h.SetSize(size.W, size.H)
		tuitest.RendersExactly(t, h.View(), size.W, size.H)
	}
	h.SetSize(0, 0)
	if h.View() != "" {
		t.Error("a screen of size zero is not empty")
	}
}

// Without a database, home explains how to create one and does not try to connect.
func TestHomeExplainsHowToGetDatabase(t *testing.T) {
	o := twoProfiles(t)
	o.source.Missing = "ddbdesk demo opens sample data."
	h, _ := newLoadedHome(t, o, "")
	wantText(t, h, "not connected", o.source.Missing)
	h.arrange() // The selected schema has queues, which no database can count.
	wantText(t, h, o.source.Missing)
	run(h, h.Update(tea.PasteMsg{Content: "ver_65de8f85-feb5-49b5-b776-a3c858eec62a"}), h.Update(tea.KeyPressMsg{Code: tea.KeyEnter}))
	wantText(t, h, "not searched", "Could not search: no connection is set up.")
	run(h, h.Update(tea.KeyPressMsg{Code: tea.KeyEscape}))
	h.SetSize(40, 20)
	wantText(t, h, "sample", "data.")
	if len(o.opened) > 0 {
		t.Errorf("enter opened %s", o.opened)
	}
}
