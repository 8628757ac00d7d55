package doctor

import (
	"fmt"
	"os/exec"
	"runtime"

	"github.com/dustin/go-humanize"
)

// A Terminal is the user's terminal and the environment of the program.
type Terminal struct {
	IsTerminal bool // the output is a terminal
	Colors     int  // number of supported colors, 0 for none
	Getenv     func(string) string
	// Clipboard reports whether a clipboard program is installed.
	Clipboard bool
}

// Findings describes the terminal.
func (t Terminal) Findings() []Finding {
	if t.Getenv("TERM") == "dumb" {
		return []Finding{problem("terminal", "TERM=dumb cannot show the console", "use another terminal, or commands such as ddbdesk run")}
	}
	if !t.IsTerminal {
		return []Finding{passed("terminal", "not checked: this is not a terminal"), t.clipboard()}
	}
	return []Finding{t.colors(), t.clipboard()}
}

func (t Terminal) colors() Finding {
	const check = "colors"
	name := "TERM=" + t.Getenv("TERM")
	switch {
	case t.Colors > 16:
		return passed(check, humanize.Comma(int64(t.Colors))+" ("+name+")")
	case t.Colors > 0:
		return warning(check, fmt.Sprintf("%d (%s)", t.Colors, name), "set COLORTERM=truecolor if your terminal shows more")
	}
	if t.Getenv("NO_COLOR") != "" {
		return passed(check, "none, because NO_COLOR is set")
	}
	return warning(check, "none ("+name+")", "set TERM to the name of your terminal, such as xterm-256color")
}

func (t Terminal) clipboard() Finding {
	const check = "clipboard"
	channel := "the terminal (OSC 52)"
	if t.Getenv("TMUX") != "" {
		channel = "tmux (OSC 52; it needs set-clipboard on)"
	}
	hasDisplay := runtime.GOOS != "linux" || t.Getenv("WAYLAND_DISPLAY") != "" || t.Getenv("DISPLAY") != ""
	switch {
	case t.Getenv("SSH_TTY") != "" || t.Getenv("SSH_CONNECTION") != "":
		return passed(check, "over SSH through "+channel)
	case !hasDisplay:
		return passed(check, "through "+channel+"; there is no display")
	case !t.Clipboard:
		return warning(check, "through "+channel+" only; some terminals ignore it", "install wl-clipboard, xclip or xsel")
	}
	return passed(check, "system clipboard, and "+channel)
}

// clipboardPrograms lists the programs that the console uses to copy on Linux and the BSDs. Other systems need none.
var clipboardPrograms = []string{"wl-copy", "xclip", "xsel", "termux-clipboard-set", "clip.exe"}

// HasClipboard reports whether a clipboard program is installed.
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
