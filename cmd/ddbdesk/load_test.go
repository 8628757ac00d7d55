package main

import (
	"testing"
	"time"
)

func TestLoadProgressText(t *testing.T) {
	began := time.Date(2026, 1, 20, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name          string
		after         time.Duration
		checked, read int64
		want          string
	}{
		{"a short load", progressDelay - 1, 500, 0, ""},
		{"checking", progressDelay, 12_500, 0, "12,500 items checked"},
		{"writing", progressDelay, 12_500, 3_125, "25% · 3,125 of 12,500 items"},
		{"at the end", progressDelay, 12_500, 12_500, "100% · 12,500 of 12,500 items"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &loadProgress{started: began}
			p.checked.Store(tt.checked)
			p.read.Store(tt.read)
			if got := p.text(began.Add(tt.after)); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
