// The legacy parameters have the same meaning as their expressions.

package embedded

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// legacyWords maps operators to the equivalent expressions on attribute a.
var legacyWords = map[string]string{
	"EQ": "a = :0", "NE": "a <> :0", "LE": "a <= :0", "LT": "a < :0", "GE": "a >= :0", "GT": "a > :0",
	"NULL": "attribute_not_exists(a)", "NOT_NULL": "attribute_exists(a)", "CONTAINS": "contains(a, :0)",
	"NOT_CONTAINS": "attribute_exists(a) AND NOT contains(a, :0)",
	"BEGINS_WITH":  "begins_with(a, :0)", "IN": "a IN (:0, :1)", "BETWEEN": "a BETWEEN :0 AND :1",
}

// smallValue draws values that often equal or contain each other.
func smallValue(kinds ...string) *rapid.Generator[wireValue] {
	text := rapid.SampledFrom([]string{"1", "12", "2"})
	return rapid.Custom(func(t *rapid.T) wireValue {
		s, other := text.Draw(t, "text"), text.Draw(t, "other")
		switch rapid.SampledFrom(kinds).Draw(t, "kind") {
		case "S":
			return wireValue{S: &s}
		case "N":
			return wireValue{N: &s}
		case "B":
			return wireValue{B: []byte(s)}
		case "L":
			return wireValue{L: []wireValue{{S: &s}, {N: &other}}}
		default:
			return wireValue{SS: []*string{&s}}
		}
	})
}

func TestLegacyConditionsEqualTheirExpressions(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		it := item{}
		if rapid.Bool().Draw(rt, "present") {
			w := smallValue("S", "S", "N", "N", "B", "L", "SS").Draw(rt, "attribute")
			v, err := w.value()
			if err != nil {
				rt.Fatal(err)
			}
			it["a"] = v
		}
		operands := []wireValue{smallValue("S", "N").Draw(rt, "operand 0"), smallValue("S", "N").Draw(rt, "operand 1")}
		for word, src := range legacyWords {
			c := legacyCondition{ComparisonOperator: word}
			var p placeholders
			for i := range strings.Count(src, ":") {
				c.AttributeValueList = append(c.AttributeValueList, operands[i])
				if p.ExpressionAttributeValues == nil {
					p.ExpressionAttributeValues = wireItem{}
				}
				p.ExpressionAttributeValues[":"+strconv.Itoa(i)] = operands[i]
			}
			sc, err := p.scope(true, true, "")
			if err != nil {
				rt.Fatal(err)
			}
			old, errOld := c.tree("a")
			given, errNew := sc.condition("FilterExpression", src)
			switch {
			case word == "IN" && errOld != nil: // whose values must be of one type in the old form alone
			case (errOld == nil) != (errNew == nil):
				rt.Fatalf("%s %v: %v, but %s: %v", word, operands, errOld, src, errNew)
			case errOld == nil && old.holds(it) != given.holds(it):
				rt.Fatalf("%s holds %v for %v, and %s %v", word, old.holds(it), it, src, given.holds(it))
			}
		}
	})
}
