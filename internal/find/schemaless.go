package find

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns/lookup"
	"github.com/ddbdesk/ddbdesk/models"
)

// MaxSchemaless is the maximum number of tables without a schema that a search reads.
const MaxSchemaless = 10

// A Schemaless lists the tables without a schema: the tables to search, and the names of the other ones.
type Schemaless struct {
	Sources []Source // at most MaxSchemaless
	Others  []string // tables that the search does not read
}

func (p *place) isSchemaless() bool {
	return slices.ContainsFunc(p.Profile.Entities, func(e *models.Entity) bool { return e.ByName != nil })
}

// schemaless returns the tables without a schema. It calls Options.Schemaless until one call succeeds.
func (f *Finder) schemaless(ctx context.Context) (list []*place, others []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.o.Schemaless != nil && !f.listed {
		list := f.o.Schemaless(ctx)
		if ctx.Err() != nil {
			return nil, nil
		}
		for i, s := range list.Sources {
			f.tables = append(f.tables, &place{Source: s, order: len(f.places) + i, missing: map[string]time.Time{}})
		}
		f.others, f.listed = list.Others, true
	}
	return slices.Clone(f.tables), f.others
}

// searchSchemaless searches the tables without a schema if the schemas do not contain the text.
func (s *Search) searchSchemaless(ctx context.Context, text string) []*part {
	if len(s.Result().Hits) > 0 || s.f.o.Schemaless == nil {
		return nil
	}
	var parts []*part
	places, others := s.f.schemaless(s.uncounted)
	for _, p := range places {
		if found, err := p.lookUp(text); err == nil {
			one := s.newPart(p, text, found)
			if one.isSeveralWords() {
				one.found.Reads = nil
			}
			parts = append(parts, one)
		}
	}
	s.read(ctx, parts)
	if len(parts) > 0 && !parts[0].isSeveralWords() {
		s.withTimeLimit(ctx, func(ctx context.Context) { s.scanSmall(ctx, parts) })
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.result.Unsearched = others
	return parts
}

func (p *part) isSeveralWords() bool {
	return strings.Contains(p.text, " ") && lookup.MayBeTitle(p.text)
}

// isSearched reports whether the search read any values; keys alone do not count.
func (p *part) isSearched() bool { return p.w != nil && (!p.isSchemaless() || len(p.scanned) > 0) }

// minPartLength is the minimum length of a text that a table without a schema may contain inside a value.
const minPartLength = 3

// contains reports whether a visible attribute of an item contains the text, or is an ID from it. A masked attribute
// must equal an address: users know an address, but could guess other values.
func (p *part) contains(e *models.Entity, t *models.Table, it models.Item) bool {
	return p.documentContains(e, "", it, p.w.Session.Masker().Item(t, it))
}

func (p *part) documentContains(e *models.Entity, parent string, it, masked models.Item) bool {
	text := strings.ToLower(p.text)
	isAddress := !e.Undocumented && (models.Email.Check(p.text) == nil || models.E164.Check(p.text) == nil)
	for name, shown := range masked {
		value, ok := it.Text(name)
		hiding, hidden := shown.(*models.Masked)
		document, isDocument := shown.(*types.AttributeValueMemberM)
		switch {
		case isDocument:
			if stored, _ := it[name].(*types.AttributeValueMemberM); p.documentContains(e, parent+name+".", stored.Value, document.Value) {
				return true
			}
		case models.IsMasked(shown) && (!isAddress || !hidden || !ok || hiding.Secret):
			p.addMasked(e, parent+name)
		case hidden && strings.EqualFold(value, p.text):
			return true
		case hidden:
		case len(text) >= minPartLength && strings.Contains(strings.ToLower(value), text), hasElement(shown, p.text),
			slices.ContainsFunc(p.found.Targets, func(target lookup.Target) bool { return ok && target.Text == value }):
			return true
		}
	}
	return false
}

func (p *part) addMasked(e *models.Entity, name string) {
	t, isKey := e.KeyTemplate(name)
	switch a := e.Attribute(name); {
	case e.ByName != nil:
	case a != nil:
		name = cmp.Or(a.Title, name) + " of " + cmp.Or(e.Title, e.Name)
	case isKey:
		for _, n := range t.Placeholders() {
			if a := e.Attribute(n); a != nil && p.w.Session.Masker().Hides(a.Sensitive) {
				p.addMasked(e, n)
			}
		}
		return
	}
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	if at, found := slices.BinarySearch(p.s.result.Masked, name); !found {
		p.s.result.Masked = slices.Insert(slices.Clone(p.s.result.Masked), at, name)
	}
}
