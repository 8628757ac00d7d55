package screens

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/find"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/screens/home"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// everyScreen lists the screens of a profile.
func everyScreen(t testing.TB) []screen.Screen {
	p := schemas.Open(t, "authbridge")
	env := screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Admin)
	return []screen.Screen{
		home.New(t.Context(), env.Styles, nil, "", nil, find.Options{}), Open(env, screen.Patterns{}), Open(
			env, screen.Item{Table: p.Entity("Verification").Table, Item: screentest.Verification(t, p)},
		), Open(env, screen.Queue{}),
		Open(env, screen.Drift{}), Open(env, screen.Journal{}), Open(
			env, screen.Decode{Text: ""},
		), Open(env, screen.Map{}), Open(env, screen.Findings{}), Open(env, screen.Bookmarks{}), Open(env, screen.CommandLog{}), Open(env, screen.Tail{}), Open(env, screen.Audit{}),
		Open(env, screen.Requests{}),
		Open(env, screen.Environments{}), Open(env, screen.Draft{}),
	}
}

func TestEveryScreenIntroducesItself(t *testing.T) {
	for _, s := range everyScreen(t) {
		g, ok := s.(screen.Guided)
		if !ok {
			t.Errorf("%s does not introduce itself", s.Title())
			continue
		}
		guide := g.Guide()
		if len(guide.Purpose) < 40 || len(guide.First) < 20 || !strings.HasSuffix(guide.First, ".") {
			t.Errorf("%s says little: %q, %q", s.Title(), guide.Purpose, guide.First)
		}
		if len(guide.Signs) == 0 {
			t.Errorf("%s explains no sign", s.Title())
		}
		seen := map[string]bool{}
		for _, sign := range guide.Signs {
			if seen[sign.Glyph] {
				t.Errorf("%s explains %s twice", s.Title(), sign.Glyph)
			}
			seen[sign.Glyph] = true
			if n := ansi.StringWidth(sign.Glyph); n == 0 || n > 8 || sign.Means == "" {
				t.Errorf("%s: the sign %q is no sign", s.Title(), sign.Glyph)
			}
		}
	}
}

// A letter that an introduction tells to press is a key of the screen whatever it shows. Those of changes depend on the item.
func TestIntroductionsNameKeysThatExist(t *testing.T) {
	named := regexp.MustCompile(`(?i)\bpress (o [a-z]|[A-Za-z=@+]) to `)
	checked := 0
	for _, s := range everyScreen(t) {
		for _, scope := range Scopes() {
			if placed, ok := s.(screen.Placed); !ok || scope.Name != placed.Place() {
				continue
			}
			for _, m := range named.FindAllStringSubmatch(s.(screen.Guided).Guide().First, -1) {
				checked++
				if !slices.ContainsFunc(scope.Actions, func(a widget.Action) bool { return slices.Contains(a.Binding.Keys(), m[1]) }) && m[1] != widget.MenuKey {
					t.Errorf("%s says press %s, which is no key of it", s.Title(), m[1])
				}
			}
		}
	}
	if checked == 0 {
		t.Error("no introduction names a key")
	}
}

// Every action of a screen stands in its help with all of its words, in the
// narrowest terminal as well.
func TestHelpSaysEverything(t *testing.T) {
	for _, s := range everyScreen(t) {
		own := s.Actions()
		for _, w := range []int{52, 98} {
			lines := overlay.HelpText(
				widget.NewStyles(true, true), s.(screen.Guided).Guide(), []widget.HelpGroup{{Title: "This screen", Actions: own}},
				"", true, w,
			)
			for _, line := range lines {
				if ansi.StringWidth(line) > w {
					t.Errorf("%s: a line is wider than %d: %q", s.Title(), w, ansi.Strip(line))
				}
			}
			text := strings.Join(strings.Fields(ansi.Strip(strings.Join(lines, " "))), " ")
			for _, a := range own {
				words := a.Long
				if words == "" {
					words = a.Desc
				}
				if !strings.Contains(text, words) {
					t.Errorf("%s at %d: %q is not in the help", s.Title(), w, words)
				}
			}
		}
	}
}

func TestHelpSearch(t *testing.T) {
	s := everyScreen(t)[1]
	h := overlay.NewHelp(widget.NewStyles(true, true), s, widget.HelpGroup{Title: "This screen", Actions: s.Actions()})
	show := func() string { return ansi.Strip(h.Over(nil, widget.Place("", 80, 22), 80, 22)) }
	if view := show(); !strings.Contains(view, "First: select a pattern") || !strings.Contains(view, "/ searches") {
		t.Errorf("the help does not begin with what to do:\n%s", view)
	}
	if view := show(); strings.Contains(view, "not now:") {
		t.Errorf("what is unavailable is not folded:\n%s", view)
	}
	for _, key := range []string{"z", "G"} {
		h.Update(screentest.Pressed(key))
		show()
	}
	if view := show(); !strings.Contains(view, "not now:") {
		t.Errorf("z does not unfold what is unavailable:\n%s", view)
	}
	for _, key := range []string{"z", "g"} {
		h.Update(screentest.Pressed(key))
	}
	for _, key := range []string{"/", "s", "e", "c", "r", "e", "t"} {
		if _, done := h.Update(screentest.Pressed(key)); done {
			t.Fatal("typing closes the help")
		}
	}
	if view := show(); !strings.Contains(view, "never shown") || strings.Contains(view, "First:") {
		t.Errorf("the search does not find the sign:\n%s", view)
	}
	h.Update(screentest.Pressed("q"))
	if view := show(); !strings.Contains(view, "no key and no sign") {
		t.Errorf("nothing found is not said:\n%s", view)
	}
	if _, done := h.Update(screentest.Pressed("esc")); done {
		t.Fatal("esc closes the help in the middle of a search")
	}
	if view := show(); !strings.Contains(view, "First:") {
		t.Errorf("esc does not end the search:\n%s", view)
	}
	if _, done := h.Update(screentest.Pressed("esc")); !done {
		t.Error("esc does not close the help")
	}
}
