// Package cli contains the helpers that ddbdesk's commands share: standard streams, prompts at the terminal, exit
// codes, argument errors, help pages, JSON lists and the progress line. It does not depend on any command or setting.
package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/models"
)

// Streams are the standard streams of a command: data goes to stdout, messages go to stderr.
type Streams struct {
	Stdin          *os.File // nil if no user can answer a prompt
	Stdout, Stderr io.Writer
	OpenTerminal   func() io.Writer // returns the table writer, nil if stdout is not a terminal; nil in some tests
}

// Note writes a one-line message to stderr.
func (s Streams) Note(text string) { s.Message(models.Printable(text)) }

// Message writes the lines of a printable text to stderr. On a terminal, they wrap at words, and a command to run has
// its own line, which only the terminal wraps, so that the user can copy it.
func (s Streams) Message(text string) {
	lines := strings.Split("ddbdesk: "+text, "\n")
	if f, ok := FileOf(s.Stderr); ok && term.IsTerminal(f.Fd()) {
		if width, _, err := term.GetSize(f.Fd()); err == nil && width > 0 {
			lines = models.MapSlice(lines, func(l string) string { return wrapLine(l, width) })
		}
	}
	fmt.Fprintln(s.Stderr, strings.Join(lines, "\n"))
}

func wrapLine(text string, width int) string {
	command := ""
	if ansi.StringWidth(text) <= width {
		return text
	}
	for _, before := range []string{"run ", "with ", "as in ", "use "} {
		if at := strings.LastIndex(text, " "+before+"ddbdesk "); at >= 0 {
			at += len(before) + 1
			text, command = strings.TrimRight(text[:at], " "), "\n  "+text[at:]
			break
		}
	}
	return Wrap(text, width, "") + command
}

// Notef formats a one-line message and writes it to stderr.
func (s Streams) Notef(format string, args ...any) { s.Note(fmt.Sprintf(format, args...)) }

// Interactive reports whether stdin and stderr are a terminal, so that a prompt reaches a user.
func (s Streams) Interactive() bool {
	return s.Stdin != nil && term.IsTerminal(s.Stdin.Fd()) && IsTerminal(s.Stderr)
}

// Plain reports whether stdout must not show colors, because NO_COLOR has any value (https://no-color.org) or CLICOLOR
// is 0 (https://bixense.com/clicolors).
func (s Streams) Plain() bool {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("CLICOLOR") == "0" && os.Getenv("CLICOLOR_FORCE") == "" {
		return true
	}
	w := s.Stdout
	if f, ok := FileOf(w); ok {
		w = f
	}
	return colorprofile.Detect(w, os.Environ()) <= colorprofile.ASCII
}

// ReadLine reads a line from stdin, or returns when ctx is done. At the end of the input, it returns an empty line.
func (s Streams) ReadLine(ctx context.Context) (string, error) {
	type line struct {
		text string
		err  error
	}
	read := make(chan line, 1)
	crash.Go("read a line", func() {
		text, err := bufio.NewReader(s.Stdin).ReadString('\n')
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

// IsYes reports whether an answer is yes.
func IsYes(text string) bool { return strings.EqualFold(text, "y") || strings.EqualFold(text, "yes") }

// Confirm asks for confirmation at the terminal before ddbdesk writes. If the user does not confirm, it notes the
// consequence and returns an error that ends the command.
func (s Streams) Confirm(ctx context.Context, question string, confirms func(answer string) bool, fallback string) error {
	fmt.Fprint(s.Stderr, question)
	answer, err := s.ReadLine(ctx)
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(s.Stderr)
	case err != nil:
		return fmt.Errorf("read the answer: %w", err)
	case confirms(strings.TrimSpace(answer)):
		return nil
	}
	s.Note(fallback)
	return op.Interrupted
}

// FileOf returns the file below a stream and its filter, or false for any other writer.
func FileOf(w io.Writer) (*os.File, bool) {
	if filter, ok := w.(*models.SafeWriter); ok {
		w = filter.Unwrap()
	}
	f, ok := w.(*os.File)
	return f, ok
}

// IsTerminal reports whether a stream, below its filter, is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := FileOf(w)
	return ok && term.IsTerminal(f.Fd())
}

// maxWarning is the maximum width of a warning in terminal cells, because a warning may quote a whole key.
const maxWarning = 200

// Warn notes the warnings about parameters.
func (s Streams) Warn(warnings []string) {
	for _, w := range warnings {
		s.Note(models.Truncate(models.Printable(w), maxWarning))
	}
}

// TableOutput returns stdout, which draws tables if it is a terminal.
func (s Streams) TableOutput() io.Writer {
	if s.OpenTerminal != nil {
		if t := s.OpenTerminal(); t != nil {
			return t
		}
	}
	return s.Stdout
}
