// Batches and transactions: atomicity, reasons in order, idempotency, concurrency.

package embedded

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func orderKey(pk string) av { return av{"PK": str(pk), "SK": str("1")} }

func addAction(pk, n string) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: aws.String("orders"), Key: orderKey(pk), UpdateExpression: aws.String("ADD n :n"),
		ExpressionAttributeValues: av{":n": num(n)},
	}}
}

func TestTransactionRunsOncePerToken(t *testing.T) {
	now := &clock{now: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)}
	s := openStore(t, Options{Clock: now.Now})
	c := clientOf(s)
	if _, err := c.CreateTable(t.Context(), ordersTable()); err != nil {
		t.Fatal(err)
	}
	run := func(n string) error {
		_, err := c.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{
			ClientRequestToken: aws.String("token"), TransactItems: []types.TransactWriteItem{addAction("a", n)},
		})
		return err
	}
	for range 3 {
		if err := run("1"); err != nil {
			t.Fatal(err)
		}
	}
	wantItem(t, read1(t, c, "a", "1"), av{"PK": str("a"), "SK": str("1"), "n": num("1")})
	wantError(
		t, run("2"), "IdempotentParameterMismatchException",
		"Request made with the same client token does not match the parameters of the first request",
	)
	now.now = now.now.Add(10*time.Minute + time.Second)
	if err := s.sweep(); err != nil {
		t.Fatal(err)
	}
	if err := run("2"); err != nil {
		t.Fatal(err)
	}
	wantItem(t, read1(t, c, "a", "1"), av{"PK": str("a"), "SK": str("1"), "n": num("3")})
}

func TestConcurrentConditionalWritesHaveOneWinner(t *testing.T) {
	c := withOrders(t)
	put(t, c, av{"PK": str("a"), "SK": str("1"), "state": str("open")})
	var wins, losses atomic.Int32
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			_, err := c.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
				TableName: aws.String("orders"), Key: orderKey("a"), UpdateExpression: aws.String("SET #s = :new ADD wins :one"),
				ConditionExpression: aws.String("#s = :old"), ExpressionAttributeNames: map[string]string{"#s": "state"},
				ExpressionAttributeValues: av{":new": str("taken"), ":old": str("open"), ":one": num("1")},
			})
			var failed *types.ConditionalCheckFailedException
			switch {
			case err == nil:
				wins.Add(1)
			case asError(err, &failed):
				losses.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if wins.Load() != 1 || losses.Load() != 31 {
		t.Errorf("%d won, %d lost", wins.Load(), losses.Load())
	}
	wantItem(t, read1(t, c, "a", "1"), av{"PK": str("a"), "SK": str("1"), "state": str("taken"), "wins": num("1")})
}

func TestLargeBatchGetReturnsUnprocessedKeys(t *testing.T) {
	c := withOrders(t)
	var keys []map[string]types.AttributeValue
	for i := range 45 {
		it := orderKey(fmt.Sprint(i))
		it["note"] = str(strings.Repeat("x", 390_000))
		put(t, c, it)
		keys = append(keys, orderKey(fmt.Sprint(i)))
	}
	read := 0
	request := map[string]types.KeysAndAttributes{"orders": {Keys: keys}}
	for rounds := 0; len(request) > 0; rounds++ {
		out, err := c.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: request})
		if err != nil {
			t.Fatal(err)
		}
		if rounds == 0 && len(out.UnprocessedKeys) == 0 {
			t.Fatal("one response has 17 MB")
		}
		read += len(out.Responses["orders"])
		request = out.UnprocessedKeys
	}
	if read != len(keys) {
		t.Errorf("read %d of %d items", read, len(keys))
	}
}
