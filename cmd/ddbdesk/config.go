// This file takes what the configuration file says: contexts, theme and keys.

package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// configuration is the file, read once. Commands that need nothing of it do not
// ask: a fault in it must not stop them.
func (a *app) configuration() (*config.File, error) {
	if a.file == nil {
		f, err := config.Read(config.Path(), vocabulary())
		if err != nil {
			return nil, err
		}
		a.file = f
	}
	return a.file, nil
}

// vocabulary is what the file may name.
func vocabulary() config.Vocabulary {
	v := config.Vocabulary{
		Roles: roleNames(), Themes: widget.ThemeNames(), Colours: widget.ColourNames(), Marks: widget.MarkNames(),
		Budget: func(text string) error {
			_, err := session.ParseBudget(text)
			return err
		},
		Clashes: func(keys config.Bindings) []config.Clash {
			var list []config.Clash
			for _, c := range tui.Clashes(keys) {
				list = append(list, config.Clash(c))
			}
			return list
		},
	}
	for _, s := range tui.Scopes() {
		scope := config.Scope{Name: s.Name}
		for _, action := range s.Actions {
			if action.Run != nil { // The others belong to lists and grids.
				scope.Actions = append(scope.Actions, action.Name)
			}
		}
		v.Scopes = append(v.Scopes, scope)
	}
	return v
}

func roleNames() []string {
	var names []string
	for _, r := range session.Roles() {
		names = append(names, string(r))
	}
	return names
}

// theme is the look that the file, or --theme, asks for.
func (a *app) theme(f *config.File) (widget.Theme, error) {
	name := f.Theme.Name
	if a.flags.theme != "" {
		name = a.flags.theme
	}
	t, ok := widget.ThemeNamed(name)
	if !ok {
		return t, usageErrorf("--theme: %q is none of %s%s", models.Printable(name), strings.Join(widget.ThemeNames(), ", "), models.DidYouMean(name, widget.ThemeNames()))
	}
	if name != f.Theme.Name {
		return t, nil // The own colours are for the theme that they were chosen with.
	}
	return t.With(f.Theme.Colours, f.Theme.Dark, f.Theme.Light), nil
}

// signs is what the terminal can show: what the file says, else the locale.
func signs(ascii *bool, getenv func(string) string) widget.Signs {
	utf8 := knowsUTF8(getenv)
	switch {
	case ascii != nil && !*ascii:
		return widget.SignsAll
	case !utf8:
		return widget.SignsASCII
	case ascii != nil:
		return widget.SignsFew
	}
	return widget.SignsAll
}

// knowsUTF8 goes by the first of the variables that decide about characters.
// Where none is set nothing is known, and most terminals can.
func knowsUTF8(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(getenv(name)); locale != "" {
			return strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
		}
	}
	return true
}

// useContext takes the named context, if one is named.
func (a *app) useContext(cmd *cobra.Command) error {
	a.base, a.typed = a.flags, map[string]bool{}
	for _, name := range []string{"profile", "region", "endpoint-url", "embedded", "role", "actor", "budget"} {
		f := cmd.Flag(name)
		a.typed[name] = f != nil && f.Changed
	}
	name := a.flags.context
	if name == "" {
		return nil
	}
	f, err := a.configuration()
	if err != nil {
		return err
	}
	c, ok := f.Context(name)
	if !ok {
		return usageErrorf("--context: %s has no context %q%s", f.Path, models.Printable(name), models.DidYouMean(name, f.Names()))
	}
	a.enterContext(c)
	return nil
}

// enterContext fills the flags that were not typed from a context; the zero
// Context is that of none. read-only holds when either says so.
func (a *app) enterContext(c config.Context) {
	a.context, a.flags = c, a.base
	a.flags.context = c.Name
	fill := func(flag string, to *string, value string) {
		if value != "" && !a.typed[flag] {
			*to = value
		}
	}
	fill("profile", &a.flags.profile, c.Profile)
	fill("region", &a.flags.region, c.Region)
	fill("endpoint-url", &a.flags.endpoint, c.EndpointURL)
	if !a.typed["profile"] && !a.typed["endpoint-url"] { // What was typed leads elsewhere.
		fill("embedded", &a.flags.embedded, c.Embedded)
	}
	fill("role", &a.flags.role, c.Role)
	fill("actor", &a.flags.actor, c.Actor)
	fill("budget", &a.flags.budget, c.Budget)
	a.flags.readOnly = a.base.readOnly || c.ReadOnly
}
