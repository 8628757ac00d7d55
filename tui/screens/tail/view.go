package tail

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/tail"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Typing reports whether keys go to the filter.
func (s *tailScreen) Typing() bool { return s.list.Typing() }

// Cancel clears the filter.
func (s *tailScreen) Cancel() bool {
	if s.list.Filter() == "" {
		return false
	}
	s.list.SetFilter("")
	return true
}

// Update handles the messages that the root does not handle.
func (s *tailScreen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case eventsMsg:
		if msg.of != s {
			return nil
		}
		return s.arrived(msg)
	case dueMsg:
		if msg.of != s {
			return nil
		}
		if s.waiting = false; s.hidden {
			return s.record()
		}
		return s.read()
	case tea.KeyPressMsg:
		if !s.list.Typing() {
			if cmd, used := screen.Press(s.actions, msg); used {
				return cmd
			}
		}
	}
	cmd, _ := s.list.Update(msg)
	return cmd
}

// Status says how many changes are listed, and what is missing.
func (s *tailScreen) Status() string {
	return present.Join(present.Plural(len(s.events), "change"), s.notes, " · ")
}

// SetStyles changes the theme.
func (s *tailScreen) SetStyles(st *widget.Styles) { s.list.SetStyles(st) }

// detailRows is the height of the text about the event under the cursor, or the error, with the line above.
const detailRows = 5

// SetSize sets the size of the screen in cells.
func (s *tailScreen) SetSize(w, h int) {
	s.w, s.h = max(w, 0), max(h, 0)
	iw, ih := widget.PanelInner(s.w, s.h)
	s.list.SetSize(iw, max(ih-detailRows, 1))
}

// View draws the screen.
func (s *tailScreen) View() string {
	if s.w <= 0 || s.h <= 0 {
		return ""
	}
	st := s.env.Styles
	iw, _ := widget.PanelInner(s.w, s.h)
	role, about := widget.RoleText, ""
	if e := s.selected(); e != nil {
		about = tail.Line(e, s.env.Session.Masker())
	}
	if s.err != nil {
		role, about = widget.RoleBad, s.err.Error()
	}
	detail := strings.Join(widget.Wrap(st, role, models.Printable(about), max(iw-2, 1)), "\n")
	note := "newest first"
	if s.paused {
		note = "paused, " + present.Plural(len(s.held), "new change") + " · space continues"
	}
	content := widget.Rows(s.list.View(), widget.Rule(st, "", "times in UTC", iw), widget.Indent(detail, iw, detailRows-1))
	return widget.Panel{Title: "Changes", Note: note, Focused: true}.Render(st, content, s.w, s.h)
}

// Remask draws the changes again: personal data may have been revealed or hidden.
func (s *tailScreen) Remask() tea.Cmd {
	s.fill()
	return nil
}
