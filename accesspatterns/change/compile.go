package change

import (
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Batch returns what the plan sends.
func (p *Plan) Batch() Batch {
	if len(p.Writes) == 1 && p.Writes[0].Operation != Check {
		return p.Writes[0].batch()
	}
	in := &dynamodb.TransactWriteItemsInput{ClientRequestToken: aws.String(p.Basis.Token)}
	for _, w := range p.Writes {
		in.TransactItems = append(in.TransactItems, w.transactItem())
	}
	return Batch{Transact: in}
}

func (w Write) batch() Batch {
	e := &accesspatterns.Expression{}
	condition := conditions(e, w)
	table := aws.String(w.Table.Name)
	switch w.Operation {
	case Put:
		return Batch{Put: &dynamodb.PutItemInput{
			TableName: table, Item: w.After, ConditionExpression: condition,
			ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
		}}
	case Delete:
		return Batch{Delete: &dynamodb.DeleteItemInput{
			TableName: table, Key: w.Key, ConditionExpression: condition,
			ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
		}}
	default:
		update := update(e, w)
		return Batch{Update: &dynamodb.UpdateItemInput{
			TableName: table, Key: w.Key, UpdateExpression: update, ConditionExpression: condition,
			ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
		}}
	}
}

func (w Write) transactItem() types.TransactWriteItem {
	e := &accesspatterns.Expression{}
	condition := conditions(e, w)
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
		update := update(e, w)
		return types.TransactWriteItem{Update: &types.Update{
			TableName: table, Key: w.Key, UpdateExpression: update, ConditionExpression: condition,
			ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
		}}
	}
}

// path aliases a path of the write: an attribute whose own name holds a dot is
// one name.
func path(e *accesspatterns.Expression, w Write, path string) string {
	_, before := w.Before[path]
	_, after := w.After[path]
	if before || after {
		return e.Name(path)
	}
	return e.Path(path)
}

// conditions compiles the conditions of a write.
func conditions(e *accesspatterns.Expression, w Write) *string {
	terms := make([]string, 0, len(w.Condition))
	for _, c := range w.Condition {
		terms = append(terms, c.Expression(e, path(e, w, c.Attribute), "seen_"+c.Attribute))
	}
	if len(terms) == 0 {
		return nil
	}
	return aws.String(strings.Join(terms, " AND "))
}

// update compiles what an update writes: only what changed.
func update(e *accesspatterns.Expression, w Write) *string {
	var set, remove []string
	for _, c := range w.Changes {
		name := path(e, w, c.Path)
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
	return aws.String(strings.Join(clauses, " "))
}
