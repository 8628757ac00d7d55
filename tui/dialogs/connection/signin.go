package connection

import (
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

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

// wordBox is a Question as a dialog.
type wordBox struct {
	*overlay.Question
	asked Question
}

// NewQuestionDialog shows a question.
func NewQuestionDialog(s *widget.Styles, q Question) *overlay.Dialog {
	b := &wordBox{asked: q}
	b.Question = overlay.NewCalmQuestion(q.title, "", "Go on", nil, q.text)
	b.Ask(s, widget.FormField{Name: "answer", Label: q.title, Required: true, Placeholder: q.placeholder, Width: 24}, q.check)
	b.Yes = func() tea.Cmd {
		q.give(reply{b.Value(), true})
		return screen.Send(screen.AnsweredMsg{})
	}
	return overlay.NewDialog(b)
}

func (b *wordBox) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	cmd, done = b.Question.Update(msg)
	return cmd, b.left(done)
}

func (b *wordBox) Click(x, y int) (cmd tea.Cmd, done bool) {
	cmd, done = b.Question.Click(x, y)
	return cmd, b.left(done)
}

// left tells what waits that no answer comes, unless one was given.
func (b *wordBox) left(done bool) bool {
	if done {
		b.Leave()
	}
	return done
}

func (b *wordBox) Leave() { b.asked.Leave() }

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
		return screen.ExpiredMsg{Command: words}
	}
}

// NewSignIn asks whether the command may be run.
func NewSignIn(words []string) *overlay.Dialog {
	q := overlay.NewCalmQuestion("Credentials expired", "", "Sign in",
		func() tea.Cmd { return screen.Send(screen.SignInMsg{Command: words}) },
		"ddbdesk can renew them with this program, which has the terminal until it is done:",
		models.Printable(strings.Join(words, " ")),
		"It may open a browser. Afterwards what failed is tried again.")
	return overlay.NewDialog(q)
}
