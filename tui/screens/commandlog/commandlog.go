// Package commandlog is the screen that lists the requests that the console sent.
package commandlog

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// logScreen lists requests, the newest first: what was sent, its capacity, its time and its error. They hold no value.
type logScreen struct {
	screen.Base
	overlay.Host
	env     *screen.Env
	list    *widget.List
	sent    []reading.Sent
	shown   int // requests that were sent when the list was made
	actions widget.Actions

	w, h int
}

// New returns the screen of the requests.
func New(env *screen.Env, _ screen.CommandLog) screen.Screen {
	s := &logScreen{env: env, list: widget.NewList(env.Styles), shown: -1, Base: screen.Base{
		Name: "Command log", Kind: "command-log", About: screen.Guide{
			Purpose: "The last requests to DynamoDB: what was sent, its capacity, its time and its error. Keys and values are not recorded.",
			First:   "press / to filter by an operation, a table, an index or an error.",
			Signs:   []screen.Sign{{Glyph: "✗", Means: "the request failed; the line below the list says why"}},
		},
	}}
	s.list.SetEmpty("No request has been sent")
	s.list.SetPlaceholder("type to filter")
	s.list.SetFocused(true)
	s.Panes = func() widget.Panes {
		return widget.Panes{{Rect: widget.Rect{W: s.w, H: s.h}, Framed: true, Content: s.list}}
	}
	s.actions = env.Keys.Rebind("command-log", s.makeActions())
	s.refresh()
	return s
}

// Scope describes the keys of the screen.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "command-log", Title: "Command log", Does: "The requests that the console sent.",
		Actions: (&logScreen{}).makeActions(), Pieces: screen.ListKeys(),
	}
}

func (s *logScreen) makeActions() widget.Actions {
	return widget.Actions{
		widget.NewAction("copy", "y", "copy", "copy the request as text", s.noRequest, s.copy),
		widget.NewAction("copy-all", "Y", "copy all", "copy all requests as text", s.noRequest, s.copyAll),
	}
}

// Actions returns the keys of the screen.
func (s *logScreen) Actions() widget.Actions { return s.actions }

// Hints returns the keys of the bottom line.
func (s *logScreen) Hints() widget.Actions {
	return append(s.actions[:len(s.actions):len(s.actions)], widget.NewAction("find", "/", "filter", "", nil, nil))
}

func (s *logScreen) noRequest() string {
	if _, ok := s.selected(); !ok {
		return "no request has been sent"
	}
	return ""
}

// refresh lists the requests again if there are new ones.
func (s *logScreen) refresh() {
	n, _ := s.env.Log.Total()
	if n == s.shown {
		return
	}
	s.shown, s.sent = n, s.env.Log.Newest()
	at, had := s.list.Selected()
	first := !had || len(s.sent) == 0 || s.atTop(at.ID)
	items := make([]widget.ListItem, len(s.sent))
	for i, r := range s.sent {
		items[i] = entry(r)
	}
	s.list.SetItems(items)
	if first && len(items) > 0 {
		s.list.Select(items[0].ID) // Whoever follows the newest goes on doing so.
	}
}

// atTop reports whether an entry was the newest one.
func (s *logScreen) atTop(id string) bool {
	for _, r := range s.sent {
		if idOf(r) == id {
			return r.ID == s.shown
		}
	}
	return true
}

func idOf(r reading.Sent) string { return fmt.Sprint(r.ID) }

// operationCells is the width of the column of operations.
const operationCells = 20

// entry is a request as a line.
func entry(r reading.Sent) widget.ListItem {
	it := widget.ListItem{
		ID: idOf(r), Lead: r.At.UTC().Format("15:04:05"), Badge: fmt.Sprintf("%s  %7s", units(r), present.Short(r.Took)),
		BadgeRole: widget.RoleMuted, Title: fmt.Sprintf("%-*s %s", operationCells, r.Operation, place(r)),
	}
	if r.Err != nil {
		it.Title = "✗ " + it.Title
		it.Search = r.Err.Error()
		it.BadgeRole = widget.RoleBad
	} else {
		it.Title = "  " + it.Title
	}
	return it
}

// units are the capacity units of a request: of a write they are write units.
func units(r reading.Sent) string {
	if r.Capacity == 0 {
		return ""
	}
	unit := "RCU"
	if strings.HasPrefix(r.Operation, "TransactWrite") || strings.HasPrefix(r.Operation, "Put") || strings.HasPrefix(r.Operation, "Update") ||
		strings.HasPrefix(r.Operation, "Delete") {
		unit = "WCU"
	}
	return fmt.Sprintf("%g %s", r.Capacity, unit)
}

// place names the table and the index.
func place(r reading.Sent) string {
	return models.Printable(strings.TrimSpace(r.Table + " " + r.Index))
}

func (s *logScreen) selected() (reading.Sent, bool) {
	if s.list == nil {
		return reading.Sent{}, false
	}
	it, ok := s.list.Selected()
	for _, r := range s.sent {
		if ok && idOf(r) == it.ID {
			return r, true
		}
	}
	return reading.Sent{}, false
}

// text is a request in one line.
func text(r reading.Sent) string {
	line := present.Join(r.At.UTC().Format("2006-01-02T15:04:05Z")+"  "+r.Operation, place(r), "  ")
	line = present.Join(present.Join(line, units(r), "  "), present.Short(r.Took), "  ")
	if r.Err != nil {
		line += "  " + models.Printable(r.Err.Error())
	}
	return line
}

func (s *logScreen) copy() tea.Cmd {
	r, _ := s.selected()
	return screen.Send(screen.CopyMsg{Text: text(r), What: "the request"})
}

func (s *logScreen) copyAll() tea.Cmd {
	lines := make([]string, len(s.sent))
	for i, r := range s.sent {
		lines[i] = text(r)
	}
	return screen.Send(screen.CopyMsg{Text: strings.Join(lines, "\n") + "\n", What: present.Plural(len(lines), "request")})
}

// Typing reports whether keys go to the filter.
func (s *logScreen) Typing() bool { return s.list.Typing() }

// Cancel clears the filter.
func (s *logScreen) Cancel() bool {
	if s.list.Filter() == "" {
		return false
	}
	s.list.SetFilter("")
	return true
}

// Update handles the messages that the root does not handle.
func (s *logScreen) Update(msg tea.Msg) tea.Cmd {
	press, isKey := msg.(tea.KeyPressMsg)
	if isKey && !s.list.Typing() {
		if cmd, used := screen.Press(s.actions, press); used {
			return cmd
		}
	}
	cmd, _ := s.list.Update(msg)
	return cmd
}

// Watch lists what was sent from other screens.
func (s *logScreen) Watch(bool) tea.Cmd {
	s.refresh()
	return nil
}

// Status returns the sums of this run.
func (s *logScreen) Status() string {
	n, units := s.env.Log.Total()
	text := present.Plural(n, "request")
	if n > len(s.sent) && len(s.sent) > 0 {
		text += fmt.Sprintf(", the last %d are listed", len(s.sent))
	}
	if units > 0 {
		text += fmt.Sprintf(" · %g capacity units", units)
	}
	return text
}

// SetStyles changes the theme.
func (s *logScreen) SetStyles(st *widget.Styles) { s.list.SetStyles(st) }

// detailRows is the height of the text about the request under the cursor, with the line above.
const detailRows = 4

// SetSize sets the size of the screen in cells.
func (s *logScreen) SetSize(w, h int) {
	s.w, s.h = max(w, 0), max(h, 0)
	iw, ih := widget.PanelInner(s.w, s.h)
	s.list.SetSize(iw, max(ih-detailRows, 1))
}

// View draws the screen.
func (s *logScreen) View() string {
	if s.w <= 0 || s.h <= 0 {
		return ""
	}
	s.refresh()
	st := s.env.Styles
	iw, _ := widget.PanelInner(s.w, s.h)
	detail := ""
	if r, ok := s.selected(); ok {
		role, about := widget.RoleMuted, text(r)
		if r.Err != nil {
			role = widget.RoleBad
		}
		detail = strings.Join(widget.Wrap(st, role, about, max(iw-2, 1)), "\n")
	}
	content := widget.Rows(s.list.View(), widget.Rule(st, "", "keys and values are not recorded", iw),
		widget.Indent(detail, iw, detailRows-1))
	return widget.Panel{Title: "Command log", Note: "newest first", Focused: true}.Render(st, content, s.w, s.h)
}
