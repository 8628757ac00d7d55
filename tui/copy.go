package tui

import (
	"encoding/base64"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// terminalClipboard is the maximum length, in base64 bytes, of a text in an OSC 52 sequence. xterm and tmux silently
// drop longer sequences.
const terminalClipboard = 74_994

// copyOutcome is the result of a copy to the system clipboard.
type copyOutcome struct {
	subject    string
	size       int
	toTerminal bool // ddbdesk also sent the text to the terminal
	err        error
}

// withSafeText replaces control characters: they could end a bracketed paste, so that a shell runs the pasted lines.
func withSafeText(msg screen.CopyMsg) screen.CopyMsg {
	if !models.IsPastable(msg.Text) {
		msg.Text = models.SafeText(msg.Text)
		msg.What += " (control characters replaced)"
	}
	return msg
}

// copy sends the text to the terminal, which works over SSH, and to the system clipboard, in case OSC 52 is disabled.
func (m *Model) copy(msg screen.CopyMsg) tea.Cmd {
	if m.env == nil || !m.env.Session.JournalsReads() {
		return m.copyNow(msg)
	}
	ctx, exporter := m.env.Context, m.env.Exporter
	return func() tea.Msg {
		if err := exporter.RecordCopy(ctx, msg.What); err != nil {
			return screen.NoticeMsg{Text: "nothing was copied: " + err.Error(), Bad: true}
		}
		return screen.Answer(func() tea.Cmd { return m.copyNow(msg) })
	}
}

func (m *Model) copyNow(msg screen.CopyMsg) tea.Cmd {
	msg = withSafeText(msg)
	write := m.o.Clipboard
	outcome := copyOutcome{
		subject: msg.What, size: len(msg.Text),
		toTerminal: base64.StdEncoding.EncodedLen(len(msg.Text)) <= terminalClipboard,
	}
	copyLocally := func() tea.Msg {
		outcome.err = write(msg.Text)
		return screen.Answer(func() tea.Cmd { return m.reportCopy(outcome) })
	}
	if !outcome.toTerminal {
		return copyLocally
	}
	return tea.Batch(tea.SetClipboard(msg.Text), copyLocally)
}

// reportCopy shows a notice. A terminal never confirms a copy, and its configuration may disable copying.
func (m *Model) reportCopy(outcome copyOutcome) tea.Cmd {
	isRemote := m.getenv("SSH_TTY") != "" || m.getenv("SSH_CONNECTION") != ""
	terminal := "the terminal"
	if m.getenv("TMUX") != "" {
		terminal = "tmux (it needs set-clipboard on)"
	}
	switch {
	case !outcome.toTerminal && (outcome.err != nil || isRemote):
		return m.notify(
			widget.RoleBad,
			fmt.Sprintf("%s is %s, which is more than %s accepts; save it to a file from the copy menu",
				outcome.subject, kilobytes(outcome.size), terminal),
		)
	case !outcome.toTerminal:
		return m.notify(
			widget.RoleGood,
			fmt.Sprintf("copied %s to this machine's clipboard only; the terminal does not accept %s", outcome.subject,
				kilobytes(outcome.size)),
		)
	case outcome.err != nil || isRemote:
		return m.notify(widget.RoleGood, "copied "+outcome.subject+" through "+terminal)
	}
	return m.notify(widget.RoleGood, "copied "+outcome.subject)
}

func kilobytes(n int) string { return fmt.Sprintf("%d KB", (n+1023)/1024) }
