package tables

import (
	"context"
	"slices"
	"sync"

	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// maxConcurrent is the number of tables to describe at the same time.
const maxConcurrent = 8

// A ListedTable is a table of a connection.
type ListedTable struct {
	Name    string
	Schemas []*profiles.Profile // schemas that cover the table
	Info    *store.TableInfo    // nil until the table is described
	Err     error               // reason why the table could not be described
}

// List lists the tables of a connection by name, with the schemas that cover them. It does not describe the tables.
func List(ctx context.Context, r store.Reader, known []*profiles.Profile) ([]ListedTable, error) {
	names, err := r.Tables(ctx)
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	list := make([]ListedTable, len(names))
	for i, name := range names {
		list[i] = ListedTable{Name: name, Schemas: slices.DeleteFunc(slices.Clone(known), func(p *profiles.Profile) bool {
			return !slices.ContainsFunc(p.Tables, func(t *models.Table) bool { return t.Name == name })
		})}
	}
	return list, nil
}

// Describe describes tables in place, several at a time. If it cannot describe a table, it sets that table's Err.
func Describe(ctx context.Context, r store.Reader, list []ListedTable) {
	var described sync.WaitGroup
	semaphore := make(chan struct{}, maxConcurrent)
	for i := range list {
		semaphore <- struct{}{}
		described.Add(1)
		crash.Go("describe a table", func() {
			defer func() { <-semaphore; described.Done() }()
			if info, err := r.DescribeTable(ctx, list[i].Name); err != nil {
				list[i].Err = err
			} else {
				list[i].Info = &info
			}
		})
	}
	described.Wait()
}
