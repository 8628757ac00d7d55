package item

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// deepItem returns a verification with results nested three levels deep.
func deepItem(t testing.TB) (it map[string]types.AttributeValue) {
	doc := func(m map[string]types.AttributeValue) types.AttributeValue {
		return &types.AttributeValueMemberM{Value: m}
	}
	return screentest.With(screentest.Verification(t, schemas.Open(t, "authbridge")), map[string]types.AttributeValue{
		"notes": &types.AttributeValueMemberL{Value: []types.AttributeValue{
			doc(map[string]types.AttributeValue{
				"by": screentest.ItemText("Naledi"), "text": screentest.ItemText("glare on the Omang, asked again"),
			}),
			doc(map[string]types.AttributeValue{
				"by":   screentest.ItemText("Thabo"),
				"text": screentest.ItemText(strings.Repeat("word ", 40) + "OMANG is readable now"),
			}),
		}},
	})
}

func TestItemFilter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		it := deepItem(t)
		tt, s := showItem(t, screentest.EverySize["80x24"], session.Developer, &screentest.Memory{Item: it}, it)
		tt.Press("/")
		tt.Type("omang")
		tt.WaitFor("3 of ")
		if !tt.Has("glare on the Omang") || !tt.Has("OMANG is readable") || tt.Has("clientId") {
			t.Errorf("the filter keeps other rows:\n%s", tt.Screen())
		}
		tt.Press("enter", "down", "down")
		if path := s.Screen.(*itemScreen).overview.selectedRow().path; path != "notes[1].text" {
			t.Errorf("the cursor is on %s, want notes[1].text", path)
		}
		tt.Press("esc")
		tt.WaitForRemoval("3 of ")
		if !tt.Has("Thabo") || tt.Has("j•••@") {
			t.Errorf("the document under the cursor is folded, or another document is unfolded:\n%s", tt.Screen())
		}
		tt.Press("/")
		tt.Type("john")
		tt.WaitFor(" 0 of ")
		tt.Press("esc")
		if path := s.Screen.(*itemScreen).overview.selectedRow().path; path != "notes[1].text" {
			t.Errorf("after the filter, the cursor is on %s, want notes[1].text", path)
		}
		tt.Reach("enter show DynamoDB JSON", "5", "enter")
	})
}

func TestItemFoldsAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		it := deepItem(t)
		tt, _ := showItem(t, tuitest.Size{W: 120, H: 50}, session.Developer, &screentest.Memory{Item: it}, it)
		tt.WaitForRemoval("refreshing")
		tt.Reach("Thabo", "z")
		if !tt.Has("Naledi") || !tt.Has("j•••@") {
			t.Errorf("a document is still folded:\n%s", tt.Screen())
		}
		tt.Press("z")
		tt.WaitForRemoval("Thabo")
		if tt.Has("j•••@") {
			t.Errorf("a document is still unfolded:\n%s", tt.Screen())
		}
	})
}

func BenchmarkItemFilter(b *testing.B) {
	env, table, it := screentest.Largest(b)
	s := New(env, screen.Item{Table: table, Item: it}).(*itemScreen)
	s.SetSize(160, 50)
	s.active.search().run()
	for b.Loop() {
		s.overview.filter.Clear()
		s.overview.filter.Start()
		s.Update(screentest.PasteOf("entry number"))
		s.View()
	}
}
