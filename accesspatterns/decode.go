package accesspatterns

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	"github.com/ddbdesk/ddbdesk/models"
)

// noTime is passed as the current time where relative times cannot occur.
var noTime = time.Time{}

// A Candidate is one match of a pasted key. Values may contain personal data or secrets in clear text, so the caller
// must mask them by the attributes of Entity before it shows them.
type Candidate struct {
	Entity    *models.Entity
	Attribute string            // the key attribute of the key
	Sort      string            // the sort key attribute of a pair, "" without
	Values    map[string]string // values of the placeholders
	Matches   []KeyMatch        // one match, or two for a pair
	Patterns  []Related         // patterns that can run with the values
	Warnings  []string          // parts that do not match their documented format

	weight int                      // how much of the key is literal or of a known format
	rank   int                      // how precisely the key identifies an item, 0 is best
	parts  map[string]models.Format // formats of values of which the key contains only a part
}

// Partial returns the format of a value that the key contains only in part, such as the day of a time. ok is false if
// the key contains the whole value.
func (c *Candidate) Partial(name string) (f models.Format, ok bool) {
	f, ok = c.parts[name]
	return f, ok
}

// HideSecrets masks every part of text that is a secret in any candidate, because another candidate of the same key
// could otherwise show the secret. text is a part of the decoded input. HideSecrets ignores templates without literal
// text, which match every key, and does not hide personal data, because the user typed the key.
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

// A KeyMatch is a key with its parts according to its template.
type KeyMatch struct {
	Attribute string
	Template  models.Template
	Key       string
	Spans     []models.Span
}

// A NearMatch is a template that almost matches a key.
type NearMatch struct {
	Entity    *models.Entity
	Attribute string
	Mismatch  *models.Mismatch // where and why the key does not match

	key     string
	literal int // bytes of the literal text of the template that match
}

// String names the template, the reason and the position of the mismatch.
func (n NearMatch) String() string {
	return fmt.Sprintf("%s %s: %s: %s", n.Entity.Name, n.Attribute, n.Mismatch.Template, n.Explanation())
}

// Explanation returns the reason and the position of the mismatch.
func (n NearMatch) Explanation() string {
	at := utf8.RuneCountInString(n.key[:min(n.Mismatch.Pos, len(n.key))]) + 1
	return fmt.Sprintf("%s at character %d", n.Mismatch.Reason, at)
}

// MatchesLiteral reports whether the key begins with literal text of the template and is therefore unlikely to be an
// ID.
func (n NearMatch) MatchesLiteral() bool { return n.literal > 0 }

// A Decoded is the result of decoding a key.
type Decoded struct {
	Candidates []Candidate // best first
	Near       []NearMatch // closest templates first, if there are no candidates
}

// Decode matches key, or the pair of key and sortKey if sortKey is not empty, with the entities' key templates. It does
// not trim or unquote the texts; SplitPasted does that. If the text is not a key of any entity, the result has no
// candidates and at most five entries in Near.
func Decode(patterns []*Pattern, entities []*models.Entity, key, sortKey string) Decoded {
	d := match(entities, key, sortKey)
	slices.SortStableFunc(d.Candidates, func(a, b Candidate) int {
		warned := cmp.Compare(min(len(a.Warnings), 1), min(len(b.Warnings), 1))
		return cmp.Or(warned, cmp.Compare(b.weight, a.weight), cmp.Compare(a.rank, b.rank))
	})
	if len(d.Candidates) > 0 {
		d.Near = nil
	}
	d.sortNear()
	d.Near = d.Near[:min(len(d.Near), 5)]
	for i := range d.Candidates {
		c := &d.Candidates[i]
		c.Patterns = Relations(patterns, entities, c.view())
	}
	return d
}

func match(entities []*models.Entity, key, sortKey string) Decoded {
	var d Decoded
	for _, e := range entities {
		for _, pair := range keyPairs(e.Table) {
			if sortKey == "" {
				d.tryEntity(e, pair[0], "", key, "")
				d.tryEntity(e, pair[1], "", key, "")
			} else if pair[1] != "" {
				d.tryEntity(e, pair[0], pair[1], key, sortKey)
			}
		}
	}
	d.dedupe()
	for i, c := range d.Candidates {
		d.Candidates[i].Warnings = slices.Clone(c.Warnings)
		for j, w := range c.Warnings { // Warnings quote parts of the key.
			d.Candidates[i].Warnings[j] = d.HideSecrets(w)
		}
	}
	return d
}

func keyPairs(t *models.Table) [][2]string {
	pairs := [][2]string{{t.PartitionKey.Name, t.SortKey.Name}}
	for _, x := range t.Indexes {
		if partition, sort := x.PartitionKeys, x.SortKeys; len(partition) == 1 && len(sort) == 1 {
			pairs = append(pairs, [2]string{partition[0].Name, sort[0].Name})
			continue
		}
		for _, k := range x.KeyAttributes() { // The whole key needs more than two texts.
			pairs = append(pairs, [2]string{k.Name, ""})
		}
	}
	return pairs
}

func (d *Decoded) tryEntity(e *models.Entity, attribute, sortAttribute, key, sortKey string) {
	c := Candidate{
		Entity: e, Attribute: attribute, Sort: sortAttribute, Values: map[string]string{},
		rank: rankOf(e.Table, attribute, sortAttribute), parts: map[string]models.Format{},
	}
	for _, part := range [][2]string{{attribute, key}, {sortAttribute, sortKey}} {
		if part[0] == "" && part[1] == "" {
			continue
		}
		t, ok := e.KeyTemplate(part[0])
		if !ok || !isKeyValue(e.Table, part[0], part[1]) {
			return
		}
		m, err := t.Parse(part[1])
		if err == nil {
			err = checkTimes(e, t, m)
		}
		if err == nil {
			c.Matches = append(c.Matches, KeyMatch{part[0], t, part[1], m.Spans})
			c.addValues(m, t)
			err = c.checkBothKeys()
		}
		if err != nil {
			d.addNear(&c, part[0], part[1], t, err)
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
	// A template that is a single placeholder matches any text, so only its format can reject the key.
	if c.weight == 0 && len(c.Warnings) > 0 {
		return
	}
	d.Candidates = append(d.Candidates, c)
}

func isKeyValue(t *models.Table, attribute, text string) bool {
	return !slices.ContainsFunc(t.KeyAttributes(), func(k models.Key) bool {
		_, err := models.ScalarValue(k.Type, text)
		return k.Name == attribute && err != nil
	})
}

// rankOf ranks a whole primary key above a part of it, and the table above its indexes.
func rankOf(t *models.Table, attribute, sortAttribute string) int {
	switch {
	case attribute == t.PartitionKey.Name && sortAttribute == t.SortKey.Name:
		return 0
	case attribute == t.PartitionKey.Name:
		return 1
	case attribute == t.SortKey.Name:
		return 2
	}
	for _, x := range t.Indexes {
		if models.KeyPosition(x.PartitionKeys, attribute) >= 0 {
			return 3
		}
	}
	return 4
}

func (d *Decoded) addNear(c *Candidate, attribute, key string, t models.Template, err error) {
	var mm *models.Mismatch
	if !errors.As(err, &mm) {
		return
	}
	mismatch := NearMatch{c.Entity, attribute, mm, key, CommonPrefix(key, t.LiteralPrefix())}
	switch {
	case t.IsOneWay() && mm.Pos == len(key):
		mismatch.literal = len(key)
	case attribute == c.Sort && c.Sort != "":
		mismatch.literal += c.weight
	case mm.Pos == 0:
		if mismatch.literal = similarPrefix(key, t.LiteralPrefix()); mismatch.literal == 0 {
			return
		}
	}
	d.Near = append(d.Near, mismatch)
}

// similarPrefix returns the number of prefix bytes in a mistyped key, or 0 if the key and the prefix are too different.
func similarPrefix(key, prefix string) int {
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

// checkTimes rejects a key part that is not the expected time, because two placeholders match nearly every text.
func checkTimes(e *models.Entity, t models.Template, m models.Match) error {
	for _, s := range m.Spans {
		a := e.Attribute(s.Segment.Name)
		if a == nil || s.Segment.Format != models.NoFormat || !a.Format.IsTime() {
			continue
		}
		v := m.Values[s.Segment.Name]
		if _, ok := a.Format.ReadTime(v); !ok {
			return &models.Mismatch{
				Template: t.String(), Pos: s.Start, Want: s.Segment.Name,
				Reason: fmt.Sprintf("{%s}: %q is not a time in the format %s", s.Segment.Name, models.Printable(v), a.Format),
			}
		}
	}
	return nil
}

// CommonPrefix returns the length in bytes of the longest common prefix of a and b.
func CommonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func (c *Candidate) addValues(m models.Match, t models.Template) {
	for name, v := range m.Values {
		part, whole := models.NoFormat, false
		for _, s := range t.Segments() {
			if s.Name != name {
				continue
			}
			whole = whole || !s.Format.IsLossy()
			part = s.Format
		}
		before, partial := c.parts[name]
		if _, seen := c.Values[name]; seen && (!partial || !whole && !part.IsFinerThan(before)) {
			continue
		}
		c.Values[name] = v
		if delete(c.parts, name); !whole && part != models.NoFormat {
			c.parts[name] = part
		}
	}
}

func (c *Candidate) templateValues(t models.Template) models.Values {
	values := map[string]string{}
	for name, v := range c.Values {
		if !c.parts[name].IsTime() {
			values[name] = v
		}
	}
	for _, s := range t.Segments() {
		part := c.parts[s.Name]
		name, hasName := s.SpelledName()
		if !hasName || !part.IsTime() {
			continue
		}
		values[name] = c.Values[s.Name]
		if at, ok := part.ReadTime(c.Values[s.Name]); ok && s.Format != part {
			values[name], _ = s.Format.FormatTime(at)
		}
	}
	return models.MapValues(values)
}

// checkBothKeys rejects contradictory keys, such as a time in one key and another day in the other.
func (c *Candidate) checkBothKeys() error {
	if len(c.Matches) < 2 {
		return nil
	}
	for _, m := range c.Matches {
		text, err := m.Template.Format(c.templateValues(m.Template))
		if err == nil && text == m.Key {
			continue
		}
		pos, name := CommonPrefix(text, m.Key), ""
		for _, s := range m.Spans {
			if s.Start <= pos {
				name = s.Segment.Name
			}
		}
		return &models.Mismatch{
			Template: m.Template.String(), Pos: pos, Want: name, Reason: fmt.Sprintf("{%s} differs between the two keys", name),
		}
	}
	return nil
}

func (c *Candidate) check() {
	previous := map[string]bool{}
	for _, m := range c.Matches {
		for _, name := range m.Template.Placeholders() {
			a := c.Entity.Attribute(name)
			if _, known := c.Values[name]; a == nil || previous[name] || !known {
				continue
			}
			previous[name] = true
			if a.Format.IsTime() {
				c.weight++ // checkTimes validated it
				continue
			}
			if err := a.Check(c.Values[name]); err != nil {
				if a.Sensitive == models.Secret {
					err = errors.New("the value does not match its documented format")
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

func (d *Decoded) dedupe() {
	previous := map[string]bool{}
	candidates := d.Candidates[:0]
	for _, c := range d.Candidates {
		id := c.Entity.Name + "\x00" + c.Attribute + "\x00" + c.Sort
		if !previous[id] {
			previous[id] = true
			candidates = append(candidates, c)
		}
	}
	d.Candidates = candidates
}

// DecodeID returns a candidate, without key matches, for each attribute whose documented prefix the ID has, in the
// order of the entities and their attributes. It includes attributes that refer to another entity's IDs only if no
// entity owns such IDs. The result is nil if no attribute documents the ID's prefix, because the text alone does not
// identify the attribute.
func DecodeID(patterns []*Pattern, entities []*models.Entity, id string) []Candidate {
	var owners, references []Candidate
	for _, e := range entities {
		for _, a := range e.Attributes {
			if a.Prefix == "" || len(id) <= len(a.Prefix) || !strings.HasPrefix(id, a.Prefix) {
				continue
			}
			c := Candidate{Entity: e, Attribute: a.Path, Values: map[string]string{a.Path: id}}
			if err := a.Check(id); err != nil {
				c.Warnings = []string{a.Path + ": " + err.Error()}
			}
			c.Patterns = Relations(patterns, entities, View{Entity: e, Values: models.MapValues(c.Values), Keys: map[string]string{}})
			if a.Refers == "" {
				owners = append(owners, c)
			} else {
				references = append(references, c)
			}
		}
	}
	if len(owners) > 0 {
		return owners
	}
	return references
}
