package change

import (
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// AsCollection returns a sum as the formula of a set or list: {tags} + {tag} adds an element, and {tags} - {tag}
// removes it. It returns other formulas unchanged. The loader calls it if an attribute is a set or a list, because the
// text alone is ambiguous.
func (f Formula) AsCollection() Formula {
	if f.kind == sumFormula {
		f.kind = collectionFormula
	}
	return f
}

// Literal returns a formula for a fixed value. The formula's text is the text of a scalar, or "" for a document or a
// set.
func Literal(v types.AttributeValue) Formula {
	text, _ := models.ValueText(v)
	return Formula{source: text, kind: literalFormula, value: v}
}

// evalCollection treats a missing collection as empty. It may return an empty set, which DynamoDB does not store.
func (s *scope) evalCollection(f Formula, a *models.Attribute, place string) (types.AttributeValue, error) {
	var list []types.AttributeValue
	for i, p := range f.parts {
		v, err := s.evalPart(p, place)
		if err != nil {
			return nil, err
		}
		members, isCollection := models.Elements(v)
		switch {
		case v == nil && i == 0:
			continue
		case v == nil:
			return nil, nil //nolint:nilnil // No value is not an error.
		case !isCollection || models.ValueType(v) != a.Type:
			if v, err = convertType(v, a.Member(), place); err != nil {
				return nil, err
			}
			members = []types.AttributeValue{v}
		}
		for _, m := range members {
			same := func(o types.AttributeValue) bool { return models.EqualValues(o, m) }
			switch {
			case f.minus[i]:
				list = slices.DeleteFunc(list, same)
			case a.Type == models.TypeL || !slices.ContainsFunc(list, same):
				list = append(list, m)
			}
		}
	}
	collection, ok := models.Collection(a.Type, list)
	if !ok {
		return nil, fmt.Errorf("computing %s: type %s has no elements", place, a.Type)
	}
	return collection, nil
}

func (s *scope) evalPart(p formulaPart, place string) (types.AttributeValue, error) {
	if p.ref.Name != "" {
		return s.evalReference(p.ref, nil, place)
	}
	v, err := models.ScalarValue(models.TypeN, p.literal) // A sum contains no other literals.
	if err != nil {
		return nil, fmt.Errorf("computing %s: %w", place, err)
	}
	return v, nil
}

func isEmptySet(v types.AttributeValue) bool {
	_, list := v.(*types.AttributeValueMemberL)
	members, ok := models.Elements(v)
	return ok && !list && len(members) == 0
}
