// This file decodes a pasted key: which entity it belongs to, what its parts
// mean, which patterns it opens, and why it fits nothing.

package accesspatterns

import (
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/models"
)

// noTime stands for now where relative times mean nothing.
var noTime = time.Time{}

// A Candidate is one reading of a pasted key.
type Candidate struct {
	Entity    *models.Entity
	Attribute string // the key attribute it is a value of
	Sort      string // the sort key attribute, when a pair was given
	Values    map[string]string
	Matches   []KeyMatch
	Patterns  []Related
	Warnings  []string // parts that do not look as documented

	weight int
}

// A KeyMatch is a key taken apart.
type KeyMatch struct {
	Attribute string
	Template  models.Template
	Key       string
	Spans     []models.Span
}

// A Near is a template that almost fits: how far, and what disagrees.
type Near struct {
	Entity    *models.Entity
	Attribute string
	Mismatch  *models.Mismatch

	literal int // how much of the template's beginning the key has
}

func (n Near) String() string {
	return fmt.Sprintf("%s %s: %s: %s at character %d", n.Entity.Name, n.Attribute, n.Mismatch.Template, n.Mismatch.Reason, n.Mismatch.Pos+1)
}

// A Decoded is what a pasted key can mean.
type Decoded struct {
	Candidates []Candidate // best first
	Near       []Near      // when there is none: the nearest templates, nearest first
}

// Decode reads key, or the pair of key and sortKey when that is not empty,
// against the key templates of the entities.
func Decode(patterns []*Pattern, entities []*models.Entity, key, sortKey string) Decoded {
	var d Decoded
	for _, e := range entities {
		for _, pair := range keyPairs(e.Table) {
			if sortKey == "" {
				d.try(e, pair[0], "", key, "")
				d.try(e, pair[1], "", key, "")
			} else if pair[1] != "" {
				d.try(e, pair[0], pair[1], key, sortKey)
			}
		}
	}
	d.dedupe()
	sort.SliceStable(d.Candidates, func(i, j int) bool {
		a, b := d.Candidates[i], d.Candidates[j]
		if len(a.Warnings) == 0 != (len(b.Warnings) == 0) {
			return len(a.Warnings) == 0
		}
		return a.weight > b.weight
	})
	if len(d.Candidates) > 0 {
		d.Near = nil
	}
	// A placeholder takes any text: only literal text says what was meant.
	sort.SliceStable(d.Near, func(i, j int) bool {
		a, b := d.Near[i], d.Near[j]
		if a.literal != b.literal {
			return a.literal > b.literal
		}
		return a.Mismatch.Pos > b.Mismatch.Pos
	})
	d.Near = d.Near[:min(len(d.Near), 5)]
	for i := range d.Candidates {
		c := &d.Candidates[i]
		keys := map[string]string{}
		for _, m := range c.Matches {
			keys[m.Attribute] = m.Key
		}
		c.Patterns = Relations(patterns, entities, View{Entity: c.Entity, Values: models.MapValues(c.Values), Keys: keys})
	}
	return d
}

// keyPairs lists partition and sort key of the table and of each index.
func keyPairs(t *models.Table) [][2]string {
	pairs := [][2]string{{t.PartitionKey.Name, t.SortKey.Name}}
	for _, x := range t.Indexes {
		pairs = append(pairs, [2]string{x.PartitionKey.Name, x.SortKey.Name})
	}
	return pairs
}

// try adds the reading of key as attribute, and sortKey as sortAttribute, of e.
func (d *Decoded) try(e *models.Entity, attribute, sortAttribute, key, sortKey string) {
	c := Candidate{Entity: e, Attribute: attribute, Sort: sortAttribute, Values: map[string]string{}}
	for _, part := range [][2]string{{attribute, key}, {sortAttribute, sortKey}} {
		if part[0] == "" && part[1] == "" {
			continue
		}
		t, ok := e.KeyTemplate(part[0])
		if !ok {
			return
		}
		m, err := t.Parse(part[1])
		if err == nil {
			err = timesFit(e, t, m)
		}
		if err == nil {
			err = c.merge(m, t)
		}
		if err != nil {
			var mm *models.Mismatch
			if errors.As(err, &mm) && mm.Pos > 0 {
				d.Near = append(d.Near, Near{e, part[0], mm, shared(part[1], t.LiteralPrefix())})
			}
			return
		}
		c.Matches = append(c.Matches, KeyMatch{part[0], t, part[1], m.Spans})
		for _, s := range t.Segments() {
			c.weight += 2 * len(s.Literal)
		}
	}
	if len(c.Matches) == 0 {
		return
	}
	c.check()
	// A whole-value key fits any text; a format that it breaks says no.
	if c.weight == 0 && len(c.Warnings) > 0 {
		return
	}
	d.Candidates = append(d.Candidates, c)
}

// timesFit refuses a part that should be a time and is none: a key of two free
// parts would fit nearly every text.
func timesFit(e *models.Entity, t models.Template, m models.Match) error {
	for _, s := range m.Spans {
		a := e.Attribute(s.Segment.Name)
		if a == nil || s.Segment.Format != models.NoFormat || !a.Format.IsTime() {
			continue
		}
		v := m.Values[s.Segment.Name]
		if _, ok := a.Format.ReadTime(v); !ok {
			return &models.Mismatch{
				Template: t.String(), Pos: s.Start, Want: s.Segment.Name,
				Reason: fmt.Sprintf("{%s}: %q is not a time", s.Segment.Name, models.Printable(v)),
			}
		}
	}
	return nil
}

// shared counts the bytes that a and b begin with in common.
func shared(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// merge adds a key's placeholders; two keys must agree.
func (c *Candidate) merge(m models.Match, t models.Template) error {
	for _, s := range t.Segments() {
		v, ok := m.Values[s.Name]
		if s.Name == "" || !ok {
			continue
		}
		old, seen := c.Values[s.Name]
		if seen && old != v && !strings.HasPrefix(v, old) && !strings.HasPrefix(old, v) {
			return &models.Mismatch{Template: t.String(), Reason: fmt.Sprintf("{%s} differs between the two keys", s.Name)}
		}
		if !seen || len(v) > len(old) {
			c.Values[s.Name] = v
		}
	}
	return nil
}

// check notes the parts that do not look as documented.
func (c *Candidate) check() {
	for _, name := range c.Matches[0].Template.Placeholders() {
		a := c.Entity.Attribute(name)
		if a == nil || a.Format.IsTime() {
			continue
		}
		if err := a.Check(c.Values[name]); err != nil {
			c.Warnings = append(c.Warnings, name+": "+err.Error())
			continue
		}
		if a.Prefix != "" || len(a.Enum) > 0 || a.Format != models.NoFormat {
			c.weight++
		}
	}
}

// dedupe keeps one candidate where two indexes share a key attribute.
func (d *Decoded) dedupe() {
	seen := map[string]bool{}
	kept := d.Candidates[:0]
	for _, c := range d.Candidates {
		id := c.Entity.Name + "\x00" + c.Attribute + "\x00" + c.Sort
		if !seen[id] {
			seen[id] = true
			kept = append(kept, c)
		}
	}
	d.Candidates = kept
}
