package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"
)

// clock is a clock that a test moves.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func events(t *testing.T, text string) (head map[string]any, list [][]any) {
	t.Helper()
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		var err error
		if i == 0 {
			err = json.Unmarshal([]byte(line), &head)
		} else {
			list = append(list, nil)
			err = json.Unmarshal([]byte(line), &list[i-1])
		}
		if err != nil {
			t.Fatalf("line %d is not JSON: %v\n%s", i+1, err, line)
		}
	}
	return head, list
}

func TestRecordingHasWhatChanged(t *testing.T) {
	var out bytes.Buffer
	c := &clock{time.Unix(1_790_000_000, 0)}
	r := New(&out, c.now)
	r.Frame("one\ntwo", 20, 3, false)
	c.at = c.at.Add(1500 * time.Millisecond)
	r.Frame("one\ntwo", 20, 3, false)
	c.at = c.at.Add(500 * time.Millisecond)
	r.Frame("one\n\x1b[1mthree", 20, 3, false)
	r.Frame("wide", 30, 2, false)
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	head, list := events(t, out.String())
	term, _ := head["term"].(map[string]any)
	if head["version"] != 3.0 || term["cols"] != 20.0 || term["rows"] != 3.0 || head["timestamp"] != 1.79e9 {
		t.Errorf("the header is %v", head)
	}
	want := [][]any{
		{0.0, "o", "\x1b[?25l\x1b[2J\x1b[1;1Hone\x1b[0m\x1b[K\x1b[2;1Htwo\x1b[0m\x1b[K\x1b[3;1H\x1b[0m\x1b[K"},
		{2.0, "o", "\x1b[2;1H\x1b[1mthree\x1b[0m\x1b[K"},
		{0.0, "r", "30x2"},
		{0.0, "o", "\x1b[?25l\x1b[2J\x1b[1;1Hwide\x1b[0m\x1b[K\x1b[2;1H\x1b[0m\x1b[K"},
	}
	got, _ := json.Marshal(list)
	if expected, _ := json.Marshal(want); string(got) != string(expected) {
		t.Errorf("the events are\n%s\nwant\n%s", got, expected)
	}
}

// What a user typed is in no frame, however the console shows it.
func TestRecordingHidesWhatWasTyped(t *testing.T) {
	for name, c := range map[string]struct {
		keys       []string // "←" moves to the left, "⌫" deletes, "⏎" ends
		paste      string
		line, want string
	}{
		"typed":                   {keys: strings.Split("ana@x.org", ""), line: "Find ana@x.org", want: "Find •••@•.•••"},
		"in other case":           {keys: strings.Split("Kabelo", ""), line: "KABELO kabelo", want: "•••••• ••••••"},
		"cut off":                 {paste: "client_xyz789", line: "client_xy…", want: "••••••_••…"},
		"with other separators":   {paste: "+267 71 234 567", line: "+26771234567", want: "+•••••••••••"},
		"in colors":               {paste: "secret", line: "a \x1b[1msec\x1b[0mret b", want: "a \x1b[1m•••\x1b[0m••• b"},
		"short":                   {keys: []string{"a", "n", "a", "⏎"}, line: "ana Ana analysis", want: "••• ••• analysis"},
		"corrected":               {keys: strings.Split("kb←a⌫aelox", ""), line: "kaeloxb", want: "•••••••"},
		"wide":                    {paste: "東京都港区芝", line: "東京都港区芝 x", want: "•••••••••••• x"},
		"what was not typed":      {paste: "client_xyz789", line: "│ Queues  9 │", want: "│ Queues  9 │"},
		"commands are not hidden": {keys: []string{"j", "⏎", "k"}, line: "j k", want: "j k"},
	} {
		t.Run(name, func(t *testing.T) {
			r := New(&bytes.Buffer{}, time.Now)
			for _, k := range c.keys {
				switch k {
				case "←":
					r.Observe(tea.KeyPressMsg{Code: tea.KeyLeft})
				case "⌫":
					r.Observe(tea.KeyPressMsg{Code: tea.KeyBackspace})
				case "⏎":
					r.Observe(tea.KeyPressMsg{Code: tea.KeyEnter})
				default:
					r.Observe(tea.KeyPressMsg{Code: []rune(k)[0], Text: k})
				}
			}
			if c.paste != "" {
				r.Observe(tea.PasteMsg{Content: c.paste})
			}
			r.Frame(c.line, 80, 1, false)
			if len(r.lines) != 1 || r.lines[0] != c.want {
				t.Errorf("recorded %q, want %q", r.lines, c.want)
			}
		})
	}
}

// A frame with a pasted text never has it, whatever is around it.
func TestRecordingHidesEveryPastedText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[a-zA-Z0-9äß]{5,12}([-@._ ][a-z0-9]{1,6})?`).Draw(t, "secret")
		before := rapid.StringMatching(`([│ ]|\x1b\[1m)?[a-z]{0,3}`).Draw(t, "before")
		frame := before + secret + rapid.StringMatching(`[a-z]{0,3}(\x1b\[0m)?`).Draw(t, "after")
		var out bytes.Buffer
		r := New(&out, time.Now)
		r.Observe(tea.PasteMsg{Content: secret})
		r.Frame(frame, 80, 1, false)
		if strings.Contains(out.String(), secret[:5]) {
			t.Fatalf("%q is in %q", secret, out.String())
		}
	})
}

func TestRecordingLeavesOutRevealedFrames(t *testing.T) {
	var out bytes.Buffer
	r := New(&out, time.Now)
	r.Frame("ana@x.org", 60, 2, true)
	r.Frame("a••@•.org", 60, 2, false)
	if text := out.String(); strings.Contains(text, "ana") || !strings.Contains(text, notRecorded) || !strings.Contains(text, "a••@") {
		t.Errorf("recorded\n%s", text)
	}
}

type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

// A full disk ends the recording, not the console.
func TestRecordingEndsOnAFullDisk(t *testing.T) {
	r := New(full{}, time.Now)
	r.Frame("one", 20, 2, false)
	r.Frame("two", 20, 2, false)
	if !errors.Is(r.Err(), errFull) {
		t.Errorf("got %v", r.Err())
	}
	var none *Recorder
	none.Observe(tea.PasteMsg{Content: "x"})
	none.Frame("one", 20, 2, false)
	if none.Err() != nil {
		t.Error("no recorder has an error")
	}
}
