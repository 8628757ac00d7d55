package widget

import (
	"fmt"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

// workbench draws widgets as a screen does.
func workbench(s *Styles, w, h int, production, popup bool) string {
	left := min(36, w*35/100)
	top := TopBar{
		App: "ddbdesk", Crumbs: []string{"authbridge", "Verifications by client + status"}, Context: "prod-af",
		Region: "af-south-1", Who: "kagiso", Role: "support", ReadOnly: true, Production: production,
	}
	status := StatusBar{Facts: []string{"50 of 50+ items", "1 page", "6.5 RCU", "12 ms"}, Hints: testActions()}
	l := testList()
	l.SetStyles(s)
	l.SetFocused(false)
	l.SetSize(PanelInner(left, h-2))

	iw, ih := PanelInner(w-left, h-2)
	f := NewForm(s,
		FormField{Name: "clientId", Required: true},
		FormField{
			Name: "status", Kind: FieldEnum, Default: "pending",
			Options: []Option{{Value: "pending", Note: "waits"}, {Value: "approved"}},
		},
		FormField{Name: "since", Kind: FieldDate, Default: "now-7d", Help: "today, -7d, ISO or epoch"},
	)
	f.SetValues(map[string]string{"clientId": "client_xyz789"})
	f.SetFocused(popup)
	f.SetSize(iw, f.Height(iw))
	g := NewGrid(s,
		Column{Title: "verificationId", Frozen: true}, Column{Title: "status"}, Column{Title: "created ↓", Align: AlignRight},
		Column{Title: "document"}, Column{Title: "email", Weight: 1})
	g.SetSource(&rows{n: 500, text: func(row, col int) string {
		return [...]string{
			fmt.Sprintf("ver_%04d", row), Badge(Kind(row%4), [...]string{"pending", "approved", "rejected", "expired"}[row%4]).Text,
			fmt.Sprintf("%d h ago", row+1), [...]string{"passport", "omang", "driving licence"}[row%3], "j•••@•••.com",
		}[col]
	}})
	g.SetFocused(!popup)
	g.SetSize(iw, ih-f.Height(iw)-2)
	busy := BusyIndicator{What: "reading", Detail: "12 pages · 480 items", Cancel: "esc cancel", Elapsed: 3 * time.Second, Fraction: 0.4}
	body := Columns(
		Panel{Title: "Patterns", Note: "4"}.Render(s, l.View(), left, h-2),
		Panel{Title: "Verifications", Note: "QUERY GSI1", Focused: true}.Render(s,
			Rows(f.View(), Rule(s, "", g.Position(), iw), g.View(), busy.Render(s, iw)), w-left, h-2))
	if popup {
		f.FocusField("status")
		f.Update(press("space"))
		body = f.OverPopup(body, left+1, 1)
	}
	return Rows(top.Render(s, w), body, status.Render(s, w))
}

func TestWorkbenchFillsScreen(t *testing.T) {
	for _, size := range []tuitest.Size{{W: 80, H: 24}, {W: 120, H: 40}} {
		for name, popup := range map[string]bool{"grid": false, "popup": true} {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size.W, size.H), func(t *testing.T) {
				for _, s := range []*Styles{NewStyles(true, false), NewStyles(false, false), NewStyles(true, true)} {
					view := workbench(s, size.W, size.H, popup, popup)
					tuitest.RendersExactly(t, view, size.W, size.H)
					if size.W == 80 {
						tuitest.Golden(t, "screen", plain(view)+"\n")
					}
				}
			})
		}
	}
}

func TestWrapKeepsWordsAndWidth(t *testing.T) {
	s := NewStyles(true, false)
	got := Wrap(s, RoleText, "the key does\x1b not match\nat 日本語日本語", 9)
	want := []string{"the key", "does␛ not", "match", "at", "日本語日", "本語"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("Wrap = %q, want %q", got, want)
	}
}

func BenchmarkScreen(b *testing.B) {
	s := NewStyles(true, false)
	b.ReportAllocs()
	for b.Loop() {
		_ = workbench(s, 160, 50, true, true)
	}
}
