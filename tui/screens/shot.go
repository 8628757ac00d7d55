package screens

import (
	"strings"
	"time"

	"charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/picture"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A Shot is a screen as it was drawn, with its escape sequences.
type Shot struct {
	Frame string
	W, H  int
	Dark  bool
	Title string // names the file
}

// NewShot returns the dialog that copies the shot, hands it over or saves it. on
// is the session that it shows, nil for none.
func NewShot(s *widget.Styles, shot Shot, now func() time.Time, on *session.Session) *Dialog {
	b := &shotBox{}
	env := &Env{Styles: s, Now: now}
	if on != nil && !on.Masker().Hides(models.PII) {
		env.Session = on // Its journal is told.
	}
	openCopyMenu(&b.cover, env, shot.pieces())
	return NewDialog(b)
}

func (s Shot) pieces() []piece {
	lines := strings.Split(s.Frame, "\n")
	return []piece{
		pieceHeading("Screen as"),
		{key: "t", label: "text", note: "without colours", what: "the screen", file: fileName("txt", s.Title), text: sure(func() string {
			plain := make([]string, len(lines))
			for i, l := range lines {
				plain[i] = strings.TrimRight(ansi.Strip(l), " ")
			}
			return strings.Join(plain, "\n") + "\n"
		})},
		{key: "a", label: "text with colours", note: "cat shows it in a terminal", what: "the screen", styled: true, file: fileName("ans", s.Title), text: sure(func() string {
			return strings.Join(lines, "\x1b[0m\n") + "\x1b[0m\n"
		})},
		{key: "s", label: "picture", note: "SVG, as browsers show it", what: "the picture", file: fileName("svg", s.Title), text: sure(func() string {
			colours := picture.Light
			if s.Dark {
				colours = picture.Dark
			}
			return string(picture.SVG(picture.Frame(s.Frame, s.W, s.H), s.W, s.H, colours))
		})},
	}
}

// A shotBox is a cover of its own, for the menu and the dialog that follows it.
type shotBox struct{ cover }

func (b *shotBox) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	cmd = b.toBox(msg)
	return cmd, b.box == nil
}

func (b *shotBox) Over(s *widget.Styles, background string, w, h int) string {
	return b.drawBox(s, background, w, h)
}

func (b *shotBox) Cursor() *tea.Cursor { return b.box.Cursor() }

func (b *shotBox) Click(x, y int) (cmd tea.Cmd, done bool) {
	cmd = b.clickBox(x, y)
	return cmd, b.box == nil
}

func (b *shotBox) SetStyles(s *widget.Styles) { b.styleBox(s) }
