// The store works with the ordinary AWS client.

package embedded_test

import (
	"context"
	"fmt"
	"log"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/internal/embedded"
)

func Example() {
	ctx := context.Background()
	store, err := embedded.Open(embedded.Options{NoSync: true}) // a temporary directory
	if err != nil {
		log.Fatal(err)
	}
	defer func() {
		if err := store.Close(); err != nil {
			log.Fatal(err)
		}
	}()
	client := dynamodb.New(dynamodb.Options{
		HTTPClient: store, BaseEndpoint: aws.String("http://embedded.invalid"), Region: "us-east-1",
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "local", SecretAccessKey: "local"}, nil
		}),
	})
	_, err = client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName: aws.String("planets"), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("PK"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("PK"), KeyType: types.KeyTypeHash}},
	})
	if err != nil {
		log.Fatal(err)
	}
	_, err = client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: aws.String("planets"), Item: map[string]types.AttributeValue{"PK": &types.AttributeValueMemberS{Value: "Saturn"}},
		ConditionExpression: aws.String("attribute_exists(PK)"),
	})
	fmt.Println(err != nil, aws.ToString(tableNames(ctx, client)))
	// Output: true planets
}

func tableNames(ctx context.Context, client *dynamodb.Client) *string {
	out, err := client.ListTables(ctx, &dynamodb.ListTablesInput{})
	if err != nil || len(out.TableNames) != 1 {
		return nil
	}
	return &out.TableNames[0]
}
