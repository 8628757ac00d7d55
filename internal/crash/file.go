package crash

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
)

// An Environment describes the program and its terminal in a crash report.
type Environment struct {
	Version string // version of ddbdesk
	Command string // command without its arguments, for example "ddbdesk run"
	Term    string // terminal type, "" without a terminal
	Width   int    // terminal width in cells, 0 if unknown
	Height  int    // terminal height in cells, 0 if unknown
}

// maxReports is the maximum number of crash reports to keep.
const maxReports = 5

// prefix is the prefix of a crash report's file name; the time follows.
const prefix = "crash-"

// Dir returns the folder of the crash reports.
func Dir() string { return filepath.Join(appdir.State(), "crashes") }

// Write writes a report to a new file in dir, which only its owner can read (0600), and removes the oldest reports. It
// creates dir if it does not exist. If path is not empty, the file is complete and the error concerns older reports.
func Write(dir string, s Environment, r Report) (path string, err error) {
	if err := appdir.Make(dir); err != nil {
		return "", fmt.Errorf("write the crash report: %w", err)
	}
	name := filepath.Join(dir, prefix+r.At.UTC().Format("20060102T150405.000Z"))
	path = name + ".txt"
	for n := 1; ; n++ {
		err = create(path, []byte(s.text(r)))
		if !errors.Is(err, fs.ErrExist) || n > maxReports {
			break
		}
		path = fmt.Sprintf("%s-%d.txt", name, n)
	}
	if err != nil {
		return "", fmt.Errorf("write the crash report: %w", err)
	}
	return path, prune(dir)
}

// create writes a new file. It fails if the path exists, even as a symbolic link.
func create(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

func prune(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, prefix+"*.txt"))
	if err != nil {
		return fmt.Errorf("list older crash reports: %w", err)
	}
	slices.Sort(files)
	var errs []error
	for _, f := range files[:max(len(files)-maxReports, 0)] {
		if err := os.Remove(f); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("remove an older crash report: %w", err))
		}
	}
	return errors.Join(errs...)
}

// unusualCharacters matches characters that do not occur in terminal or command names.
var unusualCharacters = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Za-z0-9 ._+-]`) })

func (s Environment) text(r Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "ddbdesk crashed: %s\n\n", r.Kind)
	line := func(name, value string) { fmt.Fprintf(&b, "%-9s %s\n", name, value) }
	line("time", r.At.UTC().Format("2006-01-02T15:04:05Z"))
	line("version", s.Version)
	line("go", fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH))
	line("command", unusualCharacters().ReplaceAllString(s.Command, "?"))
	line("terminal", s.terminal())
	if r.Activity != "" {
		line("doing", r.Activity)
	}
	fmt.Fprintf(&b, "\nThis file contains no item data: no values, no keys, no arguments.\n\n%s", r.Stacks)
	return b.String()
}

func (s Environment) terminal() string {
	name := cmp.Or(unusualCharacters().ReplaceAllString(s.Term, "?"), "none")
	if s.Width > 0 {
		return fmt.Sprintf("%s, %dx%d", name, s.Width, s.Height)
	}
	return name
}
