//go:build linux

// Latency measures ddbdesk as a person meets it: the built program on a
// pseudo-terminal, beside a program that has Bubble Tea show a list and does
// nothing else. Both are measured in turn, on the same machine at the same time.
//
//	go run ./internal/tools/latency [-rows 100,20000] [-keys 100] [-starts 9] bin/ddbdesk
//
// It reports from the start of the process to the first frame, from a key to the
// first byte that answers it, how long 200 keys take that come at once, bytes and
// processor time a key, and the memory. Rows are read from an embedded store in a folder of
// its own; -data keeps it, for large numbers.
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

// options are what is measured.
type options struct {
	bin    string
	rows   []int
	keys   int
	starts int
	data   string // folder with the stores
	plain  string // the program beside it
}

func main() {
	rows := flag.String("rows", "100,20000", "numbers of rows to scroll, with commas")
	o := options{}
	flag.IntVar(&o.keys, "keys", 100, "keys that are pressed one after the other")
	flag.IntVar(&o.starts, "starts", 9, "how often each program is started")
	flag.StringVar(&o.data, "data", "", "folder that keeps the stores with the rows (default: a new one, removed at the end)")
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
			return fmt.Errorf("-rows: %q is not a number from 100 on", word)
		}
		o.rows = append(o.rows, n)
	}
	return nil
}

// measure prints a line a figure.
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
	fmt.Printf("%-34s %14s %14s %8s\n", "", "ddbdesk", "plain", "x-plain")
	if err := starts(ctx, o, dir); err != nil {
		return err
	}
	beside, err := keysOf(ctx, o, dir, []string{o.plain}, nil)
	if err != nil {
		return fmt.Errorf("the plain program: %w", err)
	}
	for _, n := range o.rows {
		args, err := prepare(ctx, o, dir, n)
		if err != nil {
			return err
		}
		own, err := keysOf(ctx, o, dir, args, func(p *program) error { return openRows(ctx, p, n) })
		if err != nil {
			return fmt.Errorf("%d rows: %w", n, err)
		}
		own.print(n, beside)
	}
	return nil
}
