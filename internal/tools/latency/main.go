//go:build linux

// Command latency measures the built program on a pseudo-terminal and compares it with a program that only shows a list
// with Bubble Tea. It measures both alternately on the same machine.
//
//	go run ./internal/tools/latency [-rows 100,20000] [-keys 100] [-starts 9] bin/ddbdesk
//
// It reports the time from the start of the process to the first frame, the wakeups and the memory of the program at
// rest, the time from a key to the first byte of output, the time for 200 keys at once, the bytes and processor time
// for each key, and the memory. It reads rows from an embedded database in a temporary folder; -data keeps the store,
// which saves time for many rows.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
)

// options contains the options of the command line.
type options struct {
	bin    string
	rows   []int
	keys   int
	starts int
	data   string // folder of the stores
	plain  string // the program for the comparison
}

func main() {
	rows := flag.String("rows", "100,20000", "comma-separated numbers of rows")
	o := options{}
	flag.IntVar(&o.keys, "keys", 100, "number of keys pressed one after the other")
	flag.IntVar(&o.starts, "starts", 9, "number of starts of each program")
	flag.StringVar(&o.data, "data", "", "folder of the stores with the rows (default: a temporary one)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := o.parse(*rows)
	if err == nil {
		err = measure(ctx, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "latency:", err)
		stop()
		os.Exit(1)
	}
}

func (o *options) parse(rows string) error {
	if flag.NArg() != 1 || o.keys < 1 || o.starts < 1 {
		return errors.New("usage: latency [flags] PROGRAM, with at least one key and one start")
	}
	bin, err := filepath.Abs(flag.Arg(0))
	if err != nil {
		return err
	}
	o.bin = bin
	for word := range strings.SplitSeq(rows, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 100 {
			return fmt.Errorf("-rows: invalid number %q; use 100 or more", word)
		}
		o.rows = append(o.rows, n)
	}
	return nil
}

// measure prints one line for each figure.
func measure(ctx context.Context, o options) (err error) {
	dir, err := os.MkdirTemp("", "latency-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if o.data == "" {
		o.data = dir
	}
	o.plain = filepath.Join(dir, "plain")
	build := exec.CommandContext(ctx, "go", "build", "-o", o.plain, "./internal/tools/latency/plain")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the plain program: %w\n%s", err, out)
	}
	fmt.Printf("%-46s %14s %14s %8s\n", "", "ddbdesk", "plain", "x-plain")
	if err := measureStarts(ctx, o, dir); err != nil {
		return err
	}
	if err := measureLargeStarts(ctx, o, dir); err != nil {
		return err
	}
	if err := measureRest(ctx, o, dir); err != nil {
		return err
	}
	plainResults, err := measureKeys(ctx, o, dir, []string{o.plain}, nil)
	if err != nil {
		return fmt.Errorf("the plain program: %w", err)
	}
	for _, n := range o.rows {
		args, err := prepare(ctx, o, dir, n)
		if err != nil {
			return err
		}
		figures, err := measureKeys(ctx, o, dir, args, func(p *program) error { return openRows(ctx, p, n) })
		if err != nil {
			return fmt.Errorf("%d rows: %w", n, err)
		}
		figures.print(n, plainResults)
	}
	return nil
}
