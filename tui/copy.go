package tui

import (
	"encoding/base64"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// terminalClipboard is how many bytes of base64 terminals take in one OSC 52:
// xterm, and tmux with it, drop longer ones without a word.
const terminalClipboard = 74_994

// copiedMsg says how the copying to the system's clipboard went.
type copiedMsg struct {
	what    string
	size    int
	through bool // the terminal was sent it as well
	err     error
}

// safeToPaste is a text as it is copied: to the letter, as what is pasted
// elsewhere has to be what is stored. A terminal that it is pasted into puts
// brackets around it, so that line breaks run nothing in a shell; only control
// characters could end the brackets. Those are shown as signs. Values that hold
// any come here as JSON, see screens.pasteText.
func safeToPaste(msg screen.CopyMsg) screen.CopyMsg {
	if !models.Pastable(msg.Text) {
		msg.Text = models.SafeText(msg.Text)
		msg.What += ", with signs for control characters,"
	}
	return msg
}

// copy puts text on the clipboard in both ways: through the terminal, which
// works over SSH, and through the system, which works where the terminal does
// not listen.
func (o *outside) copy(msg screen.CopyMsg) tea.Cmd {
	if !msg.Styled {
		msg = safeToPaste(msg)
	}
	write := o.m.o.Clipboard
	done := copiedMsg{what: msg.What, size: len(msg.Text), through: base64.StdEncoding.EncodedLen(len(msg.Text)) <= terminalClipboard}
	local := func() tea.Msg {
		done.err = write(msg.Text)
		return done
	}
	if !done.through {
		return local
	}
	return tea.Batch(tea.SetClipboard(msg.Text), local)
}

// arrive says that something was copied, and how far it got. The terminal does
// not answer: it is sent the text, and may be set up to take none.
func (msg copiedMsg) arrive(m *Model) tea.Cmd {
	remote := m.out.getenv("SSH_TTY") != "" || m.out.getenv("SSH_CONNECTION") != ""
	terminal := "the terminal"
	if m.out.getenv("TMUX") != "" {
		terminal = "tmux (it needs set-clipboard on)"
	}
	switch {
	case !msg.through && (msg.err != nil || remote):
		return m.say(
			widget.RoleBad,
			fmt.Sprintf("%s is %s, more than %s takes: save it to a file, > in the copy menu", msg.what, kilobytes(msg.size), terminal),
		)
	case !msg.through:
		return m.say(
			widget.RoleGood,
			fmt.Sprintf("copied %s to this machine's clipboard only: %s is more than the terminal takes", msg.what, kilobytes(msg.size)),
		)
	case msg.err != nil || remote:
		return m.say(widget.RoleGood, "copied "+msg.what+" through "+terminal)
	}
	return m.say(widget.RoleGood, "copied "+msg.what)
}

func kilobytes(n int) string { return fmt.Sprintf("%d KB", (n+1023)/1024) }
