package tui

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
)

// countRequests makes the reader of a schema count its requests.
func countRequests(d *everySchema, name string) *atomic.Int32 {
	sent, inner := &atomic.Int32{}, d.readers[name]
	d.readers[name] = stub{inner, func(
		ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int,
	) (accesspatterns.Page, error) {
		sent.Add(1)
		return inner.Fetch(ctx, leg, start, limit)
	}}
	return sent
}

func TestHomeShowsNumbers(t *testing.T) {
	atSizes(t, func(t *testing.T, size tuitest.Size) {
		d := newEverySchema(t)
		d.local = true
		synctest.Test(t, func(t *testing.T) {
			tt := tuitest.New(t, New(Options{Opener: d}), size)
			tt.WaitFor("counted just now")
			tt.Golden("authbridge")
			tt.Press("down", "down", "down")
			tt.WaitFor("counted just now")
			tt.Press("tab")
			tt.WaitFor("Card request by status")
			tt.Golden("tazco")
		})
	})
}

func TestStateOnHomeListsItsItems(t *testing.T) {
	d := newEverySchema(t)
	d.local = true
	synctest.Test(t, func(t *testing.T) {
		tt := tuitest.New(t, New(Options{Opener: d}), wideSize)
		tt.WaitFor("counted just now")
		tt.Reach("Card request by status", "down", "down", "down")
		tt.WaitFor("counted just now")
		tt.Press("tab")
		for range 40 {
			if !tt.Has("Card request pending") { // the status bar
				tt.Press("down")
			}
		}
		tt.Reach("Card requests by status", "enter")
		tt.WaitFor("items · 1 page")
		if !tt.Has("2000-01-01") {
			t.Errorf("the list omits old items:\n%s", tt.Screen())
		}
	})
}

// In production, home reads numbers only if the user asks for them, and scans no table without consent.
func TestProductionIsCountedOnRequest(t *testing.T) {
	d := newEverySchema(t)
	d.local, d.production = true, true
	sent := countRequests(d, "authbridge")
	synctest.Test(t, func(t *testing.T) {
		tt := tuitest.New(t, New(Options{Opener: d}), wideSize)
		tt.WaitFor("Production is not read automatically")
		if sent.Load() > 0 {
			t.Fatalf("got %d requests, want none", sent.Load())
		}
		tt.Reach("Scan AuthBridgeTable to count the rest: about", "ctrl+o", "c")
		tt.WaitFor("counted just now")
		if !tt.Has("needs a scan") {
			t.Errorf("home counts items without consent:\n%s", tt.Screen())
		}
		queries := sent.Load()
		tt.Golden("offer")
		tt.Press("ctrl+o", "c")
		tt.WaitForRemoval("needs a scan")
		tt.WaitFor("counted just now")
		if tt.Has("to count the rest") || sent.Load() == queries {
			t.Errorf("home offers the scan again:\n%s", tt.Screen())
		}
	})
}

// While home reads numbers, keys work, and leaving home cancels the reads.
func TestLeavingHomeEndsCounting(t *testing.T) {
	d := newEverySchema(t)
	d.local = true
	inner, started := d.readers["authbridge"], make(chan struct{}, 100)
	var ended atomic.Bool
	d.readers["authbridge"] = stub{inner, func(
		ctx context.Context, _ accesspatterns.Leg, _ models.Item, _ int,
	) (accesspatterns.Page, error) {
		started <- struct{}{}
		<-ctx.Done()
		ended.Store(true)
		return accesspatterns.Page{}, ctx.Err()
	}}
	synctest.Test(t, func(t *testing.T) {
		tt := tuitest.New(t, New(Options{Opener: d}), wideSize)
		tt.WaitFor("counting…")
		tt.Reach("Verification by ID", "enter")
		synctest.Wait()
		if !ended.Load() {
			t.Error("home still reads while the workbench is open")
		}
	})
}

// The tabs of the inbox show the numbers that home has counted. The inbox itself counts nothing before a tab opens.
func TestInboxTabsShowCountsOfHome(t *testing.T) {
	for _, production := range []bool{false, true} {
		t.Run("production="+strconv.FormatBool(production), func(t *testing.T) {
			d := newEverySchema(t)
			d.local, d.production = true, production
			sent := countRequests(d, "tazco")
			synctest.Test(t, func(t *testing.T) {
				tt := tuitest.New(t, New(Options{Opener: d}), tuitest.Size{W: 160, H: 40})
				tt.WaitFor("Tazco credit cards")
				tt.Press("down", "down", "down")
				tt.Advance(2 * time.Second)
				tt.Reach("Patterns", "enter")
				before := sent.Load()
				tt.Reach("1 Card requests waiting for a decision", "i")
				tt.Advance(2 * time.Second)
				line := strings.Split(tt.Screen(), "\n")[1]
				if counted := regexp.MustCompile(`2 Expired approvals \d+ +3 Dead letters \d+ +4 Failed events \d+`).MatchString(line); counted == production {
					t.Errorf("got tabs %q", line)
				}
				if n := sent.Load() - before; production && n != 1 {
					t.Errorf("the inbox sent %d requests for one queue, want 1", n)
				}
			})
		})
	}
}
