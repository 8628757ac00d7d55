package tui

import (
	"testing"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func TestPaletteChangesTheme(t *testing.T) {
	runFlow(t, "authbridge", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		theme, _ := widget.ThemeNamed("color-blind")
		theme = theme.WithColors(map[string]string{"accent": "#112233"}, nil, nil)
		tt := tuitest.New(t, New(Options{Opener: d, Start: "authbridge", Theme: theme}), size, tuitest.WithColor())
		tt.Send(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
		tt.WaitFor("Patterns")
		accent := func() any {
			x, y, _ := tt.Find("╭")
			return tt.Cell(x, y).Style.Fg
		}
		before := accent()
		tt.Press(":")
		tt.Type("theme high")
		tt.Reach("theme high-contrast until you quit", "enter")
		if accent() == before {
			t.Error("the frame has its previous color")
		}
		tt.Press(":")
		tt.Enter("theme color-blind")
		tt.WaitFor("theme color-blind")
		if accent() != before {
			t.Error("the default theme lacks the configured colors")
		}
	})
}

// The palette previews the theme under its cursor. If the user closes it without a choice, the previous theme returns.
func TestPalettePreviewsThemes(t *testing.T) {
	runFlow(t, "authbridge", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		tt := tuitest.New(t, New(Options{Opener: d, Start: "authbridge"}), size, tuitest.WithColor())
		tt.Send(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
		tt.WaitFor("Patterns")
		accent := func() any {
			x, y, _ := tt.Find("╭")
			return tt.Cell(x, y).Style.Fg
		}
		before := accent()
		tt.Press(":")
		tt.Type("theme gruv")
		tt.WaitFor("warm and retro")
		if accent() == before {
			t.Error("the selected theme has no preview")
		}
		tt.Press("esc")
		if accent() != before {
			t.Error("esc kept the previewed theme")
		}
		tt.Press(":")
		tt.Enter("theme gruv")
		tt.WaitFor("theme gruvbox until you quit")
		if accent() == before {
			t.Error("enter did not apply the theme")
		}
	})
}

func TestNoColorOverridesChosenTheme(t *testing.T) {
	runFlow(t, "authbridge", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		tt := tuitest.New(t, New(Options{Opener: d, NoColor: true}), size, tuitest.WithColor())
		tt.WaitFor("AuthBridge identity")
		tt.Press(":")
		tt.Enter("theme high")
		tt.WaitFor("colors are off")
		for y := range size.H {
			for x := range size.W {
				if c := tt.Cell(x, y); c.Style.Fg != nil || c.Style.Bg != nil {
					t.Fatalf("cell %d,%d has a color: %v", x, y, c.Style)
				}
			}
		}
	})
}

// A terminal without UTF-8 receives only ASCII on every screen.
func TestASCII(t *testing.T) {
	runFlow(t, "authbridge", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		tt := tuitest.New(t, New(Options{Opener: d, Signs: widget.SignsASCII}), size)
		tt.WaitFor("AuthBridge identity")
		look := func(name string) {
			t.Helper()
			for y := range size.H {
				for _, r := range tt.Line(y) {
					if r > unicode.MaxASCII {
						t.Fatalf("%s: line %d contains %q: %s", name, y, r, tt.Line(y))
					}
				}
			}
		}
		look("home")
		if !tt.Has("+ Find ---") {
			t.Errorf("the frame is not drawn in ASCII:\n%s", tt.Screen())
		}
		tt.Reach("Patterns", "enter")
		selectPattern(tt, "Verifications by date")
		tt.Reach("1 page", "enter")
		look("rows")
		tt.Reach("read at", "enter")
		look("item")
		tt.Press("3")
		look("lifecycle")
		tt.Press("?")
		look("help")
	})
}
