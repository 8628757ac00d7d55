// This file names what runs a request: the page that a store answers, and the
// function that asks it.

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

// WholeTable returns the request for every item of a table, in no order that
// means anything.
func WholeTable(t *models.Table) *Request {
	r := &Request{Pattern: &Pattern{Table: t}, Read: Read{Operation: Scan}, Labels: []string{""}}
	r.partition, r.sort = t.KeysOf(nil)
	r.Legs = []Leg{ScanLeg(t)}
	return r
}

// MaxSegments is how many parts a scan is split into at most.
const MaxSegments = 64

// Split makes a scan one of n segments (1 to MaxSegments), which can be read at
// the same time. They have no order among them. What is no scan, or split
// already, stays as it is.
func (r *Request) Split(n int) {
	n = min(n, MaxSegments)
	if !r.IsScan() || len(r.Legs) != 1 || n < 2 {
		return
	}
	whole := *r.Legs[0].Scan
	r.Legs, r.Labels, r.Unordered = make([]Leg, n), make([]string, n), true
	for i := range r.Legs {
		in := whole
		in.Segment, in.TotalSegments = aws.Int32(int32(i)), aws.Int32(int32(n))
		r.Legs[i] = Leg{Scan: &in}
	}
}
