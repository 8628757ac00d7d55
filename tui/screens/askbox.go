// This file holds the boxes that several screens put over themselves: a
// question with a safe answer, and a menu.

package screens

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// holds says why the box must not be left now, "" when it may be.
func holds(box itemBox) string {
	if h, ok := box.(interface{ Holds() string }); ok {
		return h.Holds()
	}
	return ""
}

// waitFor returns once what a box writes has its outcome.
func waitFor(box itemBox) {
	if w, ok := box.(interface{ Wait() }); ok {
		w.Wait()
	}
}

// closeBox gives up what a box may give up when its screen is left for good.
func closeBox(box itemBox) {
	if c, ok := box.(interface{ close() }); ok {
		c.close()
	}
}

// cancelBox stops what a box does; closed says that the box may be closed.
func cancelBox(box itemBox) (closed bool) {
	c, ok := box.(interface{ cancel() bool })
	return !ok || c.cancel()
}

// An askBox is a question that is answered with yes or left; leaving it has
// the focus.
type askBox struct {
	env    *Env
	dialog *widget.Dialog
	text   []string // paragraphs; the second is a warning
	yes    func() tea.Cmd
	box    rect
}

func newAskBox(env *Env, title, note, yes string, run func() tea.Cmd) *askBox {
	return &askBox{env: env, yes: run, dialog: &widget.Dialog{
		Title: title, Note: note, Danger: true,
		Buttons: []widget.Button{{Name: "cancel", Label: "Cancel"}, {Name: "yes", Label: yes, Danger: true}},
	}}
}

func (a *askBox) update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	switch msg := msg.(type) {
	case tableSizedMsg:
		if len(a.text) > 1 {
			a.text[1] = msg.text
		}
		return nil, false
	case tea.KeyPressMsg:
		return a.took(a.dialog.Update(msg))
	}
	return nil, false
}

func (a *askBox) took(c widget.Choice) (cmd tea.Cmd, done bool) {
	switch {
	case c.Closed || c.Name == "cancel":
		return nil, true
	case c.Name == "yes":
		return a.yes(), true
	}
	return nil, false
}

func (a *askBox) over(s *widget.Styles, background string, w, h int) string {
	wide := min(w-8, 68)
	var lines []string
	for i, text := range a.text {
		role := widget.RoleText
		switch {
		case i == 1:
			role = widget.RoleWarn
		case i > 1:
			role = widget.RoleMuted
		}
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, widget.Wrap(s, role, text, wide)...)
	}
	a.dialog.Body = widget.Place(strings.Join(lines, "\n"), wide, len(lines))
	dw, dh := a.dialog.Size(w, h)
	a.box = rect{(w - dw) / 2, (h - dh) / 2, dw, dh}
	return widget.Centre(widget.Dim(s, background), a.dialog.Render(s, dw, dh))
}

func (a *askBox) cursor() *tea.Cursor { return nil }

func (a *askBox) setStyles(*widget.Styles) {}

func (a *askBox) click(x, y int) (cmd tea.Cmd, done bool) {
	if !a.box.has(x, y) {
		return nil, false
	}
	return a.took(a.dialog.Click(x-a.box.x, y-a.box.y, a.box.w, a.box.h))
}

// A menuBox is a menu over a screen.
type menuBox struct{ *menu }

func (m menuBox) update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	if press, ok := msg.(tea.KeyPressMsg); ok {
		return m.menu.update(press)
	}
	return nil, false
}

func (m menuBox) cursor() *tea.Cursor { return nil }

func (m menuBox) setStyles(*widget.Styles) {}
