package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/models"
)

// head is the content of a small file beside the journal: the number and the hash of the last entry. It detects a
// truncated end, which a chain of hashes cannot.
type head struct {
	Seq  uint64 `json:"seq"`
	Hash string `json:"hash"`
}

// formatVersion is the format of the journal. The head file has it, because no line of the journal is ever changed.
const formatVersion = 1

func headPath(path string) string { return path + ".head" }

func readHead(path string) (head, error) {
	data, err := appdir.ReadFile(headPath(path))
	if errors.Is(err, fs.ErrNotExist) {
		return head{}, nil
	}
	if err != nil {
		return head{}, fmt.Errorf("reading the head of the journal: %w", err)
	}
	var in struct {
		Format int `json:"format"`
		head
	}
	err = json.Unmarshal(data, &in)
	if newer := appdir.CheckFormat(in.Format, formatVersion); err == nil && newer != nil {
		return head{}, fmt.Errorf("the journal %s was %w", path, newer)
	}
	h := in.head
	if err != nil || h.Seq == 0 || string(h.encode()) != string(data) {
		return head{}, fmt.Errorf("%w: %s is not a head file", ErrDamaged, headPath(path))
	}
	return h, nil
}

// begunPath is a file that stays when the journal and its head are removed. It remembers that there was a journal.
func begunPath(path string) string { return path + ".begun" }

// remember writes the time of the first entry, once. A journal that is older than this file began before e.
func remember(path string, e Entry) error {
	if _, err := os.Stat(begunPath(path)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text := e.Time.UTC().Format(time.RFC3339)
	if e.Seq > 1 {
		text = "before " + text
	}
	if err := appdir.Replace(begunPath(path), []byte(text+"\n"), 0o600); err != nil {
		return fmt.Errorf("remembering that the journal began: %w", err)
	}
	return nil
}

// gone says that the journal at path is gone if there was one, "" otherwise. It is for a journal without entries.
func gone(path string) string {
	text, err := appdir.ReadFile(begunPath(path))
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if err != nil {
		return "the journal is gone, and " + models.Printable(err.Error())
	}
	return "the journal is gone: it had entries from " + models.Printable(strings.TrimSpace(string(text))) + " on"
}

func (h head) encode() []byte {
	return fmt.Appendf(nil, "{\"format\":%d,\"seq\":%d,\"hash\":%q}\n", formatVersion, h.Seq, h.Hash)
}

// write replaces the head file atomically and durably. The zero head has no file.
func (h head) write(path string) error {
	var err error
	if h.Seq == 0 {
		if err = os.Remove(headPath(path)); err == nil {
			err = appdir.SyncDir(filepath.Dir(path))
		}
	} else {
		err = appdir.Replace(headPath(path), h.encode(), 0o600)
	}
	if err != nil {
		return fmt.Errorf("writing the head of the journal: %w", err)
	}
	return nil
}
