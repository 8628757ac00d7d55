package data

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A listedTable is a table of the connection. Unknown values are null, and the error contains the reason.
type listedTable struct {
	Table   string        `json:"table" col:"TABLE,key"`
	Status  *string       `json:"status"`
	Items   *count        `json:"items" col:"ITEMS"` // DynamoDB updates this and the size about every six hours
	Bytes   *size         `json:"bytes" col:"SIZE"`
	Key     keys          `json:"key" col:"PRIMARY KEY"`
	Indexes []listedIndex `json:"indexes"`
	Named   indexes       `json:"-" col:"INDEXES"`
	Schemas []string      `json:"schemas" col:"SCHEMA"`
	Error   *string       `json:"error"`
}

type listedIndex struct {
	Index      string            `json:"index"`
	Key        keys              `json:"key"`
	Local      bool              `json:"local"`
	Projection models.Projection `json:"projection"`
}

// keys contains the attributes of a key.
type keys struct {
	Partition []models.Key `json:"partition"`
	Sort      []models.Key `json:"sort"`
}

func (k keys) String() string { return tables.DescribeKeys(k.Partition, k.Sort) }

// indexes appear by name.
type indexes []listedIndex

func (list indexes) String() string {
	return strings.Join(models.MapSlice(list, func(x listedIndex) string { return x.Index }), ", ")
}

// A count is a number of items that prints in readable form.
type count int64

func (n *count) String() string { return humanize.Comma(int64(*n)) }

// A size is a number of bytes that prints in readable form.
type size uint64

func (n *size) String() string { return reading.ByteSize(int64(*n)) }

// listTables is ddbdesk table list. For a table without permission to describe it, it lists only the name.
var listTables = op.New(op.Op{
	Path: "table list", Title: "List the tables of the connection",
	Help: "Lists the tables of the connection with their keys, indexes, item counts and sizes (which DynamoDB updates about\n" +
		"every six hours), and the schemas that cover them. Commands accept the name of a table without a schema as SCHEMA.",
	Needs: op.Reads, Formats: op.TableJSON,
}, func(*struct{}) []*op.Param { return nil }, func(ctx context.Context, c *op.Call, _ *struct{}) (op.Result, error) {
	known, _ := c.Profiles() // An unreadable schema does not cover any table.
	conn, _, err := c.Database(ctx, nil)
	if err != nil {
		return nil, err
	}
	list, err := tables.List(ctx, conn.Reader(), known)
	if err != nil {
		return nil, err
	}
	tables.Describe(ctx, conn.Reader(), list)
	rows, denied := make([]listedTable, len(list)), 0
	var first error
	for i, t := range list {
		rows[i] = listedOf(t)
		if t.Err != nil && store.ClassOf(t.Err) != store.TableMissing { // The table was deleted in the meantime.
			denied, first = denied+1, cmp.Or(first, t.Err)
		}
	}
	if denied > 0 && store.ClassOf(first) != store.AccessDenied {
		return nil, first
	}
	r := op.Rows{List: rows, Empty: "the connection has no tables", Optional: []string{"PRIMARY KEY"}}
	if denied > 0 {
		r.Note = fmt.Sprintf("could not describe %d of %d tables: %v", denied, len(list), first)
	}
	return r, nil
})

func listedOf(t tables.ListedTable) listedTable {
	row := listedTable{
		Table: t.Name, Schemas: models.MapSlice(t.Schemas, func(p *profiles.Profile) string { return p.Name }), Indexes: []listedIndex{},
		Key: keys{[]models.Key{}, []models.Key{}},
	}
	if t.Err != nil {
		row.Error = op.OrNull(t.Err.Error())
	}
	info := t.Info
	if info == nil {
		return row
	}
	items, bytes := count(info.ApproximateItems), size(max(info.ApproximateBytes, 0))
	row.Status, row.Items, row.Bytes = &info.Status, &items, &bytes
	row.Key = keyOf(models.KeyList(info.PartitionKey), models.KeyList(info.SortKey))
	for _, x := range info.Indexes {
		row.Indexes = append(row.Indexes, listedIndex{x.Name, keyOf(x.PartitionKeys, x.SortKeys), x.Local, x.Projection})
	}
	row.Named = row.Indexes
	return row
}

// keyOf returns empty lists instead of nil, because JSON encodes nil as null.
func keyOf(partition, sort []models.Key) keys {
	return keys{append([]models.Key{}, partition...), append([]models.Key{}, sort...)}
}
