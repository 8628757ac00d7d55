package accesspatterns_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

func TestParamRead(t *testing.T) {
	tests := []struct {
		param      accesspatterns.Param
		text, want string // want is the value sent, or "!" and the error
	}{
		{accesspatterns.Param{Type: accesspatterns.Timestamp}, "now-1h", "2026-01-14T11:00:00Z"},
		{accesspatterns.Param{Type: accesspatterns.Timestamp, Format: models.EpochSeconds}, "2026-01-14T10:00:00Z", "1768384800"},
		{accesspatterns.Param{Type: accesspatterns.Day}, "today", "2026-01-14"},
		{accesspatterns.Param{Type: accesspatterns.Day, Format: models.Day}, "2026-01-14T23:00:00Z", "20260114"},
		{accesspatterns.Param{Type: accesspatterns.Timestamp}, strings.Repeat("9", 100), "!100 bytes is too long"},
		{accesspatterns.Param{Type: accesspatterns.Timestamp, Minimum: "now"}, "now-1s", "!is before now, the earliest time"},
		{accesspatterns.Param{Type: accesspatterns.Timestamp, Maximum: "now"}, "now+1s", "!is after now, the latest time"},
		{accesspatterns.Param{Type: accesspatterns.Timestamp, Minimum: "now", Maximum: "now"}, "now", "2026-01-14T12:00:00Z"},
		{accesspatterns.Param{Type: accesspatterns.Number}, " 1.50 ", "1.5"},
		{accesspatterns.Param{Type: accesspatterns.Number}, "007", "7"},
		{accesspatterns.Param{Type: accesspatterns.Number}, "+5", "5"},
		{accesspatterns.Param{Type: accesspatterns.Number}, "-0", "0"},
		{accesspatterns.Param{Type: accesspatterns.Number}, "1e2", "100"},
		{accesspatterns.Param{Type: accesspatterns.Integer}, "007", "7"},
		{accesspatterns.Param{Type: accesspatterns.Integer}, "1.0", "1"},
		{accesspatterns.Param{Type: accesspatterns.Enum, Enum: []string{"1"}, Attribute: &models.Attribute{Type: models.TypeN}}, "01", "1"},
		{accesspatterns.Param{Type: accesspatterns.String}, "007", "007"},
		{accesspatterns.Param{Type: accesspatterns.Number, Minimum: "1", Maximum: "10"}, "1.0", "1"},
		{accesspatterns.Param{Type: accesspatterns.Number, Minimum: "1", Maximum: "10"}, "1e1", "10"},
		{accesspatterns.Param{Type: accesspatterns.Number, Minimum: "1"}, "-500", `!"-500" is below the minimum of 1`},
		{accesspatterns.Param{Type: accesspatterns.Number, Maximum: "10"}, "1e38", `!"1e38" is above the maximum of 10`},
		{accesspatterns.Param{Type: accesspatterns.Integer, Maximum: "10", Sensitive: models.PII}, "1100", "!the value is above the maximum of 10"},
		{accesspatterns.Param{Type: accesspatterns.Integer}, "1e3", "1000"},
		{accesspatterns.Param{Type: accesspatterns.Integer}, "1.5", "!not a whole number"},
		{accesspatterns.Param{Type: accesspatterns.Number}, "1_000", `!"1_000" is not a number`},
		{accesspatterns.Param{Type: accesspatterns.Number}, "1e-131", "!1e-131 is outside DynamoDB's range"},
		{accesspatterns.Param{Type: accesspatterns.Number, Sensitive: models.PII}, "1e-131", "!the value is not a number"},
		{accesspatterns.Param{Type: accesspatterns.Number, Sensitive: models.PII}, "kago", "!the value is not a number"},
		{accesspatterns.Param{Type: accesspatterns.Enum, Enum: []string{"open", "closed"}}, "opne", `!did you mean "open"?`},
		{accesspatterns.Param{Type: accesspatterns.Enum, Enum: []string{"open"}, OpenEnum: true}, "held", "held"},
		{accesspatterns.Param{Type: accesspatterns.Boolean}, "true", "true"},
		{accesspatterns.Param{Type: accesspatterns.Boolean}, "TRUE", "true"},
		{accesspatterns.Param{Type: accesspatterns.Boolean}, "no", "false"},
		{accesspatterns.Param{Type: accesspatterns.Boolean}, "maybe", "!neither true nor false"},
		{accesspatterns.Param{Type: accesspatterns.String}, "é\u202e", "é\u202e"},
		{accesspatterns.Param{Type: accesspatterns.String}, "é\n", "!U+000A) at character 2"},
	}
	for _, tt := range tests {
		tt.param.Name = "p"
		v, err := tt.param.Read(tt.text, noon)
		message, fails := strings.CutPrefix(tt.want, "!")
		if fails && (!errors.Is(err, accesspatterns.ErrParam) || !strings.Contains(err.Error(), message)) {
			t.Errorf("%s %q: got %v, want %q", tt.param.Type, tt.text, err, message)
		}
		if !fails && (err != nil || v.Text != tt.want) {
			t.Errorf("%s %q: got %q (%v), want %q", tt.param.Type, tt.text, v.Text, err, tt.want)
		}
		if fails && tt.param.Sensitive != models.NotSensitive && strings.Contains(err.Error(), tt.text) {
			t.Errorf("the error repeats personal data: %v", err)
		}
	}
}

func TestParamWarning(t *testing.T) {
	id := &models.Attribute{Name: "id", Prefix: "ver_", Format: models.UUID}
	tests := []struct {
		param       accesspatterns.Param
		value, want string
	}{
		{accesspatterns.Param{Name: "id", Attribute: id}, "ver_123e4567-e89b-12d3-a456-426614174000", ""},
		{accesspatterns.Param{Name: "id", Attribute: id}, "7", `id: "7" does not start with ver_`},
		{accesspatterns.Param{Name: "id", Attribute: id, Sensitive: models.PII}, "7", "id: the value does not match its documented format"},
		{accesspatterns.Param{Name: "id", Attribute: id, Type: accesspatterns.Timestamp}, "7", ""},
		{accesspatterns.Param{Name: "id"}, "7", ""},
	}
	for _, tt := range tests {
		if got := tt.param.Warn(tt.value); got != tt.want {
			t.Errorf("Warn(%q) = %q, want %q", tt.value, got, tt.want)
		}
	}
	p := pattern(
		accesspatterns.Read{Key: []accesspatterns.KeyCondition{matches("PK", "A#{id}")}},
		&accesspatterns.Param{Name: "id", Type: accesspatterns.String, Attribute: id},
	)
	if r, err := p.Bind(map[string]string{"id": "7"}, noon); err != nil || len(r.Warnings) != 1 {
		t.Errorf("an undocumented format: got error %v, want one warning", err)
	}
}

func TestBindWarnsOfRepeatedLiteral(t *testing.T) {
	p := pattern(
		accesspatterns.Read{Key: []accesspatterns.KeyCondition{matches("PK", "c#{id}")}},
		&accesspatterns.Param{Name: "id", Type: accesspatterns.String},
	)
	r, err := p.Bind(map[string]string{"id": "c#12345"}, noon)
	want := []string{"id: the value starts with c#, which the key c#{id} adds; omit c#"}
	if diff := cmp.Diff(want, r.Warnings); err != nil || diff != "" {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
	if r, err = p.Bind(map[string]string{"id": "12345"}, noon); err != nil || len(r.Warnings) > 0 {
		t.Errorf("a value without the literal: got warnings %v, error %v", r.Warnings, err)
	}
}

func TestCheckKey(t *testing.T) {
	for text, ok := range map[string]bool{
		"CASE#1": true, strings.Repeat("x", 2048): true, strings.Repeat("x", 2049): false, "": false, "\xff": false, "a\tb": false,
	} {
		if err := accesspatterns.CheckKey(text); (err == nil) != ok {
			t.Errorf("CheckKey(%.20q) = %v, want valid: %t", text, err, ok)
		}
	}
}

func TestPageParams(t *testing.T) {
	p := pattern(accesspatterns.Read{Key: []accesspatterns.KeyCondition{matches("PK", "A")}},
		number("limit"), &accesspatterns.Param{Name: "next", Type: accesspatterns.Token})
	p.PageParam = "limit"
	r, err := p.Bind(map[string]string{"limit": "25", "next": "abc"}, noon)
	if err != nil || r.PageSize != 25 || r.PageToken != "abc" {
		t.Errorf("got %+v, %v, want page size 25 and token abc", r, err)
	}
	for _, n := range []int{1, 1_000_000} {
		if r, err := p.Bind(map[string]string{"limit": strconv.Itoa(n)}, noon); err != nil || r.PageSize != n {
			t.Errorf("limit=%d: got page size %d, error %v", n, r.PageSize, err)
		}
	}
	for _, text := range []string{"0", "-1", "1000001", "2.5", "1e7"} {
		var named *accesspatterns.ParamError
		if _, err := p.Bind(map[string]string{"limit": text}, noon); !errors.As(err, &named) || named.Param != "limit" {
			t.Errorf("limit=%s: got %v, want an error about limit", text, err)
		}
	}
}

func TestBindRejectsUnknownParameters(t *testing.T) {
	two := pattern(accesspatterns.Read{Key: []accesspatterns.KeyCondition{matches("PK", "{client}")}}, text("client"), text("status"))
	tests := []struct {
		pattern       *accesspatterns.Pattern
		name, message string
	}{
		{two, "cleint", `did you mean "client"?`},
		{two, "zz", "use client or status"},
		{pattern(accesspatterns.Read{Operation: accesspatterns.Scan}), "zz", "it has no parameters"},
	}
	for _, tt := range tests {
		if _, err := tt.pattern.Bind(map[string]string{tt.name: "1"}, noon); err == nil || !strings.Contains(err.Error(), tt.message) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.message)
		}
	}
	for message, q := range map[string]accesspatterns.Param{
		"requires one of a, b":                 {Type: accesspatterns.Enum, Enum: []string{"a", "b"}},
		"requires a value that starts with c_": {Type: accesspatterns.String, Prefix: "c_"},
		"requires it":                          {Type: accesspatterns.String},
	} {
		q.Name, q.Required = "s", true
		p := pattern(accesspatterns.Read{Key: []accesspatterns.KeyCondition{matches("PK", "{s}")}}, &q)
		if _, err := p.Bind(nil, noon); err == nil || !strings.HasSuffix(err.Error(), message) {
			t.Errorf("a missing %s: got %v, want %q", q.Type, err, message)
		}
	}
}

// where returns a filter condition.
func where(attribute string, t models.Type, o accesspatterns.Operator, values ...string) accesspatterns.FilterCondition {
	f := accesspatterns.FilterCondition{Attribute: attribute, Type: t, Compare: o}
	for _, text := range values {
		f.Values = append(f.Values, models.MustTemplate(text))
	}
	return f
}

// A filter omits a condition if its parameter lacks a value.
func TestFiltersOmitConditionsWithoutValues(t *testing.T) {
	tests := []struct {
		filter accesspatterns.FilterCondition
		args   string
		want   string
	}{
		{where("a.b", models.TypeS, accesspatterns.Exists), "", "a.b exists"},
		{where("a", models.TypeS, accesspatterns.NotExists), "", "a missing"},
		{where("a", models.TypeS, accesspatterns.BeginsWith, "SITE#{x}"), "7", "begins_with(a, 'SITE#7')"},
		{where("a", models.TypeS, accesspatterns.BeginsWith, "SITE#{x}"), "", ""},
		{where("a", models.TypeN, accesspatterns.Equal, "{x}"), "7", "a = '7'"},
		{where("a", models.TypeN, accesspatterns.LessOrEqual, "{x}"), "7", "a <= '7'"},
		{
			where("a", models.TypeN, accesspatterns.Between, "5", "{x}"),
			"7",
			"a BETWEEN '5' AND '7'",
		},
		{where("a", models.TypeN, accesspatterns.In, "1", "2"), "", "a IN ('1', '2')"},
		{where("a", models.TypeN, accesspatterns.Equal, "{x}"), "seven", "!parameter x"},
		{where("a", models.TypeN, accesspatterns.In, "one"), "", "!filter on a"},
		{where("a", models.TypeS, accesspatterns.Equal, "{x}#{y}"), "a#b", "!parameter x"},
	}
	for _, tt := range tests {
		p := pattern(accesspatterns.Read{Operation: accesspatterns.Scan, Filter: []accesspatterns.FilterCondition{tt.filter}},
			&accesspatterns.Param{Name: "x", Type: accesspatterns.String})
		args := map[string]string{}
		if tt.args != "" {
			args["x"] = tt.args
		}
		r, err := p.Bind(args, noon)
		if message, fails := strings.CutPrefix(tt.want, "!"); fails {
			if err == nil || !strings.Contains(err.Error(), message) {
				t.Errorf("%+v: got %v, want %q", tt.filter, err, message)
			}
			continue
		}
		if err != nil {
			t.Errorf("%+v: %v", tt.filter, err)
			continue
		}
		got := legText(r.Legs[0])
		got = strings.NewReplacer("attribute_exists(a.b)", "a.b exists", "attribute_not_exists(a)", "a missing").Replace(got)
		if got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestSplitPastedKeepsEveryValue(t *testing.T) {
	typed := rapid.SampledFrom([]string{
		`{"S":"<é>"}`, `{"N":"0.1"}`, `{"B":"AP8="}`, `{"BOOL":false}`, `{"NULL":true}`, `{"M":{}}`, `{"M":{"a":{"N":"1"}}}`,
		`{"L":[]}`, `{"L":[{"NULL":true},{"S":""}]}`, `{"SS":["b","a"]}`, `{"NS":["1","2"]}`, `{"BS":["AQ==",""]}`,
	})
	rapid.Check(t, func(t *rapid.T) {
		text := `{"PK":{"S":"A"},"x":` + typed.Draw(t, "x") + `,"y":` + typed.Draw(t, "y") + `}`
		_, _, item, err := accesspatterns.SplitPasted(nil, text)
		if got := string(item.AppendDynamoDBJSON(nil)); err != nil || got != text {
			t.Fatalf("%s is parsed as %s (%v)", text, got, err)
		}
	})
	for _, value := range []string{
		`{"S":1}`, `{"N":"1","S":"a"}`, `{"BOOL":"maybe"}`, `{"SS":"a"}`, `{"SS":[1]}`, `{"B":"%"}`, `{"BS":["%"]}`,
		`{"L":[1]}`, `{"M":{"a":1}}`,
		`{"M":[]}`, `{"S":["a"]}`, `{"NULL":"x"}`, `{"N":true}`,
	} {
		text := `{"Item":{"PK":{"S":"A"},"x":` + value + `}}`
		if _, _, item, err := accesspatterns.SplitPasted(nil, text); err == nil {
			// Some values lack a type, so the text is plain JSON.
			if v, ok := item.At("Item.PK.S"); !ok || models.ValueType(v) != models.TypeS {
				t.Errorf("%s is parsed as %s", text, item.AppendDynamoDBJSON(nil))
			}
		} else if !errors.Is(err, accesspatterns.ErrPasted) || err.Error() == "" {
			t.Errorf("%s: got %v, want ErrPasted", text, err)
		}
	}
}

func TestBindResolvesTimesAtOneMoment(t *testing.T) {
	p := pattern(accesspatterns.Read{Key: []accesspatterns.KeyCondition{matches("PK", "A"), between("{at}", "{from}", "{to}")}},
		moment("from", models.ISO8601), moment("to", models.ISO8601))
	r, err := p.Bind(map[string]string{"from": "now-1h", "to": "now"}, noon)
	if err != nil || r.Values["to"].Time.Sub(r.Values["from"].Time.Time) != time.Hour || !r.Now.Equal(noon) {
		t.Errorf("got %+v, %v, want times one hour apart", r, err)
	}
}

func TestNearestTemplatesExplainMismatches(t *testing.T) {
	t.Parallel()
	var entities []*models.Entity
	for _, name := range profiles.Names() {
		p, err := profiles.Open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		entities = append(entities, p.Entities...)
	}
	mail := &models.Attribute{Name: "m", Path: "m", Type: models.TypeS, Format: models.Email}
	entities = append(entities,
		entityWithKey("Short", "PK", "U#{x}"), entityWithKey("Half", "PK", "ZYXW{x}"), entityWithKey("Even", "PK", "QWER#{x}#{m}", mail))
	caseID := "ver_07ee38bc-672e-459f-89e4-664aa6659ecd"
	for _, tt := range []struct {
		name, key, sort string
		want            []string
	}{
		{"a part without its prefix", "CASE#abcx", "", []string{
			`Verification PK: CASE#{verificationId}: verificationId: "abcx" does not start with ver_ at character 6`,
		}},
		{"a literal with a typing error", "CASE:" + caseID, "", []string{
			`Verification PK: CASE#{verificationId}: differs from "CASE#" at character 5`,
		}},
		{"a key that fits", "CASE#" + caseID, "", nil},
		{"an ID is not a key", caseID, "", nil},
		{"no literal beginning", "11111111-2222", "", nil},
		{"one common character", "Cxyz", "", nil},
		{"one common character of two", "Ux", "", nil},
		{"half of the literal text", "ZYxx", "", []string{`Half PK: ZYXW{x}: differs from "ZYXW" at character 3`}},
		{"less than half", "Zxxx", "", nil},
		{"a later part", "QWER#1#m", "", []string{`Even PK: QWER#{x}#{m}: m: "m" is not an email address at character 8`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, n := range accesspatterns.NearestTemplates(entities, tt.key, tt.sort) {
				got = append(got, n.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNearestMatchIncludesWarning(t *testing.T) {
	mail := &models.Attribute{Name: "m", Path: "m", Type: models.TypeS, Format: models.Email}
	pair := &models.Entity{Name: "Pair", Table: eventTable, Attributes: []*models.Attribute{mail}, Keys: map[string]models.Template{
		"PK": models.MustTemplate("PAIR#{x}"), "SK": models.MustTemplate("PART#{m}"),
	}}
	pair.Seal()
	matches := accesspatterns.NearestTemplates([]*models.Entity{pair}, "PAIR#1", "PART#m")
	if want := `Pair SK: PART#{m}: m: "m" is not an email address at character 6`; len(matches) != 1 || matches[0].String() != want {
		t.Errorf("got %v, want %s", matches, want)
	}
	// A secret with the same text as the name masks the name in the warning.
	pair.Attributes = append(pair.Attributes, &models.Attribute{Name: "x", Path: "x", Type: models.TypeS, Sensitive: models.Secret})
	pair.Seal()
	if matches := accesspatterns.NearestTemplates([]*models.Entity{pair}, "PAIR#m", "PART#no"); len(matches) != 1 || matches[0].Attribute != "PK" {
		t.Errorf("with a masked name: got %v, want only PK", matches)
	}
}

// several returns a parameter that accepts several values.
func several(name string) *accesspatterns.Param {
	q := optional(name)
	q.List = true
	return q
}

func TestListsAreSplit(t *testing.T) {
	for input, want := range map[string]string{
		"a":                 "a",
		"a,b":               "a b",
		" a , b\n c\r\nd,,": "a b c d",
		"a,b,a":             "a b",
		`["a,b", 1.50]`:     "a,b 1.50",
		`[" a"]`:            " a",
	} {
		v, err := several("p").Read(input, noon)
		var texts []string
		for _, one := range v.List {
			texts = append(texts, one.Text)
		}
		if got := strings.Join(texts, " "); err != nil || got != want {
			t.Errorf("%q: got %q (%v), want %q", input, got, err, want)
		}
	}
	for input, message := range map[string]string{
		"[": "not a JSON array", `["a"] b`: "not a JSON array", `["a"]]`: "not a JSON array", "[true]": "not a JSON array", "[]": "empty", " , ": "empty",
	} {
		if _, err := several("p").Read(input, noon); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%q: got %v, want %q", input, err, message)
		}
	}
}

func TestListsAreBounded(t *testing.T) {
	const maximum = 1000
	if v, err := several("p").Read(strings.Repeat("a,", maximum-1)+"b", noon); err != nil || len(v.List) != 2 {
		t.Errorf("%d values: got error %v, want 2 distinct values", maximum, err)
	}
	if _, err := several("p").Read(strings.Repeat("a,", maximum)+"b", noon); err == nil || !strings.Contains(err.Error(), "1001 values; the maximum is 1000") {
		t.Errorf("one more value: got %v, want an error", err)
	}
}

// An item's value fills a parameter with several values as one value.
func TestArgumentIsReadAsOneValue(t *testing.T) {
	for value, want := range map[string]string{
		"a": "a", "a,b": `["a,b"]`, " a ": `[" a "]`, "a,": `["a,"]`, `["a"]`: `["[\"a\"]"]`, "[": `["["]`,
	} {
		q := several("p")
		got := q.Argument(value)
		if got != want {
			t.Errorf("Argument(%q) = %s, want %s", value, got, want)
		}
		if v, err := q.Read(got, noon); err != nil || len(v.List) != 1 || v.Text != value {
			t.Errorf("Read(%s) = %+v (%v), want one value", got, v, err)
		}
		if q.List = false; q.Argument(value) != value {
			t.Errorf("Argument(%q) = %s for a parameter without a list", value, q.Argument(value))
		}
	}
}

// One request of BatchGetItem reads up to 100 keys.
func TestKeyListsUseBatchGetItem(t *testing.T) {
	p := pattern(accesspatterns.Read{Operation: accesspatterns.Get, Key: []accesspatterns.KeyCondition{
		matches("PK", "A#{id}"), matches("SK", "META"),
	}}, several("id"))
	for n, want := range map[int]string{
		1: "GetItem", 2: "BatchGetItem 2", 100: "BatchGetItem 100", 101: "BatchGetItem 100, BatchGetItem 1",
	} {
		ids := make([]string, n)
		for i := range ids {
			ids[i] = fmt.Sprint(i)
		}
		r, err := p.Bind(map[string]string{"id": strings.Join(ids, ",")}, noon)
		if err != nil {
			t.Fatal(err)
		}
		if n == 2 {
			want := `{"RequestItems":{"events":{"Keys":[{"PK":{"S":"A#0"},"SK":{"S":"META"}},{"PK":{"S":"A#1"},"SK":{"S":"META"}}],` +
				`"ConsistentRead":true}},"ReturnConsumedCapacity":"TOTAL"}`
			if diff := cmp.Diff(want, string(r.Explain(0, nil)[0].Input)); diff != "" {
				t.Error(diff)
			}
		}
		var got []string
		for i, l := range r.Legs {
			operation := r.Explain(0, nil)[i].Operation
			if _, keys := l.Keys(); len(keys.Keys) > 0 {
				operation += fmt.Sprint(" ", len(keys.Keys))
			}
			got = append(got, operation)
		}
		if diff := cmp.Diff(want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%d keys (-want +got):\n%s", n, diff)
		}
	}
}

func TestEmptyListParameterIsOmitted(t *testing.T) {
	key := []accesspatterns.KeyCondition{matches("PK", "A"), matches("SK", "{id}")}
	p := pattern(accesspatterns.Read{Key: key}, several("id"))
	for args, want := range map[string][]string{
		"": {"PK = 'A'"}, "id=1": {"PK = 'A' AND SK = '1'"}, "id=1,2": {"PK = 'A' AND SK = '1'", "PK = 'A' AND SK = '2'"},
	} {
		r, err := p.Bind(arguments(args), noon)
		if err != nil {
			t.Errorf("%s: %v", args, err)
		} else if diff := cmp.Diff(want, legTexts(r)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", args, diff)
		}
	}
}
