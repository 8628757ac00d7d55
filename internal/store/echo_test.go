package store

import (
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

// echo is a server that refuses everything and repeats the request.
type echo struct{ code string }

func (e echo) Do(r *http.Request) (*http.Response, error) {
	sent, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	said := strings.ReplaceAll(strings.ReplaceAll(string(sent), `\`, `\\`), `"`, `\"`)
	body := `{"__type":"com.amazonaws.dynamodb.v20120810#` + e.code + `","message":"Cannot do ` + said + `","Message":"Cannot do ` + said +
		`","CancellationReasons":[{"Code":"ValidationError","Message":"` + said + `"}]}`
	return &http.Response{
		StatusCode: http.StatusBadRequest, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body: io.NopCloser(strings.NewReader(body)), Request: r, ContentLength: int64(len(body)),
	}, nil
}

// No error contains a value of the request, whatever the server returns.
func TestNoErrorRepeatsARequest(t *testing.T) {
	const phone, salary, card = "+26771234567", "5120044", `a "quoted" name`
	table := &models.Table{Name: "People", PartitionKey: models.Key{Name: "PK", Type: models.TypeS}}
	item := models.Item{
		"PK": models.StringValue("PERSON#" + phone), "salary": &types.AttributeValueMemberN{Value: salary},
		"cards": &types.AttributeValueMemberSS{Value: []string{card}}, "print": &types.AttributeValueMemberB{Value: []byte(phone)},
		"by": &types.AttributeValueMemberM{Value: models.Item{phone: models.StringValue(card)}},
	}
	key := models.Item{"PK": item["PK"]}
	query := &dynamodb.QueryInput{
		TableName: aws.String("People"), KeyConditionExpression: aws.String("PK = :p"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":p": item["PK"]},
	}
	for _, code := range []string{"ValidationException", "AccessDeniedException", "TransactionCanceledException", "UnheardOfException"} {
		conn, err := Connect(t.Context(), Options{Embedded: echo{code}})
		if err != nil {
			t.Fatal(err)
		}
		get := func() error {
			_, err := conn.Reader().Fetch(t.Context(), accesspatterns.GetLeg(table, key), nil, 0)
			return err
		}
		ask := func() error {
			_, err := conn.Reader().Fetch(t.Context(), accesspatterns.Leg{Query: query}, key, 0)
			return err
		}
		several := func() error {
			_, err := conn.Reader().Fetch(t.Context(), accesspatterns.BatchLeg(table, []models.Item{key}), nil, 0)
			return err
		}
		put := func() error {
			_, err := conn.Writer().Commit(
				t.Context(), change.Batch{Put: &dynamodb.PutItemInput{TableName: aws.String("People"), Item: item}},
			)
			return err
		}
		transact := func() error {
			_, err := conn.Writer().Commit(t.Context(), change.Batch{Transact: &dynamodb.TransactWriteItemsInput{
				ClientRequestToken: aws.String("t"),
				TransactItems:      []types.TransactWriteItem{{Put: &types.Put{TableName: aws.String("People"), Item: item}}},
			}})
			return err
		}
		for name, call := range map[string]func() error{"get": get, "query": ask, "batch get": several, "put": put, "transact": transact} {
			err := call()
			var own *Error
			if !errors.As(err, &own) {
				t.Fatalf("%s, %s: %v", name, code, err)
			}
			for _, value := range []string{phone, salary, "quoted", base64.StdEncoding.EncodeToString([]byte(phone))} {
				if strings.Contains(err.Error(), value) || strings.Contains(own.What, value) {
					t.Errorf("%s, %s: the error says %q", name, code, err)
				}
			}
		}
	}
}
