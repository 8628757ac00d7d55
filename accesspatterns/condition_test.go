package accesspatterns_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

func TestConditionHolds(t *testing.T) {
	num := func(s string) types.AttributeValue { return &types.AttributeValueMemberN{Value: s} }
	str := models.StringValue
	bin := func(s string) types.AttributeValue { return &types.AttributeValueMemberB{Value: []byte(s)} }
	it := models.Item{
		"n": num("10"), "s": str("b"), "b": bin("\xfe\x01"), "yes": &types.AttributeValueMemberBOOL{Value: true},
		"m": &types.AttributeValueMemberM{Value: models.Item{"x": num("1")}},
	}
	values := func(list ...types.AttributeValue) []types.AttributeValue { return list }
	tests := []struct {
		attribute string
		compare   accesspatterns.Operator
		values    []types.AttributeValue
		want      bool
	}{
		{"n", accesspatterns.Exists, nil, true},
		{"q", accesspatterns.Exists, nil, false},
		{"q", accesspatterns.NotExists, nil, true},
		{"m.y", accesspatterns.NotExists, nil, true},
		{"n", accesspatterns.Equal, values(num("10.0")), true},
		{"n", accesspatterns.Equal, values(str("10")), false},
		{"q", accesspatterns.Equal, values(num("1")), false},
		{"m.x", accesspatterns.Equal, values(num("1")), true},
		{"q", accesspatterns.NotEqual, values(num("1")), true},
		{"n", accesspatterns.NotEqual, values(num("10")), false},
		{"n", accesspatterns.Greater, values(num("9")), true}, // as numbers, not as text
		{"n", accesspatterns.Less, values(num("10")), false},
		{"n", accesspatterns.LessOrEqual, values(num("10")), true},
		{"s", accesspatterns.GreaterOrEqual, values(str("b")), true},
		{"s", accesspatterns.Greater, values(num("1")), false}, // the types differ
		{"b", accesspatterns.Greater, values(bin("\x7f")), true},
		{"yes", accesspatterns.Less, values(num("1")), false}, // Booleans do not sort.
		{"yes", accesspatterns.Equal, values(&types.AttributeValueMemberBOOL{Value: true}), true},
		{"n", accesspatterns.In, values(str("10"), num("1e1")), true},
		{"n", accesspatterns.In, values(str("10"), num("1")), false},
		{"n", accesspatterns.Between, values(num("9"), num("10")), true},
		{"n", accesspatterns.Between, values(num("9"), str("z")), false},
		{"s", accesspatterns.BeginsWith, values(str("b")), true},
		{"s", accesspatterns.BeginsWith, values(str("bb")), false},
		{"b", accesspatterns.BeginsWith, values(bin("\xfe")), true},
		{"n", accesspatterns.BeginsWith, values(str("1")), false},
	}
	for _, tt := range tests {
		c := accesspatterns.Condition{Attribute: tt.attribute, Compare: tt.compare, Values: tt.values}
		if got := c.Holds(it); got != tt.want {
			t.Errorf("%s: Holds() = %v, want %v", c.Text(), got, tt.want)
		}
		c.OrMissing = true
		if got := c.Holds(models.Item{}); !got && tt.compare != accesspatterns.Exists {
			t.Errorf("%s does not hold for an item without the attribute", c.Text())
		}
	}
}

func TestConditionText(t *testing.T) {
	one, two := models.StringValue("a"), &types.AttributeValueMemberN{Value: "2"}
	for _, tt := range []struct {
		c    accesspatterns.Condition
		want string
	}{
		{accesspatterns.Condition{Attribute: "x", Compare: accesspatterns.NotExists}, "attribute_not_exists(x)"},
		{accesspatterns.Condition{Attribute: "x", Compare: accesspatterns.Less, Values: []types.AttributeValue{two}}, "x < 2"},
		{
			accesspatterns.Condition{
				Attribute: "x", Compare: accesspatterns.BeginsWith, Values: []types.AttributeValue{one}, OrMissing: true,
			},
			`(attribute_not_exists(x) OR begins_with(x, "a"))`,
		},
		{
			accesspatterns.Condition{Attribute: "x", Compare: accesspatterns.In, Values: []types.AttributeValue{one, two}},
			`x IN ("a", 2)`,
		},
	} {
		if got := tt.c.Text(); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

// The alternatives of a condition act as one condition.
func TestConditionsWithAlternatives(t *testing.T) {
	is := func(name, text string) accesspatterns.Condition {
		return accesspatterns.Condition{Attribute: name, Compare: accesspatterns.Equal, Values: []types.AttributeValue{models.StringValue(text)}}
	}
	c := accesspatterns.Condition{Any: []accesspatterns.Condition{is("a.b", "1"), {Any: []accesspatterns.Condition{is("c", "2"), is("d", "3")}}}}
	if got := strings.Join(c.Attributes(), " "); got != "a.b c d" {
		t.Errorf("Attributes() = %s, want a.b c d", got)
	}
	if got, want := c.String(), is("a.b", "1").String()+" or "+is("c", "2").String()+" or "+is("d", "3").String(); got != want {
		t.Errorf("String() = %s, want %s", got, want)
	}
	for text, holds := range map[string]bool{"3": true, "4": false} {
		if c.Holds(models.Item{"a": models.StringValue("1"), "d": models.StringValue(text)}) != holds {
			t.Errorf("d is %s: Holds() = %t, want %t", text, !holds, holds)
		}
	}
	numbers := models.Item{"n": &types.AttributeValueMemberNS{Value: []string{"1.0", "7"}}}
	for digits, holds := range map[string]bool{"1": true, "7.00": true, "2": false} {
		in := accesspatterns.Condition{
			Attribute: "n", Compare: accesspatterns.Contains, Values: []types.AttributeValue{&types.AttributeValueMemberN{Value: digits}},
		}
		if in.Holds(numbers) != holds {
			t.Errorf("contains(numbers, %s) = %t, want %t", digits, !holds, holds)
		}
	}
}

func TestAliasesDeriveFromNames(t *testing.T) {
	e := &accesspatterns.Expression{}
	for _, tt := range []struct{ name, want string }{
		{"azAZ09_", "#azAZ09_"}, {"a.b", "#a_b"}, {"a-b", "#a_b2"}, {"a b", "#a_b3"}, {"a.b", "#a_b"}, {"@[`{/:", "#______"}, {"", "#x"},
	} {
		if got := e.Name(tt.name); got != tt.want {
			t.Errorf("the alias of %q is %s, want %s", tt.name, got, tt.want)
		}
	}
}

// A condition such as "status in (..)" compares an attribute with many values.
func TestEachValueHasItsOwnAlias(t *testing.T) {
	e := &accesspatterns.Expression{}
	for _, want := range []string{":status", ":status2", ":status3", ":status4", ":status5"} {
		if got := e.Value("status", models.StringValue("open")); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// DynamoDB allows only letters, digits and underscores in aliases. Each name has one alias, and each value has its own.
func TestAliasesAreValidAndUnique(t *testing.T) {
	valid := regexp.MustCompile(`^[#:][A-Za-z0-9_]+$`)
	rapid.Check(t, func(t *rapid.T) {
		e := &accesspatterns.Expression{Short: rapid.Bool().Draw(t, "short")}
		names, values := map[string]string{}, map[string]bool{}
		for _, name := range rapid.SliceOfN(rapid.StringMatching(`[a.-]{1,2}`), 0, 12).Draw(t, "names") {
			alias, value := e.Name(name), e.Value(name, models.StringValue(name))
			if known, ok := names[name]; ok && known != alias || e.Names()[alias] != name || !valid.MatchString(alias) {
				t.Fatalf("the alias of %q is %s, which is invalid or not unique: %v", name, alias, e.Names())
			}
			if values[value] || !valid.MatchString(value) || !models.EqualValues(e.Values()[value], models.StringValue(name)) {
				t.Fatalf("the value alias of %q is %s, which is invalid or not unique: %v", name, value, e.Values())
			}
			names[name], values[value] = alias, true
		}
		if len(e.Names()) != len(names) || len(e.Values()) != len(values) {
			t.Fatalf("got %d and %d aliases, want %d and %d", len(e.Names()), len(e.Values()), len(names), len(values))
		}
	})
}

func TestExplainGivesInputs(t *testing.T) {
	pk := matches("PK", "CASE#{id}")
	tests := []struct {
		name      string
		read      accesspatterns.Read
		operation string
		want      string
	}{
		{
			"get",
			accesspatterns.Read{Operation: accesspatterns.Get, Key: []accesspatterns.KeyCondition{pk, matches("SK", "META")}},
			"GetItem",
			`{"TableName":"events","Key":{"PK":{"S":"CASE#<7>"},"SK":{"S":"META"}},"ConsistentRead":true,"ReturnConsumedCapacity":"TOTAL"}`,
		},
		{
			"query",
			accesspatterns.Read{Key: []accesspatterns.KeyCondition{pk}, Descending: true},
			"Query",
			`{"TableName":"events","KeyConditionExpression":"#PK = :PK","ExpressionAttributeNames":{"#PK":"PK"},` +
				`"ExpressionAttributeValues":{":PK":{"S":"CASE#<7>"}},"ScanIndexForward":false,"Limit":5,"ReturnConsumedCapacity":"TOTAL"}`,
		},
		{
			"count",
			accesspatterns.Read{
				Operation: accesspatterns.Count, Key: []accesspatterns.KeyCondition{pk},
				Index: &models.Index{Name: "GSI1", PartitionKeys: models.KeyList(key("PK"))},
			},
			"Query",
			`{"TableName":"events","IndexName":"GSI1","KeyConditionExpression":"#PK = :PK","ExpressionAttributeNames":{"#PK":"PK"},` +
				`"ExpressionAttributeValues":{":PK":{"S":"CASE#<7>"}},"Select":"COUNT","Limit":5,"ReturnConsumedCapacity":"TOTAL"}`,
		},
		{
			"scan",
			accesspatterns.Read{Operation: accesspatterns.Scan},
			"Scan",
			`{"TableName":"events","Limit":5,"ReturnConsumedCapacity":"TOTAL"}`,
		},
		{"scan with a filter", accesspatterns.Read{Operation: accesspatterns.Scan, Filter: []accesspatterns.FilterCondition{
			where("size", models.TypeN, accesspatterns.GreaterOrEqual, "{n}"),
		}}, "Scan", `{"TableName":"events","FilterExpression":"#size >= :size","ExpressionAttributeNames":{"#size":"size"},` +
			`"ExpressionAttributeValues":{":size":{"N":"12"}},"Limit":1000,"ReturnConsumedCapacity":"TOTAL"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := pattern(tt.read, text("id"), &accesspatterns.Param{Name: "n", Type: accesspatterns.Integer})
			args := map[string]string{"id": "<7>"}
			if len(tt.read.Filter) > 0 {
				args["n"] = "12"
			}
			r, err := p.Bind(args, noon)
			if err != nil {
				t.Fatal(err)
			}
			if all := string(r.Explain(0, nil)[0].Input); strings.Contains(all, "Limit") {
				t.Errorf("the input of a read without a limit contains Limit: %s", all)
			}
			list := r.Explain(5, nil)
			if len(list) != 1 || list[0].Operation != tt.operation || string(list[0].Input) != tt.want {
				t.Errorf("got\n%s %s, want\n%s", list[0].Operation, list[0].Input, tt.want)
			}
			hidden := string(r.Explain(5, func(s string) string { return strings.ReplaceAll(s, "<7>", "•••") })[0].Input)
			if strings.Contains(hidden, "<7>") || !json.Valid([]byte(hidden)) || strings.Contains(
				tt.want, "<7>",
			) != strings.Contains(hidden, "•••") {
				t.Errorf("got %s, want valid JSON in which ••• replaces <7>", hidden)
			}
		})
	}
}

func TestGetLegIsConsistent(t *testing.T) {
	leg := accesspatterns.GetLeg(eventTable, models.Item{"PK": models.StringValue("A")})
	if leg.Get == nil || *leg.Get.TableName != "events" || !*leg.Get.ConsistentRead {
		t.Errorf("got %+v, want a consistent GetItem from events", leg.Get)
	}
}
