package workbench

import (
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// newCaseWorkbench returns a workbench that shows cases of one day.
func newCaseWorkbench(t testing.TB, items []models.Item) *Workbench {
	t.Helper()
	return newRowsWorkbench(screentest.BenchEnv(t, "authbridge"), "list-verifications-by-date", items)
}

// newRowsWorkbench returns a workbench in an environment that shows items as rows of a pattern.
func newRowsWorkbench(env *screen.Env, pattern string, items []models.Item) *Workbench {
	b := NewWorkbench(env)
	b.Show(env.Session.Profile().Pattern(pattern), map[string]string{}, false)
	b.job.sent, b.job.hasPage, b.job.hasMore = b.job.input.requestLine.Request, true, true
	b.job.rows.Add(items)
	b.setFocus(paneRows)
	return b
}

// settle runs a command, and all commands that follow from it in the workbench.
func settle(b *Workbench, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			settle(b, c)
		}
	case results.ArrangedMsg:
		settle(b, b.Update(msg))
	}
}

func pressRow(name string) tea.KeyPressMsg {
	if name == "space" {
		return tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
	}
	return screentest.Pressed(name)
}

func TestHostileRows(t *testing.T) {
	if testing.Short() {
		t.Skip("-short skips tests that draw one frame after another")
	}
	env := screentest.BenchEnv(t, "authbridge")
	returns := env.Session.Profile().Pattern("get-case-file").Returns
	hostileRow := rapid.Custom(func(t *rapid.T) models.Item {
		e := rapid.SampledFrom(returns).Draw(t, "entity")
		sort := "META"
		if e != returns[0] {
			sort = "DOC#" + screentest.HostileText.Draw(t, "id")
		}
		it := models.Item{"PK": models.StringValue("CASE#ver_" + screentest.HostileText.Draw(t, "case")), "SK": models.StringValue(sort)}
		for _, a := range e.Attributes {
			if rapid.Bool().Draw(t, "has") {
				it[a.Name] = screentest.HostileValue(2).Draw(t, a.Name)
			}
		}
		it[screentest.HostileText.Draw(t, "other")] = screentest.HostileValue(2).Draw(t, "value")
		return it
	})
	keys := []string{
		"s", "c", "v", "space", "*", "down", "up", "enter", "esc", "J", "K", "+", "-", "p", "d", "right", "left", "G", "g", "tab", "pgdown",
		"/", "a", "s", ":", ">", "1", ".", "|", "?", `"`, "日", "\u202e",
	}
	rapid.Check(t, func(t *rapid.T) {
		b := newRowsWorkbench(env, "get-case-file", rapid.SliceOfN(hostileRow, 1, 8).Draw(t, "rows"))
		defer b.Close()
		for range 2 {
			w, h := rapid.IntRange(20, 220).Draw(t, "w"), rapid.IntRange(6, 60).Draw(t, "h")
			b.SetSize(w, h)
			for range rapid.IntRange(1, 8).Draw(t, "keys") {
				key := rapid.SampledFrom(keys).Draw(t, "key")
				if key == "enter" && b.Box == nil && !b.filter.typing {
					continue // These keys leave the rows.
				}
				settle(b, b.Update(pressRow(key)))
				_ = b.View()
			}
			tuitest.RendersExactly(t, b.View(), w, h)
			x, y := rapid.IntRange(0, w-1).Draw(t, "x"), rapid.IntRange(0, h-1).Draw(t, "y")
			b.Wheel(x, y, rapid.Bool().Draw(t, "up"))
			settle(b, b.Click(x, y))
			tuitest.RendersExactly(t, b.View(), w, h)
		}
	})
}

// Wide and right-to-left text does not change the width of a box.
func TestBoxesWithWideText(t *testing.T) {
	wide := []string{"日本語のテキスト", "שלום עולם", "👩‍👩‍👧👍🏽🇧🇼", "e\u0301\u0301e\u0301"}
	for i, text := range wide {
		b := newCaseWorkbench(t, []models.Item{{
			"PK": models.StringValue("CASE#ver_1"), "SK": models.StringValue("META"), "verificationId": models.StringValue(text),
			"documentType": models.StringValue(text),
			"doc":          &types.AttributeValueMemberM{Value: models.Item{text: models.StringValue(text)}},
		}})
		for _, size := range []tuitest.Size{{W: 60, H: 16}, {W: 80, H: 24}, {W: 120, H: 40}, {W: 240, H: 70}} {
			b.SetSize(size.W, size.H)
			for _, key := range []string{"s", "esc", "v", "c", "down", "-", "-", "-", "-", "esc", "v", "g", "esc", "/", text, "esc"} {
				settle(b, b.Update(pressRow(key)))
				tuitest.RendersExactly(t, b.View(), size.W, size.H)
			}
		}
		b.Close()
		if t.Failed() {
			t.Fatal(fmt.Sprint("with text ", i))
		}
	}
}
