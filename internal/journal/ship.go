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

// Kept is an entry as a sink keeps it.
type Kept struct {
	Origin  string          `json:"origin"`  // machine, account and path of the journal
	Journal string          `json:"journal"` // identifies one shipment; a journal that is shipped from the beginning again has a new one
	Seq     uint64          `json:"seq"`
	Hash    string          `json:"hash"`
	Entry   json.RawMessage `json:"entry"`
}

// A Sink keeps copies of entries where a user of this machine cannot change them. A journal
// calls Send while it holds its lock, so the copies of one journal come batch after batch, also
// from several processes. Those of different journals come at the same time.
type Sink interface {
	// Name identifies the sink, so that another one gets the journal from its beginning.
	Name() string
	// Send keeps copies of one journal, which are in order. Copies that the sink has already are no error; other entries with
	// their numbers are one.
	Send(ctx context.Context, copies []Kept) error
	// Copies yields what the sink has of a part. A copy that cannot be read yields a *DamagedCopy, and reading continues.
	Copies(ctx context.Context, of Part) iter.Seq2[Kept, error]
}

// A DamagedCopy is the error of something in a sink that was a copy and cannot be read. It can be a copy of any journal if nothing
// is left that says of which.
type DamagedCopy struct {
	Where string // in the sink, such as "line 7"
	Of    Kept   // what is left of it: origin, shipment and number, or nothing
}

// Error returns what is damaged.
func (d *DamagedCopy) Error() string {
	if d.Of.Seq == 0 {
		return d.Where + " is damaged"
	}
	return fmt.Sprintf("entry %d is damaged (%s)", d.Of.Seq, d.Where)
}

// ErrUnshipped is wrapped by the error of an entry that a required sink did not take. The entry
// is in the journal nevertheless. The caller must not do what it announces.
var ErrUnshipped = errors.New("the journal sink did not accept the entry")

// A Shipper sends each entry to a sink, in order. It is safe for concurrent use. An unreachable
// sink delays an entry by at most 10 seconds and is tried again after 30. The entries that wait
// are sent with a later one.
type Shipper struct {
	Sink     Sink
	Required bool // changes and reveals fail while the sink does not answer; otherwise entries wait

	mu      sync.Mutex
	retryAt time.Time // an unreachable sink is left alone until then, unless it is required
}

const (
	shipLimit  = 10 * time.Second // for sending entries
	shipRetry  = 30 * time.Second
	shipBatch  = 100
	shipRecent = 1000 // entries that wait and are read from the end of the journal
)

// ShipTo makes the journal send its entries to a sink, nil for none. It must be called before the journal is used.
func (j *Journal) ShipTo(s *Shipper) { j.shipper = s }

// shipped is what the file of a journal says about its shipment.
type shipped struct {
	Sink    string `json:"sink"`
	Journal string `json:"journal"`
	Seq     uint64 `json:"seq"` // of the last entry that was sent
}

func shippedPath(path string) string { return path + ".shipped" }

func readShipped(path, sink string) (shipped, error) {
	var s shipped
	text, err := appdir.ReadFile(shippedPath(path))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	if err != nil || json.Unmarshal(text, &s) != nil || s.Sink != sink || s.Journal == "" {
		s = shipped{Sink: sink, Journal: newID()[:16]}
	}
	return s, nil
}

func (s shipped) write(path string) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return appdir.Replace(shippedPath(path), append(text, '\n'), 0o600)
}

// Origin identifies the journal at path among those of all machines. It has no data of items,
// but the name of the host and the path. Two users of one machine have two origins.
func Origin(path string) string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	return host + " " + strconv.Itoa(os.Getuid()) + " " + path
}

// gates reports whether an entry announces something that must not happen unless the entry is kept elsewhere.
func (k Kind) gates() bool { return k == Intent || k == Reveal || k == Setup }

// ship needs the lock of the journal. The error is that of a required sink.
func (s *Shipper) ship(path string, e Entry) error {
	if s == nil {
		return nil
	}
	required := s.Required && e.Kind.gates()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !required && time.Now().Before(s.retryAt) {
		return nil
	}
	// The requests of a sink do not belong to what the entry is about, nor do they end with it: nothing of its context applies.
	ctx, cancel := context.WithTimeout(context.Background(), shipLimit)
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
	var batch []Kept
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
	for e, err := range waiting(path, at.Seq, last) {
		if err != nil {
			return err
		}
		_, line, err := seal(e)
		if err != nil {
			return err
		}
		batch = append(batch, Kept{origin, at.Journal, e.Seq, e.Hash, line[:len(line)-1]})
		if len(batch) == shipBatch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

func waiting(path string, after, last uint64) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if after < last && last-after <= shipRecent {
			var list []Entry
			for e, err := range Backward(path) {
				if err != nil || e.Seq <= after {
					break // A damaged line is found by reading forward.
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
