package output

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/picture"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
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
func NewShot(ctx context.Context, s *widget.Styles, shot Shot, now func() time.Time, on *workspace.Workspace) *overlay.Dialog {
	b := &shotBox{}
	env := &screen.Env{Context: ctx, Styles: s, Now: now}
	if on != nil && !on.Session.Masker().Hides(models.PII) {
		env.Workspace = on // Its journal is told.
	}
	OpenCopyMenu(&b.Host, env, shot.Pieces())
	return overlay.NewDialog(b)
}

// Pieces are the forms in which the screen can be copied.
func (s Shot) Pieces() []Piece {
	lines := strings.Split(s.Frame, "\n")
	return []Piece{
		PieceHeading("Screen as"),
		{Key: "t", Label: "text", Note: "without colors", What: "the screen", File: present.FileName(
			"txt", s.Title,
		), Text: Fixed(func() string {
			plain := make([]string, len(lines))
			for i, l := range lines {
				plain[i] = strings.TrimRight(ansi.Strip(l), " ")
			}
			return strings.Join(plain, "\n") + "\n"
		})},
		{Key: "a", Label: "text with colors", Note: "cat shows it in a terminal", What: "the screen", styled: true, File: present.FileName(
			"ans", s.Title,
		), Text: Fixed(func() string {
			return strings.Join(lines, "\x1b[0m\n") + "\x1b[0m\n"
		})},
		{Key: "s", Label: "picture", Note: "SVG, as browsers show it", What: "the picture", File: present.FileName(
			"svg", s.Title,
		), Text: Fixed(func() string {
			colours := picture.Light
			if s.Dark {
				colours = picture.Dark
			}
			return string(picture.SVG(picture.Frame(s.Frame, s.W, s.H), s.W, s.H, colours))
		})},
	}
}

// A shotBox is a cover of its own, for the menu and the dialog that follows it.
type shotBox struct{ overlay.Host }

func (b *shotBox) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	cmd = b.ToBox(msg)
	return cmd, b.Box == nil
}

func (b *shotBox) Over(s *widget.Styles, background string, w, h int) string {
	return b.DrawBox(s, background, w, h)
}

func (b *shotBox) Cursor() *tea.Cursor { return b.Box.Cursor() }

func (b *shotBox) Click(x, y int) (cmd tea.Cmd, done bool) {
	cmd = b.ClickBox(x, y)
	return cmd, b.Box == nil
}

func (b *shotBox) SetStyles(s *widget.Styles) { b.StyleBox(s) }
