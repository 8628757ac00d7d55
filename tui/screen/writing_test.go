package screen

import "testing"

// A program that ended may never run the command that writes: then nothing is waited for, and nothing is written later
// either.
func TestAWriteThatNeverBeganIsNotWaitedFor(t *testing.T) {
	w := NewWriting()
	w.Wait()
	if w.Start() {
		t.Error("it begins after it was given up")
	}
}
