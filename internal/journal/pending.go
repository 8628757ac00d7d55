package journal

import (
	"errors"
	"io/fs"
	"iter"
	"maps"
	"os"
	"slices"
)

// A balance lists the IDs of changes whose intent and outcome are in different parts of the journal. For Open changes,
// this part contains only the intent; for Closed changes, only the outcome.
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

// Pending returns the intents without an outcome in journal order. The result of these changes is unknown, because
// ddbdesk ended before it recorded the outcome. Pending reads the active file, the segments that VerifyChanged has not
// stored, and the segments with open intents. It skips lines that are not entries, and returns their joined errors with
// a valid result.
func Pending(path string) ([]Entry, error) {
	list, err := openSegments(path)
	if err != nil {
		return nil, err
	}
	defer list.close()
	var errs []error
	open := map[string]int{} // index of the last segment with an intent of each change
	known := readVerified(path)
	for i, s := range list {
		b, ok := known.balance(s)
		if !ok {
			b = balanceOf(s.entries(), &errs)
		}
		for _, id := range b.Closed {
			delete(open, id)
		}
		for _, id := range b.Open {
			open[id] = i
		}
	}
	var pending []Entry
	for i, s := range list {
		if !slices.Contains(slices.Collect(maps.Values(open)), i) {
			continue
		}
		for e, err := range s.entries() {
			if at, ok := open[e.ID]; err == nil && ok && at == i && e.Kind == Intent {
				pending = append(pending, e)
			}
		}
	}
	return pending, errors.Join(errs...)
}

func balanceOf(entries iter.Seq2[Entry, error], failures *[]error) balance {
	var b balance
	for e, err := range entries {
		if err != nil {
			*failures = append(*failures, err)
			continue
		}
		b.add(e.ID, e.Kind)
	}
	return b
}

func (s segment) entries() iter.Seq2[Entry, error] {
	return entriesOf(func(r *lineReader) { r.readSegment(s) })
}

func (v verifiedSegments) balance(s segment) (balance, bool) {
	info, err := os.Lstat(s.path)
	if err != nil {
		return balance{}, false
	}
	k, ok := v.find(s, info)
	if !ok {
		return balance{}, false
	}
	return *k.Balance, true
}

func (s verifiedSegment) matches(info fs.FileInfo) bool {
	return s.Size == info.Size() && s.Modified == info.ModTime().UnixNano()
}
