// Single items through the AWS client: writing, reading, conditions, return values.

package embedded

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var ignoreSerde = cmpopts.IgnoreUnexported(
	types.AttributeValueMemberS{}, types.AttributeValueMemberN{}, types.AttributeValueMemberB{}, types.AttributeValueMemberBOOL{},
	types.AttributeValueMemberNULL{}, types.AttributeValueMemberSS{}, types.AttributeValueMemberNS{}, types.AttributeValueMemberBS{},
	types.AttributeValueMemberL{}, types.AttributeValueMemberM{},
)

func wantItem(t testing.TB, got, want av) {
	t.Helper()
	if diff := cmp.Diff(want, got, ignoreSerde); diff != "" {
		t.Fatalf("item differs (-want +got):\n%s", diff)
	}
}

func read1(t testing.TB, c *dynamodb.Client, pk, sk string) av {
	t.Helper()
	out, err := c.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("orders"), Key: av{"PK": str(pk), "SK": str(sk)}})
	if err != nil {
		t.Fatal(err)
	}
	return out.Item
}

func TestEveryTypeComesBackAsWritten(t *testing.T) {
	c := withOrders(t)
	it := av{
		"PK": str("a"), "SK": str("tab\t\"quoted\" \\ \u2028 é 🙂 <>&"), "n": num("-12345678901234567890123456789012345678"), "f": num("0.000012"),
		"b": &types.AttributeValueMemberB{Value: []byte{0, 255, 1}}, "yes": &types.AttributeValueMemberBOOL{Value: true},
		"no": &types.AttributeValueMemberBOOL{Value: false}, "null": &types.AttributeValueMemberNULL{Value: true},
		"ss": &types.AttributeValueMemberSS{Value: []string{"a", "b"}}, "ns": &types.AttributeValueMemberNS{Value: []string{"-2", "1", "10"}},
		"bs": &types.AttributeValueMemberBS{Value: [][]byte{{1}, {2}}}, "empty": str(""),
		"l": &types.AttributeValueMemberL{Value: []types.AttributeValue{num("1"), str("x"), &types.AttributeValueMemberM{Value: av{"deep": num("2")}}}},
		"m": &types.AttributeValueMemberM{Value: av{}},
	}
	put(t, c, it)
	wantItem(t, read1(t, c, "a", "tab\t\"quoted\" \\ \u2028 é 🙂 <>&"), it)
}

func TestNumbersAreNormalised(t *testing.T) {
	c := withOrders(t)
	for in, want := range map[string]string{
		"1.0": "1", "1e3": "1000", "-0": "0", "+5": "5", ".5": "0.5", "5.": "5", "0.00001200": "0.000012",
		"100e-2": "1", "1E+2": "100", "00012": "12", "1e-3": "0.001",
	} {
		put(t, c, av{"PK": str("n"), "SK": str(in), "v": num(in)})
		wantItem(t, read1(t, c, "n", in), av{"PK": str("n"), "SK": str(in), "v": num(want)})
	}
}

func TestConditionalWrites(t *testing.T) {
	c := withOrders(t)
	put(t, c, av{"PK": str("a"), "SK": str("1"), "state": str("open"), "v": num("1")})
	_, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{
		TableName: aws.String("orders"), Item: av{"PK": str("a"), "SK": str("1")},
		ConditionExpression: aws.String("attribute_not_exists(PK)"), ReturnValuesOnConditionCheckFailure: "ALL_OLD",
	})
	wantError(t, err, "ConditionalCheckFailedException", "The conditional request failed")
	var failed *types.ConditionalCheckFailedException
	if !asError(err, &failed) {
		t.Fatal(err)
	}
	wantItem(t, failed.Item, av{"PK": str("a"), "SK": str("1"), "state": str("open"), "v": num("1")})

	out, err := c.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String("orders"), Key: av{"PK": str("a"), "SK": str("1")},
		UpdateExpression:          aws.String("SET #s = :new, v = v + :one REMOVE gone"),
		ConditionExpression:       aws.String("#s = :old AND v < :two"),
		ExpressionAttributeNames:  map[string]string{"#s": "state"},
		ExpressionAttributeValues: av{":new": str("closed"), ":old": str("open"), ":one": num("1"), ":two": num("2")},
		ReturnValues:              types.ReturnValueUpdatedNew,
	})
	if err != nil {
		t.Fatal(err)
	}
	wantItem(t, out.Attributes, av{"state": str("closed"), "v": num("2")})

	deleted, err := c.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
		TableName: aws.String("orders"), Key: av{"PK": str("a"), "SK": str("1")}, ReturnValues: types.ReturnValueAllOld,
	})
	if err != nil {
		t.Fatal(err)
	}
	wantItem(t, deleted.Attributes, av{"PK": str("a"), "SK": str("1"), "state": str("closed"), "v": num("2")})
	if got := read1(t, c, "a", "1"); got != nil {
		t.Fatalf("item is still there: %v", got)
	}
}
