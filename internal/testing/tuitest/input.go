package tuitest

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// sequences contains the bytes that xterm sends for named keys.
var sequences = map[string]string{
	"enter": "\r", "esc": "\x1b", "tab": "\t", "shift+tab": "\x1b[Z", "space": " ", "backspace": "\x7f",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F",
	"pgup": "\x1b[5~", "pgdown": "\x1b[6~", "insert": "\x1b[2~", "delete": "\x1b[3~",
	"shift+up": "\x1b[1;2A", "shift+down": "\x1b[1;2B", "shift+right": "\x1b[1;2C", "shift+left": "\x1b[1;2D",
	"alt+up": "\x1b[1;3A", "alt+down": "\x1b[1;3B", "alt+right": "\x1b[1;3C", "alt+left": "\x1b[1;3D",
	"ctrl+up": "\x1b[1;5A", "ctrl+down": "\x1b[1;5B", "ctrl+right": "\x1b[1;5C", "ctrl+left": "\x1b[1;5D",
	"ctrl+home": "\x1b[1;5H", "ctrl+end": "\x1b[1;5F",
	"f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS", "f5": "\x1b[15~", "f6": "\x1b[17~",
	"f7": "\x1b[18~", "f8": "\x1b[19~", "f9": "\x1b[20~", "f10": "\x1b[21~", "f11": "\x1b[23~", "f12": "\x1b[24~",
}

// keyBytes returns the bytes for a key with its Bubble Tea name, such as "a", "G", "enter", "shift+tab", "ctrl+c",
// "alt+x" or "pgdown". ":drift" selects drift in the palette.
func keyBytes(key string) (string, error) {
	if seq, ok := sequences[key]; ok {
		return seq, nil
	}
	if utf8.RuneCountInString(key) == 1 {
		return key, nil
	}
	if strings.HasPrefix(key, ":") { // an entry of the palette
		return key + "\r", nil
	}
	if c, ok := strings.CutPrefix(key, "ctrl+"); ok && len(c) == 1 && c >= "a" && c <= "z" {
		return string(c[0] & 0x1f), nil
	}
	if c, ok := strings.CutPrefix(key, "alt+"); ok {
		if seq, err := keyBytes(c); err == nil {
			return "\x1b" + seq, nil
		}
	}
	return "", fmt.Errorf("unknown key %q", key)
}

// Press presses the keys in order, and waits for the program after each. It accepts Bubble Tea's names, such as
// "enter", "ctrl+c", "G" and "space".
func (tt *Terminal) Press(keys ...string) {
	tt.t.Helper()
	for _, key := range keys {
		seq, err := keyBytes(key)
		if err != nil {
			tt.t.Fatal(err)
		}
		tt.write(seq)
	}
}

// Reach presses keys and waits until the screen shows a text.
func (tt *Terminal) Reach(text string, keys ...string) {
	tt.t.Helper()
	tt.Press(keys...)
	tt.WaitFor(text)
}

// Enter types a text and confirms it with enter.
func (tt *Terminal) Enter(text string) {
	tt.t.Helper()
	tt.Type(text)
	tt.Press("enter")
}

// lookTime is the time for which a user looks at a form before typing.
const lookTime = 350 * time.Millisecond

// Type waits for lookTime. Then it sends all characters of the text at once, as a slow connection would.
func (tt *Terminal) Type(text string) {
	tt.t.Helper()
	tt.Advance(lookTime)
	tt.TypeAhead(text)
}

// TypeAhead sends all characters of the text at once without waiting first.
func (tt *Terminal) TypeAhead(text string) {
	tt.t.Helper()
	tt.write(text)
}

// Paste sends text as a terminal does in bracketed paste mode.
func (tt *Terminal) Paste(text string) {
	tt.t.Helper()
	tt.write("\x1b[200~" + text + "\x1b[201~")
}

// Click presses and releases the left button on a cell. The top left cell is 0,0.
func (tt *Terminal) Click(x, y int) {
	tt.t.Helper()
	tt.write(fmt.Sprintf("\x1b[<0;%d;%dM\x1b[<0;%d;%dm", x+1, y+1, x+1, y+1))
}

// ClickText clicks on the first cell of text, or fails if the screen does not show it.
func (tt *Terminal) ClickText(text string) {
	tt.t.Helper()
	x, y, ok := tt.Find(text)
	if !ok {
		tt.t.Fatalf("%q is not on the screen:\n%s", text, tt.Screen())
	}
	tt.Click(x, y)
}

// Wheel turns the wheel by one notch over a cell. The top left cell is 0,0.
func (tt *Terminal) Wheel(x, y int, up bool) {
	tt.t.Helper()
	button := 65
	if up {
		button = 64
	}
	tt.write(fmt.Sprintf("\x1b[<%d;%d;%dM", button, x+1, y+1))
}

// write sends bytes to the program, which must be running.
func (tt *Terminal) write(s string) {
	tt.t.Helper()
	if _, ended := tt.Exited(); ended {
		tt.t.Fatalf("the program has ended and cannot read %q", s)
	}
	time.Sleep(keyDelay)
	written := make(chan error, 1)
	go func() {
		_, err := tt.input.Write([]byte(s))
		written <- err
	}()
	if strings.HasSuffix(s, "\x1b") {
		tt.Advance(escapeTime)
	}
	tt.Advance(settleTime - keyDelay)
	select {
	case err := <-written:
		if err != nil {
			tt.t.Fatalf("send %q: %v", s, err)
		}
	default:
		// If the program quit while reading, the closed pipe ends the write.
		if _, ended := tt.Exited(); !ended {
			tt.t.Fatalf("the program does not read its input %q", s)
		}
	}
}
