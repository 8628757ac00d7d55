package screens

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// largest is an item of 400 KB: half in one text, half in many small values.
func largest(b testing.TB) (*Env, *models.Table, models.Item) {
	p := openProfile(b, "authbridge")
	list := make([]types.AttributeValue, 0, 6000)
	for i := range 6000 {
		list = append(list, &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{
			"n": itemNumber(fmt.Sprint(i)), "name": itemText(fmt.Sprintf("entry number %d", i)),
		}})
	}
	it := with(verification(b, p), map[string]types.AttributeValue{
		"blob": itemText(strings.Repeat("lorem ipsum ", 200<<10/12)), "list": &types.AttributeValueMemberL{Value: list},
	})
	return newItemEnv(b, p, &memory{}, session.Developer), p.Entity("Verification").Table, it
}

func BenchmarkItemView(b *testing.B) {
	env, table, it := largest(b)
	s := NewItem(env, Item{Table: table, Item: it}).(*itemScreen)
	s.SetSize(160, 50)
	for tab, name := range s.tabs.Titles {
		b.Run(strings.Fields(name)[0], func(b *testing.B) {
			s.tabs.Active = tab
			s.layout()
			for b.Loop() {
				s.View()
			}
		})
	}
}

func BenchmarkItemOpen(b *testing.B) {
	env, table, it := largest(b)
	for tab, name := range map[int]string{tabOverview: "overview", tabRaw: "raw"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s := NewItem(env, Item{Table: table, Item: it}).(*itemScreen)
				s.SetSize(160, 50)
				s.tabs.Active = tab
				s.layout()
				s.View()
			}
		})
	}
}
