package widget

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

// anyKeys contains keys that widgets handle.
var anyKeys = []string{
	"down", "up", "left", "right", "space", "end", "home", "pgdown", "pgup", "ctrl+d", "tab", "shift+tab", "enter", "esc",
	"/", "a", "日", "3", "backspace",
}

// sizedWidget is the interface that widgets with a state have in common.
type sizedWidget interface {
	SetSize(w, h int)
	View() string
}

// drive gives a widget random input and draws it at several sizes.
func drive(t *rapid.T, widget sizedWidget, update func(tea.Msg), click func(x, y int)) {
	for range rapid.IntRange(1, 4).Draw(t, "sizes") {
		w, h := size(100).Draw(t, "w"), size(24).Draw(t, "h")
		widget.SetSize(w, h)
		tuitest.RendersExactly(t, widget.View(), w, h)
		for range rapid.IntRange(0, 6).Draw(t, "inputs") {
			switch rapid.IntRange(0, 6).Draw(t, "kind") {
			case 0:
				click(rapid.IntRange(-1, 100).Draw(t, "x"), rapid.IntRange(-1, 24).Draw(t, "y"))
			case 1:
				update(tea.PasteMsg{Content: hostile().Draw(t, "paste")})
			case 2:
				if c, ok := widget.(Clickable); ok {
					c.Wheel(rapid.Bool().Draw(t, "up"))
				}
			default:
				update(press(rapid.SampledFrom(anyKeys).Draw(t, "key")))
			}
			tuitest.RendersExactly(t, widget.View(), w, h)
		}
	}
}

func TestListInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := NewList(testStyles(t))
		if rapid.Bool().Draw(t, "bare") {
			l.HideFilter()
		}
		var items []ListItem
		for i := range rapid.IntRange(0, 20).Draw(t, "items") {
			items = append(items, ListItem{
				ID: fmt.Sprint(i), Section: rapid.SampledFrom([]string{"", "Verification", "日本\x1b[2J"}).Draw(t, "section"),
				Lead: hostile().Draw(t, "lead"), Title: hostile().Draw(t, "title"), Badge: hostile().Draw(t, "badge"), BadgeRole: RoleWarn,
			})
		}
		l.SetItems(items)
		drive(t, l, func(msg tea.Msg) { l.Update(msg) }, func(x, y int) { l.Click(x, y) })
		if c := l.Cursor(); c != nil && (c.X < 0 || c.X >= l.w || c.Y != 0) {
			t.Fatalf("the cursor is at %d,%d in %d cells", c.X, c.Y, l.w)
		}
	})
}

func TestFormInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var fields []FormField
		for i := range rapid.IntRange(0, 6).Draw(t, "fields") {
			field := FormField{
				Name: fmt.Sprint(i), Label: hostile().Draw(t, "label"), Kind: FieldKind(rapid.IntRange(0, 4).Draw(t, "kind")),
				Default: hostile().Draw(t, "default"), Placeholder: hostile().Draw(t, "placeholder"), Help: hostile().Draw(t, "help"),
				Required: rapid.Bool().Draw(t, "required"), Width: rapid.IntRange(-1, 60).Draw(t, "width"),
			}
			for range rapid.IntRange(0, 12).Draw(t, "options") {
				field.Options = append(field.Options, Option{Value: hostile().Draw(t, "value"), Note: hostile().Draw(t, "note")})
			}
			fields = append(fields, field)
		}
		f := NewForm(testStyles(t), fields...)
		drive(t, f, func(msg tea.Msg) { f.Update(msg) }, func(x, y int) { f.Click(x, y) })
		if c := f.Cursor(); c != nil && (c.X < 0 || c.X >= f.w || c.Y < 0 || c.Y >= f.h) {
			t.Fatalf("the cursor is at %d,%d outside %dx%d", c.X, c.Y, f.w, f.h)
		}
		if box, x, y, open := f.Popup(); open {
			under := Place("", f.w, f.h)
			tuitest.RendersExactly(t, Overlay(under, box, x, y), f.w, f.h)
		}
	})
}

func TestFieldsInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := testStyles(t)
		text := hostile().Draw(t, "text")
		fields := NewFields(s)
		var rows []FieldRow
		for range rapid.IntRange(0, 20).Draw(t, "rows") {
			rows = append(rows, FieldRow{
				Section: rapid.SampledFrom([]string{"", "a", text}).Draw(t, "section"),
				Label:   hostile().Draw(t, "label"), Value: hostile().Draw(t, "value"), Note: hostile().Draw(t, "note"),
			})
		}
		fields.SetRows(rows)
		drive(t, fields, func(msg tea.Msg) { fields.Update(msg) }, func(x, y int) { fields.Click(x, y) })
	})
}

func TestPagerInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := testStyles(t)
		p := NewPager(s)
		var lines []string
		for range rapid.IntRange(0, 40).Draw(t, "lines") {
			lines = append(lines, s.Paint(Role(rapid.IntRange(0, int(roleCount)-1).Draw(t, "role")), hostile().Draw(t, "line")))
		}
		p.SetLines(lines)
		drive(t, p, func(msg tea.Msg) { p.Update(msg) }, func(int, int) {})
	})
}

func TestFrameInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := testStyles(t)
		text := func(name string) string { return hostile().Draw(t, name) }
		w, h := size(120).Draw(t, "w"), size(30).Draw(t, "h")
		content := s.Paint(RoleBad, text("content")) + "\n" + s.Paint(RoleGood, text("more"))
		panel := Panel{Title: text("title"), Note: text("note"), Focused: rapid.Bool().Draw(t, "focused")}
		view := panel.Render(s, content, w, h)
		tuitest.RendersExactly(t, view, w, h)

		d := Dialog{Title: text("title"), Note: text("note"), Body: content, Buttons: []Button{
			{Name: "no", Label: "Cancel"}, {Name: "yes", Label: text("button"), Danger: true},
		}}
		dw, dh := d.Size(w, h)
		tuitest.RendersExactly(t, d.Render(s, dw, dh), dw, dh)
		if w > 0 && h > 0 && dw > 0 && dh > 0 {
			box := d.Render(s, dw, dh)
			bw, bh := blockSize(box)
			tuitest.RendersExactly(t, Overlay(Dim(s, view), box, max((w-bw)/2, 0), max((h-bh)/2, 0)), w, h)
		}
		var toasts Toasts
		toasts.Push(RoleBad, text("toast"))
		toasts.Push(RoleGood, text("toast"))
		if w > 0 && h > 0 {
			x, y := rapid.IntRange(-5, 120).Draw(t, "x"), rapid.IntRange(-3, 30).Draw(t, "y")
			tuitest.RendersExactly(t, Overlay(view, s.Paint(RoleWarn, text("over")), x, y), w, h)
			tuitest.RendersExactly(t, toasts.Over(s, view), w, h)
		}
	})
}

func TestBarInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := testStyles(t)
		text := func(name string) string { return hostile().Draw(t, name) }
		w := size(160).Draw(t, "w")
		top := TopBar{
			App: "ddbdesk", Crumbs: []string{text("crumb"), text("crumb")}, Context: text("context"), Region: text("region"),
			Endpoint: text("endpoint"), Who: text("who"), Role: text("role"), ReadOnly: rapid.Bool().Draw(t, "read-only"),
			Production: rapid.Bool().Draw(t, "production"),
		}
		tuitest.RendersExactly(t, top.Render(s, w), w, min(1, max(w, 0)))
		status := StatusBar{Facts: []string{text("fact"), text("fact"), text("fact")}, Hints: testActions()}
		tuitest.RendersExactly(t, status.Render(s, w), w, min(1, max(w, 0)))
		tabs := Tabs{Titles: []string{text("tab"), text("tab"), "Raw"}, Active: rapid.IntRange(-1, 4).Draw(t, "active")}
		tuitest.RendersExactly(t, tabs.Render(s, w), w, min(1, max(w, 0)))
		busy := BusyIndicator{
			What: text("what"), Detail: text("detail"), Cancel: "esc cancel", Fraction: rapid.Float64Range(-1, 2).Draw(t, "fraction"),
			Elapsed: time.Duration(rapid.IntRange(0, 9000).Draw(t, "ms")) * time.Millisecond,
		}
		tuitest.RendersExactly(t, busy.Render(s, w), w, min(1, max(w, 0)))
		tuitest.RendersExactly(t, ProgressBar(s, busy.Fraction, w, busy.Elapsed), w, min(1, max(w, 0)))
		tuitest.RendersExactly(t, Rule(s, text("title"), text("note"), w), w, min(1, max(w, 0)))
		if hints := testActions().Hints(s, SurfaceBar, w); strings.Contains(hints, "\n") {
			t.Fatalf("the hints have two lines: %q", hints)
		}
	})
}
