package tables

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// Create creates the missing tables of the schema and returns their real names. It needs the connection, because a
// session's store cannot write. It waits until each table is ACTIVE before it creates the next; with indexes, AWS may
// need minutes for each. After an error, the tables before it exist. Create does not modify existing tables, even if
// they differ from the schema.
func Create(ctx context.Context, p *profiles.Profile, c *store.Connection) ([]string, error) {
	live, err := c.Reader().Tables(ctx)
	if err != nil {
		return nil, session.NameSchema(session.Options{Profile: p, Target: c.Describe()}, err)
	}
	var created []string
	for _, t := range p.Tables {
		if slices.Contains(live, t.Name) {
			continue
		}
		if err := c.Admin().CreateTable(ctx, t); err != nil {
			return created, session.NameSchema(session.Options{Profile: p, Target: c.Describe()}, err)
		}
		created = append(created, t.Name)
	}
	return created, nil
}

// CreateLocal creates the missing tables if the database is on this machine.
func CreateLocal(ctx context.Context, p *profiles.Profile, c *store.Connection) error {
	if !c.Describe().IsLocal() {
		return nil
	}
	_, err := Create(ctx, p, c)
	return err
}

// SeedResult is the result of Seed.
type SeedResult struct {
	Written  int // number of new items
	Skipped  int // number of items that it skipped because their keys existed
	Replaced int // number of existing items whose values it replaced
}

// String describes the result for the journal.
func (s SeedResult) String() string {
	text := fmt.Sprintf("%s written, %d already existed", english.Plural(s.Written, "item", ""), s.Skipped)
	if s.Replaced > 0 {
		text += fmt.Sprintf(", %d replaced", s.Replaced)
	}
	return text
}

// AddTo adds to err the numbers of items that were written before it. It returns err unchanged if no item was written.
func (s SeedResult) AddTo(err error) error {
	if err == nil || s == (SeedResult{}) {
		return err
	}
	return &partError{fmt.Sprintf("failed after %s: %s; run the same command again to continue", s,
		strings.TrimPrefix(err.Error(), change.NothingWritten)), err}
}

// A partError is the error of a command that has already written something.
type partError struct {
	text string
	err  error
}

func (e *partError) Error() string { return e.text }
func (e *partError) Unwrap() error { return e.err }

// Seed writes the sample data of the schema where no item exists. If it returns an error, the result counts the items
// that DynamoDB certainly wrote. Equal options produce equal items, so a second run skips all of them.
func Seed(ctx context.Context, p *profiles.Profile, c *store.Connection, o sample.Options) (SeedResult, error) {
	var done SeedResult
	samples, err := sample.Items(p, o)
	if err != nil {
		return done, err
	}
	byTable := map[*models.Table][]models.Item{}
	for _, s := range samples {
		byTable[s.Table] = append(byTable[s.Table], s.Item)
	}
	for _, t := range p.Tables {
		written, existed, err := c.Admin().PutNew(ctx, t, byTable[t])
		done.Written, done.Skipped = done.Written+written, done.Skipped+existed
		if err != nil {
			return done, session.NameSchema(session.Options{Profile: p, Target: c.Describe()}, err)
		}
	}
	return done, nil
}
