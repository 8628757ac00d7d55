package change

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Batch is what one change sends. Exactly one of its inputs is set.
//
// An update, put or delete with a condition may be sent again when the answer
// was lost: doing it twice must either be impossible, because the condition does
// not hold any more, or change nothing more. A transaction is done once for each
// of its tokens.
type Batch struct {
	Update   *dynamodb.UpdateItemInput
	Put      *dynamodb.PutItemInput
	Delete   *dynamodb.DeleteItemInput
	Transact *dynamodb.TransactWriteItemsInput
}

// Reporting returns the batch as it is sent: it asks for what it costs, and
// every write that has a condition for the item that does not meet it. The
// inputs of b are not changed.
func (b Batch) Reporting() Batch {
	const total = types.ReturnConsumedCapacityTotal
	switch {
	case b.Update != nil:
		in := *b.Update
		in.ReturnConsumedCapacity, in.ReturnValuesOnConditionCheckFailure = total, oldItem(in.ConditionExpression)
		b.Update = &in
	case b.Put != nil:
		in := *b.Put
		in.ReturnConsumedCapacity, in.ReturnValuesOnConditionCheckFailure = total, oldItem(in.ConditionExpression)
		b.Put = &in
	case b.Delete != nil:
		in := *b.Delete
		in.ReturnConsumedCapacity, in.ReturnValuesOnConditionCheckFailure = total, oldItem(in.ConditionExpression)
		b.Delete = &in
	case b.Transact != nil:
		in := *b.Transact
		in.ReturnConsumedCapacity = total
		in.TransactItems = make([]types.TransactWriteItem, len(b.Transact.TransactItems))
		for i, w := range b.Transact.TransactItems {
			in.TransactItems[i] = reporting(w)
		}
		b.Transact = &in
	}
	return b
}

// reporting returns one write of a transaction that asks for the old item.
func reporting(w types.TransactWriteItem) types.TransactWriteItem {
	switch {
	case w.Update != nil:
		in := *w.Update
		in.ReturnValuesOnConditionCheckFailure = oldItem(in.ConditionExpression)
		w.Update = &in
	case w.Put != nil:
		in := *w.Put
		in.ReturnValuesOnConditionCheckFailure = oldItem(in.ConditionExpression)
		w.Put = &in
	case w.Delete != nil:
		in := *w.Delete
		in.ReturnValuesOnConditionCheckFailure = oldItem(in.ConditionExpression)
		w.Delete = &in
	case w.ConditionCheck != nil:
		in := *w.ConditionCheck
		in.ReturnValuesOnConditionCheckFailure = oldItem(in.ConditionExpression)
		w.ConditionCheck = &in
	}
	return w
}

func oldItem(condition *string) types.ReturnValuesOnConditionCheckFailure {
	if aws.ToString(condition) == "" {
		return ""
	}
	return types.ReturnValuesOnConditionCheckFailureAllOld
}

// Masked reports whether the batch holds a masked value. Such a batch is for
// display and must not be sent.
func (b Batch) Masked() bool {
	masked := func(item, values models.Item) bool { return item.Masked() || values.Masked() }
	switch {
	case b.Update != nil:
		return masked(b.Update.Key, b.Update.ExpressionAttributeValues)
	case b.Put != nil:
		return masked(b.Put.Item, b.Put.ExpressionAttributeValues)
	case b.Delete != nil:
		return masked(b.Delete.Key, b.Delete.ExpressionAttributeValues)
	case b.Transact == nil:
		return false
	}
	return slices.ContainsFunc(b.Transact.TransactItems, func(w types.TransactWriteItem) bool {
		return w.Update != nil && masked(w.Update.Key, w.Update.ExpressionAttributeValues) ||
			w.Put != nil && masked(w.Put.Item, w.Put.ExpressionAttributeValues) ||
			w.Delete != nil && masked(w.Delete.Key, w.Delete.ExpressionAttributeValues) ||
			w.ConditionCheck != nil && masked(w.ConditionCheck.Key, w.ConditionCheck.ExpressionAttributeValues)
	})
}

// Explain returns the operation and the input that Reporting describes, with
// every value. An empty batch has neither.
func (b Batch) Explain() accesspatterns.Explanation {
	b = b.Reporting()
	switch {
	case b.Update != nil:
		return accesspatterns.Explanation{Operation: "UpdateItem", Input: accesspatterns.InputJSON(b.Update, nil)}
	case b.Put != nil:
		return accesspatterns.Explanation{Operation: "PutItem", Input: accesspatterns.InputJSON(b.Put, nil)}
	case b.Delete != nil:
		return accesspatterns.Explanation{Operation: "DeleteItem", Input: accesspatterns.InputJSON(b.Delete, nil)}
	case b.Transact != nil:
		return accesspatterns.Explanation{Operation: "TransactWriteItems", Input: accesspatterns.InputJSON(b.Transact, nil)}
	}
	return accesspatterns.Explanation{}
}

// commands are the AWS CLI's names of the operations.
var commands = map[string]string{
	"UpdateItem": "update-item", "PutItem": "put-item", "DeleteItem": "delete-item", "TransactWriteItems": "transact-write-items",
}

// CLI returns the command of the AWS CLI that sends the batch, for a POSIX
// shell: no value can end its quotes. It is safe to print: what a terminal would
// not show as it is stands as a JSON escape, which is the same value.
func (b Batch) CLI() string {
	e := b.Explain()
	command, ok := commands[e.Operation]
	if !ok {
		return ""
	}
	text := string(e.Input)
	if models.Printable(text) != text {
		text = asciiJSON(text)
	}
	return fmt.Sprintf("aws dynamodb %s --cli-input-json '%s'", command, strings.ReplaceAll(text, "'", `'\''`))
}

// asciiJSON writes a JSON text without characters beyond ASCII, which only occur
// in its strings.
func asciiJSON(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch high, low := utf16.EncodeRune(r); {
		case r <= '~':
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		}
	}
	return b.String()
}
