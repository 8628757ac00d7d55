package journal

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// tail is where the journal ends: what the next line has to follow.
type tail struct {
	seq  uint64
	hash string
	size int64 // Bytes up to the end of the last complete line.
	torn bool  // There are bytes after that: a line whose writing was interrupted.
}

// readTail finds the last complete line of f and checks that it has its own hash.
func readTail(f *os.File) (tail, error) {
	info, err := f.Stat()
	if err != nil {
		return tail{}, err
	}
	size := info.Size()
	start := max(0, size-2*maxLine) // A torn line and the whole line before it.
	data := make([]byte, size-start)
	if _, err := f.ReadAt(data, start); err != nil && err != io.EOF {
		return tail{}, err
	}
	end := bytes.LastIndexByte(data, '\n') + 1
	if end == 0 && start > 0 {
		return tail{}, fmt.Errorf("%w: it ends with a line longer than any entry", ErrDamaged)
	}
	t := tail{size: start + int64(end), torn: end < len(data)}
	if end == 0 {
		return t, nil
	}
	line := data[:end-1]
	line = line[bytes.LastIndexByte(line, '\n')+1:]
	entry, intact, err := parse(line)
	if err != nil {
		return tail{}, fmt.Errorf("%w: its last %w", ErrDamaged, err)
	}
	if !intact {
		return tail{}, fmt.Errorf("%w: its last line, entry %d, was changed", ErrDamaged, entry.Seq)
	}
	t.seq, t.hash = entry.Seq, entry.Hash
	return t, nil
}

// follows checks that the journal's end is the one the head remembers. The journal may be one entry ahead: the
// head is written after the line, and a crash can come between.
func (t tail) follows(h head) error {
	switch {
	case h.Seq == 0 && t.seq > 1:
		return fmt.Errorf("%w: its head file is missing, so nobody can tell whether its end was cut off", ErrDamaged)
	case h.Seq > t.seq:
		return fmt.Errorf("%w: it ends with entry %d, but entry %d was written", ErrDamaged, t.seq, h.Seq)
	case h.Seq == t.seq && h.Hash != t.hash:
		return fmt.Errorf("%w: its last line, entry %d, is not the one that was written", ErrDamaged, t.seq)
	default:
		return nil
	}
}
