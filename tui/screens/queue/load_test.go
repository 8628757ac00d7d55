package queue

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// newScreen returns the queues of authbridge for an admin, without rows.
func newScreen(t *testing.T) *queueScreen {
	t.Helper()
	env := screentest.NewItemEnv(t, schemas.Open(t, "authbridge"), &screentest.Memory{}, session.Admin)
	s := New(env, screen.Queue{ID: "review-queue"}).(*queueScreen)
	s.SetSize(120, 40)
	t.Cleanup(s.Close)
	return s
}

// arrive starts a load and ends it with these items.
func arrive(s *queueScreen, letters string, more bool, err error) {
	s.auto.load()
	s.Update(loadedMsg{task: s.job().task, items: queueItems(letters), more: more, capacity: 1.5, took: time.Millisecond, err: err})
}

func TestQueueStatus(t *testing.T) {
	s := newScreen(t)
	for _, step := range []struct {
		letters string
		more    bool
		err     error
		want    string // the start of the status
		text    string // on the screen
	}{
		{"", false, errors.New("no route to host"), "✗ no rows read", "no route to host"},
		{"ab", false, nil, "2 waiting · 1.5 RCU", "1/2"},
		{"abc", true, nil, "3+ waiting · 1 new · 1.5 RCU", "new"},
		{"", false, errors.New("no route to host"), "✗ not refreshed · 3+ waiting", "no route to host"},
		{"bc", false, nil, "2 waiting · 1 new", "resolved"},
		{"", false, nil, "0 waiting", "resolved"},
		{"", false, nil, "0 waiting", "No items need a decision"},
	} {
		arrive(s, step.letters, step.more, step.err)
		if got := s.Status(); !strings.HasPrefix(got, step.want) {
			t.Errorf("after %q: status %q, want %q", step.letters, got, step.want)
		}
		if view := s.View(); !strings.Contains(view, step.text) {
			t.Errorf("after %q: %q is missing in\n%s", step.letters, step.text, view)
		}
	}
}

func TestStoppedLoadIsDropped(t *testing.T) {
	s := newScreen(t)
	s.auto.load()
	late := loadedMsg{task: s.job().task, items: queueItems("ab")}
	if !s.Cancel() || s.Cancel() {
		t.Error("a load can be canceled other than once")
	}
	if s.Update(late); s.job().ran || s.job().rows.Len() != 0 {
		t.Error("the rows of a canceled load are shown")
	}
	if view := s.View(); !strings.Contains(view, "Stopped before the first page") {
		t.Errorf("the screen does not say so:\n%s", view)
	}
	arrive(s, "ab", false, nil)
	if !s.job().ran || s.job().rows.Len() != 2 {
		t.Error("the queue cannot be read again")
	}
}

func TestQueueRefreshesWhileItIsInView(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(*queueScreen)
		want bool
	}{
		"in view":           {func(*queueScreen) {}, true},
		"paused":            {func(s *queueScreen) { s.Update(screentest.Pressed("t")) }, false},
		"resumed":           {func(s *queueScreen) { s.Update(screentest.Pressed("t")); s.Update(screentest.Pressed("t")) }, true},
		"another screen":    {func(s *queueScreen) { s.Watch(false) }, false},
		"another window":    {func(s *queueScreen) { s.Update(tea.BlurMsg{}) }, false},
		"back in view":      {func(s *queueScreen) { s.Update(tea.BlurMsg{}); s.Watch(false); s.Watch(true) }, true},
		"a box is open":     {func(s *queueScreen) { s.Update(screentest.Pressed("o")) }, false},
		"another table":     {func(s *queueScreen) { s.job().scan = true }, false},
		"window has a user": {func(s *queueScreen) { s.Update(tea.BlurMsg{}); s.Update(tea.FocusMsg{}) }, true},
	} {
		s := newScreen(t)
		arrive(s, "ab", false, nil)
		s.auto.startClock()
		c.do(s)
		s.Update(intervalMsg{s.auto.clock.beat})
		if got := s.job().task.Running(); got != c.want {
			t.Errorf("%s: refreshes %v, want %v", name, got, c.want)
		}
	}
}

// Only the last timer counts: a refresh on request postpones the next one.
func TestEarlierTimersAreIgnored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScreen(t)
		arrive(s, "ab", false, nil)
		first := s.auto.startClock()
		second := s.auto.startClock()
		if s.Update(first()); s.job().task.Running() {
			t.Error("an earlier timer refreshes the queue")
		}
		if s.Update(second()); !s.job().task.Running() {
			t.Error("the last timer does not refresh the queue")
		}
	})
}

func TestMarksOfTheQueue(t *testing.T) {
	s := newScreen(t)
	j := s.job()
	arrive(s, "abc", false, nil)
	arrive(s, "ac", false, nil) // b is resolved, in row 1.
	j.rows.SetMarked(1, true)
	if j.rows.Marks.Len() != 0 {
		t.Error("a resolved item is marked")
	}
	for range 2 {
		s.Update(screentest.Pressed("*"))
		s.Update(screentest.Pressed("*"))
	}
	if j.rows.Marks.Len() != 0 {
		t.Errorf("%d marks after removing all", j.rows.Marks.Len())
	}
	s.Update(screentest.Pressed("*"))
	if n := j.targets().Items.Len(); n != 2 || j.rows.Marks.Len() != 2 {
		t.Errorf("actions apply to %d items", n)
	}
	s.does.changed()
	if j.rows.Marks.Len() != 0 {
		t.Error("marks stay after a change")
	}
}

func TestQueueWithoutAnIndexAsksFirst(t *testing.T) {
	s := newScreen(t)
	s.job().scan = true
	if s.auto.load() != nil || s.job().noRow() == "" || s.job().cannotEnter() != "" {
		t.Error("a whole table is read without consent")
	}
	if view := s.View(); !strings.Contains(view, "reads the whole table") {
		t.Errorf("the screen does not say so:\n%s", view)
	}
	if s.Update(screentest.Pressed("enter")); s.Box == nil {
		t.Fatal("enter does not ask")
	}
	s.Update(screentest.Pressed("tab"))
	if s.Update(screentest.Pressed("enter")); !s.job().consented || !s.job().task.Running() {
		t.Error("consent does not read the queue")
	}
}

func TestProfileWithoutQueues(t *testing.T) {
	p := *schemas.Open(t, "authbridge") // A copy: other tests share it.
	p.Queues = nil
	env := screentest.NewItemEnv(t, &p, &screentest.Memory{}, session.Admin)
	s := New(env, screen.Queue{}).(*queueScreen)
	s.SetSize(80, 24)
	s.Update(screentest.Pressed("enter"))
	if s.Init() != nil || s.Status() != "no queue" || s.Title() != "Queues" || !strings.Contains(s.View(), "No queues.") {
		t.Errorf("status %q:\n%s", s.Status(), s.View())
	}
	for _, a := range s.Actions() {
		if a.Name != "next-queue" && a.Name != "previous-queue" && a.Why() == "" {
			t.Errorf("%s is available", a.Name)
		}
	}
}

func TestQueueFitsEverySize(t *testing.T) {
	s := newScreen(t)
	arrive(s, "abcdef", true, nil)
	arrive(s, "acdefg", true, nil)
	for _, size := range []tuitest.Size{{W: 60, H: 16}, {W: 80, H: 24}, {W: 240, H: 70}} {
		s.SetSize(size.W, size.H)
		tuitest.Sound(t, s.View(), size.W, size.H)
		s.Click(size.W/2, size.H/2)
		s.Wheel(size.W/2, size.H/2, false)
		tuitest.Sound(t, s.View(), size.W, size.H)
	}
}

// Marks that a refresh removes are remembered until the user was asked: one of them, and too
// many to be compared.
func TestLostMarksAreRemembered(t *testing.T) {
	s := newScreen(t)
	j := s.job()
	arrive(s, "abc", false, nil)
	j.rows.SetMarked(1, true)
	arrive(s, "ac", false, nil)
	if want := []string{"Verification case · ver_b"}; !slices.Equal(j.rows.lost, want) {
		t.Errorf("lost marks are %q, want %q", j.rows.lost, want)
	}
	if j.rows.SetMarked(0, true); j.rows.lost != nil {
		t.Error("a new mark does not replace the lost ones")
	}
	const many = 2001
	var items []models.Item
	for i := range many {
		items = append(items, queueItem(strconv.Itoa(i)))
	}
	j.rows.take(items)
	j.rows.markAll()
	if j.rows.Marks.Len() != many {
		t.Fatalf("%d marks", j.rows.Marks.Len())
	}
	if cmd := j.rows.take(items); cmd == nil || len(j.rows.lost) == 0 || j.rows.Marks.Len() != 0 {
		t.Errorf("too many marks leave %d, lost %q", j.rows.Marks.Len(), j.rows.lost)
	}
}

// A dialog that finds items in another state makes a read that is under way outdated.
func TestConflictReadsAgain(t *testing.T) {
	s := newScreen(t)
	j := s.job()
	arrive(s, "ab", false, nil)
	s.auto.load()
	before := j.task
	if s.does.ended(nil); before.Running() || !j.task.Running() || j.task == before {
		t.Error("a read from before the conflict is awaited")
	}
}

// What a commit made of an item is shown in every queue of its table; a queue that is not in
// view is read again when it comes into view.
func TestQueueIsOutdatedByACommit(t *testing.T) {
	s := newScreen(t)
	j := s.job()
	arrive(s, "ab", false, nil)
	after := queueItem("a")
	after["status"] = models.StringValue("approved")
	key, _ := j.queue.Pattern.Table.PrimaryKey(after)
	list := []screen.Committed{{Table: j.queue.Pattern.Table, Key: key, Item: after}}
	s.Watch(false)
	if s.Committed(list); j.task.Running() {
		t.Error("a queue that is not in view is read")
	}
	if status, _ := j.rows.list[0].item.Text("status"); status != "approved" {
		t.Errorf("the row says %s", status)
	}
	if s.Watch(true); !j.task.Running() {
		t.Error("an outdated queue that comes into view is not read")
	}
	before := j.task
	if s.Committed(list); before.Running() || !j.task.Running() {
		t.Error("a read from before a commit is awaited")
	}
	list[0].Item = nil
	if s.Committed(list); !j.rows.list[0].gone {
		t.Error("a deleted item is still waiting")
	}
}
