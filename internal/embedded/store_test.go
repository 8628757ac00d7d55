// Helpers of the tests: a store, a client, and short forms of values.

package embedded

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

type av = map[string]types.AttributeValue

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func num(s string) types.AttributeValue { return &types.AttributeValueMemberN{Value: s} }

// clock is a time that tests set.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

func openStore(t testing.TB, o Options) *Store {
	t.Helper()
	if o.Path == "" {
		o.Path = t.TempDir()
	}
	o.NoSync = true
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func clientOf(s *Store) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		HTTPClient: s, BaseEndpoint: aws.String("http://embedded.invalid"), Region: "us-east-1",
		RetryMaxAttempts: 1,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "local", SecretAccessKey: "local"}, nil
		}),
	})
}

// orders is a table with a sort key, a sparse global index that projects all attributes
// ("byStatus"), a global index that projects keys ("keysOnly"), and a local index on a number
// that projects one more attribute ("byAmount").
func ordersTable() *dynamodb.CreateTableInput {
	key := func(name string, kt types.KeyType) types.KeySchemaElement {
		return types.KeySchemaElement{AttributeName: aws.String(name), KeyType: kt}
	}
	attr := func(name string, at types.ScalarAttributeType) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: at}
	}
	return &dynamodb.CreateTableInput{
		TableName: aws.String("orders"), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			attr("PK", "S"), attr("SK", "S"), attr("G1", "S"), attr("G2", "N"), attr("amount", "N"),
		},
		KeySchema: []types.KeySchemaElement{key("PK", "HASH"), key("SK", "RANGE")},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{
			{
				IndexName: aws.String("byStatus"), KeySchema: []types.KeySchemaElement{key("G1", "HASH"), key("G2", "RANGE")},
				Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
			},
			{
				IndexName: aws.String("keysOnly"), KeySchema: []types.KeySchemaElement{key("G1", "HASH")},
				Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
			},
		},
		LocalSecondaryIndexes: []types.LocalSecondaryIndex{{
			IndexName: aws.String("byAmount"), KeySchema: []types.KeySchemaElement{key("PK", "HASH"), key("amount", "RANGE")},
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: []string{"note"}},
		}},
	}
}

func withOrders(t testing.TB) *dynamodb.Client {
	t.Helper()
	c := clientOf(openStore(t, Options{}))
	if _, err := c.CreateTable(t.Context(), ordersTable()); err != nil {
		t.Fatal(err)
	}
	return c
}

func put(t testing.TB, c *dynamodb.Client, it av) {
	t.Helper()
	if _, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("orders"), Item: it}); err != nil {
		t.Fatal(err)
	}
}

// wantError checks an error's code and message.
func wantError(t testing.TB, err error, code, message string) {
	t.Helper()
	var api smithy.APIError
	if !errors.As(err, &api) {
		t.Fatalf("got error %v, want %s: %s", err, code, message)
	}
	if api.ErrorCode() != code || api.ErrorMessage() != message {
		t.Fatalf("got  %s: %s\nwant %s: %s", api.ErrorCode(), api.ErrorMessage(), code, message)
	}
}

func asError[E error](err error, target *E) bool { return errors.As(err, target) }
