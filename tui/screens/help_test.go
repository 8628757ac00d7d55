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
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/screens/home"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// everyScreen returns all screens of a schema.
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

func TestEveryScreenHasIntroduction(t *testing.T) {
	for _, s := range everyScreen(t) {
		g, ok := s.(screen.GuideProvider)
		if !ok {
			t.Errorf("%s has no introduction", s.Title())
			continue
		}
		guide := g.Guide()
		if len(guide.Purpose) < 40 || len(guide.First) < 20 || !strings.HasSuffix(guide.First, ".") {
			t.Errorf("the introduction of %s is too short: %q, %q", s.Title(), guide.Purpose, guide.First)
		}
		if len(guide.Signs) == 0 {
			t.Errorf("the introduction of %s explains no sign", s.Title())
		}
		previous := map[string]bool{}
		for _, sign := range guide.Signs {
			if previous[sign.Glyph] {
				t.Errorf("%s explains %s twice", s.Title(), sign.Glyph)
			}
			previous[sign.Glyph] = true
			if n := ansi.StringWidth(sign.Glyph); n == 0 || n > 8 || sign.Meaning == "" {
				t.Errorf("%s: %q is not a valid sign", s.Title(), sign.Glyph)
			}
		}
	}
}

// If an introduction names a letter, it is a key of the screen in every state. Letters of changes are exempt, because
// they depend on the item.
func TestIntroductionsNameKeysThatExist(t *testing.T) {
	named := regexp.MustCompile(`(?i)\bpress (o [a-z]|[A-Za-z=@+]) to `)
	checked := 0
	for _, s := range everyScreen(t) {
		for _, scope := range Scopes() {
			if placed, ok := s.(screen.Placer); !ok || scope.Name != placed.Place() {
				continue
			}
			for _, m := range named.FindAllStringSubmatch(s.(screen.GuideProvider).Guide().First, -1) {
				checked++
				if !slices.ContainsFunc(scope.Actions, func(a widget.Action) bool { return slices.Contains(a.Binding.Keys(), m[1]) }) && m[1] != widget.MenuKey {
					t.Errorf("%s mentions the key %s, but has no action with it", s.Title(), m[1])
				}
			}
		}
	}
	if checked == 0 {
		t.Error("no introduction contains a key")
	}
}
