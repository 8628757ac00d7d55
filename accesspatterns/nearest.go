package accesspatterns

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// mostNearest is how many templates Nearest returns.
const mostNearest = 3

// Nearest returns the key templates that a key almost fits, closest first, and why it does not fit: literal text differs, or
// a part has not its documented format. It returns none when the key fits a template. Templates count only when the key
// starts with at least half of their literal beginning, because placeholders match any text. It
// looks at the key only and reads nothing. The reason in Mismatch may quote a part of the key.
func Nearest(entities []*models.Entity, key, sortKey string) []Near {
	d := match(entities, key, sortKey)
	d.keepNear(func(n Near) bool {
		t, _ := n.Entity.KeyTemplate(n.Attribute)
		return n.literal > 1 && 2*n.literal >= len(t.LiteralPrefix())
	})
	for _, c := range d.Candidates {
		literal := len(c.Matches[0].Template.LiteralPrefix())
		switch {
		case literal == 0:
			continue
		case len(c.Warnings) == 0:
			return nil
		}
		d.Near = append(d.Near, c.nearWith(c.Warnings[0], literal))
	}
	d.sortNear()
	seen := map[models.Mismatch]bool{} // Several entities can share a template.
	d.keepNear(func(n Near) bool {
		first := !seen[*n.Mismatch]
		seen[*n.Mismatch] = true
		return first
	})
	return d.Near[:min(len(d.Near), mostNearest)]
}

// nearWith returns the key that a warning is about. The name may be masked, because a secret can have the same text;
// then it is the first key.
func (c *Candidate) nearWith(warning string, literal int) Near {
	name, _, _ := strings.Cut(warning, ":")
	at := func(m KeyMatch, pos int) Near {
		mismatch := &models.Mismatch{Template: m.Template.String(), Pos: pos, Want: name, Reason: warning}
		return Near{Entity: c.Entity, Attribute: m.Attribute, Mismatch: mismatch, key: m.Key, literal: literal}
	}
	for _, m := range c.Matches {
		for _, s := range m.Spans {
			if s.Segment.Name == name {
				return at(m, s.Start)
			}
		}
	}
	return at(c.Matches[0], literal)
}

func (d *Decoded) keepNear(keep func(Near) bool) {
	d.Near = slices.DeleteFunc(d.Near, func(n Near) bool { return !keep(n) })
}

func (d *Decoded) sortNear() {
	slices.SortStableFunc(d.Near, func(a, b Near) int {
		return cmp.Or(cmp.Compare(b.literal, a.literal), cmp.Compare(b.Mismatch.Pos, a.Mismatch.Pos))
	})
}
