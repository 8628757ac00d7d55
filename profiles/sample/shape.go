package sample

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

func (m *maker) value(a *part) (types.AttributeValue, error) {
	switch a.Type {
	case models.TypeM:
		return m.mapValue(a)
	case models.TypeL:
		return m.list(a)
	case models.TypeSS, models.TypeNS, models.TypeBS:
		return m.setValue(a), nil
	case models.TypeNULL:
		return &types.AttributeValueMemberNULL{Value: true}, nil
	default:
		if a.Type == models.TypeB && a.target == nil && len(a.deck) == 0 {
			return &types.AttributeValueMemberB{Value: []byte(m.invents.letters(16))}, nil
		}
		text, ok := m.text(a)
		if !ok {
			return nil, nil
		}
		if a.Type == models.TypeN && len(text) < 16 && digits(text) {
			return &types.AttributeValueMemberN{Value: text}, nil // quicker
		}
		return a.Value(text)
	}
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func (m *maker) mapValue(a *part) (types.AttributeValue, error) {
	if len(a.inside) == 0 {
		return m.document(), nil
	}
	doc := map[string]types.AttributeValue{}
	for _, in := range a.inside {
		if len(in.sets) > 0 && !m.wasSet(in) {
			continue
		}
		if !in.Required && !in.sure && len(in.sets) == 0 && len(a.inside) > 1 && m.rng.Float64() < 0.15 {
			continue
		}
		v, err := m.value(in)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Path, err)
		}
		if v != nil {
			doc[in.Name] = v
		}
	}
	return &types.AttributeValueMemberM{Value: doc}, nil
}

func (m *maker) list(a *part) (types.AttributeValue, error) {
	var list []types.AttributeValue
	n := 1 + m.rng.IntN(3)
	seen := map[string]bool{}
	for range n {
		if len(a.inside) > 0 || a.Items == models.TypeM {
			v, err := m.mapValue(a)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
			continue
		}
		text := ""
		if a.target != nil {
			r := m.pick(a.target, a.prefer)
			if r == nil {
				break
			}
			text, _ = r.text(a.targetAt)
		} else {
			text = m.invent(a)
		}
		if seen[text] {
			continue
		}
		seen[text] = true
		v, err := models.ScalarValue(a.Items, text)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return &types.AttributeValueMemberL{Value: list}, nil
}

func (m *maker) setValue(a *part) types.AttributeValue {
	if a.Type == models.TypeBS {
		return &types.AttributeValueMemberBS{Value: [][]byte{[]byte(m.invents.letters(8)), []byte(m.invents.letters(9))}}
	}
	var list []string
	for range 2 {
		switch text, ok := m.element(a); {
		case !ok:
			return nil
		case !slices.Contains(list, text):
			list = append(list, text)
		}
	}
	if a.Type == models.TypeNS {
		return &types.AttributeValueMemberNS{Value: list}
	}
	return &types.AttributeValueMemberSS{Value: list}
}

func (m *maker) element(a *part) (string, bool) {
	if a.Type == models.TypeNS && len(a.deck)+len(a.Enum) == 0 && a.target == nil {
		return strconv.Itoa(m.rng.IntN(100)), true
	}
	return m.text(a)
}

func (m *maker) document() types.AttributeValue {
	attempt := &types.AttributeValueMemberN{Value: fmt.Sprint(1 + m.rng.IntN(3))}
	yes := &types.AttributeValueMemberBOOL{Value: m.rng.IntN(3) > 0}
	docs := []map[string]types.AttributeValue{
		{"source": models.StringValue("console"), "attempt": attempt},
		{"summary": models.StringValue(m.invents.one(sentences)), "automatic": yes},
		{"summary": models.StringValue(m.invents.one(sentences)), "attempt": attempt},
		{"checks": &types.AttributeValueMemberL{Value: []types.AttributeValue{
			models.StringValue("format"),
			models.StringValue("limits"),
		}}, "passed": yes},
	}
	return &types.AttributeValueMemberM{Value: docs[m.rng.IntN(len(docs))]}
}
