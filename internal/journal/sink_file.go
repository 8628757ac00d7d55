package journal

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
)

// A FileSink appends entries to a file of JSON lines, for example on another disk. Several processes may append at the
// same time. It does not detect changed copies; VerifyAgainst does.
type FileSink struct{ Path string }

// Name implements Sink.
func (f FileSink) Name() string { return "file " + f.Path }

// Send implements Sink. It does not create folders: if a disk is not mounted, its folder must not appear on this one.
func (f FileSink) Send(ctx context.Context, entries []SinkEntry) (err error) {
	text, err := copyLines(entries)
	if err != nil {
		return err
	}
	lock, err := appdir.NewLock(f.Path + ".lock")
	if err != nil {
		return err
	}
	if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
		return fmt.Errorf("lock %s: %w", f.Path, err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	file, err := appdir.OpenPrivate(f.Path, os.O_RDWR|os.O_APPEND|os.O_CREATE)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := endLine(file); err != nil {
		return err
	}
	if _, err := file.Write(text); err != nil {
		return err
	}
	return file.Sync()
}

func endLine(file *os.File) error {
	info, err := file.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	last := make([]byte, 1)
	if _, err := file.ReadAt(last, info.Size()-1); err != nil || last[0] == '\n' {
		return err
	}
	_, err = file.Write([]byte("\n"))
	return err
}

func copyLines(entries []SinkEntry) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // the hash covers the entry's exact bytes
	for _, e := range entries {
		if err := encoder.Encode(e); err != nil {
			return nil, fmt.Errorf("encode a journal entry: %w", err)
		}
	}
	return text.Bytes(), nil
}

// Copies implements Sink. It skips the remains of an interrupted write if ddbdesk sent the entry again.
func (f FileSink) Copies(_ context.Context, part Part) iter.Seq2[SinkEntry, error] {
	return func(yield func(SinkEntry, error) bool) {
		file, err := appdir.OpenFile(f.Path)
		if err != nil {
			yield(SinkEntry{}, err)
			return
		}
		defer file.Close() //nolint:errcheck // The file was only read.
		scanner := bufio.NewScanner(file)
		scanner.Buffer(nil, 4*maxLine)
		var damagedLines []damagedLine
		for n := 1; scanner.Scan(); n++ {
			line := scanner.Bytes()
			var e SinkEntry
			if json.Unmarshal(line, &e) != nil {
				damagedLines = append(damagedLines, damagedLine{n, bytes.Clone(line)})
				continue
			}
			damagedLines = slices.DeleteFunc(damagedLines, func(b damagedLine) bool { return bytes.HasPrefix(line, b.text) })
			if part.Has(e) && !yield(e, nil) {
				return
			}
		}
		if err := scanner.Err(); err != nil {
			yield(SinkEntry{}, fmt.Errorf("read %s: %w", f.Path, err))
			return
		}
		for _, b := range damagedLines {
			if d := b.damaged(); (d.Partial.Origin == "" || part.Has(d.Partial)) && !yield(SinkEntry{}, d) {
				return
			}
		}
	}
}

// A damagedLine is a line that is not a copy of an entry.
type damagedLine struct {
	number int // from 1
	text   []byte
}

func (b damagedLine) damaged() *DamagedCopy {
	d := &DamagedCopy{Location: fmt.Sprintf("line %d", b.number)}
	fields := json.NewDecoder(bytes.NewReader(b.text))
	if _, err := fields.Token(); err != nil { // opening brace
		return d
	}
	var partial SinkEntry
	for _, to := range []any{&partial.Origin, &partial.Journal, &partial.Seq} {
		if _, err := fields.Token(); err != nil { // name of the member
			return d
		}
		if fields.Decode(to) != nil {
			return d
		}
	}
	d.Partial = partial
	return d
}
