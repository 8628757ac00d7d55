package drift

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/drift"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// newScreen returns the screen on a store with sample data, which is consistent.
func newScreen(t *testing.T, entity string) *driftScreen {
	t.Helper()
	env, _ := screentest.Seeded(t, schemas.Open(t, "authbridge"))
	s := New(env, screen.Drift{Entity: entity}).(*driftScreen)
	s.SetSize(120, 40)
	t.Cleanup(s.Close)
	return s
}

// run runs commands in the order of their results, and returns the messages for the
// root.
func run(s *driftScreen, cmds ...tea.Cmd) (sent []tea.Msg) {
	for len(cmds) > 0 {
		cmd := cmds[0]
		cmds = cmds[1:]
		if cmd == nil {
			continue
		}
		switch msg := cmd().(type) {
		case nil:
		case tea.BatchMsg:
			cmds = append(cmds, msg...)
		case costMsg, endedMsg, screen.TickMsg:
			cmds = append(cmds, s.Update(msg))
		default:
			sent = append(sent, msg)
		}
	}
	return sent
}

func press(s *driftScreen, keys ...string) (sent []tea.Msg) {
	for _, key := range keys {
		sent = append(sent, run(s, s.Update(screentest.Pressed(key)))...)
	}
	return sent
}

// finding returns an item of a table with defects.
func finding(s *driftScreen, id string, repairable bool, defects ...change.Defect) drift.Result {
	table := s.env.Session.Profile().Tables[0]
	return drift.Result{
		Table: table, Entity: s.env.Session.Profile().Entity("Verification"), Repairable: repairable, Defects: defects,
		Item: models.Item{"PK": models.StringValue("CASE#" + id), "SK": models.StringValue("META"), "verificationId": models.StringValue(id)},
	}
}

// found returns a screen whose search ended with these findings.
func found(t *testing.T, results ...func(*driftScreen) drift.Result) *driftScreen {
	t.Helper()
	s := newScreen(t, "")
	s.begin("")
	for _, r := range results {
		s.search.feed.put(r(s))
	}
	s.ended(endedMsg{search: s.search, sum: drift.Summary{Scanned: 10}})
	return s
}

func stale(id string) func(*driftScreen) drift.Result {
	return func(s *driftScreen) drift.Result {
		return finding(s, id, true, change.Defect{
			Kind: change.StaleKey, Attribute: "GSI1SK", Stored: "created#1", Expected: "approved#1", Text: "does not match",
		})
	}
}

func ghost(id string) func(*driftScreen) drift.Result {
	return func(s *driftScreen) drift.Result {
		r := finding(s, id, false, change.Defect{Kind: change.Ghost, Text: "clientId is missing"})
		r.Why = "attributes are missing"
		return r
	}
}

func has(t *testing.T, s *driftScreen, want ...string) {
	t.Helper()
	view := s.View()
	for _, text := range want {
		if !strings.Contains(view, text) {
			t.Errorf("%q is missing in\n%s", text, view)
		}
	}
}

func TestSearchAsksBeforeItReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScreen(t, "Verification")
		run(s, s.Init())
		has(t, s, "Search for drift in", "AuthBridgeTable", "The search asks before it reads", "stale key", "ghost")
		if s.Status() != "No search yet" || s.Title() != "Drift" {
			t.Errorf("status %q, title %q", s.Status(), s.Title())
		}
		press(s, "enter")
		q, ok := s.Box.(*overlay.Question)
		if !ok || s.search != nil || !strings.Contains(q.Text[1], "RCU") {
			t.Fatalf("there is no question with the cost: %v", s.Box)
		}
		press(s, "tab", "enter")
		has(t, s, "all items are consistent", "Drift in Verification")
		if !strings.HasPrefix(s.Status(), "0 defects in ") || s.Title() != "Drift of Verification" || s.search.running() {
			t.Errorf("status %q, title %q", s.Status(), s.Title())
		}
		press(s, "c")
		has(t, s, "Search for drift in")
		if !s.Cancel() || !s.started {
			t.Error("esc does not return to the findings")
		}
	})
}

// The cost that arrives while the question is open replaces the estimate.
func TestCostReachesTheQuestion(t *testing.T) {
	s := newScreen(t, "")
	s.choice.askSearch()
	q := s.Box.(*overlay.Question)
	if q.Text[1] != estimating {
		t.Errorf("the question says %q", q.Text[1])
	}
	s.Update(costMsg{"Verification", "of another scope"})
	if q.Text[1] != estimating {
		t.Errorf("the cost of another scope is shown: %q", q.Text[1])
	}
	if s.Update(costMsg{"", "about 4 RCU"}); q.Text[1] != "about 4 RCU" {
		t.Errorf("the question says %q", q.Text[1])
	}
	if s.choice.askCost() != nil {
		t.Error("the cost is requested again")
	}
}

func TestFindingsByKind(t *testing.T) {
	s := found(t, stale("ver_1"), ghost("ver_2"), stale("ver_3"))
	has(t, s, "All 3", "stale key 2", "ghost 1", "created#1 → approved#1")
	if s.Status()[:len("3 defects in 10 items")] != "3 defects in 10 items" {
		t.Errorf("status %q", s.Status())
	}
	kinds := change.DefectKinds()
	s.turn(slices.Index(kinds, change.StaleKey) + 1)
	if s.rows.Len() != 2 || s.rows.kind != change.StaleKey {
		t.Errorf("%d rows of kind %s", s.rows.Len(), s.rows.kind)
	}
	s.turn(-1 - slices.Index(kinds, change.StaleKey))
	if s.rows.Len() != 3 {
		t.Errorf("%d rows of all kinds", s.rows.Len())
	}
	s.turn(-1)
	if s.rows.kind != kinds[len(kinds)-1] {
		t.Errorf("before all kinds comes %q", s.rows.kind)
	}
	press(s, "1")
	if s.rows.kind != "" {
		t.Error("1 does not show all kinds")
	}
}

func TestEveryKindOfDefectIsDescribed(t *testing.T) {
	for _, k := range change.DefectKinds() {
		if d := present.WordsOf(k); d.Sign == "" || d.Word == "" || d.Means == "" {
			t.Errorf("%s: %+v", k, d)
		}
	}
}

func TestRepairSaysWhyNot(t *testing.T) {
	for name, c := range map[string]struct {
		results []func(*driftScreen) drift.Result
		mark    []int
		want    string
	}{
		"nothing":              {nil, nil, "nothing to repair"},
		"a ghost":              {[]func(*driftScreen) drift.Result{ghost("ver_1")}, nil, "this item cannot be repaired: attributes are missing"},
		"a stale key":          {[]func(*driftScreen) drift.Result{stale("ver_1")}, nil, ""},
		"marked, with a ghost": {[]func(*driftScreen) drift.Result{ghost("ver_1"), stale("ver_2")}, []int{0, 1}, ""},
	} {
		s := found(t, c.results...)
		for _, i := range c.mark {
			s.grid.ToggleMark(i)
		}
		if got := s.repairs.cannotRepair(s.repairs.targets()); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestMarkAllMarksWhatCanBeRepaired(t *testing.T) {
	s := found(t, stale("ver_1"), ghost("ver_2"), stale("ver_3"))
	s.rows.list[2].state = repaired
	if s.markAll(); !slices.Equal(s.rows.marked(), s.rows.list[:1]) || s.rows.MarkCount() != 1 {
		t.Errorf("marked are %v", s.rows.marked())
	}
	if s.markAll(); len(s.rows.marked()) != 0 || s.rows.MarkCount() != 0 {
		t.Errorf("marked are %v after the second time", s.rows.marked())
	}
	if got := s.repairs.targets(); len(got) != 1 || got[0] != s.rows.list[0] {
		t.Errorf("without marks, %d rows are repaired", len(got))
	}
}

func TestRowsOpenAndCopy(t *testing.T) {
	s := found(t, stale("ver_1"))
	sent := press(s, "enter", "y")
	item, ok := sent[0].(screen.OpenMsg)
	if !ok {
		t.Fatalf("enter sends %T", sent[0])
	}
	if to, ok := item.To.(screen.Item); !ok || to.Tab != "keys" {
		t.Errorf("enter opens %v", item.To)
	}
	if msg, ok := sent[1].(screen.CopyMsg); !ok || msg.Text != "CASE#ver_1 / META" || msg.What != "the key" {
		t.Errorf("y copies %+v", sent[1])
	}
}

func TestSearchThatEndsEarly(t *testing.T) {
	for name, c := range map[string]struct {
		stop bool
		err  error
		want string
	}{
		"stopped":           {true, errors.New("canceled"), "stopped: there may be more"},
		"stopped too late":  {true, nil, "f repairs"},
		"failed":            {false, errors.New("no route to host"), "the search is incomplete"},
		"too many findings": {false, errFull, "look for the common cause"},
	} {
		s := newScreen(t, "")
		s.begin("")
		s.search.feed.put(stale("ver_1")(s))
		if c.stop && !s.Cancel() {
			t.Fatalf("%s: the search cannot be stopped", name)
		}
		s.Update(endedMsg{search: s.search, err: c.err})
		if s.search.running() || s.rows.Len() != 1 {
			t.Errorf("%s: %d findings are kept", name, s.rows.Len())
		}
		has(t, s, c.want)
	}
}

// The end of an earlier search does not end the current one.
func TestEarlierSearchIsDropped(t *testing.T) {
	s := newScreen(t, "")
	s.begin("")
	earlier := s.search
	s.begin("Verification")
	s.Update(endedMsg{search: earlier, err: errors.New("late")})
	if !s.search.running() || s.search.err != nil {
		t.Error("a late end is taken in")
	}
}

func TestDriftTakesTheMouse(t *testing.T) {
	s := newScreen(t, "")
	_ = s.View()
	run(s, s.Click(s.lay.list.X+5, s.lay.list.Y+4))
	if scope, _ := s.choice.selectedScope(); scope == "" {
		t.Error("a click in the list selects nothing")
	}
	s = found(t, stale("ver_1"), stale("ver_2"))
	_ = s.View()
	click := func(row int) []tea.Msg { return run(s, s.Click(s.lay.grid.X+5, s.lay.grid.Y+1+row)) }
	if sent := click(1); len(sent) != 0 || s.grid.Cursor() != 1 {
		t.Errorf("a click moves to row %d and sends %v", s.grid.Cursor(), sent)
	}
	if sent := click(1); len(sent) != 1 {
		t.Errorf("the second click sends %v", sent)
	}
}

func TestDriftFitsEverySize(t *testing.T) {
	for _, s := range []*driftScreen{newScreen(t, ""), found(t, stale("ver_1"), ghost("ver_2"))} {
		for _, size := range []tuitest.Size{{W: 60, H: 16}, {W: 80, H: 24}, {W: 240, H: 70}} {
			s.SetSize(size.W, size.H)
			tuitest.Sound(t, s.View(), size.W, size.H)
		}
	}
}
