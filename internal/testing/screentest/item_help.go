package screentest

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// ItemNow is the time in all test environments.
var ItemNow = time.Date(2026, 11, 21, 10, 4, 12, 0, time.UTC)

// Memory is a store that returns one item after a delay, and Rows for every query.
type Memory struct {
	store.Reader
	Item    models.Item
	Rows    []models.Item
	Err     error
	Delay   time.Duration
	Gets    atomic.Int64 // number of GetItem calls
	Queries atomic.Int64 // number of queries
}

// Fetch implements store.Reader.
func (m *Memory) Fetch(ctx context.Context, leg accesspatterns.Leg, _ models.Item, _ int) (accesspatterns.Page, error) {
	if leg.Get == nil {
		m.Queries.Add(1)
	}
	if leg.Get == nil && m.Rows == nil {
		return accesspatterns.Page{}, errors.New("only GetItem is answered")
	}
	if leg.Get == nil {
		return accesspatterns.Page{Items: m.Rows, Count: len(m.Rows)}, nil
	}
	m.Gets.Add(1)
	select {
	case <-ctx.Done():
		return accesspatterns.Page{}, ctx.Err()
	case <-time.After(m.Delay):
	}
	if m.Err != nil || m.Item == nil {
		return accesspatterns.Page{}, m.Err
	}
	return accesspatterns.Page{Items: []models.Item{m.Item}, Count: 1}, nil
}

// DescribeTable returns an error, as for a role without the permission.
func (m *Memory) DescribeTable(context.Context, string) (store.TableInfo, error) {
	return store.TableInfo{}, &store.Error{Class: store.AccessDenied, Problem: "not allowed to describe"}
}

// Lookback reports that the table lacks a stream.
func (m *Memory) Lookback(context.Context, string) (store.Lookback, error) {
	return nil, &store.Error{Class: store.StreamOff, Problem: "no stream"}
}

// NewItemEnv returns the environment of a role on a schema.
func NewItemEnv(t testing.TB, p *profiles.Profile, m *Memory, role session.Role) *screen.Env {
	t.Helper()
	s := workspace.New(session.Options{
		Profile: p, Store: m, Role: role, Actor: "thabo",
		Target:      store.Target{Region: "af-south-1"},
		JournalPath: filepath.Join(t.TempDir(), "journal"),
		Clock:       func() time.Time { return ItemNow },
	})
	return &screen.Env{
		Context: t.Context(), Workspace: s, Styles: widget.NewStyles(true, true), Log: &reading.Log{},
		Now: func() time.Time { return ItemNow },
	}
}

// A Menu simulates the console's menu of actions: widget.MenuKey opens it, and the letter of an action runs the action.
type Menu struct{ open bool }

// Press opens the menu of an item or selects in it, and reports whether the menu used the key.
func (m *Menu) Press(s screen.Screen, key tea.KeyPressMsg) (cmd tea.Cmd, used bool) {
	if wasOpen := m.open; !wasOpen {
		m.open = key.String() == widget.MenuKey
		_, isScreenKey := s.Actions().Match(key)
		m.open = m.open && !isScreenKey
		return nil, m.open
	}
	m.open = false
	for _, a := range s.Actions() {
		if letter, inMenu := a.InMenu(); inMenu && letter == key.String() {
			if reason := a.Why(); reason != "" {
				return screen.Send(screen.NoticeMsg{Text: reason}), true
			}
			return a.Run(), true
		}
	}
	return nil, false
}

// A Stage is a program that shows one screen and records its messages.
type Stage struct {
	Screen screen.Screen
	sent   []tea.Msg
	menu   Menu
	w, h   int
}

// Init starts the screen.
func (s *Stage) Init() tea.Cmd { return tea.Batch(widget.GraphemeWidths, s.Screen.Init()) }

// A WatchMsg reports to the screen whether it is visible.
type WatchMsg bool

// Update records the screen's messages to the console, and forwards all other messages to the screen.
func (s *Stage) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.w, s.h = msg.Width, msg.Height
		s.Screen.SetSize(s.w, s.h-1)
		return s, nil
	case screen.OpenMsg, screen.BackMsg, screen.NoticeMsg, screen.CopyMsg:
		s.sent = append(s.sent, msg)
		return s, nil
	case tea.KeyPressMsg:
		typing := false
		if t, ok := s.Screen.(screen.Typer); ok {
			typing = t.Typing()
		}
		if c, ok := s.Screen.(screen.Canceler); ok && msg.String() == "esc" && !typing && c.Cancel() {
			return s, nil
		}
		if !typing {
			if cmd, used := s.menu.Press(s.Screen, msg); used {
				return s, cmd
			}
		}
	case WatchMsg:
		return s, s.Screen.(screen.Watcher).Watch(bool(msg))
	case tea.MouseClickMsg:
		return s, s.Screen.(screen.Clicker).Click(msg.X, msg.Y)
	}
	return s, s.Screen.Update(msg)
}

// View draws the screen.
func (s *Stage) View() tea.View {
	bar := widget.StatusBar{Facts: []string{s.Screen.Status()}, Hints: s.Screen.Actions()}
	v := tea.NewView(widget.Rows(s.Screen.View(), bar.Render(widget.NewStyles(true, true), s.w)))
	v.AltScreen = true
	if p, ok := s.Screen.(screen.CursorProvider); ok {
		v.Cursor = p.Cursor()
	}
	return v
}

// Last returns the last message of type T from the screen.
func Last[T tea.Msg](t testing.TB, s *Stage) T {
	t.Helper()
	for _, sent := range slices.Backward(s.sent) {
		if msg, ok := sent.(T); ok {
			return msg
		}
	}
	var zero T
	t.Fatalf("got no %T in %v", zero, s.sent)
	return zero
}

// ItemText returns a DynamoDB string.
func ItemText(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

// ItemNumber returns a DynamoDB number.
func ItemNumber(s string) types.AttributeValue { return &types.AttributeValueMemberN{Value: s} }

// Verification returns a complete and consistent verification of authbridge.
func Verification(t testing.TB, p *profiles.Profile) models.Item {
	t.Helper()
	it, err := p.Entity("Verification").Build(models.Item{
		"verificationId": ItemText("ver_8f2c91ab-77aa-4c02-9d11-0a1b2c3d4e5f"),
		"clientId":       ItemText("client_xyz789"),
		"status":         ItemText("pending_review"),
		"documentType":   ItemText("omang"),
		"createdAt":      ItemText("2026-11-21T08:01:00Z"),
		"updatedAt":      ItemText("2026-11-21T08:02:10Z"),
		"submittedAt":    ItemText("2026-11-21T08:01:40Z"),
		"expiresAt":      ItemText("2026-12-21T08:01:00Z"),
		"ttl":            ItemNumber("1797840060"),
		"customerMetadata": &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{
			"email": ItemText("john@example.com"),
			"phone": ItemText("+26771234567"),
		}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return it
}

// With returns a copy of the item with changed attributes; nil removes one.
func With(it models.Item, attributes map[string]types.AttributeValue) models.Item {
	out := models.Item{}
	maps.Copy(out, it)
	for n, v := range attributes {
		if v == nil {
			delete(out, n)
		} else {
			out[n] = v
		}
	}
	return out
}

// TargetOf returns the last target of type T from the screen.
func TargetOf[T screen.Target](t *testing.T, s *Stage) T {
	t.Helper()
	to, ok := Last[screen.OpenMsg](t, s).To.(T)
	if !ok {
		t.Fatalf("the screen opens %T, want a target", Last[screen.OpenMsg](t, s).To)
	}
	return to
}
