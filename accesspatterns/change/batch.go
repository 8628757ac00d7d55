package change

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Batch is the request for a change: a transaction with all its writes, or a single write without a token.
//
// If the response to a conditional update, put or delete is lost, the caller may send the request again: either its
// condition no longer holds, or the second write has no further effect. DynamoDB applies a transaction only once per
// token for 10 minutes after the request. Later, its conditions protect it like a single write. The zero value is not a
// request. A transaction has at most 100 writes and 4 MB of items. Source: Amazon DynamoDB API Reference,
// "TransactWriteItems".
type Batch struct {
	Writes []types.TransactWriteItem
	Token  string // client request token of a transaction; the SDK makes one for a transaction without one
}

// Batch returns the request for the plan: a single operation for one write, or a transaction for several writes or a
// ConditionCheck. The batch shares the items of the plan.
func (p *Plan) Batch() Batch {
	var b Batch
	for _, w := range p.AllWrites() {
		b.Writes = append(b.Writes, w.compile())
	}
	if b.IsTransaction() {
		b.Token = p.Basis.Token
	}
	return b
}

// IsTransaction reports whether ddbdesk sends the batch as a transaction.
func (b Batch) IsTransaction() bool {
	return b.Token != "" || len(b.Writes) > 1 || len(b.Writes) == 1 && b.Writes[0].ConditionCheck != nil
}

// Repeatable reports whether the batch is safe to send again.
func (b Batch) Repeatable() bool {
	return b.IsTransaction() || len(b.Writes) > 0 && aws.ToString(fieldsOf(b.Writes[0]).condition) != ""
}

// Request returns the operation of the SDK and its input; both are zero for an empty batch. The request asks DynamoDB
// to return the consumed capacity and, for a single delete, the deleted item.
func (b Batch) Request() (operation string, input any) {
	const total = types.ReturnConsumedCapacityTotal
	if b.IsTransaction() {
		in := &dynamodb.TransactWriteItemsInput{TransactItems: b.Writes, ReturnConsumedCapacity: total}
		if b.Token != "" {
			in.ClientRequestToken = aws.String(b.Token)
		}
		return "TransactWriteItems", in
	}
	if len(b.Writes) == 0 {
		return "", nil
	}
	switch w := b.Writes[0]; {
	case w.Put != nil:
		return "PutItem", &dynamodb.PutItemInput{
			TableName: w.Put.TableName, Item: w.Put.Item, ConditionExpression: w.Put.ConditionExpression,
			ExpressionAttributeNames: w.Put.ExpressionAttributeNames, ExpressionAttributeValues: w.Put.ExpressionAttributeValues,
			ReturnValuesOnConditionCheckFailure: w.Put.ReturnValuesOnConditionCheckFailure, ReturnConsumedCapacity: total,
		}
	case w.Delete != nil:
		return "DeleteItem", &dynamodb.DeleteItemInput{
			TableName: w.Delete.TableName, Key: w.Delete.Key, ConditionExpression: w.Delete.ConditionExpression,
			ExpressionAttributeNames: w.Delete.ExpressionAttributeNames, ExpressionAttributeValues: w.Delete.ExpressionAttributeValues,
			ReturnValuesOnConditionCheckFailure: w.Delete.ReturnValuesOnConditionCheckFailure, ReturnConsumedCapacity: total,
			ReturnValues: types.ReturnValueAllOld,
		}
	case w.Update != nil:
		return "UpdateItem", &dynamodb.UpdateItemInput{
			TableName: w.Update.TableName, Key: w.Update.Key,
			UpdateExpression: w.Update.UpdateExpression, ConditionExpression: w.Update.ConditionExpression,
			ExpressionAttributeNames: w.Update.ExpressionAttributeNames, ExpressionAttributeValues: w.Update.ExpressionAttributeValues,
			ReturnValuesOnConditionCheckFailure: w.Update.ReturnValuesOnConditionCheckFailure, ReturnConsumedCapacity: total,
		}
	}
	return "", nil
}

// maxExpression is the maximum length of an expression in bytes. Source: Amazon DynamoDB Developer Guide, "Quotas in
// Amazon DynamoDB", Expression parameters.
const maxExpression = 4096

// expressions returns the condition and the update, with short aliases if the readable ones are too long.
func (w Write) expressions() (e *accesspatterns.Expression, condition, update string) {
	e = &accesspatterns.Expression{}
	condition, update = w.expressionsWith(e)
	if len(condition) > maxExpression || len(update) > maxExpression {
		e = &accesspatterns.Expression{Short: true}
		condition, update = w.expressionsWith(e)
	}
	return e, condition, update
}

func (w Write) expressionsWith(e *accesspatterns.Expression) (condition, update string) {
	terms := make([]string, len(w.Condition))
	for i, c := range w.Condition {
		terms[i] = c.Expression(e, func(path string) string { return w.path(e, path) }, "seen_")
	}
	if w.Operation == Update {
		update = w.updateExpression(e)
	}
	return strings.Join(terms, " AND "), update
}

func (w Write) checkExpressions() error {
	_, condition, update := w.expressions()
	if n := max(len(condition), len(update)); n > maxExpression {
		return Conflictf("%s has too many attributes for one write: its expression would be %d bytes; DynamoDB allows %d",
			w.Entity.Title, n, maxExpression)
	}
	if n := w.operators(); n > maxOperators {
		return Conflictf("%s has too many attributes for one write: its condition would have %d operators; DynamoDB allows %d",
			w.Entity.Title, n, maxOperators)
	}
	return nil
}

// compile returns the write as a part of a transaction that returns the stored item if its condition fails.
func (w Write) compile() types.TransactWriteItem {
	e, text, update := w.expressions()
	var condition *string
	var onFailure types.ReturnValuesOnConditionCheckFailure
	if text != "" {
		condition, onFailure = aws.String(text), types.ReturnValuesOnConditionCheckFailureAllOld
	}
	table := aws.String(w.Table.Name)
	switch w.Operation {
	case Put:
		return types.TransactWriteItem{Put: &types.Put{
			TableName: table, Item: w.After, ConditionExpression: condition,
			ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
			ReturnValuesOnConditionCheckFailure: onFailure,
		}}
	case Delete:
		return types.TransactWriteItem{Delete: &types.Delete{
			TableName: table, Key: w.Key, ConditionExpression: condition,
			ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
			ReturnValuesOnConditionCheckFailure: onFailure,
		}}
	case Check:
		return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
			TableName: table, Key: w.Key, ConditionExpression: condition,
			ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
			ReturnValuesOnConditionCheckFailure: onFailure,
		}}
	default:
		return types.TransactWriteItem{Update: &types.Update{
			TableName: table, Key: w.Key, UpdateExpression: aws.String(update), ConditionExpression: condition,
			ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
			ReturnValuesOnConditionCheckFailure: onFailure,
		}}
	}
}

func (w Write) path(e *accesspatterns.Expression, path string) string {
	_, before := w.Before[path]
	_, after := w.After[path]
	if before || after {
		return e.Name(path)
	}
	return e.Path(w.Entity.PathNames(path))
}

func (w Write) updateExpression(e *accesspatterns.Expression) string {
	var set, remove []string
	for _, c := range w.Changes {
		name := w.path(e, c.Path)
		if c.After == nil {
			remove = append(remove, name)
		} else {
			set = append(set, name+" = "+e.Value(c.Path, c.After))
		}
	}
	var clauses []string
	if len(set) > 0 {
		clauses = append(clauses, "SET "+strings.Join(set, ", "))
	}
	if len(remove) > 0 {
		clauses = append(clauses, "REMOVE "+strings.Join(remove, ", "))
	}
	return strings.Join(clauses, " ")
}

// A writeFields contains the fields that the writes of all operations share.
type writeFields struct {
	operation Operation
	table     *string
	item      models.Item // the item of a put, otherwise the key
	values    models.Item // values of the expressions
	condition *string
}

func fieldsOf(w types.TransactWriteItem) writeFields {
	switch {
	case w.Put != nil:
		return writeFields{Put, w.Put.TableName, w.Put.Item, w.Put.ExpressionAttributeValues, w.Put.ConditionExpression}
	case w.Delete != nil:
		return writeFields{Delete, w.Delete.TableName, w.Delete.Key, w.Delete.ExpressionAttributeValues, w.Delete.ConditionExpression}
	case w.ConditionCheck != nil:
		c := w.ConditionCheck
		return writeFields{Check, c.TableName, c.Key, c.ExpressionAttributeValues, c.ConditionExpression}
	case w.Update != nil:
		return writeFields{Update, w.Update.TableName, w.Update.Key, w.Update.ExpressionAttributeValues, w.Update.ConditionExpression}
	}
	return writeFields{}
}

// Items yields the table of each write with the item that it puts, or with its key if it does not put an item. It
// includes condition checks and keeps the order of the writes.
func (b Batch) Items() iter.Seq2[string, models.Item] {
	return func(yield func(string, models.Item) bool) {
		for _, w := range b.Writes {
			if p := fieldsOf(w); !yield(aws.ToString(p.table), p.item) {
				return
			}
		}
	}
}

// Masked reports whether the batch contains a masked value. Such a batch is for display only and must not be sent.
func (b Batch) Masked() bool {
	return slices.ContainsFunc(b.Writes, func(w types.TransactWriteItem) bool {
		p := fieldsOf(w)
		return p.item.Masked() || p.values.Masked()
	})
}

// Permissions lists the distinct permissions for sending the batch. A condition check needs
// dynamodb:ConditionCheckItem, which a policy for updates often lacks.
func (b Batch) Permissions() []accesspatterns.Permission {
	var list []accesspatterns.Permission
	for _, w := range b.Writes {
		p := fieldsOf(w)
		list = append(list, accesspatterns.Permission{Action: "dynamodb:" + string(p.operation) + "Item", Table: aws.ToString(p.table)})
	}
	return accesspatterns.UniquePermissions(list)
}

// Explain returns the Request with every value, so that users can compare it with the AWS documentation. Show it only
// to users who may see the values. The result is zero for an empty batch.
func (b Batch) Explain() accesspatterns.Explanation {
	operation, input := b.Request()
	if input == nil {
		return accesspatterns.Explanation{}
	}
	return accesspatterns.Explanation{Operation: operation, Input: accesspatterns.InputJSON(input, nil)}
}

// commands contains the AWS CLI commands by operation.
var commands = map[string]string{
	"UpdateItem": "update-item", "PutItem": "put-item", "DeleteItem": "delete-item", "TransactWriteItems": "transact-write-items",
}

// CLI returns the AWS CLI command that sends the batch, for a POSIX shell. It quotes values, and writes characters that
// a terminal would interpret as JSON escapes. The command contains every value. It also contains the client request
// token, so running it within 10 minutes after ddbdesk applied the plan has no further effect. The result is "" for an
// empty batch.
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
