// The background sweep in fake time: it runs every minute and ends with the store.

package embedded

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

func TestSweepRunsEveryMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := Open(Options{Path: t.TempDir(), NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		mustCall(t, s, "CreateTable", `{"TableName":"sessions","BillingMode":"PAY_PER_REQUEST",
			"AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"}],"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"}]}`)
		mustCall(t, s, "UpdateTimeToLive", `{"TableName":"sessions","TimeToLiveSpecification":{"AttributeName":"expires","Enabled":true}}`)
		mustCall(t, s, "PutItem", fmt.Sprintf(`{"TableName":"sessions","Item":{"PK":{"S":"a"},"expires":{"N":"%d"}}}`, time.Now().Unix()))
		count := func() string {
			synctest.Wait()
			return string(mustCall(t, s, "Scan", `{"TableName":"sessions","Select":"COUNT"}`))
		}
		time.Sleep(59 * time.Second)
		if got := count(); got != `{"Count":1,"ScannedCount":1}` {
			t.Errorf("before the delay has passed: %s", got)
		}
		time.Sleep(2 * time.Minute)
		if got := count(); got != `{"Count":0,"ScannedCount":0}` {
			t.Errorf("after it has passed: %s", got)
		}
		// A sweep that continued after Close would block the end of the test.
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}
