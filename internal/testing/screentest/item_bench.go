package screentest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// Largest is an item of 400 KB: half in one text, half in many small values.
func Largest(b testing.TB) (*screen.Env, *models.Table, models.Item) {
	p := schemas.Open(b, "authbridge")
	list := make([]types.AttributeValue, 0, 6000)
	for i := range 6000 {
		list = append(list, &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{
			"n": ItemNumber(fmt.Sprint(i)), "name": ItemText(fmt.Sprintf("entry number %d", i)),
		}})
	}
	it := With(Verification(b, p), map[string]types.AttributeValue{
		"blob": ItemText(strings.Repeat("lorem ipsum ", 200<<10/12)), "list": &types.AttributeValueMemberL{Value: list},
	})
	return NewItemEnv(b, p, &Memory{}, session.Developer), p.Entity("Verification").Table, it
}
