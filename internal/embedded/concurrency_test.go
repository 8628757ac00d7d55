// Concurrent readers and writers, while tables are created, changed and deleted.

package embedded

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
)

func TestConcurrentRequestsAreSafe(t *testing.T) {
	s := filled(t, 50)
	var wg sync.WaitGroup
	// try accepts client errors, such as a table that does not exist at the moment, but no
	// internal error.
	try := func(target, body string) {
		if status, out := call(t, s, target, body); status >= http.StatusInternalServerError {
			t.Errorf("%s: %d %s", target, status, out)
		}
	}
	for worker := range 8 {
		wg.Go(func() {
			for i := range 40 {
				n := worker*40 + i
				try("PutItem", `{"TableName":"bench","Item":`+benchItem(n)+`}`)
				try("UpdateItem", fmt.Sprintf(`{"TableName":"bench","Key":{"PK":{"S":"CUSTOMER#0000"},"SK":{"S":"ORDER#%06d"}},
					"UpdateExpression":"SET G1 = :g","ExpressionAttributeValues":{":g":{"S":"STATE#%d"}}}`, n%50, i%7))
				try(
					"Query",
					`{"TableName":"bench","IndexName":"byG1","KeyConditionExpression":"G1 = :g","ExpressionAttributeValues":{":g":{"S":"STATE#1"}}}`,
				)
				try("PutItem", fmt.Sprintf(`{"TableName":"short","Item":{"PK":{"S":"%d"}}}`, n))
				try("DeleteItem", fmt.Sprintf(`{"TableName":"bench","Key":{"PK":{"S":"CUSTOMER#0000"},"SK":{"S":"ORDER#%06d"}}}`, n))
			}
		})
	}
	wg.Go(func() {
		for range 20 {
			try("CreateTable", `{"TableName":"short","BillingMode":"PAY_PER_REQUEST",
				"AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"}],"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"}]}`)
			try("UpdateTable", `{"TableName":"bench","AttributeDefinitions":[{"AttributeName":"note","AttributeType":"S"}],"GlobalSecondaryIndexUpdates":[
				{"Create":{"IndexName":"byNote","KeySchema":[{"AttributeName":"note","KeyType":"HASH"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}}]}`)
			try("ListTables", `{}`)
			try("UpdateTable", `{"TableName":"bench","GlobalSecondaryIndexUpdates":[{"Delete":{"IndexName":"byNote"}}]}`)
			try("DeleteTable", `{"TableName":"short"}`)
		}
	})
	wg.Wait()
	// Every index entry must have its item, and the counts must be correct.
	table := string(mustCall(t, s, "Scan", `{"TableName":"bench","Select":"COUNT"}`))
	index := string(mustCall(t, s, "Scan", `{"TableName":"bench","IndexName":"byG1","Select":"COUNT"}`))
	if table != index {
		t.Errorf("the table returns %s, its index %s", table, index)
	}
}
