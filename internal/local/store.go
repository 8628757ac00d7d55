// Package local keeps the console's data between runs in one file, for one user on one machine: entered values, runs,
// visited items, layouts and facts. It never writes values of sensitive attributes, or keys that a masker would hide.
// The journal, not this package, records changes of items.
//
// The file is optional: if the store cannot read or write it, the store reports a notice and continues in RAM.
package local

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// These are limits in bytes and lists. The store ignores longer values, and removes the least recently used lists
// first.
const (
	maxValue = 4 << 10
	maxFact  = 64 << 10
	maxLists = 3000
)

// An Entry is an element of a list. Its ID is unique within the list.
type Entry struct {
	ID    string          `json:"id"`
	At    time.Time       `json:"at"`
	Value json.RawMessage `json:"value,omitempty"`

	private bool // the entry stays in RAM
	keep    int  // maximum number of entries in its list
}

// A Store contains named lists, newest entry first, and named facts. Only Close waits for the disk. A Store is safe for
// concurrent use.
type Store struct {
	mu      sync.Mutex
	lists   lists
	pending []change      // changes that are not in the file yet
	path    string        // "" keeps everything in RAM
	writer  chan struct{} // closed when the writer is done; nil if it is not running
	notice  string
	now     func() time.Time
}

// lists maps names to lists, both in RAM and in the file. A fact is a list with one entry.
type lists map[string][]Entry

// A change adds or removes an entry. The store merges changes instead of states into the file, so that two consoles do
// not overwrite each other.
type change struct {
	list  string
	entry Entry
	drop  bool
}

// New returns a store without a file, which keeps everything in RAM.
func New() *Store { return &Store{lists: lists{}, now: time.Now} }

// SetClock replaces the system clock.
func (s *Store) SetClock(now func() time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = now
}

// Notice returns a problem with the file, only once: the file was corrupt and the store renamed it, or the store cannot
// write it. It returns "" if there is no problem.
func (s *Store) Notice() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.notice
	s.notice = ""
	return text
}

// Add puts an entry at the front of a list and keeps at most keep entries. It replaces an entry with the same ID. A
// private entry stays in RAM, and removes a public entry with the same ID from the file.
func (s *Store) Add(list, id string, value any, keep int, private bool) {
	raw, err := json.Marshal(value)
	if err == nil && len(raw)+len(id) <= maxValue && id != "" {
		s.change(change{list: list, entry: Entry{ID: id, Value: raw, private: private, keep: keep}})
	}
}

// List returns the entries of a list, newest first.
func (s *Store) List(list string) []Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.lists[list])
}

// factID is the ID of a fact's only entry.
const factID = "fact"

// SetFact stores a single value under a name. A nil value removes it. SetFact ignores values over 64 KiB.
func (s *Store) SetFact(name string, value json.RawMessage) {
	if len(value) <= maxFact {
		s.change(change{list: name, entry: Entry{ID: factID, Value: slices.Clone(value), keep: 1}, drop: value == nil})
	}
}

// Fact returns the value with a name, or nil.
func (s *Store) Fact(name string) json.RawMessage {
	for _, e := range s.List(name) {
		return slices.Clone(e.Value)
	}
	return nil
}

func (s *Store) change(c change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.entry.At = s.now().UTC().Round(0)
	public := slices.ContainsFunc(s.lists[c.list], func(e Entry) bool { return e.ID == c.entry.ID && !e.private })
	s.lists.apply(c)
	if c.entry.private {
		if !public {
			return
		}
		c = change{list: c.list, entry: Entry{ID: c.entry.ID}, drop: true}
	}
	if s.path != "" {
		s.pending = append(s.pending, c)
		s.startWriting()
	}
}

func (l lists) apply(c change) {
	list := slices.DeleteFunc(slices.Clone(l[c.list]), func(e Entry) bool { return e.ID == c.entry.ID })
	if !c.drop {
		at, _ := slices.BinarySearchFunc(list, c.entry.At, func(e Entry, at time.Time) int { return at.Compare(e.At) })
		list = slices.Insert(list, at, c.entry)
		list = list[:min(len(list), max(c.entry.keep, 1))]
	}
	if len(list) == 0 {
		delete(l, c.list)
		return
	}
	l[c.list] = list
	if len(l) > maxLists {
		l.trim(maxLists)
	}
}

// trim removes a tenth more than necessary, so that it rarely has to run.
func (l lists) trim(maximum int) {
	names := slices.SortedFunc(maps.Keys(l), func(a, b string) int {
		return cmp.Or(l[a][0].At.Compare(l[b][0].At), strings.Compare(a, b))
	})
	for _, name := range names[:max(len(l)-maximum*9/10, 0)] {
		delete(l, name)
	}
}
