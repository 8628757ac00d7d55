package models_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/models"
)

var valueMaps = map[string]models.ValueMap{"short": {"active": "ACT", "inactive": "INA", "odd": "O#D"}}

func parse(t *testing.T, source string) models.Template {
	t.Helper()
	tmpl, err := models.ParseTemplate(source, valueMaps)
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	return tmpl
}

func TestTemplateSyntaxErrors(t *testing.T) {
	tests := []struct {
		source, message string
		offset          int
	}{
		{"", "empty", 0},
		{"CASE#{id", "{ without }", 5},
		{"CASE#id}", "} without {", 7},
		{"CASE#{}", "not a placeholder", 6},
		{"A#{1st}", "not a placeholder", 3},
		{"A#{a b}", "not a placeholder", 3},
		{"{a:026}", "is not a format", 3},
		{"{a:nope}", "is not a format or a map", 3},
		{"A#{long}#{name:nope}", "is not a format or a map", 15},
		{"A#{name:%Q}", "is not a directive", 8},
		{"{a:1025}", "is not a format", 3},
		{"{a:0d}", "is not a format", 3},
		{"{a:00d}", "is not a format", 3},
		{"{a:39d}", "is not a format", 3},
		{"{a:039d}", "is not a format", 3},
		{"{a:0+5d}", "is not a format", 3},
		{"A#{a}[#{b}", "[ without ]", 10},
		{"A#{a}]", "] without [", 5},
		{"A[#]{b}", "no placeholder of its own", 3},
		{"A[[#{a}]]", "no placeholder of its own", 8},
		{"A" + strings.Repeat("[#{a}]", 7), "more than 6 optional parts", 37},
	}
	for _, tt := range tests {
		_, err := models.ParseTemplate(tt.source, nil)
		var fault *models.SyntaxError
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), tt.message) || fault.Offset != tt.offset {
			t.Errorf("%q: got %v at %+v, want %q at %d", tt.source, err, fault, tt.message, tt.offset)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("MustTemplate accepted an invalid template")
		}
	}()
	models.MustTemplate("{")
}

// The test formats a key and parses it again. read lists the values if the key does not contain all of them.
func TestTemplateFormatsAndParses(t *testing.T) {
	tests := []struct {
		source string
		values map[string]string
		key    string
		read   map[string]string // nil: same as values
	}{
		{"META", map[string]string{}, "META", nil},
		{"CASE#{id}", map[string]string{"id": "ver_1"}, "CASE#ver_1", nil},
		{"{a}#{b.c}", map[string]string{"a": "x", "b.c": "y#z"}, "x#y#z", nil},
		{"{a}##{b}", map[string]string{"a": "x#y", "b": "z"}, "x#y##z", nil},
		{"{id}#{id}", map[string]string{"id": "7"}, "7#7", nil},
		{"N#{n:05d}", map[string]string{"n": "42"}, "N#00042", nil},
		{"N#{n:05d}", map[string]string{"n": "0"}, "N#00000", nil},
		{"N#{n:05d}", map[string]string{"n": "0042"}, "N#00042", map[string]string{"n": "42"}},
		{"S#{s:short}", map[string]string{"s": "active"}, "S#ACT", nil},
		{"{s:upper}#x", map[string]string{"s": "Ab"}, "AB#x", map[string]string{"s": "AB"}},
		{"{s:lower}", map[string]string{"s": "Ab"}, "ab", map[string]string{"s": "ab"}},
		{"DATE#{at:date}", map[string]string{"at": "2026-01-14T10:00:00Z"}, "DATE#2026-01-14", map[string]string{"at": "2026-01-14"}},
		{
			"{at:day}#{id}",
			map[string]string{"at": "2026-01-14T23:30:00-02:00", "id": "1"},
			"20260115#1",
			map[string]string{"at": "20260115", "id": "1"},
		},
		{"{at:compact}", map[string]string{"at": "2026-01-14T10:00:00Z"}, "20260114T100000Z", nil},
		{"{at:epoch-seconds}", map[string]string{"at": "2026-01-14T10:00:00Z"}, "1768384800", map[string]string{"at": "1768384800"}},
		{"{at:iso8601}", map[string]string{"at": "1768384800"}, "2026-01-14T10:00:00Z", map[string]string{"at": "2026-01-14T10:00:00Z"}},
		{"{at:date}#{at}", map[string]string{"at": "2026-01-14T10:00:00Z"}, "2026-01-14#2026-01-14T10:00:00Z", nil},
		{"{at}#{at:date}", map[string]string{"at": "2026-01-14T10:00:00Z"}, "2026-01-14T10:00:00Z#2026-01-14", nil},
		{"A#{a}[#{b}]", map[string]string{"a": "1", "b": "2"}, "A#1#2", nil},
		{"A#{a}[#{b}]", map[string]string{"a": "1"}, "A#1", nil},
		{"A#{a}[#{b}]", map[string]string{"a": "1", "b": ""}, "A#1", map[string]string{"a": "1"}},
		{"A#{a}[#{b}:{c}]", map[string]string{"a": "1", "b": "2"}, "A#1", map[string]string{"a": "1"}},
		{"A[#{a}]", map[string]string{}, "A", nil},
		{"A[#{a}]", map[string]string{"a": "#"}, "A##", nil},
		{"L#{a}[#{b}[#{c}]]", map[string]string{"a": "1", "b": "2", "c": "3"}, "L#1#2#3", nil},
		{"L#{a}[#{b}[#{c}]]", map[string]string{"a": "1", "b": "2"}, "L#1#2", nil},
		{"L#{a}[#{b}[#{c}]]", map[string]string{"a": "1", "c": "3"}, "L#1", map[string]string{"a": "1"}},
		{"{a}[#{b}]/{c}", map[string]string{"a": "1", "c": "3"}, "1/3", nil},
		{"{a}[#{b}]/{c}", map[string]string{"a": "1", "b": "2", "c": "3"}, "1#2/3", nil},
		{"[{a}#]{b:03d}", map[string]string{"b": "3"}, "003", nil},
		{"{a}[-{b}][+{c}]", map[string]string{"a": "1", "c": "3"}, "1+3", nil},
		{"{a}[-{b}]-{c}", map[string]string{"a": "1", "c": "3"}, "1-3", nil},
		{"T#{a}#{b}", map[string]string{"a": "", "b": "5"}, "T##5", nil},
		{"{a}#{b}/{c}", map[string]string{"a": "", "b": "", "c": "x"}, "#/x", nil},
	}
	for _, tt := range tests {
		tmpl := parse(t, tt.source)
		key, err := tmpl.Format(models.MapValues(tt.values))
		if err != nil || key != tt.key {
			t.Errorf("%s: got %q for %v (%v), want %q", tt.source, key, tt.values, err, tt.key)
			continue
		}
		m, err := tmpl.Parse(key)
		want := tt.read
		if want == nil {
			want = tt.values
		}
		if diff := cmp.Diff(want, m.Values); err != nil || diff != "" {
			t.Errorf("%s: parsing %q: %v (-want +got)\n%s", tt.source, key, err, diff)
		}
		at := 0
		for _, span := range m.Spans {
			if span.Start != at || span.End < at {
				t.Errorf("%s: the spans of %q have a gap at %d: %+v", tt.source, key, at, m.Spans)
			}
			at = span.End
		}
		if at != len(key) {
			t.Errorf("%s: the spans of %q end at %d", tt.source, key, at)
		}
	}
}

func TestTemplateFormatRejects(t *testing.T) {
	tests := []struct {
		source, name, value, message string
	}{
		{"{a}#{b}", "a", "x#y", `contains "#"`},
		{"{a}##{b}", "a", "x#", `contains "##"`},
		{"{a}[#{b}]", "a", "x#y", `contains "#"`},
		{"{a}#{b}", "b", "", "empty"},
		{"{a}", "a", "", "empty"},
		{"{a}[-{c}]-{b}", "b", "1-2", "would be parsed differently"},
		{"{a}#{b}", "b", "\xff", "UTF-8"},
		{"{a:03d}#{b}", "a", "1000", "more than 3 digits"},
		{"{a:03d}#{b}", "a", "-1", "not a non-negative whole number"},
		{"{a:03d}#{b}", "a", "1.0", "not a non-negative whole number"},
		{"{a:03d}#{b}", "a", "", "not a non-negative whole number"},
		{"{a:short}#{b}", "a", "gone", "is not in the map short"},
		{"{a:3}#{b}", "a", "ab", "does not have 3 characters"},
		{"{a:date}#{b}", "a", "soon", "not a time"},
		{"{a:date}#{b}", "a", "today", "not a time"},
		{"{a:date}#{b}", "a", "", "empty"},
	}
	for _, tt := range tests {
		values := map[string]string{"a": "1", "b": "1"}
		if strings.Contains(tt.source, "short") {
			values["a"] = "active"
		}
		values[tt.name] = tt.value
		key, err := parse(t, tt.source).Format(models.MapValues(values))
		var v *models.ValueError
		if !errors.As(err, &v) || v.Name != tt.name || !strings.Contains(err.Error(), tt.message) {
			t.Errorf("%s of %s=%q: got %q, %v, want %q", tt.source, tt.name, tt.value, key, err, tt.message)
		}
	}
	_, err := parse(t, "{a}#{b}").Format(models.MapValues(map[string]string{"a": "1"}))
	var v *models.ValueError
	if !errors.Is(err, models.ErrMissing) || !errors.As(err, &v) || v.Name != "b" {
		t.Errorf("a missing value: got %v, want ErrMissing about b", err)
	}
}

func TestTemplateMismatch(t *testing.T) {
	tests := []struct {
		source, key string
		pos         int
		message     string
	}{
		{"CASE#{id}", "CASE:1", 4, `differs from "CASE#"`},
		{"CASE#{id}", "CAS", 3, `differs from "CASE#"`},
		{"CASE#{id}", "", 0, `expected "CASE#"`},
		{"CASE#{id}", "CASE#", 5, "{id} is empty"},
		{"META", "META2", 4, "continues after"},
		{"{a}#{b}", "abc", 3, `ends before "#"`},
		{"{a}#{b}#END", "x#y#ENX", 7, `ends before "#END"`},
		{"{a}[#{b}]", "x#", 2, "{b} is empty"},
		{"N#{n:03d}", "N#42", 2, "not a number of 3 digits"},
		{"N#{n:03d}", "N#04x", 2, "not a number of 3 digits"},
		{"N#{n:03d}!", "N#0042!", 2, "not a number of 3 digits"},
		{"S#{s:short}", "S#act", 2, "is not a value of the map"},
		{"{s:upper}", "Ab", 0, "not in upper case"},
		{"{at:date}#x", "20260114#x", 0, "not a time of the format date"},
		{"{at:iso8601}", "2026-01-14T12:00:00+02:00", 0, "not in the form 2026-01-14T10:00:00Z"},
		{"{id}#{id}", "7#8", 2, `{id} is "8" here but "7" earlier`},
	}
	for _, tt := range tests {
		_, err := parse(t, tt.source).Parse(tt.key)
		var m *models.Mismatch
		if !errors.As(err, &m) || m.Pos != tt.pos || m.Template != tt.source {
			t.Errorf("%s: parsing %q: got %+v, want a mismatch at %d", tt.source, tt.key, m, tt.pos)
			continue
		}
		if text := err.Error(); !strings.Contains(
			text, strings.TrimPrefix(tt.message, "not spelled"),
		) || !strings.Contains(text, "at character ") {
			t.Errorf("%s: parsing %q: got %s, want %q", tt.source, tt.key, text, tt.message)
		}
	}
}

// The cases are the shortest and longest allowed names, widths and numbers of digits.
func TestTemplatesAtTheirLimits(t *testing.T) {
	for source, want := range map[string]string{
		"{aZ0.b-9_}": "x", "{_Az}": "x", "{Z}": "x", "{n:03d}": "999", "{n:038d}": strings.Repeat("9", 38), "{n:1d}": "", "{w:1024}": strings.Repeat("w", 1024),
	} {
		tmpl, err := models.ParseTemplate(source, nil)
		if want == "" {
			if err == nil {
				t.Errorf("ParseTemplate accepted %s", source)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		if key, err := tmpl.Format(func(string) (string, bool) { return want, true }); key != want || err != nil {
			t.Errorf("%s of %s: got %q, %v", source, want, key, err)
		}
	}
}

// CheckDelimiters reports a value that the key alone cannot separate, even if the item contains the value. Only Format
// reports the values that Format rejects.
func TestCheckDelimitersFindsSeparatorInValue(t *testing.T) {
	tmpl := parse(t, "{v}#{w}").Bind(testAttribute)
	var fault *models.ValueError
	if err := tmpl.CheckDelimiters(models.MapValues(map[string]string{"v": "x#y", "w": "z"})); !errors.As(err, &fault) || fault.Name != "v" {
		t.Errorf("got %v, want an error about v", err)
	}
	for _, values := range []map[string]string{{"v": "x", "w": "y#z"}, {"v": "x#y"}} {
		if err := tmpl.CheckDelimiters(models.MapValues(values)); err != nil {
			t.Errorf("%v: %v", values, err)
		}
	}
}

func TestTemplatePrefix(t *testing.T) {
	tests := []struct {
		source   string
		values   map[string]string
		prefix   string
		complete bool
	}{
		{"CASE#{id}", map[string]string{"id": "1"}, "CASE#1", true},
		{"CASE#{id}", nil, "CASE#", false},
		{"{status}#{createdAt}", map[string]string{"status": "open"}, "open#", false},
		{"{status}#{createdAt}", map[string]string{"createdAt": "x"}, "", false},
		{"META", nil, "META", true},
		{"A#{a}[#{b}]", map[string]string{"a": "1"}, "A#1#", false},
		{"A#{a}[#{b}]", map[string]string{"a": "1", "b": "2"}, "A#1#2", true},
	}
	for _, tt := range tests {
		prefix, complete, err := parse(t, tt.source).Prefix(models.MapValues(tt.values))
		if prefix != tt.prefix || complete != tt.complete || err != nil {
			t.Errorf("%s of %v: got prefix %q, %v (%v)", tt.source, tt.values, prefix, complete, err)
		}
	}
	for _, values := range []map[string]string{{"a": "x#y"}, {"a": "x#y", "b": "z"}} {
		if prefix, _, err := parse(t, "{a}#{b}").Prefix(models.MapValues(values)); err == nil {
			t.Errorf("Prefix accepted a value with the delimiter: %q", prefix)
		}
	}
	if prefix, complete, err := parse(t, "{a}#{b}").Prefix(models.MapValues(map[string]string{"a": "x", "b": "y#z"})); prefix != "x#y#z" || !complete || err != nil {
		t.Errorf("the last value contains the delimiter: got %q, %v (%v)", prefix, complete, err)
	}
}

func TestTemplateAccessors(t *testing.T) {
	tmpl := parse(t, "A#{x}#{y.z:date}[#{x}]")
	if tmpl.String() != "A#{x}#{y.z:date}[#{x}]" || tmpl.IsZero() || !(models.Template{}).IsZero() {
		t.Error("String() or IsZero() is wrong")
	}
	if diff := cmp.Diff([]string{"x", "y.z"}, tmpl.Placeholders()); diff != "" {
		t.Errorf("placeholders (-want +got)\n%s", diff)
	}
	if !tmpl.Has("y.z") || tmpl.Has("y") || tmpl.Has("") {
		t.Error("Has() is wrong")
	}
	if tmpl.LiteralPrefix() != "A#" || parse(t, "{x}#").LiteralPrefix() != "" || (models.Template{}).LiteralPrefix() != "" {
		t.Error("LiteralPrefix() is wrong")
	}
	if after := tmpl.After(1); len(after) != 1 || after[0] != "#" || tmpl.After(len(tmpl.Segments())-1) != nil {
		t.Error("After() does not return the next literal")
	}
	if text, ok := parse(t, "META").Literal(); text != "META" || !ok {
		t.Error("Literal() rejected META")
	}
	if _, ok := tmpl.Literal(); ok {
		t.Error("Literal() accepted a template with placeholders")
	}
}

// Every key either parses back to the values that produced it or is rejected.
func TestTemplateRoundTrip(t *testing.T) {
	formats := []string{"", "", ":04d", ":short", ":iso8601", ":compact"}
	values := map[string]*rapid.Generator[string]{
		"":         rapid.StringMatching(`[a#:\x{e9}-]{0,4}`),
		":04d":     rapid.StringMatching(`0|[1-9][0-9]{0,4}`),
		":short":   rapid.SampledFrom([]string{"active", "inactive", "odd", "gone"}),
		":iso8601": rapid.SampledFrom([]string{"2026-01-14T10:00:00Z", "1999-12-31T23:59:59Z"}),
		":compact": rapid.SampledFrom([]string{"2026-01-14T10:00:00Z", "not a time"}),
	}
	rapid.Check(t, func(t *rapid.T) {
		var source strings.Builder
		args := map[string]string{}
		source.WriteString(rapid.SampledFrom([]string{"", "A#", "é"}).Draw(t, "head"))
		tail := rapid.IntRange(0, 4).Draw(t, "tail at")
		count := rapid.IntRange(1, 3).Draw(t, "placeholders")
		for i := range count {
			name := string(rune('a' + i))
			if i > 0 && i == tail {
				source.WriteString("[")
			}
			if i > 0 {
				source.WriteString(rapid.SampledFrom([]string{"#", "##", "#é", ":-"}).Draw(t, "delimiter"))
			}
			f := rapid.SampledFrom(formats).Draw(t, "format")
			source.WriteString("{" + name + f + "}")
			args[name] = values[f].Draw(t, name)
		}
		if tail > 0 && tail < count {
			source.WriteString("]")
		}
		tmpl, err := models.ParseTemplate(source.String(), valueMaps)
		if err != nil {
			t.Fatalf("%s: %v", source.String(), err)
		}
		key, err := tmpl.Format(models.MapValues(args))
		if err != nil {
			return
		}
		m, err := tmpl.Parse(key)
		if err != nil {
			t.Fatalf("%s formats %v as %q and cannot parse it: %v", tmpl, args, key, err)
		}
		for name, v := range m.Values {
			if args[name] != v {
				t.Fatalf("%s formats %v as %q, but parses %v", tmpl, args, key, m.Values)
			}
		}
		if missing := len(args) - len(m.Values); missing > 0 && (tail == 0 || tail >= count || missing > count-tail) {
			t.Fatalf("%s parses only %v from %q", tmpl, maps.Clone(m.Values), key)
		}
	})
}

func FuzzTemplateParse(f *testing.F) {
	for _, source := range []string{"CASE#{id}", "{a}#{b}", "{a:05d}[#{b}]", "{at:date}#{at}", "{a:upper}é{b}"} {
		f.Add(source, "CASE#1")
	}
	f.Fuzz(func(t *testing.T, source, key string) {
		tmpl, err := models.ParseTemplate(source, nil)
		if err != nil {
			return
		}
		m, err := tmpl.Parse(key)
		if err != nil {
			return
		}
		var joined strings.Builder
		for _, span := range m.Spans {
			joined.WriteString(key[span.Start:span.End])
		}
		if joined.String() != key {
			t.Fatalf("%q parses %q into the parts %q", source, key, joined.String())
		}
	})
}

func TestRepeatedLiteral(t *testing.T) {
	prefixed := &models.Attribute{Name: "id", Prefix: "org_"}
	tests := map[string]struct {
		template, value, want string
		of                    *models.Attribute
	}{
		"whole literal":                     {template: "c#{id}", value: "c#12345", want: "c#"},
		"last word of the literal":          {template: "SHOP#ORDER#{id}", value: "ORDER#1", want: "ORDER#"},
		"all words of the literal":          {template: "SHOP#ORDER#{id}", value: "SHOP#ORDER#1", want: "SHOP#ORDER#"},
		"no text after the literal":         {template: "c#{id}", value: "c#"},
		"another value":                     {template: "c#{id}", value: "d#12345"},
		"another letter case":               {template: "c#{id}", value: "C#12345"},
		"only a separator":                  {template: "{a}#{id}", value: "#12345"},
		"literal ends with a letter":        {template: "v{id}", value: "v1"},
		"no literal before the placeholder": {template: "{id}#c", value: "c#1"},
		"documented prefix":                 {template: "org_{id}", value: "org_1", of: prefixed},
		"literal before prefix":             {template: "ORG#{id}", value: "ORG#org_1", want: "ORG#", of: prefixed},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			template := models.MustTemplate(tt.template).Bind(func(string) *models.Attribute { return tt.of })
			if got := template.RepeatedLiteral("id", tt.value); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	_, err := models.MustTemplate("c#{id}#{day}").Format(models.MapValues(map[string]string{"id": "c#1", "day": "2026-01-01"}))
	if err == nil || !strings.Contains(err.Error(), "leave out c#, which the template adds") {
		t.Errorf("%v does not name the repeated literal", err)
	}
}

// Lint uses these methods to find values of the optional tail, values that only a separator ends, and times.
func TestTemplateProperties(t *testing.T) {
	at := &models.Attribute{Name: "at", Format: models.ISO8601}
	tmpl := parse(t, "A#{a}#{w:3}#{at}#{day:date}[#{a}#{b}#{b}]").Bind(func(name string) *models.Attribute {
		if name == "at" {
			return at
		}
		return nil
	})
	if got := strings.Join(tmpl.Optional(), " "); got != "b" {
		t.Errorf("Optional() = %s, want b", got)
	}
	var open, times []string
	for i, s := range tmpl.Segments() {
		if s.Name == "" {
			continue
		}
		if tmpl.EndsAtLiteral(i) {
			open = append(open, s.Name)
		}
		if f := s.TimeFormat(); f != models.NoFormat {
			times = append(times, s.Name+":"+string(f))
		}
	}
	if got := strings.Join(open, " "); got != "a at day a b" {
		t.Errorf("placeholders before a literal: got %s", got)
	}
	if got := strings.Join(times, " "); got != "at:"+string(models.ISO8601)+" day:date" {
		t.Errorf("time formats: got %s", got)
	}
}
