package doctor

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Terminal is that of the user, and the environment of the program.
type Terminal struct {
	Is     bool // it is one
	Colors int  // how many it shows, 0 for none
	Getenv func(string) string
	// Ask sends a question to the terminal and returns what it answers; nil if nothing can be asked.
	Ask func(ctx context.Context, question string) string
	// Clipboard reports whether a program of the system's clipboard is installed.
	Clipboard bool
}

// Findings describes the terminal.
func (t Terminal) Findings(ctx context.Context) []Finding {
	if t.Getenv("TERM") == "dumb" {
		return []Finding{problem("terminal", "TERM=dumb cannot show the console", "use another terminal, or commands such as ddbdesk run")}
	}
	if !t.Is {
		return []Finding{found("terminal", "not checked: this is not a terminal"), t.clipboard()}
	}
	out := []Finding{t.colors(), t.clipboard()}
	if t.Ask == nil {
		return out
	}
	a := parse(t.Ask(ctx, question()))
	if !a.any {
		return append(out, warning("terminal", "does not report its capabilities",
			"if text after emoji is misaligned, use another terminal"))
	}
	return append(out, a.keyboard(), a.mouse(), a.emoji())
}

func (t Terminal) colors() Finding {
	const check = "colors"
	name := "TERM=" + t.Getenv("TERM")
	switch {
	case t.Colors > 16:
		return found(check, humanize.Comma(int64(t.Colors))+" ("+name+")")
	case t.Colors > 0:
		return warning(check, fmt.Sprintf("%d (%s)", t.Colors, name), "set COLORTERM=truecolor if your terminal shows more")
	}
	if t.Getenv("NO_COLOR") != "" {
		return found(check, "none, because NO_COLOR is set")
	}
	return warning(check, "none ("+name+")", "set TERM to the name of your terminal, such as xterm-256color")
}

func (t Terminal) clipboard() Finding {
	const check = "clipboard"
	through := "the terminal (OSC 52)"
	if t.Getenv("TMUX") != "" {
		through = "tmux (OSC 52; it needs set-clipboard on)"
	}
	display := runtime.GOOS != "linux" || t.Getenv("WAYLAND_DISPLAY") != "" || t.Getenv("DISPLAY") != ""
	switch {
	case t.Getenv("SSH_TTY") != "" || t.Getenv("SSH_CONNECTION") != "":
		return found(check, "over SSH through "+through)
	case !display:
		return found(check, "through "+through+"; there is no display")
	case !t.Clipboard:
		return warning(check, "through "+through+" only; some terminals ignore it", "install wl-clipboard, xclip or xsel")
	}
	return found(check, "system clipboard, and "+through)
}

// clipboardPrograms are those that the console copies with on Linux and the BSDs; other systems need none.
var clipboardPrograms = []string{"wl-copy", "xclip", "xsel", "termux-clipboard-set", "clip.exe"}

// HasClipboard reports whether a program of the clipboard is installed.
func HasClipboard() bool {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return true
	}
	for _, name := range clipboardPrograms {
		if _, err := exec.LookPath(name); err == nil {
			return true
		}
	}
	return false
}

func (a answers) keyboard() Finding {
	if a.kitty {
		return found("keyboard", "Kitty keyboard protocol")
	}
	return found("keyboard", "standard keys, without the Kitty keyboard protocol")
}

func (a answers) mouse() Finding {
	switch a.mouseMode {
	case "":
		return found("mouse", "the terminal does not report whether it supports the mouse; tmux needs set -g mouse on")
	case "0":
		return warning("mouse", "the terminal does not support mouse events", "use the keys")
	}
	return found("mouse", "clicks and wheel")
}

func (a answers) emoji() Finding {
	const check = "emoji"
	var wrong []string
	for i, s := range samples {
		if i >= len(a.widths) {
			return warning(check, "the terminal does not report the cursor position",
				"if text after emoji is misaligned, use another terminal")
		}
		if want := models.Width(s.text); a.widths[i] != want {
			wrong = append(wrong, fmt.Sprintf("%s %s wide, not %d", s.name, english.Plural(a.widths[i], "column", ""), want))
		}
	}
	if len(wrong) > 0 {
		return warning(check, strings.Join(wrong, ", ")+", so text after them is misaligned",
			"use a terminal with grapheme clusters (mode 2027)")
	}
	return found(check, "the width that ddbdesk expects")
}
