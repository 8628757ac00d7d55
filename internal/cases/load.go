package cases

import (
	"context"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Plan describes how loading a case would change a database. It writes nothing.
type Plan struct {
	New         []*Record
	Present     int           // items that exist with the same values
	Conflicting []*Record     // items whose key exists with other values
	Stored      []models.Item // the existing items, in the order of Conflicting
	Expired     int           // new items whose time to live has passed
}

// PlanLoad compares the items of a case with the items of a database. It treats a table that does not exist as empty.
// Each request reads 100 items with strong consistency.
func PlanLoad(ctx context.Context, r store.Reader, c *Case, now time.Time) (*Plan, error) {
	stored, err := storedItems(ctx, r, c.Records)
	if err != nil {
		return nil, err
	}
	p := &Plan{}
	for _, rec := range c.Records {
		current, exists := stored[rec.id()]
		switch {
		case !exists:
			p.New = append(p.New, rec)
			if t, ok := rec.Table.Expires(rec.Item); ok && t.Before(now) {
				p.Expired++
			}
		case models.EqualItems(current, rec.Item):
			p.Present++
		default:
			p.Conflicting, p.Stored = append(p.Conflicting, rec), append(p.Stored, current)
		}
	}
	return p, nil
}

// Conflict returns the error about items that exist with other values, or nil. Loading is all or nothing, because an
// incomplete case misleads users.
func (p *Plan) Conflict() error {
	if len(p.Conflicting) == 0 {
		return nil
	}
	t := p.Conflicting[0].Table
	return &store.Error{
		Class: store.ConditionFailed, Operation: "PutItem", Table: t.Name,
		Problem: "nothing was written, because " + english.Plural(len(p.Conflicting), "item of the case exists",
			"items of the case exist") +
			" with other values, the first in table " + t.Name,
		Advice: "to replace them, add --replace; ddbdesk open shows the case file without writing it",
	}
}

// Replacements returns plans that give each existing item the values of the case. It keeps attributes that a case never
// contains, even in documents: secrets, and attributes that the schema does not declare. The error is a
// *change.Conflict if one write cannot replace an item.
func (p *Plan) Replacements(s *session.Viewer) ([]*change.Plan, error) {
	var list []*change.Plan
	for i, r := range p.Conflicting {
		known, ok := s.Recognize(r.Table, p.Stored[i])
		if !ok {
			return nil, &change.Conflict{Message: "stored item " + r.Table.KeyText(s.Masker().Item(r.Table, r.Item)) +
				" matches no entity of the schema"}
		}
		after := withOmitted(known.Entity.Attributes, r.Item, p.Stored[i])
		if models.EqualItems(p.Stored[i], after) {
			continue
		}
		plan, err := changes.PlanReplacement(s, known.Entity, p.Stored[i], after)
		if err != nil {
			return nil, err
		}
		list = append(list, plan)
	}
	return list, nil
}

// withOmitted adds the parts of a stored item or document that a case never contains.
func withOmitted(declared []*models.Attribute, it, stored models.Item) models.Item {
	out := it.Clone()
	for name, v := range stored {
		i := slices.IndexFunc(declared, func(a *models.Attribute) bool { return a.Name == name })
		switch have, exists := out[name]; {
		case !exists && (i < 0 || declared[i].Sensitive == models.Secret):
			out[name] = v
		case exists && i >= 0 && len(declared[i].Attributes) > 0:
			out[name] = withOmittedParts(declared[i], have, v)
		}
	}
	return out
}

// withOmittedParts matches the elements of lists by position. It does not change lists of different lengths.
func withOmittedParts(a *models.Attribute, v, stored types.AttributeValue) types.AttributeValue {
	switch v := v.(type) {
	case *types.AttributeValueMemberM:
		if old, ok := stored.(*types.AttributeValueMemberM); ok {
			return &types.AttributeValueMemberM{Value: withOmitted(a.Attributes, v.Value, old.Value)}
		}
	case *types.AttributeValueMemberL:
		if old, ok := stored.(*types.AttributeValueMemberL); ok && len(old.Value) == len(v.Value) {
			list := make([]types.AttributeValue, len(v.Value))
			for i := range list {
				list[i] = withOmittedParts(a, v.Value[i], old.Value[i])
			}
			return &types.AttributeValueMemberL{Value: list}
		}
	}
	return v
}
