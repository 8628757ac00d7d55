package accesspatterns

import (
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Permission is an IAM action on a table, an index or the streams of a table. ddbdesk needs it to send a request;
// internal/ops/schema writes the policy statements.
type Permission struct {
	Action string // the IAM action: dynamodb:Query
	Table  string // the name of the live table
	Index  string // "" for the table itself
	Stream bool   // the streams of the table; enabling a stream creates a new one
}

// Resource returns the last part of the ARN, such as table/orders/index/byDate.
func (p Permission) Resource() string {
	switch {
	case p.Stream:
		return "table/" + p.Table + "/stream/*"
	case p.Index != "":
		return "table/" + p.Table + "/index/" + p.Index
	}
	return "table/" + p.Table
}

// String returns the action and a short form of the resource, as in "dynamodb:Query on …/index/byDate".
func (p Permission) String() string {
	if p.Index != "" {
		return p.Action + " on …/index/" + p.Index
	}
	if p.Table == "" { // an operation on no table, such as ListTables
		return p.Action
	}
	return p.Action + " on …/" + p.Table
}

// PermissionFor returns the permission for a DynamoDB operation, such as GetItem, on the index x of a table, or on the
// table itself if x is nil.
func PermissionFor(operation string, t *models.Table, x *models.Index) Permission {
	p := Permission{Action: "dynamodb:" + operation, Table: t.Name}
	if x != nil {
		p.Index = x.Name
	}
	return p
}

// Permissions returns the permissions that the read requires, most important first. A query of an index requires a
// permission only for the index, unless ddbdesk must also read full items from the table because the index contains
// only some attributes. Source: Amazon DynamoDB Developer Guide, "Using IAM policy conditions for fine-grained access
// control" and "DynamoDB API permissions". The result is nil if the pattern is a write or t is nil.
func (r Read) Permissions(t *models.Table) []Permission {
	operation := r.Operation.API()
	if operation == "" || t == nil {
		return nil
	}
	list := []Permission{PermissionFor(operation, t, r.Index)}
	if r.Index != nil && r.Index.Projection != models.ProjectionAll && r.Operation != Count && !r.isWithin(t) {
		list = append(list, PermissionFor("BatchGetItem", t, nil))
	}
	return list
}

// Permissions returns the distinct permissions that the pattern may require with any parameters, or nil for a write,
// which requires an action.
func (p *Pattern) Permissions() []Permission {
	var list []Permission
	for _, v := range append([]Variant{{Read: p.Read}}, p.Variants...) {
		list = append(list, v.Read.Permissions(p.Table)...)
		isList := func(q *Param) bool { return q.List }
		if v.Read.Operation == Get && (v.Read.FanOut != nil || slices.ContainsFunc(p.Params, isList)) {
			list = append(list, PermissionFor("BatchGetItem", p.Table, nil))
		}
	}
	return UniquePermissions(list)
}

func (r Read) isWithin(t *models.Table) bool {
	return r.Projection != nil && !slices.ContainsFunc(r.Projection, func(path string) bool { return !r.Index.Holds(t, path) })
}

// Permissions lists the permissions for sending the leg, with one entry for each table. It returns nil for an empty
// leg. Errors about missing permissions name these entries.
func (l Leg) Permissions() []Permission {
	switch {
	case l.Batch != nil:
		return models.MapSlice(slices.Sorted(maps.Keys(l.Batch.RequestItems)), func(table string) Permission {
			return Permission{Action: "dynamodb:BatchGetItem", Table: table}
		})
	case l.Get != nil:
		return []Permission{{Action: "dynamodb:GetItem", Table: aws.ToString(l.Get.TableName)}}
	case l.Query != nil:
		return []Permission{{Action: "dynamodb:Query", Table: aws.ToString(l.Query.TableName), Index: aws.ToString(l.Query.IndexName)}}
	case l.Scan != nil:
		return []Permission{{Action: "dynamodb:Scan", Table: aws.ToString(l.Scan.TableName), Index: aws.ToString(l.Scan.IndexName)}}
	}
	return nil
}

// UniquePermissions removes repeated permissions and keeps the order.
func UniquePermissions(list []Permission) []Permission {
	var out []Permission
	for _, p := range list {
		out = models.AppendOnce(out, p)
	}
	return out
}
