package session

import (
	"time"

	"github.com/ddbdesk/ddbdesk/internal/notify"
)

// Requests are the settings of a context about requested changes.
type Requests struct {
	Table  string         // "" for the table of the profile
	Valid  time.Duration  // how long a request can be applied; 0 is the default
	Notify *notify.Target // who hears of requests and decisions, nil for no one
}

// Requests returns the settings about requested changes.
func (v *Viewer) Requests() Requests { return v.o.Requests }
