package accesspatterns_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

var eventTable = &models.Table{
	ID: "events", Name: "events",
	PartitionKey: models.Key{Name: "PK", Type: models.TypeS}, SortKey: models.Key{Name: "SK", Type: models.TypeS},
}

// eventsPattern returns a pattern that reads events of all kinds, or of the given kind, in the order of SK.
func eventsPattern(kinds []string, descending, filtered bool, stopAfter int) *accesspatterns.Pattern {
	read := accesspatterns.Read{
		Operation: accesspatterns.Query, Descending: descending,
		Key: []accesspatterns.KeyCondition{{
			Attribute: eventTable.PartitionKey, Compare: accesspatterns.Matches, Template: models.MustTemplate("KIND#{kind}"),
		}},
		FanOut: &accesspatterns.FanOut{Placeholder: "kind", Values: kinds},
	}
	if filtered {
		read.Filter = []accesspatterns.FilterCondition{where("keep", models.TypeS, accesspatterns.Equal, "yes")}
	}
	return &accesspatterns.Pattern{
		ID: "events", Profile: "test", Table: eventTable, Read: read, StopAfter: stopAfter,
		Params: []*accesspatterns.Param{{Name: "kind", Type: accesspatterns.Enum, Enum: kinds}},
	}
}

type event struct {
	kind string
	at   int
	keep bool
}

func (e event) item() models.Item {
	keep := "no"
	if e.keep {
		keep = "yes"
	}
	return models.Item{
		"PK": models.StringValue("KIND#" + e.kind), "SK": models.StringValue(fmt.Sprintf("%04d", e.at)),
		"keep": models.StringValue(keep), "other": models.StringValue("x"),
	}
}

func (e event) String() string { return fmt.Sprintf("%s/%04d", e.kind, e.at) }

var errThrottled = errors.New("throttled")

// A server returns pages of events like DynamoDB: it stops at the limit or earlier, then applies the filter, and may
// return a last key before an empty page. Its random choices depend only on the seed and the request, because requests
// arrive in parallel and in any order.
type server struct {
	events     []event // in ascending order of at
	descending bool
	filtered   bool
	fail       int  // One in fail requests fails; 0 means none.
	inSequence bool // The rows of each kind follow the rows of the previous kind.
	slow       bool // Every response has its own delay, which needs synctest.
	seed       uint64

	mu                  sync.Mutex
	requests            int
	tries               map[string]int
	running, maxRunning int
}

// random returns a random source for the nth occurrence of an event.
func (s *server) random(subject string) *rand.Rand {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tries == nil {
		s.tries = map[string]int{}
	}
	s.tries[subject]++
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d", subject, s.tries[subject])
	return rand.New(rand.NewPCG(s.seed, h.Sum64()))
}

// begin counts a request as running until the returned function is called.
func (s *server) begin() (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	s.running++
	s.maxRunning = max(s.maxRunning, s.running)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.running--
	}
}

// selectEvents returns the events that a leg selects, in the leg's order.
func (s *server) selectEvents(leg accesspatterns.Leg) (part string, list []event) {
	if scan := leg.Scan; scan != nil {
		segment, total := 0, 1
		if scan.TotalSegments != nil {
			segment, total = int(*scan.Segment), int(*scan.TotalSegments)
		}
		for _, e := range s.events {
			if e.at%total == segment {
				list = append(list, e)
			}
		}
		return fmt.Sprint("segment ", segment), list
	}
	for _, v := range leg.Query.ExpressionAttributeValues {
		if text, _ := models.ValueText(v); strings.HasPrefix(text, "KIND#") {
			part = text
		}
	}
	for _, e := range s.events {
		if "KIND#"+e.kind == part {
			list = append(list, e)
		}
	}
	if s.descending {
		slices.Reverse(list)
	}
	return part, list
}

func (s *server) fetch(ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error) {
	defer s.begin()()
	part, list := s.selectEvents(leg)
	after := ""
	if start != nil {
		after = rowName(start)
		if len(start) != 2 || !slices.ContainsFunc(list, func(e event) bool { return e.String() == after }) {
			return accesspatterns.Page{}, fmt.Errorf("a start of another partition: %v", start)
		}
	}
	chance := s.random(part + after)
	if s.slow {
		select {
		case <-time.After(time.Duration(chance.IntN(100)) * time.Millisecond):
		case <-ctx.Done():
			return accesspatterns.Page{}, ctx.Err()
		}
	}
	if s.fail > 0 && chance.IntN(s.fail) == 0 {
		return accesspatterns.Page{}, errThrottled
	}
	size := 1 + chance.IntN(6)
	if limit > 0 {
		size = min(size, limit)
	}
	page := accesspatterns.Page{}
	past := start == nil
	for _, e := range list {
		if !past {
			past = e.String() == after
			continue
		}
		if page.Scanned == size {
			return page, nil // LastKey is set, because more events follow.
		}
		it := e.item()
		page.Scanned++
		page.LastKey = models.Item{"PK": it["PK"], "SK": it["SK"]}
		if !s.filtered || e.keep {
			page.Items = append(page.Items, it)
			page.Count++
		}
	}
	// DynamoDB also returns a last key if the last item reaches the limit.
	if page.Scanned < size || chance.IntN(2) == 0 {
		page.LastKey = nil
	}
	return page, nil
}

func (s *server) expect(stopAfter int) []string {
	var want []event
	for _, e := range s.events {
		if !s.filtered || e.keep {
			want = append(want, e)
		}
	}
	if s.descending {
		slices.Reverse(want)
	}
	if s.inSequence {
		slices.SortStableFunc(want, func(a, b event) int { return strings.Compare(a.kind, b.kind) })
	}
	if stopAfter > 0 && len(want) > stopAfter {
		want = want[:stopAfter]
	}
	names := []string{}
	for _, e := range want {
		names = append(names, e.String())
	}
	return names
}

func rowName(it models.Item) string {
	pk, _ := it.Text("PK")
	sk, _ := it.Text("SK")
	return pk[len("KIND#"):] + "/" + sk
}

// drawEvents generates events with unique sort keys, which define their order across partitions.
func drawEvents(t *rapid.T, kinds []string) []event {
	ats := rapid.SliceOfNDistinct(rapid.IntRange(0, 999), 0, 25, rapid.ID[int]).Draw(t, "ats")
	slices.Sort(ats)
	events := make([]event, len(ats))
	for i, at := range ats {
		events[i] = event{rapid.SampledFrom(kinds).Draw(t, "kind"), at, rapid.Bool().Draw(t, "keep")}
	}
	return events
}

func drawCase(t *rapid.T, fail int) (*server, *accesspatterns.Request, int) {
	kinds := []string{"a", "b", "c"}[:rapid.IntRange(1, 3).Draw(t, "partitions")]
	s := &server{
		events: drawEvents(t, kinds), fail: fail, seed: rapid.Uint64().Draw(t, "seed"),
		descending: rapid.Bool().Draw(t, "descending"), filtered: rapid.Bool().Draw(t, "filtered"),
	}
	stop := rapid.SampledFrom([]int{0, 0, 1, 3, 7}).Draw(t, "stop after")
	r, err := eventsPattern(kinds, s.descending, s.filtered, stop).Bind(nil, time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	s.inSequence = rapid.Bool().Draw(t, "in sequence")
	r.Sequential = s.inSequence
	return s, r, stop
}

// A new cursor reads each page, as with a page token.
func TestPagesByPositionReturnEveryRow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, r, stop := drawCase(t, 0)
		limit := rapid.IntRange(1, 9).Draw(t, "limit")
		var at *accesspatterns.Position
		got := []string{}
		for page := 0; ; page++ {
			if page > 60 {
				t.Fatal("paging did not end after 60 pages")
			}
			c := r.Open(s.fetch, at)
			rows, err := c.Next(t.Context(), limit)
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range rows {
				got = append(got, rowName(row))
			}
			more, err := c.More(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(rows) > limit || more && len(rows) != limit {
				t.Fatalf("a page has %d rows, want %d; more: %v", len(rows), limit, more)
			}
			if want := s.expect(stop); more && !s.filtered && len(got) == len(want) {
				t.Fatalf("More() is true after all %d rows", len(want))
			}
			if !more {
				break
			}
			p := c.Position()
			if p.Taken != len(got) || p.Scanned < len(got) || !s.filtered && p.Scanned != len(got) {
				t.Fatalf("the position after %d rows: %d taken of %d items", len(got), p.Taken, p.Scanned)
			}
			at = &p
		}
		if diff := gocmp.Diff(s.expect(stop), got); diff != "" {
			t.Fatalf("wrong rows (-want +got):\n%s", diff)
		}
	})
}

// After an error, reading continues with the same cursor or with a new one at its position.
func TestReadingContinuesAfterErrors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, r, stop := drawCase(t, 3)
		c := r.Open(s.fetch, nil)
		got := []string{}
		for tries := 0; ; tries++ {
			if tries > 2000 {
				t.Fatal("reading did not end after 2000 tries")
			}
			limit := rapid.IntRange(1, 9).Draw(t, "limit")
			rows, err := c.Next(t.Context(), limit)
			if len(rows) > limit {
				t.Fatalf("got %d rows, want at most %d", len(rows), limit)
			}
			for _, row := range rows {
				got = append(got, rowName(row))
			}
			if err == nil && len(rows) < limit {
				break
			}
			if err != nil && !errors.Is(err, errThrottled) {
				t.Fatal(err)
			}
			if rapid.Bool().Draw(t, "again") {
				p := c.Position()
				c = r.Open(s.fetch, &p)
			}
			if rapid.Bool().Draw(t, "asks for more") {
				if _, err := c.More(t.Context()); err != nil && !errors.Is(err, errThrottled) {
					t.Fatal(err)
				}
			}
		}
		if diff := gocmp.Diff(s.expect(stop), got); diff != "" {
			t.Fatalf("wrong rows (-want +got):\n%s", diff)
		}
	})
}

func TestCountCountsEveryMatchOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, r, _ := drawCase(t, 4)
		r.Pattern.StopAfter = 0
		c := r.Open(s.fetch, nil)
		for range 2000 {
			n, err := c.Count(t.Context())
			if err != nil {
				continue
			}
			if want := len(s.expect(0)); n != want {
				t.Fatalf("counted %d, want %d", n, want)
			}
			return
		}
		t.Fatal("counting did not end")
	})
}

func TestStatsCountRequests(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, r, _ := drawCase(t, 0)
		r.Pattern.StopAfter = 0
		c := r.Open(s.fetch, nil)
		if _, err := c.Next(t.Context(), 1000); err != nil {
			t.Fatal(err)
		}
		st := c.Stats()
		if st.Requests != s.requests || st.Scanned != len(s.events) {
			t.Fatalf("stats = %+v after %d requests for %d events", st, s.requests, len(s.events))
		}
	})
}

func TestSequentialLegsKeepOrderOfDays(t *testing.T) {
	// The sort keys begin with the time of their partition's day, so rows and days have the same order.
	rows := map[string][]string{"2026-01-12": {"1", "2"}, "2026-01-13": nil, "2026-01-14": {"1", "3"}}
	for _, descending := range []bool{false, true} {
		p := dayPattern(descending, 7)
		r, err := p.Bind(map[string]string{"from": "2026-01-12", "to": "2026-01-14"}, noon)
		if err != nil {
			t.Fatal(err)
		}
		fetch := func(_ context.Context, leg accesspatterns.Leg, start models.Item, _ int) (accesspatterns.Page, error) {
			pk, _ := models.ValueText(leg.Query.ExpressionAttributeValues[":PK"])
			list := slices.Clone(rows[pk[len("DATE#"):]])
			if descending {
				slices.Reverse(list)
			}
			page := accesspatterns.Page{}
			after, _ := start.Text("SK")
			for _, sk := range list {
				if start == nil || cmp.Compare(sk, after) == map[bool]int{false: 1, true: -1}[descending] {
					it := models.Item{"PK": models.StringValue(pk), "SK": models.StringValue(sk)}
					page.Items, page.Scanned = append(page.Items, it), page.Scanned+1
					page.LastKey = it
					return page, nil
				}
			}
			return page, nil
		}
		var got []string
		var at *accesspatterns.Position
		for range 20 {
			c := r.Open(fetch, at)
			page, err := c.Next(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range page {
				pk, _ := row.Text("PK")
				sk, _ := row.Text("SK")
				got = append(got, pk[len("DATE#"):]+"/"+sk)
			}
			more, err := c.More(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !more {
				break
			}
			pos := c.Position()
			at = &pos
		}
		want := []string{"2026-01-12/1", "2026-01-12/2", "2026-01-14/1", "2026-01-14/3"}
		if descending {
			slices.Reverse(want)
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("descending=%v (-want +got):\n%s", descending, diff)
		}
	}
}

func TestGetReturnsOnePage(t *testing.T) {
	p := pattern(accesspatterns.Read{Operation: accesspatterns.Get, Key: []accesspatterns.KeyCondition{
		matches("PK", "{a}"), matches("SK", "{b}"),
	}}, text("a"), text("b"))
	r, err := p.Bind(arguments("a=1 b=2"), noon)
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range []int{0, 1} {
		requests := 0
		c := r.Open(func(_ context.Context, leg accesspatterns.Leg, _ models.Item, _ int) (accesspatterns.Page, error) {
			requests++
			return accesspatterns.Page{Items: []models.Item{leg.Get.Key}[:found], Count: found, Scanned: found}, nil
		}, nil)
		rows, err := c.Next(t.Context(), 50)
		if err != nil || len(rows) != found {
			t.Errorf("got %d rows, want %d: %v", len(rows), found, err)
		}
		if more, err := c.More(t.Context()); more || err != nil {
			t.Errorf("More() is true after the only page, or failed: %v", err)
		}
		if requests != 1 {
			t.Errorf("got %d requests, want 1", requests)
		}
	}
}

// A read ends with an error if its pages, which have items, form a cycle. An interrupted page may be read again.
func TestCyclicPagesEndInError(t *testing.T) {
	p := eventsPattern([]string{"a"}, false, false, 0)
	r, err := p.Bind(map[string]string{"kind": "a"}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	key := func(n int) models.Item {
		return models.Item{"PK": models.StringValue("KIND#a"), "SK": models.StringValue(fmt.Sprint(n))}
	}
	for _, cycle := range []int{1, 2, 3, 7, 40} {
		for _, before := range []int{0, 1, 5} {
			pages := 0
			c := r.Open(func(context.Context, accesspatterns.Leg, models.Item, int) (accesspatterns.Page, error) {
				at := pages
				if pages++; at >= before {
					at = before + (at-before)%cycle
				}
				return accesspatterns.Page{Items: []models.Item{key(at)}, Count: 1, Scanned: 1, LastKey: key(at)}, nil
			}, nil)
			err := c.Drain(t.Context(), 1, func([]models.Item) error { return nil })
			if !errors.Is(err, accesspatterns.ErrEndless) || pages > 4*(cycle+before)+50 {
				t.Errorf("a cycle of %d after %d pages: got %v after %d pages", cycle, before, err, pages)
			}
		}
	}
	pages, failed := 0, false
	c := r.Open(func(_ context.Context, _ accesspatterns.Leg, _ models.Item, _ int) (accesspatterns.Page, error) {
		if pages == 2 && !failed {
			failed = true
			return accesspatterns.Page{}, errors.New("interrupted")
		}
		page := accesspatterns.Page{Items: []models.Item{key(pages)}, Count: 1, Scanned: 1, LastKey: key(pages)}
		if pages++; pages == 9 {
			page.LastKey = nil
		}
		return page, nil
	}, nil)
	var rows []models.Item
	for range 20 {
		more, _ := c.Next(t.Context(), 1)
		rows = append(rows, more...)
	}
	if len(rows) != 9 || !failed {
		t.Errorf("got %d rows after an interruption, want 9", len(rows))
	}
}

// A read ends with an error if its pages make no progress. DynamoDB sends a few empty pages, so these are allowed.
func TestPagesWithoutProgressEndInError(t *testing.T) {
	p := eventsPattern([]string{"a"}, false, false, 0)
	r, err := p.Bind(map[string]string{"kind": "a"}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		key  func(n int) string // key after page n, "" for the last page
		want error
	}{
		"only empty pages": {func(n int) string { return fmt.Sprint(n) }, accesspatterns.ErrEndless},
		"a cycle of pages": {func(int) string { return "same" }, accesspatterns.ErrEndless},
		"some empty pages": {func(n int) string {
			if n == 20 {
				return ""
			}
			return fmt.Sprint(n)
		}, nil},
	} {
		pages := 0
		c := r.Open(func(context.Context, accesspatterns.Leg, models.Item, int) (accesspatterns.Page, error) {
			pages++
			page := accesspatterns.Page{}
			if key := test.key(pages); key != "" {
				page.LastKey = models.Item{"PK": models.StringValue("KIND#a"), "SK": models.StringValue(key)}
			}
			return page, nil
		}, nil)
		_, err := c.Next(t.Context(), 10)
		if !errors.Is(err, test.want) || pages > 60 {
			t.Errorf("%s: got %v after %d pages, want %v after at most 60", name, err, pages, test.want)
		}
	}
}
