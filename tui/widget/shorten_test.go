package widget

import "testing"

func TestShorten(t *testing.T) {
	const id = "ver_79325239-e8c9-49b7-9f74-2269bbf424fd"
	tests := []struct {
		name, in string
		w        int
		want     string
	}{
		{"fits", id, 40, id},
		{"an ID", id, 20, "ver_79325239-e8…24fd"},
		{"a key", "CASE#" + id + " / META", 24, "CASE#ver_793…24fd / META"},
		{"a key with two IDs", "CASE#" + id + " / DOC#doc_1", 24, "CASE#ve…24fd / DOC#doc_1"},
		{"no room beside the rest", "CASE#" + id + " / DOC#doc_1", 19, "CASE#ver_79325…oc_1"},
		{"a few cells", id, 8, id},
		{"spaces", "                    ", 10, "      …   "},
		{"wide characters are cut at the end", "日本語日本語日本語", 12, "日本語日本語日本語"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := shorten(tt.in, tt.w); got != tt.want {
				t.Errorf("shorten(%q, %d) = %q, want %q", tt.in, tt.w, got, tt.want)
			}
		})
	}
}
