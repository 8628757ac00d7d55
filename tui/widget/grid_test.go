package widget

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

// rows is a source of texts that counts the calls of Cell.
type rows struct {
	n, calls int
	text     func(row, col int) string
}

func (r *rows) Len() int { return r.n }

func (r *rows) Cell(row, col int) Cell {
	r.calls++
	return Cell{Text: r.text(row, col), Role: Role(row % int(roleCount))}
}

func numbered(n int) *rows {
	return &rows{n: n, text: func(row, col int) string { return fmt.Sprintf("r%dc%d", row, col) }}
}

func TestGridShowsCursorAndColumns(t *testing.T) {
	g := NewGrid(NewStyles(true, false), Column{Title: "id", Frozen: true}, Column{Title: "status"}, Column{Title: "n", Align: AlignRight})
	g.SetSize(30, 5)
	g.SetSource(&rows{n: 10, text: func(row, col int) string {
		return [][]string{{"v1", "◐ open", "1"}, {"日本", "✓ done", "22"}, {"👍🏽", "x", "333"}}[row%3][col]
	}})
	g.Update(press("down"))
	wantPlain(t, g.View(), strings.Join([]string{
		"  id    status    n",
		"  v1    ◐ open    1          ▐",
		"▌ 日本  ✓ done   22",
		"  👍🏽    x       333",
		"  v1    ◐ open    1",
	}, "\n"))
}

// groupedRows is a source with a title above each pair of rows, unless the rows are sorted.
type groupedRows struct {
	*rows
	sorted bool
}

func (r *groupedRows) Groups() func(row int) string {
	if r.sorted {
		return nil
	}
	return func(row int) string { return map[int]string{0: "", 1: fmt.Sprintf("from %d", row)}[1-row%2] }
}

func TestGridShowsTitlesOfGroups(t *testing.T) {
	src := &groupedRows{rows: numbered(4)}
	g := NewGrid(NewStyles(true, false), Column{Title: "id"})
	g.SetSize(14, 7)
	g.SetSource(src)
	wantPlain(t, g.View(), "  id\n from 0\n▌ r0c0\n  r1c0\n from 2\n  r2c0\n  r3c0")
	g.Update(press("down"))
	g.Update(press("down"))
	if g.Cursor() != 2 || g.Position() != "3/4" || g.Titles() != 2 {
		t.Errorf("got row %d, position %s and %d titles", g.Cursor(), g.Position(), g.Titles())
	}
	if _, ok := g.Click(3, 4); ok {
		t.Error("a click selected a title")
	}
	src.sorted = true
	wantPlain(t, g.View(), "  id\n  r0c0\n  r1c0\n▌ r2c0\n  r3c0\n\n")
	src.sorted = false
	if g.SetCursor(3); g.Cursor() != 3 {
		t.Errorf("got row %d, want 3", g.Cursor())
	}
}

func TestGridHidesColumnsWithoutContent(t *testing.T) {
	texts := []string{"v1", "", "3"}
	src := &rows{n: 1, text: func(_, col int) string { return texts[col] }}
	g := NewGrid(NewStyles(true, false), Column{Title: "id"}, Column{Title: "note", Hides: true}, Column{Title: "n", Hides: true})
	g.SetSize(16, 2)
	g.SetSource(src)
	wantPlain(t, g.View(), "  id  n\n▌ v1  3")
	texts[1], texts[2] = "new", ""
	g.SetSource(src)
	wantPlain(t, g.View(), "  id  note\n▌ v1  new")
	if g.Cuts() {
		t.Error("a hidden column counts as cut off")
	}
}

// A note disappears before the text is shortened.
func TestGridOmitsNoteOfNarrowCell(t *testing.T) {
	g := NewGrid(NewStyles(true, false), Column{Title: "at", Middle: true})
	for w, want := range map[int]string{
		34: "▌ 2026-11-01T02:40:38Z  29 d ago", 31: "▌ 2026-11-01T02:40:38Z", 20: "▌ 2026-11-01T0…:38Z",
	} {
		g.SetSize(w, 2)
		g.SetSource(notedRow{})
		wantPlain(t, g.View(), "  at\n"+want)
	}
}

type notedRow struct{}

func (notedRow) Len() int { return 1 }

func (notedRow) Cell(int, int) Cell { return Cell{Text: "2026-11-01T02:40:38Z", Note: "29 d ago"} }

func TestGridReadsOnlyVisibleRows(t *testing.T) {
	src := numbered(1_000_000)
	g := NewGrid(NewStyles(true, false), Column{Title: "a"}, Column{Title: "b"})
	g.SetSize(80, 21)
	g.SetSource(src)
	g.View()
	src.calls = 0
	g.Update(press("G"))
	g.View()
	if src.calls != 40 {
		t.Errorf("a frame reads %d cells, want 40", src.calls)
	}
	if g.Cursor() != 999_999 || !g.AtEnd() {
		t.Errorf("the cursor is at %d, at the end: %v", g.Cursor(), g.AtEnd())
	}
}

func TestGridKeepsWidthsWhileRowsArrive(t *testing.T) {
	src := &rows{n: 0, text: func(row, _ int) string { return strings.Repeat("x", 4+row) }}
	g := NewGrid(NewStyles(true, false), Column{Title: "id"}, Column{Title: "name"})
	g.SetSize(80, 10)
	g.SetSource(src)
	g.View()
	src.n = 3
	before, _, _ := strings.Cut(plain(g.View()), "\n")
	src.n = 200
	if after, _, _ := strings.Cut(plain(g.View()), "\n"); after != before {
		t.Errorf("the header moved from %q to %q", before, after)
	}
	g.SetSize(60, 10)
	if after, _, _ := strings.Cut(plain(g.View()), "\n"); after == before {
		t.Error("a resize does not measure the columns again")
	}
}

func TestGridScrollsUnfrozenColumns(t *testing.T) {
	cols := []Column{{Title: "key", Min: 8, Frozen: true}}
	for i := 1; i < 8; i++ {
		cols = append(cols, Column{Title: fmt.Sprintf("column%d", i), Min: 10})
	}
	g := NewGrid(NewStyles(true, false), cols...)
	g.SetSize(40, 3)
	g.SetSource(numbered(2))
	header := func() string { return strings.Split(plain(g.View()), "\n")[0] }
	if got, want := header(), "  key       column1     column2        ›"; got != want {
		t.Errorf("got header %q, want %q", got, want)
	}
	g.Update(press("right"))
	if got, want := header(), "‹ key     │ column2     column3        ›"; got != want {
		t.Errorf("got header %q, want %q", got, want)
	}
	for range 20 {
		g.Update(press("l"))
	}
	if got, want := header(), "‹ key     │ column6     column7"; got != want {
		t.Errorf("got header %q, want %q", got, want)
	}
}

func TestGridMarksAndMouse(t *testing.T) {
	g := NewGrid(NewStyles(true, false), Column{Title: "a"})
	g.SetSize(20, 6)
	m := &markers{rows: *numbered(50), marked: map[int]bool{}}
	g.SetSource(m)
	if g.Update(press("space")) {
		t.Error("space was used although the rows have no marks")
	}
	g.SetMarkable(true)
	g.Update(press("space"))
	g.Update(press("space"))
	if got := m.MarkCount(); got != 2 || !m.Marked(0) || !m.Marked(1) || g.Position() != "2 marked · 3/50" {
		t.Errorf("got %d marks at position %q", got, g.Position())
	}
	if col, ok := g.ColumnAt(2); !ok || col != 0 {
		t.Errorf("ColumnAt(2) = %d, %v, want 0", col, ok)
	}
	if _, ok := g.ColumnAt(15); ok {
		t.Error("ColumnAt(15) found a column outside of the grid")
	}
	if second, ok := g.Click(5, 4); !ok || second || g.Cursor() != 3 {
		t.Errorf("the click moved the cursor to %d, ok: %v, again: %v", g.Cursor(), ok, second)
	}
	if _, ok := g.Click(5, 0); ok {
		t.Error("a click on the header selected a row")
	}
	g.Wheel(false)
	g.Wheel(false)
	if g.Cursor() != 6 {
		t.Errorf("the wheel moved the cursor to %d, want 6", g.Cursor())
	}
	g.Update(press("pgdown"))
	g.Update(press("end"))
	g.Update(press("home"))
	if g.Cursor() != 0 {
		t.Errorf("home moved the cursor to %d, want 0", g.Cursor())
	}
}

// A column is never cut, except the first, and only if this makes two more columns visible.
func TestGridDistributesWidth(t *testing.T) {
	id, state, at, long := strings.Repeat("i", 40), "◐ documents_uploading", "26 Oct · 26 d ago", strings.Repeat("l", 30)
	src := &rows{n: 5, text: func(_, col int) string { return []string{id, state, at, long, long}[col] }}
	for _, c := range []struct {
		w    int
		want []int // widths of the columns that are visible
	}{
		{60, []int{34, 21}},
		{77, []int{32, 21, 17}},
		{90, []int{40, 21, 17}},
		{107, []int{40, 21, 17, 20}},
		{131, []int{40, 21, 17, 21, 21}},
		{145, []int{40, 21, 17, 28, 28}},
	} {
		g := NewGrid(NewStyles(true, false), Column{Title: "id", Min: 20}, Column{Title: "state", Whole: true},
			Column{Title: "at", Whole: true}, Column{Title: "a"}, Column{Title: "b"})
		g.SetSize(c.w, 5)
		g.SetSource(src)
		var got []int
		for _, sp := range g.spans() {
			if sp.w == g.ColumnWidth(sp.col) {
				got = append(got, sp.w)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("the column widths in %d cells are %v, want %v", c.w, got, c.want)
		}
	}
}

// The minimum of a weighted column does not cut another column while the weighted one is partly blank.
func TestShortWeightedColumnLeavesRoom(t *testing.T) {
	src := &rows{n: 5, text: func(_, col int) string { return strings.Repeat("x", []int{10, 20}[col]) }}
	g := NewGrid(NewStyles(true, false), Column{Title: "id", Min: 20, Weight: 1}, Column{Title: "at", Weight: 1})
	g.SetSize(36, 5)
	g.SetSource(src)
	g.View()
	if id, at := g.ColumnWidth(0), g.ColumnWidth(1); id < 10 || at < 20 {
		t.Errorf("the widths are %d and %d, want at least 10 and 20", id, at)
	}
}

func TestGridShowsOrderAndFixedWidths(t *testing.T) {
	g := NewGrid(NewStyles(true, false), Column{Title: "a long title", Width: 8, Sorted: Descending},
		Column{Title: "n", Sorted: Ascending, Align: AlignRight}, Column{Title: "b"})
	g.SetSize(40, 3)
	g.SetSource(&rows{n: 1, text: func(_, col int) string { return []string{"a long text", "12345", "x"}[col] }})
	wantPlain(t, g.View(), strings.Join([]string{
		"  a lon… ↓    n ↑  b",
		"▌ a long …  12345  x",
		"",
	}, "\n"))
}

// markers numbers its rows in reverse.
type markers struct {
	rows
	marked map[int]bool
}

func (m *markers) Marked(row int) bool        { return m.marked[m.n-row] }
func (m *markers) SetMarked(row int, on bool) { m.marked[m.n-row] = on }
func (m *markers) MarkCount() int             { return len(m.marked) }

func TestGridUsesMarksOfSource(t *testing.T) {
	m := &markers{rows: *numbered(3), marked: map[int]bool{}}
	g := NewGrid(NewStyles(true, false), Column{Title: "a"})
	g.SetSize(20, 5)
	g.SetSource(m)
	g.SetMarkable(true)
	g.Update(press("space"))
	g.ToggleMark(7)
	if !m.marked[3] || len(m.marked) != 1 || g.Position() != "1 marked · 2/3" {
		t.Errorf("got marks %v at position %q", m.marked, g.Position())
	}
	if line := strings.Split(plain(g.View()), "\n")[1]; !strings.HasPrefix(line, " ●r0c0") {
		t.Errorf("the row lacks its mark: %q", line)
	}
}

func TestGridShowsEmptyText(t *testing.T) {
	g := NewGrid(NewStyles(true, false), Column{Title: "a"})
	g.SetEmpty("no item matches", "press e to change the parameters")
	g.SetSize(40, 6)
	wantPlain(t, g.View(), "  a\n\n            no item matches\n    press e to change the parameters\n\n")
	if g.Cursor() != -1 || g.Position() != "" {
		t.Errorf("got cursor %d and position %q, want none", g.Cursor(), g.Position())
	}
}

func TestGridInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(hostile(), 1, 12).Draw(t, "texts")
		src := &markers{marked: map[int]bool{}, rows: rows{
			n: rapid.IntRange(0, 40).Draw(t, "rows"), text: func(row, col int) string { return texts[(row*7+col)%len(texts)] },
		}}
		var cols []Column
		for i := range rapid.IntRange(0, 6).Draw(t, "columns") {
			cols = append(cols, Column{
				Title: texts[i%len(texts)], Min: rapid.IntRange(-1, 9).Draw(t, "min"), Max: rapid.IntRange(-1, 50).Draw(t, "max"),
				Weight: rapid.IntRange(-1, 2).Draw(t, "weight"), Frozen: rapid.Bool().Draw(t, "frozen"), Align: Align(i % 3),
			})
		}
		g := NewGrid(testStyles(t), cols...)
		g.SetEmpty(texts[0], texts[len(texts)-1])
		g.SetMarkable(true)
		g.SetSource(src)
		keys := []string{"down", "up", "left", "right", "space", "end", "home", "pgdown", "pgup", "ctrl+d", "ctrl+u"}
		for range rapid.IntRange(1, 4).Draw(t, "sizes") {
			w, h := size(90).Draw(t, "w"), size(20).Draw(t, "h")
			g.SetSize(w, h)
			tuitest.RendersExactly(t, g.View(), w, h)
			for range rapid.IntRange(0, 5).Draw(t, "keys") {
				g.Update(press(rapid.SampledFrom(keys).Draw(t, "key")))
			}
			src.n = rapid.IntRange(0, 40).Draw(t, "rows later")
			tuitest.RendersExactly(t, g.View(), w, h)
		}
	})
}

func benchGrid(n int) *Grid {
	g := NewGrid(NewStyles(true, false), slices.Repeat([]Column{{Title: "a column"}}, 8)...)
	g.SetSource(&rows{n: n, text: func(int, int) string { return "ver_8f2c91aa◐ open" }})
	g.SetSize(160, 50)
	return g
}

func BenchmarkGridView(b *testing.B) {
	for _, n := range []int{100, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			g := benchGrid(n)
			b.ReportAllocs()
			for b.Loop() {
				_ = g.View()
			}
		})
	}
}

func BenchmarkGridUpdate(b *testing.B) {
	for _, n := range []int{100, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			g := benchGrid(n)
			key := press("down")
			b.ReportAllocs()
			for b.Loop() {
				g.Update(key)
			}
		})
	}
}
