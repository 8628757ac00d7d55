package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// restyle makes the colours anew, for a terminal that turned out other than it
// was thought to be.
func (l *look) restyle() {
	l.m.styles = l.theme.Styles(l.dark, l.profile, l.m.o.NoColor)
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
	if l.m.dialogs.dialog != nil {
		l.m.dialogs.dialog.SetStyles(l.m.styles)
	}
	if l.m.help != nil {
		l.m.help.SetStyles(l.m.styles)
	}
	if l.m.finder.palette != nil {
		l.m.finder.palette.SetStyles(l.m.styles)
	}
}

// themeCommands offers the themes to the palette. They need no key: one is chosen
// once.
func (f *finder) themeCommands() []screen.Command {
	var list []screen.Command
	for _, t := range widget.Themes() {
		if t.Name() == f.m.o.Theme.Name() {
			t = f.m.o.Theme // With the person's own colours.
		}
		list = append(list, screen.Command{
			ID: "theme " + t.Name(), Kind: "theme", Title: t.Name(), Note: t.About(), Words: "colours look dark light contrast",
			Run: func() tea.Cmd { return f.m.look.wear(t) },
		})
	}
	return list
}

// lookCommands are what the palette finds beside the screens: contexts, themes.
func (f *finder) lookCommands() []screen.Command {
	return append(f.contextCommands(), f.themeCommands()...)
}

// wear changes the theme until the program ends.
func (l *look) wear(t widget.Theme) tea.Cmd {
	l.theme = t
	l.restyle()
	switch {
	case l.m.o.NoColor:
		return l.m.say(widget.RoleInfo, "no colour is wanted here: NO_COLOR or --no-color win over a theme")
	case t.Name() == l.m.o.Theme.Name():
		return l.m.say(widget.RoleInfo, "theme "+t.Name())
	}
	return l.m.say(widget.RoleInfo, "theme "+t.Name()+" until you leave; `theme: "+t.Name()+"` in the configuration keeps it")
}

// drawn remembers the last frame as the terminal gets it: most frames are drawn
// again unchanged.
type drawn struct{ from, to string }

// signs draws a frame with what the terminal can show.
func (m *Model) signs(frame string) string {
	if m.o.Signs == widget.SignsAll {
		return frame
	}
	if frame != m.drawn.from {
		m.drawn = drawn{frame, m.o.Signs.Draw(frame)}
	}
	return m.drawn.to
}
