package change_test

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

func eventKey(pk string) models.Item { return models.Item{"PK": models.StringValue(pk)} }

func putBatch(text string) change.Batch {
	return change.Batch{Writes: []types.TransactWriteItem{{Put: &types.Put{TableName: aws.String("events"), Item: eventKey(text)}}}}
}

func TestExplainReturnsRequest(t *testing.T) {
	const allOld = types.ReturnValuesOnConditionCheckFailureAllOld
	const old = `"ReturnValuesOnConditionCheckFailure":"ALL_OLD"`
	condition := aws.String("#s = :old")
	names, given := map[string]string{"#s": "status"}, models.Item{":old": models.StringValue("it's")}
	tests := []struct {
		name      string
		batch     change.Batch
		operation string
		want      string
		command   string
	}{
		{"empty batch", change.Batch{}, "", "", ""},
		{
			"update",
			change.Batch{Writes: []types.TransactWriteItem{{Update: &types.Update{
				TableName: aws.String("events"), Key: eventKey("A"), UpdateExpression: aws.String("REMOVE #s"),
				ConditionExpression:      condition,
				ExpressionAttributeNames: names, ExpressionAttributeValues: given, ReturnValuesOnConditionCheckFailure: allOld,
			}}}},
			"UpdateItem",
			`{"TableName":"events","Key":{"PK":{"S":"A"}},"UpdateExpression":"REMOVE #s","ConditionExpression":"#s = :old",` +
				`"ExpressionAttributeNames":{"#s":"status"},"ExpressionAttributeValues":{":old":{"S":"it's"}},` + old +
				`,"ReturnConsumedCapacity":"TOTAL"}`,
			"update-item",
		},
		{
			"put without a condition", putBatch("A"), "PutItem",
			`{"TableName":"events","Item":{"PK":{"S":"A"}},"ReturnConsumedCapacity":"TOTAL"}`, "put-item",
		},
		{
			"delete",
			change.Batch{Writes: []types.TransactWriteItem{{Delete: &types.Delete{
				TableName: aws.String("events"), Key: eventKey("A"), ConditionExpression: aws.String("attribute_exists(PK)"),
				ReturnValuesOnConditionCheckFailure: allOld,
			}}}},
			"DeleteItem",
			`{"TableName":"events","Key":{"PK":{"S":"A"}},"ConditionExpression":"attribute_exists(PK)",` + old +
				`,"ReturnValues":"ALL_OLD","ReturnConsumedCapacity":"TOTAL"}`,
			"delete-item",
		},
		{
			"transaction",
			change.Batch{
				Token: "token",
				Writes: []types.TransactWriteItem{
					{Update: &types.Update{TableName: aws.String("a"), Key: eventKey("1"), UpdateExpression: aws.String("REMOVE x")}},
					{Put: &types.Put{
						TableName: aws.String("b"), Item: eventKey("2"),
						ConditionExpression: aws.String("attribute_not_exists(PK)"), ReturnValuesOnConditionCheckFailure: allOld,
					}},
					{Delete: &types.Delete{TableName: aws.String("c"), Key: eventKey("3")}},
					{ConditionCheck: &types.ConditionCheck{
						TableName: aws.String("d"), Key: eventKey("4"), ConditionExpression: condition,
						ExpressionAttributeNames: names, ExpressionAttributeValues: given, ReturnValuesOnConditionCheckFailure: allOld,
					}},
				},
			},
			"TransactWriteItems",
			`{"TransactItems":[{"Update":{"TableName":"a","Key":{"PK":{"S":"1"}},"UpdateExpression":"REMOVE x"}},` +
				`{"Put":{"TableName":"b","Item":{"PK":{"S":"2"}},"ConditionExpression":"attribute_not_exists(PK)",` + old + `}},` +
				`{"Delete":{"TableName":"c","Key":{"PK":{"S":"3"}}}},` +
				`{"ConditionCheck":{"TableName":"d","Key":{"PK":{"S":"4"}},"ConditionExpression":"#s = :old",` +
				`"ExpressionAttributeNames":{"#s":"status"},"ExpressionAttributeValues":{":old":{"S":"it's"}},` + old + `}}],` +
				`"ClientRequestToken":"token","ReturnConsumedCapacity":"TOTAL"}`,
			"transact-write-items",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for range 2 { // Explain does not change the batch.
				e := tt.batch.Explain()
				if diff := cmp.Diff(tt.want, string(e.Input)); diff != "" || e.Operation != tt.operation {
					t.Errorf("%s (-want +got):\n%s", e.Operation, diff)
				}
			}
			want := ""
			if tt.command != "" {
				want = "aws dynamodb " + tt.command + " --cli-input-json '" + strings.ReplaceAll(tt.want, "'", `'\''`) + "'"
			}
			if got := tt.batch.CLI(); got != want {
				t.Errorf("printed as\n%s, want\n%s", got, want)
			}
		})
	}
}

func TestCLIIsSafeToPrintAndExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.String(),
			rapid.StringOf(rapid.RuneFrom([]rune("'\"\\$`! \n\t\x1b\x7f\u009b\u202e\u200bäß€😀👨‍👩‍👧"))),
		).Draw(t, "text")
		command := putBatch(text).CLI()
		if models.Printable(command) != command {
			t.Fatalf("the command is not safe to print: %q", command)
		}
		quoted := strings.TrimPrefix(command, "aws dynamodb put-item --cli-input-json ")
		wantItem(t, text, strings.ReplaceAll(quoted[1:len(quoted)-1], `'\''`, "'"))
	})
}

// The CLI command escapes an unprintable character once, and a character beyond 16 bits as a surrogate pair.
func TestCLIEscapesUnprintableText(t *testing.T) {
	const want = `aws dynamodb put-item --cli-input-json '{"TableName":"events","Item":{"PK":{"S":"~\u202e\uffff\ud83d\ude00"}},"ReturnConsumedCapacity":"TOTAL"}'`
	if got := putBatch("~\u202e\uffff😀").CLI(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestShellPassesCommandUnchanged(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("requires a POSIX shell")
	}
	const text = "it's $HOME `date` \\ \"'\" ''' !! \n\x1b[31m 😀\u202e"
	out, err := exec.CommandContext(t.Context(), shell, "-c", "aws() { printf %s \"$4\"; }\n"+putBatch(text).CLI()).Output()
	if err != nil {
		t.Fatal(err)
	}
	wantItem(t, text, string(out))
}

// wantItem fails unless the input puts an item whose key is text.
func wantItem(t interface{ Errorf(string, ...any) }, text, input string) {
	var in struct {
		Item map[string]map[string]string
	}
	if err := json.Unmarshal([]byte(input), &in); err != nil || in.Item["PK"]["S"] != text {
		t.Errorf("got %q, %v, want %q", in.Item["PK"]["S"], err, text)
	}
}
