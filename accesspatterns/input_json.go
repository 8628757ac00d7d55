package accesspatterns

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// inputMembers are the members of the inputs of all operations that are sent, in
// the order in which they are printed.
var inputMembers = []string{
	"Update", "Put", "Delete", "ConditionCheck",
	"TableName", "IndexName", "Key", "Item", "UpdateExpression", "KeyConditionExpression", "ConditionExpression", "FilterExpression",
	"RequestItems", "Keys", "ProjectionExpression",
	"Segment", "TotalSegments", "ConsistentRead", "ExpressionAttributeNames", "ExpressionAttributeValues",
	"Select", "ScanIndexForward", "Limit", "ReturnValuesOnConditionCheckFailure", "ReturnValues",
	"TransactItems", "ClientRequestToken", "ReturnConsumedCapacity",
}

// InputJSON returns the input of an operation, a pointer to a struct of the AWS
// SDK, as --cli-input-json takes it. A nil redact leaves every value as it is. A member that is
// not in inputMembers is left out without notice; It panics for an input that is no struct.
func InputJSON(input any, redact Redact) json.RawMessage {
	v := reflect.Indirect(reflect.ValueOf(input))
	out := []byte{'{'}
	for _, name := range inputMembers {
		member := v.FieldByName(name)
		if !member.IsValid() || member.IsZero() || member.Kind() == reflect.Map && member.Len() == 0 {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, `"`+name+`":`...)
		out = appendMember(out, member.Interface(), redact)
	}
	return append(out, '}')
}

func appendList[T any](dst []byte, list []T, redact Redact) []byte {
	dst = append(dst, '[')
	for i, one := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendMember(dst, one, redact)
	}
	return append(dst, ']')
}

func appendMember(dst []byte, value any, redact Redact) []byte {
	switch v := value.(type) {
	case *string:
		return models.AppendValueJSON(dst, models.StringValue(*v))
	case *bool:
		return strconv.AppendBool(dst, *v)
	case *int32:
		return strconv.AppendInt(dst, int64(*v), 10)
	case map[string]string:
		it := models.Item{}
		for alias, name := range v {
			it[alias] = models.StringValue(name)
		}
		return it.AppendJSON(dst)
	case map[string]types.AttributeValue:
		return redacted(v, redact).AppendDynamoDBJSON(dst)
	case map[string]types.KeysAndAttributes:
		dst = append(dst, '{')
		for _, table := range slices.Sorted(maps.Keys(v)) {
			dst = append(models.AppendValueJSON(dst, models.StringValue(table)), ':')
			dst = append(append(dst, InputJSON(v[table], redact)...), ',')
		}
		return append(dst[:len(dst)-1], '}')
	case []map[string]types.AttributeValue:
		return appendList(dst, v, redact)
	case []types.TransactWriteItem:
		return appendList(dst, v, redact)
	default:
		if r := reflect.ValueOf(v); r.Kind() == reflect.String { // one of the SDK's enums
			return strconv.AppendQuote(dst, r.String())
		}
		return append(dst, InputJSON(v, redact)...)
	}
}
