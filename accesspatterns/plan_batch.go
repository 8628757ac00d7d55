// This file compiles a plan into what is sent: one write as an UpdateItem, a
// PutItem or a DeleteItem, several as one TransactWriteItems.

package accesspatterns

import (
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
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

func (w PlannedWrite) batch() Batch {
	e := newExpression()
	condition := e.conditions(w)
	table := aws.String(w.Table.Name)
	switch w.Operation {
	case Put:
		return Batch{Put: &dynamodb.PutItemInput{
			TableName: table, Item: w.After, ConditionExpression: condition,
			ExpressionAttributeNames: e.someNames(), ExpressionAttributeValues: e.someValues(),
		}}
	case Delete:
		return Batch{Delete: &dynamodb.DeleteItemInput{
			TableName: table, Key: w.Key, ConditionExpression: condition,
			ExpressionAttributeNames: e.someNames(), ExpressionAttributeValues: e.someValues(),
		}}
	default:
		update := e.update(w)
		return Batch{Update: &dynamodb.UpdateItemInput{
			TableName: table, Key: w.Key, UpdateExpression: update, ConditionExpression: condition,
			ExpressionAttributeNames: e.someNames(), ExpressionAttributeValues: e.someValues(),
		}}
	}
}

func (w PlannedWrite) transactItem() types.TransactWriteItem {
	e := newExpression()
	condition := e.conditions(w)
	table := aws.String(w.Table.Name)
	switch w.Operation {
	case Put:
		return types.TransactWriteItem{Put: &types.Put{
			TableName: table, Item: w.After, ConditionExpression: condition,
			ExpressionAttributeNames: e.someNames(), ExpressionAttributeValues: e.someValues(),
		}}
	case Delete:
		return types.TransactWriteItem{Delete: &types.Delete{
			TableName: table, Key: w.Key, ConditionExpression: condition,
			ExpressionAttributeNames: e.someNames(), ExpressionAttributeValues: e.someValues(),
		}}
	case Check:
		return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
			TableName: table, Key: w.Key, ConditionExpression: condition,
			ExpressionAttributeNames: e.someNames(), ExpressionAttributeValues: e.someValues(),
		}}
	default:
		update := e.update(w)
		return types.TransactWriteItem{Update: &types.Update{
			TableName: table, Key: w.Key, UpdateExpression: update, ConditionExpression: condition,
			ExpressionAttributeNames: e.someNames(), ExpressionAttributeValues: e.someValues(),
		}}
	}
}

// DynamoDB refuses empty maps of names and values.
func (e *expression) someNames() map[string]string {
	if len(e.names) == 0 {
		return nil
	}
	return e.names
}

func (e *expression) someValues() map[string]types.AttributeValue {
	if len(e.values) == 0 {
		return nil
	}
	return e.values
}

// path aliases a path of the write: an attribute whose own name holds a dot is
// one name.
func (e *expression) path(w PlannedWrite, path string) string {
	_, before := w.Before[path]
	_, after := w.After[path]
	if before || after {
		return e.attribute(path)
	}
	return e.name(path)
}

// conditions compiles the conditions of a write.
func (e *expression) conditions(w PlannedWrite) *string {
	terms := make([]string, 0, len(w.Condition))
	for _, c := range w.Condition {
		name := e.path(w, c.Attribute)
		term := ""
		switch c.Compare {
		case Exists:
			term = "attribute_exists(" + name + ")"
		case Missing:
			term = "attribute_not_exists(" + name + ")"
		default:
			term = fmt.Sprintf("%s %s %s", name, c.Compare, e.value("seen_"+c.Attribute, c.Value))
			if c.OrMissing {
				term = fmt.Sprintf("(attribute_not_exists(%s) OR %s)", name, term)
			}
		}
		terms = append(terms, term)
	}
	if len(terms) == 0 {
		return nil
	}
	return aws.String(strings.Join(terms, " AND "))
}

// update compiles what an update writes: only what changed.
func (e *expression) update(w PlannedWrite) *string {
	var set, remove []string
	for _, c := range w.Changes {
		name := e.path(w, c.Path)
		if c.After == nil {
			remove = append(remove, name)
		} else {
			set = append(set, name+" = "+e.value(c.Path, c.After))
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

// Capacity estimates the write units of the plan: a unit for each started
// kilobyte of the larger state of an item, twice in a transaction, and the
// entries of its indexes that change. Source: Amazon DynamoDB Developer Guide,
// "DynamoDB read and write operations".
func (p *Plan) Capacity() float64 {
	const unit = 1024
	factor := 1
	if len(p.Writes) > 1 {
		factor = 2
	}
	total := 0
	for _, w := range p.Writes {
		size := max(w.Before.Size(), w.After.Size())
		units := max(1, (size+unit-1)/unit)
		total += units * factor
		if w.Operation != Check {
			total += units * w.indexEntries()
		}
	}
	return float64(total)
}

// indexEntries counts the index entries that a write puts or deletes: one
// where the item stays in its place, two where its key changes.
func (w PlannedWrite) indexEntries() int {
	n := 0
	for _, x := range w.Table.Indexes {
		in := func(it models.Item) bool {
			_, p := it[x.PartitionKey.Name]
			_, s := it[x.SortKey.Name]
			return p && (s || x.SortKey.Name == "")
		}
		before, after := in(w.Before), in(w.After)
		switch {
		case before && after && (!models.EqualValues(w.Before[x.PartitionKey.Name], w.After[x.PartitionKey.Name]) ||
			!models.EqualValues(w.Before[x.SortKey.Name], w.After[x.SortKey.Name])):
			n += 2
		case before || after:
			n++
		}
	}
	return n
}
