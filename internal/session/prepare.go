// This file prepares a database for a profile: tables and sample data. It
// takes the connection itself, because a session's reader cannot write.

package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// CreateTables creates the tables of the profile that are missing and returns
// their names.
func CreateTables(ctx context.Context, p *profiles.Profile, c *store.Connection) ([]string, error) {
	live, err := c.Reader().Tables(ctx)
	if err != nil {
		return nil, err
	}
	there := map[string]bool{}
	for _, name := range live {
		there[name] = true
	}
	var created []string
	for _, t := range p.Tables {
		if there[t.Name] {
			continue
		}
		if err := c.Admin().CreateTable(ctx, t); err != nil {
			return created, err
		}
		created = append(created, t.Name)
	}
	return created, nil
}

// Seed puts the profile's sample data and returns how many items it put.
func Seed(ctx context.Context, p *profiles.Profile, c *store.Connection, o profiles.SampleOptions) (int, error) {
	samples, err := p.Samples(o)
	if err != nil {
		return 0, err
	}
	byTable := map[*models.Table][]models.Item{}
	for _, s := range samples {
		byTable[s.Table] = append(byTable[s.Table], s.Item)
	}
	n := 0
	for _, t := range p.Tables {
		items := byTable[t]
		if len(items) == 0 {
			continue
		}
		if err := c.Admin().PutItems(ctx, t.Name, items); err != nil {
			return n, err
		}
		n += len(items)
	}
	return n, nil
}

// A TableCheck compares a live table with the profile.
type TableCheck struct {
	Table            string   `json:"table"`
	Missing          bool     `json:"missing"`
	Differences      []string `json:"differences"`
	MissingIndexes   []string `json:"missingIndexes"` // those that the document does not call optional
	OptionalAbsent   []string `json:"optionalAbsent"` // those that it does
	ApproximateItems int64    `json:"approximateItems"`
}

// CheckTables compares every table of the profile with the live one.
func (s *Session) CheckTables(ctx context.Context) ([]TableCheck, error) {
	checks := make([]TableCheck, 0, len(s.o.Profile.Tables))
	for _, t := range s.o.Profile.Tables {
		info, err := s.o.Store.DescribeTable(ctx, t.Name)
		c := TableCheck{Table: t.Name, Differences: []string{}, MissingIndexes: []string{}, OptionalAbsent: []string{}}
		var e *store.Error
		switch {
		case errors.As(err, &e) && e.Class == store.TableMissing:
			c.Missing = true
		case err != nil:
			return checks, err
		default:
			c.ApproximateItems = info.ApproximateItems
			c.Differences = append(c.Differences, differences(t, info)...)
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
			ttl, err := s.ttlDifference(ctx, t)
			if err != nil {
				return checks, err
			}
			c.Differences = append(c.Differences, ttl...)
		}
		checks = append(checks, c)
	}
	return checks, nil
}

func differences(t *models.Table, live store.TableInfo) []string {
	var list []string
	if live.PartitionKey != t.PartitionKey || live.SortKey != t.SortKey {
		list = append(list, fmt.Sprintf("its key is %s, the profile says %s", keyName(live.PartitionKey, live.SortKey), keyName(t.PartitionKey, t.SortKey)))
	}
	for _, x := range t.Indexes {
		lx, ok := live.Index(x.Name)
		switch {
		case !ok && x.Optional:
			list = append(list, "optional index "+x.Name+" is not there: its patterns cannot run")
		case !ok:
			list = append(list, "index "+x.Name+" is missing: its patterns cannot run")
		case lx.PartitionKey != x.PartitionKey || lx.SortKey != x.SortKey:
			list = append(list, fmt.Sprintf("the key of index %s is %s, the profile says %s", x.Name, keyName(lx.PartitionKey, lx.SortKey), keyName(x.PartitionKey, x.SortKey)))
		case x.Projection != models.ProjectionUnknown && lx.Projection != x.Projection:
			list = append(list, fmt.Sprintf("index %s projects %s, the profile says %s", x.Name, lx.Projection, x.Projection))
		}
	}
	return list
}

func keyName(partition, sort models.Key) string {
	if sort.Name == "" {
		return partition.Name + " (" + string(partition.Type) + ")"
	}
	return fmt.Sprintf("%s (%s), %s (%s)", partition.Name, partition.Type, sort.Name, sort.Type)
}

// ttlDifference compares the attribute that expires items. Its name is
// case-sensitive: with TTL enabled on another one nothing ever expires.
func (s *Session) ttlDifference(ctx context.Context, t *models.Table) ([]string, error) {
	if t.TTL == "" {
		return nil, nil
	}
	attribute, enabled, err := s.o.Store.DescribeTTL(ctx, t.Name)
	if err != nil {
		return nil, err
	}
	switch {
	case !enabled:
		return []string{"TTL is off: items whose " + t.TTL + " has passed stay"}, nil
	case attribute != t.TTL:
		return []string{fmt.Sprintf("TTL looks at %s, the items carry %s: nothing expires", attribute, t.TTL)}, nil
	}
	return nil, nil
}
