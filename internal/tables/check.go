package tables

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Check is the result of comparing a table with the schema. It is the document of `table check -o json`.
type Check struct {
	Table            string   `json:"table"`            // real name
	Missing          bool     `json:"missing"`          // the table does not exist
	Status           string   `json:"status"`           // DynamoDB's status, such as ACTIVE; "" if unknown
	NotCompared      string   `json:"notCompared"`      // reason why a part could not be compared, or ""
	Denied           []string `json:"denied"`           // IAM actions that were denied during the comparison
	Differences      []string `json:"differences"`      // one phrase for each difference
	MissingIndexes   []string `json:"missingIndexes"`   // missing, and not optional in the schema
	OptionalAbsent   []string `json:"optionalAbsent"`   // missing indexes that the schema marks as optional
	ApproximateItems int64    `json:"approximateItems"` // updated by DynamoDB about every six hours

	info *store.TableInfo // nil if the table is missing or could not be described
	ttl  []string         // differences that concern TTL
}

// Check compares all tables of the schema with the live ones, in the schema's order. If it lacks the permission to describe
// a table, it continues, and returns the error for the first such table. Any other error ends it. Unlike Compare, it
// does not store the results for Obstacle.
func (c *Catalog) Check(ctx context.Context) ([]Check, error) {
	checks := make([]Check, 0, len(c.s.Profile().Tables))
	var firstDenied error
	for _, t := range c.s.Profile().Tables {
		check, err := c.checkTable(ctx, t)
		switch {
		case store.ClassOf(err) != store.AccessDenied && err != nil:
			return checks, err
		case firstDenied == nil:
			firstDenied = err
		}
		checks = append(checks, check)
	}
	return checks, firstDenied
}

func (c *Catalog) checkTable(ctx context.Context, t *models.Table) (Check, error) {
	info, err := c.s.Store().DescribeTable(ctx, t.Name)
	switch {
	case store.ClassOf(err) == store.TableMissing:
		return compareTable(t, nil), nil
	case err != nil:
		check := newCheck(t)
		check.setNotCompared(err)
		return check, err
	}
	c.storeInfo(t.Name, info)
	check := compareTable(t, &info)
	check.ttl, err = c.ttlDifference(ctx, t)
	check.Differences = append(check.Differences, check.ttl...)
	if err != nil {
		check.setNotCompared(err)
	}
	return check, err
}

// newCheck uses empty lists instead of nil, because JSON encodes nil as null.
func newCheck(t *models.Table) Check {
	return Check{Table: t.Name, Denied: []string{}, Differences: []string{}, MissingIndexes: []string{}, OptionalAbsent: []string{}}
}

func (c *Check) setNotCompared(err error) {
	c.NotCompared = err.Error()
	e, ok := errors.AsType[*store.Error](err)
	if !ok {
		return
	}
	if p, ok := e.Denied(); ok {
		c.NotCompared = "not compared: no permission " + models.Printable(p.String())
		c.Denied = append(c.Denied, models.Printable(p.Action))
	}
}

func compareTable(t *models.Table, info *store.TableInfo) Check {
	c := newCheck(t)
	if info == nil {
		c.Missing = true
		return c
	}
	c.info, c.Status, c.ApproximateItems = info, info.Status, info.ApproximateItems
	c.Differences = append(c.Differences, differences(t, *info)...)
	for _, x := range t.Indexes {
		if _, ok := info.Index(x.Name); ok {
			continue
		}
		if x.Optional {
			c.OptionalAbsent = append(c.OptionalAbsent, x.Name)
		} else {
			c.MissingIndexes = append(c.MissingIndexes, x.Name)
		}
	}
	return c
}

func differences(t *models.Table, live store.TableInfo) []string {
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if reason := notReadable(live.Status); reason != "" {
		add("table %s", reason)
	}
	if live.PartitionKey != t.PartitionKey || live.SortKey != t.SortKey {
		add("key is %s, schema expects %s", DescribeKey(live.PartitionKey, live.SortKey), DescribeKey(t.PrimaryKeys()...))
	}
	if mode := billingMode(live); t.Billing != "" && t.Billing != mode {
		add("billing mode is %s, schema expects %s", mode, t.Billing)
	}
	if t.Stream != "" && live.Stream != string(t.Stream) {
		add("stream is %s, schema expects %s", live.Stream, t.Stream)
	}
	for _, x := range t.Indexes {
		lx, ok := live.Index(x.Name)
		switch {
		case !ok && x.Optional:
			add("optional index %s is missing; its patterns cannot run", x.Name)
			continue
		case !ok:
			add("index %s is missing; its patterns cannot run", x.Name)
			continue
		case !slices.Equal(lx.PartitionKeys, x.PartitionKeys) || !slices.Equal(lx.SortKeys, x.SortKeys):
			add("index %s has key %s, schema expects %s", x.Name,
				DescribeKeys(lx.PartitionKeys, lx.SortKeys), DescribeKeys(x.PartitionKeys, x.SortKeys))
		}
		if lx.Local != x.Local {
			kinds := map[bool]string{true: "local", false: "global"}
			add("index %s is a %s index, schema expects a %s one", x.Name, kinds[lx.Local], kinds[x.Local])
		}
		if reason := notReadable(lx.Status); reason != "" {
			add("index %s %s", x.Name, reason)
		}
		switch missing := missingIncluded(x, lx); {
		case x.Projection != models.ProjectionUnknown && lx.Projection != x.Projection:
			add("index %s projects %s, schema expects %s", x.Name, lx.Projection, x.Projection)
		case len(missing) > 0:
			add("index %s does not project %s", x.Name, strings.Join(missing, ", "))
		}
	}
	return list
}

// notReadable returns a phrase to follow the name, or "" if the table or index is readable. Source: Amazon DynamoDB API
// Reference, TableDescription, "TableStatus" and "IndexStatus".
func notReadable(status string) string {
	switch status {
	case "CREATING":
		return "is still being created"
	case "DELETING":
		return "is being deleted"
	case "ARCHIVING", "ARCHIVED":
		return "is archived (" + status + "); restore it from its backup to read it"
	case "INACCESSIBLE_ENCRYPTION_CREDENTIALS":
		return "cannot be read: its encryption key is not accessible"
	}
	return ""
}

func missingIncluded(x *models.Index, live store.IndexInfo) []string {
	if x.Projection != models.ProjectionInclude || live.Projection != models.ProjectionInclude {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(x.Include), func(name string) bool { return slices.Contains(live.Include, name) })
}

func billingMode(live store.TableInfo) string {
	if live.Billing == "PAY_PER_REQUEST" {
		return "on-demand"
	}
	return "provisioned"
}

// DescribeKey formats a key with its types for a message: "pk (S), sk (N)".
func DescribeKey(keys ...models.Key) string {
	text := func(k models.Key) string { return k.Name + " (" + string(k.Type) + ")" }
	return strings.Join(models.MapSlice(models.KeyList(keys...), text), ", ")
}

// DescribeKeys formats the key of an index, like DescribeKey. It also joins the attributes of each part: "a (S) + b
// (S), c (N)".
func DescribeKeys(partition, sort []models.Key) string {
	part := func(keys []models.Key) string {
		return strings.Join(models.MapSlice(keys, func(k models.Key) string { return DescribeKey(k) }), " + ")
	}
	if len(sort) == 0 {
		return part(partition)
	}
	return part(partition) + ", " + part(sort)
}

// ttlDifference compares the names case-sensitively, because items never expire if TTL is enabled on another attribute.
func (c *Catalog) ttlDifference(ctx context.Context, t *models.Table) ([]string, error) {
	if t.TTL == "" {
		return nil, nil
	}
	attribute, enabled, err := c.s.Store().DescribeTTL(ctx, t.Name)
	if err != nil {
		return nil, err
	}
	switch {
	case !enabled:
		return []string{"TTL is disabled; items do not expire at " + t.TTL}, nil
	case attribute != t.TTL:
		return []string{fmt.Sprintf("TTL attribute is %s, schema expects %s; items do not expire", attribute, t.TTL)}, nil
	}
	return nil, nil
}

// MissingPart returns the error for the first missing table or index that patterns need, or nil.
func MissingPart(v *session.Viewer, checks []Check) error {
	missing := slices.DeleteFunc(slices.Clone(checks), func(c Check) bool { return !c.Missing })
	if len(missing) > 0 {
		first, others, object := missing[0].Table, "", "it"
		if n := len(missing) - 1; n > 0 {
			others, object = fmt.Sprintf(", and %d more %s missing", n, map[bool]string{true: "is", false: "are"}[n == 1]), "them"
		}
		return &store.Error{
			Class: store.TableMissing, Table: first, Problem: "table " + first + " does not exist" + others,
			Advice: "to create " + object + ", run " + v.SchemaCommand("table", "create"),
		}
	}
	for _, c := range checks {
		if len(c.MissingIndexes) > 0 {
			return &store.Error{
				Class: store.IndexMissing, Table: c.Table, Index: c.MissingIndexes[0],
				Problem: "table " + c.Table + " has no index " + strings.Join(c.MissingIndexes, ", "),
				Advice:  "add it with other tools, because ddbdesk does not change existing tables",
			}
		}
	}
	return nil
}
