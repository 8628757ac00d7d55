// Package session is the use cases of ddbdesk: run a pattern, open an item,
// decode a key, reveal personal data. The console and the commands both stop
// here.
package session

import (
	"sync"

	core "github.com/ddbdesk/ddbdesk/internal/core"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/tables"
)

// A Session is one profile against one database, for one person.
type Session struct {
	*core.Session
	*tables.Catalog
	*reading.Reader

	mu    sync.Mutex
	sound bool       // the journal was verified
	marks []Bookmark // as they were read last

	marking sync.Mutex // held while bookmarks without a file change
}

// New returns the session. It does no I/O.
func New(o Options) *Session {
	s := core.New(o)
	c := tables.New(s)
	return &Session{Session: s, Catalog: c, Reader: reading.New(s, c)}
}

// Denied lists what the store refused to the session's credentials and did not
// allow since, oldest first.
func (s *Session) Denied() []Denial { return s.Denials().List() }
