package accesspatterns_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

func number(name string) *accesspatterns.Param {
	return &accesspatterns.Param{Name: name, Type: accesspatterns.Number}
}

// DynamoDB rejects a BETWEEN with crossed ends, but its error does not name the parameter.
func TestRangeRejectsCrossedEnds(t *testing.T) {
	byNumber := between("{at}", "{from}", "{to}")
	byNumber.Attribute.Type = models.TypeN
	inKey := accesspatterns.Read{Key: []accesspatterns.KeyCondition{matches("PK", "A"), byNumber}}
	byText := accesspatterns.Read{Key: []accesspatterns.KeyCondition{matches("PK", "A"), between("{at}#{id}", "{from}", "{to}")}}
	filtered := accesspatterns.Read{Key: []accesspatterns.KeyCondition{matches("PK", "A")}, Filter: []accesspatterns.FilterCondition{
		where("size", models.TypeN, accesspatterns.Between, "{from}", "{to}"),
	}}
	tests := []struct {
		name     string
		read     accesspatterns.Read
		from, to string
		ok       bool
	}{
		{"numbers by value, not by text", inKey, "9", "10", true},
		{"equal numbers", inKey, "1.0", "1", true},
		{"crossed numbers", inKey, "10", "9", false},
		{"text by text", byText, "10", "9", true},
		{"crossed text", byText, "9", "10", false},
		{"a filter by value", filtered, "9", "10", true},
		{"a crossed filter", filtered, "10", "9", false},
	}
	for _, tt := range tests {
		_, err := pattern(tt.read, number("from"), number("to")).Bind(map[string]string{"from": tt.from, "to": tt.to}, noon)
		var p *accesspatterns.ParamError
		if tt.ok && err != nil || !tt.ok && (!errors.As(err, &p) || p.Param != "from" || p.Reason != "later than to") {
			t.Errorf("%s: got %v", tt.name, err)
		}
	}
}

func TestRangeErrorNamesParameterOfEnd(t *testing.T) {
	p := pattern(accesspatterns.Read{Key: []accesspatterns.KeyCondition{matches("PK", "A"), between("DOC#{at:05d}", "{from}", "{to}")}},
		number("from"), number("to"))
	for _, args := range []map[string]string{{"from": "-5", "to": "9"}, {"from": "1", "to": "123456"}} {
		want := map[bool]string{true: "from", false: "to"}[args["from"] == "-5"]
		_, err := p.Bind(args, noon)
		if e, ok := errors.AsType[*accesspatterns.ParamError](err); !ok || e.Param != want {
			t.Errorf("%v: got %v, want an error about %s", args, err, want)
		}
	}
}

// selectsKey reports whether the leg's key condition selects the sort key.
func selectsKey(t *rapid.T, leg accesspatterns.Leg, sk string) bool {
	number := false
	value := func(alias string) string {
		number = models.ValueType(leg.Query.ExpressionAttributeValues[alias]) == models.TypeN
		text, ok := models.ValueText(leg.Query.ExpressionAttributeValues[alias])
		if !ok || !utf8.ValidString(text) {
			t.Fatalf("the value of %s is %q, want valid UTF-8", alias, text)
		}
		return text
	}
	compare := func(end string) int {
		if number {
			return models.CompareNumbers(sk, end)
		}
		return strings.Compare(sk, end)
	}
	_, cond, _ := strings.Cut(*leg.Query.KeyConditionExpression, " AND ")
	var a, b string
	f := strings.Fields(strings.NewReplacer("(", " ", ")", "", ",", "").Replace(cond))
	switch {
	case len(f) == 0:
		return true
	case f[0] == "begins_with":
		return strings.HasPrefix(sk, value(f[2]))
	case f[1] == "BETWEEN":
		a, b = f[2], f[4]
		return compare(value(a)) >= 0 && compare(value(b)) <= 0
	case f[1] == ">=":
		return compare(value(f[2])) >= 0
	case f[1] == "<=":
		return compare(value(f[2])) <= 0
	case f[1] == "<":
		return compare(value(f[2])) < 0
	case f[1] == "=":
		return compare(value(f[2])) == 0
	}
	t.Fatalf("unexpected condition %q", cond)
	return false
}

// A range includes both ends, whatever surrounds the placeholder.
func TestRangeSelectsExactlyItsKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		head := rapid.SampledFrom([]string{"", "EVENT#", "{kind}#", "é", "\U0010fffe#", "\ud7ff"}).Draw(t, "head")
		tail := rapid.SampledFrom([]string{"", "#{id}", "·{id}", "##{id}", "é"}).Draw(t, "tail")
		tmpl := models.MustTemplate(head + "{at}" + tail)
		// The values have the same length, like times. With different lengths, the delimiter would change their order.
		value := rapid.StringMatching(`[0-9]{3}`)
		from, to := "", ""
		args := map[string]string{}
		if strings.Contains(head, "{kind}") {
			args["kind"] = "K"
		}
		if rapid.Bool().Draw(t, "has from") {
			from = "{from}"
			args["from"] = value.Draw(t, "from")
		}
		if rapid.Bool().Draw(t, "has to") {
			to = "{to}"
			args["to"] = value.Draw(t, "to")
		}
		if args["from"] > args["to"] && args["to"] != "" {
			args["from"], args["to"] = args["to"], args["from"]
		}
		opt := func(name string) *accesspatterns.Param {
			return &accesspatterns.Param{Name: name, Type: accesspatterns.String}
		}
		p := pattern(accesspatterns.Read{Key: []accesspatterns.KeyCondition{matches("PK", "A"), between(tmpl.String(), from, to)}},
			opt("kind"), opt("from"), opt("to"))
		r, err := p.Bind(args, noon)
		if err != nil {
			t.Fatal(err)
		}
		at := value.Draw(t, "at")
		sk, err := tmpl.Format(models.MapValues(map[string]string{
			"kind": "K", "at": at, "id": rapid.StringMatching(`[a#\x{10ffff}]{1,3}`).Draw(t, "id"),
		}))
		if err != nil {
			t.Fatal(err)
		}
		want := (args["from"] == "" || at >= args["from"]) && (args["to"] == "" || at <= args["to"])
		if got := selectsKey(t, r.Legs[0], sk); got != want {
			t.Fatalf("%s from %q to %q: %q is selected: %v (%s)", tmpl, args["from"], args["to"], sk, got, legText(r.Legs[0]))
		}
		if head == "EVENT#" && (selectsKey(t, r.Legs[0], "EVENU#"+at) || selectsKey(t, r.Legs[0], "A#"+at)) {
			t.Fatalf("the range selects keys of another entity: %s", legText(r.Legs[0]))
		}
		if head == "\ud7ff" && selectsKey(t, r.Legs[0], "\ue000"+at) { // the next character after U+D7FF
			t.Fatalf("the range selects the next character: %s", legText(r.Legs[0]))
		}
	})
}

func TestWithKeysRenamesKeyAttributes(t *testing.T) {
	r, err := pattern(
		accesspatterns.Read{Key: []accesspatterns.KeyCondition{matches("PK", "A"), between("{at}", "{from}", "")}},
		text("from"),
	).
		Bind(map[string]string{"from": "x"}, noon)
	if err != nil {
		t.Fatal(err)
	}
	r.Legs = append(r.Legs, accesspatterns.Leg{Get: nil})
	r = r.WithKeys(models.KeyList(key("pk")), models.KeyList(key("createdAt#requestId")))
	if got := legText(r.Legs[0]); got != "pk = 'A' AND createdAt#requestId >= 'x'" {
		t.Errorf("got %s, want renamed keys", got)
	}
	if _, ok := r.Legs[0].Query.ExpressionAttributeValues[":PK"].(*types.AttributeValueMemberS); !ok {
		t.Error("WithKeys() renamed the values")
	}
}

func TestErrorsAboutKeysHideSensitiveValues(t *testing.T) {
	for sensitivity, want := range map[models.Sensitivity]string{
		models.NotSensitive: `parameter name: "ana#b" contains "#", the separator after it in {name}#{id}`,
		models.PII:          "parameter name: the value does not fit the key",
	} {
		name := text("name")
		name.Sensitive = sensitivity
		p := pattern(accesspatterns.Read{Key: []accesspatterns.KeyCondition{matches("PK", "{name}#{id}")}}, name, text("id"))
		if _, err := p.Bind(arguments("name=ana#b id=1"), noon); err == nil || err.Error() != want {
			t.Errorf("sensitivity %v: got %v, want %s", sensitivity, err, want)
		}
	}
}

// DynamoDB accepts conditions only on the leading attributes of a sort key, and requires equality on all but the last.
func TestConditionsOnCompositeSortKey(t *testing.T) {
	compare := func(name string, o accesspatterns.Operator, template string) accesspatterns.KeyCondition {
		return accesspatterns.KeyCondition{Attribute: key(name), Compare: o, Template: models.MustTemplate(template)}
	}
	const equal, less, starts, fits = accesspatterns.Equal, accesspatterns.Less, accesspatterns.BeginsWith, accesspatterns.Matches
	for _, tt := range []struct {
		name string
		sort []accesspatterns.KeyCondition
		args string
		want string // the condition, or "!" and the error
	}{
		{"first attribute", []accesspatterns.KeyCondition{compare("a", equal, "{x}")}, "x=1", "PK = 'A' AND a = '1'"},
		{
			"both attributes",
			[]accesspatterns.KeyCondition{compare("a", equal, "{x}"), compare("b", less, "{y}")},
			"x=1 y=2",
			"PK = 'A' AND a = '1' AND b < '2'",
		},
		{
			"both with matches",
			[]accesspatterns.KeyCondition{compare("a", fits, "{x}"), compare("b", fits, "{y}")},
			"x=1 y=2",
			"PK = 'A' AND a = '1' AND b = '2'",
		},
		{"only the second attribute", []accesspatterns.KeyCondition{compare("b", equal, "{y}")}, "y=2", "!parameter y: follows a in the key of byBoth"},
		{
			"first attribute without a value",
			[]accesspatterns.KeyCondition{compare("a", fits, "{x}"), compare("b", fits, "{y}")},
			"y=2",
			"!parameter y: follows a in the key of byBoth",
		},
		{
			"the second after a comparison",
			[]accesspatterns.KeyCondition{compare("a", less, "{x}"), compare("b", equal, "{y}")},
			"x=1 y=2",
			"!parameter y: follows a in the key of byBoth",
		},
		{
			"the second after a prefix",
			[]accesspatterns.KeyCondition{compare("a", starts, "{x}"), compare("b", equal, "{y}")},
			"x=1 y=2",
			"!parameter y: follows a in the key of byBoth",
		},
		{
			"the second after an open tail",
			[]accesspatterns.KeyCondition{compare("a", fits, "{x}[#{z}]"), compare("b", equal, "{y}")},
			"x=1 y=2",
			"!parameter y: follows a in the key of byBoth",
		},
		{
			"the second after a complete tail",
			[]accesspatterns.KeyCondition{compare("a", fits, "{x}[#{z}]"), compare("b", equal, "{y}")},
			"x=1 y=2 z=3",
			"PK = 'A' AND a = '1#3' AND b = '2'",
		},
	} {
		p := pattern(accesspatterns.Read{
			Index: &models.Index{Name: "byBoth", PartitionKeys: models.KeyList(key("PK")), SortKeys: models.KeyList(key("a"), key("b"))},
			Key:   append([]accesspatterns.KeyCondition{matches("PK", "A")}, tt.sort...),
		}, optional("x"), optional("y"), optional("z"))
		other := *p // The schema may list conditions in any order.
		other.Read.Key = append(slices.Clone(tt.sort), matches("PK", "A"))
		if _, err := other.Bind(arguments(tt.args), noon); (err != nil) != strings.HasPrefix(tt.want, "!") {
			t.Errorf("%s, before the partition key: got %v", tt.name, err)
		}
		r, err := p.Bind(arguments(tt.args), noon)
		if message, fails := strings.CutPrefix(tt.want, "!"); fails {
			if err == nil || !strings.Contains(err.Error(), message) {
				t.Errorf("%s: got %v, want %s", tt.name, err, message)
			}
		} else if err != nil || legText(r.Legs[0]) != tt.want {
			t.Errorf("%s: got %v, %v, want %s", tt.name, legTexts(r), err, tt.want)
		}
	}
}

func TestFiltersListsAlternatives(t *testing.T) {
	exists := func(name string) accesspatterns.FilterCondition {
		return where(name, models.TypeS, accesspatterns.Exists)
	}
	either := accesspatterns.FilterCondition{Any: []accesspatterns.FilterCondition{exists("b"), exists("c")}}
	read := accesspatterns.Read{Filter: []accesspatterns.FilterCondition{exists("a"), either}}
	var got []string
	for _, f := range read.Filters() {
		got = append(got, f.Attribute)
	}
	if diff := gocmp.Diff([]string{"a", "b", "c"}, got); diff != "" {
		t.Error(diff)
	}
}

// ddbdesk sends a parameter in the format of an attribute that it is compared with alone, without other text.
func TestComparedAttributesOfPlaceholder(t *testing.T) {
	read := accesspatterns.Read{
		Key: []accesspatterns.KeyCondition{
			matches("PK", "A#{x}"), matches("GSI1PK", "{x:upper}"), matches("GSI2PK", "{x}"), between("{at}#{id}", "{x}", ""),
		},
		Filter: []accesspatterns.FilterCondition{
			where("a", models.TypeS, accesspatterns.Equal, "{x}"), where("b", models.TypeS, accesspatterns.Contains, "{x}"),
			where("c", models.TypeS, accesspatterns.Equal, "{y}"),
		},
	}
	if diff := gocmp.Diff([]string{"GSI2PK", "at", "a"}, read.ComparedAttributes("x")); diff != "" {
		t.Error(diff)
	}
}
