package screens

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"charm.land/bubbletea/v2"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

var itemNow = time.Date(2026, 11, 21, 10, 4, 12, 0, time.UTC)

// memory is a store that answers with one item, after a while. Every query finds
// rows.
type memory struct {
	store.Reader
	item  models.Item
	rows  []models.Item
	err   error
	delay time.Duration
	gets  int
	asked int // queries
}

func (m *memory) Fetch(ctx context.Context, leg accesspatterns.Leg, _ models.Item, _ int) (accesspatterns.Page, error) {
	if leg.Get == nil {
		m.asked++
	}
	if leg.Get == nil && m.rows == nil {
		return accesspatterns.Page{}, errors.New("only GetItem is answered")
	}
	if leg.Get == nil {
		return accesspatterns.Page{Items: m.rows, Count: len(m.rows)}, nil
	}
	m.gets++
	select {
	case <-ctx.Done():
		return accesspatterns.Page{}, ctx.Err()
	case <-time.After(m.delay):
	}
	if m.err != nil || m.item == nil {
		return accesspatterns.Page{}, m.err
	}
	return accesspatterns.Page{Items: []models.Item{m.item}, Count: 1}, nil
}

// DescribeTable answers as to a role that may not ask.
func (m *memory) DescribeTable(context.Context, string) (store.TableInfo, error) {
	return store.TableInfo{}, &store.Error{Class: store.AccessDenied, What: "not allowed to describe"}
}

func openProfile(t testing.TB, name string) *profiles.Profile {
	t.Helper()
	p, err := profiles.Open(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// newItemEnv is an environment on a profile for a role.
func newItemEnv(t testing.TB, p *profiles.Profile, m *memory, role session.Role) *Env {
	t.Helper()
	s := session.New(session.Options{
		Profile: p, Store: m, Role: role, Actor: "thabo",
		Target:      store.Target{Region: "af-south-1"},
		JournalPath: filepath.Join(t.TempDir(), "journal"),
		Clock:       func() time.Time { return itemNow },
	})
	return &Env{Session: s, Styles: widget.NewStyles(true, true), Now: func() time.Time { return itemNow }}
}

// stage is a program with one screen and the messages that it sent.
type stage struct {
	screen Screen
	sent   []tea.Msg
	w, h   int
}

func (s *stage) Init() tea.Cmd { return tea.Batch(widget.GraphemeWidths, s.screen.Init()) }

// watchMsg tells the screen that it is looked at, or not any more.
type watchMsg bool

func (s *stage) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.w, s.h = msg.Width, msg.Height
		s.screen.SetSize(s.w, s.h-1)
		return s, nil
	case OpenMsg, BackMsg, NoticeMsg, CopyMsg:
		s.sent = append(s.sent, msg)
		return s, nil
	case tea.KeyPressMsg:
		typing := false
		if t, ok := s.screen.(Typer); ok {
			typing = t.Typing()
		}
		if c, ok := s.screen.(Canceller); ok && msg.String() == "esc" && !typing && c.Cancel() {
			return s, nil
		}
	case watchMsg:
		return s, s.screen.(Watcher).Watch(bool(msg))
	case tea.MouseClickMsg:
		return s, s.screen.(Clicker).Click(msg.X, msg.Y)
	}
	return s, s.screen.Update(msg)
}

func (s *stage) View() tea.View {
	bar := widget.StatusBar{Facts: []string{s.screen.Status()}, Hints: s.screen.Actions()}
	v := tea.NewView(widget.Rows(s.screen.View(), bar.Render(widget.NewStyles(true, true), s.w)))
	v.AltScreen = true
	if p, ok := s.screen.(Pointer); ok {
		v.Cursor = p.Cursor()
	}
	return v
}

// last is the last message of the type that the screen sent.
func last[T tea.Msg](t testing.TB, s *stage) T {
	t.Helper()
	for i := len(s.sent) - 1; i >= 0; i-- {
		if msg, ok := s.sent[i].(T); ok {
			return msg
		}
	}
	var zero T
	t.Fatalf("no %T was sent, only %v", zero, s.sent)
	return zero
}

func itemText(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func itemNumber(s string) types.AttributeValue { return &types.AttributeValueMemberN{Value: s} }

// verification is a case of authbridge, complete and in order.
func verification(t testing.TB, p *profiles.Profile) models.Item {
	t.Helper()
	it, err := p.Entity("Verification").Build(models.Item{
		"verificationId": itemText("ver_8f2c91ab-77aa-4c02-9d11-0a1b2c3d4e5f"),
		"clientId":       itemText("client_xyz789"),
		"status":         itemText("pending_review"),
		"documentType":   itemText("omang"),
		"createdAt":      itemText("2026-11-21T08:01:00Z"),
		"updatedAt":      itemText("2026-11-21T08:02:10Z"),
		"submittedAt":    itemText("2026-11-21T08:01:40Z"),
		"expiresAt":      itemText("2026-12-21T08:01:00Z"),
		"ttl":            itemNumber("1797840060"),
		"customerMetadata": &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{
			"email": itemText("john@example.com"),
			"phone": itemText("+26771234567"),
		}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return it
}

// with returns a copy of the item with some attributes changed; nil removes.
func with(it models.Item, change map[string]types.AttributeValue) models.Item {
	out := models.Item{}
	for n, v := range it {
		out[n] = v
	}
	for n, v := range change {
		if v == nil {
			delete(out, n)
		} else {
			out[n] = v
		}
	}
	return out
}

// targetOf is the target that the screen asked for last.
func targetOf[T Target](t *testing.T, s *stage) T {
	t.Helper()
	to, ok := last[OpenMsg](t, s).To.(T)
	if !ok {
		t.Fatalf("the screen opens %T", last[OpenMsg](t, s).To)
	}
	return to
}
