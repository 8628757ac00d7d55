package reading_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// readAll reads a pattern to its end in one call and returns the keys of the rows.
func readAll(t *testing.T, w *fixture.Fixture, p *accesspatterns.Pattern, args map[string]string, segments int) []string {
	t.Helper()
	r, err := w.Workspace.Reading.Start(p, args, reading.RunOptions{AllowScan: true, All: true, Segments: segments})
	if err != nil {
		t.Fatalf("%s %v: %v", p.FullID(), args, err)
	}
	var keys []string
	sum, more := reading.Page{}, true
	err = r.All(t.Context(), func(page reading.Page) error {
		for _, it := range page.Items {
			keys = append(keys, p.Table.KeyText(it))
		}
		sum.Count += page.Count
		sum.Scanned += page.Scanned
		sum.Capacity += page.Capacity
		sum.Requests += page.Requests
		more = page.More
		return nil
	})
	if err != nil || more {
		t.Fatalf("%s %v: %v, more %v", p.FullID(), args, err, more)
	}
	if d := cmp.Diff(r.Totals(), sum); d != "" {
		t.Errorf("%s %v: the pages do not add up (-totals +pages):\n%s", p.FullID(), args, d)
	}
	if r.Request().IsCount() {
		return []string{fmt.Sprint(sum.Count)}
	}
	return keys
}

// Parallel segments return the same items as a sequential scan. TestEveryPatternReturnsItems compares the patterns of
// the built-in schemas.
func TestAllPagesReturnTheSameItems(t *testing.T) {
	w := fixture.New(t, "form-bridge", session.Support)
	p := w.Profile.Pattern("list-active-sites")
	want := w.Ask(t, p, nil, 1000)
	slices.Sort(want)
	for _, segments := range []int{1, 3, 16} {
		got := readAll(t, w, p, nil, segments)
		slices.Sort(got)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%d segments (-want +got):\n%s", segments, d)
		}
	}
}

// If the reader cannot fetch the items behind an index, it returns no partial rows, and the next call reads them again.
func TestAllContinuesAfterPartialRows(t *testing.T) {
	w := fixture.NewAltered(t, "tazco", "card-requests", func(m *models.Table) {
		for _, x := range m.Indexes {
			x.Projection = models.ProjectionKeysOnly
		}
	}, nil)
	p := w.Profile.Pattern("find-all-pending-requests")
	want := w.Ask(t, p, nil, 1000)
	broken := &unreadable{Reader: w.Conn.Reader(), fails: 1}
	s := workspace.New(session.Options{Profile: w.Profile, Store: broken, Clock: func() time.Time { return fixture.Now }})
	r, err := s.Reading.Start(p, nil, reading.RunOptions{All: true})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	visit := func(page reading.Page) error {
		for _, it := range page.Items {
			if _, ok := it.Text("tierAtRequest"); !ok {
				t.Errorf("row %s lacks an attribute that the index does not project", p.Table.KeyText(it))
			}
			got = append(got, p.Table.KeyText(it))
		}
		return nil
	}
	if err := r.All(t.Context(), visit); store.ClassOf(err) != store.Throttled || len(got) != 0 {
		t.Fatalf("got %d rows, %v, want a throttling error", len(got), err)
	}
	if err := r.All(t.Context(), visit); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("wrong rows (-want +got):\n%s", d)
	}
}

// sizedReader is a table of a given size with one item in each page. Each page costs 100 units.
type sizedReader struct {
	store.Reader
	info     store.TableInfo
	err      error
	segments atomic.Int32
	pages    int32 // in the whole table
	read     atomic.Int32
}

func (s *sizedReader) DescribeTable(context.Context, string) (store.TableInfo, error) {
	return s.info, s.err
}

func (s *sizedReader) Fetch(_ context.Context, leg accesspatterns.Leg, _ models.Item, _ int) (accesspatterns.Page, error) {
	if leg.Get != nil {
		return accesspatterns.Page{Capacity: 0.5}, nil
	}
	if leg.Scan.TotalSegments != nil {
		s.segments.Store(*leg.Scan.TotalSegments)
	}
	it := models.Item{"PK": models.StringValue("SITE#1"), "SK": models.StringValue("CREDS#1")}
	page := accesspatterns.Page{Items: []models.Item{it}, Count: 1, Scanned: 1, Capacity: 100}
	if s.read.Add(1) < s.pages {
		page.LastKey = it
	}
	return page, nil
}

func sizedSession(t *testing.T, r *sizedReader, o session.Options) (*workspace.Workspace, *accesspatterns.Pattern) {
	t.Helper()
	p, err := profiles.Open("form-bridge", nil)
	if err != nil {
		t.Fatal(err)
	}
	o.Profile, o.Store, o.StateDir = p, r, t.TempDir()
	o.JournalPath = filepath.Join(o.StateDir, "journal.jsonl")
	return workspace.New(o), p.Pattern("list-active-sites")
}

// A scan splits large tables into segments and reads small ones in one. A page token keeps the segments, with --all and
// without.
func TestSegmentsFollowSize(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct {
		bytes    int64
		err      error
		segments int32
	}{
		{0, nil, 0},
		{64 * mb, nil, 0},
		{64*mb + 1, nil, 2},
		{1 << 50, nil, 16},
		{0, &store.Error{Class: store.AccessDenied}, 4},
	} {
		r := &sizedReader{info: store.TableInfo{ApproximateBytes: c.bytes}, err: c.err, pages: 40}
		s, p := sizedSession(t, r, session.Options{})
		run, err := s.Reading.Start(p, nil, reading.RunOptions{AllowScan: true, All: true})
		if err != nil {
			t.Fatal(err)
		}
		enough := errors.New("enough")
		err = run.All(t.Context(), func(reading.Page) error { return enough })
		if !errors.Is(err, enough) || r.segments.Load() != c.segments {
			t.Errorf("%d bytes: got %d segments, want %d: %v", c.bytes, r.segments.Load(), c.segments, err)
		}
		token, err := run.Token()
		if err != nil {
			t.Fatal(err)
		}
		for _, all := range []bool{false, true} {
			r.segments.Store(0)
			run, err := s.Reading.Start(p, nil, reading.RunOptions{AllowScan: true, All: all, Token: token, Limit: 1})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := run.Next(t.Context()); err != nil || r.segments.Load() != c.segments {
				t.Errorf("the token continues with %d segments, want %d: %v", r.segments.Load(), c.segments, err)
			}
			next, err := run.Token()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Reading.Start(p, nil, reading.RunOptions{AllowScan: true, Token: next}); err != nil {
				t.Errorf("starting with the token of a resumed run of %d segments: %v", c.segments, err)
			}
		}
	}
	r := &sizedReader{err: &store.Error{Class: store.Unreachable}}
	s, p := sizedSession(t, r, session.Options{})
	run, err := s.Reading.Start(p, nil, reading.RunOptions{AllowScan: true, All: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := run.All(t.Context(), nil); store.ClassOf(err) != store.Unreachable || r.read.Load() != 0 {
		t.Errorf("an unreachable table: got %v", err)
	}
}

// Scans in production have a default budget. An explicit budget takes precedence.
func TestProductionScansHaveDefaultBudget(t *testing.T) {
	provisioned, onDemand := store.TableInfo{ReadUnits: 80}, store.TableInfo{Billing: "PAY_PER_REQUEST"}
	for _, c := range []struct {
		info        store.TableInfo
		environment string
		budget      float64
		want        float64
	}{
		{provisioned, "staging", 0, 0},
		{provisioned, "prod", 0, 20},
		{store.TableInfo{ReadUnits: 1}, "prod", 0, 1},
		{onDemand, "prod", 0, 500},
		{onDemand, "prod", reading.Unlimited, 0},
		{provisioned, "prod", 75, 75},
		{provisioned, "staging", 75, 75},
	} {
		s, p := sizedSession(t, &sizedReader{info: c.info}, session.Options{Environment: c.environment, Budget: c.budget})
		if e, err := s.Reading.Estimate(t.Context(), p.Table, nil); err != nil || e.Budget != c.want {
			t.Errorf("%+v: got budget %g, %v", c, e.Budget, err)
		}
	}
}

// A scan stays within its budget and reports its progress. A read of a single item does not wait for the budget.
func TestScanKeepsBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &sizedReader{info: store.TableInfo{ApproximateItems: 40}, pages: 10}
		s, p := sizedSession(t, r, session.Options{Budget: 50})
		run, err := s.Reading.Start(p, nil, reading.RunOptions{AllowScan: true, All: true})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		var progress reading.Progress
		half := reading.Figures{}
		err = run.All(progress.Watch(t.Context()), func(reading.Page) error {
			if run.Totals().Scanned == 5 {
				time.Sleep(time.Second) // The next request is already waiting.
				half = progress.Figures()
				if _, err := s.Reading.Get(
					t.Context(), p.Table, models.Item{"PK": models.StringValue("a"), "SK": models.StringValue("b")},
				); err != nil {
					t.Error(err)
				}
			}
			return nil
		})
		// Ten pages cost 1000 units at 50 a second. The run ends without waiting for the last 100.
		if took := time.Since(start); err != nil || took != 18*time.Second {
			t.Errorf("the scan took %s, %v, want 18s", took, err)
		}
		if !half.Waiting || half.Budget != 50 || half.Scanned < 5 || half.Share == 0 || half.Remaining == 0 || half.Segments != 1 {
			t.Errorf("after half of the table: got %+v", half)
		}
		if end := progress.Figures(); end.Scanned != 10 || end.SegmentsDone != 1 {
			t.Errorf("at the end: got %+v", end)
		}
	})
}

// The progress includes the items that were read before the page token.
func TestResumedRunReportsProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &sizedReader{info: store.TableInfo{ApproximateItems: 20}, pages: 1000}
		s, p := sizedSession(t, r, session.Options{Budget: 50})
		enough := errors.New("enough")
		var token string
		for before := 0; before < 12; before += 4 {
			run, err := s.Reading.Start(p, nil, reading.RunOptions{AllowScan: true, All: true, Token: token})
			if err != nil {
				t.Fatal(err)
			}
			var progress reading.Progress
			err = run.All(progress.Watch(t.Context()), func(reading.Page) error {
				if run.Totals().Count == 4 {
					return enough
				}
				time.Sleep(time.Second)
				f := progress.Figures()
				if want := float64(before+f.Scanned) / 20; f.Share != want || f.Remaining <= 0 {
					t.Errorf("after %d earlier and %d new items: Share = %g, Remaining = %s", before, f.Scanned, f.Share, f.Remaining)
				}
				return nil
			})
			if !errors.Is(err, enough) {
				t.Fatal(err)
			}
			if token, err = run.Token(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestParseBudget(t *testing.T) {
	for text, want := range map[string]float64{"": 0, "none": reading.Unlimited, "100": 100, " 2.5 ": 2.5} {
		if got, err := reading.ParseBudget(text); err != nil || got != want {
			t.Errorf("ParseBudget(%q) = %g, %v", text, got, err)
		}
	}
	for _, text := range []string{"0", "-1", "NaN", "inf", "many", "1e10", "5 RCU"} {
		if got, err := reading.ParseBudget(text); !errors.Is(err, session.ErrInput) {
			t.Errorf("ParseBudget(%q) = %g, %v, want an error", text, got, err)
		}
	}
}

func TestEstimateShowsCostOfScan(t *testing.T) {
	e := reading.Estimate{Items: 1234567, Bytes: 700 << 20, ReadUnits: 89600, Segments: 11, Budget: 500}
	for _, c := range []struct {
		e    reading.Estimate
		want string
	}{
		{e, "about 1,234,567 items, 700.0 MB, 89,600 RCU; DynamoDB updates these figures every six hours; " +
			"11 parallel segments; about 2m59s at 500 RCU/s"},
		{reading.Estimate{
			Items: 2, Bytes: 300, ReadUnits: 0.5, Segments: 1,
		}, "about 2 items, 300 bytes, 0.5 RCU; DynamoDB updates these figures every six hours"},
		{
			reading.Estimate{Items: 10000, Segments: 1, Budget: 500},
			"about 10,000 items; DynamoDB updates this figure every six hours; at most 500 RCU/s",
		},
		{
			e.Plus(reading.Estimate{Items: 1, Bytes: 400 << 20, ReadUnits: 400, Segments: 7, Budget: 100}),
			"1,234,568 items, 1.1 GB, 90,000 RCU",
		},
	} {
		if got := c.e.String(); !strings.Contains(got, c.want) {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
