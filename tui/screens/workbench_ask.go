// This file asks before something is done: before a whole table is read, and
// for the reason to reveal personal data.

package screens

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A question is a dialog over the screen, with a line of text or without.
type question struct {
	dialog *widget.Dialog
	body   func(s *widget.Styles, w int) []string
	form   *widget.Form // nil when nothing is to be typed
	onForm bool         // the form has the keys
	chosen func(button string) tea.Cmd
	formY  int
	box    rect
	table  string // whose size is being asked
}

func (q *question) feed(msg tea.Msg) tea.Cmd {
	if q.form == nil || !q.onForm {
		return nil
	}
	cmd, _ := q.form.Update(msg)
	return cmd
}

// answer gives a key to the question.
func (b *Workbench) answer(msg tea.KeyPressMsg) tea.Cmd {
	q := b.ask
	if q.form != nil && q.onForm {
		switch msg.String() {
		case "esc":
			b.ask = nil
			return nil
		case "enter":
			return b.chose(q.dialog.Buttons[len(q.dialog.Buttons)-1].Name)
		case "tab", "down", "shift+tab":
			q.focusForm(false)
			return nil
		}
		return q.feed(msg)
	}
	if q.form != nil && (msg.String() == "up" || msg.String() == "shift+tab" && q.dialog.Focused() == q.dialog.Buttons[0].Name) {
		q.focusForm(true)
		return nil
	}
	return b.took(q.dialog.Update(msg))
}

func (q *question) focusForm(on bool) {
	q.onForm = on
	q.form.SetFocused(on)
}

func (b *Workbench) took(c widget.Choice) tea.Cmd {
	switch {
	case c.Closed:
		b.ask = nil
	case c.Why != "":
		return Send(NoticeMsg{Text: c.Why})
	case c.Name != "":
		return b.chose(c.Name)
	}
	return nil
}

func (b *Workbench) chose(name string) tea.Cmd {
	q := b.ask
	for _, button := range q.dialog.Buttons {
		if button.Name == name && button.Disabled != nil {
			if why := button.Disabled(); why != "" {
				return Send(NoticeMsg{Text: why})
			}
		}
	}
	b.ask = nil
	if name == "cancel" {
		return nil
	}
	return q.chosen(name)
}

func (q *question) click(b *Workbench, x, y int) tea.Cmd {
	if !q.box.has(x, y) {
		return nil
	}
	return b.took(q.dialog.Click(x-q.box.x, y-q.box.y, q.box.w, q.box.h))
}

// over draws the question over a screen of w by h cells.
func (q *question) over(s *widget.Styles, screen string, w, h int) string {
	wide := min(w-8, 68)
	lines := q.body(s, wide)
	q.formY = len(lines)
	if q.form != nil {
		q.form.SetSize(wide, 1)
		lines = append(lines, q.form.View())
	}
	q.dialog.Body = widget.Place(strings.Join(lines, "\n"), wide, len(lines))
	dw, dh := q.dialog.Size(w, h)
	q.box = rect{(w - dw) / 2, (h - dh) / 2, dw, dh}
	return widget.Centre(widget.Dim(s, screen), q.dialog.Render(s, dw, dh))
}

func (q *question) cursor() *tea.Cursor {
	if q.form == nil || !q.onForm {
		return nil
	}
	x, y := q.dialog.BodyAt()
	return moved(q.form.Cursor(), q.box.x+x, q.box.y+y+q.formY)
}

// tableSizedMsg is what DynamoDB says about a table's size.
type tableSizedMsg struct {
	table string
	text  string
}

// askScan asks before a whole table is read.
func (b *Workbench) askScan(args map[string]string) tea.Cmd {
	j, p := b.job, b.job.pattern
	size := "asking how large it is …"
	q := &question{table: p.Table.Name, dialog: &widget.Dialog{
		Title: "Read the whole table?", Note: "SCAN", Danger: true,
		Buttons: []widget.Button{{Name: "cancel", Label: "Cancel"}, {Name: "scan", Label: "Read it", Danger: true}},
	}}
	b.ask = q
	q.body = scanBody(p, &size)
	q.chosen = func(string) tea.Cmd {
		if b.job != j {
			return nil
		}
		j.consented = true
		return b.start(args)
	}
	ctx, s, name := b.ctx, b.env.Session, p.Table.Name
	return func() tea.Msg {
		info, err := s.Table(ctx, name)
		if err != nil {
			return tableSizedMsg{name, "how large it is could not be asked: " + err.Error()}
		}
		return tableSizedMsg{name, sizeText(info.ApproximateItems, info.ApproximateBytes)}
	}
}

// sizeText says how large a table is and what reading it costs: half a read
// capacity unit for each 4 KB, read eventually consistent.
// Source: Amazon DynamoDB Developer Guide, "Read/write capacity mode".
func sizeText(items, bytes int64) string {
	units := max((bytes+8191)/8192, 0)
	return fmt.Sprintf("about %s and %s as of the last count, which DynamoDB makes every six hours: about %s read capacity units",
		plural(int(items), "item"), byteSize(bytes), thousands(int(units)))
}

func byteSize(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}

func scanBody(p *accesspatterns.Pattern, size *string) func(*widget.Styles, int) []string {
	return func(s *widget.Styles, w int) []string {
		lines := widget.Wrap(s, widget.RoleText, "There is no index for this question: every item of "+p.Table.Name+
			" is read, and what does not fit is thrown away after it was paid for.", w)
		lines = append(lines, "")
		lines = append(lines, widget.Wrap(s, widget.RoleWarn, *size, w)...)
		lines = append(lines, "")
		return append(lines, widget.Wrap(s, widget.RoleMuted, "It is read page by page; esc stops it, and n goes on.", w)...)
	}
}

// sized brings the size into the question that waits for it.
func (b *Workbench) sized(msg tableSizedMsg) {
	if b.ask != nil && b.ask.table == msg.table {
		b.ask.body = scanBody(b.job.pattern, &msg.text)
	}
}

// revealedMsg says whether personal data may be shown now.
type revealedMsg struct{ err error }

func (b *Workbench) revealing() bool {
	return !b.env.Session.Masker().Hides(models.PII)
}

func (b *Workbench) cannotReveal() string {
	if err := b.env.Session.CanReveal(); err != nil {
		return err.Error()
	}
	return ""
}

// askReveal asks for the reason to show personal data, or hides it again.
func (b *Workbench) askReveal() tea.Cmd {
	s := b.env.Session
	if b.revealing() {
		s.Hide()
		b.preview.forget()
		return Send(NoticeMsg{Text: "personal data is hidden again"})
	}
	form := widget.NewForm(b.env.Styles, widget.FormField{Name: "reason", Required: true, Placeholder: "a ticket, a request of the customer", Width: 44})
	reason := func() string { return strings.TrimSpace(form.Values()["reason"]) }
	noReason := func() string {
		if reason() == "" {
			return "revealing personal data needs a reason"
		}
		return ""
	}
	subject := b.job.pattern.FullID()
	b.ask = &question{
		form: form, onForm: true,
		dialog: &widget.Dialog{Title: "Reveal personal data?", Note: s.Actor(), Buttons: []widget.Button{
			{Name: "cancel", Label: "Cancel"}, {Name: "reveal", Label: "Reveal", Disabled: noReason},
		}},
		body: func(st *widget.Styles, w int) []string {
			return append(widget.Wrap(st, widget.RoleText,
				"It is shown on every screen until R hides it again or this profile is left. Who revealed what, when and why goes to the journal. Secrets stay hidden.", w), "")
		},
		chosen: func(string) tea.Cmd {
			ctx, why := b.ctx, reason()
			return func() tea.Msg { return revealedMsg{s.Reveal(ctx, subject, why)} }
		},
	}
	return nil
}

func (b *Workbench) revealed(msg revealedMsg) tea.Cmd {
	b.preview.forget()
	if msg.err != nil {
		return Send(NoticeMsg{Text: msg.err.Error(), Bad: true})
	}
	return Send(NoticeMsg{Text: "personal data is shown; R hides it again"})
}
