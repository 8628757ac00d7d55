package accesspatterns_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// Each page asks only for the rows that are still missing, and one more.
func TestLaterPagesReadTheMissingRows(t *testing.T) {
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

// Without a filter a page reads the wanted rows and one more, which tells whether
// there is a next page. With a filter it reads as much as a page can hold.
func TestLimitDependsOnTheFilter(t *testing.T) {
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
		asked := 0
		fetch := func(_ context.Context, _ accesspatterns.Leg, _ models.Item, limit int) (accesspatterns.Page, error) {
			asked = limit
			return accesspatterns.Page{}, nil
		}
		if _, err := r.Open(fetch, nil).Next(t.Context(), 3); err != nil {
			t.Fatal(err)
		}
		if shown := string(r.Explain(3, nil)[0].Input); asked != c.limit || !strings.Contains(shown, c.explain) {
			t.Errorf("%v: asked for %d, want %d; explained as %s", c.args, asked, c.limit, shown)
		}
	}
}

// Days after the one that is being read are only read ahead by the other workers, so that the rows that wait for it are few.
func TestDrainReadsFewDaysAhead(t *testing.T) {
	r, err := dayPattern(false, 40).Bind(map[string]string{"from": "2026-01-01", "to": "2026-01-20"}, noon)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		c := r.Open(func(_ context.Context, leg accesspatterns.Leg, _ models.Item, _ int) (accesspatterns.Page, error) {
			asked.Add(1)
			pk, _ := models.ValueText(leg.Query.ExpressionAttributeValues[":PK"])
			if strings.HasSuffix(pk, "2026-01-01") {
				time.Sleep(time.Hour)
				if n := asked.Load(); n != 3 {
					t.Errorf("%d days were asked for, want 3", n)
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
			t.Errorf("%d rows: %v", rows, err)
		}
	})
}

// A read takes no more memory with many segments than with few.
func TestPagesOfManySegmentsAreSmall(t *testing.T) {
	for segments, want := range map[int]int{1: 1000, 4: 1000, 8: 750, 64: 93} {
		var most atomic.Int32
		c := accesspatterns.WholeTable(eventTable).Split(segments).Open(
			func(_ context.Context, _ accesspatterns.Leg, _ models.Item, limit int) (accesspatterns.Page, error) {
				most.Store(int32(limit))
				return accesspatterns.Page{}, nil
			}, nil)
		if err := c.Drain(t.Context(), segments, func([]models.Item) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if n := int(most.Load()); n != want {
			t.Errorf("%d segments: pages of %d rows, want %d", segments, n, want)
		}
	}
}

// While yield works, a reader reads one page ahead and no more, even if it was still reading when the rows before were taken.
func TestDrainHoldsTwoPagesOfALeg(t *testing.T) {
	const pages = 12
	synctest.Test(t, func(t *testing.T) {
		asked, taken := 0, 0
		c := accesspatterns.WholeTable(eventTable).Open(
			func(context.Context, accesspatterns.Leg, models.Item, int) (accesspatterns.Page, error) {
				time.Sleep(time.Second)
				asked++
				it := event{"a", asked, true}.item()
				page := accesspatterns.Page{Items: []models.Item{it}, Count: 1, Scanned: 1}
				if asked < pages {
					page.LastKey = it
				}
				return page, nil
			}, nil)
		err := c.Drain(t.Context(), 1, func(rows []models.Item) error {
			if taken += len(rows); taken%3 == 0 {
				time.Sleep(time.Minute)
				synctest.Wait()
			}
			if asked > taken+2 {
				t.Errorf("%d pages were read when %d were taken", asked, taken)
			}
			return nil
		})
		if err != nil || taken != pages {
			t.Errorf("%d rows of %d: %v", taken, pages, err)
		}
	})
}

// The legs of a sequence may arrive together. The rows that are wanted come from the first ones, with and without an error.
func TestNextReturnsTheWantedRowsOfASequence(t *testing.T) {
	r, err := dayPattern(false, 9).Bind(map[string]string{"from": "2026-01-01", "to": "2026-01-04"}, noon)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		rows []int // of each day, -1 for an error
		want []string
	}{
		"days that arrive together":          {[]int{0, 3, 3, 0}, []string{"02/0", "02/1", "02/2", "03/0"}},
		"a day that arrives with an error":   {[]int{3, 0, 3, -1}, []string{"01/0", "01/1", "01/2", "03/0"}},
		"an error before the rows are there": {[]int{3, 0, -1, 3}, []string{"01/0", "01/1", "01/2"}},
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
