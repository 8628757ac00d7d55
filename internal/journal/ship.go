package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
)

// A SinkEntry is an entry in a sink.
type SinkEntry struct {
	Origin  string          `json:"origin"`  // machine, account and path of the journal
	Journal string          `json:"journal"` // ID of one shipment; a new shipment from the beginning gets a new ID
	Seq     uint64          `json:"seq"`
	Hash    string          `json:"hash"`
	Entry   json.RawMessage `json:"entry"`
}

// A Sink keeps copies of entries where this machine's users cannot reach them. A journal calls Send while it holds its
// lock, so the copies of one journal arrive batch by batch, even from several processes. Copies of different journals can
// arrive at the same time.
type Sink interface {
	// Name identifies the sink. A sink with a different name receives the journal from its beginning.
	Name() string
	// Send stores copies of one journal, in order. It accepts copies that the sink already has, but returns an error
	// for different entries with the same numbers.
	Send(ctx context.Context, copies []SinkEntry) error
	// Copies yields the sink's copies in a part. For an unreadable copy it yields a *DamagedCopy and continues.
	Copies(ctx context.Context, part Part) iter.Seq2[SinkEntry, error]
}

// A DamagedCopy is the error of an unreadable copy. If nothing identifies its journal, it may belong to any journal.
type DamagedCopy struct {
	Location string    // location in the sink, such as "line 7"
	Partial  SinkEntry // readable fields: origin, shipment and number; the others are zero
}

// Error describes the damaged copy.
func (d *DamagedCopy) Error() string {
	if d.Partial.Seq == 0 {
		return d.Location + " is damaged"
	}
	return fmt.Sprintf("entry %d is damaged (%s)", d.Partial.Seq, d.Location)
}

// ErrUnshipped means that a required sink did not accept an entry. The journal still contains the entry, but the caller
// must not perform its operation.
var ErrUnshipped = errors.New("the journal sink did not accept the entry")

// A Shipper sends each entry to a sink, in order. It is safe for concurrent use. An unreachable sink delays an entry by
// at most 10 seconds, and the Shipper retries after 30 seconds. It sends waiting entries together with a later one.
type Shipper struct {
	Sink     Sink
	Required bool // changes and reveals fail while the sink does not respond; otherwise entries wait

	mu      sync.Mutex
	retryAt time.Time // time of the next attempt after a failure, unless Required
}

const (
	shipTimeout = 10 * time.Second // maximum time to send entries
	shipRetry   = 30 * time.Second
	shipBatch   = 100
	shipRecent  = 1000 // maximum number of waiting entries to read from the end of the journal
)

// SetShipper makes the journal send its entries to a sink, or to no sink if s is nil. Call it before using the journal.
func (j *Journal) SetShipper(s *Shipper) { j.shipper = s }

// shipmentState is the stored state of a journal's shipment.
type shipmentState struct {
	Sink    string `json:"sink"`
	Journal string `json:"journal"`
	Seq     uint64 `json:"seq"` // number of the last sent entry
}

func shippedPath(path string) string { return path + ".shipped" }

func readShipped(path, sink string) (shipmentState, error) {
	var s shipmentState
	text, err := appdir.ReadFile(shippedPath(path))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	if err != nil || json.Unmarshal(text, &s) != nil || s.Sink != sink || s.Journal == "" {
		s = shipmentState{Sink: sink, Journal: newEntryID()[:16]}
	}
	return s, nil
}

// Unsent returns the number of entries of a valid journal that the sink has not accepted.
func Unsent(r Report, sink Sink) (int, error) {
	s, err := readShipped(r.Path, sink.Name())
	return max(r.Entries-int(s.Seq), 0), err
}

func (s shipmentState) write(path string) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return appdir.Replace(shippedPath(path), append(text, '\n'), 0o600)
}

// Origin identifies the journal at path among the journals of all machines. It contains the host name, the user ID and
// the path, but no item data. Two users of one machine have different origins.
func Origin(path string) string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return host + " " + strconv.Itoa(os.Getuid()) + " " + path
}

// needsRequiredSink reports whether a required sink must accept the entry before the operation may happen.
func (k Kind) needsRequiredSink() bool { return k == Intent || k == Reveal || k == Setup }

// ship sends e and the waiting entries. The caller must hold the lock. It returns only errors of a required sink.
func (s *Shipper) ship(path string, e Entry) error {
	if s == nil {
		return nil
	}
	required := s.Required && e.Kind.needsRequiredSink()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !required && time.Now().Before(s.retryAt) {
		return nil
	}
	// Requests to the sink do not depend on the operation in the entry, so its context does not apply.
	ctx, cancel := context.WithTimeout(context.Background(), shipTimeout)
	defer cancel()
	err := s.send(ctx, path, e.Seq)
	if s.retryAt = (time.Time{}); err != nil {
		s.retryAt = time.Now().Add(shipRetry)
	}
	if err != nil && required {
		return fmt.Errorf("%w: %w", ErrUnshipped, err)
	}
	return nil
}

func (s *Shipper) send(ctx context.Context, path string, last uint64) error {
	at, err := readShipped(path, s.Sink.Name())
	if err != nil {
		return err
	}
	origin := Origin(path)
	var batch []SinkEntry
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		if err := s.Sink.Send(ctx, batch); err != nil {
			return err
		}
		at.Seq, batch = batch[len(batch)-1].Seq, nil
		return at.write(path)
	}
	for e, err := range waitingEntries(path, at.Seq, last) {
		if err != nil {
			return err
		}
		_, line, err := encodeEntry(e)
		if err != nil {
			return err
		}
		batch = append(batch, SinkEntry{origin, at.Journal, e.Seq, e.Hash, line[:len(line)-1]})
		if len(batch) == shipBatch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

func waitingEntries(path string, after, last uint64) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if after < last && last-after <= shipRecent {
			var list []Entry
			for e, err := range Backward(path) {
				if err != nil || e.Seq <= after {
					break // Reading forward will find the damaged line.
				}
				list = append(list, e)
			}
			if slices.Reverse(list); len(list) > 0 && list[0].Seq == after+1 {
				for _, e := range list {
					if !yield(e, nil) {
						return
					}
				}
				return
			}
		}
		for e, err := range Read(path) {
			if err == nil && e.Seq <= after {
				continue
			}
			if !yield(e, err) {
				return
			}
		}
	}
}
