package doctor

import (
	"context"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/crash"
)

// samples are characters that terminals do not agree about.
var samples = []struct{ name, text string }{
	{"emoji", "🙂"},
	{"joined emoji", "👩‍💻"},
	{"flags", "🇩🇪"},
	{"emoji with a variation selector", "⚠️"},
	{"combining accents", "é"},
}

// askMouse asks whether the terminal knows SGR reports of the mouse (DECRQM).
const askMouse = "\x1b[?1006$p"

// question draws the samples at the beginning of the line, asks where the cursor is, and erases them. Every terminal
// answers the last question.
func question() string {
	var b strings.Builder
	b.WriteString(ansi.RequestKittyKeyboard + askMouse + ansi.SetModeUnicodeCore)
	for _, s := range samples {
		b.WriteString("\r" + s.text + ansi.RequestCursorPositionReport)
	}
	b.WriteString("\r" + ansi.EraseEntireLine + ansi.ResetModeUnicodeCore + ansi.RequestPrimaryDeviceAttributes)
	return b.String()
}

// answers are what a terminal says about itself.
type answers struct {
	any       bool
	kitty     bool
	mouseMode string // "" if the terminal says nothing about it, "0" if it does not know the mode
	widths    []int  // of the samples
}

var (
	kittyAnswer    = regexp.MustCompile(`\x1b\[\?\d+u`)
	mouseAnswer    = regexp.MustCompile(`\x1b\[\?1006;([0-4])\$y`)
	positionAnswer = regexp.MustCompile(`\x1b\[\d+;(\d+)R`)
	lastAnswer     = regexp.MustCompile(`\x1b\[\?[\d;]*c`)
)

func parse(text string) answers {
	a := answers{any: text != "", kitty: kittyAnswer.MatchString(text)}
	if m := mouseAnswer.FindStringSubmatch(text); m != nil {
		a.mouseMode = m[1]
	}
	for _, m := range positionAnswer.FindAllStringSubmatch(text, -1) {
		column, err := strconv.Atoi(m[1])
		if err == nil {
			a.widths = append(a.widths, column-1)
		}
	}
	return a
}

// Exchange sends a question, reading already, and reads until the last answer. The terminal must
// be raw. A read that waits when the context is done goes on until the program ends.
func Exchange(ctx context.Context, in io.Reader, out io.Writer, question string) string {
	read := make(chan []byte, 64) // more parts than there are answers
	crash.Go("read the answers of the terminal", func() {
		defer close(read)
		buffer := make([]byte, 256)
		for {
			n, err := in.Read(buffer)
			if n > 0 {
				select {
				case read <- append([]byte{}, buffer[:n]...):
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				return
			}
		}
	})
	if _, err := io.WriteString(out, question); err != nil {
		return ""
	}
	var text strings.Builder
	for !lastAnswer.MatchString(text.String()) {
		select {
		case part, more := <-read:
			if !more {
				return text.String()
			}
			text.Write(part)
		case <-ctx.Done():
			return text.String()
		}
	}
	return text.String()
}
