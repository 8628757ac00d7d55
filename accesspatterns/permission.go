package accesspatterns

import (
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Permission is an IAM action on a table or an index.
type Permission struct {
	Action string // the IAM action: dynamodb:Query
	Table  string // the name of the live table
	Index  string // "" for the table itself
}

// Resource returns the last part of the ARN: table/orders/index/byDate.
func (p Permission) Resource() string {
	if p.Index == "" {
		return "table/" + p.Table
	}
	return "table/" + p.Table + "/index/" + p.Index
}

// String returns the action and a short form of the resource: dynamodb:Query on
// …/index/byDate.
func (p Permission) String() string {
	if p.Index != "" {
		return p.Action + " on …/index/" + p.Index
	}
	return p.Action + " on …/" + p.Table
}

// allow returns the permission for an operation of DynamoDB.
func allow(operation string, t *models.Table, x *models.Index) Permission {
	p := Permission{Action: "dynamodb:" + operation, Table: t.Name}
	if x != nil {
		p.Index = x.Name
	}
	return p
}

// Permissions returns what the read requires, most important first. A query of an
// index requires only the index, unless the index contains a part of the attributes:
// then the whole items are read from the table. Source: Amazon DynamoDB Developer
// Guide, "Using IAM policy conditions for fine-grained access control" and "DynamoDB
// API permissions".
func (r Read) Permissions(t *models.Table) []Permission {
	operation := r.Operation.API()
	if operation == "" || t == nil {
		return nil
	}
	list := []Permission{allow(operation, t, r.Index)}
	if r.Index != nil && r.Index.Projection != models.ProjectionAll && r.Operation != Count {
		list = append(list, allow("BatchGetItem", t, nil))
	}
	return list
}

// Permissions returns what the pattern requires with any parameters, each once; nil
// for a write, which is an action.
func (p *Pattern) Permissions() []Permission {
	list := p.Read.Permissions(p.Table)
	for _, v := range p.Variants {
		list = append(list, v.Read.Permissions(p.Table)...)
	}
	return once(list)
}

// PlanPermissions lists what planning the action needs: to read its subject and
// the other items that it is made from.
func (a *Action) PlanPermissions() []Permission {
	list := []Permission{allow("GetItem", a.Entity.Table, nil)}
	for _, r := range a.Reads {
		list = append(list, allow("GetItem", r.Entity.Table, nil))
	}
	for _, e := range a.Audits {
		for _, r := range e.Trail.Reads {
			list = append(list, allow("GetItem", r.Entity.Table, nil))
		}
	}
	return once(list)
}

// CommitPermissions lists what sending the change needs besides. IAM knows no
// transactions: each write of one is allowed by itself. Source: Amazon DynamoDB
// Developer Guide, "Using IAM with DynamoDB transactions".
func (a *Action) CommitPermissions() []Permission {
	return a.writePermissions(func(o WriteOperation) WriteOperation { return o })
}

// UndoPermissions lists what sending the change's undo needs, none where it has
// no undo.
func (a *Action) UndoPermissions() []Permission {
	if a.NoUndo != "" {
		return nil
	}
	return a.writePermissions(func(o WriteOperation) WriteOperation {
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
func (a *Action) writePermissions(turned func(WriteOperation) WriteOperation) []Permission {
	list := []Permission{writing(turned(a.Kind.operation()), a.Entity.Table)}
	for _, c := range a.Also {
		list = append(list, writing(turned(c.Operation), c.Entity.Table))
	}
	for _, e := range a.Audits {
		list = append(list, writing(Put, e.Trail.Entity.Table))
	}
	return once(list)
}

// operation returns what an action of the kind does to its subject.
func (k ActionKind) operation() WriteOperation {
	switch k {
	case Creates:
		return Put
	case Deletes:
		return Delete
	case Changes, Repairs:
	}
	return Update
}

func writing(o WriteOperation, t *models.Table) Permission { return allow(string(o)+"Item", t, nil) }

// Permissions returns what sending the leg requires.
func (l Leg) Permissions() []Permission {
	switch {
	case l.Get != nil:
		return []Permission{{"dynamodb:GetItem", aws.ToString(l.Get.TableName), ""}}
	case l.Query != nil:
		return []Permission{{"dynamodb:Query", aws.ToString(l.Query.TableName), aws.ToString(l.Query.IndexName)}}
	case l.Scan != nil:
		return []Permission{{"dynamodb:Scan", aws.ToString(l.Scan.TableName), aws.ToString(l.Scan.IndexName)}}
	}
	return nil
}

// Permissions returns what sending the batch requires, each once.
func (b Batch) Permissions() []Permission {
	var list []Permission
	add := func(operation WriteOperation, table *string) {
		list = append(list, Permission{"dynamodb:" + string(operation) + "Item", aws.ToString(table), ""})
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
	return once(list)
}

// once returns the list without duplicates.
func once(list []Permission) []Permission {
	var out []Permission
	for _, p := range list {
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}
