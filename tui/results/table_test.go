package results

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// newTable returns a table of n rows, with a grid of 100 by 20 cells.
func newTable(t testing.TB, n int) *Table {
	t.Helper()
	env := screentest.BenchEnv(t, "authbridge")
	table := NewTable(env, env.Session.Profile().Pattern("list-verifications-by-date"))
	table.Add(screentest.Cases(0, n))
	table.Grid.SetSize(100, 20)
	return table
}

// arrange runs all steps of an arrangement.
func arrange(t testing.TB, table *Table, cmd tea.Cmd) {
	t.Helper()
	for cmd != nil {
		msg, ok := cmd().(ArrangedMsg)
		if !ok {
			t.Fatal("the step returned another message")
		}
		cmd = table.ShowStep(msg)
	}
}

func pressBox(t testing.TB, table *Table, b overlay.Overlay, keys ...string) (done bool) {
	t.Helper()
	for _, name := range keys {
		key := screentest.Pressed(name)
		if name == "space" {
			key = tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
		}
		var cmd tea.Cmd
		cmd, done = b.Update(key)
		arrange(t, table, cmd)
	}
	return done
}

func TestCursorStaysOnItsItem(t *testing.T) {
	table := newTable(t, 30)
	table.Grid.SetCursor(7)
	at := table.At(7)
	for name, do := range map[string]func() tea.Cmd{
		"sorted":         func() tea.Cmd { return table.Sort(SortBy{Key: "n", Order: widget.Descending}) },
		"another column": func() tea.Cmd { return table.SortOn("status") },
		"result order":   func() tea.Cmd { return table.Sort(SortBy{}) },
	} {
		arrange(t, table, do())
		if got := table.At(table.Grid.Cursor()); got != at {
			t.Errorf("%s: the cursor is on item %d, want %d", name, got, at)
		}
	}
}

// While the user types a filter, the cursor returns to its row as soon as the row matches again.
func TestAnchorKeepsCursorWhileTyping(t *testing.T) {
	table := newTable(t, 30)
	table.Grid.SetCursor(8) // an approved row
	table.Anchor(true)
	for _, text := range []string{"status:created", "status:approved"} {
		table.SetFilter(text)
		arrange(t, table, table.Rearrange())
	}
	if got := table.At(table.Grid.Cursor()); got != 8 {
		t.Errorf("the cursor is on item %d, want 8", got)
	}
	table.Anchor(false)
	if table.anchor != nil {
		t.Error("the anchor still exists")
	}
}

func TestRepeatedSortCyclesOrders(t *testing.T) {
	table := newTable(t, 9)
	for i, want := range []SortBy{
		{"n", widget.Ascending},
		{"n", widget.Descending},
		{},
		{"n", widget.Ascending},
	} {
		if arrange(t, table, table.SortOn("n")); table.SortOrder != want {
			t.Errorf("after %d presses, the order is %v, want %v", i+1, table.SortOrder, want)
		}
	}
	if arrange(t, table, table.SortOn("status")); table.SortOrder != (SortBy{"status", widget.Ascending}) {
		t.Errorf("sorting by another column gives %v", table.SortOrder)
	}
}

// After a reload, the cursor and the marks are on the same items, found by their keys.
func TestReloadKeepsCursorAndMarks(t *testing.T) {
	table := newTable(t, 10)
	table.Grid.SetCursor(4)
	table.SetMarked(2, true)
	table.SetMarked(6, true)
	table.KeepCursor(table.Grid.Cursor())
	if table.Clear() != nil || !table.AwaitsKeys() {
		t.Error("Clear lost some marks")
	}
	table.Add(screentest.Cases(3, 10)) // without item 2
	table.ArrangeAdded(false)
	id, _ := table.Items.At(table.At(table.Grid.Cursor())).Text("verificationId")
	if id != "ver_00004" || table.MarkCount() != 1 || !table.Marked(3) {
		t.Errorf("the cursor is on %s with %d marks, want ver_00004 with 1", id, table.MarkCount())
	}
	if table.Reset(); table.MarkCount() != 0 || table.AwaitsKeys() {
		t.Error("Reset kept the marks")
	}
}

func TestExcessMarksAreRemovedWithNotice(t *testing.T) {
	table := newTable(t, maxKeys+1)
	table.MarkAll()
	if table.Clear() == nil {
		t.Error("Clear lost the marks without a notice")
	}
}

func TestSortMenu(t *testing.T) {
	table := newTable(t, 5)
	for _, c := range []struct {
		keys []string
		want SortBy
	}{
		{[]string{"esc"}, SortBy{}},
		{[]string{"enter"}, SortBy{"verificationId", widget.Ascending}},
		{[]string{"enter"}, SortBy{"verificationId", widget.Descending}},
		{[]string{"down", "enter"}, SortBy{"status", widget.Ascending}},
		{[]string{"g", "enter"}, SortBy{}},
	} {
		if done := pressBox(t, table, table.NewSortMenu(), c.keys...); table.SortOrder != c.want || !done {
			t.Errorf("%v: got order %v, closed: %v, want %v", c.keys, table.SortOrder, done, c.want)
		}
	}
}

func TestColumnsBox(t *testing.T) {
	table := newTable(t, 5)
	b := table.NewColumnsBox()
	key := func(i int) string { return table.Layout.All[i].Key }
	second := key(1)
	if pressBox(t, table, b, "down", "J"); key(2) != second {
		t.Errorf("after J, %s is at another position in %v", second, table.Layout.All)
	}
	if pressBox(t, table, b, "K", "space"); key(1) != second || !table.Layout.All[1].Hidden || hasColumn(table.Layout.Shown, second) {
		t.Errorf("space gives %+v, want a hidden column", table.Layout.All[1])
	}
	if pressBox(t, table, b, "p"); !table.Layout.All[1].Pinned || table.Layout.All[1].Hidden {
		t.Errorf("p gives %+v, want a pinned and visible column", table.Layout.All[1])
	}
	pressBox(t, table, b, "+")
	if wide := table.Layout.All[1].Width; wide <= 2 {
		t.Errorf("+ gives width %d, want more than 2", wide)
	}
	if pressBox(t, table, b, "0"); table.Layout.All[1].Width != 0 {
		t.Error("0 does not reset the width")
	}
	if pressBox(t, table, b, "s"); table.SortOrder.Key != second {
		t.Errorf("s sorts by %v, want the second column", table.SortOrder)
	}
	if done := pressBox(t, table, b, "d", "esc"); !done || !slices.Equal(table.Layout.All, DefaultColumns(table.Pattern)) {
		t.Error("d does not restore the default columns")
	}
}

func TestClicksOnColumns(t *testing.T) {
	table := newTable(t, 5)
	b := table.NewColumnsBox()
	b.Over(widget.NewStyles(true, true), strings.Repeat(strings.Repeat(" ", 100)+"\n", 30), 100, 30)
	if _, done := b.Click(60, 3); done || table.Layout.All[2].Hidden {
		t.Error("a click hides the column or closes the box")
	}
	if b.Click(60, 3); !table.Layout.All[2].Hidden {
		t.Error("a second click does not hide the column")
	}
	if _, done := b.Click(60, 0); done {
		t.Error("a click on the frame closed the box")
	}
	if _, done := b.Click(5, 3); !done {
		t.Error("a click outside did not close the box")
	}
}

func TestValueBoxFollowsCursor(t *testing.T) {
	table := newTable(t, 5)
	opened := 0
	b := table.NewValueBox(func() tea.Cmd { opened++; return nil }, func() tea.Cmd { return nil })
	background := strings.Repeat(strings.Repeat(" ", 100)+"\n", 39)
	view := func() string { return b.Over(widget.NewStyles(true, true), background, 100, 40) }
	if !strings.Contains(view(), "ver_00000") || !strings.Contains(view(), "other attributes") {
		t.Errorf("the box lacks the values:\n%s", view())
	}
	if pressBox(t, table, b, "down", "down", "up"); table.Grid.Cursor() != 1 || !strings.Contains(view(), "ver_00001") {
		t.Errorf("the cursor is on row %d, want 1", table.Grid.Cursor())
	}
	if strings.Contains(view(), "kagiso") {
		t.Error("the box shows personal data")
	}
	if done := pressBox(t, table, b, "enter"); !done || opened != 1 {
		t.Error("enter did not open the item")
	}
}

func TestExpiryLine(t *testing.T) {
	env := screentest.BenchEnv(t, "authbridge")
	table, now := env.Session.Profile().Entity("Verification").Table, env.Now()
	if table.TTL == "" {
		t.Fatal("the table has no TTL")
	}
	for _, c := range []struct {
		after time.Duration
		want  string
	}{
		{-time.Second, "! item expired, waiting for deletion"},
		{0, "! item expired, waiting for deletion"},
		{10 * time.Second, "expires in 1 min"},
		{59 * time.Minute, "expires in 59 min"},
		{90 * time.Minute, "expires in 1 h"},
		{47 * time.Hour, "expires in 47 h"},
		{72 * time.Hour, "expires in 3 d"},
	} {
		it := models.Item{table.TTL: screentest.ItemNumber(strconv.FormatInt(now.Add(c.after).Unix(), 10))}
		if got := ansi.Strip(expiryLine(widget.NewStyles(true, true), table, it, now)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.after, got, c.want)
		}
	}
	for name, it := range map[string]models.Item{
		"no value": {}, "not a number": {table.TTL: models.StringValue("soon")},
		"a text of digits, which DynamoDB ignores": {table.TTL: models.StringValue("1768384800")},
	} {
		if got := expiryLine(widget.NewStyles(true, true), table, it, now); got != "" {
			t.Errorf("%s: got %q, want none", name, got)
		}
	}
}

func TestErrorsKeepRows(t *testing.T) {
	table := newTable(t, 5)
	s, failure := widget.NewStyles(true, true), errors.New("no route to host")
	if RowsHeight(20, 0, failure) != 20 || RowsHeight(20, 5, nil) != 20 || RowsHeight(20, 5, failure) != 20-errorHeight {
		t.Error("RowsHeight() is wrong")
	}
	table.Grid.SetSize(100, RowsHeight(20, 5, failure))
	view := ViewGrid(s, table.Grid, 100, 20, 5, failure, "n continue")
	if !strings.Contains(view, "ver_00000") || !strings.Contains(view, "no route to host") || strings.Count(view, "\n") != 19 {
		t.Errorf("the view lacks the rows or the error:\n%s", view)
	}
	view = ViewGrid(s, table.Grid, 100, 20, 0, failure, "r tries again")
	if strings.Contains(view, "ver_00000") || !strings.Contains(view, "r tries again") {
		t.Errorf("without rows, the view is\n%s", view)
	}
}
