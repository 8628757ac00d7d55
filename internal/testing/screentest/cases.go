package screentest

import (
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// Cases returns cases of the authbridge profile with the numbers from one to another, the
// latest first. Their customer metadata is personal data.
func Cases(from, to int) []models.Item {
	states := []string{"created", "pending_review", "approved"}
	var items []models.Item
	for i := from; i < to; i++ {
		id := fmt.Sprintf("ver_%05d", i)
		items = append(items, models.Item{
			"PK": models.StringValue("CASE#" + id), "SK": models.StringValue("META"), "verificationId": models.StringValue(id),
			"status": models.StringValue(states[i%3]), "clientId": models.StringValue("client_" + strconv.Itoa(i%7)),
			"createdAt":        models.StringValue(fmt.Sprintf("2026-01-%02dT10:00:00Z", 28-i%28)),
			"customerMetadata": models.StringValue("kagiso@example.com"),
			"GSI2PK":           models.StringValue("DATE#2026-01-20"), "GSI2SK": models.StringValue("2026-01-20T10:00:00Z#" + id),
			"n": &types.AttributeValueMemberN{Value: strconv.Itoa(i * 7919 % 10007)},
		})
	}
	return items
}
