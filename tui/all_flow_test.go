package tui

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
)

// delayPage returns a function that delays a page, unless the request is canceled.
func delayPage(wait time.Duration) func(context.Context, int) error {
	return func(ctx context.Context, _ int) error {
		select {
		case <-time.After(wait):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// TestReadAll reads all rows, stops, opens rows in the meantime, and continues. No row is lost or repeated.
func TestReadAll(t *testing.T) {
	atSizes(t, func(t *testing.T, size tuitest.Size) {
		d := newOpenerFixture(t, "authbridge")
		synctest.Test(t, func(t *testing.T) {
			d.store = pages(d.store, 12_345, delayPage(time.Second))
			tt, _ := open(t, d, size)
			selectPattern(tt, "Verifications by date")
			tt.Reach("100 of 100+ items", "enter")
			tt.Reach("reading all", "o", "A")
			tt.Advance(3 * time.Second)
			tt.Golden("reading")
			tt.Press("down", "enter") // The screen already shows the first rows.
			tt.WaitFor("1 Overview")
			tt.WaitFor("since the list")
			tt.Reach("reading all", "esc")
			tt.Reach("stopped: n continue", "esc")
			tt.Reach("12,345 items", "o", "A")
			tt.Reach("ver_12344", "G")
			tt.Reach("no more pages", "o", "A")
		})
	})
}

// segmented simulates a table of a large size, in which each segment of a scan has its own pages.
func segmented(inner store.Reader) store.Reader {
	return largeTables{stub{inner, func(ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error) {
		if err := delayPage(200*time.Millisecond)(ctx, 0); err != nil {
			return accesspatterns.Page{}, &store.Error{Class: store.Canceled, Problem: "canceled", Err: err}
		}
		segment, total := 0, 1
		if leg.Scan.TotalSegments != nil {
			segment, total = int(*leg.Scan.Segment), int(*leg.Scan.TotalSegments)
		}
		at := segment
		if text, ok := start.Text("pk"); ok {
			if _, err := fmt.Sscanf(text, "n%d", &at); err != nil {
				return accesspatterns.Page{}, err
			}
			at += total
		}
		page := accesspatterns.Page{Capacity: 1}
		for ; at < scannedItems && page.Scanned < min(limit, 500); at += total {
			page.Items = append(page.Items, models.Item{"pk": models.StringValue(fmt.Sprintf("n%05d", at)), "sk": models.StringValue("x")})
			page.Scanned, page.Count = page.Scanned+1, page.Count+1
		}
		if at < scannedItems {
			page.LastKey = page.Items[len(page.Items)-1]
		}
		return page, nil
	}}}
}

const scannedItems = 9_000

// largeTables is a reader that reports a large size for every table.
type largeTables struct{ store.Reader }

func (l largeTables) DescribeTable(ctx context.Context, name string) (store.TableInfo, error) {
	info, err := l.Reader.DescribeTable(ctx, name)
	info.ApproximateItems, info.ApproximateBytes = scannedItems, 400<<20
	return info, err
}

// After the user's consent, the console reads a large table in segments instead of one. Each row appears once.
func TestReadAllInTable(t *testing.T) {
	runFlow(t, "form-bridge", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		d.store = segmented(d.store)
		tt, _ := open(t, d, size)
		selectPattern(tt, "Sites by status")
		tt.Press("enter")
		if tt.Has("leave form") {
			tt.Press("enter")
		}
		tt.WaitFor("Read the whole table?")
		tt.Reach("+ items", "tab", "enter")
		tt.Reach("7 parallel segments", "o", "A")
		tt.Golden("consent")
		tt.Reach("9,000 items", "tab", "enter")
	})
}
