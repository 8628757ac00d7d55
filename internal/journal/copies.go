package journal

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Part selects some of the copies in a sink. The zero Part selects all of them.
type Part struct {
	Origin  string // only this journal; "" for the journals of all machines
	Journal string // only this shipment of the journal; "" for all
	First   uint64 // range of entry numbers within a single Journal; if Last is 0, all numbers
	Last    uint64
}

// Has reports whether a copy belongs to the part. Numbers are comparable only within a shipment, because another
// shipment of the same journal uses the same numbers.
func (p Part) Has(k SinkEntry) bool {
	return (p.Origin == "" || p.Origin == k.Origin) && (p.Journal == "" || p.Journal == k.Journal) &&
		(p.Last == 0 || p.First <= k.Seq && k.Seq <= p.Last)
}

// A Checker verifies copies without their journals: hashes, chains and numbers. The copies may come from any number of
// journals, in any order. A Checker cannot detect that the newest entries of a journal were not sent. The zero Checker
// is ready to use. It is not safe for concurrent use.
type Checker struct {
	origins    map[string]*copySet
	unassigned []string // damaged copies of unknown journals
	entries    int
}

// A copySet is the state of one journal's copies.
type copySet struct {
	links       map[uint64]link
	altered     []uint64 // copies whose hash does not match their text
	damaged     []uint64 // copies of which only the number is readable
	conflicting []uint64 // numbers with several different entries
}

// A link is an entry's position in its chain: the first bytes of its hash and of the previous hash.
type link struct{ hash, prev [16]byte }

// Check returns the entry of a copy, or false if someone changed the text of the copy. Identical copies count once and
// are not a problem, because a sink may receive a batch again after a timeout.
func (c *Checker) Check(k SinkEntry) (Entry, bool) {
	copies := c.copiesOf(k.Origin)
	e, intact, err := parse(k.Entry)
	if err != nil || !intact || e.Hash != k.Hash || e.Seq != k.Seq {
		copies.altered = append(copies.altered, k.Seq)
		return Entry{}, false
	}
	l := link{hashPrefix(e.Hash), hashPrefix(e.Prev)}
	existing, exists := copies.links[k.Seq]
	switch {
	case exists && existing != l:
		copies.conflicting = append(copies.conflicting, k.Seq)
	case !exists:
		copies.links[k.Seq] = l
		c.entries++
	}
	return e, true
}

// AddDamaged records an unreadable copy.
func (c *Checker) AddDamaged(d *DamagedCopy) {
	if d.Partial.Seq == 0 {
		c.unassigned = append(c.unassigned, d.Error())
		return
	}
	copies := c.copiesOf(d.Partial.Origin)
	copies.damaged = append(copies.damaged, d.Partial.Seq)
}

func (c *Checker) copiesOf(origin string) *copySet {
	if c.origins == nil {
		c.origins = map[string]*copySet{}
	}
	copies := c.origins[origin]
	if copies == nil {
		copies = &copySet{links: map[uint64]link{}}
		c.origins[origin] = copies
	}
	return copies
}

// Entries returns the number of distinct, intact entries and the number of their journals.
func (c *Checker) Entries() (entries, journals int) { return c.entries, len(c.origins) }

// Problems returns the problems of the copies, sorted by their journals' origins so that the output is stable. Call it
// once, after checking all copies.
func (c *Checker) Problems() (list []string) {
	list = append(list, c.unassigned...)
	for _, origin := range slices.Sorted(maps.Keys(c.origins)) {
		for _, p := range c.origins[origin].problems() {
			list = append(list, "journal "+origin+": "+p)
		}
	}
	return list
}

func (s *copySet) problems() (list []string) {
	for _, numbers := range []*[]uint64{&s.altered, &s.conflicting, &s.damaged} {
		slices.Sort(*numbers)
		*numbers = slices.Compact(*numbers)
	}
	damaged := slices.DeleteFunc(slices.Clone(s.damaged), func(seq uint64) bool { _, whole := s.links[seq]; return whole })
	if len(damaged) > 0 {
		list = append(list, "damaged: "+formatRanges(damaged))
	}
	if len(s.altered) > 0 {
		list = append(list, "modified after it was sent: "+formatRanges(s.altered))
	}
	if len(s.conflicting) > 0 {
		list = append(list, "sent with different contents: "+formatRanges(s.conflicting)+"; the journal was rewritten, or removed and begun again")
	}
	known := slices.Concat(slices.Collect(maps.Keys(s.links)), s.altered, damaged)
	slices.Sort(known)
	var mismatched []uint64
	last := uint64(0)
	for _, seq := range slices.Compact(known) {
		if seq > last+1 {
			list = append(list, missingText(last+1, seq-1))
		}
		before, ok := s.uniqueLink(seq - 1)
		current, intact := s.uniqueLink(seq)
		if ok && intact && current.prev != before.hash {
			mismatched = append(mismatched, seq)
		}
		last = seq
	}
	if len(mismatched) > 0 {
		list = append(list, "not made after the entry before it: "+formatRanges(mismatched))
	}
	return list
}

func (s *copySet) uniqueLink(seq uint64) (link, bool) {
	l, ok := s.links[seq]
	_, isConflicting := slices.BinarySearch(s.conflicting, seq)
	return l, ok && !isConflicting
}

func formatRanges(list []uint64) string {
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		if i == j {
			parts = append(parts, fmt.Sprint(list[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d to %d", list[i], list[j]))
		}
		i = j + 1
	}
	const maximum = 20
	if len(parts) > maximum {
		parts = append(parts[:maximum], fmt.Sprintf("and others up to %d", list[len(list)-1]))
	}
	if len(list) == 1 {
		return "entry " + parts[0]
	}
	return "entries " + strings.Join(parts, ", ")
}
