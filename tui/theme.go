// This file is how everything looks: the theme, and the signs that the terminal
// can show.

package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// restyle makes the colours anew, for a terminal that turned out other than it
// was thought to be.
func (m *Model) restyle() {
	m.styles = m.theme.Styles(m.dark, m.profile, m.o.NoColor)
	if m.env != nil {
		m.env.Styles = m.styles
	}
	for _, list := range [][]*place{m.stack, m.ahead} {
		for _, p := range list {
			if r, ok := p.screen.(screen.Restyler); ok {
				r.SetStyles(m.styles)
			}
		}
	}
	if m.dialog != nil {
		m.dialog.SetStyles(m.styles)
	}
	if m.help != nil {
		m.help.SetStyles(m.styles)
	}
	if m.palette != nil {
		m.palette.SetStyles(m.styles)
	}
}

// themeCommands offers the themes to the palette. They need no key: one is chosen
// once.
func (m *Model) themeCommands() []screen.Command {
	var list []screen.Command
	for _, t := range widget.Themes() {
		if t.Name() == m.o.Theme.Name() {
			t = m.o.Theme // With the person's own colours.
		}
		list = append(list, screen.Command{
			ID: "theme " + t.Name(), Kind: "theme", Title: t.Name(), Note: t.About(), Words: "colours look dark light contrast",
			Run: func() tea.Cmd { return m.wear(t) },
		})
	}
	return list
}

// lookCommands are what the palette finds beside the screens: contexts, themes.
func (m *Model) lookCommands() []screen.Command {
	return append(m.contextCommands(), m.themeCommands()...)
}

// wear changes the theme until the program ends.
func (m *Model) wear(t widget.Theme) tea.Cmd {
	m.theme = t
	m.restyle()
	switch {
	case m.o.NoColor:
		return m.say(widget.RoleInfo, "no colour is wanted here: NO_COLOR or --no-color win over a theme")
	case t.Name() == m.o.Theme.Name():
		return m.say(widget.RoleInfo, "theme "+t.Name())
	}
	return m.say(widget.RoleInfo, "theme "+t.Name()+" until you leave; `theme: "+t.Name()+"` in the configuration keeps it")
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
