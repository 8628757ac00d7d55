package tables

import (
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	session "github.com/ddbdesk/ddbdesk/internal/core"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// An Obstacle is what is known against something before it is tried. It never
// blocks anything: tables and policies change, so trying asks anew.
type Obstacle struct {
	What    string // "no permission: dynamodb:Query on …/index/byDate"
	Advice  string // what a person can do about it, "" when nothing
	Refused bool   // by a policy; else by what the tables are like
}

// String is the obstacle in one sentence.
func (o *Obstacle) String() string {
	if o.Advice == "" {
		return o.What
	}
	separator := ": "
	if strings.Contains(o.What, separator) {
		separator = "; "
	}
	return o.What + separator + o.Advice
}

// Obstacle returns what is known against a pattern that reads, nil for nothing.
// It sends nothing.
func (c *Catalog) Obstacle(p *accesspatterns.Pattern) *Obstacle { return c.ObstacleTo(p, p.Read) }

// ObstacleTo is Obstacle of one of the pattern's requests.
func (c *Catalog) ObstacleTo(p *accesspatterns.Pattern, read accesspatterns.Read) *Obstacle {
	if p.Table == nil || !p.IsRead() {
		return nil
	}
	if o := c.inTable(p.Table, read.Index); o != nil {
		return o
	}
	return c.denied(read.Permissions(p.Table))
}

// ObstacleToChange returns what is known against carrying out an action, nil
// for nothing.
func (c *Catalog) ObstacleToChange(a *change.Action) *Obstacle {
	for _, p := range append(a.PlanPermissions(), a.CommitPermissions()...) {
		i := slices.IndexFunc(c.s.Profile().Tables, func(t *models.Table) bool { return t.Name == p.Table })
		if i < 0 {
			continue
		}
		if o := c.inTable(c.s.Profile().Tables[i], nil); o != nil {
			return o
		}
	}
	if o := c.denied(a.PlanPermissions()); o != nil {
		return o
	}
	if c.s.CanChange(a) != nil {
		return nil // It is not sent at all: a role's own words say why.
	}
	return c.denied(a.CommitPermissions())
}

// ObstacleToDrift returns what is known against looking for drift in a table,
// nil for nothing.
func (c *Catalog) ObstacleToDrift(t *models.Table) *Obstacle {
	if o := c.inTable(t, nil); o != nil {
		return o
	}
	return c.denied(session.OnTable("Scan", t.Name))
}

// denied returns the obstacle of the first permission that was denied.
func (c *Catalog) denied(needed []accesspatterns.Permission) *Obstacle {
	d := c.s.Denials().First(needed)
	if d == nil {
		return nil
	}
	return &Obstacle{What: d.What(), Advice: d.Advice(), Refused: true}
}

// inTable returns what the live table, or its index x when that is not nil, has
// against being asked.
func (c *Catalog) inTable(t *models.Table, x *models.Index) *Obstacle {
	c.mu.Lock()
	check, known := c.checks[t.Name]
	c.mu.Unlock()
	switch {
	case !known:
		return nil
	case check.Missing:
		return &Obstacle{What: "table " + t.Name + " does not exist", Advice: "create it with ddbdesk table create " + session.SchemaName(c.s.Profile())}
	case check.info == nil:
		return nil
	}
	if why := notReadable(check.info.Status); why != "" {
		return &Obstacle{What: "table " + t.Name + " " + why}
	}
	if x == nil {
		if check.info.PartitionKey != t.PartitionKey || check.info.SortKey != t.SortKey {
			return &Obstacle{What: "the key of table " + t.Name + " is " + DescribeKey(check.info.PartitionKey, check.info.SortKey), Advice: "the schema expects " + DescribeKey(t.PartitionKey, t.SortKey)}
		}
		return nil
	}
	return inIndex(t, x, check.info)
}

// inIndex is inTable of an index. Key attributes of other names are no obstacle:
// a document leaves some of them open.
func inIndex(t *models.Table, x *models.Index, info *store.TableInfo) *Obstacle {
	live, ok := info.Index(x.Name)
	switch {
	case !ok && x.Optional:
		return &Obstacle{What: "table " + t.Name + " has no index " + x.Name, Advice: "the schema marks it as optional"}
	case !ok:
		return &Obstacle{What: "table " + t.Name + " has no index " + x.Name, Advice: "create the index"}
	case notAnswering(live.Status) != "":
		return &Obstacle{What: "index " + x.Name + " of " + t.Name + " " + notAnswering(live.Status)}
	case len(live.Further) > 0, live.PartitionKey.Type != x.PartitionKey.Type, x.SortKey.Name != "" && live.SortKey.Type != x.SortKey.Type:
		return &Obstacle{
			What:   "the key of index " + x.Name + " is " + DescribeKey(live.PartitionKey, live.SortKey, live.Further...),
			Advice: "the schema expects " + DescribeKey(x.PartitionKey, x.SortKey),
		}
	}
	return nil
}

// Summary says in a few words what was found; good is false when something
// cannot work or could not be compared.
func (l *Comparison) Summary() (text string, good bool) {
	var missing, differ, unknown []string
	for _, c := range l.Checks {
		switch {
		case c.Missing:
			missing = append(missing, c.Table)
		case len(c.Differences) > 0:
			differ = append(differ, c.Table+" ("+c.Differences[0]+more(len(c.Differences)-1)+")")
		case c.NotCompared != "":
			unknown = append(unknown, c.Table)
		}
	}
	switch {
	case l.Err != nil:
		return "comparison failed: " + l.Err.Error(), false
	case len(missing) > 0:
		return "missing: " + strings.Join(missing, ", "), false
	case len(differ) > 0:
		return "differ from the schema: " + strings.Join(differ, ", "), false
	case len(unknown) == len(l.Checks) && len(unknown) > 1:
		return "not compared: " + l.lacks(), false
	case len(unknown) > 0:
		return "not compared: " + l.lacks() + " for " + strings.Join(unknown, ", "), false
	}
	return "match the schema", true
}

// lacks names the permissions that comparing lacked.
func (l *Comparison) lacks() string {
	var list []string
	for _, c := range l.Checks {
		for _, action := range c.Denied {
			if !slices.Contains(list, action) {
				list = append(list, action)
			}
		}
	}
	if len(list) == 0 {
		return "access denied"
	}
	return "no permission " + strings.Join(list, ", ")
}

func more(n int) string {
	if n < 1 {
		return ""
	}
	return ", and more"
}
