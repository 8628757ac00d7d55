package accesspatterns_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// noon is the current time of these tests.
var noon = time.Date(2026, 1, 14, 12, 0, 0, 0, time.UTC)

func key(name string) models.Key { return models.Key{Name: name, Type: models.TypeS} }

func matches(name, template string) accesspatterns.KeyCondition {
	return accesspatterns.KeyCondition{Attribute: key(name), Compare: accesspatterns.Matches, Template: models.MustTemplate(template)}
}

// between returns a range condition on the placeholder at in the template of the sort key.
func between(template, from, to string) accesspatterns.KeyCondition {
	c := accesspatterns.KeyCondition{
		Attribute: key("SK"), Compare: accesspatterns.Range, On: "at", KeyTemplate: models.MustTemplate(template),
	}
	if from != "" {
		c.From = models.MustTemplate(from)
	}
	if to != "" {
		c.To = models.MustTemplate(to)
	}
	return c
}

func pattern(read accesspatterns.Read, params ...*accesspatterns.Param) *accesspatterns.Pattern {
	read.Operation = choose(read.Operation == "", accesspatterns.Query, read.Operation)
	return &accesspatterns.Pattern{ID: "p", Profile: "test", Table: eventTable, Read: read, Params: params}
}

func choose[T any](ok bool, a, b T) T {
	if ok {
		return a
	}
	return b
}

func text(name string) *accesspatterns.Param {
	return &accesspatterns.Param{Name: name, Type: accesspatterns.String, Required: true}
}

func moment(name string, f models.Format) *accesspatterns.Param {
	return &accesspatterns.Param{Name: name, Type: accesspatterns.Timestamp, Format: f}
}

// dayPattern returns a pattern that reads one partition for each day of a range.
func dayPattern(descending bool, maxDays int) *accesspatterns.Pattern {
	p := pattern(accesspatterns.Read{
		Key: []accesspatterns.KeyCondition{matches("PK", "DATE#{day}")}, Descending: descending,
		FanOut: &accesspatterns.FanOut{
			Placeholder: "day", From: models.MustTemplate("{from}"), To: models.MustTemplate("{to}"), Max: maxDays,
		},
	}, moment("from", models.ISO8601), moment("to", models.ISO8601))
	p.Returns = []*models.Entity{datedEntity("Event", "{at}#{id}")}
	return p
}

// datedEntity returns an entity whose partition key contains the day of the attribute at.
func datedEntity(name, sort string) *models.Entity {
	e := &models.Entity{
		Name: name, Table: eventTable,
		Keys: map[string]models.Template{"PK": models.MustTemplate("DATE#{at:date}"), "SK": models.MustTemplate(sort)},
		Attributes: []*models.Attribute{
			{Name: "at", Path: "at", Type: models.TypeS, Format: models.ISO8601}, {Name: "id", Path: "id", Type: models.TypeS},
		},
	}
	e.Seal()
	return e
}

// legText formats a query: its conditions with names and values in place of aliases.
func legText(leg accesspatterns.Leg) string {
	var expr string
	var names map[string]string
	var values map[string]types.AttributeValue
	switch {
	case leg.Get != nil:
		return string(models.Item(leg.Get.Key).AppendJSON(nil))
	case leg.Query != nil:
		expr = aws.ToString(leg.Query.KeyConditionExpression)
		if f := aws.ToString(leg.Query.FilterExpression); f != "" {
			expr += " | " + f
		}
		names, values = leg.Query.ExpressionAttributeNames, leg.Query.ExpressionAttributeValues
	default:
		expr = aws.ToString(leg.Scan.FilterExpression)
		names, values = leg.Scan.ExpressionAttributeNames, leg.Scan.ExpressionAttributeValues
	}
	// Replace longer aliases first, because :to2 contains :to.
	aliases := append(slices.Collect(maps.Keys(names)), slices.Collect(maps.Keys(values))...)
	slices.SortFunc(aliases, func(a, b string) int { return len(b) - len(a) })
	for _, a := range aliases {
		shown := names[a]
		if v, ok := values[a]; ok {
			shown, _ = models.ValueText(v)
			shown = "'" + shown + "'"
		}
		expr = strings.ReplaceAll(expr, a, shown)
	}
	return expr
}

func TestBindCompilesConditions(t *testing.T) {
	status := &accesspatterns.Param{Name: "status", Type: accesspatterns.Enum, Enum: []string{"open", "open_late"}}
	byStatus := accesspatterns.Read{Key: []accesspatterns.KeyCondition{
		matches("PK", "CLIENT#{client}"),
		{Attribute: key("SK"), Compare: accesspatterns.BeginsWith, Template: models.MustTemplate("{status}#{createdAt}")},
	}}
	onTime := func(template, from, to string) accesspatterns.Read {
		return accesspatterns.Read{Key: []accesspatterns.KeyCondition{matches("PK", "A"), between(template, from, to)}}
	}
	from, to := moment("from", models.ISO8601), moment("to", models.ISO8601)
	filtered := accesspatterns.Read{
		Key: []accesspatterns.KeyCondition{matches("PK", "A")},
		Filter: []accesspatterns.FilterCondition{
			where("a.b", models.TypeS, accesspatterns.Equal, "{status}"),
			where("end", models.TypeN, accesspatterns.Between, "{from}", "{to}"),
			where("kind", models.TypeS, accesspatterns.In, "x", "y"),
			where("gone", models.TypeS, accesspatterns.NotExists),
		},
	}
	epochFrom, epochTo := moment("from", models.EpochSeconds), moment("to", models.EpochSeconds)
	type compiled struct {
		name    string
		pattern *accesspatterns.Pattern
		args    string
		want    string
	}
	tests := []compiled{
		{"a key", pattern(accesspatterns.Read{Operation: accesspatterns.Get, Key: []accesspatterns.KeyCondition{
			matches("PK", "CASE#{id}"), matches("SK", "META"),
		}}, text("id")), "id=7", `{"PK":"CASE#7","SK":"META"}`},
		{
			"a prefix ends with the delimiter", pattern(byStatus, text("client"), status), "client=c status=open",
			"PK = 'CLIENT#c' AND begins_with(SK, 'open#')",
		},
		{"a prefix without a value adds no condition", pattern(byStatus, text("client"), status), "client=c", "PK = 'CLIENT#c'"},
		{
			"the upper end includes the item at that time", pattern(onTime("{at}#{id}", "", "{to}"), to),
			"to=2026-01-14T10:00:00Z", "PK = 'A' AND SK < '2026-01-14T10:00:00Z$'",
		},
		{
			"both ends", pattern(onTime("{at}#{id}", "{from}", "{to}"), from, to), "from=2026-01-14T09:00:00Z to=2026-01-14T10:00:00Z",
			"PK = 'A' AND SK BETWEEN '2026-01-14T09:00:00Z' AND '2026-01-14T10:00:00Z$'",
		},
		{
			"the lower end alone", pattern(onTime("{at}#{id}", "{from}", "{to}"), from, to), "from=2026-01-14T09:00:00Z",
			"PK = 'A' AND SK >= '2026-01-14T09:00:00Z'",
		},
		{"neither end", pattern(onTime("{at}#{id}", "{from}", "{to}"), from, to), "", "PK = 'A'"},
		{"a whole key", pattern(onTime("{at}", "", "{to}"), to), "to=2026-01-14T10:00:00Z", "PK = 'A' AND SK <= '2026-01-14T10:00:00Z'"},
		{
			"a prefix bounds an open start", pattern(onTime("APPEAR#{at:compact}", "", "{to}"), to), "to=2026-01-14T10:00:00Z",
			"PK = 'A' AND SK BETWEEN 'APPEAR#' AND 'APPEAR#20260114T100000Z'",
		},
		{
			"a prefix bounds an open end", pattern(onTime("APPEAR#{at:compact}", "{from}", ""), from), "from=2026-01-14T10:00:00Z",
			"PK = 'A' AND SK BETWEEN 'APPEAR#20260114T100000Z' AND 'APPEAR$'",
		},
		{
			"a prefix without any end", pattern(onTime("APPEAR#{at:compact}", "{from}", "{to}"), from, to), "",
			"PK = 'A' AND begins_with(SK, 'APPEAR#')",
		},
		{
			"a placeholder before the range", pattern(onTime("APPEAR#{video}#{at:compact}", "{from}", ""), text("video"), from),
			"video=v1 from=2026-01-14T10:00:00Z", "PK = 'A' AND SK BETWEEN 'APPEAR#v1#20260114T100000Z' AND 'APPEAR#v1$'",
		},
		{
			"a day as the upper end includes the whole day", pattern(onTime("{at}#{id}", "", "{to}"), to), "to=2026-01-14",
			"PK = 'A' AND SK < '2026-01-14T23:59:59Z$'",
		},
		{
			"a day as the upper end, in milliseconds", pattern(onTime("{at}#{id}", "", "{to}"), moment("to", models.ISO8601Millis)), "to=2026-01-14",
			"PK = 'A' AND SK < '2026-01-14T23:59:59.999Z$'",
		},
		{
			"a day as the upper end, in any precision", pattern(onTime("{at}#{id}", "", "{to}"), moment("to", models.ISO8601Any)), "to=2026-01-14",
			"PK = 'A' AND SK < '2026-01-14T23:59:59Z$'",
		},
		{
			"a day as the lower end starts at midnight", pattern(onTime("{at}#{id}", "{from}", ""), from), "from=2026-01-14",
			"PK = 'A' AND SK >= '2026-01-14T00:00:00Z'",
		},
		{"today is a day", pattern(onTime("{at}#{id}", "", "{to}"), to), "to=today", "PK = 'A' AND SK < '2026-01-14T23:59:59Z$'"},
		{
			"a filter", pattern(filtered, status, epochFrom, epochTo), "status=open from=now-1h to=now",
			"PK = 'A' | a.b = 'open' AND end BETWEEN '1768388400' AND '1768392000' AND kind IN ('x', 'y') AND attribute_not_exists(gone)",
		},
		{
			"a filter with some of its values", pattern(filtered, status, epochFrom, epochTo), "to=2026-01-14",
			"PK = 'A' | end <= '1768435199' AND kind IN ('x', 'y') AND attribute_not_exists(gone)",
		},
		{
			"a filter without values", pattern(filtered, status, epochFrom, epochTo), "",
			"PK = 'A' | kind IN ('x', 'y') AND attribute_not_exists(gone)",
		},
	}
	for compare, want := range map[accesspatterns.Operator]string{
		accesspatterns.Less: "1768348800", accesspatterns.LessOrEqual: "1768435199",
		accesspatterns.Greater: "1768435199", accesspatterns.GreaterOrEqual: "1768348800",
	} {
		tests = append(tests, compiled{
			"a day in a filter with " + string(compare), pattern(accesspatterns.Read{
				Key:    []accesspatterns.KeyCondition{matches("PK", "A")},
				Filter: []accesspatterns.FilterCondition{where("end", models.TypeN, compare, "{to}")},
			}, epochTo), "to=2026-01-14", fmt.Sprintf("PK = 'A' | end %s '%s'", compare, want),
		}, compiled{
			"a day in a key with " + string(compare), pattern(accesspatterns.Read{Key: []accesspatterns.KeyCondition{
				matches("PK", "A"), {Attribute: key("SK"), Compare: compare, Template: models.MustTemplate("{to}")},
			}}, epochTo), "to=2026-01-14", fmt.Sprintf("PK = 'A' AND SK %s '%s'", compare, want),
		})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := tt.pattern.Bind(arguments(tt.args), noon)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Legs) != 1 {
				t.Fatalf("%d legs, want 1", len(r.Legs))
			}
			if got := legText(r.Legs[0]); got != tt.want {
				t.Errorf("got\n%s, want\n%s", got, tt.want)
			}
		})
	}
}

func TestRangeAppliesFormatsBeforeItsPlaceholder(t *testing.T) {
	tmpl, err := models.ParseTemplate("{state:spelled}#{at}", map[string]models.ValueMap{"spelled": {"active": "ACTIVE"}})
	if err != nil {
		t.Fatal(err)
	}
	c := between("{at}", "{from}", "")
	c.KeyTemplate = tmpl
	p := pattern(
		accesspatterns.Read{Key: []accesspatterns.KeyCondition{matches("PK", "A"), c}}, text("state"),
		moment("from", models.ISO8601),
	)
	r, err := p.Bind(arguments("state=active from=2026-01-14"), noon)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := legText(r.Legs[0]), "PK = 'A' AND SK BETWEEN 'ACTIVE#2026-01-14T00:00:00Z' AND 'ACTIVE$'"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The error names all missing parameters, and the values of a single one.
func TestErrorNamesAllMissingParameters(t *testing.T) {
	p := pattern(accesspatterns.Read{Key: []accesspatterns.KeyCondition{matches("PK", "A#{a}#{b}"), matches("SK", "{c}")}},
		text("a"), text("b"), text("c"))
	for want, args := range map[string]map[string]string{
		"missing parameters a, b, and c; ": nil,
		"missing parameters a and c; ":     {"b": "1"},
		"missing parameter c; ":            {"a": "1", "b": "2"},
	} {
		_, err := p.Bind(args, time.Now())
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.HasSuffix(err.Error(), "requires them") != (len(args) < 2) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// As text, 999999999 would sort after 1768392000.
func TestRangeComparesNumbersByValue(t *testing.T) {
	c := between("{at}", "{from}", "{to}")
	c.Attribute.Type = models.TypeN
	p := pattern(accesspatterns.Read{Key: []accesspatterns.KeyCondition{matches("PK", "A"), c}},
		moment("from", models.EpochSeconds), moment("to", models.EpochSeconds))
	r, err := p.Bind(arguments("from=999999999 to=now"), noon)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := legText(r.Legs[0]), "PK = 'A' AND SK BETWEEN '999999999' AND '1768392000'"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, err := p.Bind(arguments("from=now to=999999999"), noon); err == nil {
		t.Error("a range that ends before it starts was accepted")
	}
}

func arguments(s string) map[string]string {
	args := map[string]string{}
	for pair := range strings.FieldsSeq(s) {
		name, value, _ := strings.Cut(pair, "=")
		args[name] = value
	}
	return args
}

func TestBindRejectsInvalidValues(t *testing.T) {
	read := accesspatterns.Read{Key: []accesspatterns.KeyCondition{
		matches("PK", "CASE#{id}"),
		{Attribute: key("SK"), Compare: accesspatterns.BeginsWith, Template: models.MustTemplate("{status}#{name}#")},
	}}
	p := pattern(read, text("id"),
		&accesspatterns.Param{Name: "status", Type: accesspatterns.Enum, Enum: []string{"open", "closed"}},
		&accesspatterns.Param{Name: "name", Type: accesspatterns.String},
		&accesspatterns.Param{Name: "n", Type: accesspatterns.Integer},
		&accesspatterns.Param{Name: "yes", Type: accesspatterns.Boolean},
		&accesspatterns.Param{Name: "at", Type: accesspatterns.Timestamp, Format: models.ISO8601})
	ranged := pattern(accesspatterns.Read{Key: []accesspatterns.KeyCondition{
		matches("PK", "A"), between("{at}#{x}", "{from}", "{to}"),
	}}, moment("from", models.ISO8601), moment("to", models.ISO8601))
	filter := pattern(accesspatterns.Read{
		Key:    []accesspatterns.KeyCondition{matches("PK", "A")},
		Filter: []accesspatterns.FilterCondition{where("end", models.TypeN, accesspatterns.Between, "{from}", "{to}")},
	}, moment("from", models.EpochSeconds), moment("to", models.EpochSeconds))
	get := pattern(accesspatterns.Read{Operation: accesspatterns.Get, Key: []accesspatterns.KeyCondition{
		matches("PK", "CASE#{id}"), matches("SK", "DOC#{doc}"),
	}}, text("id"), optional("doc"))
	tests := []struct {
		name    string
		pattern *accesspatterns.Pattern
		args    map[string]string
		param   string // parameter that the error must name
	}{
		{"an item without a part of its key", get, map[string]string{"id": "1"}, "doc"},
		{"missing", p, nil, "id"},
		{"unknown", p, map[string]string{"id": "1", "idd": "1"}, "idd"},
		{"empty", p, map[string]string{"id": ""}, "id"},
		{"a control character", p, map[string]string{"id": "a\x1b[31m"}, "id"},
		{"a zero byte", p, map[string]string{"id": "a\x00"}, "id"},
		{"invalid UTF-8", p, map[string]string{"id": "a\xff"}, "id"},
		{"not in the enum", p, map[string]string{"id": "1", "status": "opne"}, "status"},
		{"not a whole number", p, map[string]string{"id": "1", "n": "1.5"}, "n"},
		{"not a number", p, map[string]string{"id": "1", "n": "many"}, "n"},
		{"neither true nor false", p, map[string]string{"id": "1", "yes": "perhaps"}, "yes"},
		{"not a time", p, map[string]string{"id": "1", "at": "soon"}, "at"},
		{"a partition key of 2049 bytes", p, map[string]string{"id": strings.Repeat("x", 2049-len("CASE#"))}, "id"},
		{"a sort key of 1025 bytes", p, map[string]string{"id": "1", "status": "open", "name": strings.Repeat("é", 512)}, "name"},
		{"a delimiter inside a part", p, map[string]string{"id": "1", "status": "open", "name": "a#b"}, "name"},
		{"a delimiter before a range", pattern(accesspatterns.Read{Key: []accesspatterns.KeyCondition{
			matches("PK", "A"), between("APPEAR#{video}#{at:compact}", "{from}", ""),
		}}, text("video"), moment("from", models.ISO8601)), map[string]string{"video": "a#b", "from": "now"}, "video"},
		{"no value before a range", pattern(accesspatterns.Read{Key: []accesspatterns.KeyCondition{
			matches("PK", "A"), between("APPEAR#{video}#{at:compact}", "{from}", ""),
		}}, moment("from", models.ISO8601)), map[string]string{"from": "now"}, "video"},
		{"from after to", ranged, map[string]string{"from": "2026-01-15", "to": "2026-01-14"}, "from"},
		{"from a second after to", ranged, map[string]string{"from": "2026-01-14T10:00:01Z", "to": "2026-01-14T10:00:00Z"}, "from"},
		{"from after to in a filter", filter, map[string]string{"from": "now", "to": "now-1s"}, "from"},
		{"more days than allowed", dayPattern(false, 3), map[string]string{"from": "2026-01-10", "to": "2026-01-13"}, "from"},
		{"days in reverse order", dayPattern(false, 3), map[string]string{"from": "2026-01-13", "to": "2026-01-12"}, "from"},
		{"days without a start", dayPattern(false, 3), map[string]string{"to": "2026-01-12"}, "from"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.pattern.Bind(tt.args, noon)
			var named *accesspatterns.ParamError
			if !errors.As(err, &named) || !errors.Is(err, accesspatterns.ErrParam) {
				t.Fatalf("got %v, want a ParamError", err)
			}
			if named.Param != tt.param {
				t.Errorf("the error names parameter %s, want %s: %v", named.Param, tt.param, err)
			}
			if strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' }) {
				t.Errorf("the error contains control characters: %q", err)
			}
		})
	}
}

func TestBindAllowsKeysOfMaximumSize(t *testing.T) {
	p := pattern(
		accesspatterns.Read{Key: []accesspatterns.KeyCondition{matches("PK", "CASE#{id}"), matches("SK", "DOC#{doc}")}},
		text("id"), text("doc"),
	)
	args := map[string]string{"id": strings.Repeat("x", 2048-len("CASE#")), "doc": strings.Repeat("x", 1024-len("DOC#"))}
	if _, err := p.Bind(args, noon); err != nil {
		t.Error(err)
	}
}

// A filter omits alternatives without a value. If all alternatives lack a value, the request contains no filter.
func TestFilterWithAlternatives(t *testing.T) {
	is := func(name, template string) accesspatterns.FilterCondition {
		return accesspatterns.FilterCondition{
			Attribute: name, Type: models.TypeN, Compare: accesspatterns.Equal, Values: []models.Template{models.MustTemplate(template)},
		}
	}
	p := pattern(accesspatterns.Read{
		Key:    []accesspatterns.KeyCondition{matches("PK", "A")},
		Filter: []accesspatterns.FilterCondition{{Any: []accesspatterns.FilterCondition{is("a", "{x}"), is("b", "{y}")}}},
	}, optional("x"), optional("y"))
	for args, want := range map[string]string{"x=1 y=2": "a b", "y=2": "b", "": ""} {
		r, err := p.Bind(arguments(args), noon)
		if err != nil {
			t.Fatal(args, err)
		}
		if got := strings.Join(r.Legs[0].FilterAttributes(), " "); got != want || (want == "") != (r.Legs[0].Query.FilterExpression == nil) {
			t.Errorf("%q compares %q, want %q", args, got, want)
		}
	}
	if _, err := p.Bind(arguments("x=1 y=two"), noon); err == nil || !strings.Contains(err.Error(), "parameter y") {
		t.Errorf("got %v, want an error about parameter y", err)
	}
}

func TestFanOutReadsEachPartition(t *testing.T) {
	kinds := []string{"a", "b"}
	tests := []struct {
		name    string
		pattern *accesspatterns.Pattern
		args    string
		want    []string
	}{
		{
			"days, oldest first", dayPattern(false, 3), "from=2026-01-12T23:00:00Z to=2026-01-14",
			[]string{"2026-01-12", "2026-01-13", "2026-01-14"},
		},
		{
			"days, newest first", dayPattern(true, 3), "from=2026-01-12T23:00:00Z to=2026-01-14T00:00:00Z",
			[]string{"2026-01-14", "2026-01-13", "2026-01-12"},
		},
		{"a part of one day", dayPattern(true, 1), "from=2026-01-12T22:00:00Z to=2026-01-12T23:00:00Z", []string{"2026-01-12"}},
		{"across the end of a year", dayPattern(false, 9), "from=2025-12-31 to=2026-01-01", []string{"2025-12-31", "2026-01-01"}},
		{"each value", eventsPattern(kinds, false, false, 0), "", kinds},
		{"the given value", eventsPattern(kinds, false, false, 0), "kind=b", []string{"b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := tt.pattern.Bind(arguments(tt.args), noon)
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(tt.want, r.Labels); diff != "" {
				t.Errorf("wrong partitions (-want +got):\n%s", diff)
			}
			for i, leg := range r.Legs {
				if got := legText(leg); !strings.HasSuffix(got, "#"+tt.want[i]+"'") {
					t.Errorf("leg %d is %s, want the suffix %q", i, got, "#"+tt.want[i]+"'")
				}
			}
		})
	}
}

func TestVariantAppliesWhenItsParametersAreGiven(t *testing.T) {
	p := pattern(accesspatterns.Read{
		Operation: accesspatterns.Scan,
		Filter:    []accesspatterns.FilterCondition{where("item", models.TypeS, accesspatterns.Equal, "{item}")},
	}, text("item"), &accesspatterns.Param{Name: "user", Type: accesspatterns.String})
	p.Variants = []accesspatterns.Variant{{When: []string{"user"}, Read: accesspatterns.Read{
		Operation: accesspatterns.Query, Key: []accesspatterns.KeyCondition{matches("PK", "{user}")},
	}}}
	for args, scan := range map[string]bool{"item=1": true, "item=1 user=u": false} {
		r, err := p.Bind(arguments(args), noon)
		if err != nil {
			t.Fatal(err)
		}
		if r.IsScan() != scan || (r.Legs[0].Scan != nil) != scan {
			t.Errorf("%s: scan is %v, want %v", args, r.IsScan(), scan)
		}
	}
}

func TestDefaultDependsOnOtherParameters(t *testing.T) {
	since := moment("since", models.ISO8601)
	since.DefaultWhen = []accesspatterns.DefaultWhen{{Param: "status", Values: []string{"sent"}, Value: "now-24h"}}
	p := pattern(accesspatterns.Read{Key: []accesspatterns.KeyCondition{matches("PK", "{status}"), between("{at}#{id}", "{since}", "")}},
		&accesspatterns.Param{Name: "status", Type: accesspatterns.Enum, Enum: []string{"sent", "failed"}, Required: true, Default: "sent"}, since)
	for args, want := range map[string]string{
		"":                         "PK = 'sent' AND SK >= '2026-01-13T12:00:00Z'",
		"status=failed":            "PK = 'failed'",
		"status=sent since=now-1h": "PK = 'sent' AND SK >= '2026-01-14T11:00:00Z'",
		"status=failed since=2026-01-14T10:00:00": "PK = 'failed' AND SK >= '2026-01-14T10:00:00Z'",
	} {
		r, err := p.Bind(arguments(args), noon)
		if err != nil {
			t.Errorf("%s: %v", args, err)
			continue
		}
		if got := legText(r.Legs[0]); got != want {
			t.Errorf("%s: got %s, want %s", args, got, want)
		}
	}
}

func TestRangeIncludesBothEnds(t *testing.T) {
	p := pattern(accesspatterns.Read{Key: []accesspatterns.KeyCondition{matches("PK", "A"), between("{at}#{id}", "{from}", "{to}")}},
		moment("from", models.ISO8601), moment("to", models.ISO8601))
	r, err := p.Bind(arguments("from=2026-01-14T10:00:00Z to=2026-01-14T11:00:00Z"), noon)
	if err != nil {
		t.Fatal(err)
	}
	values := r.Legs[0].Query.ExpressionAttributeValues
	from, _ := models.ValueText(values[":from"])
	to, _ := models.ValueText(values[":to"])
	for at, in := range map[string]bool{
		"2026-01-14T09:59:59Z": false, "2026-01-14T10:00:00Z": true, "2026-01-14T11:00:00Z": true, "2026-01-14T11:00:01Z": false,
	} {
		for _, id := range []string{"!", "0", "zz", "~", "é"} {
			if k := fmt.Sprintf("%s#%s", at, id); (k >= from && k <= to) != in {
				t.Errorf("%s is in the range: %v, want %v", k, !in, in)
			}
		}
	}
}
