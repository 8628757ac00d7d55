package journal

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
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

// Read yields the entries of the journal at path in their order. A line that is not an entry yields a *LineError, and
// reading continues; other errors end it. A missing file is an empty journal. Read does not check hashes; Verify does.
func Read(path string) iter.Seq2[Entry, error] { return entries(path, nil) }

// ReadSince is Read without the sealed segments that were last written before a time. It may yield earlier entries.
func ReadSince(path string, t time.Time) iter.Seq2[Entry, error] {
	return entries(path, func(s segment) bool { return s.untouchedSince(t) })
}

// entries yields the entries of the segments that skip does not omit, and of the active file.
func entries(path string, skip func(segment) bool) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for l, err := range lines(path, skip) {
			if err == nil && l.err != nil {
				err = &LineError{Path: l.path, Line: l.number, Torn: l.torn, Err: l.err}
			}
			if !yield(l.entry, err) {
				return
			}
		}
	}
}

// Pending returns the intents without an outcome, in the order of the journal. Whether these changes were applied is
// unknown, because ddbdesk ended in between. Lines that are not entries are skipped; the error joins their errors, and
// the result is valid nevertheless.
func Pending(entries iter.Seq2[Entry, error]) ([]Entry, error) {
	open := map[string][]Entry{} // by ID
	var bad []error
	for e, err := range entries {
		switch {
		case err != nil:
			bad = append(bad, err)
		case e.Kind == Intent:
			open[e.ID] = append(open[e.ID], e)
		case e.Kind == Outcome:
			delete(open, e.ID)
		}
	}
	var pending []Entry
	for _, list := range open {
		pending = append(pending, list...)
	}
	slices.SortFunc(pending, func(a, b Entry) int { return cmp.Compare(a.Seq, b.Seq) })
	return pending, errors.Join(bad...)
}

// line is one line of a file of the journal.
type line struct {
	path   string // of the file
	sealed bool   // the file is a segment
	number int    // from 1
	entry  Entry  // the zero Entry if err is not nil
	intact bool   // the hash is correct
	torn   bool   // the line is the last one and incomplete: its write was interrupted
	err    error  // why the line is not an entry, nil if it is one
}

// lines yields the lines of the journal at path, without those of the segments that skip omits. An error of reading a
// file is the last value.
func lines(path string, skip func(segment) bool) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		files, err := openFiles(path)
		if err != nil {
			yield(line{}, err)
			return
		}
		defer closeFile(files.active) //nolint:errcheck // The file was only read.
		r := lineReader{yield: yield, next: 1}
		for _, s := range files.segments {
			if skip != nil && skip(s) {
				r.next = 0
				continue
			}
			if !r.segment(s) {
				return
			}
		}
		if files.active != nil {
			r.file(files.active, path, false)
		}
	}
}

// lineReader reads the lines of one file after the other.
type lineReader struct {
	yield func(line, error) bool
	next  uint64 // sequence number of the next entry, 0 if it is unknown
}

// segment yields the lines of a segment, and reports whether to continue.
func (r *lineReader) segment(s segment) bool {
	f, err := appdir.OpenRegular(s.path, os.O_RDONLY)
	if err != nil {
		return r.yield(line{}, fmt.Errorf("reading the journal: %w", err)) && false
	}
	defer f.Close() //nolint:errcheck // The file was only read.
	return r.file(f, s.path, true)
}

// file yields the lines of a file, and reports whether to continue.
func (r *lineReader) file(f io.Reader, path string, sealed bool) bool {
	reader := bufio.NewReaderSize(f, bufferSize)
	var text []byte
	for number := 1; ; number++ {
		var long bool
		var err error
		text, long, err = readLine(reader, text[:0])
		atEnd := errors.Is(err, io.EOF)
		if err != nil && !atEnd {
			return r.yield(line{}, fmt.Errorf("reading the journal: %w", err)) && false
		}
		if atEnd && len(text) == 0 {
			return true
		}
		l := line{path: path, sealed: sealed, number: number}
		switch {
		case atEnd && !sealed && isTorn(text, r.next):
			l.torn, l.err = true, errors.New("line is incomplete: its write was interrupted")
		case atEnd:
			l.err = errors.New("line is not the beginning of an entry, and has no newline")
		case long:
			l.err = fmt.Errorf("line has more than %d bytes", maxLine)
		default:
			l.entry, l.intact, l.err = parse(bytes.TrimSuffix(text, []byte("\n")))
		}
		if r.next = l.entry.Seq; r.next > 0 {
			r.next++
		}
		if !r.yield(l, nil) {
			return false
		}
		if atEnd {
			return true
		}
	}
}

// bufferSize is how many bytes of a file are read at once.
const bufferSize = 256 << 10

// readLine appends a line including its newline to text. Long reports whether it is longer than an entry can be; then
// text is only a part of it.
func readLine(r *bufio.Reader, text []byte) (_ []byte, long bool, err error) {
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
