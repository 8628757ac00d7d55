// The parameters from before expressions must mean what their expressions mean.

package embedded

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// legacyWords are the operators with the expression that says the same of attribute a.
var legacyWords = map[string]string{
	"EQ": "a = :0", "NE": "a <> :0", "LE": "a <= :0", "LT": "a < :0", "GE": "a >= :0", "GT": "a > :0",
	"NULL": "attribute_not_exists(a)", "NOT_NULL": "attribute_exists(a)", "CONTAINS": "contains(a, :0)",
	"NOT_CONTAINS": "NOT contains(a, :0)", "BEGINS_WITH": "begins_with(a, :0)", "IN": "a IN (:0, :1)", "BETWEEN": "a BETWEEN :0 AND :1",
}

// smallValue draws values that often equal or contain each other.
func smallValue(kinds ...string) *rapid.Generator[wireValue] {
	text := rapid.SampledFrom([]string{"1", "12", "2", "21"})
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

func TestLegacyConditionsMeanTheirExpressions(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		word := rapid.SampledFrom(slices.Sorted(maps.Keys(legacyWords))).Draw(rt, "operator")
		it := item{}
		if rapid.Bool().Draw(rt, "present") {
			w := smallValue("S", "N", "B", "L", "SS").Draw(rt, "attribute")
			v, err := w.decode(1)
			if err != nil {
				rt.Fatal(err)
			}
			it["a"] = v
		}
		c := legacyCondition{ComparisonOperator: word}
		sc := &scope{values: item{}, used: map[string]bool{}}
		for i := range operandCounts[word].least {
			c.AttributeValueList = append(c.AttributeValueList, smallValue("S", "N").Draw(rt, "operand"))
			sc.values[":"+string(rune('0'+i))], _ = c.AttributeValueList[i].decode(1)
		}
		src := legacyWords[word]
		if word == "IN" {
			src = strings.Replace(src, ", :1", "", 1)
		}
		old, errOld := c.tree("a")
		given, errNew := sc.condition("FilterExpression", src)
		if (errOld == nil) != (errNew == nil) {
			// begins_with of a number, and bounds of two types or in the wrong order, are wrong in both forms.
			rt.Fatalf("%s %v: %v, but %s: %v", word, c.AttributeValueList, errOld, src, errNew)
		}
		if errOld == nil && old.holds(it) != given.holds(it) {
			rt.Fatalf("%s holds %v for %v, and %s %v", word, old.holds(it), it, src, given.holds(it))
		}
	})
}
