package session

import (
	"cmp"
	"time"
)

// Requests are the settings of a context about requested changes.
type Requests struct {
	Table  string        // "" for the table of the profile
	Valid  time.Duration // how long a request can be applied; 0 is the default
	Notify string        // URL that is told of requests and decisions in a POST request, "" for none
}

// Requests returns the settings about requested changes.
func (s *settings) Requests() Requests { return s.o.Requests }

// RequestsTable returns the table of requested changes, which the context or else the profile names; "" for none.
func (s *settings) RequestsTable() string { return cmp.Or(s.o.Requests.Table, s.o.Profile.Requests) }

// NoRequestsTable is the refusal to request changes where no table is configured. Commands that
// only list requests return it as well.
func NoRequestsTable() error {
	return &Refusal{
		Why:  "no requests table is configured",
		Next: "set requests: {table: NAME} in a context, or requests: NAME in the schema",
	}
}

// CanRequest returns the refusal to request changes, nil if the session may. Every role may, except in a read-only session.
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
