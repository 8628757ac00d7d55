package journal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
)

// A LineError is the error of one line of a journal. Line is 0 if its number is unknown.
type LineError struct {
	Path string
	Line int  // number of the line, from 1
	Torn bool // the line is the last one and incomplete, because its write was interrupted
	Err  error
}

// Error returns "path:line: reason".
func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err) }

// Unwrap returns the reason.
func (e *LineError) Unwrap() error { return e.Err }

// Read yields the entries of the journal at path in order. For a line that is not an entry, it yields a *LineError and
// continues; any other error ends it. A missing file is an empty journal. Read does not check hashes; Verify does.
func Read(path string) iter.Seq2[Entry, error] {
	return entriesOf(func(r *lineReader) { r.readAll(path) })
}

func entriesOf(read func(*lineReader)) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		read(&lineReader{yield: func(l line, err error) bool {
			var e Entry
			if err == nil && l.err == nil {
				e, _, l.err = parse(l.text)
			}
			if err == nil && l.err != nil {
				err = &LineError{Path: l.path, Line: l.number, Torn: l.torn, Err: l.err}
			}
			return yield(e, err)
		}})
	}
}

// These are the reasons why a line is not an entry.
var (
	errTorn        = errors.New("line is incomplete: its write was interrupted")
	errNoBeginning = errors.New("line is not the beginning of an entry, and has no newline")
	errTooLong     = fmt.Errorf("line has more than %d bytes", maxLine)
)

// A line is one line in a file of the journal.
type line struct {
	path   string // path of the file
	sealed bool   // the file is a sealed segment
	number int    // line number, from 1
	text   []byte // text without the newline, valid until the next read; nil if err is set
	torn   bool   // the line is the last one and incomplete, because its write was interrupted
	err    error  // reason why the line cannot be an entry
}

func lines(path string) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) { (&lineReader{yield: yield}).readAll(path) }
}

// A lineReader reads the lines of all files in order.
type lineReader struct {
	yield func(line, error) bool
	next  uint64 // sequence number of the next entry, 0 if unknown
}

func (r *lineReader) readAll(path string) {
	list, err := openSegments(path)
	if err != nil {
		r.yield(line{}, err)
		return
	}
	defer list.close()
	r.next = 1
	for _, s := range list {
		if !r.readSegment(s) {
			return
		}
	}
}

func (r *lineReader) readSegment(s segment) bool {
	f, release, err := s.open()
	if err != nil {
		return r.yield(line{}, err) && false
	}
	defer release()
	return r.readFile(f, s.path, s.isSealed())
}

func (r *lineReader) readFile(f io.Reader, path string, sealed bool) bool {
	reader := bufio.NewReaderSize(f, bufferSize)
	var text []byte
	for number := 1; ; number++ {
		var tooLong bool
		var err error
		text, tooLong, err = readLine(reader, text[:0])
		atEnd := errors.Is(err, io.EOF)
		if err != nil && !atEnd {
			return r.yield(line{}, fmt.Errorf("read the journal: %w", err)) && false
		}
		if atEnd && len(text) == 0 {
			return true
		}
		l := line{path: path, sealed: sealed, number: number}
		switch {
		case atEnd && !sealed && isTorn(text, r.next):
			l.torn, l.err = true, errTorn
		case atEnd:
			l.err = errNoBeginning
		case tooLong:
			l.err = errTooLong
		default:
			l.text = bytes.TrimSuffix(text, []byte("\n"))
		}
		if r.next = seqOf(l.text); r.next > 0 {
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

// bufferSize is the number of bytes to read from a file at a time.
const bufferSize = 256 << 10

func readLine(r *bufio.Reader, text []byte) (_ []byte, tooLong bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if len(text)+len(part) > maxLine {
			tooLong = true
		} else {
			text = append(text, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return text, tooLong, err
		}
	}
}
