package item

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/planner"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// showItem opens the item screen of an item that a list showed as row.
func showItem(
	t *testing.T, size tuitest.Size, role session.Role, m *screentest.Memory, row models.Item,
) (*tuitest.Terminal, *screentest.Stage) {
	t.Helper()
	p := schemas.Open(t, "authbridge")
	env := screentest.NewItemEnv(t, p, m, role)
	s := &screentest.Stage{Screen: New(env, screen.Item{Table: p.Entity("Verification").Table, Item: row})}
	return tuitest.New(t, s, size), s
}

// pictures contains the sizes for which golden files exist.
var pictures = map[string]tuitest.Size{"80x24": {W: 80, H: 24}, "120x40": {W: 120, H: 40}}

func TestItemBeginsWithStateAndActions(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	for name, size := range pictures {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				it, trail := caseInState(t, p, toReview...)
				tt, _ := showItem(t, size, session.Support, &screentest.Memory{Item: it, Rows: trail}, it)
				tt.Reach("6 entries", "2")
				if tt.Has("–") || strings.Count(tt.Screen(), "Moved by ana, ")+strings.Count(tt.Screen(), "Moved  ") < 6 {
					t.Errorf("an entry has more than one sentence:\n%s", tt.Screen())
				}
				tt.Press("1")
				for _, want := range []string{"In review", "In queue \"Waiting for review\"", "Approve", "y s"} {
					if text := strings.Join(strings.Split(tt.Screen(), "\n")[:5], "\n"); !strings.Contains(text, want) {
						t.Errorf("the first lines lack %q:\n%s", want, tt.Screen())
					}
				}
				if tt.Has("Keys") || tt.Has("--role admin") {
					t.Errorf("role support sees keys or advice to use role admin:\n%s", tt.Screen())
				}
				tt.Golden("overview")
			})
		})
	}
}

func TestDevelopersSeeNamesAndKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		it := screentest.Verification(t, schemas.Open(t, "authbridge"))
		tt, s := showItem(t, screentest.EverySize["120x40"], session.Developer, &screentest.Memory{Item: it}, it)
		tt.WaitFor("submittedAt")
		tt.Reach("template", "4")
		explain, _ := s.Screen.Actions().Named("explain")
		if got := explain.Why(); got != "the explanation is available only on the Overview, History and Related tabs" {
			t.Errorf("x on the keys: %q", got)
		}
		tt.Golden("keys")
		tt.Reach("plain JSON", "5")
		tt.Press("1", "v")
		if !tt.Has("Submitted") || tt.Has("submittedAt") || tt.Has("5 Raw") {
			t.Errorf("v did not switch to titles:\n%s", tt.Screen())
		}
	})
}

// Changes have letters only in the menu that o opens. Elsewhere, letters have their usual effects.
func TestLettersDoNotPlanChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		it := screentest.Verification(t, schemas.Open(t, "authbridge"))
		tt, s := showItem(t, screentest.EverySize["120x40"], session.Admin, &screentest.Memory{Item: it}, it)
		tt.WaitForRemoval("refreshing")
		for letter := 'a'; letter <= 'z'; letter++ {
			tt.Press(string(letter))
			if c, ok := s.Screen.(*itemScreen).Box.(*planner.Change); ok {
				t.Errorf("%c opened %v", letter, c)
			}
			tt.Press("esc", "1")
		}
	})
}

func TestQueueExplainsDisabledActions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		it := screentest.With(screentest.Verification(t, schemas.Open(t, "authbridge")), map[string]types.AttributeValue{
			"status": screentest.ItemText("approved"),
		})
		tt, _ := showItem(t, screentest.EverySize["120x40"], session.Support, &screentest.Memory{Item: it}, it)
		tt.WaitForRemoval("refreshing")
		tt.Press("o", "q")
		tt.WaitFor("Not in queue \"Waiting for review\"")
		tt.WaitFor("State is Approved; the queue requires Waiting for review or In review.")
	})
}

func TestItemShowsDifferencesFromList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		it := screentest.Verification(t, schemas.Open(t, "authbridge"))
		row := screentest.With(it, map[string]types.AttributeValue{
			"status": screentest.ItemText("submitted"), "submittedAt": nil, "clientNote": screentest.ItemText("old"),
		})
		m := &screentest.Memory{Item: it, Delay: time.Second}
		tt, _ := showItem(t, tuitest.Size{W: 120, H: 40}, session.Support, m, row)
		if !tt.Has("from the list") || !tt.Has("◐ Submitted") {
			t.Errorf("the row did not appear immediately:\n%s", tt.Screen())
		}
		tt.WaitFor("refreshing the item")
		tt.WaitFor("≠ 2 attributes changed since the list was read")
		if !tt.Has("◐ Waiting for review  ≠ changed") {
			t.Errorf("the changed attributes have no mark:\n%s", tt.Screen())
		}
		if !tt.Has("Removed since the list was read") || !tt.Has("clientNote") {
			t.Errorf("the screen lacks the removed attributes:\n%s", tt.Screen())
		}
		m.Item = nil
		tt.Reach("✗ deleted", "r")
		if !tt.Has("◐ Waiting for review") || !tt.Has("client_xyz789") {
			t.Errorf("the screen lacks the previous content:\n%s", tt.Screen())
		}
	})
}

func TestItemKeepsRowWhenReadingFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		it := screentest.Verification(t, schemas.Open(t, "authbridge"))
		m := &screentest.Memory{Err: errors.New("credentials expired; run aws sso login")}
		tt, _ := showItem(t, tuitest.Size{W: 100, H: 30}, session.Support, m, it)
		tt.WaitFor("credentials expired; run aws sso login")
		if !tt.Has("client_xyz789") || !tt.Has("✗ refresh failed") {
			t.Errorf("the screen lacks the row:\n%s", tt.Screen())
		}
		m.Err, m.Item, m.Delay = nil, it, 5*time.Second
		tt.Press("ctrl+r")
		tt.Advance(time.Second)
		tt.Reach("refresh stopped", "esc")
		tt.Advance(10 * time.Second)
		if !tt.Has("refresh stopped") {
			t.Errorf("the response of a canceled read was shown:\n%s", tt.Screen())
		}
		m.Delay = 0
		tt.Press("ctrl+r")
		tt.WaitForRemoval("refresh")
		if m.Gets.Load() != 3 {
			t.Errorf("got %d reads, want 3", m.Gets.Load())
		}
	})
}

func TestItemIgnoresOlderRead(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	it := screentest.Verification(t, p)
	s := New(
		screentest.NewItemEnv(t, p, &screentest.Memory{Item: it}, session.Support),
		screen.Item{Table: p.Entity("Verification").Table, Item: it},
	).(*itemScreen)
	s.SetSize(100, 30)
	s.Init()
	old := s.read.task
	s.Init()
	if old.Running() {
		t.Error("the older read is still running")
	}
	s.Close()
}

func TestItemWarnings(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	it := screentest.Verification(t, p)
	tests := []struct {
		name   string
		change map[string]types.AttributeValue
		tab    int
		want   []string
	}{
		{"drift", map[string]types.AttributeValue{"status": screentest.ItemText("in_review")}, tabKeys, []string{
			"✗ drift: does not match the attributes", "should be in_review#2026-11-21T08:01:00Z", "✗ 1 key drifted",
			"✗ lists may show it in the wrong place: 1 stale key",
		}},
		{"sparse", map[string]types.AttributeValue{"GSI1PK": nil}, tabKeys, []string{"missing; the item is not in this index"}},
		{"missing attributes", map[string]types.AttributeValue{"clientId": nil, "documentType": nil, "GSI1PK": nil}, tabOverview, []string{
			"! 2 required attributes missing: clientId, documentType", "Missing: the schema requires them",
		}},
		{"expired", map[string]types.AttributeValue{"ttl": screentest.ItemNumber("1795000000")}, tabOverview, []string{
			"✗ ttl is 18 Nov 11:06, but must equal expiresAt   ", "expires 21 Dec, in 29 d",
		}},
		{"late deletion", map[string]types.AttributeValue{"ttl": screentest.ItemNumber("1827000000")}, tabOverview, []string{
			"✗ ttl is 23 Nov 2027 20:00, but must equal expiresAt   ", "expires 21 Dec, in 29 d",
		}},
		{"wrong TTL", map[string]types.AttributeValue{"ttl": screentest.ItemNumber("1739448000")}, tabOverview, []string{"✗ ttl "}},
		{"undocumented", map[string]types.AttributeValue{"legacy": screentest.ItemText("yes")}, tabOverview, []string{
			"Not in the schema", "legacy",
		}},
		{"unknown state", map[string]types.AttributeValue{"status": screentest.ItemText("aproved")}, tabOverview, []string{"? aproved"}},
		{"final state", map[string]types.AttributeValue{"status": screentest.ItemText("approved")}, tabOverview, []string{"Next  Approved is a final state"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			changed := screentest.With(it, tt.change)
			s := New(
				screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Developer),
				screen.Item{Table: p.Entity("Verification").Table, Item: changed},
			).(*itemScreen)
			s.SetSize(100, 90)
			s.Init()
			s.finishRead(changed, nil)
			s.open(s.tabs[tt.tab])
			view := strings.Join(tuitest.Draw(s.View(), 100, 90), "\n")
			for _, want := range tt.want {
				if !strings.Contains(view, want) {
					t.Errorf("%q is missing:\n%s", want, view)
				}
			}
			s.SetSize(76, 90)
			view = strings.Join(tuitest.Draw(s.View(), 76, 90), "\n")
			if tt.name == "late deletion" && !strings.Contains(view, tt.want[0]) {
				t.Errorf("the narrow header cuts the warning:\n%s", view)
			}
			s.Close()
		})
	}
}

// The pane below the related patterns cuts a long request; x shows all of it.
func TestRelatedPatternIsExplained(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		it := screentest.Verification(t, schemas.Open(t, "authbridge"))
		tt, _ := showItem(t, tuitest.Size{W: 80, H: 24}, session.Developer, &screentest.Memory{Item: it}, it)
		tt.WaitForRemoval("refreshing")
		tt.Reach("begins_with…", "3")
		tt.Reach(`begins_with(SK, "DOC#")`, "x")
		tt.Press("x")
		tt.WaitForRemoval(`begins_with(SK, "DOC#")`)
	})
}

func TestUnknownItemIsMasked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		it := models.Item{
			"PK": screentest.ItemText("CASE#ver_1"), "SK": screentest.ItemText("NOTE#1"),
			"body": screentest.ItemText("call Mpho"), "email": screentest.ItemText("mpho@example.com"),
		}
		tt, _ := showItem(t, tuitest.Size{W: 80, H: 24}, session.Support, &screentest.Memory{Item: it}, it)
		tt.WaitFor("? matches no entity")
		tt.WaitForRemoval("refreshing")
		tt.Press("v", "3")
		if tt.Has("Mpho") || tt.Has("mpho") {
			t.Errorf("the screen shows the values of an unknown item:\n%s", tt.Screen())
		}
	})
}

// Above the tabs, an item without a schema has one line.
func TestItemWithoutSchemaHasShortHeader(t *testing.T) {
	p, err := profiles.Load("", []byte("name: x\ntables: {main: {name: sessions, partition_key: id}}\n"+
		"entities: {Item: {table: main, attributes: {id: {type: S, required: true}}}}\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Entities[0].ByName = func(string) models.Sensitivity { return models.NotSensitive }
	for _, size := range pictures {
		synctest.Test(t, func(t *testing.T) {
			it := models.Item{"id": screentest.ItemText("s_1"), "user": screentest.ItemText("ana")}
			env := screentest.NewItemEnv(t, p, &screentest.Memory{Item: it}, session.Developer)
			s := &screentest.Stage{Screen: New(env, screen.Item{Table: p.Tables[0], Item: it})}
			tt := tuitest.New(t, s, size)
			tt.WaitForRemoval("refreshing")
			if !strings.Contains(tt.Line(1), "1 Overview") || !tt.Has("│ Key ") || !tt.Has("│ Attributes") {
				t.Errorf("the header is too long:\n%s", tt.Screen())
			}
		})
	}
}

func TestItemRevealNeedsRoleAndReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		it := screentest.Verification(t, schemas.Open(t, "authbridge"))
		tt, _ := showItem(t, tuitest.Size{W: 120, H: 40}, session.Support, &screentest.Memory{Item: it}, it)
		tt.WaitForRemoval("refreshing")
		tt.Press("o")
		if !tt.Has("Bookmark the item") || tt.Has("Reveal") || tt.Has("role support") || tt.Has("edit the item") {
			t.Errorf("role support sees an action that it cannot run:\n%s", tt.Screen())
		}
	})
	synctest.Test(t, func(t *testing.T) {
		it := screentest.Verification(t, schemas.Open(t, "authbridge"))
		tt, s := showItem(t, tuitest.Size{W: 120, H: 40}, session.Developer, &screentest.Memory{Item: it}, it)
		tt.WaitForRemoval("refreshing")
		tt.Press("down", "down", "down", "down", "right", "o", "R", "enter")
		if tt.Has("john@example.com") || !tt.Has("Reveal personal data?") {
			t.Fatalf("the data is revealed without a reason:\n%s", tt.Screen())
		}
		tt.Enter("request 17")
		tt.WaitFor("john@example.com")
		tt.Press("o", "R")
		tt.WaitForRemoval("john@example.com")
		if msg := screentest.Last[screen.NoticeMsg](t, s); !strings.Contains(msg.Text, "masked again") {
			t.Errorf("got notice %q", msg.Text)
		}
	})
}

func TestItemCopiesMasked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		it := screentest.Verification(t, schemas.Open(t, "authbridge"))
		tt, s := showItem(t, tuitest.Size{W: 120, H: 40}, session.Admin, &screentest.Memory{Item: it}, it)
		tt.WaitForRemoval("refreshing")
		tt.Press("y", "v")
		if msg := screentest.Last[screen.CopyMsg](t, s); msg.Text != "ver_8f2c91ab-77aa-4c02-9d11-0a1b2c3d4e5f" {
			t.Errorf("got copied value %q", msg.Text)
		}
		want := map[string]string{
			"j": "\"customerMetadata\": {\n    \"email\": \"j•••@•••.com\",\n    \"phone\": \"•••\"\n  }",
			"d": "\"S\": \"j•••@•••.com\"",
			"k": "CASE#ver_8f2c91ab-77aa-4c02-9d11-0a1b2c3d4e5f / META",
			"c": "  --key '{\"PK\":{\"S\":\"CASE#ver_8f2c91ab-77aa-4c02-9d11-0a1b2c3d4e5f\"},\"SK\":{\"S\":\"META\"}}' \\\n  " +
				"--consistent-read \\\n  --region af-south-1\n",
			"g": `"PK": &types.AttributeValueMemberS{Value: "CASE#ver_8f2c91ab-77aa-4c02-9d11-0a1b2c3d4e5f"}`,
			"p": `"PK": {"S": "CASE#ver_8f2c91ab-77aa-4c02-9d11-0a1b2c3d4e5f"}`,
			"t": `"PK": { S: "CASE#ver_8f2c91ab-77aa-4c02-9d11-0a1b2c3d4e5f" }`,
		}
		for key, want := range want {
			tt.Press("y", key)
			if msg := screentest.Last[screen.CopyMsg](t, s); !strings.Contains(msg.Text, want) || strings.Contains(msg.Text, "john@") {
				t.Errorf("y %s copied %s as %s", key, msg.What, msg.Text)
			}
		}
	})
}

func TestItemOpensRelatedItems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		it := screentest.Verification(t, schemas.Open(t, "authbridge"))
		tt, s := showItem(t, tuitest.Size{W: 120, H: 40}, session.Admin, &screentest.Memory{Item: it}, it)
		tt.WaitForRemoval("refreshing")
		tt.Press("3")
		if tt.Has("Verification by ID") {
			t.Errorf("the list contains the pattern that opened the item:\n%s", tt.Screen())
		}
		tt.Type("/all verif")
		tt.Press("enter", "enter")
		if msg := screentest.TargetOf[screen.Patterns](t, s); msg.Args["clientId"] != "client_xyz789" {
			t.Errorf("%s has the arguments %v", msg.Pattern.ID, msg.Args)
		}
		tt.Press("o", "p")
		if to := screentest.TargetOf[screen.Decode](t, s); to.KeyText == nil || !strings.Contains(
			to.KeyText(s.Screen.(*itemScreen).masker), "CASE#ver_8f2c91ab",
		) {
			t.Error("o p did not open the decoder with the key")
		}
	})
}

func TestItemFollowsReferences(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	e := p.Entity("Document")
	it, err := e.Build(models.Item{
		"verificationId": screentest.ItemText("ver_8f2c91ab"), "documentId": screentest.ItemText("doc_1"),
		"documentType": screentest.ItemText("selfie"),
		"status":       screentest.ItemText("uploaded"), "uploadedAt": screentest.ItemText("2026-11-21T08:01:00Z"),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	env := screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Support)
	s := New(env, screen.Item{Table: e.Table, Item: it}).(*itemScreen)
	s.SetSize(120, 40)
	for i, r := range s.overview.rows {
		if r.path == "verificationId" {
			s.overview.fields.Select(i)
		}
	}
	cmd, ok := s.related.followReference(s.overview.selectedRow())
	if !ok {
		t.Fatal("verificationId opened no pattern")
	}
	if msg := cmd().(screen.OpenMsg).To.(screen.Patterns); msg.Pattern.ID != "get-verification" ||
		msg.Args["verificationId"] != "ver_8f2c91ab" {
		t.Errorf("verificationId opened %s with %v", msg.Pattern.ID, msg.Args)
	}
}

func TestElementsFollowReferences(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	e := p.Entity("Document")
	e.Attribute("documentType").Refers = "Verification.verificationId"
	it := models.Item{
		"PK": screentest.ItemText("CASE#ver_8f2c91ab"), "SK": screentest.ItemText("DOC#doc_1"),
		"documentId": screentest.ItemText("doc_1"), "documentType": &types.AttributeValueMemberSS{Value: []string{"ver_1", "ver_2"}},
	}
	s := New(screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Admin), screen.Item{Table: e.Table, Item: it}).(*itemScreen)
	s.SetSize(120, 40)
	row := &attributeRow{path: "documentType[1]", value: screentest.ItemText("ver_2")}
	cmd, ok := s.related.followReference(row)
	if !ok {
		t.Fatal("the element opened no pattern")
	}
	if msg := cmd().(screen.OpenMsg).To.(screen.Patterns); msg.Pattern.ID != "get-verification" || msg.Args["verificationId"] != "ver_2" {
		t.Errorf("the element opened %s with %v", msg.Pattern.ID, msg.Args)
	}
	if title := s.related.targetTitle(row); title != "Verification case" {
		t.Errorf("the note names %q", title)
	}
}

func TestItemMouse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		it := screentest.Verification(t, schemas.Open(t, "authbridge"))
		tt, _ := showItem(t, tuitest.Size{W: 80, H: 24}, session.Admin, &screentest.Memory{Item: it}, it)
		tt.WaitForRemoval("refreshing")
		tt.ClickText("customerMetadata")
		tt.ClickText("customerMetadata")
		tt.WaitFor("▾ customerMetadata")
		tt.ClickText("5 Raw")
		tt.WaitFor("enter show plain JSON")
	})
}

// A move deletes the item and creates it under another key, which the screen then shows.
func TestScreenFollowsMovedItem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := schemas.Open(t, "authbridge")
		it := screentest.Verification(t, p)
		moved, table := it.Clone(), p.Entity("Verification").Table
		moved["PK"], moved["verificationId"] = models.StringValue("CASE#ver_moved"), models.StringValue("ver_moved")
		tt, s := showItem(t, screentest.EverySize["120x40"], session.Admin, &screentest.Memory{Item: moved}, it)
		tt.WaitFor("Overview")
		key, _ := table.PrimaryKey(it)
		tt.Send(screen.Answer(func() tea.Cmd {
			return s.Screen.(*itemScreen).Committed([]screen.CommittedChange{{Table: table, Key: key, Moved: moved, Before: it}})
		}))
		tt.Reach("CASE#ver_moved", "4")
		if shown := s.Screen.(*itemScreen).item; !models.EqualItems(shown, moved) {
			t.Errorf("the screen shows the previous item: %v", shown)
		}
	})
}
