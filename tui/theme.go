package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/charmbracelet/colorprofile"

	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// appearance contains the theme and the terminal's color capabilities.
type appearance struct {
	theme     widget.Theme
	previewed *widget.Theme // theme under the cursor of the palette, which replaces theme temporarily; or nil
	dark      bool
	profile   colorprofile.Profile // color support of the terminal; Unknown until Bubble Tea detects it
}

func (m *Model) restyle() {
	theme := m.appearance.theme
	if m.appearance.previewed != nil {
		theme = *m.appearance.previewed
	}
	m.styles = theme.Styles(m.appearance.dark, m.appearance.profile, m.o.NoColor)
	if m.env != nil {
		m.env.Styles = m.styles
	}
	m.eachPlace(func(p *place) {
		if r, ok := p.screen.(screen.Restyler); ok {
			r.SetStyles(m.styles)
		}
	})
	for _, box := range m.openBoxes() {
		box.SetStyles(m.styles)
	}
}

func (m *Model) themeCommands() []screen.Command {
	var list []screen.Command
	for _, t := range widget.Themes() {
		if t.Name() == m.o.Theme.Name() {
			t = m.o.Theme // This theme includes the user's colors.
		}
		list = append(list, screen.Command{
			ID: "theme " + t.Name(), Kind: "theme", Title: t.Name(), Note: t.About(), Words: "colors look dark light contrast",
			Theme: &t, Run: func() tea.Cmd { return m.useTheme(t) },
		})
	}
	return list
}

func (m *Model) settingCommands() []screen.Command {
	return append(m.contextCommands(), m.themeCommands()...)
}

func (m *Model) previewTheme(t *widget.Theme) {
	if t == m.appearance.previewed {
		return
	}
	m.appearance.previewed = t
	m.restyle()
}

func (m *Model) useTheme(t widget.Theme) tea.Cmd {
	m.appearance.theme, m.appearance.previewed = t, nil
	m.restyle()
	switch {
	case m.o.NoColor:
		return m.notify(widget.RoleInfo, "colors are off: NO_COLOR or --no-color overrides the theme")
	case t.Name() == m.o.Theme.Name():
		return m.notify(widget.RoleInfo, "theme "+t.Name())
	}
	return m.notify(widget.RoleInfo, "theme "+t.Name()+" until you quit; to keep it, set `theme: "+t.Name()+"` in the configuration")
}

// frameCache caches the last frame with replaced signs, because most frames do not change.
type frameCache struct{ from, to string }

func (m *Model) replaceSigns(frame string) string {
	if m.o.Signs == widget.SignsAll {
		return frame
	}
	if frame != m.drawn.from {
		m.drawn = frameCache{frame, m.o.Signs.Draw(frame)}
	}
	return m.drawn.to
}
