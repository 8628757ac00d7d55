package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
)

// blockSize is the number of bytes to read at a time from the end of a file.
const blockSize = 64 << 10

// Backward yields the entries of the journal at path from newest to oldest. It handles errors like Read, and reads only
// as much as the caller consumes. It reads every line once, except that it reads the file up to an invalid line again
// to determine the line's number.
func Backward(path string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) { new(backwardReader).run(path, yield) }
}

// A backwardReader reads lines from the end of a file.
type backwardReader struct {
	read int64 // number of bytes read
}

func (b *backwardReader) run(path string, yield func(Entry, error) bool) {
	list, err := openSegments(path)
	if err != nil {
		yield(Entry{}, err)
		return
	}
	defer list.close()
	for _, s := range slices.Backward(list) {
		if !b.segment(s, yield) {
			return
		}
	}
}

func (b *backwardReader) segment(s segment, yield func(Entry, error) bool) bool {
	f, release, err := s.open()
	if err != nil {
		return yield(Entry{}, err) && false
	}
	defer release()
	info, err := f.Stat()
	if err != nil {
		return yield(Entry{}, fmt.Errorf("read the journal: %w", err)) && false
	}
	var text []byte  // from at to the end of the lines that it has not yielded yet
	tooLong := false // text is only a part of a line that is too long
	for at := info.Size(); at > 0; {
		n := min(blockSize, at)
		at -= n
		block := make([]byte, n, n+int64(len(text)))
		if _, err := f.ReadAt(block, at); err != nil && !errors.Is(err, io.EOF) {
			return yield(Entry{}, fmt.Errorf("read the journal: %w", err)) && false
		}
		b.read += n
		text = append(block, text...)
		for {
			start := bytes.LastIndexByte(text[:max(len(text)-1, 0)], '\n') + 1
			if start == 0 && at > 0 || len(text) == 0 {
				break
			}
			e, err := parseLine(text[start:], s.isSealed(), tooLong)
			if err != nil {
				err.Path, err.Line = s.path, b.lineNumber(f, at+int64(start))
				if !yield(Entry{}, err) {
					return false
				}
			} else if !yield(e, nil) {
				return false
			}
			text, tooLong = text[:start], false
		}
		if len(text) > maxLine {
			text, tooLong = text[len(text)-1:], true
		}
	}
	return true
}

func parseLine(text []byte, sealed, tooLong bool) (Entry, *LineError) {
	line, complete := bytes.CutSuffix(text, []byte("\n"))
	switch {
	case tooLong || len(text) > maxLine:
		return Entry{}, &LineError{Err: errTooLong}
	case complete:
		e, _, err := parse(line)
		if err != nil {
			return Entry{}, &LineError{Err: err}
		}
		return e, nil
	case !sealed && isTorn(text, 0):
		return Entry{}, &LineError{Torn: true, Err: errTorn}
	default:
		return Entry{}, &LineError{Err: errNoBeginning}
	}
}

func (b *backwardReader) lineNumber(f *os.File, at int64) int {
	block, number := make([]byte, blockSize), 1
	for from := int64(0); from < at; from += blockSize {
		n, err := f.ReadAt(block[:min(blockSize, at-from)], from)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0
		}
		b.read += int64(n)
		number += bytes.Count(block[:n], []byte("\n"))
	}
	return number
}
