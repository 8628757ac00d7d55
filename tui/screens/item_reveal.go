// This file asks why personal data is to be shown, and shows it once the reason
// is in the journal.

package screens

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// itemRevealedMsg says whether the reason was written down.
type itemRevealedMsg struct {
	screen *itemScreen
	err    error
}

// itemReveal is the dialog that asks for the reason.
type itemReveal struct {
	s      *itemScreen
	form   *widget.Form
	dialog widget.Dialog
	inForm bool
	box    rect
	formX  int // where the form was drawn
	formY  int
}

func newItemReveal(s *itemScreen) *itemReveal {
	r := &itemReveal{s: s, inForm: true}
	r.form = widget.NewForm(s.env.Styles, widget.FormField{
		Name: "reason", Label: "Reason", Required: true, Placeholder: "a ticket, a request, who asked", Width: 36,
		Validate: func(v string) error {
			if strings.TrimSpace(v) == "" {
				return errors.New("a reason is needed")
			}
			return nil
		},
	})
	r.dialog = widget.Dialog{
		Title:   "Reveal personal data",
		Buttons: []widget.Button{{Name: "cancel", Label: "Cancel"}, {Name: "reveal", Label: "Reveal"}},
	}
	return r
}

func (r *itemReveal) update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	press, isKey := msg.(tea.KeyPressMsg)
	if isKey && press.String() == "esc" {
		return nil, true
	}
	if r.inForm {
		if isKey && press.String() == "enter" {
			return r.submit()
		}
		cmd, used := r.form.Update(msg)
		if !used && isKey && (press.String() == "tab" || press.String() == "shift+tab") {
			r.focusForm(false)
		}
		return cmd, false
	}
	if isKey && press.String() == "shift+tab" && r.dialog.Focused() == "cancel" {
		r.focusForm(true)
		return nil, false
	}
	return r.chosen(r.dialog.Update(msg))
}

func (r *itemReveal) chosen(c widget.Choice) (cmd tea.Cmd, done bool) {
	switch {
	case c.Closed || c.Name == "cancel":
		return nil, true
	case c.Name == "reveal":
		return r.submit()
	}
	return nil, false
}

func (r *itemReveal) focusForm(on bool) {
	r.inForm = on
	r.form.SetFocused(on)
}

// submit writes the reason down. Nothing is shown before that has happened.
func (r *itemReveal) submit() (cmd tea.Cmd, done bool) {
	if r.form.Validate() != nil {
		r.focusForm(true)
		return nil, false
	}
	s, reason := r.s, strings.TrimSpace(r.form.Values()["reason"])
	session, subject := s.env.Session, s.table.Name+" "+s.facts.keyText
	return func() tea.Msg {
		return itemRevealedMsg{s, session.Reveal(context.Background(), subject, reason)}
	}, true
}

func (r *itemReveal) over(st *widget.Styles, background string, w, h int) string {
	inner := max(min(58, w-8), 10)
	body := widget.Wrap(st, widget.RoleText, "Names, addresses and numbers will be shown on every screen of this session, until R hides them again. "+
		"The reason goes to the journal with your name. Secrets stay hidden.", inner)
	body = append(body, "")
	fh := r.form.Height(inner)
	r.form.SetSize(inner, fh)
	formAt := len(body)
	body = append(body, strings.Split(r.form.View(), "\n")...)
	r.dialog.Body = strings.Join(body, "\n")
	bw, bh := r.dialog.Size(w, h)
	r.box = rect{(w - bw) / 2, (h - bh) / 2, bw, bh}
	x, y := r.dialog.BodyAt()
	r.formX, r.formY = r.box.x+x, r.box.y+y+formAt
	return widget.Overlay(widget.Dim(st, background), r.dialog.Render(st, bw, bh), r.box.x, r.box.y)
}

func (r *itemReveal) cursor() *tea.Cursor {
	if !r.inForm {
		return nil
	}
	return moved(r.form.Cursor(), r.formX, r.formY)
}

func (r *itemReveal) setStyles(s *widget.Styles) { r.form.SetStyles(s) }

func (r *itemReveal) click(x, y int) (cmd tea.Cmd, done bool) {
	if !r.box.has(x, y) {
		return nil, true
	}
	return r.chosen(r.dialog.Click(x-r.box.x, y-r.box.y, r.box.w, r.box.h))
}

// revealed shows the data, or says why it stays hidden.
func (s *itemScreen) revealed(msg itemRevealedMsg) tea.Cmd {
	if msg.screen != s {
		return nil
	}
	if msg.err != nil {
		return Send(NoticeMsg{Text: "nothing was revealed: " + msg.err.Error(), Bad: true})
	}
	s.checkMasker()
	return Send(NoticeMsg{Text: "personal data is shown, R hides it again"})
}

// toggleReveal asks for a reason, or hides what is shown.
func (s *itemScreen) toggleReveal() tea.Cmd {
	if !s.masker.Hides(models.PII) {
		s.env.Session.Hide()
		s.checkMasker()
		return Send(NoticeMsg{Text: "personal data is hidden again"})
	}
	s.box = newItemReveal(s)
	return nil
}
