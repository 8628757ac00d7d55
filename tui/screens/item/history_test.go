package item

import (
	"fmt"
	"regexp"
	"slices"
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
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// toReview contains the states of the sample case before its review.
var toReview = []string{
	"created", "documents_uploading", "documents_complete", "submitted", "processing", "pending_review", "in_review",
}

// caseInState returns the sample case in the last of these states, and its audit trail, newest first, with a move every
// ten minutes.
func caseInState(t *testing.T, p *profiles.Profile, states ...string) (it models.Item, trail []models.Item) {
	t.Helper()
	at := screentest.ItemNow.Add(-2 * time.Hour)
	state := func(name string) types.AttributeValue {
		return &types.AttributeValueMemberM{Value: models.Item{"status": screentest.ItemText(name)}}
	}
	it = screentest.With(screentest.Verification(t, p), map[string]types.AttributeValue{
		"status": screentest.ItemText(states[len(states)-1]), "createdAt": screentest.ItemText(at.Format(time.RFC3339)), "submittedAt": nil,
	})
	for _, name := range p.Entity("Verification").KeyNames() {
		delete(it, name)
	}
	it, err := p.Entity("Verification").Build(it, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, after := range states[1:] {
		at = at.Add(10 * time.Minute)
		entry, err := p.Entity("AuditLog").Build(models.Item{
			"eventId":   screentest.ItemText(fmt.Sprintf("d088dc6e-6774-49ab-b5f3-8a325a3e8f%02d", i)),
			"timestamp": screentest.ItemText(at.Format(time.RFC3339)), "userId": screentest.ItemText("ana"),
			"action": screentest.ItemText("move"), "verificationId": it["verificationId"],
			"before": state(states[i]), "after": state(after), "reason": screentest.ItemText("step " + fmt.Sprint(i)),
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		trail = append(trail, entry)
	}
	slices.Reverse(trail)
	return it, trail
}

func TestHistoryShowsPastStates(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	for name, states := range map[string][]string{
		"moves": toReview, "final": append(slices.Clone(toReview), "rejected"), "start": {"created"},
		"undo": append(slices.Clone(toReview), "pending_review"),
	} {
		for size, dimensions := range screentest.EverySize {
			t.Run(name+" "+size, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					it, trail := caseInState(t, p, states...)
					tt, _ := showItem(t, dimensions, session.Admin, &screentest.Memory{Item: it, Rows: trail}, it)
					tt.WaitForRemoval("refreshing")
					tt.Press("2")
					if len(states) > 1 {
						tt.WaitFor("10 min")
						tt.WaitFor("“step")
					}
					tt.WaitFor(" for ")
					if tt.Has("── ▸") || !regexp.MustCompile(`since .* (\d+ min|\d h)`).MatchString(strings.Split(tt.Screen(), "\n")[0]) && size != "80x24" {
						t.Errorf("the history lacks a time:\n%s", tt.Screen())
					}
				})
			})
		}
	}
}

// The footer counts the entries, and x describes the stream to users who read schemas.
func TestHistoryExplainsItsSources(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	it, trail := caseInState(t, p, toReview...)
	synctest.Test(t, func(t *testing.T) {
		tt, _ := showItem(t, tuitest.Size{W: 120, H: 40}, session.Developer, &screentest.Memory{Item: it, Rows: trail}, it)
		tt.WaitForRemoval("refreshing")
		tt.Reach("6 entries, complete", "2")
		if tt.Has("not documented") || tt.Has("stream") {
			t.Errorf("the footer describes the sources:\n%s", tt.Screen())
		}
		tt.Reach("in the table's stream", "x")
	})
}

// runCmd runs a command and all commands in it except ticks, and returns the messages for the screen.
func runCmd(cmd tea.Cmd) []tea.Msg {
	if cmd == nil {
		return nil
	}
	switch msg := cmd().(type) {
	case nil:
		return nil
	case tea.BatchMsg:
		return runCmd(msg[0]) // The other messages are ticks of spinners.
	default:
		return []tea.Msg{msg}
	}
}

func TestEverySchemaHasHistory(t *testing.T) {
	if testing.Short() {
		t.Skip("-short skips tests that draw one frame after another")
	}
	for _, name := range profiles.Names() {
		t.Run(name, func(t *testing.T) {
			p := schemas.Open(t, name)
			env, from := screentest.Seeded(t, p)
			entries, tried := 0, map[*models.Entity]int{}
			screentest.EveryItem(t, env, from, func(table *models.Table, it models.Item) {
				r, ok := env.Session.Recognize(table, it)
				if !ok || tried[r.Entity] >= 2 {
					return
				}
				tried[r.Entity]++
				s := New(env, screen.Item{Table: table, Item: it, Tab: "history"}).(*itemScreen)
				defer s.Close()
				s.Watch(false) // A hidden screen does not count by itself.
				s.SetSize(120, 38)
				for todo := runCmd(s.Init()); len(todo) > 0; todo = todo[1:] {
					todo = append(todo, runCmd(s.Update(todo[0]))...)
				}
				for todo := runCmd(s.history.begin(true)); len(todo) > 0; todo = todo[1:] {
					todo = append(todo, runCmd(s.Update(todo[0]))...)
				}
				if s.history.err != nil {
					t.Errorf("%s: %v", r.Entity.Name, s.history.err)
				}
				entries += len(s.history.entries)
				for _, size := range screentest.ChangeSizes {
					s.SetSize(size.W, size.H)
					view := s.View()
					tuitest.RendersExactly(t, view, size.W, size.H)
					text := strings.Join(tuitest.Draw(view, size.W, size.H), "\n")
					if len(s.history.entries) == 0 && !strings.Contains(text, "history") && !strings.Contains(text, "entry") {
						t.Errorf("the screen does not explain the empty history:\n%s", text)
					}
				}
			})
			if len(p.Trails) > 0 && entries == 0 {
				t.Error("no trail has an entry")
			}
		})
	}
}

// For an entity that the schema document does not describe, the frame states it once instead of each attribute.
func TestAuditEntryIsNotDescribedOnce(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	_, trail := caseInState(t, p, toReview...)
	env := screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Developer)
	s := New(env, screen.Item{Table: p.Entity("AuditLog").Table, Item: trail[0]})
	for name, size := range screentest.EverySize {
		s.SetSize(size.W, size.H)
		text := strings.Join(tuitest.Draw(s.View(), size.W, size.H), "\n")
		if strings.Contains(text, "not documented") || strings.Count(text, "not described in the schema document") != 1 {
			t.Errorf("%s: the screen repeats the note or lacks it:\n%s", name, text)
		}
		if !strings.Contains(text, "User who did it") {
			t.Errorf("%s: the meaning of an attribute is missing:\n%s", name, text)
		}
	}
	if title := s.Title(); !strings.HasPrefix(title, "Audit entry Moved, ") { // not its ID
		t.Errorf("Title() = %q", title)
	}
	isState := func(r attributeRow) bool { return r.path == "before.status" && r.label == "status" }
	if !slices.ContainsFunc(s.(*itemScreen).overview.rows, isState) {
		t.Error("the values of the change are folded, or have the name of their document")
	}
}

func TestAuditEntryHasTitlesForSupport(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	_, trail := caseInState(t, p, toReview...)
	env := screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Support)
	trail[0]["action"] = models.StringValue("undo-approve")
	s := New(env, screen.Item{Table: p.Entity("AuditLog").Table, Item: trail[0]})
	s.SetSize(80, 24)
	text := strings.Join(tuitest.Draw(s.View(), 80, 24), "\n")
	for _, want := range []string{`Action        Undid "Approve"`, "State       ◐ In review"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
}

// On a tall and wide terminal, the details follow the rows, and the parameters of related patterns the longest title.
func TestDetailsFollowRows(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	it, trail := caseInState(t, p, toReview...)
	env := screentest.NewItemEnv(t, p, &screentest.Memory{Item: it, Rows: trail}, session.Support)
	s := New(env, screen.Item{Table: p.Entity("Verification").Table, Item: it}).(*itemScreen)
	s.SetSize(200, 60)
	s.state = readDone
	deliver(s, s.history.begin(true))
	for key, want := range map[string]struct{ row, below string }{
		"2": {"▌21 Nov 09:04", "Reason: step 5"}, "3": {"One document", "─ Documents of a verification"},
	} {
		s.Update(screentest.Pressed(key))
		lines := tuitest.Draw(s.View(), 200, 60)
		row := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, want.row) })
		below := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, want.below) })
		if row < 0 || below <= row || below-row > len(trail)+2 {
			t.Errorf("tab %s: %q is %d lines below %q:\n%s", key, want.below, below-row, want.row, strings.Join(lines, "\n"))
		}
		if _, badge, _ := strings.Cut(lines[row], want.row); key == "3" && len(badge)-len(strings.TrimLeft(badge, " ")) > 40 {
			t.Errorf("the parameters are far from the title:\n%s", strings.Join(lines, "\n"))
		}
	}
}
