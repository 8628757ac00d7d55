package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// A tail is the end of the journal, which is its last complete line.
type tail struct {
	position
	size int64 // size in bytes of the active file up to the end of the line; 0 if the line is in a sealed segment
	torn bool  // an incomplete line follows, because its write was interrupted
}

func readTail(path string, f *os.File) (tail, error) {
	t, rest, err := lastLine(f)
	if err == nil && t.Seq == 0 {
		t, err = sealedTail(path)
	}
	if err != nil {
		return tail{}, err
	}
	if len(rest) > 0 && !isTorn(rest, t.Seq+1) {
		return tail{}, fmt.Errorf("%w: the text after entry %d is not the start of an entry", ErrDamaged, t.Seq)
	}
	t.torn = len(rest) > 0
	return t, nil
}

func sealedTail(path string) (tail, error) {
	list, err := sealedSegments(path)
	if err != nil || len(list) == 0 {
		return tail{}, err
	}
	s := list[len(list)-1]
	f, release, err := s.open()
	if err != nil {
		return tail{}, err
	}
	defer release()
	t, rest, err := lastLine(f)
	if err == nil && (t.Seq == 0 || len(rest) > 0) {
		err = fmt.Errorf("%w: the segment %s is incomplete", ErrDamaged, s.path)
	}
	return tail{position: t.position}, err
}

func lastLine(f *os.File) (t tail, rest []byte, err error) {
	info, err := f.Stat()
	if err != nil {
		return tail{}, nil, err
	}
	const maximum = 2 * maxLine // an incomplete line and the complete line before it
	size, start, end := info.Size(), int64(0), 0
	var data []byte
	for window, complete := int64(16<<10), false; !complete; window *= 8 {
		start = max(0, size-min(window, maximum))
		data = make([]byte, size-start)
		if _, err := f.ReadAt(data, start); err != nil && err != io.EOF {
			return tail{}, nil, err
		}
		end = bytes.LastIndexByte(data, '\n') + 1
		complete = start == 0 || window >= maximum || end > 0 && bytes.IndexByte(data[:end-1], '\n') >= 0
	}
	if end == 0 && start > 0 {
		return tail{}, nil, fmt.Errorf("%w: its last line is longer than an entry can be", ErrDamaged)
	}
	t, rest = tail{size: start + int64(end)}, data[end:]
	if end == 0 {
		return t, rest, nil
	}
	text := data[:end-1]
	text = text[bytes.LastIndexByte(text, '\n')+1:]
	entry, intact, err := parse(text)
	if err != nil {
		return tail{}, nil, fmt.Errorf("%w: its last %w", ErrDamaged, err)
	}
	if !intact || entry.Seq == 0 {
		return tail{}, nil, fmt.Errorf("%w: its last line, entry %d, was changed", ErrDamaged, entry.Seq)
	}
	t.position = position{entry.Seq, entry.Hash}
	return t, rest, nil
}

// isTorn reports whether text is the beginning of the line of entry seq, or of any entry if seq is 0. ddbdesk never
// removes other text, because the file may not be a journal.
func isTorn(text []byte, seq uint64) bool {
	begin := []byte(`{"seq":`)
	if seq > 0 {
		begin = fmt.Appendf(begin, "%d,", seq)
	}
	if len(text) <= len(begin) {
		return bytes.HasPrefix(begin, text)
	}
	if !bytes.HasPrefix(text, begin) || len(text) > maxLine {
		return false
	}
	var object json.RawMessage
	err := json.NewDecoder(bytes.NewReader(text)).Decode(&object)
	if err == nil { // only the newline is missing
		_, intact, err := parse(text)
		return err == nil && intact
	}
	return errors.Is(err, io.ErrUnexpectedEOF)
}

// checkHead accepts a journal that is one entry ahead of its head, because Append writes the head after the line.
func (t tail) checkHead(h position) error {
	switch {
	case h.Seq == 0 && t.Seq > 1:
		return fmt.Errorf("%w: its head file is missing, so ddbdesk cannot detect a truncated end", ErrDamaged)
	case h.Seq > t.Seq:
		return fmt.Errorf("%w: it ends with entry %d, but entry %d was written", ErrDamaged, t.Seq, h.Seq)
	case h.Seq == t.Seq && h.Hash != t.Hash:
		return fmt.Errorf("%w: its last line, entry %d, is not the one that was written", ErrDamaged, t.Seq)
	default:
		return nil
	}
}
