package embedded

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
	"github.com/ddbdesk/ddbdesk/internal/embedded/body"
)

// Options configures a store. The zero value configures a store in a private temporary file.
type Options struct {
	// Path is the directory of the database, which Open creates with mode 0700 if it is missing. If Path is empty, the
	// store uses a temporary file and removes it on Close.
	Path string
	// Clock returns the current time; nil means time.Now.
	Clock func() time.Time
	// NoSync skips fsync. It makes writes fast, but a crash of the machine may lose data.
	NoSync bool
	// MaxBodies limits the total bytes of all request bodies in memory, including incomplete ones. A request beyond the
	// limit gets a 503 ServiceUnavailable, which clients retry. 0 means no limit.
	MaxBodies int64

	syncDir func(dir string) error // replaces syncDirectory in tests
}

// Store is a DynamoDB endpoint for one directory. It is safe for concurrent use. All accounts and regions share the
// same tables: the store ignores the credentials and the region of a request.
type Store struct {
	storage   *storage
	now       func() time.Time
	bodies    body.Budget
	temporary string // removed on Close
	stop      chan struct{}
	sweeper   sync.WaitGroup

	// Every request holds mu shared. Close and requests that change table definitions hold it exclusively.
	mu     sync.RWMutex
	tables map[string]*table
	closed bool
}

var errClosed = errors.New("embedded database is closed")

// Open opens the store in o.Path and creates it if it does not exist. It returns an error if another process has the
// directory open, or if the file has another format. The caller must call Close.
func Open(o Options) (*Store, error) {
	s := &Store{now: o.Clock, stop: make(chan struct{}), tables: map[string]*table{}}
	if s.now == nil {
		s.now = time.Now
	}
	s.bodies.Limit = o.MaxBodies
	dir := o.Path
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "dynamodb-"); err != nil {
			return nil, fmt.Errorf("cannot create a temporary folder: %w; set TMPDIR to a folder that you can write to", err)
		}
		s.temporary = dir
	} else if err := makeDirectories(dir, o.directorySync()); err != nil {
		return nil, fmt.Errorf("cannot create the folder of the embedded database: %w; use another folder", err)
	}
	if err := s.load(dir, o); err != nil {
		return nil, errors.Join(fmt.Errorf("open the embedded database: %w", err), s.removeTemporary())
	}
	// If the system can remove an open file, nothing remains even after a kill. Otherwise Close removes the file, and
	// returns an error if it cannot.
	_ = s.removeTemporary()
	s.sweeper.Add(1)
	go s.sweepUntilClosed()
	return s, nil
}

// load reads only definitions, so its duration does not depend on the number of items.
func (s *Store) load(dir string, o Options) error {
	st, err := openStorage(dir, o.NoSync)
	if err != nil {
		return err
	}
	s.storage = st
	st.clock = s.now
	// Sync even an existing file, because the program that created it may have been killed before the sync.
	if err := o.directorySync()(dir); err != nil {
		return errors.Join(fmt.Errorf("sync %s: %w", dir, err), st.close())
	}
	err = st.view(func(t *tx) error {
		tables, err := t.tables()
		for _, tb := range tables {
			s.tables[tb.Name] = tb
		}
		return err
	})
	if err != nil {
		return errors.Join(err, st.close())
	}
	return nil
}

// Close waits for requests in progress, stops the TTL sweep and closes the file. Further calls do nothing. Later
// requests get an InternalServerError. The error concerns closing or removing the file. Even then, acknowledged data is
// on disk, unless NoSync is set.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	close(s.stop)
	s.mu.Unlock()
	s.sweeper.Wait()
	return errors.Join(s.storage.close(), s.removeTemporary())
}

func (s *Store) removeTemporary() error {
	if s.temporary == "" {
		return nil
	}
	if err := os.RemoveAll(s.temporary); err != nil {
		return fmt.Errorf("remove the embedded database's temporary directory: %w", err)
	}
	return nil
}

// table finds a definition by name or ARN. The caller must hold the store's lock.
func (s *Store) table(name string) (*table, error) {
	if tb, ok := s.tables[tableName(name)]; ok {
		return tb, nil
	}
	return nil, apierror.TableMissing()
}

// alterTable publishes the definition that change returns after it commits; nil drops the table. An error means that
// nothing changed. The caller must hold the store's lock exclusively.
func (s *Store) alterTable(name string, change func(t *tx) (*table, error)) error {
	var changed *table
	err := s.storage.update(func(t *tx) (err error) {
		changed, err = change(t)
		return err
	})
	if err != nil {
		return err
	}
	if changed == nil {
		delete(s.tables, name)
		return nil
	}
	s.tables[name] = changed.prepare()
	return nil
}

func (s *Store) saveTable(tb *table) error {
	return s.alterTable(tb.Name, func(t *tx) (*table, error) { return tb, t.saveTable(tb) })
}
