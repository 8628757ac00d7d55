// This file keeps what a console opens once, however often it goes from one
// schema or context to another: embedded stores, and connections that a person
// gave a code for.

package main

import (
	"sync"

	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/store"
)

// stores are embedded stores by their folder; the one in memory has none.
type stores struct {
	mu    sync.Mutex
	open  map[string]*embedded.Store
	coded map[string]*store.Connection // by the AWS profile
}

// keep remembers a connection that a code was given for.
func (s *stores) keep(profile string, c *store.Connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.coded == nil {
		s.coded = map[string]*store.Connection{}
	}
	s.coded[profile] = c
}

// signedIn is the connection of a profile that a code was given for, nil without
// one.
func (s *stores) signedIn(profile string) *store.Connection {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.coded[profile]
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
