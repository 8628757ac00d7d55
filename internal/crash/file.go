// This file writes crash files and keeps the last few of them.

package crash

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
)

// A Setting is what a crash file says about the program and where it ran.
type Setting struct {
	Version string // of the program
	Command string // "ddbdesk run": the command without its arguments
	Term    string // the kind of terminal, "" for none
	Width   int    // of the terminal in cells, 0 when unknown
	Height  int
}

// kept is how many crash files there are at most.
const kept = 5

// prefix begins the name of a crash file, of which the time is the rest.
const prefix = "crash-"

// Dir is where crash files are.
func Dir() string { return filepath.Join(appdir.State(), "crashes") }

// Write writes the crash file of a report into a folder, which it creates when it
// is missing, and removes all but the last few. The file can be read by its owner
// alone (0600). The path is returned whenever the file was written, also beside an
// error about older ones.
func Write(dir string, s Setting, r Report) (path string, err error) {
	if err := appdir.Make(dir); err != nil {
		return "", fmt.Errorf("no crash file: %w", err)
	}
	text := []byte(s.text(r))
	name := prefix + r.At.UTC().Format("20060102T150405.000Z")
	for n := 0; ; n++ {
		path = filepath.Join(dir, name+".txt")
		if n > 0 {
			path = filepath.Join(dir, fmt.Sprintf("%s-%d.txt", name, n))
		}
		err = create(path, text)
		if !errors.Is(err, fs.ErrExist) || n == kept {
			break
		}
	}
	if err != nil {
		return "", fmt.Errorf("no crash file: %w", err)
	}
	return path, prune(dir)
}

// create writes a file that is not there yet: a link that somebody put in its
// place is not followed.
func create(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// prune removes the oldest files. Their names sort by time.
func prune(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, prefix+"*.txt"))
	if err != nil {
		return fmt.Errorf("older crash files stay: %w", err)
	}
	slices.Sort(files)
	var errs []error
	for _, f := range files[:max(len(files)-kept, 0)] {
		if err := os.Remove(f); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("an older crash file stays: %w", err))
		}
	}
	return errors.Join(errs...)
}

// odd are the characters that no name of a terminal or command has.
var odd = regexp.MustCompile(`[^A-Za-z0-9 ._+-]`)

// text is the content of the file.
func (s Setting) text(r Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "ddbdesk broke: %s\n\n", r.Kind)
	line := func(name, value string) { fmt.Fprintf(&b, "%-9s %s\n", name, value) }
	line("time", r.At.UTC().Format("2006-01-02T15:04:05Z"))
	line("version", s.Version)
	line("go", fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH))
	line("command", odd.ReplaceAllString(s.Command, "?"))
	line("terminal", s.terminal())
	if r.Doing != "" {
		line("doing", r.Doing)
	}
	fmt.Fprintf(&b, "\nThis file holds no item data: no values, no keys, no arguments.\n\n%s", r.Stacks)
	return b.String()
}

func (s Setting) terminal() string {
	name := odd.ReplaceAllString(s.Term, "?")
	if name == "" {
		name = "none"
	}
	if s.Width > 0 {
		return fmt.Sprintf("%s, %dx%d", name, s.Width, s.Height)
	}
	return name
}
