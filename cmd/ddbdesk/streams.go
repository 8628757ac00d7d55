package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"

	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/table"
)

// streams are the standard streams of a command: data goes to stdout, messages go
// to stderr.
type streams struct {
	stdin          *os.File // nil if no user can answer a prompt
	stdout, stderr io.Writer
	openTerminal   func() *table.Terminal // see app.terminal; nil in tests without one
}

// note writes a one-line message to stderr.
func (s streams) note(text string) {
	fmt.Fprintln(s.stderr, "ddbdesk: "+models.Printable(text))
}

// notef formats a one-line message and writes it to stderr.
func (s streams) notef(format string, args ...any) { s.note(fmt.Sprintf(format, args...)) }

// interactive reports whether stdin and stderr are a terminal, so that a prompt
// reaches a user.
func (s streams) interactive() bool {
	return s.stdin != nil && term.IsTerminal(s.stdin.Fd()) && isTerminal(s.stderr)
}

// plain reports whether stdout shows no color.
func (s streams) plain() bool {
	w := s.stdout
	if f, ok := fileOf(w); ok {
		w = f
	}
	return colorprofile.Detect(w, os.Environ()) <= colorprofile.ASCII
}

// readLine reads a line from stdin, or returns when ctx is done. The end of the
// input is an empty line.
func (s streams) readLine(ctx context.Context) (string, error) {
	type line struct {
		text string
		err  error
	}
	read := make(chan line, 1)
	crash.Go("read a line", func() {
		text, err := bufio.NewReader(s.stdin).ReadString('\n')
		read <- line{text, err}
	})
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case l := <-read:
		if l.err != nil && !errors.Is(l.err, io.EOF) {
			return "", l.err
		}
		return l.text, nil
	}
}

// isYes reports whether an answer is yes.
func isYes(text string) bool { return strings.EqualFold(text, "y") || strings.EqualFold(text, "yes") }

// nothingWritten is what a command says that a user did not agree to.
const nothingWritten = "nothing was written"

// agree asks at the terminal before something is written. Any answer that does not agree ends the command, after a note of
// what that means.
func (s streams) agree(ctx context.Context, question string, agrees func(answer string) bool, otherwise string) error {
	fmt.Fprint(s.stderr, question)
	answer, err := s.readLine(ctx)
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(s.stderr)
	case err != nil:
		return fmt.Errorf("read the answer: %w", err)
	case agrees(strings.TrimSpace(answer)):
		return nil
	}
	s.note(otherwise)
	return &codeError{exitInterrupted}
}

// fileOf returns the file below a stream and its fence, and false for any other
// writer.
func fileOf(w io.Writer) (*os.File, bool) {
	if fence, ok := w.(*models.SafeWriter); ok {
		w = fence.Unwrap()
	}
	f, ok := w.(*os.File)
	return f, ok
}

// isTerminal reports whether a stream, below its fence, is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := fileOf(w)
	return ok && term.IsTerminal(f.Fd())
}

// writeJSON writes v as indented JSON without control characters.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(export.Visible(w))
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// print writes the document of a command as JSON if that is the output format, else as
// the text that the function writes.
func (s streams) print(output string, document any, text func(io.Writer) error) error {
	if output == "json" {
		return writeJSON(s.stdout, document)
	}
	return text(s.tableOutput())
}

// maxEcho is how many terminal cells of an argument an error message repeats.
const maxEcho = 48

// short returns text as error messages repeat it: printable and not too long.
func short(text string) string { return models.Truncate(models.Printable(text), maxEcho) }

// maxWarning is how many terminal cells of a warning are shown: it may quote a
// whole key.
const maxWarning = 200

// warn notes the warnings about parameters.
func (s streams) warn(warnings []string) {
	for _, w := range warnings {
		s.note(models.Truncate(models.Printable(w), maxWarning))
	}
}
