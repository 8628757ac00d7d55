// Single items through the AWS client: writing, reading, conditions, return values.

package embedded

import (
	"bytes"
	"fmt"
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

func read1(t testing.TB, c *dynamodb.Client, pk, sk string) av {
	t.Helper()
	out, err := c.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("orders"), Key: av{"PK": str(pk), "SK": str(sk)}})
	if err != nil {
		t.Fatal(err)
	}
	return out.Item
}

func TestEveryTypeIsReadAsWritten(t *testing.T) {
	c := withOrders(t)
	it := av{
		"PK": str("a"), "SK": str("tab\t\"quoted\" \\ \u2028 é 🙂 <>&"), "n": num("-12345678901234567890123456789012345678"),
		"f": num("0.000012"),
		"b": &types.AttributeValueMemberB{Value: []byte{0, 255, 1}}, "yes": &types.AttributeValueMemberBOOL{Value: true},
		"no": &types.AttributeValueMemberBOOL{Value: false}, "null": &types.AttributeValueMemberNULL{Value: true},
		"ss": &types.AttributeValueMemberSS{Value: []string{"a", "b"}},
		"ns": &types.AttributeValueMemberNS{Value: []string{"-2", "1", "10"}},
		"bs": &types.AttributeValueMemberBS{Value: [][]byte{{1}, {2}}}, "empty": str(""),
		"l": &types.AttributeValueMemberL{Value: []types.AttributeValue{
			num("1"), str("x"), &types.AttributeValueMemberM{Value: av{"deep": num("2")}},
		}},
		"m": &types.AttributeValueMemberM{Value: av{}},
	}
	put(t, c, it)
	wantItem(t, read1(t, c, "a", "tab\t\"quoted\" \\ \u2028 é 🙂 <>&"), it)
}

func TestNumbersAreNormalized(t *testing.T) {
	c := withOrders(t)
	for in, want := range map[string]string{
		"1.0": "1", "1e3": "1000", "-0": "0", "+5": "5", ".5": "0.5", "5.": "5", "0.00001200": "0.000012",
		"100e-2": "1", "1E+2": "100", "00012": "12", "1e-3": "0.001",
	} {
		put(t, c, av{"PK": str("n"), "SK": str(in), "v": num(in)})
		wantItem(t, read1(t, c, "n", in), av{"PK": str("n"), "SK": str(in), "v": num(want)})
	}
}

func TestWritesCheckTheirConditions(t *testing.T) {
	c := withOrders(t)
	put(t, c, av{"PK": str("a"), "SK": str("1"), "state": str("open"), "v": num("1")})
	_, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{
		TableName: aws.String("orders"), Item: av{"PK": str("a"), "SK": str("1")},
		ConditionExpression: aws.String("attribute_not_exists(PK)"), ReturnValuesOnConditionCheckFailure: "ALL_OLD",
	})
	wantError(t, err, "ConditionalCheckFailedException", "The conditional request failed")
	var failed *types.ConditionalCheckFailedException
	if !asError(err, &failed) {
		t.Fatal(err)
	}
	wantItem(t, failed.Item, av{"PK": str("a"), "SK": str("1"), "state": str("open"), "v": num("1")})

	out, err := c.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String("orders"), Key: av{"PK": str("a"), "SK": str("1")},
		UpdateExpression:          aws.String("SET #s = :new, v = v + :one REMOVE gone"),
		ConditionExpression:       aws.String("#s = :old AND v < :two"),
		ExpressionAttributeNames:  map[string]string{"#s": "state"},
		ExpressionAttributeValues: av{":new": str("closed"), ":old": str("open"), ":one": num("1"), ":two": num("2")},
		ReturnValues:              types.ReturnValueUpdatedNew,
	})
	if err != nil {
		t.Fatal(err)
	}
	wantItem(t, out.Attributes, av{"state": str("closed"), "v": num("2")})

	deleted, err := c.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
		TableName: aws.String("orders"), Key: av{"PK": str("a"), "SK": str("1")}, ReturnValues: types.ReturnValueAllOld,
	})
	if err != nil {
		t.Fatal(err)
	}
	wantItem(t, deleted.Attributes, av{"PK": str("a"), "SK": str("1"), "state": str("closed"), "v": num("2")})
	if got := read1(t, c, "a", "1"); got != nil {
		t.Fatalf("item is still there: %v", got)
	}
}

func TestUpdatesReturnTheRequestedValues(t *testing.T) {
	c := withOrders(t)
	whole := func(n string) av {
		return av{
			"PK": str("a"), "SK": str("1"), "n": num(n), "gone": str("x"),
			"m": &types.AttributeValueMemberM{Value: av{"a": num("1"), "b": num("2")}},
		}
	}
	for mode, want := range map[types.ReturnValue]av{
		types.ReturnValueNone:       nil,
		types.ReturnValueAllOld:     whole("1"),
		types.ReturnValueUpdatedOld: {"n": num("1"), "gone": str("x"), "m": &types.AttributeValueMemberM{Value: av{"a": num("1")}}},
		types.ReturnValueUpdatedNew: {"n": num("5"), "m": &types.AttributeValueMemberM{Value: av{"a": num("9")}}},
		types.ReturnValueAllNew: {
			"PK": str("a"), "SK": str("1"), "n": num("5"), "m": &types.AttributeValueMemberM{Value: av{"a": num("9"), "b": num("2")}},
		},
	} {
		put(t, c, whole("1"))
		out, err := c.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
			TableName: aws.String("orders"), Key: orderKey("a"), UpdateExpression: aws.String("SET n = n + :4, m.a = :9 REMOVE gone"),
			ExpressionAttributeValues: av{":4": num("4"), ":9": num("9")}, ReturnValues: mode,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Run(string(mode), func(t *testing.T) { wantItem(t, out.Attributes, want) })
	}
	_, err := c.PutItem(
		t.Context(),
		&dynamodb.PutItemInput{TableName: aws.String("orders"), Item: orderKey("a"), ReturnValues: types.ReturnValueAllNew},
	)
	wantError(t, err, "ValidationException", "ReturnValues can only be ALL_OLD or NONE")
}

func TestUpdateCreatesAnItem(t *testing.T) {
	c := withOrders(t)
	update := func(in *dynamodb.UpdateItemInput) av {
		t.Helper()
		in.TableName, in.ReturnValues = aws.String("orders"), types.ReturnValueAllNew
		out, err := c.UpdateItem(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		return out.Attributes
	}
	wantItem(t, update(&dynamodb.UpdateItemInput{Key: orderKey("bare")}), orderKey("bare"))
	wantItem(t, update(&dynamodb.UpdateItemInput{
		Key: orderKey("counter"), UpdateExpression: aws.String("ADD n :1"), ExpressionAttributeValues: av{":1": num("1")},
	}), av{"PK": str("counter"), "SK": str("1"), "n": num("1")})
	_, err := c.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String("orders"), Key: orderKey("a"), UpdateExpression: aws.String("SET SK = :1"),
		ExpressionAttributeValues: av{":1": str("1")},
	})
	wantError(
		t, err, "ValidationException",
		"One or more parameter values were invalid: Cannot update attribute SK. This attribute is part of the key",
	)
}

func TestUpdateStopsAtTheSizeLimit(t *testing.T) {
	c := withOrders(t)
	grow := func() error {
		_, err := c.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
			TableName: aws.String("orders"), Key: orderKey("a"),
			UpdateExpression: aws.String("SET l = list_append(if_not_exists(l, :none), :more)"),
			ExpressionAttributeValues: av{
				":none": &types.AttributeValueMemberL{},
				":more": &types.AttributeValueMemberL{Value: []types.AttributeValue{str(strings.Repeat("x", 150_000))}},
			},
		})
		return err
	}
	for range 2 {
		if err := grow(); err != nil {
			t.Fatal(err)
		}
	}
	wantError(t, grow(), "ValidationException", "Item size to update has exceeded the maximum allowed size")
	l, ok := read1(t, c, "a", "1")["l"].(*types.AttributeValueMemberL)
	if !ok || len(l.Value) != 2 {
		t.Error("the rejected update changed the item")
	}
}

func TestConsumedCapacityIsReported(t *testing.T) {
	c := withOrders(t)
	write := func(it av) string {
		t.Helper()
		out, err := c.PutItem(
			t.Context(),
			&dynamodb.PutItemInput{TableName: aws.String("orders"), Item: it, ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes},
		)
		if err != nil {
			t.Fatal(err)
		}
		units := func(m map[string]types.Capacity, name string) float64 { return aws.ToFloat64(m[name].CapacityUnits) }
		cc := out.ConsumedCapacity
		return fmt.Sprintf("%v = %v + %v + %v + %v", *cc.CapacityUnits, *cc.Table.CapacityUnits, units(
			cc.GlobalSecondaryIndexes, "byStatus",
		),
			units(cc.GlobalSecondaryIndexes, "keysOnly"), units(cc.LocalSecondaryIndexes, "byAmount"))
	}
	it := av{"PK": str("a"), "SK": str("1"), "G1": str("g"), "G2": num("1"), "amount": num("1"), "note": str(strings.Repeat("x", 1500))}
	steps := []struct{ name, got, want string }{
		{"insert into all", write(it), "7 = 2 + 2 + 1 + 2"}, {"no change", write(it), "2 = 2 + 0 + 0 + 0"},
	}
	it["G2"] = num("2")
	steps = append(steps, struct{ name, got, want string }{"index key changed", write(it), "6 = 2 + 4 + 0 + 0"})
	delete(it, "G1")
	steps = append(steps, struct{ name, got, want string }{"left both indexes", write(it), "5 = 2 + 2 + 1 + 0"})
	for _, s := range steps {
		if s.got != s.want {
			t.Errorf("%s: got %s, want %s", s.name, s.got, s.want)
		}
	}
	read, err := c.GetItem(t.Context(), &dynamodb.GetItemInput{
		TableName: aws.String("orders"), Key: orderKey("a"), ConsistentRead: aws.Bool(true),
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	})
	if err != nil || *read.ConsumedCapacity.CapacityUnits != 1 {
		t.Errorf("a consistent read of 1.5 kB: %v %v", read.ConsumedCapacity, err)
	}
}

// The legacy parameters have the same meaning as their expressions.

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

// The measured size of a large item collection.

func TestCollectionSizeCountsTheTableAndLocalIndexes(t *testing.T) {
	s := openStore(t, Options{})
	mustCall(t, s, "CreateTable", `{"TableName":"orders","BillingMode":"PAY_PER_REQUEST",
		"AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"},{"AttributeName":"at","AttributeType":"N"}],
		"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}],
		"LocalSecondaryIndexes":[{"IndexName":"byTime","KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"at","KeyType":"RANGE"}],
		"Projection":{"ProjectionType":"KEYS_ONLY"}}]}`)
	for _, it := range []string{
		`{"PK":{"S":"a"},"SK":{"S":"1"},"at":{"N":"7"},"note":{"S":"12345"}}`, // 3+3+4+9 in the table, 3+3+4 in the index
		`{"PK":{"S":"a"},"SK":{"S":"2"}}`,                                     // 3+3, and not in the index
		`{"PK":{"S":"b"},"SK":{"S":"1"},"at":{"N":"7"}}`,                      // another collection
	} {
		mustCall(t, s, "PutItem", `{"TableName":"orders","Item":`+it+`}`)
	}
	tb := s.tables["orders"]
	var size int64
	err := s.storage.view(func(tx *tx) (err error) {
		size, err = tx.countCollection(tb, partition(attribute.Item{"PK": attribute.String("a")}, tb.Keys[:1]))
		return err
	})
	if err != nil || size != 35 {
		t.Errorf("the collection has %d bytes, want 35: %v", size, err)
	}
}

func TestSegmentsCoverAllKeysOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		total := rapid.IntRange(1, 1000).Draw(rt, "total")
		key := partition(attribute.Item{"k": attribute.String(rapid.String().Draw(rt, "key"))}, []attribute.Key{{Name: "k", Kind: attribute.S}})
		found := 0
		for i := range total {
			r := segmentRange(i, total)
			if inRange(key, r, true) && inRange(key, r, false) {
				found++
			}
		}
		if found != 1 {
			rt.Fatalf("%d of %d segments contain the key", found, total)
		}
	})
}

// Keys of several attributes are ordered by the first attribute that differs.
func TestKeysOfSeveralAttributesSortByTheFirstDifference(t *testing.T) {
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
			rt.Fatalf("%v and %v compare %d as keys, want %d", x, y, got, want)
		}
	})
}
