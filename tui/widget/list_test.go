package widget

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func testList() *List {
	l := NewList(NewStyles(true, false))
	l.SetSize(30, 8)
	l.SetItems([]ListItem{
		{ID: "get", Section: "Verification", Lead: "get", Title: "by ID"},
		{ID: "client", Section: "Verification", Lead: "query", Title: "by client + status"},
		{ID: "docs", Section: "Document", Lead: "query", Title: "of a case"},
		{ID: "user", Section: "Audit", Lead: "query", Title: "by user", Badge: "⚠ scan", BadgeRole: RoleWarn},
	})
	return l
}

func selected(l *List) string {
	it, _ := l.Selected()
	return it.ID
}

func TestListGroupsAndSkipsHeadings(t *testing.T) {
	l := testList()
	wantPlain(t, l.View(), ` / type to filter
 Verification
▌ get   by ID
  query by client + status
 Document
  query of a case
 Audit
  query by user        ⚠ scan`)
	for _, want := range []string{"client", "docs", "user", "user"} {
		l.Update(press("down"))
		if got := selected(l); got != want {
			t.Fatalf("down selects %q, want %q", got, want)
		}
	}
	l.Update(press("up"))
	if got := selected(l); got != "docs" {
		t.Errorf("up selects %q, want docs", got)
	}
	l.Update(press("g"))
	if got := selected(l); got != "get" {
		t.Errorf("g selects %q, want get", got)
	}
}

func TestListKeepsCursorWhenFilterIsCleared(t *testing.T) {
	for name, c := range map[string]struct {
		keys []string
		want string
	}{
		"match chosen":  {[]string{"/", "u", "s", "e", "enter", "esc"}, "user"},
		"while typing":  {[]string{"/", "u", "s", "e", "esc"}, "user"},
		"deleted":       {[]string{"/", "u", "ctrl+u"}, "user"},
		"no match":      {[]string{"down", "down", "/", "z", "z", "esc"}, "docs"},
		"second filter": {[]string{"/", "u", "s", "e", "enter", "/", "z", "z", "esc"}, "user"},
		"cursor moved":  {[]string{"/", "q", "u", "e", "enter", "G", "esc"}, "user"},
	} {
		l := testList()
		for _, k := range c.keys {
			l.Update(press(k))
		}
		if got := selected(l); got != c.want || l.Len() != 4 {
			t.Errorf("%s: the cursor is on %q of %d, want %q", name, got, l.Len(), c.want)
		}
	}
}

func TestListFilter(t *testing.T) {
	l := testList()
	l.Update(press("/"))
	for _, k := range []string{"u", "s", "e"} {
		l.Update(press(k))
	}
	if !l.Typing() || l.Cursor() == nil || l.Cursor().X != 6 {
		t.Errorf("typing: %v, cursor %+v", l.Typing(), l.Cursor())
	}
	wantPlain(t, l.View(), " / use\n Audit\n▌ query by user        ⚠ scan\n\n\n\n\n")
	if _, used := l.Update(press("enter")); used || l.Typing() || l.Len() != 1 {
		t.Errorf("after enter: typing %v, %d entries, want the filtered list", l.Typing(), l.Len())
	}
	if _, used := l.Update(press("esc")); !used || l.Len() != 4 || selected(l) == "" {
		t.Errorf("after esc: %d entries, want all 4", l.Len())
	}
	if _, used := l.Update(press("esc")); used {
		t.Error("the list consumes esc without a filter")
	}
	l.SetFilter("zzz")
	if _, ok := l.Selected(); ok || l.Len() != 0 {
		t.Error("an empty list has a selection")
	}
}

func TestListKeepsMatchWhenFilterIsCleared(t *testing.T) {
	l := testList()
	for _, leave := range []string{"esc", "/", "enter"} {
		l.Select("get")
		for _, k := range []string{"/", "c", "a", "s", "e", leave} {
			l.Update(press(k))
		}
		if leave == "/" { // The slash is a letter like any other here, and matches nothing.
			l.Update(press("backspace"))
			l.Update(press("enter"))
			l.Update(press("/"))
		}
		if got := selected(l); got != "docs" {
			t.Errorf("%s selects %q, want docs", leave, got)
		}
		l.Update(press("esc"))
	}
}

func TestListWithFinderLeavesEnterAndEscToOwner(t *testing.T) {
	l := testList()
	l.SetFinder(func(string) []ListItem { return []ListItem{{ID: "user"}} })
	for _, end := range []string{"enter", "esc"} {
		l.StartTyping()
		l.SetFilter("user")
		if got := selected(l); got != "user" {
			t.Errorf("the best match is %q, want user", got)
		}
		if _, used := l.Update(press(end)); used || l.Typing() {
			t.Errorf("the palette's list consumes %s", end)
		}
	}
	l.SetFinder(nil)
	l.Update(press("/"))
	if _, used := l.Update(press("esc")); !used || l.Typing() {
		t.Error("esc in an empty filter did not leave the filter")
	}
}

func TestListKeepsSelectionWhenItemsChange(t *testing.T) {
	l := testList()
	l.Select("docs")
	l.SetItems(append([]ListItem{{ID: "new", Section: "Verification", Title: "new"}}, l.items...))
	if got := selected(l); got != "docs" {
		t.Errorf("the cursor moved to %q, want docs", got)
	}
	if _, ok := l.Click(3, 3); !ok || selected(l) != "get" {
		t.Errorf("a click selected %q, want get", selected(l))
	}
	if _, ok := l.Click(3, 1); ok {
		t.Error("a click on a heading selected an entry")
	}
}

// The column of leads is as wide as the shown entries need, so that names of entities are whole.
func TestListShowsWholeLeads(t *testing.T) {
	l := NewList(NewStyles(true, false))
	l.SetItems([]ListItem{{ID: "a", Lead: "Verification case", Title: "ver_1"}, {ID: "b", Lead: "get", Title: "One document"}})
	l.SetSize(40, 3)
	if view := ansi.Strip(l.View()); !strings.Contains(view, "Verification case ver_1") || !strings.Contains(view, "get               One") {
		t.Errorf("the leads are cut:\n%s", view)
	}
	l.SetFilter("one doc")
	if view := ansi.Strip(l.View()); !strings.Contains(view, "get One document") {
		t.Errorf("the lead of a hidden entry leaves a gap:\n%s", view)
	}
}
