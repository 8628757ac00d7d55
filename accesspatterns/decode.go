// This file decodes a pasted key: which entity it belongs to, what its parts
// mean, which patterns it opens, and why it fits nothing.

package accesspatterns

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	"github.com/ddbdesk/ddbdesk/models"
)

// noTime is the present moment of questions in which no time is relative.
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
	place  int             // how surely the key names one item, surest first
	lossy  map[string]bool // values of which a key holds only a part
}

// HideSecrets returns text, a part of what was decoded, without what one of the
// readings takes for a secret: whoever pastes the key of a secret is shown it by
// no other reading either. A template without text of its own fits everything,
// and proves nothing.
func (d Decoded) HideSecrets(text string) string {
	masker := models.NewMasker(nil, true)
	for _, c := range d.Candidates {
		for _, m := range c.Matches {
			for _, span := range m.Spans {
				a, part := c.Entity.Attribute(span.Segment.Name), m.Key[span.Start:span.End]
				if a != nil && part != "" && masker.Hides(a.Sensitive) && m.Template.LiteralPrefix() != "" {
					text = strings.ReplaceAll(text, part, masker.MaskText(part, a.Sensitive, a.Format))
				}
			}
		}
	}
	return text
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

	key     string
	literal int // how much literal text the key has in common with it
}

// Literal is how many bytes of literal text of the template the key has in common
// with it.
func (n Near) Literal() int { return n.literal }

func (n Near) String() string {
	at := utf8.RuneCountInString(n.key[:min(n.Mismatch.Pos, len(n.key))]) + 1
	return fmt.Sprintf("%s %s: %s: %s at character %d", n.Entity.Name, n.Attribute, n.Mismatch.Template, n.Mismatch.Reason, at)
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
	for i, c := range d.Candidates {
		d.Candidates[i].Warnings = slices.Clone(c.Warnings)
		for j, w := range c.Warnings { // They quote what was read.
			d.Candidates[i].Warnings[j] = d.HideSecrets(w)
		}
	}
	sort.SliceStable(d.Candidates, func(i, j int) bool {
		a, b := d.Candidates[i], d.Candidates[j]
		if len(a.Warnings) == 0 != (len(b.Warnings) == 0) {
			return len(a.Warnings) == 0
		}
		if a.weight != b.weight {
			return a.weight > b.weight
		}
		return a.place < b.place
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
		c.Patterns = Relations(patterns, entities, c.view())
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
	c := Candidate{
		Entity: e, Attribute: attribute, Sort: sortAttribute, Values: map[string]string{},
		place: placeOf(e.Table, attribute, sortAttribute), lossy: map[string]bool{},
	}
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
			c.Matches = append(c.Matches, KeyMatch{part[0], t, part[1], m.Spans})
			c.merge(m, t)
			err = c.agree()
		}
		if err != nil {
			d.miss(&c, part[0], part[1], t, err)
			return
		}
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

// placeOf says how surely the attribute, or the pair, names one item: a whole
// key of the table before a part of one, the table before its indexes.
func placeOf(t *models.Table, attribute, sortAttribute string) int {
	switch {
	case attribute == t.PartitionKey.Name && sortAttribute == t.SortKey.Name:
		return 0
	case attribute == t.PartitionKey.Name:
		return 1
	case attribute == t.SortKey.Name:
		return 2
	}
	for _, x := range t.Indexes {
		if attribute == x.PartitionKey.Name {
			return 3
		}
	}
	return 4
}

// miss notes that the key does not fit, when it looks as if it was meant to:
// it begins alike, nearly alike, or its partition key fits.
func (d *Decoded) miss(c *Candidate, attribute, key string, t models.Template, err error) {
	var mm *models.Mismatch
	if !errors.As(err, &mm) {
		return
	}
	near := Near{c.Entity, attribute, mm, key, shared(key, t.LiteralPrefix())}
	switch {
	case attribute == c.Sort && c.Sort != "":
		near.literal += c.weight
	case mm.Pos == 0:
		if near.literal = slip(key, t.LiteralPrefix()); near.literal == 0 {
			return
		}
	}
	d.Near = append(d.Near, near)
}

// slip returns how much of the prefix a key has that was mistyped from its first
// letter on, 0 when it was hardly meant.
func slip(key, prefix string) int {
	if prefix == "" {
		return 0
	}
	head := key
	if i := strings.IndexByte(key, prefix[len(prefix)-1]); i >= 0 {
		head = key[:i+1]
	}
	if d := levenshtein.ComputeDistance(strings.ToLower(head), strings.ToLower(prefix)); d*3 <= len(prefix) {
		return len(prefix) - d
	}
	return 0
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

// merge adds a key's placeholders. Where both keys hold one, the value that
// lost nothing on its way into the key stays.
func (c *Candidate) merge(m models.Match, t models.Template) {
	for name, v := range m.Values {
		lossy := true
		for _, s := range t.Segments() {
			if s.Name == name && !s.Format.Lossy() {
				lossy = false
			}
		}
		if _, seen := c.Values[name]; !seen || c.lossy[name] && !lossy {
			c.Values[name], c.lossy[name] = v, lossy
		}
	}
}

// agree checks that the values make both keys: one of two keys may hold the day
// of the other one's time, but not another day.
func (c *Candidate) agree() error {
	if len(c.Matches) < 2 {
		return nil
	}
	for _, m := range c.Matches {
		text, err := m.Template.Format(models.MapValues(c.Values))
		if err == nil && text == m.Key {
			continue
		}
		pos, name := shared(text, m.Key), ""
		for _, s := range m.Spans {
			if s.Start <= pos {
				name = s.Segment.Name
			}
		}
		return &models.Mismatch{Template: m.Template.String(), Pos: pos, Want: name, Reason: fmt.Sprintf("{%s} differs between the two keys", name)}
	}
	return nil
}

// check notes the parts that do not look as documented. A part that looks as
// only few values do speaks for the reading.
func (c *Candidate) check() {
	seen := map[string]bool{}
	for _, m := range c.Matches {
		for _, name := range m.Template.Placeholders() {
			a := c.Entity.Attribute(name)
			if a == nil || seen[name] {
				continue
			}
			seen[name] = true
			if a.Format.IsTime() {
				c.weight++ // it is one: timesFit saw to that
				continue
			}
			if err := a.Check(c.Values[name]); err != nil {
				if a.Sensitive == models.Secret {
					err = errors.New("it does not look as documented")
				}
				c.Warnings = append(c.Warnings, name+": "+err.Error())
				continue
			}
			if a.Prefix != "" || a.Format != models.NoFormat || slices.Contains(a.Enum, c.Values[name]) {
				c.weight++
			}
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
