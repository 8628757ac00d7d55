package item

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// caseWithTrail returns the screen of a case that was read, and the case's audit entries.
func caseWithTrail(t *testing.T) (s *itemScreen, trail []models.Item) {
	t.Helper()
	p := schemas.Open(t, "authbridge")
	it, trail := caseInState(t, p, toReview...)
	env := screentest.NewItemEnv(t, p, &screentest.Memory{Item: it, Rows: trail}, session.Admin)
	env.Context = t.Context()
	s = New(env, screen.Item{Table: p.Entity("Verification").Table, Item: it}).(*itemScreen)
	s.state = readDone
	return s, trail
}

// A reset during a read drops that read, and the next read starts at once.
func TestResetDropsRunningRead(t *testing.T) {
	s, trail := caseWithTrail(t)
	s.SetSize(100, 30)
	old := s.history.begin(true)
	s.history.reset()
	next := s.history.begin(true)
	deliver(s, old)
	if n := len(s.history.audit); n > 0 {
		t.Errorf("the read before the reset added %d entries", n)
	}
	deliver(s, next)
	if s.history.err != nil || len(s.history.audit) != len(trail) {
		t.Errorf("got %d of %d entries, error %v", len(s.history.audit), len(trail), s.history.err)
	}
}

func TestCloseEndsBothReads(t *testing.T) {
	s, _ := caseWithTrail(t)
	s.history.begin(true)
	s.history.readStream()
	if !s.history.loading.Running() || !s.history.streaming.Running() {
		t.Fatal("the reads did not start")
	}
	s.history.close()
	if s.history.loading.Running() || s.history.streaming.Running() {
		t.Error("closing the screen did not end both reads")
	}
}

func deliver(s *itemScreen, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			deliver(s, c)
		}
	case screen.Answer:
		deliver(s, s.Update(msg))
	}
}
