package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/raw"
	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/internal/ops/schema"
	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui"
)

// tableTimeout limits the wait for the description of a table if a name is not a schema.
const tableTimeout = 20 * time.Second

// tablePrefix makes a name refer to a table, even if a schema has that name or covers the table.
const tablePrefix = "table:"

// Profile tries a built-in schema, a file, a user's schema, the schema of a table with that name, and the table alone.
func (a *app) Profile(name string) (*profiles.Profile, error) {
	table, hasPrefix := strings.CutPrefix(name, tablePrefix)
	var unknown *profiles.UnknownError
	if !hasPrefix {
		p, err := a.schema(name)
		var ok bool
		if unknown, ok = errors.AsType[*profiles.UnknownError](err); !ok {
			return p, err
		}
		if p := a.coveringSchema(name); p != nil {
			return p, nil
		}
		if !unknown.MayBeTable() {
			return nil, err
		}
	}
	if !models.IsTableName(table) {
		return nil, session.InputErrorf("%s is not a table name; use 3 to 255 letters, digits, '_', '.' and '-'", models.Printable(name))
	}
	p, err := a.schemaless(table)
	switch {
	case err == nil || unknown == nil:
	case unknown.HasNearName(), unknown.IsFolder() && store.ClassOf(err) == store.Config:
		return nil, unknown // A typing error or a folder is more likely than a table.
	case store.ClassOf(err) == store.TableMissing:
		unknown.NoTable = true
		return nil, unknown
	}
	return p, err
}

// Table returns a table with the schema that covers it, or otherwise with a schema derived from its description.
func (a *app) Table(name string) (*profiles.Profile, *models.Table, error) {
	table, hasPrefix := strings.CutPrefix(name, tablePrefix)
	if !models.IsTableName(table) {
		return nil, nil, session.InputErrorf("%s is not a table name; use 3 to 255 letters, digits, '_', '.' and '-'",
			models.Printable(name))
	}
	var p *profiles.Profile
	if !hasPrefix {
		p = a.coveringSchema(table)
	}
	if p == nil {
		var err error
		p, err = a.schemaless(table)
		if known, schemaErr := a.schema(table); store.ClassOf(err) == store.TableMissing && schemaErr == nil && !hasPrefix {
			names := models.MapSlice(known.Tables, func(t *models.Table) string { return t.Name })
			return nil, nil, session.InputErrorf("%s is a schema; name a table: %s", table, strings.Join(names, ", "))
		}
		if err != nil {
			return nil, nil, err
		}
	}
	for _, t := range p.Tables {
		if t.Name == table {
			return p, t, nil
		}
	}
	return nil, nil, fmt.Errorf("the schema of table %s lacks the table", table) // not reached
}

func (a *app) coveringSchema(table string) *profiles.Profile {
	if found := a.coveringSchemas(table); len(found) == 1 {
		return found[0]
	}
	return nil
}

func (a *app) coveringSchemas(table string) []*profiles.Profile {
	list, _ := a.everyProfile() // A schema that cannot be read covers nothing.
	return slices.DeleteFunc(list, func(p *profiles.Profile) bool {
		return !slices.ContainsFunc(p.Tables, func(t *models.Table) bool { return t.Name == table })
	})
}

func (a *app) schemaless(table string) (*profiles.Profile, error) {
	ctx, cancel := context.WithTimeout(context.Background(), tableTimeout)
	defer cancel()
	conn, err := a.connectFor(ctx, nil)
	if err != nil {
		return nil, err
	}
	return a.schemalessOn(ctx, conn, table)
}

// schemalessOn shows support only keys on production and while a schema has errors, and masks as known schemas do.
func (a *app) schemalessOn(ctx context.Context, conn *store.Connection, table string) (*profiles.Profile, error) {
	known, incomplete := a.everyProfile()
	covering, err := a.withRequests(table, known)
	if err != nil {
		return nil, err
	}
	key, err := keyOf(a.flags.key)
	if err != nil {
		return nil, session.InputErrorf("--key: %v", err)
	}
	p, err := schema.Schemaless(ctx, conn.Reader(), table, covering, key)
	if store.ClassOf(err) == store.AccessDenied && key == nil {
		if a.console == nil {
			return nil, fmt.Errorf("%w, or add its primary key: --key NAME:TYPE,NAME:TYPE", err)
		}
		answers, ok := a.console.ask(ctx, keyForm(table))
		if !ok {
			return nil, err
		}
		key, _ = keyOf(answers[0]) // The form validated it.
		p, err = schema.Schemaless(ctx, conn.Reader(), table, covering, key)
	}
	if err != nil {
		return nil, err
	}
	p.CoveredBy = models.MapSlice(a.coveringSchemas(table), func(p *profiles.Profile) string { return p.Name })
	for _, e := range p.Entities {
		if e.Undocumented = incomplete != nil || a.access(p, conn.Describe()).Production(); e.Undocumented {
			e.Attributes = slices.DeleteFunc(e.Attributes, func(a *models.Attribute) bool {
				return models.KeyPosition(e.Table.KeyAttributes(), a.Name) < 0 // The time-to-live attribute is not a key.
			})
			e.Seal()
		}
	}
	return p, nil
}

// keyOf reads the attributes of a primary key: one or two names with their types, S by default.
func keyOf(text string) (key []models.Key, err error) {
	for _, word := range splitWords(text) {
		n, err := raw.ParseName(word)
		kind := cmp.Or(n.Type, models.TypeS)
		if err != nil || len(n.Path) > 1 || len(key) == 2 || kind == models.TypeBOOL || kind == models.TypeNULL {
			return nil, fmt.Errorf("write one or two attributes with their types: NAME:TYPE,NAME:TYPE; TYPE is S, N or B")
		}
		key = append(key, models.Key{Name: n.Path[0], Type: kind})
	}
	return key, nil
}

func keyForm(table string) tui.Question {
	check := func(answers []string) string {
		if key, err := keyOf(answers[0]); err != nil || key == nil {
			return "write the partition key, and the sort key if there is one: PK, SK or id:N"
		}
		return ""
	}
	text := "Your role is not allowed to describe " + models.Printable(table) +
		". Enter its primary key to read and query items; indexes stay unknown."
	return tui.NewForm("Key of the table", text, check, tui.Field{
		Label: "Key", Placeholder: "NAME:TYPE, NAME:TYPE", Required: true, Width: 44,
	})
}

// withRequests adds the schema of change requests if the table stores them, because a plan can contain personal data.
func (a *app) withRequests(table string, known []*profiles.Profile) ([]*profiles.Profile, error) {
	f, err := a.configuration()
	if err != nil {
		return nil, err
	}
	storesRequests := slices.ContainsFunc(f.Contexts, func(c config.Context) bool { return c.Requests.Table == table }) ||
		table == requests.DefaultTable
	for _, p := range known {
		place, err := requests.PlaceFor(p, "")
		storesRequests = storesRequests || err == nil && place.Table == table
	}
	if !storesRequests {
		return known, nil
	}
	requestsProfile, err := requests.NewProfile(requests.Place{Table: table, PartitionKey: "PK", SortKey: "SK"})
	return append(known, requestsProfile), err
}

// checkSchemaless rejects a schemaless table's schema for a connection to production, where it must not show values.
func (a *app) checkSchemaless(p *profiles.Profile, conn *store.Connection) error {
	showsValues := func(e *models.Entity) bool { return e.ByName != nil && !e.Undocumented }
	if !slices.ContainsFunc(p.Entities, showsValues) || !a.access(p, conn.Describe()).Production() {
		return nil
	}
	return &session.Refusal{
		Reason: fmt.Sprintf("table %s was opened on another connection, and this one is production", models.Printable(p.Name)),
		Advice: "start ddbdesk with this context and the table",
	}
}

// everyProfile returns the first schema of each name. If a schema now has errors, it returns its last valid version.
// The error lists the user's schemas that have errors.
func (s *settings) everyProfile(first ...string) ([]*profiles.Profile, error) {
	files, filesErr := s.reader.Files()
	names := slices.Concat(first, slices.DeleteFunc(profiles.Names(), func(name string) bool { return slices.Contains(first, name) }))
	list, err := s.readProfiles(slices.Concat(names, files))
	if list == nil {
		return nil, err
	}
	faults := []error{filesErr, err}
	fileByName := map[string]string{} // files by the names of schemas
	var unique []*profiles.Profile
	for _, p := range list {
		file, exists := fileByName[p.Name]
		switch {
		case !exists:
			fileByName[p.Name] = p.File
			unique = append(unique, p)
		case file != p.File && slices.Contains(files, p.File):
			faults = append(faults, fmt.Errorf("%s is ignored; %s has the same name: %s", p.File, file, p.Name))
		}
	}
	return unique, errors.Join(faults...)
}

// readProfiles opens schemas in parallel because the user waits for all of them. They need not declare the variables
// of --var. The list is nil if the variables are invalid.
func (s *settings) readProfiles(names []string) ([]*profiles.Profile, error) {
	vars, err := s.variables()
	if err != nil {
		return nil, err
	}
	shared := maps.Clone(vars.Shared)
	if shared == nil {
		shared = map[string]string{}
	}
	maps.Copy(shared, vars.Given)
	list, errs := make([]*profiles.Profile, len(names)), make([]error, len(names))
	var reading sync.WaitGroup
	for i, n := range names {
		reading.Add(1)
		crash.Go("read a profile", func() {
			defer reading.Done()
			if list[i], errs[i] = s.reader.Open(n, profiles.Values{Shared: shared, Environment: vars.Environment}); errs[i] != nil {
				list[i] = s.reader.Last(n)
			}
		})
	}
	reading.Wait()
	list = slices.DeleteFunc(list, func(p *profiles.Profile) bool { return p == nil })
	return slices.Clip(list), errors.Join(errs...)
}

// profileCheckInterval is how often a console checks whether schema files changed.
const profileCheckInterval = 5 * time.Second

func (o *opener) watchProfiles(ended <-chan struct{}, tick <-chan time.Time) <-chan struct{} {
	edits := make(chan struct{})
	lastStamp := o.profileStamp()
	crash.Go("watch the profiles", func() {
		for {
			select {
			case <-ended:
				return
			case <-tick:
			}
			stamp := o.profileStamp()
			if stamp == lastStamp {
				continue
			}
			lastStamp = stamp
			select {
			case edits <- struct{}{}:
			case <-ended:
				return
			}
		}
	})
	return edits
}

func (o *opener) profileStamp() string {
	reader := o.current().reader
	files, err := reader.Files()
	var stamp strings.Builder
	fmt.Fprintln(&stamp, err)
	for _, path := range slices.Concat(o.file, files, reader.Included()) {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprintln(&stamp, path, info.Size(), info.ModTime().UnixNano())
		}
	}
	return stamp.String()
}
