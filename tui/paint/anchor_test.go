package paint

import (
	"bytes"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// columns prints what was sent on a terminal that shows every code point by
// itself, as those without grapheme clusters do. It returns where the marks end
// up, and the rightmost column that was written to.
func columns(sent string) (marks []int, right int) {
	x, wraps := 0, true
	parser := ansi.NewParser()
	state := byte(0)
	for sent != "" {
		text, _, n, next := ansi.DecodeSequenceWc(sent, state, parser)
		switch {
		case text == "\r":
			x = 0
		case text == ansi.ResetModeAutoWrap || text == ansi.SetModeAutoWrap:
			wraps = text == ansi.SetModeAutoWrap
		case strings.HasPrefix(text, "\x1b["):
			switch ansi.Cmd(parser.Command()).Final() {
			case 'G':
				x, _ = parser.Param(0, 1)
				x--
			case 'H':
				x, _ = parser.Param(1, 1)
				x--
			case 'C':
				move, _ := parser.Param(0, 1)
				x += move
			}
		case text == "│":
			marks = append(marks, x)
			x++
		default:
			x += ansi.StringWidthWc(text)
			if !wraps {
				x = min(x, 20)
			}
		}
		right = max(right, x)
		sent, state = sent[n:], next
	}
	return marks, right
}

// A terminal that knows nothing of emoji of several code points shows what is
// behind them where it belongs.
func TestColumnsStayStraightInOldTerminals(t *testing.T) {
	for _, text := range []string{"👨‍👩‍👧‍👦", "❤️", "1️⃣", "👍🏽", "🏳️‍🌈👩🏽‍🚀", "日本", "e\u0301", "plain"} {
		blanks := strings.Repeat(" ", 18-ansi.StringWidth(text))
		for _, line := range []string{"│" + text + blanks + "│", "│" + blanks + text + "│", "│" + blanks + "│" + text} {
			var out bytes.Buffer
			s := New(strings.NewReader(""), &out)
			s.setEnv([]string{"TERM=xterm-256color"})
			s.setProfile(colorprofile.ASCII)
			s.resize(20, 1)
			s.frame = frame{content: line}
			sent := s.changes()
			marks, right := columns(sent)
			if len(marks) != 2 || marks[0] != 0 || marks[1] != ansi.StringWidth(line[:strings.LastIndex(line, "│")]) {
				t.Errorf("%s: the frame stands in columns %v: %q", text, marks, sent)
			}
			if right > 20 {
				t.Errorf("%s: written up to column %d: %q", text, right, sent)
			}
		}
	}
}
