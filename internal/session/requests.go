package session

import (
	"cmp"
	"time"
)

// Requests contains a context's settings for change requests.
type Requests struct {
	Table  string        // "" uses the table in the schema
	Valid  time.Duration // validity of a request; 0 uses the default
	Notify string        // URL that receives requests and decisions as a POST, or ""
}

// Requests returns the settings for change requests.
func (s *settings) Requests() Requests { return s.o.Requests }

// RequestsTable returns the table of change requests from the context, or else from the schema, or "".
func (s *settings) RequestsTable() string { return cmp.Or(s.o.Requests.Table, s.o.Profile.Requests) }

// NoRequestsTable returns the refusal to request changes without a configured table. Commands that only list requests
// return it too.
func NoRequestsTable() error {
	return &Refusal{
		Reason: "no requests table is configured",
		Advice: "set requests: {table: NAME} in a context, or requests: NAME in the schema",
	}
}

// CanRequest returns the refusal to request changes, or nil. Every role may do so, except in a read-only session.
func (v *Viewer) CanRequest() error {
	switch {
	case v.RequestsTable() == "":
		return NoRequestsTable()
	case v.o.ReadOnly:
		return readOnlyRefusal()
	}
	return nil
}

func readOnlyRefusal() error {
	return &Refusal{Reason: "this session is read-only", Advice: "start without --read-only"}
}
