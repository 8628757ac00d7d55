package session

import (
	"cmp"
	"time"
)

// Requests are the settings of a context for change requests.
type Requests struct {
	Table  string        // "" for the table of the profile
	Valid  time.Duration // validity of a request; 0 is the default
	Notify string        // URL to notify of requests and decisions with a POST, "" for none
}

// Requests returns the settings for change requests.
func (s *settings) Requests() Requests { return s.o.Requests }

// RequestsTable returns the table of change requests, which the context or otherwise the profile names; "" for none.
func (s *settings) RequestsTable() string { return cmp.Or(s.o.Requests.Table, s.o.Profile.Requests) }

// NoRequestsTable is the refusal to request changes if no table is configured. Commands that only list requests also
// return it.
func NoRequestsTable() error {
	return &Refusal{
		Why:  "no requests table is configured",
		Next: "set requests: {table: NAME} in a context, or requests: NAME in the schema",
	}
}

// CanRequest returns the refusal to request changes, or nil. Every role may request, except in a read-only session.
func (v *Viewer) CanRequest() error {
	switch {
	case v.RequestsTable() == "":
		return NoRequestsTable()
	case v.o.ReadOnly:
		return readOnly()
	}
	return nil
}

func readOnly() error {
	return &Refusal{Why: "this session is read-only", Next: "start without --read-only"}
}
