package tui

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/testing/hostile"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

// A act is something that is done to the console. It means the same wherever it
// is done, so that others can be left out.
type act struct {
	what string   // how it is done
	keys []string // pressed one after the other
	text string   // typed or pasted
	x, y int      // a place in thousandths of the screen, or a size
	wait time.Duration
}

func (d act) String() string {
	switch d.what {
	case "press":
		return "press " + strings.Join(d.keys, " ")
	case "type", "paste", "network":
		return fmt.Sprintf("%s %.80q", d.what, d.text)
	case "wait":
		return "wait " + d.wait.String()
	case "item", "change":
		return fmt.Sprintf("%s %d %v", d.what, d.x, d.keys)
	case "resize":
		return fmt.Sprintf("resize %dx%d", d.x, d.y)
	case "click", "wheel up", "wheel down":
		return fmt.Sprintf("%s at %d/1000, %d/1000", d.what, d.x, d.y)
	}
	return d.what
}

// soakCases is how many cases can be opened by number.
const soakCases = 20

// soakKeys are all keys that mean something somewhere. The one that suspends
// would suspend the test.
var soakKeys = func() []string {
	known := map[string]bool{"ctrl+z": true}
	var list []string
	for _, s := range Scopes() {
		for _, a := range slices.Concat(s.Actions, s.Pieces) {
			for _, k := range a.Binding.Keys() {
				if !known[k] && !strings.Contains(k, " ") { // Each key of a sequence is one of its own.
					known[k] = true
					list = append(list, k)
				}
			}
		}
	}
	return append(
		list, "ctrl+c", "tab", "shift+tab", "enter", "esc", "space", "backspace", "delete", "left", "right", "ctrl+u",
		"ctrl+w", "ctrl+a", "ctrl+e", "alt+left",
	)
}()

// moves are the keys that people press most.
var moves = []string{
	"down", "down", "down", "up", "up", "left", "right", "pgdown", "pgup", "home", "end", "tab", "shift+tab", "space",
	"G", "g", "enter", "enter", "esc",
}

// ways lead to where single keys seldom do.
var soakWays = [][]string{
	{"Q", "enter"},
	{"Q", "a", "o", "k", "enter", "tab", "enter"},
	{"Q", "space", "down", "space", "a", "o", "k", "enter", "tab", "enter"},
	{"3", "enter", "o", "k", "enter", "tab", "enter"},
	{"o", "enter", "o", "k", "enter", "tab", "enter"},
	{"u", "o", "k", "enter", "tab", "enter"},
	{"J", "enter"},
	{"J", "u", "o", "k", "enter", "tab", "enter"},
	{"R", "w", "h", "y", "enter"},
	{"E", "enter"},
	{"E", "tab", "right", "enter"},
	{"b", "n", "enter"},
	{"B", "enter"},
	{"H", "enter"},
	{"M", "enter"},
	{"F", "enter"},
	{"D", "enter"},
	{"C", "down", "enter"},
	{"=", "enter"},
	{"y", "down", "enter"},
	{"y", "e"},
	{"esc", "esc", "esc", "esc", "esc"},
	{"enter", "enter", "enter"},
	{"c", "right", "space", "enter"},
	{"s", "enter"},
	{"/", "i", "n", "enter"},
	{":", "l", "i", "s", "t", "enter"},
	{"n", "n", "n"},
	{"alt+home", "enter"},
	{"alt+home", "down", "enter"},
	{"alt+home", "down", "enter", "down", "down", "enter"},
	{"down", "down", "space", "E", "enter"},
	{"f"},
	{"x"},
	{"A"},
	{"R", "w", "h", "y", "enter", "y", "enter"},
	{"4"},
	{"5", "enter"},
	{"5", "/", "v", "e", "r", "enter", "n"},
	{"r"},
	{"v"},
}

// words are typed and pasted.
var soakWords = []string{
	"in_review", "client_xyz789", "ver_", "a", "2026-01-20", "status = approved", ".status == \"in_review\"", "select(",
	"~/x", "/nowhere/at/all",
	"CASE#ver_00000001-77aa-4c02-9d11-0a1b2c3d4e5f / META",
	`{"PK":{"S":"CASE#ver_00000001-77aa-4c02-9d11-0a1b2c3d4e5f"},"SK":{"S":"META"}}`,
	hostile.Text, "two\nlines", strings.Repeat("x", 5000), strings.Repeat(
		"日本 ", 400,
	), "\x00\x1b[A", "%s%n", "-1", "99999999999999999999999999999999999999",
}

func randomAct(rng *rand.Rand) act {
	pick := func(list []string) string { return list[rng.IntN(len(list))] }
	switch n := rng.IntN(100); {
	case n < 25:
		return act{what: "press", keys: []string{pick(moves)}}
	case n < 43:
		return act{what: "press", keys: []string{pick(soakKeys)}}
	case n < 46:
		return act{what: "rows"}
	case n < 51:
		return act{what: "item", x: rng.IntN(soakCases)}
	case n < 55:
		return act{
			what: "change", x: rng.IntN(soakCases), keys: []string{"down", "down", "down"}[:rng.IntN(4)],
			wait: 600 * time.Millisecond,
		}
	case n < 70:
		return act{what: "press", keys: soakWays[rng.IntN(len(soakWays))], wait: 600 * time.Millisecond}
	case n < 74:
		return act{what: "type", text: pick(soakWords)}
	case n < 77:
		return act{what: "paste", text: pick(soakWords)}
	case n < 80:
		var many strings.Builder
		for range 30 {
			many.WriteString(pick([]string{"j", "k", "\x1b[B", "\x1b[A", "n", "l"}))
		}
		return act{what: "type", text: many.String()}
	case n < 85:
		return act{what: "click", x: rng.IntN(1000), y: rng.IntN(1000)}
	case n < 88:
		return act{what: pick([]string{"wheel up", "wheel down"}), x: rng.IntN(1000), y: rng.IntN(1000)}
	case n < 92:
		sizes := []tuitest.Size{
			{W: 80, H: 24},
			{W: 120, H: 40},
			{W: 60, H: 16},
			{W: 59, H: 15},
			{W: 1, H: 1},
			{W: 200, H: 60},
			{W: 60 + rng.IntN(100), H: 16 + rng.IntN(30)},
		}
		s := sizes[rng.IntN(len(sizes))]
		return act{what: "resize", x: s.W, y: s.H}
	case n < 95:
		return act{what: "network", text: pick([]string{"good", "good", "bad", "bad", "slow", "down", "hangs"})}
	case n < 98:
		return act{what: "wait", wait: []time.Duration{time.Second, 15 * time.Second, 10 * time.Minute}[rng.IntN(3)]}
	case n < 99:
		return act{what: pick([]string{"focus", "blur"})}
	}
	return act{what: "restart"}
}
