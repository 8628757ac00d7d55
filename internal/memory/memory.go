// Package memory stores what the console remembers between runs, for one user of one
// machine: recent values, visited items, column layouts. It is a convenience and never
// prevents a start: when its file cannot be read or written, there is a notice, and
// the memory continues in RAM.
//
// Callers decide what may be stored (see package history). Entries marked private
// never reach the file.
package memory

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Limits. Values over maxValue bytes are not stored; lists and facts that were used
// least recently are removed first.
const (
	maxValue = 4 << 10
	maxLists = 2000
	maxFacts = 1000
)

// An Entry is an element of a list. Its ID is unique in the list.
type Entry struct {
	ID    string          `json:"id"`
	At    time.Time       `json:"at"`
	Value json.RawMessage `json:"value,omitempty"`

	private bool // stays in RAM
	keep    int  // entries that its list keeps
}

// A Memory holds named lists, newest entry first, and named facts. Its methods are
// safe for concurrent use and do not wait for the disk, apart from Close. A nil Memory stores nothing; only SetClock
// needs one.
type Memory struct {
	mu      sync.Mutex
	state   state
	pending []change      // not yet in the file
	path    string        // "" keeps everything in RAM
	writer  chan struct{} // closed when the writer is done; nil without one
	notice  string
	now     func() time.Time
}

// state is the content, in RAM and in the file.
type state struct {
	Lists map[string][]Entry `json:"lists,omitempty"`
	Facts map[string]Entry   `json:"facts,omitempty"`
}

// A change adds or removes an entry or a fact. Changes, not states, are merged into
// the file, so that two consoles do not overwrite each other.
type change struct {
	list, fact string
	entry      Entry
	drop       bool // removes the entry or the fact
}

// New returns a memory without a file.
func New() *Memory {
	return &Memory{state: newState(), now: time.Now}
}

func newState() state { return state{Lists: map[string][]Entry{}, Facts: map[string]Entry{}} }

// SetClock replaces the clock of the machine.
func (m *Memory) SetClock(now func() time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now = now
}

// Notice returns, once, a problem with the file: that it was renamed because it is
// corrupt, or that it cannot be written. "" means there is none.
func (m *Memory) Notice() string {
	if m == nil {
		return ""
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	text := m.notice
	m.notice = ""
	return text
}

// Add puts an entry first in a list and keeps at most keep entries. It replaces an
// entry with the same ID. Private entries stay in RAM, and remove a public entry with
// the same ID from the file.
func (m *Memory) Add(list, id string, value any, keep int, private bool) {
	raw, err := json.Marshal(value)
	if m == nil || err != nil || len(raw)+len(id) > maxValue || id == "" {
		return
	}
	m.change(change{list: list, entry: Entry{ID: id, Value: raw, private: private, keep: keep}})
}

// Drop removes an entry from a list.
func (m *Memory) Drop(list, id string) {
	if m != nil {
		m.change(change{list: list, entry: Entry{ID: id}, drop: true})
	}
}

// List returns the entries of a list, newest first.
func (m *Memory) List(list string) []Entry {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.state.Lists[list])
}

// SetFact stores a single value by name; a nil value removes it. Values over 64 KiB
// are not stored.
func (m *Memory) SetFact(name string, value json.RawMessage) {
	if m == nil || len(value) > maxFact {
		return
	}
	m.change(change{fact: name, entry: Entry{ID: name, Value: slices.Clone(value)}, drop: value == nil})
}

// maxFact is the longest fact in bytes.
const maxFact = 64 << 10

// Fact returns the value with a name, nil for none.
func (m *Memory) Fact(name string) json.RawMessage {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.state.Facts[name].Value)
}

func (m *Memory) change(c change) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c.entry.At = m.now().UTC().Round(0)
	if c.entry.private {
		public := m.state.holds(c)
		m.state.apply(c)
		if !public {
			return
		}
		c = change{list: c.list, entry: Entry{ID: c.entry.ID}, drop: true}
	} else {
		m.state.apply(c)
	}
	if m.path != "" {
		m.pending = append(m.pending, c)
		m.startWriting()
	}
}

func (s *state) holds(c change) bool {
	return slices.ContainsFunc(s.Lists[c.list], func(e Entry) bool { return e.ID == c.entry.ID && !e.private })
}

func (s *state) apply(c change) {
	if c.fact != "" {
		if c.drop {
			delete(s.Facts, c.fact)
			return
		}
		s.Facts[c.fact] = c.entry
		trim(s.Facts, maxFacts, remembered)
		return
	}
	list := slices.DeleteFunc(slices.Clone(s.Lists[c.list]), func(e Entry) bool { return e.ID == c.entry.ID })
	if !c.drop {
		at, _ := slices.BinarySearchFunc(list, c.entry.At, func(e Entry, at time.Time) int { return at.Compare(e.At) })
		list = slices.Insert(list, at, c.entry)
		list = list[:min(len(list), max(c.entry.keep, 1))]
	}
	if len(list) == 0 {
		delete(s.Lists, c.list)
		return
	}
	s.Lists[c.list] = list
	trim(s.Lists, maxLists, lastUsed)
}

func lastUsed(list []Entry) time.Time { return list[0].At }

func remembered(fact Entry) time.Time { return fact.At }

func trim[T any](m map[string]T, most int, used func(T) time.Time) {
	if len(m) <= most {
		return
	}
	names := slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		return cmp.Or(used(m[a]).Compare(used(m[b])), strings.Compare(a, b))
	})
	for _, name := range names[:len(m)-most*9/10] {
		delete(m, name)
	}
}
