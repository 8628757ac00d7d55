package widget

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

func TestPanelKeepsItsSize(t *testing.T) {
	s := NewStyles(true, true)
	wantPlain(t, Panel{Title: "Patterns", Note: "12"}.Render(s, "a line that is too long\nb", 20, 4),
		"╭ Patterns ─── 12 ─╮\n│a line that is to…│\n│b                 │\n╰──────────────────╯")
}

func TestOverlayCutsWideCharacters(t *testing.T) {
	for x, want := range map[int]string{0: "XX本語", 1: " XX 語", 2: "日XX語", 5: "日本 X", -1: "X 本語", 9: "日本語"} {
		if got := ansi.Strip(Overlay("日本語", "XX", x, 0)); got != want {
			t.Errorf("Overlay at %d = %q, want %q", x, got, want)
		}
	}
}

func TestDialogFocusesSafeButton(t *testing.T) {
	ready := false
	d := Dialog{Title: "Reject card request", Body: "CARD#1 / META", Danger: true, Buttons: []Button{
		{Name: "cancel", Label: "Cancel"},
		{Name: "reject", Label: "Reject", Danger: true, Disabled: func() string {
			if ready {
				return ""
			}
			return "type the item's id first"
		}},
	}}
	if got := d.Update(press("enter")); got.Name != "cancel" || got.Why != "" || !got.Used || got.Closed {
		t.Errorf("enter returned %+v, want cancel", got)
	}
	d.Update(press("tab"))
	if got := d.Update(press("enter")); got.Name != "" || got.Why != "type the item's id first" || !got.Used || got.Closed {
		t.Errorf("enter on a disabled button returned %+v", got)
	}
	ready = true
	s := NewStyles(true, true)
	w, h := d.Size(80, 24)
	view := strings.Split(plain(d.Render(s, w, h)), "\n")
	x := ansi.StringWidth(view[h-2][:strings.Index(view[h-2], "Reject")])
	if got := d.Click(x, h-2, w, h); got.Name != "reject" {
		t.Errorf("a click at %d on %q returned %+v", x, view[h-2], got)
	}
	if got := d.Update(press("esc")); !got.Closed {
		t.Errorf("esc returned %+v, want closed", got)
	}
}

func TestTopBarAlwaysShowsProductionAndReadOnly(t *testing.T) {
	bar := TopBar{
		App: "ddbdesk", Crumbs: []string{"authbridge", "Verifications"}, Context: "prod-af", Region: "af-south-1",
		Endpoint: "127.0.0.1:8000", Who: "kagiso", Role: "support", ReadOnly: true, Production: true,
	}
	s := NewStyles(true, false)
	want := " ddbdesk authbridge › Verifications     kagiso  support   PRODUCTION   prod-af  af-south-1  127.0.0.1:8000  ⊘ READ-ONLY"
	if got := plain(bar.Render(s, 120)); got != want {
		t.Errorf("bar:\n%q, want\n%q", got, want)
	}
	for w := 40; w < 120; w++ {
		if got := plain(bar.Render(s, w)); !strings.Contains(got, "PRODUCTION") || !strings.Contains(got, "READ-ONLY") {
			t.Errorf("the bar in %d cells lacks PRODUCTION or READ-ONLY: %q", w, got)
		}
	}
}

// On a narrow terminal, the scheme of the endpoint gives its space to the role, and then the whole endpoint.
func TestTopBarKeepsRoleBesideEndpoint(t *testing.T) {
	bar := TopBar{
		App: "ddbdesk", Crumbs: []string{"authbridge", "Item ORDER#ord_300011"}, Region: "us-east-1",
		Endpoint: "http://127.0.0.1:18431", Who: "root", Role: "admin",
	}
	if got := plain(bar.Render(NewStyles(true, false), 80)); !strings.Contains(got, "root  admin  127.0.0.1:18431") {
		t.Errorf("the bar lacks the role or the endpoint:\n%q", got)
	}
	bar.Production = true
	if got := plain(bar.Render(NewStyles(true, false), 80)); !strings.Contains(got, "root  admin   PRODUCTION   ✎ WRITES") {
		t.Errorf("the bar lacks the role or PRODUCTION:\n%q", got)
	}
}

func TestStatusBarDropsFactsForHints(t *testing.T) {
	bar := StatusBar{Facts: []string{"50 items", "6.5 RCU", "12 ms"}, Hints: testActions()}
	s := NewStyles(true, false)
	for w, want := range map[int]string{
		70: " 50 items · 6.5 RCU · 12 ms              enter open  / filter  ? help",
		46: " 50 items        enter open  / filter  ? help",
		12: " 50 items",
	} {
		if got := plain(bar.Render(s, w)); got != want {
			t.Errorf("bar in %d cells: got %q, want %q", w, got, want)
		}
	}
}

func TestBusyIsHiddenAtFirst(t *testing.T) {
	s := NewStyles(true, false)
	busy := BusyIndicator{What: "reading", Detail: "3 pages", Cancel: "esc cancel", Fraction: 0.5}
	for elapsed, want := range map[time.Duration]string{
		199 * time.Millisecond: "",
		400 * time.Millisecond: "⠼ reading  esc cancel",
		3 * time.Second:        "⠋ reading  ━━━━━━━━━━──────────  3 s  esc cancel  3 pages",
	} {
		busy.Elapsed = elapsed
		if got := plain(busy.Render(s, 80)); got != want {
			t.Errorf("after %v: got %q, want %q", elapsed, got, want)
		}
	}
}

func TestTabsSwitchByKeyAndClick(t *testing.T) {
	tabs := Tabs{Titles: []string{"Overview", "Keys", "Raw"}}
	s := NewStyles(true, false)
	if !tabs.Update(press("3")) || tabs.Active != 2 || tabs.Update(press("4")) {
		t.Errorf("the active tab is %d, want 2", tabs.Active)
	}
	if got, want := plain(tabs.Render(s, 40)), " 1 Overview  2 Keys  3 Raw"; got != want {
		t.Errorf("got tabs %q, want %q", got, want)
	}
	if !tabs.Click(14) || tabs.Active != 1 || tabs.Click(39) {
		t.Errorf("the click activated tab %d, want 1", tabs.Active)
	}
	if got, want := plain(tabs.Render(s, 16)), " 1  2 Keys  3"; got != want {
		t.Errorf("got narrow tabs %q, want %q", got, want)
	}
}

func TestFieldsSkipHeadings(t *testing.T) {
	f := NewFields(NewStyles(true, false))
	f.SetSize(40, 6)
	f.SetRows([]FieldRow{
		{Section: "Person", Label: "name", Value: "Thato"},
		{Section: "Person", Label: "documentType", Value: "omang", Note: "national id"},
		{Section: "Times", Label: "createdAt", Value: "2026-11-21", Note: "2 h ago"},
	})
	wantPlain(
		t, f.View(),
		" Person\n▌ name          Thato\n  documentType  omang  national id\n\n Times\n  createdAt     2026-11-21  2 h ago",
	)
	f.Update(press("down"))
	f.Update(press("down"))
	if row, i, ok := f.Selected(); !ok || i != 2 || row.Label != "createdAt" {
		t.Errorf("selected row %d, %q, want 2, createdAt", i, row.Label)
	}
}

func TestPagerScrollsBothWays(t *testing.T) {
	p := NewPager(NewStyles(true, false))
	p.SetSize(12, 3)
	p.SetLines([]string{"one", "a line longer than that", "three", "four", "five"})
	p.Update(press("down"))
	p.Update(press("right"))
	if got, _, _ := strings.Cut(plain(p.View()), "\n"); got != "onger than…" {
		t.Errorf("the first visible text is %q", got)
	}
	p.Update(press("G"))
	if !p.AtEnd() || p.Top() != 2 {
		t.Errorf("G moved to line %d, want 2", p.Top())
	}
}

func TestNoColorStylesHaveNoColors(t *testing.T) {
	s := NewStyles(true, true)
	for surface := range surfaceCount {
		for role := range roleCount {
			if open := s.openSequence(role, surface); strings.Contains(open, "38;") || strings.Contains(open, "48;") {
				t.Errorf("role %d on surface %d has a color: %q", role, surface, open)
			}
		}
	}
	if s.openSequence(RoleText, SurfaceCursor) == "" || s.openSequence(RoleText, SurfaceAlert) == "" {
		t.Error("the cursor or the alert has the style of plain text")
	}
	if s.openSequence(RoleText, SurfacePlain) != "" {
		t.Error("plain text does not have the terminal's colors")
	}
}

func TestLimitedColorsUseColorTable(t *testing.T) {
	for _, profile := range []colorprofile.Profile{colorprofile.ASCII, colorprofile.ANSI, colorprofile.ANSI256} {
		for _, isDark := range []bool{true, false} {
			s := Theme{}.Styles(isDark, profile, false)
			for surface := range SurfaceAlert {
				for role := range roleCount {
					if open := s.openSequence(role, surface); role != RoleAlert && strings.Contains(open, "8;2;") {
						t.Errorf("%v: role %d on surface %d has a computed color: %q", profile, role, surface, open)
					}
				}
			}
			if s.openSequence(RoleText, SurfaceCursor) == s.openSequence(RoleText, SurfacePlain) {
				t.Errorf("%v: the cursor has the style of plain text", profile)
			}
		}
	}
}

// gridProgram shows a grid and toasts.
type gridProgram struct {
	grid   *Grid
	toasts Toasts
	w, h   int
}

func (p *gridProgram) Init() tea.Cmd {
	return tea.Batch(GraphemeWidths, p.toasts.Push(RoleGood, "copied"))
}

func (p *gridProgram) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if size, ok := msg.(tea.WindowSizeMsg); ok {
		p.w, p.h = size.Width, size.Height
		p.grid.SetSize(p.w-2, p.h-2)
	}
	p.toasts.Update(msg)
	p.grid.Update(msg)
	return p, nil
}

func (p *gridProgram) View() tea.View {
	v := tea.NewView(p.toasts.Over(p.grid.styles, Panel{Title: "Items"}.Render(p.grid.styles, p.grid.View(), p.w, p.h)))
	v.AltScreen = true
	return v
}

// A renderer that counts code points disagrees with a terminal that counts grapheme clusters about the width of some
// emoji.
func TestEmojiKeepsFrameWidth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		texts := []string{"👨‍👩‍👧 family", "❤️ heart", "👍🏽", "🇧🇼 flag", "日本語", "हिन्दी क्षि", "plain"}
		d := &gridProgram{grid: NewGrid(NewStyles(true, false), Column{Title: "text"}, Column{Title: "n"})}
		d.grid.SetSource(&rows{n: len(texts), text: func(row, col int) string {
			if col == 1 {
				return "end"
			}
			return texts[row]
		}})
		tt := tuitest.New(t, d, tuitest.Size{W: 30, H: 12})
		tt.WaitFor("✓ copied")
		for range texts {
			tt.Press("down")
		}
		tt.Advance(ToastDuration)
		tt.WaitForRemoval("copied")
		tt.Golden("frame")
		for y := 2; y < 2+len(texts); y++ {
			if c := tt.Cell(29, y); c.Content != "│" {
				t.Errorf("line %d ends with %q: %q", y, c.Content, tt.Line(y))
			}
		}
	})
}

func TestToastsWrapLongMessages(t *testing.T) {
	s := NewStyles(true, true)
	var toasts Toasts
	toasts.Push(RoleBad, "nothing was revealed: support may not reveal personal data; ask a developer or an admin")
	wantPlain(t, toasts.Render(s, 40), "▌✗ nothing was revealed: support may\n▌  not reveal personal data; ask a\n▌  developer or an admin")
	toasts.Clear()
	toasts.Push(RoleInfo, strings.Repeat("word ", 100))
	lines := strings.Split(plain(toasts.Render(s, 40)), "\n")
	if len(lines) != toastLines || !strings.HasSuffix(lines[toastLines-1], "…") {
		t.Errorf("a long message is shown as\n%s", strings.Join(lines, "\n"))
	}
}

func TestRepeatedMessageIsShownOnce(t *testing.T) {
	var list Toasts
	list.Push(RoleInfo, "authbridge is opening")
	list.Push(RoleWarn, "the journal is on a slow disk")
	second := list.next + 1
	list.Push(RoleInfo, "authbridge is opening")
	if len(list.shown) != 2 || list.shown[1].text != "authbridge is opening" {
		t.Errorf("got messages %+v, want 2", list.shown)
	}
	if list.Update(toastExpiredMsg{1}); len(list.shown) != 2 {
		t.Error("the expiry of the first message removed the second")
	}
	if list.Update(toastExpiredMsg{second}); len(list.shown) != 1 {
		t.Errorf("got messages %+v after the expiry, want 1", list.shown)
	}
}

func TestShorten(t *testing.T) {
	const id = "ver_79325239-e8c9-49b7-9f74-2269bbf424fd"
	tests := []struct {
		name, in string
		w        int
		want     string
	}{
		{"fits", id, 40, id},
		{"an ID", id, 20, "ver_79325239-e8…24fd"},
		{"a key", "CASE#" + id + " / META", 24, "CASE#ver_793…24fd / META"},
		{"a key with two IDs", "CASE#" + id + " / DOC#doc_1", 24, "CASE#ve…24fd / DOC#doc_1"},
		{"little space for the ID", "CASE#" + id + " / DOC#doc_1", 19, "CASE#ver_79325…oc_1"},
		{"little space for a key with one ID", "Case CASE#" + id + " / META", 20, "CASE#ver_793252…24fd"},
		{"too narrow to shorten", id, 8, id},
		{"spaces", "                    ", 10, "      …   "},
		{"wide characters", "日本語日本語日本語", 12, "日本語日本語日本語"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Shorten(tt.in, tt.w); got != tt.want {
				t.Errorf("Shorten(%q, %d) = %q, want %q", tt.in, tt.w, got, tt.want)
			}
		})
	}
}

func TestTabsShortenLongestTitle(t *testing.T) {
	s := NewStyles(true, true)
	tabs := Tabs{Titles: []string{"Overview", "Keys", "Entries 12", "A title that goes on and on"}}
	for w, want := range map[int]string{
		62: " 1 Overview 2 Keys 3 Entries 12 4 A title that goes on and on",
		70: " 1 Overview  2 Keys  3 Entries 12  4 A title that goes on and on",
		50: " 1 Overview  2 Keys  3 Entries 12  4 A title tha…",
		40: " 1 Overview  2 Keys  3 Entri…  4 A tit…",
		20: " 1 Overview  2  3  4",
	} {
		got := ansi.Strip(tabs.Render(s, w))
		if ansi.StringWidth(got) != w {
			t.Errorf("at %d cells, the tabs are %d wide", w, ansi.StringWidth(got))
		}
		if diff := cmp.Diff(want, strings.TrimRight(got, " ")); diff != "" {
			t.Errorf("at %d cells (-want +got):\n%s", w, diff)
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
	for _, part := range []string{"1 Card requests w… 9 ", "  2 Expired appr… 1  ", "3 Dead letters 12  4 Failed credi… 3"} {
		if !strings.Contains(row, part) {
			t.Errorf("row %q lacks %q", row, part)
		}
	}
}
