package screens

import (
	"os/exec"
	"strings"

	"charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A Dialog is a box of the console itself: it may lie over every screen.
type Dialog struct{ box box }

// NewDialog returns a dialog of the root.
func NewDialog(b box) *Dialog { return &Dialog{b} }

// Update takes a message; done reports that the dialog is to be taken away.
func (d *Dialog) Update(msg tea.Msg) (cmd tea.Cmd, done bool) { return d.box.Update(msg) }

// Over draws the dialog over a screen of w by h cells.
func (d *Dialog) Over(s *widget.Styles, background string, w, h int) string {
	return d.box.Over(s, background, w, h)
}

// Cursor is the terminal's cursor on what Over drew, nil for none.
func (d *Dialog) Cursor() *tea.Cursor { return d.box.Cursor() }

// Click takes a click at x, y of the screen.
func (d *Dialog) Click(x, y int) (cmd tea.Cmd, done bool) { return d.box.Click(x, y) }

// Wheel scrolls what scrolls.
func (d *Dialog) Wheel(up bool) {
	if w, ok := d.box.(interface{ Wheel(up bool) }); ok {
		w.Wheel(up)
	}
}

// SetStyles changes the theme.
func (d *Dialog) SetStyles(s *widget.Styles) { d.box.SetStyles(s) }

// Leave closes the dialog without an answer: what waits for one is told so.
func (d *Dialog) Leave() {
	if l, ok := d.box.(interface{ leave() }); ok {
		l.leave()
	}
}

// A Question asks the person for a word while something waits for it, off the
// screen's time. It is made by NewQuestion.
type Question struct {
	title, text, placeholder string
	check                    func(answer string) string
	reply                    chan reply
}

type reply struct {
	text  string
	given bool
}

// NewQuestion returns a question. check says what is wrong with an answer, "" for
// nothing.
func NewQuestion(title, text, placeholder string, check func(answer string) string) Question {
	return Question{title, text, placeholder, check, make(chan reply, 1)}
}

// Wait returns the answer; false when the person left it.
func (q Question) Wait() (answer string, given bool) {
	r := <-q.reply
	return r.text, r.given
}

// Leave answers that there is no answer. Only the first answer counts.
func (q Question) Leave() { q.give(reply{}) }

func (q Question) give(r reply) {
	select {
	case q.reply <- r:
	default:
	}
}

// AnsweredMsg tells the root that the person answered a question.
type AnsweredMsg struct{}

// wordBox is a Question as a dialog.
type wordBox struct {
	*question
	asked Question
}

// NewQuestionDialog shows a question.
func NewQuestionDialog(s *widget.Styles, q Question) *Dialog {
	b := &wordBox{asked: q}
	b.question = newQuestion(q.title, "", "Go on", nil, q.text)
	b.dialog.Danger, b.dialog.Buttons[1].Danger = false, false
	b.ask(s, widget.FormField{Name: "answer", Label: q.title, Required: true, Placeholder: q.placeholder, Width: 24}, q.check)
	b.yes = func() tea.Cmd {
		q.give(reply{b.value(), true})
		return Send(AnsweredMsg{})
	}
	return NewDialog(b)
}

func (b *wordBox) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	cmd, done = b.question.Update(msg)
	return cmd, b.left(done)
}

func (b *wordBox) Click(x, y int) (cmd tea.Cmd, done bool) {
	cmd, done = b.question.Click(x, y)
	return cmd, b.left(done)
}

// left tells what waits that no answer comes, unless one was given.
func (b *wordBox) left(done bool) bool {
	if done {
		b.leave()
	}
	return done
}

func (b *wordBox) leave() { b.asked.Leave() }

// ExpiredMsg asks the root to offer the command that renews credentials.
type ExpiredMsg struct{ Command []string }

// A Retrier can do again what failed for want of credentials.
type Retrier interface{ Retry() tea.Cmd }

// OfferSignIn asks to offer a renewal when err is about expired credentials and
// the program that renews them is there; else it does nothing.
func OfferSignIn(err error) tea.Cmd {
	words := session.SignIn(err)
	if len(words) == 0 {
		return nil
	}
	return func() tea.Msg {
		if _, err := exec.LookPath(words[0]); err != nil {
			return nil // The error says what to run elsewhere.
		}
		return ExpiredMsg{words}
	}
}

// SignInMsg says that the person agreed to run the command.
type SignInMsg struct{ Command []string }

// NewSignIn asks whether the command may be run.
func NewSignIn(words []string) *Dialog {
	q := newQuestion("Credentials expired", "", "Sign in", func() tea.Cmd { return Send(SignInMsg{words}) },
		"ddbdesk can renew them with this program, which has the terminal until it is done:",
		models.Printable(strings.Join(words, " ")),
		"It may open a browser. Afterwards what failed is tried again.")
	q.dialog.Danger, q.dialog.Buttons[1].Danger = false, false
	return NewDialog(q)
}
