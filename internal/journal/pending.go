package journal

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"iter"
	"os"
	"slices"
)

// balance is what a part of the journal leaves open: the changes that it announces without an outcome, and those of earlier
// parts whose outcome it has. Changes are named by their IDs.
type balance struct {
	Open   []string `json:"open"`
	Closed []string `json:"closed"`
}

func (b *balance) add(id string, kind Kind) {
	switch i := slices.Index(b.Open, id); {
	case kind == Intent && i < 0:
		b.Open = append(b.Open, id)
	case kind == Outcome && i >= 0:
		b.Open = slices.Delete(b.Open, i, i+1)
	case kind == Outcome:
		b.Closed = append(b.Closed, id)
	}
}

// idAndKind reads a line as this version writes it, without the time that parsing takes.
func idAndKind(text []byte) (id string, kind Kind, ok bool) {
	const idOpen, kindOpen = `,"id":"`, `","kind":"`
	_, rest, found := bytes.Cut(text, []byte(idOpen)) // Only the number and the time come before.
	if !found {
		return "", "", false
	}
	name, rest, found := bytes.Cut(rest, []byte(kindOpen))
	end := bytes.IndexByte(rest, '"')
	if !found || end < 0 || bytes.ContainsAny(name, `"\\`) {
		return "", "", false
	}
	return string(name), Kind(rest[:end]), true
}

// Pending returns the intents without an outcome, in the order of the journal at path. Whether these changes were applied
// is unknown, because ddbdesk ended in between. It reads the active file, the segments that VerifyChanged does not
// remember, and those that have such intents. Lines that are not entries are skipped; the error joins their errors, and
// the result is valid nevertheless.
func Pending(path string) ([]Entry, error) {
	files, err := openFiles(path)
	if err != nil {
		return nil, err
	}
	defer closeFile(files.active) //nolint:errcheck // The file was only read.
	var bad []error
	open := map[string]int{} // index of the last part that announces the change
	settle := func(part int, b balance) {
		for _, id := range b.Closed {
			delete(open, id)
		}
		for _, id := range b.Open {
			open[id] = part
		}
	}
	known := readVerified(path)
	for i, s := range files.segments {
		b, ok := known.balance(s)
		if !ok {
			b = balanceOf(segmentEntries(s), &bad)
		}
		settle(i, b)
	}
	active := len(files.segments)
	settle(active, balanceOf(activeEntries(files, path), &bad))

	var pending []Entry
	find := func(part int, entries iter.Seq2[Entry, error]) {
		for e, err := range entries {
			if p, ok := open[e.ID]; err == nil && ok && p == part && e.Kind == Intent {
				pending = append(pending, e)
			}
		}
	}
	for i, s := range files.segments {
		if containsValue(open, i) {
			find(i, segmentEntries(s))
		}
	}
	if containsValue(open, active) {
		find(active, activeEntries(files, path))
	}
	slices.SortFunc(pending, func(a, b Entry) int { return cmp.Compare(a.Seq, b.Seq) })
	return pending, errors.Join(bad...)
}

func containsValue(m map[string]int, want int) bool {
	for _, v := range m {
		if v == want {
			return true
		}
	}
	return false
}

func balanceOf(entries iter.Seq2[Entry, error], bad *[]error) balance {
	var b balance
	for e, err := range entries {
		if err != nil {
			*bad = append(*bad, err)
			continue
		}
		b.add(e.ID, e.Kind)
	}
	return b
}

func segmentEntries(s segment) iter.Seq2[Entry, error] {
	return entriesOf(func(r *lineReader) { r.segment(s) })
}

func activeEntries(f files, path string) iter.Seq2[Entry, error] {
	return entriesOf(func(r *lineReader) {
		if f.active == nil {
			return
		}
		if _, err := f.active.Seek(0, 0); err != nil {
			r.yield(line{}, err)
			return
		}
		r.file(f.active, path, false)
	})
}

func (v verified) balance(s segment) (balance, bool) {
	i := slices.IndexFunc(v, func(k verifiedSegment) bool { return k.Number == s.number })
	if i < 0 || v[i].Balance == nil {
		return balance{}, false
	}
	info, err := os.Lstat(s.path)
	if err != nil || !v[i].is(info) {
		return balance{}, false
	}
	return *v[i].Balance, true
}

func (k verifiedSegment) is(info fs.FileInfo) bool {
	return k.Size == info.Size() && k.Modified == info.ModTime().UnixNano()
}
