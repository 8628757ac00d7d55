package data

import "testing"

func TestLoadProgress(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		checked, read int64
		want          string
	}{
		{12_500, 0, "12,500 items checked"},
		{12_500, 3_125, "25% · 3,125 of 12,500 items"},
		{12_500, 12_500, "100% · 12,500 of 12,500 items"},
	} {
		var in loadInput
		in.checked.Store(tt.checked)
		in.read.Store(tt.read)
		if got := in.progress(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
