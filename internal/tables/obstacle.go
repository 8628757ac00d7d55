package tables

import (
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// An Obstacle is a known reason why a request will fail. It does not prevent the request, which may work by now.
type Obstacle struct {
	Problem string // such as "no permission: dynamodb:Query on …/index/byDate"
	Advice  string // remedy for the user, or ""
	Refused bool   // a policy, rather than the state of the tables, causes it
}

// String returns the obstacle with its advice on one line.
func (o *Obstacle) String() string {
	if o.Advice == "" {
		return o.Problem
	}
	separator := ": "
	if strings.Contains(o.Problem, separator) {
		separator = "; "
	}
	return o.Problem + separator + o.Advice
}

// Obstacle returns a known obstacle to a read pattern, or nil. A nil result does not guarantee that the pattern works.
// Obstacle sends no requests.
func (c *Catalog) Obstacle(p *accesspatterns.Pattern) *Obstacle { return c.ObstacleTo(p, p.Read) }

// ObstacleTo works like Obstacle for one of the pattern's requests.
func (c *Catalog) ObstacleTo(p *accesspatterns.Pattern, read accesspatterns.Read) *Obstacle {
	if p.Table == nil || !p.IsRead() {
		return nil
	}
	if o := c.tableObstacle(p.Table, read.Index); o != nil {
		return o
	}
	return c.denialObstacle(read.Permissions(p.Table))
}

// ObstacleToChange returns a known obstacle to applying an action, or nil. An action may read and write several tables.
// Write permissions matter only if the session may change items.
func (c *Catalog) ObstacleToChange(a *change.Action) *Obstacle {
	for _, p := range append(a.PlanPermissions(), a.CommitPermissions()...) {
		if t := c.table(p.Table); t != nil {
			if o := c.tableObstacle(t, nil); o != nil {
				return o
			}
		}
	}
	if o := c.denialObstacle(a.PlanPermissions()); o != nil {
		return o
	}
	if c.s.CanChange(a) != nil {
		return nil // it is never sent, and CanChange returns the reason
	}
	return c.denialObstacle(a.CommitPermissions())
}

// ObstacleToDrift returns a known obstacle to a drift search of a table, or nil.
func (c *Catalog) ObstacleToDrift(t *models.Table) *Obstacle {
	if o := c.tableObstacle(t, nil); o != nil {
		return o
	}
	return c.denialObstacle(session.TablePermission("Scan", t.Name))
}

// denialObstacle treats a permission as granted until a request needs it.
func (c *Catalog) denialObstacle(needed []accesspatterns.Permission) *Obstacle {
	d := c.s.Denials().First(needed)
	if d == nil {
		return nil
	}
	return &Obstacle{Problem: d.Problem(), Advice: d.Advice(), Refused: true}
}

func (c *Catalog) tableObstacle(t *models.Table, x *models.Index) *Obstacle {
	c.mu.Lock()
	check, known := c.checks[t.Name]
	c.mu.Unlock()
	switch {
	case !known:
		return nil
	case check.Missing:
		return &Obstacle{
			Problem: "table " + t.Name + " does not exist",
			Advice:  c.create(),
		}
	case check.info == nil:
		return nil
	}
	if reason := notReadable(check.info.Status); reason != "" {
		return &Obstacle{Problem: "table " + t.Name + " " + reason}
	}
	if x == nil {
		if check.info.PartitionKey != t.PartitionKey || check.info.SortKey != t.SortKey {
			return &Obstacle{
				Problem: "the key of table " + t.Name + " is " + DescribeKey(check.info.PartitionKey, check.info.SortKey),
				Advice:  "the schema expects " + DescribeKey(t.PrimaryKeys()...),
			}
		}
		return nil
	}
	return indexObstacle(t, x, check.info)
}

// indexObstacle accepts other names of key attributes, because a schema may omit some of them.
func indexObstacle(t *models.Table, x *models.Index, info *store.TableInfo) *Obstacle {
	live, ok := info.Index(x.Name)
	switch {
	case !ok:
		advice := "create the index"
		if x.Optional {
			advice = "the schema marks it as optional"
		}
		return &Obstacle{Problem: "table " + t.Name + " has no index " + x.Name, Advice: advice}
	case notReadable(live.Status) != "":
		return &Obstacle{Problem: "index " + x.Name + " of " + t.Name + " " + notReadable(live.Status)}
	case !haveSameTypes(live.PartitionKeys, x.PartitionKeys), len(x.SortKeys) > 0 && !haveSameTypes(live.SortKeys, x.SortKeys):
		return &Obstacle{
			Problem: "the key of index " + x.Name + " is " + DescribeKeys(live.PartitionKeys, live.SortKeys),
			Advice:  "the schema expects " + DescribeKeys(x.PartitionKeys, x.SortKeys),
		}
	}
	return nil
}

func haveSameTypes(a, b []models.Key) bool {
	return slices.EqualFunc(a, b, func(x, y models.Key) bool { return x.Type == y.Type })
}

// Summary summarizes the comparison. ok is false if a pattern cannot work, or if a table could not be compared.
func (l *Comparison) Summary() (text string, ok bool) {
	var missing, differ, unknown []string
	for _, c := range l.Checks {
		switch {
		case c.Missing:
			missing = append(missing, c.Table)
		case len(c.Differences) > 0:
			more := ""
			if len(c.Differences) > 1 {
				more = ", and more"
			}
			differ = append(differ, c.Table+" ("+c.Differences[0]+more+")")
		case c.NotCompared != "":
			unknown = append(unknown, c.Table)
		}
	}
	switch {
	case l.Err != nil:
		return "not compared: " + l.Err.Error(), false
	case len(missing) > 0:
		return "missing: " + strings.Join(missing, ", "), false
	case len(differ) > 0:
		return "differ from the schema: " + strings.Join(differ, ", "), false
	case len(unknown) == len(l.Checks) && len(unknown) > 1:
		return "not compared: " + l.missingPermissions(), false
	case len(unknown) > 0:
		return "not compared: " + l.missingPermissions() + " for " + strings.Join(unknown, ", "), false
	}
	return "match the schema", true
}

func (l *Comparison) missingPermissions() string {
	var list []string
	for _, c := range l.Checks {
		for _, action := range c.Denied {
			list = models.AppendOnce(list, action)
		}
	}
	if len(list) == 0 {
		return "access denied"
	}
	return "no permission " + strings.Join(list, ", ")
}
