package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/models"
)

const (
	version  = 1        // of the format of the file
	maxFile  = 16 << 20 // bytes; a larger file counts as corrupt
	maxWaits = 10_000   // changes that wait while the file cannot be written
)

// errDamaged is wrapped by the errors about a file with invalid content.
var errDamaged = errors.New("file is corrupt")

// file is the content of the file.
type file struct {
	Version int `json:"version"`
	state
}

// DefaultPath returns where ddbdesk keeps its memory.
func DefaultPath() string { return filepath.Join(appdir.State(), "memory.json") }

// Open returns the memory at path. A corrupt file is renamed. When the file cannot be
// used, the memory stays in RAM. Notice reports both cases.
func Open(path string) *Memory {
	m := New()
	s, err := read(path)
	if errors.Is(err, errDamaged) {
		s = newState()
		err = m.setAside(path)
	}
	if err != nil {
		m.notice = fmt.Sprintf("history will not be saved: %s: %v", path, err)
		return m
	}
	m.path, m.state = path, s
	return m
}

func read(path string) (state, error) {
	s := newState()
	f, err := appdir.OpenFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err := errors.Join(err, f.Close()); err != nil {
		return s, err
	}
	var in file
	switch err := json.Unmarshal(text, &in); {
	case len(text) > maxFile:
		return s, fmt.Errorf("%w: more than %d bytes", errDamaged, maxFile)
	case err != nil:
		return s, fmt.Errorf("%w: %w", errDamaged, err)
	case in.Version > version:
		return s, appdir.CheckFormat(in.Version, version)
	case in.Version != version:
		return s, errDamaged
	}
	for name, list := range in.Lists {
		list = slices.DeleteFunc(list, func(e Entry) bool { return e.ID == "" })
		slices.SortStableFunc(list, func(a, b Entry) int { return b.At.Compare(a.At) })
		if name != "" && len(list) > 0 {
			s.Lists[name] = list
		}
	}
	for name, fact := range in.Facts {
		s.Facts[name] = fact
	}
	return s, nil
}

// setAside renames a corrupt file, unless another console did so meanwhile.
func (m *Memory) setAside(path string) (err error) {
	unlock, err := appdir.Lock(context.Background(), path+".lock")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	_, why := read(path)
	if !errors.Is(why, errDamaged) {
		return why
	}
	return m.moveAway(path)
}

// moveAway needs the lock of the file.
func (m *Memory) moveAway(path string) error {
	aside := path + ".damaged-" + m.now().UTC().Format("20060102T150405.000")
	if err := os.Rename(path, aside); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.notice = "the history file is corrupt and was renamed to " + aside
	return nil
}

// startWriting needs m.mu.
func (m *Memory) startWriting() {
	if m.writer != nil {
		return
	}
	m.writer = make(chan struct{})
	done := m.writer
	crash.Go("write the memory", func() { m.write(done) })
}

// write keeps changes that cannot be written for the next change.
func (m *Memory) write(done chan struct{}) {
	defer close(done)
	for {
		m.mu.Lock()
		batch := m.pending
		m.pending = nil
		if len(batch) == 0 {
			m.writer = nil
			m.mu.Unlock()
			return
		}
		m.mu.Unlock()

		merged, err := m.merge(batch)

		m.mu.Lock()
		if err != nil {
			m.failed(batch, err)
			m.writer = nil
			m.mu.Unlock()
			return
		}
		m.adopt(merged)
		m.mu.Unlock()
	}
}

// failed needs m.mu.
func (m *Memory) failed(batch []change, err error) {
	m.notice = fmt.Sprintf("history will not be saved: %s: %v", m.path, err)
	if errors.Is(err, appdir.ErrNewer) {
		m.path, m.pending = "", nil
		return
	}
	m.pending = append(batch, m.pending...)
	m.pending = m.pending[max(len(m.pending)-maxWaits, 0):]
}

// adopt keeps what is only in RAM. It needs m.mu.
func (m *Memory) adopt(merged state) {
	for name, list := range m.state.Lists {
		for _, e := range slices.Backward(list) {
			if e.private {
				merged.apply(change{list: name, entry: e})
			}
		}
	}
	for _, c := range m.pending {
		merged.apply(c)
	}
	m.state = merged
}

func (m *Memory) merge(batch []change) (s state, err error) {
	// The writer has no caller that could end the wait.
	unlock, err := appdir.Lock(context.Background(), m.path+".lock")
	if err != nil {
		return state{}, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	s, err = read(m.path)
	if errors.Is(err, errDamaged) {
		s, err = newState(), m.moveAway(m.path)
	}
	if err != nil {
		return state{}, err
	}
	for _, c := range batch {
		s.apply(c)
	}
	text, err := s.encode()
	if err != nil {
		return state{}, err
	}
	return s, appdir.Replace(m.path, text, 0o600)
}

func (s *state) encode() ([]byte, error) {
	for {
		text, err := json.Marshal(file{version, *s})
		if err != nil || len(text) < maxFile/4 {
			return append(models.PrintableJSON(text), '\n'), err
		}
		trim(s.Lists, len(s.Lists)/2, lastUsed)
		trim(s.Facts, len(s.Facts)/2, remembered)
	}
}

// Close waits until all changes are in the file, or ctx ends.
func (m *Memory) Close(ctx context.Context) error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	if len(m.pending) > 0 {
		m.startWriting()
	}
	writer := m.writer
	m.mu.Unlock()
	if writer == nil {
		return nil
	}
	select {
	case <-writer:
	case <-ctx.Done():
		return ctx.Err()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.pending) > 0 {
		return fmt.Errorf("history not saved: %d changes could not be written to %s", len(m.pending), m.path)
	}
	return nil
}
