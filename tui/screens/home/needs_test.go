package home

import (
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/dashboard"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// All requests to review share one row, whatever their profiles. It opens the requests of the selected profile.
func TestRequestsToReviewAreOneRow(t *testing.T) {
	now := time.Date(2026, 1, 20, 12, 0, 0, 0, time.UTC)
	of := func(name string, n int) attentionRow {
		x := attentionRow{p: &profiles.Profile{Name: name}, known: true, count: dashboard.Count{N: n}}
		for i := range n {
			x.since = append(x.since, now.Add(time.Duration(i-n-len(name))*time.Hour))
		}
		x.id = name
		return x
	}
	a, b, none := of("shop", 2), of("forum", 3), of("billing", 0)
	for _, c := range []struct {
		list     []attentionRow
		selected *profiles.Profile
		count    int
		place    string
		opens    string
	}{
		{[]attentionRow{a}, b.p, 2, "shop", "shop"},
		{[]attentionRow{none, a, b}, b.p, 5, "2 schemas", "forum"},
		{[]attentionRow{none, a, b}, none.p, 5, "2 schemas", "shop"},
		{[]attentionRow{none, a}, none.p, 2, "shop", "shop"},
		{[]attentionRow{none, of("other", 0)}, none.p, 0, "all schemas", "billing"},
	} {
		got := mergeNeeds(c.list, c.selected)
		if got.count.N != c.count || got.place() != c.place || got.id != c.opens {
			t.Errorf("%d requests in %s, opens %s; want %d in %s, %s", got.count.N, got.place(), got.id, c.count, c.place, c.opens)
		}
		for i := 1; i < len(got.since); i++ {
			if got.since[i].Before(got.since[i-1]) {
				t.Error("the times are not in order")
			}
		}
		if len(got.since) != c.count {
			t.Errorf("%d times of %d requests", len(got.since), c.count)
		}
	}
}
