package change

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

func str(text string) types.AttributeValue { return models.StringValue(text) }
func num(text string) types.AttributeValue { return &types.AttributeValueMemberN{Value: text} }

// caseScope returns the scope of an action on a case, with the item and a further item that the action read.
func caseScope() *scope {
	table := &models.Table{Name: "cases", PartitionKey: models.Key{Name: "PK", Type: models.TypeS}}
	entity := &models.Entity{
		Name: "Case", Title: "Case", Table: table, Keys: map[string]models.Template{"PK": models.MustTemplate("CASE#{caseId}")},
		Attributes: []*models.Attribute{
			{Name: "caseId", Path: "caseId", Type: models.TypeS, KeyOnly: true},
			{Name: "createdAt", Path: "createdAt", Type: models.TypeS, Format: models.ISO8601},
			{Name: "limit", Path: "limit", Type: models.TypeN},
		},
	}
	entity.Seal()
	a := &Action{
		ID: "approve", Entity: entity, Inputs: []*accesspatterns.Param{
			{Name: "caseId"}, {Name: "limit"}, {Name: "note"}, {Name: "count", Type: accesspatterns.Integer}, {Name: "due"},
		},
		Let: []Setting{{"label", mustParse("{caseId}/{item.limit}")}, {"mine", mustParse("{mine}")}, {"nothing", mustParse("{note}")}},
	}
	b := &Basis{
		Values: map[string]accesspatterns.Value{
			"caseId": {Text: "c7"}, "limit": {Text: "12.50"}, "count": {Text: "7"},
			"due": {Text: "2026-03-04T00:00:00Z", IsTime: true, Time: models.Time{Time: time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)}},
		},
		Items: map[string]models.Item{
			Subject: {
				"PK": str("CASE#c7"), "createdAt": str("2026-01-14T10:00:00Z"), "limit": num("3"),
				"tags": &types.AttributeValueMemberM{Value: models.Item{"a": str("b")}},
			},
			"user": {"name": str("Lorato"), "card": &types.AttributeValueMemberM{Value: models.Item{"count": num("2")}}},
		},
		UserInput: UserInput{
			Now: time.Date(2026, 3, 1, 9, 30, 15, 250e6, time.UTC), Actor: "kagiso", Reason: "all good",
			Token: "11111111-2222-4333-8444-555555555555",
		},
	}
	return newScope(a, b)
}

// An input has its declared type or else its attribute's type. Text that does not match the type stays text.
func TestInputTypesConvertText(t *testing.T) {
	number := &models.Attribute{Name: "n", Type: models.TypeN}
	for _, tt := range []struct {
		param *accesspatterns.Param
		text  string
		want  types.AttributeValue
	}{
		{&accesspatterns.Param{Type: accesspatterns.Boolean}, "true", &types.AttributeValueMemberBOOL{Value: true}},
		{&accesspatterns.Param{Type: accesspatterns.Integer}, "7", num("7")},
		{&accesspatterns.Param{Type: accesspatterns.Number}, "7.5", num("7.5")},
		{&accesspatterns.Param{Type: accesspatterns.String, Attribute: number}, "7", num("7")},
		{&accesspatterns.Param{Type: accesspatterns.String}, "true", str("true")},
		{&accesspatterns.Param{Type: accesspatterns.Integer}, "seven", str("seven")},
	} {
		if got := inputValue(tt.param, tt.text); !models.EqualValues(got, tt.want) {
			t.Errorf("%q as %s = %#v, want %#v", tt.text, tt.param.Type, got, tt.want)
		}
	}
}

func mustParse(text string) Formula {
	f, err := ParseFormula(text, false, map[string]models.ValueMap{"mode": {"on": "ON"}})
	if err != nil {
		panic(err)
	}
	return f
}

func TestFormulasComputeValues(t *testing.T) {
	millis := &models.Attribute{Type: models.TypeS, Format: models.ISO8601Millis}
	epoch := &models.Attribute{Type: models.TypeN, Format: models.EpochSeconds}
	tests := []struct {
		text      string
		attribute *models.Attribute
		want      string // typed JSON, "" for no value
	}{
		{"plain text", nil, `{"S":"plain text"}`},
		{"{caseId}", nil, `{"S":"c7"}`},
		{"CASE {caseId} of {user.name}", nil, `{"S":"CASE c7 of Lorato"}`},
		{"{limit}", nil, `{"S":"12.50"}`}, // The input takes precedence over the attribute.
		{"{count}", nil, `{"N":"7"}`},     // The value has the input's type.
		{"{due}", epoch, `{"N":"1772582400"}`},
		{"{due}", millis, `{"S":"2026-03-04T00:00:00.000Z"}`},
		{"{due}", nil, `{"S":"2026-03-04T00:00:00Z"}`},
		{"{item.limit}", nil, `{"N":"3"}`},
		{"{tags}", nil, `{"M":{"a":{"S":"b"}}}`},
		{"{tags.a}", nil, `{"S":"b"}`},
		{"{user.card.count}", nil, `{"N":"2"}`},
		{"{label}", nil, `{"S":"c7/3"}`},
		{"{mine}", nil, ""}, // The name refers to itself.
		{"{nothing}", nil, ""},
		{"{user.email|unknown}", nil, `{"S":"unknown"}`},
		{"to {user.email}", nil, ""},
		{"{actor}: {reason} ({action})", nil, `{"S":"kagiso: all good (approve)"}`},
		{"{now}", millis, `{"S":"2026-03-01T09:30:15.250Z"}`},
		{"{now}", epoch, `{"N":"1772357415"}`},
		{"{now+30d}", epoch, `{"N":"1774949415"}`},
		{"{now:date}", nil, `{"S":"2026-03-01"}`},
		{"{createdAt:day}", nil, `{"S":"20260114"}`},
		{"{caseId:sha256}", nil, `{"S":"f28d5b0d6f8be0da8446dabe79044cb9ed0ffa3150a003936155409fe778b885"}`},
		{"{limit} + {user.card.count}", &models.Attribute{Type: models.TypeN}, `{"N":"14.5"}`},
		{"{user.card.none|0} + 1", &models.Attribute{Type: models.TypeN}, `{"N":"1"}`},
		{"{user.card.none} + 1", &models.Attribute{Type: models.TypeN}, ""},
		{"{limit} - 20 + 0.5", &models.Attribute{Type: models.TypeN}, `{"N":"-7"}`},
		{"1 + 1", nil, `{"S":"1 + 1"}`}, // The target is not a number, so this is text.
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			var typ models.Type
			if test.attribute != nil {
				typ = test.attribute.Type
			}
			f, err := ParseFormula(test.text, typ == models.TypeN, nil)
			if err != nil {
				t.Fatal(err)
			}
			v, err := caseScope().eval(f, test.attribute, "here")
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if v != nil {
				got = string(models.AppendTypedJSON(nil, v))
			}
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestDocumentsOmitFieldsWithoutValue(t *testing.T) {
	f := MapFormula([]Setting{
		{"by", mustParse("{actor}")},
		{"mail", mustParse("{user.email}")},
		{"list", ListFormula([]Formula{mustParse("{caseId}"), mustParse("{note}")})},
	})
	v, err := caseScope().eval(f, nil, "here")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(models.AppendTypedJSON(nil, v)), `{"M":{"by":{"S":"kagiso"},"list":{"L":[{"S":"c7"}]}}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestGeneratedIDsDependOnPlanAndPlace(t *testing.T) {
	at := func(s *scope, name, place string) string {
		v, err := s.eval(mustParse("{"+name+"}"), nil, place)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := models.ValueText(v)
		return text
	}
	one, two := caseScope(), caseScope()
	if at(one, "uuid", "a") != at(two, "uuid", "a") {
		t.Error("an equal plan has another ID in the same place")
	}
	if at(one, "uuid", "a") == at(one, "uuid", "b") {
		t.Error("two places have the same ID")
	}
	two.basis.Token = "99999999-2222-4333-8444-555555555555"
	if at(one, "uuid", "a") == at(two, "uuid", "a") {
		t.Error("two plans have the same ID")
	}
	if err := models.UUID.Check(at(one, "uuid", "a")); err != nil {
		t.Error(err)
	}
	seven := at(one, "uuid7", "a")
	if err := models.UUID7.Check(seven); err != nil {
		t.Error(err)
	}
	two.basis.Now = two.basis.Now.Add(time.Millisecond)
	if later := at(two, "uuid7", "a"); later[:13] <= seven[:13] {
		t.Errorf("%s does not sort after %s", later, seven)
	}
	one.basis.Now = two.basis.Now.Add(time.Microsecond)
	if soon := at(one, "uuid7", "a"); soon <= at(two, "uuid7", "a") {
		t.Errorf("%s does not sort after %s of the same millisecond", soon, at(two, "uuid7", "a"))
	}
}

// Two plans get IDs in the order of their times, unless the clock cannot distinguish the times.
func TestGeneratedIDsAreInOrderOfTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := func(ns int64) string {
			s := caseScope()
			s.basis.Now = time.Unix(1_772_357_415, ns).UTC()
			return s.id("uuid7", "a")[:18] // The rest is random.
		}
		first := rapid.Int64Range(0, 3e6).Draw(t, "first")
		later := first + rapid.Int64Range(250, 3e6).Draw(t, "after") // An ID has a resolution of 244 ns.
		if id(first) >= id(later) {
			t.Fatalf("%s of %d does not sort before %s of %d", id(first), first, id(later), later)
		}
	})
}

func TestFormulaReferences(t *testing.T) {
	sum, err := ParseFormula("{a} + 1 - {b}", true, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := MapFormula([]Setting{{"x", mustParse("from {c} to {d:sha256}")}, {"y", ListFormula([]Formula{mustParse("{e|none}"), mustParse("text"), sum})}})
	var got []string
	for _, r := range f.References() {
		got = append(got, r.Name)
	}
	if want := "c d e a b"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func TestParseFormulaRejectsInvalidText(t *testing.T) {
	for text, want := range map[string]string{
		"{a":          "{ without }",
		"a}":          "} without {",
		"{}":          "is not a reference",
		"{a b}":       "is not a reference",
		"{now+3x}":    "is not a reference",
		"{a:nowhere}": "not a format or a map",
	} {
		if _, err := ParseFormula(text, false, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

func TestEvalRejectsValuesOfAnotherType(t *testing.T) {
	for text, typ := range map[string]models.Type{"{user.name}": models.TypeN, "{tags}": models.TypeN} {
		if v, err := caseScope().eval(mustParse(text), &models.Attribute{Type: typ}, "here"); err == nil {
			t.Errorf("%s as %s = %v, want an error", text, typ, v)
		}
	}
}

// Names that repeat the previous name several times would grow exponentially, so ddbdesk limits the size and the steps.
func TestExponentialFormulasAreRejected(t *testing.T) {
	parse := func(text string) Formula {
		f, err := ParseFormula(text, false, nil)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for _, first := range []string{"sixteen letters!", "x"} {
		lets := []Setting{{Name: "v0", Formula: parse(first)}}
		for i := range 19 {
			f := parse(strings.Repeat(fmt.Sprintf("{v%d}", i), 4))
			if first == "x" { // A list computes its elements again.
				one := parse(fmt.Sprintf("{v%d}", i))
				f = Formula{kind: listFormula, list: []Formula{one, one, one, one}}
			}
			lets = append(lets, Setting{Name: fmt.Sprintf("v%d", i+1), Formula: f})
		}
		s := newScope(&Action{Entity: &models.Entity{}, Let: lets}, &Basis{})
		if v, err := s.eval(parse("{v19}"), nil, "set.note"); err == nil || !strings.Contains(err.Error(), "more than 100000 steps or 400 KB") {
			t.Errorf("%s: got %v, %v, want an error about the limits", first, v, err)
		}
	}
}
