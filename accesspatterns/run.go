package accesspatterns

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Leg is one request to DynamoDB. Exactly one of its inputs is set.
type Leg struct {
	Get   *dynamodb.GetItemInput
	Query *dynamodb.QueryInput
	Scan  *dynamodb.ScanInput

	filter     []Condition          // the filter of Query or Scan
	unfiltered *dynamodb.QueryInput // Query without its filter, nil without one
}

// A Page is what one request answered.
type Page struct {
	Items    []models.Item
	Count    int         // items that passed the filter
	Scanned  int         // items read
	Capacity float64     // read capacity units consumed
	LastKey  models.Item // where the next page starts; nil after the last one
}

// A Fetch sends the leg from start on (nil: from the beginning), reading at
// most limit items (0: as many as a page holds), and returns the page. It must
// not change the leg, and is called for several legs at once.
type Fetch func(ctx context.Context, leg Leg, start models.Item, limit int) (Page, error)

// GetLeg returns the leg that reads one item by its key. It is strongly
// consistent: a list may lag behind, what one opens must be true.
func GetLeg(t *models.Table, key models.Item) Leg {
	return Leg{Get: &dynamodb.GetItemInput{
		TableName: aws.String(t.Name), Key: key, ConsistentRead: aws.Bool(true),
	}}
}
