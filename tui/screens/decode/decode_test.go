package decode

import (
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

func showDecode(t *testing.T, size tuitest.Size, profile, start string) (*tuitest.Terminal, *screentest.Stage) {
	t.Helper()
	env := screentest.NewItemEnv(t, schemas.Open(t, profile), &screentest.Memory{}, session.Developer)
	s := &screentest.Stage{Screen: New(env, screen.Decode{Text: start})}
	return tuitest.New(t, s, size), s
}

func TestDecode(t *testing.T) {
	pastes := map[string]string{
		"empty":    "",
		"pair":     "CASE#ver_8f2c91ab / DOC#doc_17",
		"lines":    "AUDIT#2026-11-21\n2026-11-21T10:04:12.000Z#evt_1",
		"id":       "ver_8f2c91ab",
		"several":  "2026-11-21T08:01:00Z#ver_8f2c91ab-77aa-4c02-9d11-0a1b2c3d4e5f",
		"mismatch": "CASE#ver_8f2c91ab / METADATA",
		"nothing":  "hello",
		"item":     `{"PK":{"S":"CASE#ver_8f2c91ab"},"SK":{"S":"META"},"verificationId":{"S":"ver_8f2c91ab"},"clientId":{"S":"client_1"}}`,
		"broken":   `{"note":"half an item",`,
		"hostile":  "CASE#\x1b[31mver_\x1b]0;owned\x07 / META\u202e",
	}
	for name, size := range map[string]tuitest.Size{"80x24": {W: 80, H: 24}, "120x40": {W: 120, H: 40}} {
		t.Run(name, func(t *testing.T) {
			for paste, content := range pastes {
				synctest.Test(t, func(t *testing.T) {
					tt, _ := showDecode(t, size, "authbridge", "")
					if paste == "hostile" {
						// A terminal may not send these characters, but a clipboard can contain them.
						tt.Send(screentest.PasteOf(content))
						tt.Settle()
					} else {
						tt.Paste(content)
					}
					tt.Golden(paste)
				})
			}
		})
	}
}

func TestDecodeWhileTyping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tt, s := showDecode(t, tuitest.Size{W: 100, H: 30}, "authbridge", "")
		tt.Type("CASE#ver_8f2c")
		tt.WaitFor("╰ verificationId")
		tt.Type("91ab / META")
		tt.WaitFor("Verification by ID")
		tt.Press("enter")
		if msg := screentest.TargetOf[screen.Patterns](
			t, s,
		); msg.Pattern.ID != "get-verification" || msg.Args["verificationId"] != "ver_8f2c91ab" {
			t.Errorf("enter opens %s with %v", msg.Pattern.ID, msg.Args)
		}
		tt.Reach("Accepted input", "ctrl+u")
		tt.Paste(`{"PK": "CASE#ver_1", "SK": "META"}`)
		tt.WaitFor("Item: Verification case")
		tt.Press("enter")
		if to := screentest.TargetOf[screen.Item](t, s); !models.EqualItems(
			to.Item, models.Item{"PK": screentest.ItemText("CASE#ver_1"), "SK": screentest.ItemText("META")},
		) {
			t.Errorf("enter opens %v", to.Item)
		}
		tt.Type("x")
		tt.WaitFor("No match")
		tt.Press("esc")
		screentest.Last[screen.BackMsg](t, s)
	})
}

// The decoder recognizes the entity of every key in the sample data.
func TestDecodeReadsEverySampleKey(t *testing.T) {
	for _, name := range []string{"authbridge", "ebay-sniper", "form-bridge", "tazco", "zentriqvision"} {
		p := schemas.Open(t, name)
		env := screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Developer)
		samples, err := sample.Items(p, screentest.SampleOptions(2))
		if err != nil {
			t.Fatal(err)
		}
		for _, sample := range samples {
			r := decode(env, sample.Table.KeyText(sample.Item))
			found := false
			for _, m := range r.matches {
				found = found || m.entity == sample.Entity
			}
			if !found {
				t.Errorf("%s: %q was not decoded as %s", name, sample.Table.KeyText(sample.Item), sample.Entity.Name)
			}
		}
	}
}

// The time to decode a paste grows in proportion to its length; four times the text would take 16 times as long if it
// grew with the square.
func TestDecodeMegabyte(t *testing.T) {
	p := schemas.Open(t, "tazco")
	env := screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Developer)
	s := New(env, screen.Decode{Text: ""})
	s.SetSize(80, 24)
	shortest := func(paste string) time.Duration {
		best := time.Hour
		for range 3 {
			start := time.Now()
			s.Update(screentest.PasteOf(paste))
			view := s.View()
			best = min(best, time.Since(start))
			tuitest.RendersExactly(t, view, 80, 24)
		}
		return best
	}
	for _, paste := range []func(n int) string{
		func(n int) string { return strings.Repeat("A#", n) },
		func(n int) string { return strings.Repeat(`{"a":`, n/2) },
		func(n int) string { return strings.Repeat("\x1b[", n) },
		func(n int) string { return `{"PK":"` + strings.Repeat("é", n) + `"}` },
		func(n int) string { return strings.Repeat("\n", 2*n) },
	} {
		const n = 300 << 10
		quarter, whole := shortest(paste(n/4)), shortest(paste(n))
		if whole > 12*max(quarter, time.Millisecond) {
			t.Errorf("a paste of %d bytes took %v, and a quarter of it %v", len(paste(n)), whole, quarter)
		}
	}
	s.Update(screentest.PasteOf(strings.Repeat("A#", 1<<19)))
	if !strings.Contains(s.View(), "the text has 1024 KB") {
		t.Errorf("the decoder accepted a megabyte:\n%s", s.View())
	}
}

func TestDecodeFitsHostileText(t *testing.T) {
	p := schemas.Open(t, "zentriqvision")
	env := screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Developer)
	heads := []string{"", "CASE#", "{", `{"PK":`, "a / b", "\n", "2026-11-21T08:01:00Z#"}
	for _, e := range p.Entities {
		for _, tpl := range e.Keys {
			heads = append(heads, tpl.LiteralPrefix())
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.SampledFrom(heads).Draw(rt, "head") + screentest.HostileText.Draw(rt, "text")
		w, h := rapid.IntRange(0, 140).Draw(rt, "w"), rapid.IntRange(0, 45).Draw(rt, "h")
		s := New(env, screen.Decode{Text: ""})
		s.SetSize(w, h)
		s.Update(screentest.PasteOf(text))
		for range rapid.IntRange(0, 3).Draw(rt, "tabs") {
			s.Update(screentest.Pressed("tab"))
		}
		tuitest.RendersExactly(rt, s.View(), w, h)
	})
}

// A second click on a pattern runs it, like enter.
func TestDecodeHandlesClicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tt, stage := showDecode(t, tuitest.Size{W: 120, H: 40}, "authbridge", "")
		tt.Paste("CASE#ver_8f2c91ab / META")
		tt.ClickText("Verification by ID")
		tt.ClickText("Verification by ID")
		tt.Settle()
		screentest.Last[screen.OpenMsg](t, stage)
	})
}

// A key opens its own item, even if another entity has a pattern that the parts of the key fill.
func TestKeyOpensItsOwnItem(t *testing.T) {
	p, err := profiles.Load("tickets.yaml", []byte(`
name: tickets
tables: {main: {partition_key: pk, sort_key: {name: sk, type: N}}}
entities:
  Tenant: {table: main, keys: {pk: "T#{tenant}"}, attributes: {tenant: {type: S}, sk: {type: N}}, when: {has: [name]}}
  Ticket: {table: main, keys: {pk: "K#{tenant}", sk: "{no}"}, attributes: {tenant: {type: S}, no: {type: N}}}
patterns:
  tenant: {operation: get, key: {pk: "T#{tenant}", sk: "1"}, returns: [Tenant]}
  tickets: {operation: query, key: {pk: "K#{tenant}"}, returns: [Ticket]}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	env := screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Developer)
	list, _ := OpenCommands(env, "K#a / 28")
	if len(list) != 1 || list[0].Title != "Open Ticket K#a / 28" {
		t.Fatalf("got %+v", list)
	}
	want := screen.Item{Table: p.Tables[0], Item: models.Item{"pk": models.StringValue("K#a"), "sk": &types.AttributeValueMemberN{Value: "28"}}}
	if got := list[0].Run()(); !reflect.DeepEqual(got, screen.Open(want)()) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
