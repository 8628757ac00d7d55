package accesspatterns_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

func number(name string) *accesspatterns.Param {
	return &accesspatterns.Param{Name: name, Type: accesspatterns.Number}
}

// DynamoDB rejects a BETWEEN with crossed ends without naming the parameter.
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
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// holds reports whether the condition of the leg selects the sort key.
func holds(t *rapid.T, leg accesspatterns.Leg, sk string) bool {
	value := func(alias string) string {
		text, ok := models.ValueText(leg.Query.ExpressionAttributeValues[alias])
		if !ok || !utf8.ValidString(text) {
			t.Fatalf("%s is %q", alias, text)
		}
		return text
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
		return sk >= value(a) && sk <= value(b)
	case f[1] == ">=":
		return sk >= value(f[2])
	case f[1] == "<=":
		return sk <= value(f[2])
	case f[1] == "<":
		return sk < value(f[2])
	}
	t.Fatalf("the condition %q", cond)
	return false
}

// Whatever surrounds the placeholder, both ends are included.
func TestRangeSelectsExactlyItsKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		head := rapid.SampledFrom([]string{"", "EVENT#", "{kind}#", "é", "\U0010fffe#", "\ud7ff"}).Draw(t, "head")
		tail := rapid.SampledFrom([]string{"", "#{id}", "·{id}", "##{id}", "é"}).Draw(t, "tail")
		tmpl := models.MustTemplate(head + "{at}" + tail)
		// The values have one length, as times do. A delimiter changes the order of
		// texts of different lengths.
		value := rapid.StringMatching(`[0-9]{3}`)
		from, to := "", ""
		given := map[string]string{}
		if strings.Contains(head, "{kind}") {
			given["kind"] = "K"
		}
		if rapid.Bool().Draw(t, "has from") {
			from = "{from}"
			given["from"] = value.Draw(t, "from")
		}
		if rapid.Bool().Draw(t, "has to") {
			to = "{to}"
			given["to"] = value.Draw(t, "to")
		}
		if given["from"] > given["to"] && given["to"] != "" {
			given["from"], given["to"] = given["to"], given["from"]
		}
		opt := func(name string) *accesspatterns.Param {
			return &accesspatterns.Param{Name: name, Type: accesspatterns.String}
		}
		p := pattern(accesspatterns.Read{Key: []accesspatterns.KeyCondition{matches("PK", "A"), between(tmpl.String(), from, to)}},
			opt("kind"), opt("from"), opt("to"))
		r, err := p.Bind(given, noon)
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
		want := (given["from"] == "" || at >= given["from"]) && (given["to"] == "" || at <= given["to"])
		if got := holds(t, r.Legs[0], sk); got != want {
			t.Fatalf("%s from %q to %q: %q is selected: %v (%s)", tmpl, given["from"], given["to"], sk, got, asked(r.Legs[0]))
		}
		if head == "EVENT#" && (holds(t, r.Legs[0], "EVENU#"+at) || holds(t, r.Legs[0], "A#"+at)) {
			t.Fatalf("selects keys of another entity: %s", asked(r.Legs[0]))
		}
		if head == "\ud7ff" && holds(t, r.Legs[0], "\ue000"+at) { // the next character: there is none in between
			t.Fatalf("selects the next character: %s", asked(r.Legs[0]))
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
	if got := asked(r.Legs[0]); got != "pk = 'A' AND createdAt#requestId >= 'x'" {
		t.Errorf("got %s", got)
	}
	if _, ok := r.Legs[0].Query.ExpressionAttributeValues[":PK"].(*types.AttributeValueMemberS); !ok {
		t.Error("the values have changed")
	}
}
