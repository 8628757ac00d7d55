package screens

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// Personal data stays out of a decoded key.
func TestNothingSensitiveIsDecoded(t *testing.T) {
	n := (marking{}).tryAll(t, false, func(t *testing.T, env *Env, table *models.Table, it models.Item, what string) {
		s := NewDecode(env, Decode{Spell: func(m *models.Masker) string { return table.KeyText(m.Item(table, it)) }})
		s.SetSize(200, 100)
		findsMarker(t, what)("decode", s.View())
		s.Close()
	})
	if n < 50 {
		t.Errorf("only %d sensitive values were tried", n)
	}
}

func BenchmarkDecodeKey(b *testing.B) {
	env := newItemEnv(b, openProfile(b, "zentriqvision"), &memory{}, session.Developer)
	s := NewDecode(env, Decode{Text: ""})
	s.SetSize(160, 50)
	for b.Loop() {
		s.Update(pasteOf("USER#1"))
		s.Update(pressed("ctrl+u"))
		s.View()
	}
}
