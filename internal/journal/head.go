package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// head is the content of a small file beside the journal: the number and the hash of the last entry. It detects a
// truncated end, which a chain of hashes cannot.
type head struct {
	Seq  uint64 `json:"seq"`
	Hash string `json:"hash"`
}

// headPath returns the path of the head file of a journal.
func headPath(path string) string { return path + ".head" }

// readHead returns the head of the journal at path, the zero head if there is none.
func readHead(path string) (head, error) {
	data, err := os.ReadFile(headPath(path))
	if errors.Is(err, fs.ErrNotExist) {
		return head{}, nil
	}
	if err != nil {
		return head{}, fmt.Errorf("reading the head of the journal: %w", err)
	}
	var h head
	if err := json.Unmarshal(data, &h); err != nil || h.Seq == 0 || string(h.encode()) != string(data) {
		return head{}, fmt.Errorf("%w: %s is not a head file", ErrDamaged, headPath(path))
	}
	return h, nil
}

// encode returns the content of the head file.
func (h head) encode() []byte {
	return fmt.Appendf(nil, "{\"seq\":%d,\"hash\":%q}\n", h.Seq, h.Hash)
}

// write replaces the head file of the journal at path atomically and durably.
func (h head) write(path string) (err error) {
	temp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(headPath(path))+".*") // with mode 0600
	if err != nil {
		return fmt.Errorf("writing the head of the journal: %w", err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("writing the head of the journal: %w", errors.Join(err, os.Remove(temp.Name())))
		}
	}()
	_, err = temp.Write(h.encode())
	if err == nil {
		err = temp.Sync()
	}
	if closed := temp.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), headPath(path)); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes a rename or a new file in dir durable. Windows does not support it, and does not need it.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// tail is the end of the journal: its last complete line.
type tail struct {
	seq  uint64
	hash string
	size int64 // bytes up to the end of the line
	torn bool  // an incomplete line follows: its write was interrupted
}

// readTail finds the last complete line of f and checks its hash.
func readTail(f *os.File) (tail, error) {
	info, err := f.Stat()
	if err != nil {
		return tail{}, err
	}
	size := info.Size()
	start := max(0, size-2*maxLine) // an incomplete line and the complete line before it
	data := make([]byte, size-start)
	if _, err := f.ReadAt(data, start); err != nil && err != io.EOF {
		return tail{}, err
	}
	end := bytes.LastIndexByte(data, '\n') + 1
	if end == 0 && start > 0 {
		return tail{}, fmt.Errorf("%w: its last line is longer than an entry can be", ErrDamaged)
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

// follows compares the end of the journal with its head. The journal may be one entry ahead, because the head is
// written after the line.
func (t tail) follows(h head) error {
	switch {
	case h.Seq == 0 && t.seq > 1:
		return fmt.Errorf("%w: its head file is missing, so a truncated end cannot be detected", ErrDamaged)
	case h.Seq > t.seq:
		return fmt.Errorf("%w: it ends with entry %d, but entry %d was written", ErrDamaged, t.seq, h.Seq)
	case h.Seq == t.seq && h.Hash != t.hash:
		return fmt.Errorf("%w: its last line, entry %d, is not the one that was written", ErrDamaged, t.seq)
	default:
		return nil
	}
}
