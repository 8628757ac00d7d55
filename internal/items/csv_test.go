package items

import (
	"strings"
	"testing"
)

// A paste is split at tabs, and often at commas.
func TestPastedCellsStartNoFormula(t *testing.T) {
	for cell, want := range map[string]string{
		"a,b": "a,b", "a,=1+1": "a,'=1+1", "a, +1+1,x": "a,' +1+1,x", "'=1": "'=1", "a\n'=1": "a '=1", "1,-2": "1,-2", "a,\"=1": "a,'\"=1",
	} {
		if got := pasted(cell); got != want {
			t.Errorf("%q becomes %q, want %q", cell, got, want)
		}
	}
}

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
