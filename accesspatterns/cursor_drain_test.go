package accesspatterns_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

var errFull = errors.New("full")

// drawScan generates a case like drawCase, but with a scan in segments.
func drawScan(t *rapid.T, fail int) (*server, *accesspatterns.Request) {
	s, r, _ := drawCase(t, fail)
	p := *r.Pattern
	p.StopAfter = 0
	p.Read = accesspatterns.Read{Operation: accesspatterns.Scan, Filter: p.Read.Filter}
	r, err := p.Bind(nil, time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	r, s.inSequence = r.Split(rapid.IntRange(1, 9).Draw(t, "segments")), false
	return s, r
}

// Drain returns every row once, even if requests fail, yield or the context stops it, and another cursor continues.
func TestDrainReturnsEveryRowOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// rapid requires a deadline, which a test in a bubble does not have.
		rapid.Check(struct{ *testing.T }{t}, func(t *rapid.T) {
			fail := rapid.SampledFrom([]int{0, 3, 6}).Draw(t, "fail")
			s, r, stop := drawCase(t, fail)
			scan := rapid.Bool().Draw(t, "scan")
			if scan {
				s, r = drawScan(t, fail)
				stop = 0
			}
			s.slow = true
			workers := rapid.IntRange(0, 5).Draw(t, "workers")
			got := []string{}
			c := r.Open(s.fetch, nil)
			for tries := 0; ; tries++ {
				if tries > 2000 {
					t.Fatal("reading did not end after 2000 tries")
				}
				err := drainOnce(t, s, c, workers, &got)
				if s.running != 0 {
					t.Fatalf("%d requests are still running", s.running)
				}
				if s.maxRunning > max(workers, 1) {
					t.Fatalf("%d requests ran at once, want at most %d", s.maxRunning, workers)
				}
				if err == nil {
					break
				}
				if !errors.Is(err, errThrottled) && !errors.Is(err, errFull) && !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				if s.random("reopen").IntN(2) == 0 {
					p := c.Position()
					c = r.Open(s.fetch, &p)
				}
			}
			if done, all := c.Legs(); stop == 0 && done != all {
				t.Fatalf("%d of %d legs are complete", done, all)
			}
			if n := c.Position().Scanned; n > len(s.events) || stop == 0 && !s.filtered && n != len(s.events) {
				t.Fatalf("the position counts %d items of %d", n, len(s.events))
			}
			want := s.expect(stop)
			if scan {
				slices.Sort(want)
				slices.Sort(got)
			}
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Fatalf("wrong rows (-want +got):\n%s", diff)
			}
		})
	})
}

// drainOnce drains once. At random, yield rejects rows or the context ends.
func drainOnce(t *rapid.T, s *server, c *accesspatterns.Cursor, workers int, got *[]string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	return c.Drain(ctx, workers, func(rows []models.Item) error {
		if len(rows) == 0 {
			t.Fatal("Drain returned no rows")
		}
		chance := s.random("yield")
		if chance.IntN(4) == 0 {
			return errFull
		}
		time.Sleep(time.Duration(chance.IntN(50)) * time.Millisecond)
		for _, row := range rows {
			*got = append(*got, rowName(row))
		}
		if chance.IntN(6) == 0 {
			cancel()
		}
		return nil
	})
}

// A user can continue an interrupted export page by page without --all.
func TestSegmentsCanBeReadByPage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, r := drawScan(t, 0)
		limit := rapid.IntRange(1, 9).Draw(t, "limit")
		got := []string{}
		var at *accesspatterns.Position
		for page := 0; ; page++ {
			if page > 200 {
				t.Fatal("paging did not end after 200 pages")
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
			if more && len(rows) != limit {
				t.Fatalf("a page has %d rows, want %d because more follow", len(rows), limit)
			}
			if !more {
				break
			}
			p := c.Position()
			at = &p
		}
		want := s.expect(0)
		slices.Sort(want)
		slices.Sort(got)
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("wrong rows (-want +got):\n%s", diff)
		}
	})
}

func TestDrainReadsOnePageAheadInEachLeg(t *testing.T) {
	const legs, pages = 4, 5
	synctest.Test(t, func(t *testing.T) {
		r := accesspatterns.WholeTable(eventTable)
		r = r.Split(legs)
		var calls [legs]atomic.Int32
		c := r.Open(func(_ context.Context, leg accesspatterns.Leg, _ models.Item, _ int) (accesspatterns.Page, error) {
			n := int(calls[*leg.Scan.Segment].Add(1))
			time.Sleep(time.Second)
			it := event{fmt.Sprint(*leg.Scan.Segment), n, true}.item()
			page := accesspatterns.Page{Items: []models.Item{it}, Count: 1, Scanned: 1}
			if n < pages {
				page.LastKey = it
			}
			return page, nil
		}, nil)
		var handed [legs]int
		err := c.Drain(t.Context(), legs, func(rows []models.Item) error {
			time.Sleep(time.Minute)
			for i := range calls {
				if n, want := int(calls[i].Load()), min(handed[i]+2, pages); n != want {
					t.Errorf("segment %d: %d pages were requested, want %d", i, n, want)
				}
			}
			for _, row := range rows {
				kind, _, _ := strings.Cut(rowName(row), "/")
				handed[kind[0]-'0']++
			}
			return nil
		})
		if want := [legs]int{pages, pages, pages, pages}; err != nil || handed != want {
			t.Errorf("got %d pages, error %v, want all pages", handed, err)
		}
	})
}

func TestDrainReadsEachPageOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, r := drawScan(t, 0)
		c := r.Open(s.fetch, nil)
		if err := c.Drain(t.Context(), 4, func([]models.Item) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if st := c.Stats(); st.Requests != s.requests || st.Scanned != len(s.events) || st.Count != len(s.expect(0)) {
			t.Fatalf("stats = %+v after %d requests for %d events", st, s.requests, len(s.events))
		}
	})
}

// Reading the first rows of thirty partitions takes as long as four responses, not thirty.
func TestFanOutReadsEightPartitionsInParallel(t *testing.T) {
	kinds := make([]string, 30)
	for i := range kinds {
		kinds[i] = fmt.Sprint("k", i)
	}
	r, err := eventsPattern(kinds, false, false, 0).Bind(nil, time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		start, calls := time.Now(), make(chan struct{}, 100)
		c := r.Open(func(ctx context.Context, _ accesspatterns.Leg, _ models.Item, _ int) (accesspatterns.Page, error) {
			calls <- struct{}{}
			time.Sleep(time.Second)
			return accesspatterns.Page{}, ctx.Err()
		}, nil)
		if _, err := c.Next(t.Context(), 10); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 4*time.Second || len(calls) != 30 {
			t.Errorf("got %d requests in %s, want 30 in 4s", len(calls), took)
		}
	})
}

// Next reads more days in parallel after each step that finds no rows.
func TestEmptyDaysAreReadInGrowingSteps(t *testing.T) {
	p := dayPattern(false, 40)
	r, err := p.Bind(map[string]string{"from": "2026-01-01", "to": "2026-01-30"}, noon)
	if err != nil {
		t.Fatal(err)
	}
	for day, want := range map[string]struct {
		took     time.Duration
		requests int
	}{
		"2026-01-01": {time.Second, 1},
		"2026-01-02": {2 * time.Second, 3},                     // 1, 2
		"2026-01-25": {6 * time.Second, 1 + 2 + 4 + 8 + 8 + 7}, // up to the last day
	} {
		synctest.Test(t, func(t *testing.T) {
			start, calls := time.Now(), make(chan struct{}, 100)
			c := r.Open(func(_ context.Context, leg accesspatterns.Leg, _ models.Item, _ int) (accesspatterns.Page, error) {
				calls <- struct{}{}
				time.Sleep(time.Second)
				pk, _ := models.ValueText(leg.Query.ExpressionAttributeValues[":PK"])
				if !strings.HasSuffix(pk, day) {
					return accesspatterns.Page{}, nil
				}
				it := models.Item{"PK": models.StringValue(pk), "SK": models.StringValue("1")}
				return accesspatterns.Page{Items: []models.Item{it}, Count: 1, Scanned: 1}, nil
			}, nil)
			rows, err := c.Next(t.Context(), 1)
			if err != nil || len(rows) != 1 {
				t.Fatalf("got %d rows, want 1: %v", len(rows), err)
			}
			if took := time.Since(start); took != want.took || len(calls) != want.requests {
				t.Errorf("%s: got %d requests in %s, want %d in %s", day, len(calls), took, want.requests, want.took)
			}
		})
	}
}

// The reader runs in another goroutine, where the caller could not recover its panic.
func TestFetchPanicReachesCaller(t *testing.T) {
	r, err := eventsPattern([]string{"a", "b"}, false, false, 0).Bind(nil, time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		v := recover()
		for _, part := range []string{"broken", "cursor_drain_test.go"} { // the value, and the reader's stack
			if !strings.Contains(fmt.Sprint(v), part) {
				t.Errorf("panic %v does not contain %q", v, part)
			}
		}
	}()
	c := r.Open(func(context.Context, accesspatterns.Leg, models.Item, int) (accesspatterns.Page, error) {
		panic("broken")
	}, nil)
	_, err = c.Next(t.Context(), 1)
	t.Errorf("the next read returned %v, want a panic", err)
}

// An error of one day must not discard the rows of earlier days, so that every attempt makes progress.
func TestRowsBeforeFailedDayAreReturned(t *testing.T) {
	r, err := dayPattern(false, 40).Bind(map[string]string{"from": "2026-01-01", "to": "2026-01-20"}, noon)
	if err != nil {
		t.Fatal(err)
	}
	const perDay = 600 // more rows than Drain passes to yield at once
	denied := errors.New("denied")
	day := func(leg accesspatterns.Leg) string {
		pk, _ := models.ValueText(leg.Query.ExpressionAttributeValues[":PK"])
		return pk
	}
	for name, readAll := range map[string]func(*testing.T, *accesspatterns.Cursor) ([]models.Item, error){
		"drain": func(t *testing.T, c *accesspatterns.Cursor) (rows []models.Item, err error) {
			err = c.Drain(t.Context(), 8, func(more []models.Item) error {
				rows = append(rows, more...)
				return nil
			})
			return rows, err
		},
		"next": func(t *testing.T, c *accesspatterns.Cursor) ([]models.Item, error) {
			return c.Next(t.Context(), 20*perDay)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var at *accesspatterns.Position
				var got []string
				for run := 1; ; run++ {
					if run > 7 {
						t.Fatalf("%d runs returned only %d of 20 days", run-1, len(got)/perDay)
					}
					read := len(got) / perDay
					c := r.Open(func(ctx context.Context, leg accesspatterns.Leg, _ models.Item, _ int) (accesspatterns.Page, error) {
						n := slices.IndexFunc(r.Legs, func(l accesspatterns.Leg) bool { return day(l) == day(leg) }) - read
						time.Sleep(time.Duration(20-n) * time.Second) // It fails before the earlier days arrive.
						if n == 3 {
							return accesspatterns.Page{}, denied
						}
						it := models.Item{"PK": models.StringValue(day(leg)), "SK": models.StringValue("x")}
						return accesspatterns.Page{Items: slices.Repeat([]models.Item{it}, perDay), Scanned: perDay, Count: perDay}, ctx.Err()
					}, at)
					rows, err := readAll(t, c)
					for _, row := range rows {
						pk, _ := row.Text("PK")
						got = append(got, pk)
					}
					if err == nil {
						break
					}
					if !errors.Is(err, denied) {
						t.Fatal(err)
					}
					p := c.Position()
					at = &p
				}
				if !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != 20 || len(got) != 20*perDay {
					t.Errorf("got %d rows, want all in order; days %v", len(got), slices.Compact(got))
				}
			})
		})
	}
}
