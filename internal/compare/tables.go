package compare

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// A TableDifference is a table property that differs between the databases. A side without it has "".
type TableDifference struct {
	Left     string `json:"left"`
	Right    string `json:"right"`
	Table    string `json:"table"`    // table name in the schema
	Property string `json:"property"` // for example billing, or index ByMail
}

// Tables compares the live tables and returns the differences in the order of the schema and then of property names.
// It returns an error if the role may not describe a table.
func (c *Comparison) Tables(ctx context.Context) ([]TableDifference, error) {
	var list []TableDifference
	for _, t := range c.left.Session.Profile().Tables {
		var sides [2]map[string]string
		for i, w := range []*workspace.Workspace{c.left, c.right} {
			var err error
			if sides[i], err = properties(ctx, w, t.ID); err != nil {
				return list, err
			}
		}
		names := slices.AppendSeq(slices.Collect(maps.Keys(sides[0])), maps.Keys(sides[1]))
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			if l, r := sides[0][name], sides[1][name]; l != r {
				list = append(list, TableDifference{Table: t.ID, Property: name, Left: l, Right: r})
			}
		}
	}
	return list, nil
}

func properties(ctx context.Context, w *workspace.Workspace, id string) (map[string]string, error) {
	t := models.First(w.Session.Profile().Tables, func(t *models.Table) bool { return t.ID == id })
	if t == nil {
		return map[string]string{"table": "not in the schema of this environment"}, nil
	}
	name := t.Name
	info, err := w.Tables.Describe(ctx, name)
	if store.ClassOf(err) == store.TableMissing {
		return map[string]string{"table": "missing"}, nil
	}
	if err != nil {
		return nil, err
	}
	attribute, enabled, err := w.Session.Store().DescribeTTL(ctx, name)
	if err != nil {
		return nil, err
	}
	if !enabled {
		attribute = "disabled"
	}
	recovery, err := recoveryOf(ctx, w, name)
	if err != nil {
		return nil, err
	}
	out := map[string]string{
		"table": strings.ToLower(info.Status), "key": tables.DescribeKey(info.PartitionKey, info.SortKey), "ttl": attribute,
		"billing": info.Billing, "stream": info.Stream, "point-in-time recovery": recovery,
	}
	for _, x := range info.Indexes {
		kind := "global"
		if x.Local {
			kind = "local"
		}
		out["index "+x.Name] = fmt.Sprintf("%s, key %s, %s", kind, tables.DescribeKeys(x.PartitionKeys, x.SortKeys), x.Projection)
		if len(x.Include) > 0 {
			out["index "+x.Name] += " " + strings.Join(slices.Sorted(slices.Values(x.Include)), ", ")
		}
	}
	return out, nil
}

// recoveryOf returns a placeholder on local servers, and if the role may not read the setting.
func recoveryOf(ctx context.Context, w *workspace.Workspace, name string) (string, error) {
	enabled, err := w.Session.Store().PointInTimeRecovery(ctx, name)
	switch class := store.ClassOf(err); {
	case class == store.AccessDenied:
		return "not permitted to read", nil
	case err != nil && w.Session.Target().Custom:
		return "unknown to this server", nil
	case err != nil:
		return "", err
	case enabled:
		return "enabled", nil
	}
	return "disabled", nil
}
