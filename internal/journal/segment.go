package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
)

// segmentSize is the size in bytes at which the journal seals a file before the next entry. It limits how much the
// first change of a session must verify.
const segmentSize = 4 << 20

// A segment is a file of the journal. The first line of the next segment contains the hash of its last line. All
// segments except the active one are sealed, and ddbdesk never writes to them again.
type segment struct {
	path   string
	number int      // number in the name of a sealed segment, from 1
	active *os.File // active file, which another process may rename during a read; nil for a sealed segment
}

func (s segment) isSealed() bool { return s.active == nil }

// open returns the file, positioned at its beginning. Call release after use.
func (s segment) open() (f *os.File, release func(), err error) {
	if f = s.active; f == nil {
		f, err = appdir.OpenRegular(s.path, os.O_RDONLY)
		release = func() { _ = f.Close() } // The file was only read.
	} else {
		_, err = f.Seek(0, io.SeekStart)
		release = func() {}
	}
	if err != nil {
		err = fmt.Errorf("read the journal: %w", err)
	}
	return f, release, err
}

// segmentDigits is the minimum number of digits in the name of a segment.
const segmentDigits = 6

func segmentPath(path string, number int) string {
	return fmt.Sprintf("%s.%0*d", path, segmentDigits, number)
}

func sealedSegments(path string) ([]segment, error) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var list []segment
	for _, e := range entries {
		digits, ok := strings.CutPrefix(e.Name(), filepath.Base(path)+".")
		if !ok || len(digits) < segmentDigits || strings.Trim(digits, "0123456789") != "" {
			continue
		}
		if number, err := strconv.Atoi(digits); err == nil {
			list = append(list, segment{path: filepath.Join(filepath.Dir(path), e.Name()), number: number})
		}
	}
	slices.SortFunc(list, func(a, b segment) int { return a.number - b.number })
	return list, nil
}

func nextSegment(path string) (string, error) {
	list, err := sealedSegments(path)
	if err != nil {
		return "", err
	}
	number := 1
	if len(list) > 0 {
		number = list[len(list)-1].number + 1
	}
	return segmentPath(path, number), nil
}

// segments contains the files of a journal at one time, in order. There may be no active file.
type segments []segment

func (list segments) active() *os.File {
	if len(list) == 0 {
		return nil
	}
	return list[len(list)-1].active
}

func (list segments) close() { _ = closeFile(list.active()) }

// openSegments retries if another process seals the active file in the meantime. The caller must close the result.
func openSegments(path string) (segments, error) {
	const attempts = 10 // processes seal a file only once in thousands of entries
	if _, err := readHead(path); errors.Is(err, appdir.ErrNewer) {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		f, err := appdir.OpenRegular(path, os.O_RDONLY)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read the journal: %w", err)
		}
		list, err := sealedSegments(path)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("read the journal: %w", err), closeFile(f))
		}
		missed := f == nil && len(list) > 0 // sealed, but the next file does not exist yet
		if (missed || isSealed(f, list)) && attempt < attempts {
			if err := closeFile(f); err != nil {
				return nil, fmt.Errorf("read the journal: %w", err)
			}
			continue
		}
		if f != nil {
			list = append(list, segment{path: path, active: f})
		}
		return list, nil
	}
}

func isSealed(f *os.File, list []segment) bool {
	if f == nil {
		return false
	}
	fileInfo, err := f.Stat()
	return err == nil && slices.ContainsFunc(list, func(s segment) bool {
		info, err := os.Lstat(s.path)
		return err == nil && os.SameFile(fileInfo, info)
	})
}

func closeFile(f *os.File) error {
	if f == nil {
		return nil
	}
	return f.Close()
}
