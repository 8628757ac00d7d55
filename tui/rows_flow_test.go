package tui

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
)

// runRowsFlow opens the verifications of a client at three sizes, and runs a test on them.
func runRowsFlow(t *testing.T, run func(t *testing.T, tt *tuitest.Terminal)) {
	atSizes(t, func(t *testing.T, size tuitest.Size) {
		d := newOpenerFixture(t, "authbridge")
		synctest.Test(t, func(t *testing.T) {
			tt, _ := open(t, d, size)
			toFirstRow(tt)
			run(t, tt)
		})
	})
}

// titleAt returns the position of a column title.
func titleAt(tt *tuitest.Terminal, title string) (x, y int) {
	for y := range tt.Size().H {
		line := tt.Line(y)
		before, _, ok := strings.Cut(line, "verificationId ")
		if !ok || len([]rune(before)) > tt.Size().W*6/10 { // The right pane also has the title.
			continue
		}
		if before, _, ok := strings.Cut(line, title); ok {
			return len([]rune(before)), y
		}
	}
	return 0, 0
}

// column returns the first n texts below a column title.
func column(tt *tuitest.Terminal, title string, n int) []string {
	x, y := titleAt(tt, title)
	var out []string
	for i := range n {
		line := []rune(tt.Line(y + 1 + i))
		text, _, _ := strings.Cut(strings.TrimSpace(string(line[min(x, len(line)):])), "  ")
		out = append(out, text)
	}
	return out
}

func TestSortRows(t *testing.T) {
	runRowsFlow(t, func(t *testing.T, tt *tuitest.Terminal) {
		tt.Press("down", "down")
		chosen := column(tt, "verificationId", 3)[2][:20]
		tt.Reach("enter sort, again to reverse", "s")
		tt.Reach("sorted by status ↑ · all 18 rows", "down", "enter")
		if got := tt.Line(rowLine(tt)); !strings.Contains(got, chosen) {
			t.Errorf("sorting moved the cursor from %q to %q", chosen, got)
		}
		tt.Press("g")
		if got := column(tt, "status ↑", 3); got[0] != "◐ created" || got[1] != "◐ created" || got[2] != "◐ documents_uploading" {
			t.Errorf("the statuses are not in lifecycle order: %q", got)
		}
		tt.Click(titleAt(tt, "status ↑"))
		tt.WaitFor("sorted by status ↓")
		tt.Golden("sorted")
		tt.Click(titleAt(tt, "status ↓"))
		tt.WaitForRemoval("sorted by")
	})
}

// rowLine returns the line of the row under the cursor.
func rowLine(tt *tuitest.Terminal) int {
	_, top, _ := tt.Find("verificationId")
	for y := top; y < tt.Size().H; y++ {
		line := tt.Line(y) // The list of patterns on the left has its own cursor.
		if strings.Contains(line[max(strings.Index(line, "││"), 0):], "▌") {
			return y
		}
	}
	return 0
}

func TestFilterRows(t *testing.T) {
	runRowsFlow(t, func(t *testing.T, tt *tuitest.Terminal) {
		tt.Press("/")
		tt.Type("stat")
		tt.WaitFor("tab status")
		if got := column(tt, "status", 1); !strings.HasPrefix(got[0], "✓") {
			t.Error("an incomplete field name hid the rows")
		}
		tt.Reach("value missing: tab created", "tab")
		tt.Type("pend")
		tt.WaitFor("3 with status:pend")
		tt.Reach("status:pending_review", "tab")
		tt.Type(" amoun:1")
		tt.WaitFor("no attribute \"amoun\"")
		tt.Golden("mistake")
		if got := column(tt, "status", 2); got[1] != "◐ pending_review" {
			t.Error("an invalid filter hid the rows")
		}
		tt.Press("enter") // Enter must not close a filter with an error.
		for range len(" amoun:1") {
			tt.Press("backspace")
		}
		tt.Reach("of all 18 rows", "down")
		tt.Reach("18 items", "esc")
	})
}

// On a screen without room below the filter, the status line shows its error.
func TestFilterOnSmallScreens(t *testing.T) {
	d := newOpenerFixture(t, "authbridge")
	synctest.Test(t, func(t *testing.T) {
		tt, _ := open(t, d, tuitest.Size{W: 60, H: 16})
		selectPattern(tt, "All verifications of a client")
		tt.Press("enter")
		tt.Enter("client_xyz789")
		tt.WaitFor("18 items")
		tt.Press("/")
		tt.Type("statu:approved")
		tt.WaitFor("✗ no attribute \"statu\"")
		tt.Golden("small")
	})
}

// Watching a query marks rows that are new, changed or missing. It ends when its budget is used up.
func TestWatchMarksChanges(t *testing.T) {
	d := newOpenerFixture(t, "authbridge")
	inner, shown := d.store, 2
	var reads int
	d.store = stub{inner, func(ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error) {
		page, err := inner.Fetch(ctx, leg, start, limit)
		page.Items = page.Items[:min(len(page.Items), shown)]
		if reads++; reads > 2 && len(page.Items) > 1 {
			page.Items = slices.Clone(page.Items)
			page.Items[1] = page.Items[1].Clone()
			page.Items[1]["status"] = models.StringValue("expired")
		}
		return page, err
	}}
	synctest.Test(t, func(t *testing.T) {
		tt, _ := open(t, d, wideSize)
		selectPattern(tt, "Verifications by date")
		tt.Reach("1 page", "enter")
		tt.Reach("watching every 10 s · +0 ~0 -0", "o", "W")
		shown = 3
		tt.Advance(11 * time.Second)
		tt.WaitFor("+1 ~1 -0")
		tt.Golden("changed")
		shown = 2
		tt.Advance(10 * time.Second)
		tt.WaitFor("+0 ~0 -1")
		tt.WaitFor("2 items · 1 page")
		tt.Reach("The watch ended", "o", "W")
		tt.WaitFor("2 items · 1 page")
		tt.Reach("the complete result", "o", "E")
		if !tt.Has("read · 2") {
			t.Errorf("the export contains the removed item:\n%s", tt.Screen())
		}
		tt.Press("esc")
		before := reads
		tt.Advance(time.Minute)
		if reads != before {
			t.Errorf("the ended watch read %d times", reads-before)
		}
	})
}

// A watch compares the first 500 items. When it ends, the workbench can read the others.
func TestReadContinuesAfterTruncatedWatch(t *testing.T) {
	d := newOpenerFixture(t, "authbridge")
	inner := d.store
	d.store = stub{inner, func(ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error) {
		page, err := inner.Fetch(ctx, leg, nil, 1)
		first, template := 0, page.Items[0]
		if start != nil {
			text, _ := start.Text("SK")
			first, _ = strconv.Atoi(strings.TrimPrefix(text, "ITEM#"))
		}
		page.Items, page.LastKey = nil, nil
		for at := first; at < min(first+limit, 600); at++ {
			it := template.Clone()
			it["SK"] = models.StringValue(fmt.Sprintf("ITEM#%03d", at))
			page.Items = append(page.Items, it)
		}
		if next := first + len(page.Items); next < 600 {
			page.LastKey = models.Item{"SK": models.StringValue(fmt.Sprintf("ITEM#%03d", next))}
		}
		return page, err
	}}
	synctest.Test(t, func(t *testing.T) {
		tt, _ := open(t, d, wideSize)
		selectPattern(tt, "Verifications by date")
		tt.Reach("1 page", "enter")
		tt.Reach("watching every 10 s", "o", "W")
		tt.WaitFor("500 of 500+ items")
		tt.Reach("The watch ended", "o", "W")
		tt.Reach("there are more", "o", "E")
		tt.Press("esc")
		tt.Reach("600 items · 2 pages", "n")
	})
}

// All patterns of zentriqvision need an organization. A listing finds one, after it has shown the cost of a scan.
func TestListingFindsRequiredParameter(t *testing.T) {
	onHome(t, "zentriqvision", func(_ *testing.T, tt *tuitest.Terminal) {
		selectPattern(tt, "All Organization items")
		tt.WaitFor("because no documented pattern")
		tt.Reach("Read the whole table?", "enter")
		tt.WaitFor("RCU")
		tt.Reach("3 items", "tab", "enter")
		tt.Reach("1 Overview", "enter")
	})
}

func TestPasteKeyIntoForm(t *testing.T) {
	runFlow(t, "authbridge", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		tt, _ := open(t, d, size)
		selectPattern(tt, "Verifications by client + status")
		tt.Press("enter")
		tt.Paste("CLIENT#client_xyz789 / pending_review#2026-01-20T08:01:00Z\n")
		tt.WaitFor("From the key of")
		for _, want := range []string{`"CLIENT#client_xyz789"`, `begins_with(GSI1SK, "pending_review#")`} {
			if !strings.Contains(strings.ReplaceAll(tt.Screen(), "\n", " "), want) {
				t.Errorf("%s is missing in\n%s", want, tt.Screen())
			}
		}
	})
}

func TestFormSuggestsEarlierValues(t *testing.T) {
	runFlow(t, "authbridge", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		tt, _ := open(t, d, size)
		selectPattern(tt, "Verification by ID")
		tt.Press("enter")
		tt.Type("8f2c")
		if !tt.Has("press → to add ver_") {
			t.Fatalf("the form does not offer the prefix:\n%s", tt.Screen())
		}
		tt.Reach("No items", "right", "enter")
		tt.Reach("space list suggestions", "e", "ctrl+u")
		tt.Reach("╭ suggestions", "space")
		tt.Golden("last")
		tt.Press("enter")
		if !tt.Has("CASE#ver_8f2c") {
			t.Errorf("the form lacks the last value:\n%s", tt.Screen())
		}
	})
}

func TestFormNamesMissingParameters(t *testing.T) {
	runFlow(t, "authbridge", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		d.role = session.Support
		tt, _ := open(t, d, size)
		selectPattern(tt, "Verifications by client + status")
		tt.Reach("… needs Client", "enter")
		if tt.Has("returns every item") {
			t.Errorf("the form asks for optional parameters:\n%s", tt.Screen())
		}
		tt.Type("client_xyz789")
		tt.Reach("State Created", "tab", "right")
		if tt.Has("QUERY") || !tt.Has("→ Client client_xyz789") {
			t.Errorf("role support sees the DynamoDB request:\n%s", tt.Screen())
		}
		tt.Golden("words")
	})
}
