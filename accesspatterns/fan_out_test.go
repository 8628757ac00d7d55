package accesspatterns_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// days reads the partition of each day from an end to another, written as templates.
func days(from, to string, params ...*accesspatterns.Param) *accesspatterns.Pattern {
	f := &accesspatterns.FanOut{Placeholder: "day", Max: 9}
	if from != "" {
		f.From = models.MustTemplate(from)
	}
	if to != "" {
		f.To = models.MustTemplate(to)
	}
	return pattern(accesspatterns.Read{Key: []accesspatterns.KeyCondition{matches("PK", "DAY#{day}")}, FanOut: f}, params...)
}

func TestFanOutOverDaysAcceptsLiteralEnds(t *testing.T) {
	for _, tt := range []struct {
		from, to string
		given    map[string]string
		want     []string
	}{
		{"{since}", "2026-01-06", map[string]string{"since": "2026-01-05"}, []string{"2026-01-05", "2026-01-06"}},
		{"2026-01-04", "{until}", map[string]string{"until": "2026-01-05"}, []string{"2026-01-04", "2026-01-05"}},
		{"today-1d", "today", nil, []string{"2026-01-13", "2026-01-14"}},
	} {
		var params []*accesspatterns.Param
		for name := range tt.given {
			params = append(params, moment(name, models.ISO8601))
		}
		r, err := days(tt.from, tt.to, params...).Bind(tt.given, noon)
		if err != nil {
			t.Errorf("%s to %s: %v", tt.from, tt.to, err)
		} else if diff := gocmp.Diff(tt.want, r.Labels); diff != "" {
			t.Errorf("%s to %s (-want +got):\n%s", tt.from, tt.to, diff)
		}
	}
}

func TestFanOutOverDaysRejectsInvalidEnds(t *testing.T) {
	since := moment("since", models.ISO8601)
	for _, tt := range []struct {
		from, to, given, param, says string // param: "" for an error of the profile
	}{
		{"{since}", "2026-01-06", "2026-01-07", "since", "later than 2026-01-06"},
		{"2026-01-06", "{since}", "2026-01-05", "since", "earlier than 2026-01-06"},
		{"2025-01-06", "{since}", "2026-01-05", "since", "spans more than 9 days"},
		{"{since}", "", "2026-01-06", "", "not one parameter"},
		{"{since}", "soon", "2026-01-06", "", "soon"},
	} {
		_, err := days(tt.from, tt.to, since).Bind(map[string]string{"since": tt.given}, noon)
		var fault *accesspatterns.ParamError
		if err == nil || !strings.Contains(err.Error(), tt.says) || errors.As(err, &fault) != (tt.param != "") ||
			fault != nil && fault.Param != tt.param {
			t.Errorf("%s to %s: %v, want %q about %q", tt.from, tt.to, err, tt.says, tt.param)
		}
	}
	_, err := days("{since}", "{since}", text("since")).Bind(map[string]string{"since": "2026-01-05"}, noon)
	if !errors.Is(err, accesspatterns.ErrParam) {
		t.Errorf("text as a day: %v", err)
	}
}

func TestFanOutReadsAPartitionOnce(t *testing.T) {
	p := pattern(accesspatterns.Read{
		Key:    []accesspatterns.KeyCondition{matches("PK", "KIND#{kind:lower}")},
		FanOut: &accesspatterns.FanOut{Placeholder: "kind", Values: []string{"A", "a", "b"}},
	}, optional("kind"))
	r, err := p.Bind(nil, noon)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff([]string{"PK = 'KIND#a'", "PK = 'KIND#b'"}, allAsked(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// partitions returns the items of each leg in one page; a leg is found by the end of
// its partition key.
func partitions(rows map[string][]types.AttributeValue) accesspatterns.Fetch {
	return func(_ context.Context, leg accesspatterns.Leg, _ models.Item, _ int) (accesspatterns.Page, error) {
		page := accesspatterns.Page{}
		pk, _ := models.ValueText(leg.Query.ExpressionAttributeValues[":PK"])
		for name, sorts := range rows {
			if strings.HasSuffix(pk, "#"+name) {
				for _, sk := range sorts {
					page.Items = append(page.Items, models.Item{"PK": models.StringValue(pk), "SK": sk})
				}
			}
		}
		page.Count, page.Scanned = len(page.Items), len(page.Items)
		return page, nil
	}
}

func sortKeys(t *testing.T, p *accesspatterns.Pattern, rows map[string][]types.AttributeValue) []string {
	t.Helper()
	r, err := p.Bind(nil, noon)
	if err != nil {
		t.Fatal(err)
	}
	items, err := r.Open(partitions(rows), nil).Next(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, it := range items {
		sk, _ := it.Text("SK")
		got = append(got, sk)
	}
	return got
}

func TestFanOutOverDaysMergesSortKeysThatDoNotFollowTheDay(t *testing.T) {
	rows := map[string][]types.AttributeValue{
		"2026-01-13": {models.StringValue("z")}, "2026-01-14": {models.StringValue("a"), models.StringValue("zz")},
	}
	for name, returns := range map[string][]*models.Entity{
		"unknown":  nil,
		"by ID":    {dated("A", "{id}")},
		"one each": {dated("A", "{at}"), dated("B", "{id}")},
		"prefixes": {dated("A", "Z#{at}"), dated("B", "A#{at}")},
	} {
		p := days("today-1d", "today")
		p.Returns = returns
		if diff := gocmp.Diff([]string{"a", "z", "zz"}, sortKeys(t, p, rows)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Rows of days need not be merged if the time in their sort key is that of the day in the partition key.
func TestFanOutOverDaysIsSequentialIfSortKeysFollowTheDay(t *testing.T) {
	plain := func(attributes ...*models.Attribute) *models.Entity {
		e := &models.Entity{Name: "Plain", Table: eventTable, Attributes: attributes, Keys: map[string]models.Template{
			"PK": models.MustTemplate("DAY#{day}"), "SK": models.MustTemplate("{day}#{id}"),
		}}
		e.Seal()
		return e
	}
	for name, tt := range map[string]struct {
		entity *models.Entity
		want   bool
	}{
		"the day of a time":           {dated("A", "{at}#{id}"), true},
		"another part first":          {dated("A", "{id}#{at}"), false},
		"a day":                       {plain(&models.Attribute{Name: "day", Path: "day", Type: models.TypeS, Format: models.Date}), true},
		"a part of another format":    {plain(&models.Attribute{Name: "day", Path: "day", Type: models.TypeS}), false},
		"a part that is no attribute": {plain(), false},
	} {
		p := days("today-1d", "today")
		p.Returns = []*models.Entity{tt.entity}
		if r, err := p.Bind(nil, noon); err != nil || r.Sequential != tt.want {
			t.Errorf("%s: sequential %v, %v", name, r.Sequential, err)
		}
	}
}

func TestFanOutMergesBinarySortKeysByTheirBytes(t *testing.T) {
	binary := func(list ...byte) (values []types.AttributeValue) {
		for _, b := range list {
			values = append(values, &types.AttributeValueMemberB{Value: []byte{b}})
		}
		return values
	}
	table := *eventTable
	table.SortKey.Type = models.TypeB
	p := eventsPattern([]string{"a", "b"}, false, false, 0)
	p.Table = &table
	got := sortKeys(t, p, map[string][]types.AttributeValue{"a": binary(0x00, 0x68, 0xd0, 0xf9), "b": binary(0x01, 0xc8, 0xf8, 0xfc)})
	want := []string{"AA==", "AQ==", "aA==", "yA==", "0A==", "+A==", "+Q==", "/A=="}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if slices.IsSortedFunc(want, cmp.Compare[string]) {
		t.Error("the order of base64 is the order of the bytes")
	}
}
