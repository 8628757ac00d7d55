package journal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
)

// LineError says what is wrong with one line of a journal.
type LineError struct {
	Path string
	Line int  // From 1.
	Torn bool // The last line, without its newline: its writing was interrupted.
	Err  error
}

// Error returns "path:line: what is wrong".
func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err) }

// Unwrap returns what is wrong with the line.
func (e *LineError) Unwrap() error { return e.Err }

// Read yields the entries of the journal at path in the order of the file. A line that is no entry yields a
// *LineError, and reading goes on after it; any other error ends it. A missing file is an empty journal. Read does not check
// hashes: Verify does.
func Read(path string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for l, err := range lines(path) {
			if err != nil {
				yield(Entry{}, err)
				return
			}
			if l.err != nil {
				if !yield(Entry{}, &LineError{Path: path, Line: l.number, Torn: l.torn, Err: l.err}) {
					return
				}
				continue
			}
			if !yield(l.entry, nil) {
				return
			}
		}
	}
}

// Pending returns the intents that have no outcome, in the order of the journal: changes of which nobody knows
// whether they happened, because the console died in between. Lines that cannot be read are left out and
// come back joined in the error, so that the caller can show both.
func Pending(entries iter.Seq2[Entry, error]) ([]Entry, error) {
	var intents []Entry
	var bad []error
	closed := map[string]bool{}
	for e, err := range entries {
		switch {
		case err != nil:
			bad = append(bad, err)
		case e.Kind == Intent:
			intents = append(intents, e)
		case e.Kind == Outcome:
			closed[e.ID] = true
		}
	}
	var pending []Entry
	for _, e := range intents {
		if !closed[e.ID] {
			pending = append(pending, e)
		}
	}
	return pending, errors.Join(bad...)
}

// line is one line of the file as it stands there.
type line struct {
	number int // From 1.
	entry  Entry
	intact bool  // The line has its own hash.
	torn   bool  // The last line, without its newline.
	err    error // Why the line is no entry.
}

// lines yields the lines of the file at path, and an error when reading fails.
func lines(path string) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err == nil && !info.Mode().IsRegular() { // a pipe or a device may never end
			err = fmt.Errorf("%s is not a regular file", path)
		}
		var f *os.File
		if err == nil {
			f, err = os.Open(path)
		}
		if err != nil {
			yield(line{}, fmt.Errorf("read journal: %w", err))
			return
		}
		defer f.Close() //nolint:errcheck // Nothing was written.

		reader := bufio.NewReaderSize(f, 64<<10)
		for number := 1; ; number++ {
			text, long, err := readLine(reader)
			atEnd := errors.Is(err, io.EOF)
			if err != nil && !atEnd {
				yield(line{}, fmt.Errorf("read journal: %w", err))
				return
			}
			if atEnd && len(text) == 0 {
				return
			}
			l := line{number: number, torn: atEnd}
			switch {
			case l.torn:
				l.err = errors.New("line was not finished: it has no newline")
			case long:
				l.err = fmt.Errorf("line has more than %d bytes", maxLine)
			default:
				l.entry, l.intact, l.err = parse(bytes.TrimSuffix(text, []byte("\n")))
			}
			if !yield(l, nil) || l.torn {
				return
			}
		}
	}
}

// readLine reads up to and with the next newline, and says whether the line is longer than any entry; of such a
// line it keeps the beginning only.
func readLine(r *bufio.Reader) (text []byte, long bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if len(text)+len(part) > maxLine {
			long = true
		} else {
			text = append(text, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return text, long, err
		}
	}
}
