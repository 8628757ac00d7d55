// The measured size of a large item collection.

package embedded

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

func TestCollectionSizeCountsTheTableAndLocalIndexes(t *testing.T) {
	s := openStore(t, Options{})
	mustCall(t, s, "CreateTable", `{"TableName":"orders","BillingMode":"PAY_PER_REQUEST",
		"AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"},{"AttributeName":"at","AttributeType":"N"}],
		"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}],
		"LocalSecondaryIndexes":[{"IndexName":"byTime","KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"at","KeyType":"RANGE"}],
		"Projection":{"ProjectionType":"KEYS_ONLY"}}]}`)
	for _, it := range []string{
		`{"PK":{"S":"a"},"SK":{"S":"1"},"at":{"N":"7"},"note":{"S":"12345"}}`, // 3+3+4+9 in the table, 3+3+4 in the index
		`{"PK":{"S":"a"},"SK":{"S":"2"}}`,                                     // 3+3, and not in the index
		`{"PK":{"S":"b"},"SK":{"S":"1"},"at":{"N":"7"}}`,                      // another collection
	} {
		mustCall(t, s, "PutItem", `{"TableName":"orders","Item":`+it+`}`)
	}
	tb := s.tables["orders"]
	var size int64
	err := s.storage.view(func(tx *tx) (err error) {
		size, err = tx.countCollection(tb, partition(attribute.Item{"PK": attribute.String("a")}, tb.Keys[:1]))
		return err
	})
	if err != nil || size != 35 {
		t.Errorf("the collection has %d bytes, want 35: %v", size, err)
	}
}
