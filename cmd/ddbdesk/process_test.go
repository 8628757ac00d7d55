package main

import (
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

func TestGCPercentFallsAsHeapGrows(t *testing.T) {
	for _, c := range []struct {
		live uint64
		want int
	}{{0, 400}, {2 << 20, 400}, {8 << 20, 100}, {16 << 20, 50}, {32 << 20, 30}, {200 << 20, 30}, {4 << 30, 30}} {
		if got := gcPercent(c.live); got != c.want {
			t.Errorf("gcPercent(%d MB) = %d, want %d", c.live>>20, got, c.want)
		}
	}
}

func TestSecondSignalExits(t *testing.T) {
	for _, c := range []struct {
		name      string
		suspended bool
		signals   []os.Signal
		want      string
	}{
		{"no signal", false, nil, ""},
		{"one signal", false, []os.Signal{syscall.SIGTERM}, "cancel"},
		{"two equal signals", false, []os.Signal{os.Interrupt, os.Interrupt}, "cancel end"},
		{"two different signals", false, []os.Signal{syscall.SIGTERM, os.Interrupt}, "cancel end"},
		{"interrupts during a pager", true, []os.Signal{os.Interrupt, os.Interrupt, os.Interrupt}, ""},
		{"other signals during a pager", true, []os.Signal{os.Interrupt, syscall.SIGHUP, os.Interrupt, syscall.SIGTERM}, "cancel end"},
	} {
		t.Run(c.name, func(t *testing.T) {
			received := make(chan os.Signal, len(c.signals))
			for _, s := range c.signals {
				received <- s
			}
			close(received)
			var suspended atomic.Bool
			suspended.Store(c.suspended)
			var got []string
			note := func(subject string) func() { return func() { got = append(got, subject) } }
			awaitSignals(received, &suspended, note("cancel"), note("end"))
			if strings.Join(got, " ") != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
