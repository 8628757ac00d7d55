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

// formatVersion is the version of the journal's format. The head file contains it, because the form of journal lines
// never changes.
const formatVersion = 1

// headPath returns the path of the file that records the journal's end. A hash chain does not detect a truncated end.
func headPath(path string) string { return path + ".head" }

func readHead(path string) (position, error) {
	data, err := appdir.ReadFile(headPath(path))
	if errors.Is(err, fs.ErrNotExist) {
		return position{}, nil
	}
	if err != nil {
		return position{}, fmt.Errorf("read the head of the journal: %w", err)
	}
	var in struct {
		Format int `json:"format"`
		position
	}
	err = json.Unmarshal(data, &in)
	if formatErr := appdir.CheckFormat(in.Format, formatVersion); err == nil && formatErr != nil {
		return position{}, fmt.Errorf("the journal %s was %w", path, formatErr)
	}
	h := in.position
	if err != nil || h.Seq == 0 || string(h.encode()) != string(data) {
		return position{}, fmt.Errorf("%w: %s is not a head file", ErrDamaged, headPath(path))
	}
	return h, nil
}

// begunPath returns the path of the file that records that a journal existed, even after someone deletes the journal.
func begunPath(path string) string { return path + ".begun" }

// keyPath returns the path of the key that decrypts records. A mark in this file also records that a journal existed.
func keyPath(path string) string { return filepath.Join(filepath.Dir(path), appdir.KeyFile) }

// recordBeginning stores the time of the first entry once, or "before" and e's time for a journal older than this file.
func recordBeginning(path string, e Entry) error {
	text := e.Time.UTC().Format(time.RFC3339)
	if e.Seq > 1 {
		text = "before " + text
	}
	_, err := os.Stat(begunPath(path))
	if errors.Is(err, fs.ErrNotExist) {
		err = appdir.Replace(begunPath(path), []byte(text+"\n"), 0o600)
	}
	if err == nil {
		err = markKey(keyPath(path), string(appdir.KeyMark)+text+"\n")
	}
	if err != nil {
		return fmt.Errorf("record that the journal began: %w", err)
	}
	return nil
}

func markKey(path, mark string) error {
	info, err := os.Stat(path)
	if err != nil || info.Size() != appdir.KeySize { // already marked, missing, or not a key
		return nil //nolint:nilerr // A journal needs no key.
	}
	f, err := appdir.OpenPrivate(path, os.O_WRONLY|os.O_APPEND)
	if errors.Is(err, fs.ErrPermission) { // The owner protected the key.
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(mark)
	return errors.Join(err, f.Sync(), f.Close())
}

// MissingReason returns a sentence if a journal existed at path and is gone, otherwise "". Call it for a journal
// without entries.
func MissingReason(path string) string {
	text, err := appdir.ReadFile(begunPath(path))
	if errors.Is(err, fs.ErrNotExist) {
		if text, err = appdir.ReadFile(keyPath(path)); errors.Is(err, fs.ErrNotExist) || err == nil && len(text) <= appdir.KeySize {
			return ""
		}
		text = text[min(len(text), appdir.KeySize):]
	}
	if err != nil {
		return "the journal is missing, and " + models.Printable(err.Error())
	}
	since, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return "the journal is missing: it had entries since " + models.Printable(since)
}

func (p position) encode() []byte {
	return fmt.Appendf(nil, "{\"format\":%d,\"seq\":%d,\"hash\":%q}\n", formatVersion, p.Seq, p.Hash)
}

// write replaces the head file atomically and durably. For the zero position, it deletes the file.
func (p position) write(path string) error {
	var err error
	if p.Seq == 0 {
		if err = os.Remove(headPath(path)); err == nil {
			err = appdir.SyncDir(filepath.Dir(path))
		}
	} else {
		err = appdir.Replace(headPath(path), p.encode(), 0o600)
	}
	if err != nil {
		return fmt.Errorf("write the head of the journal: %w", err)
	}
	return nil
}
