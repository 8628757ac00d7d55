package accesspatterns_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// Each page requests only the missing rows and one more.
func TestLaterPagesReadMissingRows(t *testing.T) {
	var limits []int
	c := accesspatterns.WholeTable(eventTable).Open(
		func(_ context.Context, _ accesspatterns.Leg, _ models.Item, limit int) (accesspatterns.Page, error) {
			limits = append(limits, limit)
			it := event{"a", len(limits), true}.item()
			return accesspatterns.Page{Items: []models.Item{it}, LastKey: it, Count: 1, Scanned: 1}, nil
		}, nil)
	if _, err := c.Next(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff([]int{4, 3, 2}, limits); diff != "" {
		t.Error(diff)
	}
}

// Without a filter, a page requests one row more than needed, which shows whether there is a next page. With a filter,
// it requests as many rows as a page can contain.
func TestLimitDependsOnFilter(t *testing.T) {
	p := eventsPattern([]string{"a"}, false, false, 0)
	p.Read.FanOut, p.Read.Key[0].Template = nil, models.MustTemplate("KIND#a")
	p.Read.Filter = []accesspatterns.FilterCondition{where("keep", models.TypeS, accesspatterns.Equal, "{kind}")}
	for _, c := range []struct {
		args    map[string]string
		limit   int
		explain string
	}{
		{nil, 4, `"Limit":3`},
		{map[string]string{"kind": "a"}, 1000, `"Limit":1000`},
	} {
		r, err := p.Bind(c.args, time.Unix(0, 0))
		if err != nil {
			t.Fatal(err)
		}
		requested := 0
		fetch := func(_ context.Context, _ accesspatterns.Leg, _ models.Item, limit int) (accesspatterns.Page, error) {
			requested = limit
			return accesspatterns.Page{}, nil
		}
		if _, err := r.Open(fetch, nil).Next(t.Context(), 3); err != nil {
			t.Fatal(err)
		}
		if shown := string(r.Explain(3, nil)[0].Input); requested != c.limit || !strings.Contains(shown, c.explain) {
			t.Errorf("%v: the page limit is %d, want %d; explained as %s", c.args, requested, c.limit, shown)
		}
	}
}

// Only the other workers read ahead, so that few rows wait for the current day.
func TestDrainReadsFewDaysAhead(t *testing.T) {
	r, err := dayPattern(false, 40).Bind(map[string]string{"from": "2026-01-01", "to": "2026-01-20"}, noon)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		c := r.Open(func(_ context.Context, leg accesspatterns.Leg, _ models.Item, _ int) (accesspatterns.Page, error) {
			calls.Add(1)
			pk, _ := models.ValueText(leg.Query.ExpressionAttributeValues[":PK"])
			if strings.HasSuffix(pk, "2026-01-01") {
				time.Sleep(time.Hour)
				if n := calls.Load(); n != 3 {
					t.Errorf("%d days were requested, want 3", n)
				}
			}
			it := models.Item{"PK": models.StringValue(pk), "SK": models.StringValue("1")}
			return accesspatterns.Page{Items: []models.Item{it}, Count: 1, Scanned: 1}, nil
		}, nil)
		rows := 0
		err := c.Drain(t.Context(), 3, func(more []models.Item) error {
			rows += len(more)
			return nil
		})
		if err != nil || rows != 20 {
			t.Errorf("got %d rows, want 20: %v", rows, err)
		}
	})
}

// A read with many segments needs no more memory than a read with few.
func TestManySegmentPagesAreSmall(t *testing.T) {
	for segments, want := range map[int]int{1: 1000, 4: 1000, 8: 750, 64: 93} {
		var maximum atomic.Int32
		c := accesspatterns.WholeTable(eventTable).Split(segments).Open(
			func(_ context.Context, _ accesspatterns.Leg, _ models.Item, limit int) (accesspatterns.Page, error) {
				maximum.Store(int32(limit))
				return accesspatterns.Page{}, nil
			}, nil)
		if err := c.Drain(t.Context(), segments, func([]models.Item) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if n := int(maximum.Load()); n != want {
			t.Errorf("%d segments: got pages of %d rows, want %d", segments, n, want)
		}
	}
}

// While yield runs, a reader reads at most one page ahead, even if it was reading when yield took the previous page.
func TestDrainBuffersTwoPagesPerLeg(t *testing.T) {
	const pages = 12
	synctest.Test(t, func(t *testing.T) {
		var sent atomic.Int32
		taken := 0
		c := accesspatterns.WholeTable(eventTable).Open(
			func(context.Context, accesspatterns.Leg, models.Item, int) (accesspatterns.Page, error) {
				time.Sleep(time.Second)
				sentPages := int(sent.Add(1))
				it := event{"a", sentPages, true}.item()
				page := accesspatterns.Page{Items: []models.Item{it}, Count: 1, Scanned: 1}
				if sentPages < pages {
					page.LastKey = it
				}
				return page, nil
			}, nil)
		err := c.Drain(t.Context(), 1, func(rows []models.Item) error {
			if taken += len(rows); taken%3 == 0 {
				time.Sleep(time.Minute)
				synctest.Wait()
			}
			if sentPages := int(sent.Load()); sentPages > taken+2 {
				t.Errorf("%d pages were read, but only %d were taken", sentPages, taken)
			}
			return nil
		})
		if err != nil || taken != pages {
			t.Errorf("got %d rows, want %d: %v", taken, pages, err)
		}
	})
}

// The parts of a sequence may arrive together. Next returns the rows of the first parts, with or without an error.
func TestNextReturnsWantedRowsOfSequence(t *testing.T) {
	r, err := dayPattern(false, 9).Bind(map[string]string{"from": "2026-01-01", "to": "2026-01-04"}, noon)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		rows []int // rows of each day, or -1 for an error
		want []string
	}{
		"days that arrive together":        {[]int{0, 3, 3, 0}, []string{"02/0", "02/1", "02/2", "03/0"}},
		"a day that arrives with an error": {[]int{3, 0, 3, -1}, []string{"01/0", "01/1", "01/2", "03/0"}},
		"an error before the rows arrive":  {[]int{3, 0, -1, 3}, []string{"01/0", "01/1", "01/2"}},
	} {
		fails := false
		c := r.Open(func(_ context.Context, leg accesspatterns.Leg, _ models.Item, _ int) (accesspatterns.Page, error) {
			pk, _ := models.ValueText(leg.Query.ExpressionAttributeValues[":PK"])
			n := tt.rows[pk[len(pk)-1]-'1']
			if n < 0 {
				fails = true
				return accesspatterns.Page{}, errThrottled
			}
			page := accesspatterns.Page{Count: n, Scanned: n}
			for i := range n {
				page.Items = append(page.Items, models.Item{"PK": models.StringValue(pk), "SK": models.StringValue(fmt.Sprint(i))})
			}
			return page, nil
		}, nil)
		rows, err := c.Next(t.Context(), 4)
		var got []string
		for _, row := range rows {
			pk, _ := row.Text("PK")
			sk, _ := row.Text("SK")
			got = append(got, pk[len(pk)-2:]+"/"+sk)
		}
		if diff := gocmp.Diff(tt.want, got); diff != "" || fails != errors.Is(err, errThrottled) {
			t.Errorf("%s: %v (-want +got)\n%s", name, err, diff)
		}
	}
}

// days returns a pattern that reads one partition for each day between two templates.
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
		args     map[string]string
		want     []string
	}{
		{"{since}", "2026-01-06", map[string]string{"since": "2026-01-05"}, []string{"2026-01-05", "2026-01-06"}},
		{"2026-01-04", "{until}", map[string]string{"until": "2026-01-05"}, []string{"2026-01-04", "2026-01-05"}},
		{"today-1d", "today", nil, []string{"2026-01-13", "2026-01-14"}},
	} {
		var params []*accesspatterns.Param
		for name := range tt.args {
			params = append(params, moment(name, models.ISO8601))
		}
		r, err := days(tt.from, tt.to, params...).Bind(tt.args, noon)
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
		from, to, args, param, message string // param: "" for an error of the schema
	}{
		{"{since}", "2026-01-06", "2026-01-07", "since", "later than 2026-01-06"},
		{"2026-01-06", "{since}", "2026-01-05", "since", "earlier than 2026-01-06"},
		{"2025-01-06", "{since}", "2026-01-05", "since", "spans more than 9 days"},
		{"{since}", "", "2026-01-06", "", "not one parameter"},
		{"{since}", "soon", "2026-01-06", "", "soon"},
	} {
		_, err := days(tt.from, tt.to, since).Bind(map[string]string{"since": tt.args}, noon)
		var fault *accesspatterns.ParamError
		if err == nil || !strings.Contains(err.Error(), tt.message) || errors.As(err, &fault) != (tt.param != "") ||
			fault != nil && fault.Param != tt.param {
			t.Errorf("%s to %s: got %v, want %q about %q", tt.from, tt.to, err, tt.message, tt.param)
		}
	}
	_, err := days("{since}", "{since}", text("since")).Bind(map[string]string{"since": "2026-01-05"}, noon)
	if !errors.Is(err, accesspatterns.ErrParam) {
		t.Errorf("text as a day: got %v, want a parameter error", err)
	}
}

func TestFanOutReadsPartitionOnce(t *testing.T) {
	p := pattern(accesspatterns.Read{
		Key:    []accesspatterns.KeyCondition{matches("PK", "KIND#{kind:lower}")},
		FanOut: &accesspatterns.FanOut{Placeholder: "kind", Values: []string{"A", "a", "b"}},
	}, optional("kind"))
	r, err := p.Bind(nil, noon)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff([]string{"PK = 'KIND#a'", "PK = 'KIND#b'"}, legTexts(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// partitions returns the items of each leg in one page. The keys of rows are the ends of partition keys.
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

func TestFanOutOverDaysMergesSortKeysThatDoNotFollowDay(t *testing.T) {
	rows := map[string][]types.AttributeValue{
		"2026-01-13": {models.StringValue("z")}, "2026-01-14": {models.StringValue("a"), models.StringValue("zz")},
	}
	for name, returns := range map[string][]*models.Entity{
		"unknown":                       nil,
		"sorted by ID":                  {datedEntity("A", "{id}")},
		"one sorted by time, one by ID": {datedEntity("A", "{at}"), datedEntity("B", "{id}")},
		"prefixes":                      {datedEntity("A", "Z#{at}"), datedEntity("B", "A#{at}")},
	} {
		p := days("today-1d", "today")
		p.Returns = returns
		if diff := gocmp.Diff([]string{"a", "z", "zz"}, sortKeys(t, p, rows)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// ddbdesk need not merge the rows of several days if the sort key contains the time whose day is in the partition key.
func TestFanOutOverDaysIsSequentialIfSortKeysFollowDay(t *testing.T) {
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
		"the day of a time":               {datedEntity("A", "{at}#{id}"), true},
		"another part first":              {datedEntity("A", "{id}#{at}"), false},
		"a day":                           {plain(&models.Attribute{Name: "day", Path: "day", Type: models.TypeS, Format: models.Date}), true},
		"a part of another format":        {plain(&models.Attribute{Name: "day", Path: "day", Type: models.TypeS}), false},
		"a part that is not an attribute": {plain(), false},
	} {
		p := days("today-1d", "today")
		p.Returns = []*models.Entity{tt.entity}
		if r, err := p.Bind(nil, noon); err != nil || r.Sequential != tt.want {
			t.Errorf("%s: Sequential = %v, want %v: %v", name, r.Sequential, tt.want, err)
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
		t.Error("the test needs Base64 texts whose order differs from the byte order")
	}
}
