package models

import (
	"strings"
	"testing"
)

// Every byte is found wherever it is, whatever is beside it.
func TestScansFindEveryByte(t *testing.T) {
	for _, around := range []byte{'x', 0xff, '"'} {
		for c := range 256 {
			for _, length := range []int{1, 8, 11} {
				for at := range length {
					text := []byte(strings.Repeat(string([]byte{around}), length))
					text[at] = byte(c)
					checkScans(t, string(text))
				}
			}
		}
	}
}

func checkScans(t *testing.T, text string) {
	t.Helper()
	for from := range len(text) + 1 {
		want := from
		for want < len(text) && text[want] >= ' ' && text[want] != '"' && text[want] != '\\' {
			want++
		}
		if got := PlainJSON(text, from); got != want {
			t.Fatalf("%q from %d: %d, want %d", text, from, got, want)
		}
		want = from
		for want < len(text) && text[want] >= ' ' && text[want] <= '~' {
			want++
		}
		if got := PrintableASCII(text, from); got != want {
			t.Fatalf("%q from %d: %d, want %d", text, from, got, want)
		}
		if got := PrintableASCII([]byte(text), from); got != want {
			t.Fatalf("%q from %d as bytes: %d, want %d", text, from, got, want)
		}
	}
}
