//go:build linux

// Command pictures creates the pictures of screens in the documentation. It runs the built program on a
// pseudo-terminal, presses the keys of a script, and writes the screen as SVG.
//
//	go run ./internal/tools/pictures -out docs/pictures docs/pictures/scenes.txt
//
// A script has one step per line; "#" begins a comment:
//
//	run 120x40 bin/ddbdesk demo   end the running program, and start a program on a terminal of that size
//	run 120x40 light bin/…        the same on a light terminal
//	wait REGEXP                   wait until the screen matches, at most 20 seconds
//	press down enter ctrl+k x     press keys one after the other
//	type some text                type text
//	paste some text               paste text from the clipboard
//	shot NAME                     write NAME.svg
//	record NAME                   after run: film the program until it ends, as the animated NAME.svg
//	pause SECONDS                 show the last frame of a film longer
//
// It needs Linux for the pseudo-terminal.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	out := flag.String("out", ".", "output folder")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: pictures [-out DIR] SCRIPT")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := recordScript(ctx, flag.Arg(0), *out); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		stop()
		os.Exit(1)
	}
}

// recordScript runs the script and writes its pictures to out.
func recordScript(ctx context.Context, script, out string) (err error) {
	text, err := os.ReadFile(script)
	if err != nil {
		return err
	}
	steps, err := parse(script, string(text))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	p := player{ctx: ctx, out: out}
	defer func() { err = errors.Join(err, p.end()) }()
	for _, s := range steps {
		if err := p.play(s); err != nil {
			return fmt.Errorf("%s:%d: %s: %w", script, s.line, s.verb, err)
		}
	}
	return nil
}
