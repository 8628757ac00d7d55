package tui

import (
	"context"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

// readerWithout is a reader whose tables lack an index or do not exist.
type readerWithout struct {
	store.Reader
	index   string
	missing bool
}

func (r readerWithout) DescribeTable(ctx context.Context, name string) (store.TableInfo, error) {
	if r.missing {
		return store.TableInfo{}, &store.Error{Class: store.TableMissing, Table: name, Problem: "no table " + name}
	}
	info, err := r.Reader.DescribeTable(ctx, name)
	for i, x := range info.Indexes {
		if x.Name == r.index {
			info.Indexes = append(append(info.Indexes[:0:0], info.Indexes[:i]...), info.Indexes[i+1:]...)
			break
		}
	}
	return info, err
}

func TestMissingIndexIsReportedBeforeRequest(t *testing.T) {
	runFlow(t, "authbridge", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		d.store = readerWithout{d.store, "GSI2", false}
		tt, _ := open(t, d, size)
		tt.WaitFor("✗")
		selectPattern(tt, "Verifications by date")
		if size.W < 100 {
			tt.Press("tab")
		}
		tt.WaitFor("has no index GSI2")
		tt.Golden("workbench")
		tt.Reach("live tables differ", "esc", "alt+home", "tab")
	})
}

// undescribedTables is a reader that cannot describe tables.
type undescribedTables struct{ store.Reader }

func (undescribedTables) DescribeTable(_ context.Context, name string) (store.TableInfo, error) {
	return store.TableInfo{}, &store.Error{
		Class: store.AccessDenied, Operation: "DescribeTable", Table: name, Problem: "access denied: dynamodb:DescribeTable on table " + name,
	}
}
