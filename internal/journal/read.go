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

// LineError is the error of one line of a journal.
type LineError struct {
	Path string
	Line int  // number of the line, from 1
	Torn bool // the line is the last one and incomplete: its write was interrupted
	Err  error
}

// Error returns "path:line: reason".
func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err) }

// Unwrap returns the reason.
func (e *LineError) Unwrap() error { return e.Err }

// Read yields the entries of the journal at path in the order of the file. A line that is not an entry yields a
// *LineError, and reading continues; other errors end it. A missing file is an empty journal. Read does not check
// hashes; Verify does.
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

// Pending returns the intents without an outcome, in the order of the journal. Whether these changes were applied is
// unknown, because ddbdesk ended in between. Lines that are not entries are skipped; the error joins their errors, and
// the result is valid nevertheless.
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

// line is one line of the file.
type line struct {
	number int // from 1
	entry  Entry
	intact bool  // the hash is correct
	torn   bool  // the line is the last one and has no newline
	err    error // why the line is not an entry, nil if it is one
}

// lines yields the lines of the file at path. An error of reading the file is the last value.
func lines(path string) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err == nil && !info.Mode().IsRegular() { // reading a pipe or a device may never end
			err = fmt.Errorf("%s is not a regular file", path)
		}
		var f *os.File
		if err == nil {
			f, err = os.Open(path)
		}
		if err != nil {
			yield(line{}, fmt.Errorf("reading the journal: %w", err))
			return
		}
		defer f.Close() //nolint:errcheck // The file was only read.

		reader := bufio.NewReaderSize(f, 64<<10)
		for number := 1; ; number++ {
			text, long, err := readLine(reader)
			atEnd := errors.Is(err, io.EOF)
			if err != nil && !atEnd {
				yield(line{}, fmt.Errorf("reading the journal: %w", err))
				return
			}
			if atEnd && len(text) == 0 {
				return
			}
			l := line{number: number, torn: atEnd}
			switch {
			case l.torn:
				l.err = errors.New("line is incomplete: it has no newline")
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

// readLine reads a line including its newline. Long reports whether it is longer than an entry can be; then text is
// only a part of it.
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
