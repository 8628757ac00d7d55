package change

import (
	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// PlanPermissions lists what planning the action needs: to read its subject and
// the other items that it is made from.
func (a *Action) PlanPermissions() []accesspatterns.Permission {
	list := []accesspatterns.Permission{accesspatterns.Allow("GetItem", a.Entity.Table, nil)}
	for _, r := range a.Reads {
		list = append(list, accesspatterns.Allow("GetItem", r.Entity.Table, nil))
	}
	for _, e := range a.Audits {
		for _, r := range e.Trail.Reads {
			list = append(list, accesspatterns.Allow("GetItem", r.Entity.Table, nil))
		}
	}
	return accesspatterns.Unique(list)
}

// CommitPermissions lists what sending the change needs besides. IAM knows no
// transactions: each write of one is allowed by itself. Source: Amazon DynamoDB
// Developer Guide, "Using IAM with DynamoDB transactions".
func (a *Action) CommitPermissions() []accesspatterns.Permission {
	return a.writePermissions(func(o Operation) Operation { return o })
}

// UndoPermissions lists what sending the change's undo needs, none where it has
// no undo.
func (a *Action) UndoPermissions() []accesspatterns.Permission {
	if a.NoUndo != "" {
		return nil
	}
	return a.writePermissions(func(o Operation) Operation {
		switch o {
		case Put:
			return Delete
		case Delete:
			return Put
		case Check, Update:
		}
		return o
	})
}

// writePermissions lists what the writes need; turned says which operation
// stands for that of a write that is no audit entry.
func (a *Action) writePermissions(turned func(Operation) Operation) []accesspatterns.Permission {
	list := []accesspatterns.Permission{writing(turned(a.Kind.operation()), a.Entity.Table)}
	for _, c := range a.Also {
		list = append(list, writing(turned(c.Operation), c.Entity.Table))
	}
	for _, e := range a.Audits {
		list = append(list, writing(Put, e.Trail.Entity.Table))
	}
	return accesspatterns.Unique(list)
}

// operation returns what an action of the kind does to its subject.
func (k ActionKind) operation() Operation {
	switch k {
	case Creates:
		return Put
	case Deletes:
		return Delete
	case Changes, Repairs:
	}
	return Update
}

func writing(o Operation, t *models.Table) accesspatterns.Permission {
	return accesspatterns.Allow(string(o)+"Item", t, nil)
}

// Permissions lists what sending the batch needs, each once.
func (b Batch) Permissions() []accesspatterns.Permission {
	var list []accesspatterns.Permission
	add := func(operation Operation, table *string) {
		list = append(list, accesspatterns.Permission{Action: "dynamodb:" + string(operation) + "Item", Table: aws.ToString(table)})
	}
	switch {
	case b.Update != nil:
		add(Update, b.Update.TableName)
	case b.Put != nil:
		add(Put, b.Put.TableName)
	case b.Delete != nil:
		add(Delete, b.Delete.TableName)
	case b.Transact != nil:
		for _, w := range b.Transact.TransactItems {
			switch {
			case w.Update != nil:
				add(Update, w.Update.TableName)
			case w.Put != nil:
				add(Put, w.Put.TableName)
			case w.Delete != nil:
				add(Delete, w.Delete.TableName)
			case w.ConditionCheck != nil:
				add(Check, w.ConditionCheck.TableName)
			}
		}
	}
	return accesspatterns.Unique(list)
}
