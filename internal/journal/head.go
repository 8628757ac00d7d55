package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// head is the small file beside the journal that says how far the journal reaches. A chain of hashes cannot
// tell that its end was cut off; the head can.
type head struct {
	Seq  uint64 `json:"seq"`
	Hash string `json:"hash"`
}

// headPath returns the path of the head that belongs to a journal.
func headPath(path string) string { return path + ".head" }

// readHead returns the head of the journal at path, and the zero head when there is none.
func readHead(path string) (head, error) {
	data, err := os.ReadFile(headPath(path))
	if errors.Is(err, fs.ErrNotExist) {
		return head{}, nil
	}
	if err != nil {
		return head{}, fmt.Errorf("read head of the journal: %w", err)
	}
	var h head
	if err := json.Unmarshal(data, &h); err != nil || h.Seq == 0 || string(h.encode()) != string(data) {
		return head{}, fmt.Errorf("%w: %s is not a head of a journal", ErrDamaged, headPath(path))
	}
	return h, nil
}

// encode returns the head file's content.
func (h head) encode() []byte {
	return fmt.Appendf(nil, "{\"seq\":%d,\"hash\":%q}\n", h.Seq, h.Hash)
}

// write replaces the head of the journal at path in one step that survives a crash.
func (h head) write(path string) (err error) {
	temp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(headPath(path))+".*") // CreateTemp makes it 0600.
	if err != nil {
		return fmt.Errorf("write head of the journal: %w", err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("write head of the journal: %w", errors.Join(err, os.Remove(temp.Name())))
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

// syncDir makes a rename or a new file in dir durable. Windows has no such call and does not need it.
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
