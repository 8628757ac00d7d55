package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/dustin/go-humanize"

	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// An exportStore is the temporary store with the items of the exports in a folder. It is removed when the program ends.
type exportStore struct {
	db *embedded.Store

	mu     sync.Mutex
	loaded map[string]bool // by the tables of profiles
}

// openExport returns a store in which items do not expire.
func (s *stores) openExport(dir string) (*exportStore, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x := s.exports[dir]; x != nil {
		return x, nil
	}
	db, err := embedded.Open(caseStore())
	if err != nil {
		return nil, &store.Error{Class: store.Config, What: err.Error(), Err: err}
	}
	if s.exports == nil {
		s.exports = map[string]*exportStore{}
	}
	x := &exportStore{db: db, loaded: map[string]bool{}}
	s.exports[dir] = x
	return x, nil
}

func (s *stores) dropExport(dir string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x := s.exports[dir]; x != nil {
		_ = x.db.Close() // It is temporary, and nothing was read from it.
		delete(s.exports, dir)
	}
}

// loadExport needs a profile, which says how to read the exports.
func (a *app) loadExport(ctx context.Context, p *profiles.Profile, conn *store.Connection) error {
	if p == nil {
		return &session.Refusal{Why: "an export can only be read with a schema", Next: "omit --from-export"}
	}
	dir := conn.Describe().Endpoint
	x, err := a.stores.openExport(dir)
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	id := fmt.Sprint(models.NamesOf(p.Tables, func(t *models.Table) string { return t.Name }))
	if x.loaded[id] {
		return nil
	}
	var read, all atomic.Int64
	end := func() {}
	if a.console == nil {
		end = a.showLine(func() string {
			if all.Load() == 0 {
				return ""
			}
			return fmt.Sprintf("%d%% · %s of %s items of the export",
				100*read.Load()/all.Load(), humanize.Comma(read.Load()), humanize.Comma(all.Load()))
		})
	}
	list, err := items.LoadExports(ctx, conn, p, dir, func(done, total int) {
		read.Store(int64(done))
		all.Store(int64(total))
	})
	end()
	if err != nil {
		if len(x.loaded) == 0 {
			a.stores.dropExport(dir) // so that the next attempt begins with an empty store
		}
		return err
	}
	x.loaded[id] = true
	if a.console == nil {
		for _, e := range list {
			a.Notef("export of table %s of %s: %s items", e.Table.Name, e.Time, humanize.Comma(int64(e.Items)))
		}
	}
	return nil
}
