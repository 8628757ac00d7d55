package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/charmbracelet/colorprofile"

	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// look holds the theme and the color capabilities of the terminal.
type look struct {
	m *Model

	theme   widget.Theme
	tried   *widget.Theme // shown instead of theme while it is under the cursor of the palette; nil if none is
	dark    bool
	profile colorprofile.Profile // of the terminal; Unknown until Bubble Tea reports it
}

func (l *look) restyle() {
	shown := l.theme
	if l.tried != nil {
		shown = *l.tried
	}
	l.m.styles = shown.Styles(l.dark, l.profile, l.m.o.NoColor)
	if l.m.env != nil {
		l.m.env.Styles = l.m.styles
	}
	for _, list := range [][]*place{l.m.screens.stack, l.m.screens.ahead} {
		for _, p := range list {
			if r, ok := p.screen.(screen.Restyler); ok {
				r.SetStyles(l.m.styles)
			}
		}
	}
	for _, box := range l.m.layers.open() {
		box.SetStyles(l.m.styles)
	}
}

func (f *finder) themeCommands() []screen.Command {
	var list []screen.Command
	for _, t := range widget.Themes() {
		if t.Name() == f.m.o.Theme.Name() {
			t = f.m.o.Theme // With the user's own colors.
		}
		list = append(list, screen.Command{
			ID: "theme " + t.Name(), Kind: "theme", Title: t.Name(), Note: t.About(), Words: "colors look dark light contrast",
			Theme: &t, Run: func() tea.Cmd { return f.m.look.use(t) },
		})
	}
	return list
}

func (f *finder) lookCommands() []screen.Command {
	return append(f.contextCommands(), f.themeCommands()...)
}

func (l *look) try(t *widget.Theme) {
	if t == l.tried {
		return
	}
	l.tried = t
	l.restyle()
}

func (l *look) use(t widget.Theme) tea.Cmd {
	l.theme, l.tried = t, nil
	l.restyle()
	switch {
	case l.m.o.NoColor:
		return l.m.say(widget.RoleInfo, "colors are off: NO_COLOR or --no-color overrides the theme")
	case t.Name() == l.m.o.Theme.Name():
		return l.m.say(widget.RoleInfo, "theme "+t.Name())
	}
	return l.m.say(widget.RoleInfo, "theme "+t.Name()+" until you quit; to keep it, set `theme: "+t.Name()+"` in the configuration")
}

// drawn caches the last frame with its signs replaced: most frames do not change.
type drawn struct{ from, to string }

func (m *Model) signs(frame string) string {
	if m.o.Signs == widget.SignsAll {
		return frame
	}
	if frame != m.drawn.from {
		m.drawn = drawn{frame, m.o.Signs.Draw(frame)}
	}
	return m.drawn.to
}
