package main

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/dustin/go-humanize"

	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// exportPrefix is the name prefix of the temporary store for the exports in a folder. The program removes the store
// when it ends.
const exportPrefix = "export:"

func (s *stores) dropExport(dir string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if db := s.embedded[exportPrefix+dir]; db != nil {
		_ = db.Close() // The store is temporary, and nothing has read it.
		delete(s.embedded, exportPrefix+dir)
	}
}

// loadExport requires a schema, because it describes how to read the exports.
func (a *app) loadExport(ctx context.Context, p *profiles.Profile, conn *store.Connection) error {
	if p == nil {
		return &session.Refusal{
			Reason: "ddbdesk reads an export only with a schema",
			Advice: "use the schema of its tables, or omit --from-export",
		}
	}
	dir, s := conn.Describe().Endpoint, a.stores
	s.loadMu.Lock()
	defer s.loadMu.Unlock()
	id := fmt.Sprint(models.MapSlice(p.Tables, func(t *models.Table) string { return t.Name }))
	if slices.Contains(s.loaded[dir], id) {
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
		if len(s.loaded[dir]) == 0 {
			s.dropExport(dir) // so that the next attempt begins with an empty store
		}
		return err
	}
	if s.loaded == nil {
		s.loaded = map[string][]string{}
	}
	s.loaded[dir] = append(s.loaded[dir], id)
	if a.console == nil {
		for _, e := range list {
			a.Notef("export of table %s from %s: %s items", e.Table.Name, e.Time, humanize.Comma(int64(e.Items)))
		}
	}
	return nil
}
