// The legacy parameters have the same meaning as their expressions.

package embedded

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
	"github.com/ddbdesk/ddbdesk/internal/embedded/expression"
)

// legacyWords maps operators to the equivalent expressions on attribute a.
var legacyWords = map[string]string{
	"EQ": "a = :0", "NE": "a <> :0", "LE": "a <= :0", "LT": "a < :0", "GE": "a >= :0", "GT": "a > :0",
	"NULL": "attribute_not_exists(a)", "NOT_NULL": "attribute_exists(a)", "CONTAINS": "contains(a, :0)",
	"NOT_CONTAINS": "attribute_exists(a) AND NOT contains(a, :0)",
	"BEGINS_WITH":  "begins_with(a, :0)", "IN": "a IN (:0, :1)", "BETWEEN": "a BETWEEN :0 AND :1",
}

// smallValue draws values that often equal or contain each other.
func smallValue(kinds ...string) *rapid.Generator[attribute.WireValue] {
	text := rapid.SampledFrom([]string{"1", "12", "2"})
	return rapid.Custom(func(t *rapid.T) attribute.WireValue {
		s, other := text.Draw(t, "text"), text.Draw(t, "other")
		switch rapid.SampledFrom(kinds).Draw(t, "kind") {
		case "S":
			return attribute.WireValue{S: &s}
		case "N":
			return attribute.WireValue{N: &s}
		case "B":
			return attribute.WireValue{B: []byte(s)}
		case "L":
			return attribute.WireValue{L: []attribute.WireValue{{S: &s}, {N: &other}}}
		default:
			return attribute.WireValue{SS: []*string{&s}}
		}
	})
}

func TestLegacyConditionsEqualTheirExpressions(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		it := attribute.Item{}
		if rapid.Bool().Draw(rt, "present") {
			w := smallValue("S", "S", "N", "N", "B", "L", "SS").Draw(rt, "attribute")
			v, err := w.Value()
			if err != nil {
				rt.Fatal(err)
			}
			it["a"] = v
		}
		operands := []attribute.WireValue{smallValue("S", "N").Draw(rt, "operand 0"), smallValue("S", "N").Draw(rt, "operand 1")}
		for word, src := range legacyWords {
			c := legacyCondition{ComparisonOperator: word}
			var p expression.Placeholders
			for i := range strings.Count(src, ":") {
				c.AttributeValueList = append(c.AttributeValueList, operands[i])
				if p.ExpressionAttributeValues == nil {
					p.ExpressionAttributeValues = attribute.WireItem{}
				}
				p.ExpressionAttributeValues[":"+strconv.Itoa(i)] = operands[i]
			}
			sc, err := p.Scope(true, true, "")
			if err != nil {
				rt.Fatal(err)
			}
			old, errOld := c.tree("a")
			given, errNew := sc.Condition("FilterExpression", src)
			switch {
			case word == "IN" && errOld != nil: // whose values must be of one type in the old form alone
			case (errOld == nil) != (errNew == nil):
				rt.Fatalf("%s %v: %v, but %s: %v", word, operands, errOld, src, errNew)
			case errOld == nil && old.Holds(it) != given.Holds(it):
				rt.Fatalf("%s holds %v for %v, and %s %v", word, old.Holds(it), it, src, given.Holds(it))
			}
		}
	})
}
