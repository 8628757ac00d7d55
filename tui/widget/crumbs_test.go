package widget

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestCrumbAt(t *testing.T) {
	bar := TopBar{
		App: "ddbdesk", Crumbs: []string{"authbridge", "Verifications", "Verification ver_1"},
		Who: "kagiso", Role: "admin", Region: "af-south-1",
	}
	for _, w := range []int{60, 80, 120, 200} {
		line := ansi.Strip(bar.Render(NewStyles(true, true), w))
		for i, crumb := range bar.Crumbs {
			before, _, ok := strings.Cut(line, crumb)
			if !ok {
				continue
			}
			x := ansi.StringWidth(before)
			for _, x := range []int{x, x + len(crumb) - 1} {
				if got, ok := bar.CrumbAt(x, w); !ok || got != i {
					t.Errorf("%d cells: %q at %d is crumb %d, %v, want %d\n%s", w, crumb, x, got, ok, i, line)
				}
			}
		}
		if got, ok := bar.CrumbAt(2, w); !ok || got != -1 {
			t.Errorf("%d cells: the program name is crumb %d, %v, want -1", w, got, ok)
		}
		if got, ok := bar.CrumbAt(strings.Index(line, "kagiso"), w); ok && strings.Contains(line, "kagiso") && w > 80 {
			t.Errorf("%d cells: the user name is crumb %d, want none", w, got)
		}
	}
	if _, ok := bar.CrumbAt(5, 0); ok {
		t.Error("a bar of width zero has a crumb")
	}
}

func TestLongPathCostsNoMoreThanItsVisiblePart(t *testing.T) {
	short := TopBar{App: "ddbdesk", Who: "kagiso", Role: "admin"}
	long := short
	for range 6 {
		short.Crumbs = append(short.Crumbs, "Verification case ver_00000001-77aa")
	}
	for range 500 {
		long.Crumbs = append(long.Crumbs, "Verification case ver_00000001-77aa")
	}
	st := NewStyles(true, true)
	for _, w := range []int{1, 20, 60, 80, 120, 200} {
		if got, want := long.Render(st, w), short.Render(st, w); got != want {
			t.Errorf("%d cells: got %q, want %q", w, got, want)
		}
	}
	cost := func(b TopBar) float64 { return testing.AllocsPerRun(5, func() { b.Render(st, 120) }) }
	if few, many := cost(short), cost(long); many > 6*few {
		t.Errorf("%v allocations for 500 screens, but %v for 6", many, few)
	}
}

// At 80 cells, the top line always shows the ticket. At any width, it shows an emergency, and
// that personal data is revealed.
func TestTopLineShowsPurpose(t *testing.T) {
	bar := TopBar{
		App: "ddbdesk", Crumbs: []string{"authbridge", "Verifications", "Verification ver_1"}, Who: "kagiso@zentriq.example", Role: "admin",
		Context: "prod-af", Region: "af-south-1", Production: true, ReadOnly: true, Purpose: "OPS-712: customer calls about a case",
	}
	for _, w := range []int{80, 120, 200} {
		if line := ansi.Strip(bar.Render(NewStyles(true, true), w)); !strings.Contains(line, "OPS-712") || !strings.Contains(line, "PRODUCTION") {
			t.Errorf("%d cells: the purpose or PRODUCTION is missing: %q", w, line)
		}
	}
	bar.BreakGlass, bar.Revealed = true, true
	for _, w := range []int{60, 80, 120} {
		line := ansi.Strip(bar.Render(NewStyles(true, true), w))
		if !strings.Contains(line, "BREAK GLASS") || !strings.Contains(line, "REVEALED") {
			t.Errorf("%d cells: BREAK GLASS or REVEALED is missing: %q", w, line)
		}
	}
}
