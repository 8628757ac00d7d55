package embedded

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
	"github.com/ddbdesk/ddbdesk/internal/embedded/expression"
)

var ignoreSerde = cmpopts.IgnoreUnexported(
	types.AttributeValueMemberS{}, types.AttributeValueMemberN{}, types.AttributeValueMemberB{}, types.AttributeValueMemberBOOL{},
	types.AttributeValueMemberNULL{}, types.AttributeValueMemberSS{}, types.AttributeValueMemberNS{}, types.AttributeValueMemberBS{},
	types.AttributeValueMemberL{}, types.AttributeValueMemberM{},
)

func wantItem(t testing.TB, got, want av) {
	t.Helper()
	if diff := cmp.Diff(want, got, ignoreSerde); diff != "" {
		t.Fatalf("item differs (-want +got):\n%s", diff)
	}
}

func getItem(t testing.TB, c *dynamodb.Client, pk, sk string) av {
	t.Helper()
	out, err := c.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("orders"), Key: av{"PK": str(pk), "SK": str(sk)}})
	if err != nil {
		t.Fatal(err)
	}
	return out.Item
}

// The legacy parameters have the same meaning as their expressions.

// legacyWords maps operators to the equivalent expressions on attribute a.
var legacyWords = map[string]string{
	"EQ": "a = :0", "NE": "a <> :0", "LE": "a <= :0", "LT": "a < :0", "GE": "a >= :0", "GT": "a > :0",
	"NULL": "attribute_not_exists(a)", "NOT_NULL": "attribute_exists(a)", "CONTAINS": "contains(a, :0)",
	"NOT_CONTAINS": "attribute_exists(a) AND NOT contains(a, :0)",
	"BEGINS_WITH":  "begins_with(a, :0)", "IN": "a IN (:0, :1)", "BETWEEN": "a BETWEEN :0 AND :1",
}

// smallValue generates values that often equal or contain each other.
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
			case word == "IN" && errOld != nil: // only the legacy form requires values of one type
			case (errOld == nil) != (errNew == nil):
				rt.Fatalf("%s %v: %v, but %s: %v", word, operands, errOld, src, errNew)
			case errOld == nil && old.Holds(it) != given.Holds(it):
				rt.Fatalf("%s = %v for %v, but %s = %v", word, old.Holds(it), it, src, given.Holds(it))
			}
		}
	})
}

func TestCollectionSizeCountsTableAndLocalIndexes(t *testing.T) {
	s := openStore(t, Options{})
	mustCall(t, s, "CreateTable", `{"TableName":"orders","BillingMode":"PAY_PER_REQUEST",
		"AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"},{"AttributeName":"at","AttributeType":"N"}],
		"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}],
		"LocalSecondaryIndexes":[{"IndexName":"byTime","KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"at","KeyType":"RANGE"}],
		"Projection":{"ProjectionType":"KEYS_ONLY"}}]}`)
	for _, it := range []string{
		`{"PK":{"S":"a"},"SK":{"S":"1"},"at":{"N":"7"},"note":{"S":"12345"}}`, // 3+3+4+9 in the table, 3+3+4 in the index
		`{"PK":{"S":"a"},"SK":{"S":"2"}}`,                                     // 3+3, not in the index
		`{"PK":{"S":"b"},"SK":{"S":"1"},"at":{"N":"7"}}`,                      // another collection
	} {
		mustCall(t, s, "PutItem", `{"TableName":"orders","Item":`+it+`}`)
	}
	tb := s.tables["orders"]
	var size int64
	err := s.storage.view(func(tx *tx) (err error) {
		size, err = tx.countCollection(tb, partitionBytes(attribute.Item{"PK": attribute.String("a")}, tb.Keys[:1]))
		return err
	})
	if err != nil || size != 35 {
		t.Errorf("got %d bytes, want 35: %v", size, err)
	}
}

func TestSegmentsCoverAllKeysOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		total := rapid.IntRange(1, 1000).Draw(rt, "total")
		key := partitionBytes(attribute.Item{"k": attribute.String(rapid.String().Draw(rt, "key"))}, []attribute.Key{{Name: "k", Kind: attribute.S}})
		found := 0
		for i := range total {
			r := segmentRange(i, total)
			if isInRange(key, r, true) && isInRange(key, r, false) {
				found++
			}
		}
		if found != 1 {
			rt.Fatalf("%d of %d segments contain the key, want 1", found, total)
		}
	})
}

// Keys of several attributes are ordered by the first attribute that differs.
func TestCompositeKeysSortByFirstDifference(t *testing.T) {
	tb := &table{Keys: []attribute.Key{{Name: "id", Kind: attribute.S}}}
	ix := &index{Global: true, Partition: 2, Keys: []attribute.Key{
		{Name: "p", Kind: attribute.S},
		{Name: "q", Kind: attribute.N},
		{Name: "a", Kind: attribute.S},
		{Name: "b", Kind: attribute.N},
		{Name: "c", Kind: attribute.B},
	}}
	text := rapid.StringOfN(rapid.SampledFrom([]rune{0, 1, 'a', 'b'}), 1, 3, -1)
	entry := func(rt *rapid.T, id string) attribute.Item {
		return attribute.Item{
			"id": attribute.String(id), "p": attribute.String("p"), "q": {Kind: attribute.N, Str: "1"},
			"a": attribute.String(text.Draw(rt, "a")),
			"b": {Kind: attribute.N, Str: rapid.SampledFrom([]string{"-1", "0", "2", "10"}).Draw(rt, "b")},
			"c": {Kind: attribute.B, Str: text.Draw(rt, "c")},
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		x, y := entry(rt, "x"), entry(rt, "y")
		want := strings.Compare("x", "y")
		for _, name := range []string{"c", "b", "a"} {
			if order, _ := x[name].Compare(y[name]); order != 0 {
				want = order
			}
		}
		kx, _ := tb.entryKey(ix, x)
		ky, _ := tb.entryKey(ix, y)
		if got := bytes.Compare(kx, ky); got != want {
			rt.Fatalf("%v and %v compare as %d by key, want %d", x, y, got, want)
		}
	})
}
