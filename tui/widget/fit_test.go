package widget

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
)

func TestTabsShortenLongestTitle(t *testing.T) {
	s := NewStyles(true, true)
	tabs := Tabs{Titles: []string{"Overview", "Keys", "Entries 12", "A title that goes on and on"}}
	for w, want := range map[int]string{
		62: " 1 Overview 2 Keys 3 Entries 12 4 A title that goes on and on",
		70: " 1 Overview  2 Keys  3 Entries 12  4 A title that goes on and on",
		50: " 1 Overview 2 Keys 3 Entries 12 4 A title that go…",
		40: " 1 Overview 2 Keys 3 Entr… 12 4 A title…",
		20: " 1 Overview  2  3  4",
	} {
		got := ansi.Strip(tabs.Render(s, w))
		if ansi.StringWidth(got) != w {
			t.Errorf("at %d it is %d wide", w, ansi.StringWidth(got))
		}
		if diff := cmp.Diff(want, strings.TrimRight(got, " ")); diff != "" {
			t.Errorf("at %d (-want +got):\n%s", w, diff)
		}
	}
}

func TestWrapDoesNotBreakAtHyphens(t *testing.T) {
	got := Wrap(NewStyles(true, true), RoleText, "only if updatedAt = 2026-01-20T08:02:10Z and ver_8f2c-77aa is there", 26)
	for i := range got {
		got[i] = ansi.Strip(got[i])
	}
	want := []string{"only if updatedAt =", "2026-01-20T08:02:10Z and", "ver_8f2c-77aa is there"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTabsShortenLongActiveTitle(t *testing.T) {
	tabs := Tabs{Titles: []string{"Card requests waiting for a decision 9", "Expired approvals 1", "Dead letters 12", "Failed credits 3"}}
	row := ansi.Strip(tabs.Render(NewStyles(true, true), 80))
	for _, part := range []string{"1 Card requests w… 9", "2 Expired approva… 1", "3 Dead letters 12", "4 Failed credits 3"} {
		if !strings.Contains(row, part) {
			t.Errorf("row %q does not show %q", row, part)
		}
	}
}
