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

// A Batch is the request of a change. Exactly one of its inputs is set.
//
// If the response to a conditional update, put or delete is lost, the request may be sent again: either its condition
// no longer holds, or the second write has no further effect. DynamoDB applies a transaction only once per token. It
// remembers a token for 10 minutes after the request; later, the conditions protect it like a single write. The zero
// value is not a request. A transaction has at most 100 writes and 4 MB of items. Source: Amazon DynamoDB API
// Reference, "TransactWriteItems".
type Batch struct {
	Update   *dynamodb.UpdateItemInput
	Put      *dynamodb.PutItemInput
	Delete   *dynamodb.DeleteItemInput
	Transact *dynamodb.TransactWriteItemsInput
}

// Batch returns the request of the plan: a single operation for one write, a transaction for several. DynamoDB supports
// ConditionCheck only in transactions. The batch shares the items of the plan. The store sends Reporting instead,
// because this batch would not return the old item after a conflict.
func (p *Plan) Batch() Batch {
	writes := p.All()
	if len(writes) == 1 && writes[0].Operation != Check {
		b := single(writes[0].compile())
		if b.Delete != nil {
			b.Delete.ReturnValues = types.ReturnValueAllOld
		}
		return b
	}
	in := &dynamodb.TransactWriteItemsInput{ClientRequestToken: aws.String(p.Basis.Token)}
	for _, w := range writes {
		in.TransactItems = append(in.TransactItems, w.compile())
	}
	return Batch{Transact: in}
}

func single(w types.TransactWriteItem) Batch {
	switch {
	case w.Put != nil:
		return Batch{Put: &dynamodb.PutItemInput{
			TableName: w.Put.TableName, Item: w.Put.Item, ConditionExpression: w.Put.ConditionExpression,
			ExpressionAttributeNames: w.Put.ExpressionAttributeNames, ExpressionAttributeValues: w.Put.ExpressionAttributeValues,
		}}
	case w.Delete != nil:
		return Batch{Delete: &dynamodb.DeleteItemInput{
			TableName: w.Delete.TableName, Key: w.Delete.Key, ConditionExpression: w.Delete.ConditionExpression,
			ExpressionAttributeNames: w.Delete.ExpressionAttributeNames, ExpressionAttributeValues: w.Delete.ExpressionAttributeValues,
		}}
	default:
		return Batch{Update: &dynamodb.UpdateItemInput{
			TableName: w.Update.TableName, Key: w.Update.Key,
			UpdateExpression: w.Update.UpdateExpression, ConditionExpression: w.Update.ConditionExpression,
			ExpressionAttributeNames: w.Update.ExpressionAttributeNames, ExpressionAttributeValues: w.Update.ExpressionAttributeValues,
		}}
	}
}

// maxExpression is the length of the longest expression, in bytes. Source: Amazon
// DynamoDB Developer Guide, "Quotas in Amazon DynamoDB", Expression parameters.
const maxExpression = 4096

// expressions uses short aliases if the readable ones do not fit.
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
		return conflictf("%s has too many attributes for one write: its expression would be %d bytes; DynamoDB allows %d",
			w.Entity.Title, n, maxExpression)
	}
	if n := w.operators(); n > maxOperators {
		return conflictf("%s has too many attributes for one write: its condition would have %d operators; DynamoDB allows %d",
			w.Entity.Title, n, maxOperators)
	}
	return nil
}

func (w Write) compile() types.TransactWriteItem {
	e, text, update := w.expressions()
	var condition *string
	if text != "" {
		condition = aws.String(text)
	}
	table := aws.String(w.Table.Name)
	switch w.Operation {
	case Put:
		return types.TransactWriteItem{Put: &types.Put{
			TableName: table, Item: w.After, ConditionExpression: condition,
			ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
		}}
	case Delete:
		return types.TransactWriteItem{Delete: &types.Delete{
			TableName: table, Key: w.Key, ConditionExpression: condition,
			ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
		}}
	case Check:
		return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
			TableName: table, Key: w.Key, ConditionExpression: condition,
			ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
		}}
	default:
		return types.TransactWriteItem{Update: &types.Update{
			TableName: table, Key: w.Key, UpdateExpression: aws.String(update), ConditionExpression: condition,
			ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
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

// A part contains the fields that the writes of all operations share.
type part struct {
	operation Operation
	table     *string
	item      models.Item // the item of a put, otherwise the key
	values    models.Item // values of the expressions
	condition *string
	onFailure *types.ReturnValuesOnConditionCheckFailure
}

func (b Batch) parts() []part {
	var list []part
	add := func(o Operation, table *string, item, values models.Item, condition *string, old *types.ReturnValuesOnConditionCheckFailure) {
		list = append(list, part{o, table, item, values, condition, old})
	}
	if in := b.Update; in != nil {
		add(Update, in.TableName, in.Key, in.ExpressionAttributeValues, in.ConditionExpression, &in.ReturnValuesOnConditionCheckFailure)
	}
	if in := b.Put; in != nil {
		add(Put, in.TableName, in.Item, in.ExpressionAttributeValues, in.ConditionExpression, &in.ReturnValuesOnConditionCheckFailure)
	}
	if in := b.Delete; in != nil {
		add(Delete, in.TableName, in.Key, in.ExpressionAttributeValues, in.ConditionExpression, &in.ReturnValuesOnConditionCheckFailure)
	}
	if b.Transact == nil {
		return list
	}
	for _, w := range b.Transact.TransactItems {
		if in := w.Update; in != nil {
			add(Update, in.TableName, in.Key, in.ExpressionAttributeValues, in.ConditionExpression, &in.ReturnValuesOnConditionCheckFailure)
		}
		if in := w.Put; in != nil {
			add(Put, in.TableName, in.Item, in.ExpressionAttributeValues, in.ConditionExpression, &in.ReturnValuesOnConditionCheckFailure)
		}
		if in := w.Delete; in != nil {
			add(Delete, in.TableName, in.Key, in.ExpressionAttributeValues, in.ConditionExpression, &in.ReturnValuesOnConditionCheckFailure)
		}
		if in := w.ConditionCheck; in != nil {
			add(Check, in.TableName, in.Key, in.ExpressionAttributeValues, in.ConditionExpression, &in.ReturnValuesOnConditionCheckFailure)
		}
	}
	return list
}

// Reporting returns the batch to send: its response contains the consumed capacity, and any item that does not meet its
// condition. The inputs of b do not change.
func (b Batch) Reporting() Batch {
	const total = types.ReturnConsumedCapacityTotal
	switch {
	case b.Update != nil:
		b.Update = new(*b.Update)
		b.Update.ReturnConsumedCapacity = total
	case b.Put != nil:
		b.Put = new(*b.Put)
		b.Put.ReturnConsumedCapacity = total
	case b.Delete != nil:
		b.Delete = new(*b.Delete)
		b.Delete.ReturnConsumedCapacity = total
	case b.Transact != nil:
		b.Transact = new(*b.Transact)
		b.Transact.ReturnConsumedCapacity = total
		b.Transact.TransactItems = slices.Clone(b.Transact.TransactItems)
		for i := range b.Transact.TransactItems {
			switch w := &b.Transact.TransactItems[i]; {
			case w.Update != nil:
				w.Update = new(*w.Update)
			case w.Put != nil:
				w.Put = new(*w.Put)
			case w.Delete != nil:
				w.Delete = new(*w.Delete)
			case w.ConditionCheck != nil:
				w.ConditionCheck = new(*w.ConditionCheck)
			}
		}
	}
	for _, p := range b.parts() {
		if aws.ToString(p.condition) != "" {
			*p.onFailure = types.ReturnValuesOnConditionCheckFailureAllOld
		}
	}
	return b
}

// Items yields the table of each write with its item or, if it does not put one, the key, in the order of the writes.
// Condition checks are included.
func (b Batch) Items() iter.Seq2[string, models.Item] {
	return func(yield func(string, models.Item) bool) {
		for _, p := range b.parts() {
			if !yield(aws.ToString(p.table), p.item) {
				return
			}
		}
	}
}

// Masked reports whether the batch contains a masked value. Such a batch is for
// display and must not be sent.
func (b Batch) Masked() bool {
	return slices.ContainsFunc(b.parts(), func(p part) bool { return p.item.Masked() || p.values.Masked() })
}

// Permissions lists the permissions for sending the batch, each once. A condition check needs
// dynamodb:ConditionCheckItem, which a policy for updates often lacks.
func (b Batch) Permissions() []accesspatterns.Permission {
	var list []accesspatterns.Permission
	for _, p := range b.parts() {
		list = append(list, accesspatterns.Permission{Action: "dynamodb:" + string(p.operation) + "Item", Table: aws.ToString(p.table)})
	}
	return accesspatterns.Unique(list)
}

// Explain returns the operation and the input of Reporting, with every value, so show it only to users who may see the
// values. An empty batch returns neither. Users compare it with the AWS documentation.
func (b Batch) Explain() accesspatterns.Explanation {
	var operation string
	var input any
	switch b = b.Reporting(); {
	case b.Update != nil:
		operation, input = "UpdateItem", b.Update
	case b.Put != nil:
		operation, input = "PutItem", b.Put
	case b.Delete != nil:
		operation, input = "DeleteItem", b.Delete
	case b.Transact != nil:
		operation, input = "TransactWriteItems", b.Transact
	default:
		return accesspatterns.Explanation{}
	}
	return accesspatterns.Explanation{Operation: operation, Input: accesspatterns.InputJSON(input, nil)}
}

// commands are the commands of the AWS CLI, by operation.
var commands = map[string]string{
	"UpdateItem": "update-item", "PutItem": "put-item", "DeleteItem": "delete-item", "TransactWriteItems": "transact-write-items",
}

// CLI returns the AWS CLI command that sends the batch, for a POSIX shell. Values are quoted, and characters that a
// terminal would interpret are JSON escapes. The result is "" for an empty batch. The command contains every value and
// the client request token, so running it within 10 minutes after ddbdesk applied the plan has no second effect.
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
