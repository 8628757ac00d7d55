package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A demoRun runs the demo on a terminal and counts the keys that it presses.
type demoRun struct {
	*terminalRun
	keys int
	last time.Time // time of the last key
}

// keyPause is longer than the time in which the program treats several letters as pasted text, even on a busy machine.
const keyPause = 100 * time.Millisecond

// press presses a key keyPause after the previous one, because the program treats faster letters as text.
func (d *demoRun) press(key string) {
	d.t.Helper()
	time.Sleep(time.Until(d.last.Add(keyPause)))
	d.terminalRun.press(key)
	d.last = time.Now()
}

// typeText waits like a user who looks at the field, then types text. The text does not count as keys.
func (d *demoRun) typeText(text string) {
	d.t.Helper()
	d.last = time.Now().Add(350 * time.Millisecond)
	d.press(text)
}

func startDemo(t *testing.T, args ...string) *demoRun {
	t.Helper()
	return &demoRun{terminalRun: startOnTerminal(t, nil, "ddbdesk", append([]string{"demo"}, args...)...)}
}

// pressUntil presses keys, counts each of them, and waits for a text.
func (d *demoRun) pressUntil(until string, keys ...string) {
	d.t.Helper()
	for _, key := range keys {
		d.keys++
		d.press(key)
	}
	d.until(until)
}

// paste pastes text, which counts as one key, and waits for another text.
func (d *demoRun) paste(until, text string) {
	d.t.Helper()
	d.pressUntil(until, "\x1b[200~"+text+"\x1b[201~")
}

// confirm moves to a dialog's button and presses it.
func (d *demoRun) confirm(until string) {
	d.t.Helper()
	d.keys++
	d.press("\t")
	d.enter(until)
}

// enter presses enter until a new dialog accepts it, which takes a moment. This counts as one key.
func (d *demoRun) enter(until string) {
	d.t.Helper()
	d.keys++
	d.repeatUntil(until, func() { d.press("\r") })
}

// repeatUntil repeats do until the text is on the screen, because the text may appear late.
func (d *demoRun) repeatUntil(until string, do func()) {
	d.t.Helper()
	for range 40 {
		do()
		for end := time.Now().Add(500 * time.Millisecond); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			if strings.Contains(d.shown(), until) {
				return
			}
		}
	}
	d.t.Fatalf("%s did not appear:\n%s", until, d.shown())
}

// pressOnCase moves the cursor down to a case in review and presses a key. It repeats this if a refresh moved the rows.
// Only the key counts, because the distance to the row depends on the data.
func (d *demoRun) pressOnCase(key, until string) {
	d.t.Helper()
	d.keys++
	d.repeatUntil(until, func() {
		for range 20 {
			line := cursorLine(d.shown())
			if strings.Contains(line, "in_review") && !strings.Contains(line, "▌-") {
				break
			}
			d.press("j")
			d.within(20*time.Second, "the next row", func() bool { return cursorLine(d.shown()) != line })
		}
		d.press(key)
	})
}

// The tour finds, opens and decodes an item, meets a conflict, makes another decision and undoes it, and ends on the
// home screen. Its card never covers the frame of a screen.
func TestDemoTour(t *testing.T) {
	t.Parallel()
	d := startDemo(t, "--tour")
	d.until("Tour 1 of 10")
	d.press("client_xyz789")
	d.until("20+ items")
	d.until("Tour 2 of 10")
	d.pressUntil("› Verification case  ver_", "\r")
	d.pressUntil("Tour 3 of 10", "\r")
	d.pressUntil("Tour 4 of 10", "2")
	d.pressUntil("Tour 5 of 10", "4")
	d.paste("Tour 6 of 10", "CASE#ver_1 / META")
	d.pressUntil("1 Overview", "\x1b")
	d.pressUntil("Tour 7 of 10", "i")
	d.until("waiting ·")
	d.pressOnCase("o", "Approve")
	d.pressUntil("Show the plan", "a")
	d.pressUntil("The plan shows every write", "\r")
	d.confirm("Tour 8 of 10")
	d.until("Changed by lesego: approve")
	d.pressUntil("Select another item with status in_review", "\x1b")
	d.until("No longer in the list")
	d.pressOnCase("o", "Approve")
	d.pressUntil("Show the plan", "a")
	d.pressUntil("Press tab and enter to apply it", "\r")
	d.confirm("Tour 9 of 10")
	d.confirm("Show the plan")
	d.pressUntil("This plan undoes the change", "\r")
	d.confirm("Tour 10 of 10")
	d.pressUntil("o actions", "\x1b")
	d.pressUntil("Tour complete", "\x1b[1;3H")
	if strings.Contains(d.shown(), "Tour 10") {
		t.Errorf("the tour card is still visible:\n%s", d.shown())
	}
	if found, err := filepath.Glob(filepath.Join(d.state, "journal*")); err != nil || len(found) > 0 {
		t.Errorf("the demo wrote to the machine's journal: %q, %v", found, err)
	}
}

// cursorLine returns the line of the screen that contains the cursor.
func cursorLine(screen string) string {
	for line := range strings.SplitSeq(screen, "\n") {
		if strings.Contains(line, "▌") {
			return line
		}
	}
	return ""
}
