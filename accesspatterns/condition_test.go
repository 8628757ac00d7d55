package accesspatterns_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

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
		{"yes", accesspatterns.Less, values(num("1")), false}, // a boolean has no order
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
			t.Errorf("%s: %v, want %v", c.Text(), got, tt.want)
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

// Alternatives are compared, listed and described together.
func TestConditionsWithAlternatives(t *testing.T) {
	is := func(name, text string) accesspatterns.Condition {
		return accesspatterns.Condition{Attribute: name, Compare: accesspatterns.Equal, Values: []types.AttributeValue{models.StringValue(text)}}
	}
	c := accesspatterns.Condition{Any: []accesspatterns.Condition{is("a.b", "1"), {Any: []accesspatterns.Condition{is("c", "2"), is("d", "3")}}}}
	if got := strings.Join(c.Attributes(), " "); got != "a.b c d" {
		t.Errorf("compares %s", got)
	}
	if got, want := c.String(), is("a.b", "1").String()+" or "+is("c", "2").String()+" or "+is("d", "3").String(); got != want {
		t.Errorf("described as %s, want %s", got, want)
	}
	for text, holds := range map[string]bool{"3": true, "4": false} {
		if c.Holds(models.Item{"a": models.StringValue("1"), "d": models.StringValue(text)}) != holds {
			t.Errorf("d is %s: holds: %t", text, !holds)
		}
	}
	numbers := models.Item{"n": &types.AttributeValueMemberNS{Value: []string{"1.0", "7"}}}
	for digits, holds := range map[string]bool{"1": true, "7.00": true, "2": false} {
		in := accesspatterns.Condition{
			Attribute: "n", Compare: accesspatterns.Contains, Values: []types.AttributeValue{&types.AttributeValueMemberN{Value: digits}},
		}
		if in.Holds(numbers) != holds {
			t.Errorf("a set of numbers contains %s: %t", digits, !holds)
		}
	}
}
