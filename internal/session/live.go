// This file tells what stands in the way of a pattern or an action, before it
// is tried: how the live tables compare with the profile, and what the store
// refused.

package session

import (
	"context"
	"slices"
	"strings"
	"time"

	core "github.com/ddbdesk/ddbdesk/internal/core"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// Live is how the tables of a connection compare with the profile.
type Live struct {
	Checks []TableCheck
	Err    error // why not all of them could be compared, but for missing permissions
	At     time.Time
}

// Live compares the tables, with two requests for each. The session remembers
// the answer: Obstacle tells what follows from it.
func (s *Session) Live(ctx context.Context) *Live {
	checks, err := s.CheckTables(ctx)
	if store.ClassOf(err) == store.AccessDenied {
		err = nil // Each table's check says so.
	}
	l := &Live{Checks: checks, Err: err, At: s.Now()}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.checks = map[string]TableCheck{}
	for _, c := range checks {
		s.checks[c.Table] = c
	}
	s.compared++
	return l
}

// learn takes in what a table is like now.
func (s *Session) learn(table string, info store.TableInfo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tables[table] = info
	i := slices.IndexFunc(s.Profile().Tables, func(t *models.Table) bool { return t.Name == table })
	old, known := s.checks[table]
	if !known || i < 0 {
		return
	}
	now := compareTable(s.Profile().Tables[i], &info)
	now.ttl = old.ttl
	now.Differences = append(now.Differences, old.ttl...)
	s.checks[table] = now
	if old.info == nil || !slices.Equal(old.Differences, now.Differences) {
		s.compared++
	}
}

// settled reports whether what a table is like need not be asked again: it can
// be read, and every index of the profile is there and answers.
func (s *Session) settled(table string, info store.TableInfo) bool {
	i := slices.IndexFunc(s.Profile().Tables, func(t *models.Table) bool { return t.Name == table })
	if i < 0 {
		return true
	}
	return notReadable(info.Status) == "" && !slices.ContainsFunc(s.Profile().Tables[i].Indexes, func(x *models.Index) bool {
		live, ok := info.Index(x.Name)
		return !ok || notAnswering(live.Status) != ""
	})
}

// Known is a number that changes whenever an Obstacle may have come or gone.
func (s *Session) Known() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Denials().Version() + s.compared
}

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
func (s *Session) Obstacle(p *accesspatterns.Pattern) *Obstacle { return s.ObstacleTo(p, p.Read) }

// ObstacleTo is Obstacle of one of the pattern's requests.
func (s *Session) ObstacleTo(p *accesspatterns.Pattern, read accesspatterns.Read) *Obstacle {
	if p.Table == nil || !p.IsRead() {
		return nil
	}
	if o := s.inTable(p.Table, read.Index); o != nil {
		return o
	}
	return s.lacking(read.Permissions(p.Table))
}

// ObstacleToChange returns what is known against carrying out an action, nil
// for nothing.
func (s *Session) ObstacleToChange(a *accesspatterns.Action) *Obstacle {
	for _, p := range append(a.PlanPermissions(), a.CommitPermissions()...) {
		i := slices.IndexFunc(s.Profile().Tables, func(t *models.Table) bool { return t.Name == p.Table })
		if i < 0 {
			continue
		}
		if o := s.inTable(s.Profile().Tables[i], nil); o != nil {
			return o
		}
	}
	if o := s.lacking(a.PlanPermissions()); o != nil {
		return o
	}
	if s.CanChange(a) != nil {
		return nil // It is not sent at all: a role's own words say why.
	}
	return s.lacking(a.CommitPermissions())
}

// ObstacleToDrift returns what is known against looking for drift in a table,
// nil for nothing.
func (s *Session) ObstacleToDrift(t *models.Table) *Obstacle {
	if o := s.inTable(t, nil); o != nil {
		return o
	}
	return s.lacking(core.OnTable("Scan", t.Name))
}

// TableMissing reports whether err says that a table is not there.
func TableMissing(err error) bool { return store.ClassOf(err) == store.TableMissing }

// lacking returns the obstacle of the first permission that was denied.
func (s *Session) lacking(needed []accesspatterns.Permission) *Obstacle {
	d := s.Denials().First(needed)
	if d == nil {
		return nil
	}
	return &Obstacle{What: d.What(), Advice: d.Advice(), Refused: true}
}

// inTable returns what the live table, or its index x when that is not nil, has
// against being asked.
func (s *Session) inTable(t *models.Table, x *models.Index) *Obstacle {
	s.mu.Lock()
	c, known := s.checks[t.Name]
	s.mu.Unlock()
	switch {
	case !known:
		return nil
	case c.Missing:
		return &Obstacle{What: "there is no table " + t.Name + " here", Advice: "ddbdesk table create " + core.SchemaName(s.Profile()) + " makes it"}
	case c.info == nil:
		return nil
	}
	if why := notReadable(c.info.Status); why != "" {
		return &Obstacle{What: "table " + t.Name + ": " + why}
	}
	if x == nil {
		if c.info.PartitionKey != t.PartitionKey || c.info.SortKey != t.SortKey {
			return &Obstacle{What: "the key of " + t.Name + " is " + keyName(c.info.PartitionKey, c.info.SortKey), Advice: "the profile says " + keyName(t.PartitionKey, t.SortKey)}
		}
		return nil
	}
	return inIndex(t, x, c.info)
}

// inIndex is inTable of an index. Key attributes of other names are no obstacle:
// a document leaves some of them open.
func inIndex(t *models.Table, x *models.Index, info *store.TableInfo) *Obstacle {
	live, ok := info.Index(x.Name)
	switch {
	case !ok && x.Optional:
		return &Obstacle{What: "the table " + t.Name + " has no index " + x.Name + " here", Advice: "it is optional in the document"}
	case !ok:
		return &Obstacle{What: "the table " + t.Name + " has no index " + x.Name + " here", Advice: "add it to the table"}
	case notAnswering(live.Status) != "":
		return &Obstacle{What: "index " + x.Name + " of " + t.Name + " " + notAnswering(live.Status)}
	case len(live.Further) > 0, live.PartitionKey.Type != x.PartitionKey.Type, x.SortKey.Name != "" && live.SortKey.Type != x.SortKey.Type:
		return &Obstacle{
			What:   "the key of index " + x.Name + " is " + keyName(live.PartitionKey, live.SortKey, live.Further...),
			Advice: "the profile says " + keyName(x.PartitionKey, x.SortKey),
		}
	}
	return nil
}

// Summary says in a few words what was found; good is false when something
// cannot work or could not be compared.
func (l *Live) Summary() (text string, good bool) {
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
		return "could not be compared: " + l.Err.Error(), false
	case len(missing) > 0:
		return "not there: " + strings.Join(missing, ", "), false
	case len(differ) > 0:
		return "differ from the document: " + strings.Join(differ, ", "), false
	case len(unknown) == len(l.Checks) && len(unknown) > 1:
		return "not compared, " + l.lacks(), false
	case len(unknown) > 0:
		return "not compared, " + l.lacks() + ": " + strings.Join(unknown, ", "), false
	}
	return "as the document says", true
}

// lacks names the permissions that comparing lacked.
func (l *Live) lacks() string {
	var list []string
	for _, c := range l.Checks {
		for _, action := range c.Denied {
			if !slices.Contains(list, action) {
				list = append(list, action)
			}
		}
	}
	if len(list) == 0 {
		return "the store refused to describe them"
	}
	return "no permission " + strings.Join(list, ", ")
}

func more(n int) string {
	if n < 1 {
		return ""
	}
	return ", and more"
}
