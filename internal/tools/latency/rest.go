//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	// settleTime is the time until an unused program is at rest.
	settleTime = 3 * time.Second
	// measureTime is the duration of the measurement at rest.
	measureTime = 5 * time.Second
)

// counters are the kernel's counters of a program and its child processes.
type counters struct {
	wakeups int // of all threads
	rss     int // kB, of all processes; shared pages count for each
}

// measureRest measures ddbdesk while it shows patterns and gets no input, and the plain program.
func measureRest(ctx context.Context, o options, home string) error {
	figures, err := measureIdle(ctx, home, []string{o.bin, "authbridge", "--embedded=" + filepath.Join(home, "empty")}, patternsFrame)
	if err != nil {
		return err
	}
	plain, err := measureIdle(ctx, home, []string{o.plain}, plainFrame)
	if err != nil {
		return err
	}
	fmt.Printf("%-48s %11.1f/s %11.1f/s\n", "wakeups at rest", figures.perSecond(), plain.perSecond())
	fmt.Printf("%-48s %10d MB %10d MB\n", "memory when listed, all processes", figures.listed.rss>>10, plain.listed.rss>>10)
	fmt.Printf("%-48s %10d MB %10d MB\n", "memory at rest, all processes", figures.end.rss>>10, plain.end.rss>>10)
	return nil
}

// An idleFigures contains a program's counters after its content appeared, at rest, and some time later.
type idleFigures struct{ listed, begin, end counters }

func (f idleFigures) perSecond() float64 {
	return float64(f.end.wakeups-f.begin.wakeups) / measureTime.Seconds()
}

func measureIdle(ctx context.Context, home string, args []string, seen *regexp.Regexp) (r idleFigures, err error) {
	p, err := start(ctx, home, args)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, p.end()) }()
	if _, err := p.await(seen); err != nil {
		return r, err
	}
	if r.listed, err = countersOf(p.cmd.Process.Pid); err != nil {
		return r, err
	}
	if _, _, err := p.awaitQuiet(settleTime); err != nil {
		return r, err
	}
	if r.begin, err = countersOf(p.cmd.Process.Pid); err != nil {
		return r, err
	}
	time.Sleep(measureTime)
	r.end, err = countersOf(p.cmd.Process.Pid)
	return r, err
}

// countersOf adds the counters of a process and its children. Source: proc_pid_status(5).
func countersOf(pid int) (c counters, err error) {
	dir := fmt.Sprintf("/proc/%d", pid)
	if c.rss, err = field(filepath.Join(dir, "status"), "VmRSS"); err != nil {
		return c, err
	}
	threads, err := filepath.Glob(filepath.Join(dir, "task", "*"))
	if err != nil {
		return c, err
	}
	for _, thread := range threads {
		n, err := field(filepath.Join(thread, "status"), "voluntary_ctxt_switches")
		if err != nil {
			return c, err
		}
		c.wakeups += n
		children, err := os.ReadFile(filepath.Join(thread, "children"))
		if err != nil {
			return c, err
		}
		for child := range strings.FieldsSeq(string(children)) {
			pid, err := strconv.Atoi(child)
			if err != nil {
				return c, err
			}
			childCounters, err := countersOf(pid)
			if err != nil {
				return c, err
			}
			c.wakeups, c.rss = c.wakeups+childCounters.wakeups, c.rss+childCounters.rss
		}
	}
	return c, nil
}

// field returns a number in a status file.
func field(file, name string) (int, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			return strconv.Atoi(strings.Fields(value)[0])
		}
	}
	return 0, fmt.Errorf("%s has no field %s", file, name)
}
