package export

import (
	"strings"
	"testing"
)

func TestCSVCells(t *testing.T) {
	for text, want := range map[string]string{
		"plain": "plain", "=1+1": "'=1+1", "two\r\nlines\tand a tab": "two\nlines\tand a tab",
	} {
		if got := CSVCell(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	if got := CSVCell("\x1b[2J"); strings.ContainsRune(got, 0x1b) {
		t.Errorf("an escape sequence stays: %q", got)
	}
}
