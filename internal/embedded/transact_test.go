package embedded

import (
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
	wantItem(t, getItem(t, c, "a", "1"), av{"PK": str("a"), "SK": str("1"), "n": num("1")})
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
	wantItem(t, getItem(t, c, "a", "1"), av{"PK": str("a"), "SK": str("1"), "n": num("3")})
}
