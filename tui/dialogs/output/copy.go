// Package output holds the dialogs that copy, save and export what is on a screen.
package output

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// A Piece is a text to take away. It is made when it is taken, off the screen's
// time, from values that were masked. A piece without a text is a heading.
type Piece struct {
	Key, Label, Note string
	What             string // names it in notices: "the item"
	File             string // its name as a file, with an ending
	Text             func() (string, error)
	Masked           func() bool    // whether values in Text are masked; nil: none is
	more             func() []Piece // a menu of its own in the place of a text

	// paste, when set, is the text as it is copied, and what to say about that.
	paste func(text string) (pasted, as string)
}

// PieceHeading is a title above pieces.
func PieceHeading(label string) Piece { return Piece{Label: label} }

// Fixed is the text of a piece that always works out.
func Fixed(text func() string) func() (string, error) {
	return func() (string, error) { return text(), nil }
}

// takeNote says what can be done with a piece.
const takeNote = "enter copies · | pager · e editor · > file"

// A TakeMenu is the box. Where a piece goes is a key, so that everything can go
// everywhere.
type TakeMenu struct {
	*overlay.Menu
	env    *screen.Env
	pieces []Piece
	place  *overlay.Host // where the box lies
}

// OpenCopyMenu offers pieces over the screen.
func OpenCopyMenu(c *overlay.Host, env *screen.Env, pieces []Piece) {
	c.Box = NewTakeMenu(env, c, pieces)
}

// NewTakeMenu returns the menu of pieces over a host.
func NewTakeMenu(env *screen.Env, c *overlay.Host, pieces []Piece) *TakeMenu {
	t := &TakeMenu{Menu: &overlay.Menu{Title: "Copy", Key: "y", Note: takeNote}, env: env, pieces: pieces, place: c}
	t.At = -1
	for i, p := range pieces {
		e := overlay.MenuEntry{Key: p.Key, Label: p.Label, Note: p.Note}
		switch {
		case p.more != nil:
			e.Run = func() tea.Cmd { OpenCopyMenu(c, env, p.more()); return nil }
		case p.Text != nil:
			e.Run = p.copy
		}
		if e.Run != nil && t.At < 0 {
			t.At = i
		}
		t.Entries = append(t.Entries, e)
	}
	t.At = max(t.At, 0)
	return t
}

// Update chooses a piece and where it goes.
func (t *TakeMenu) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, false
	}
	p := t.pieces[t.At]
	if key := press.String(); p.more != nil && (key == "|" || key == "e" || key == ">") {
		return screen.Send(screen.NoticeMsg{Text: "enter chooses what first"}), false
	}
	if p.Text != nil {
		switch press.String() {
		case "|":
			return p.handOver(screen.Pager), true
		case "e":
			return p.handOver(screen.Editor), true
		case ">":
			t.place.Box = newSave(t.env, p)
			return nil, true
		}
	}
	return t.Menu.Update(msg)
}

func (p Piece) made(msg func(text string) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		text, err := p.Text()
		if err != nil {
			return screen.NoticeMsg{Text: p.What + ": " + err.Error(), Bad: true}
		}
		return msg(text)
	}
}

func (p Piece) copy() tea.Cmd {
	return p.made(func(text string) tea.Msg {
		msg := screen.CopyMsg{Text: text, What: p.named()}
		if p.paste != nil {
			as := ""
			msg.Text, as = p.paste(text)
			msg.What += as
		}
		return msg
	})
}

func (p Piece) handOver(to screen.Outside) tea.Cmd {
	return p.made(func(text string) tea.Msg {
		return screen.HandOverMsg{To: to, File: p.File, Text: text}
	})
}

func (p Piece) named() string {
	if p.Masked != nil && p.Masked() {
		return p.What + " (masked)"
	}
	return p.What
}
