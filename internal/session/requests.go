package session

import (
	"context"
	"time"
)

// Requests are the settings of a context about requested changes.
type Requests struct {
	Table  string        // "" for the table of the profile
	Valid  time.Duration // how long a request can be applied; 0 is the default
	Notify Notifier      // who hears of requests and decisions, nil for no one
}

// A Notifier is told of events, which it sends as JSON.
type Notifier interface {
	Send(ctx context.Context, event any) error
}

// Requests returns the settings about requested changes.
func (v *Viewer) Requests() Requests { return v.o.Requests }
