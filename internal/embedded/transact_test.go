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

// The item of the first request has a number where a later index needs a string.
func TestRepeatedTransactionAfterIncompatibleIndex(t *testing.T) {
	c := clientOf(openStore(t, Options{}))
	if _, err := c.CreateTable(t.Context(), ordersTable()); err != nil {
		t.Fatal(err)
	}
	put := types.Put{TableName: aws.String("orders"), Item: av{"PK": str("a"), "SK": str("1"), "later": num("1")}}
	run := func() error {
		_, err := c.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{
			ClientRequestToken: aws.String("token"), TransactItems: []types.TransactWriteItem{{Put: &put}},
		})
		return err
	}
	if err := run(); err != nil {
		t.Fatal(err)
	}
	_, err := c.UpdateTable(t.Context(), &dynamodb.UpdateTableInput{
		TableName:            aws.String("orders"),
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("later"), AttributeType: types.ScalarAttributeTypeS}},
		GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{Create: &types.CreateGlobalSecondaryIndexAction{
			IndexName: aws.String("later"), Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
			KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("later"), KeyType: types.KeyTypeHash}},
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := run(); err != nil {
		t.Errorf("repeated transaction: %v", err)
	}
}
