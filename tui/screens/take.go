package screens

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"

	"charm.land/bubbletea/v2"
)

// A piece is a text to take away. It is made when it is taken, off the screen's
// time, from values that were masked. A piece without a text is a heading.
type piece struct {
	key, label, note string
	what             string // names it in notices: "the item"
	file             string // its name as a file, with an ending
	text             func() (string, error)
	more             func() []piece // a menu of its own in the place of a text
	styled           bool           // it holds the console's own escape sequences

	// paste, when set, is the text as it is copied, and what to say about that.
	paste func(text string) (pasted, as string)
}

// pieceHeading is a title above pieces.
func pieceHeading(label string) piece { return piece{label: label} }

// sure is the text of a piece that always works out.
func sure(text func() string) func() (string, error) {
	return func() (string, error) { return text(), nil }
}

// takeNote says what can be done with a piece.
const takeNote = "enter copies · | pager · e editor · > file"

// A takeMenu is the box. Where a piece goes is a key, so that everything can go
// everywhere.
type takeMenu struct {
	*menu
	env    *Env
	pieces []piece
	place  *cover // where the box lies
}

// openCopyMenu offers pieces over the screen.
func openCopyMenu(c *cover, env *Env, pieces []piece) { c.box = newTakeMenu(env, c, pieces) }

func newTakeMenu(env *Env, c *cover, pieces []piece) *takeMenu {
	t := &takeMenu{menu: &menu{title: "Take away", key: "y", note: takeNote}, env: env, pieces: pieces, place: c}
	t.at = -1
	for i, p := range pieces {
		e := menuEntry{key: p.key, label: p.label, note: p.note}
		switch {
		case p.more != nil:
			e.run = func() tea.Cmd { openCopyMenu(c, env, p.more()); return nil }
		case p.text != nil:
			e.run = p.copy
		}
		if e.run != nil && t.at < 0 {
			t.at = i
		}
		t.entries = append(t.entries, e)
	}
	t.at = max(t.at, 0)
	return t
}

func (t *takeMenu) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, false
	}
	p := t.pieces[t.at]
	if key := press.String(); p.more != nil && (key == "|" || key == "e" || key == ">") {
		return Send(NoticeMsg{Text: "enter chooses what first"}), false
	}
	if p.text != nil {
		switch press.String() {
		case "|":
			return p.handOver(Pager), true
		case "e":
			return p.handOver(Editor), true
		case ">":
			t.place.box = newSave(t.env, p)
			return nil, true
		}
	}
	return t.menu.Update(msg)
}

// made makes the text and a message of it.
func (p piece) made(msg func(text string) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		text, err := p.text()
		if err != nil {
			return NoticeMsg{Text: p.what + ": " + err.Error(), Bad: true}
		}
		return msg(text)
	}
}

func (p piece) copy() tea.Cmd {
	return p.made(func(text string) tea.Msg {
		msg := CopyMsg{Text: text, What: p.named(text), Styled: p.styled}
		if p.paste != nil {
			as := ""
			msg.Text, as = p.paste(text)
			msg.What += as
		}
		return msg
	})
}

func (p piece) handOver(to Outside) tea.Cmd {
	return p.made(func(text string) tea.Msg { return HandOverMsg{To: to, File: p.file, Text: text, Styled: p.styled} })
}

// named is what the piece is called once its text is known.
func (p piece) named(text string) string {
	if holdsMasked(text) {
		return p.what + " (masked)"
	}
	return p.what
}

// maxNamePart is how many characters of a part a file's name has.
const maxNamePart = 70

// fileName makes the name of a file of what it holds.
func fileName(ending string, parts ...string) string {
	var words []string
	for _, p := range parts {
		word := strings.Trim(strings.Map(func(r rune) rune {
			switch {
			case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) || r == '_' || r == '.':
				return r
			case unicode.IsLetter(r):
				return -1
			}
			return '-'
		}, p), "-.")
		for strings.Contains(word, "--") {
			word = strings.ReplaceAll(word, "--", "-")
		}
		if len(word) > maxNamePart {
			word = strings.TrimRight(word[:maxNamePart], "-.") // It is ASCII.
		}
		if word != "" {
			words = append(words, word)
		}
	}
	if len(words) == 0 {
		words = []string{"ddbdesk"}
	}
	return strings.Join(words, "-") + "." + ending
}

// prettyJSON is JSON with a member a line.
func prettyJSON(raw []byte) string {
	var out bytes.Buffer
	if json.Indent(&out, raw, "", "  ") != nil {
		return string(raw)
	}
	return out.String()
}
