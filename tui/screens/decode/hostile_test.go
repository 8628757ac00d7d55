package decode

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// Personal data stays out of a decoded key.
func TestNothingSensitiveIsDecoded(t *testing.T) {
	n := (screentest.Marking{}).TryAll(t, false, func(t *testing.T, env *screen.Env, table *models.Table, it models.Item, what string) {
		s := New(env, screen.Decode{Spell: func(m *models.Masker) string { return table.KeyText(m.Item(table, it)) }})
		s.SetSize(200, 100)
		screentest.FindsMarker(t, what)("decode", s.View())
		s.Close()
	})
	if n < 50 {
		t.Errorf("only %d sensitive values were tried", n)
	}
}

func BenchmarkDecodeKey(b *testing.B) {
	env := screentest.NewItemEnv(b, schemas.Open(b, "zentriqvision"), &screentest.Memory{}, session.Developer)
	s := New(env, screen.Decode{Text: ""})
	s.SetSize(160, 50)
	for b.Loop() {
		s.Update(screentest.PasteOf("USER#1"))
		s.Update(screentest.Pressed("ctrl+u"))
		s.View()
	}
}
