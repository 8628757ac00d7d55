package tui

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/testing/hostile"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screens/workbench"
)

// rowsOf shows the rows of a pattern.
func (s *stage) rowsOf(pattern string, args map[string]string, ready string) {
	toWorkbench(s)
	b := s.m.top().screen.(*workbench.Workbench)
	s.feed(s.m.route(s.m.top(), b.Show(s.m.env.Session.Profile().Pattern(pattern), args, true)))
	s.until(ready)
	s.waitIdle()
}

// TestItemsWithLongestKeysOpen opens two items with keys of the maximum length: a case, and an item of an unknown entity.
func TestItemsWithLongestKeysOpen(t *testing.T) {
	t.Parallel()
	w := newQueueFixture(t, 0)
	long := "ver_" + strings.Repeat("0123456789", 200)
	long += strings.Repeat("x", 2048-len("CASE#")-len(long))
	wide := strings.Repeat("日本\x1b[2J", 1024/10)
	table := w.p.Entity("Verification").Table
	for _, sort := range []string{"META", strings.Repeat("s", 1024), wide, hostile.Text, "DOC#" + strings.Repeat("d", 1020)} {
		it := models.Item{
			"PK": models.StringValue("CASE#" + long), "SK": models.StringValue(sort),
			"verificationId": models.StringValue(long), "clientId": models.StringValue(hostile.Text),
			"status": models.StringValue(hostile.Text),
		}
		w.write(change.Batch{Writes: []types.TransactWriteItem{{Put: &types.Put{TableName: aws.String(table.Name), Item: it}}}})
	}
	inBubble(t, w, func(t *testing.T, s *stage) {
		s.rowsOf("get-case-file", map[string]string{"verificationId": long}, "5 items")
		for range 5 {
			s.checkFrames(t, "rows of a long key")
			s.pressKeys("v", "r")
			s.checkFrames(t, "values of a row with a long key")
			s.pressKeys("esc", "x")
			s.checkFrames(t, "the request for a long key")
			s.pressKeys("esc", "y")
			s.checkFrames(t, "the copy menu of a long key")
			s.pressKeys("esc", "enter")
			for _, tab := range []string{"1", "2", "3", "4", "5"} {
				s.pressKeys(tab)
				s.checkFrames(t, "an item of a long key on tab "+tab)
			}
			s.backToRows()
			s.pressKeys("down")
		}
		s.pressKeys(":")
		s.checkFrames(t, "long keys in the palette")
		s.pressKeys("esc", ":visited")
		s.checkFrames(t, "long keys in the history")
	})
}
