package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
)

// segmentSize is the size in bytes from which a file is sealed before the next entry. It bounds what the first change
// of a session has to verify.
const segmentSize = 4 << 20

// A segment is a sealed file of the journal. It is never written again, and the first line of the next file has the
// hash of its last one.
type segment struct {
	path   string
	number int // from 1; the end of its name
}

// segmentDigits is the minimum number of digits in the name of a segment.
const segmentDigits = 6

func segmentPath(path string, number int) string {
	return fmt.Sprintf("%s.%0*d", path, segmentDigits, number)
}

func segments(path string) ([]segment, error) {
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
			list = append(list, segment{filepath.Join(filepath.Dir(path), e.Name()), number})
		}
	}
	slices.SortFunc(list, func(a, b segment) int { return a.number - b.number })
	return list, nil
}

func nextSegment(path string) (string, error) {
	list, err := segments(path)
	if err != nil {
		return "", err
	}
	number := 1
	if len(list) > 0 {
		number = list[len(list)-1].number + 1
	}
	return segmentPath(path, number), nil
}

// files are the files of a journal at one moment.
type files struct {
	segments []segment
	active   *os.File // nil if there is none
}

// openFiles tolerates that another process seals the active file meanwhile.
func openFiles(path string) (files, error) {
	const attempts = 10 // a process seals a file once in thousands of entries
	if _, err := readHead(path); errors.Is(err, appdir.ErrNewer) {
		return files{}, err
	}
	for attempt := 1; ; attempt++ {
		f, err := appdir.OpenRegular(path, os.O_RDONLY)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return files{}, fmt.Errorf("reading the journal: %w", err)
		}
		list, err := segments(path)
		if err != nil {
			return files{}, errors.Join(fmt.Errorf("reading the journal: %w", err), closeFile(f))
		}
		missed := f == nil && len(list) > 0 // sealed, and the next file not created yet
		if (missed || isSealed(f, list)) && attempt < attempts {
			if err := closeFile(f); err != nil {
				return files{}, fmt.Errorf("reading the journal: %w", err)
			}
			continue
		}
		return files{list, f}, nil
	}
}

func isSealed(f *os.File, list []segment) bool {
	if f == nil {
		return false
	}
	opened, err := f.Stat()
	return err == nil && slices.ContainsFunc(list, func(s segment) bool {
		info, err := os.Lstat(s.path)
		return err == nil && os.SameFile(opened, info)
	})
}

func closeFile(f *os.File) error {
	if f == nil {
		return nil
	}
	return f.Close()
}
