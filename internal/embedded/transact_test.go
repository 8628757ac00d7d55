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

func putAction(pk string, condition *string) types.TransactWriteItem {
	return types.TransactWriteItem{Put: &types.Put{TableName: aws.String("orders"), Item: orderKey(pk), ConditionExpression: condition}}
}

func addAction(pk, n string) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: aws.String("orders"), Key: orderKey(pk), UpdateExpression: aws.String("ADD n :n"),
		ExpressionAttributeValues: av{":n": num(n)},
	}}
}

func TestTransactionIsAllOrNothing(t *testing.T) {
	c := withOrders(t)
	put(t, c, av{"PK": str("a"), "SK": str("1"), "n": num("1"), "note": str("text")})
	_, err := c.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		putAction("b", nil),
		{ConditionCheck: &types.ConditionCheck{
			TableName: aws.String("orders"), Key: orderKey("a"), ConditionExpression: aws.String("n = :n"),
			ExpressionAttributeValues:           av{":n": num("9")},
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		}},
		{Update: &types.Update{
			TableName: aws.String("orders"), Key: orderKey("c"), UpdateExpression: aws.String("SET n = n + :n"),
			ExpressionAttributeValues: av{":n": num("1")},
		}},
		{Delete: &types.Delete{
			TableName: aws.String("orders"), Key: orderKey("d"), ConditionExpression: aws.String("attribute_exists(PK)"),
		}},
	}})
	wantError(t, err, "TransactionCanceledException",
		"Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed, "+
			"ValidationError, ConditionalCheckFailed]")
	var cancelled *types.TransactionCanceledException
	if !asError(err, &cancelled) {
		t.Fatal(err)
	}
	wantItem(t, cancelled.CancellationReasons[1].Item, av{"PK": str("a"), "SK": str("1"), "n": num("1"), "note": str("text")})
	if got := read1(t, c, "b", "1"); got != nil {
		t.Errorf("a canceled transaction wrote %v", got)
	}
	_, err = c.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		putAction("b", aws.String("attribute_not_exists(PK)")), addAction("a", "4"),
		{Delete: &types.Delete{TableName: aws.String("orders"), Key: orderKey("d")}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	wantItem(t, read1(t, c, "a", "1"), av{"PK": str("a"), "SK": str("1"), "n": num("5"), "note": str("text")})
	wantItem(t, read1(t, c, "b", "1"), orderKey("b"))
}

func TestInvalidTransactionsAreRejected(t *testing.T) {
	c := withOrders(t)
	var many []types.TransactWriteItem
	for i := range 101 {
		many = append(many, putAction(fmt.Sprint(i), nil))
	}
	for want, actions := range map[string][]types.TransactWriteItem{
		"Transaction request cannot include multiple operations on one item": {putAction("a", nil), addAction("a", "1")},
		"1 validation error detected: Value '[101 actions]' at 'transactItems' failed to satisfy constraint: Member must " +
			"have length less than or equal to 100": many,
		"1 validation error detected: Value '[]' at 'transactItems' failed to satisfy constraint: Member must have length " +
			"greater than or equal to 1": {},
	} {
		_, err := c.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: actions})
		wantError(t, err, "ValidationException", want)
	}
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

func TestFailedTransactionMayBeRepeated(t *testing.T) {
	c := withOrders(t)
	in := &dynamodb.TransactWriteItemsInput{
		ClientRequestToken: aws.String("token"),
		TransactItems:      []types.TransactWriteItem{putAction("a", aws.String("attribute_exists(PK)"))},
	}
	if _, err := c.TransactWriteItems(t.Context(), in); err == nil {
		t.Fatal("the condition should fail")
	}
	put(t, c, av{"PK": str("a"), "SK": str("1"), "n": num("1")})
	if _, err := c.TransactWriteItems(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	wantItem(t, read1(t, c, "a", "1"), orderKey("a"))
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

func TestTransactGetItemsKeepsOrder(t *testing.T) {
	c := withOrders(t)
	put(t, c, av{"PK": str("a"), "SK": str("1"), "n": num("1")})
	get := func(pk string, projection *string) types.TransactGetItem {
		return types.TransactGetItem{Get: &types.Get{TableName: aws.String("orders"), Key: orderKey(pk), ProjectionExpression: projection}}
	}
	out, err := c.TransactGetItems(t.Context(), &dynamodb.TransactGetItemsInput{
		TransactItems:          []types.TransactGetItem{get("absent", nil), get("a", aws.String("n"))},
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	})
	if err != nil {
		t.Fatal(err)
	}
	if out.Responses[0].Item != nil {
		t.Errorf("an absent item has content: %v", out.Responses[0].Item)
	}
	wantItem(t, out.Responses[1].Item, av{"n": num("1")})
	if got := *out.ConsumedCapacity[0].CapacityUnits; got != 4 {
		t.Errorf("two transactional reads cost %v units, want 4", got)
	}
	_, err = c.TransactGetItems(
		t.Context(), &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{get("a", nil), get("a", nil)}},
	)
	wantError(t, err, "ValidationException", "Transaction request cannot include multiple operations on one item")
	wrong := types.TransactGetItem{Get: &types.Get{TableName: aws.String("orders"), Key: av{"PK": str("a"), "SK": num("1")}}}
	_, err = c.TransactGetItems(t.Context(), &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{get("a", nil), wrong}})
	wantError(
		t, err, "TransactionCanceledException",
		"Transaction cancelled, please refer cancellation reasons for specific reasons [None, ValidationError]",
	)
}

func TestBatchesReadAndWriteItems(t *testing.T) {
	c := withOrders(t)
	request := func(pks ...string) map[string][]types.WriteRequest {
		var all []types.WriteRequest
		for _, pk := range pks {
			all = append(all, types.WriteRequest{PutRequest: &types.PutRequest{Item: orderKey(pk)}})
		}
		return map[string][]types.WriteRequest{"orders": all}
	}
	out, err := c.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: request("a", "b", "c")})
	if err != nil || len(out.UnprocessedItems) != 0 {
		t.Fatalf("%v %v", out, err)
	}
	_, err = c.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{
		"orders": {{DeleteRequest: &types.DeleteRequest{Key: orderKey("a")}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
		"orders": {
			Keys:                 []map[string]types.AttributeValue{orderKey("a"), orderKey("b"), orderKey("c")},
			ProjectionExpression: aws.String("PK"),
		},
	}})
	if err != nil || len(got.Responses["orders"]) != 2 || len(got.UnprocessedKeys) != 0 {
		t.Fatalf("%v %v", got, err)
	}
	wantItem(t, got.Responses["orders"][0], av{"PK": str("b")})
	_, err = c.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: request("a", "a")})
	wantError(t, err, "ValidationException", "Provided list of item keys contains duplicates")
	_, err = c.BatchWriteItem(
		t.Context(),
		&dynamodb.BatchWriteItemInput{RequestItems: request(strings.Split(strings.Repeat("x,", 25)+"x", ",")...)},
	)
	wantError(t, err, "ValidationException", "1 validation error detected: Value '{orders=[26 requests]}' at "+
		"'requestItems' failed to satisfy constraint: Map value must satisfy constraint: "+
		"[Member must have length less than or equal to 25, Member must have length greater than or equal to 1]")
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
