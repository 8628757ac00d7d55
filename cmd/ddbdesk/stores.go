// This file keeps the embedded stores that are open: a console may go from one
// context to another, and each folder is opened once.

package main

import (
	"sync"

	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/store"
)

// stores are embedded stores by their folder; the one in memory has none.
type stores struct {
	mu   sync.Mutex
	open map[string]*embedded.Store
}

// get returns the store of a folder, opened when it is not yet.
func (s *stores) get(o embedded.Options) (*embedded.Store, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if db := s.open[o.Path]; db != nil {
		return db, nil
	}
	db, err := embedded.Open(o)
	if err != nil {
		return nil, &store.Error{Class: store.Config, What: err.Error(), Err: err}
	}
	if s.open == nil {
		s.open = map[string]*embedded.Store{}
	}
	s.open[o.Path] = db
	return db, nil
}

// close closes all of them and returns what went wrong.
func (s *stores) close() []error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for path, db := range s.open {
		if err := db.Close(); err != nil {
			errs = append(errs, err)
		}
		delete(s.open, path)
	}
	return errs
}
