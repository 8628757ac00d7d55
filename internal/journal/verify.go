package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Report is the result of Verify.
type Report struct {
	Path    string
	Entries int    // number of entries, including damaged ones
	Last    string // hash of the last entry; a copy of it elsewhere protects the journal up to here against forgery
	// Torn is the number of an incomplete last line, 0 if there is none. It is the result of a crash and not a
	// problem: Append never reported it as written, and the next Append removes it.
	Torn     int
	Problems []Problem // in the order of lines; empty if the journal is valid
}

// Problem is one place where the journal was modified.
type Problem struct {
	// Line is the number of the line, from 1. For missing entries it is the line in their place, for the head file 0.
	Line int
	What string // describes the problem
}

// OK reports whether the journal is valid.
func (r Report) OK() bool { return len(r.Problems) == 0 }

// String returns "line N: description", or only the description for a problem of the head file.
func (p Problem) String() string {
	if p.Line == 0 {
		return p.What
	}
	return fmt.Sprintf("line %d: %s", p.Line, p.What)
}

// Verify reads the journal at path and its head, and reports lines that were changed, removed, inserted or moved, and
// a truncated end. The error is one of reading the files; problems of the journal are in the report.
func Verify(path string) (Report, error) {
	r, err := inspect(path)
	if err == nil && !r.OK() {
		// Another process may have started the journal between the reads of its head and of its lines. Real damage
		// is still there in a second look.
		return inspect(path)
	}
	return r, err
}

// inspect verifies the journal once.
func inspect(path string) (Report, error) {
	// Read the head first: an entry that another process appends now is ahead of it, which is valid, as after a crash.
	h, err := readHead(path)
	v := verifier{report: Report{Path: path}, seen: map[uint64]bool{}}
	switch {
	case errors.Is(err, ErrDamaged):
		v.problem(0, "the head file "+headPath(path)+" was changed")
	case err != nil:
		return Report{}, err
	}
	headLost := errors.Is(err, ErrDamaged)
	var all []line
	for l, err := range lines(path) {
		if err != nil {
			return Report{}, err
		}
		all = append(all, l)
		if l.err == nil {
			v.seen[l.entry.Seq] = true
		}
	}
	for _, l := range all {
		v.check(l)
	}
	if !headLost {
		v.checkEnd(h, all)
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && h.Seq > 0 {
		v.report.Problems = []Problem{{Line: 1, What: fmt.Sprintf("the journal is missing; according to its head file it had %d entries", h.Seq)}}
	}
	return v.report, nil
}

// verifier checks the lines in order.
type verifier struct {
	report Report
	seen   map[uint64]bool // sequence numbers of all entries

	// The last entry in its place:
	seq     uint64
	hash    string
	line    int  // number of its line, 0 before the first
	unknown bool // its hash is unknown, because the line is damaged
}

func (v *verifier) problem(line int, what string) {
	v.report.Problems = append(v.report.Problems, Problem{Line: line, What: what})
}

// check compares one line with the lines before it.
func (v *verifier) check(l line) {
	switch {
	case l.torn:
		v.report.Torn = l.number
		return
	case l.err != nil:
		v.problem(l.number, l.err.Error())
		v.lose(l.number)
		return
	}
	v.report.Entries++
	v.report.Last = l.entry.Hash
	want := v.seq + 1
	switch e := l.entry; {
	case !l.intact:
		v.problem(l.number, fmt.Sprintf("entry %d was changed", want))
		v.lose(l.number)
		return
	case e.Seq < want && !v.unknown:
		// The next line is compared with the entry before this one.
		v.problem(l.number, fmt.Sprintf("entry %d does not belong here: it was inserted or moved", e.Seq))
		return
	case e.Seq > want && v.seen[want]:
		v.problem(l.number, fmt.Sprintf("entry %d comes before entry %d: lines were moved", e.Seq, want))
	case e.Seq > want:
		v.problem(l.number, missing(want, e.Seq-1)+" before it")
	case !v.unknown && e.Prev != v.hash:
		// Hash and number of this line are correct, so the line before it was replaced.
		v.problem(max(v.line, 1), fmt.Sprintf("entry %d and its hash were replaced", max(v.seq, 1)))
	}
	v.line, v.seq, v.hash, v.unknown = l.number, l.entry.Seq, l.entry.Hash, false
}

// lose records a damaged line. It counts as the expected entry; if the next line is that entry, the damaged one was
// inserted.
func (v *verifier) lose(line int) {
	v.line, v.seq, v.hash, v.unknown = line, v.seq+1, "", true
}

// checkEnd compares the end of the file with the head. Only the first entry may exist without a head, after a crash.
func (v *verifier) checkEnd(h head, all []line) {
	switch {
	case h.Seq == 0 && v.seq > 1:
		v.problem(0, "the head file "+headPath(v.report.Path)+" is missing: a truncated end cannot be detected")
	case h.Seq > v.seq:
		v.problem(v.line+1, missing(v.seq+1, h.Seq)+" at the end")
	case h.Seq == v.seq && h.Hash != v.hash && !v.unknown:
		v.problem(v.line, fmt.Sprintf("entry %d is not the one that was written", h.Seq))
	case h.Seq < v.seq && h.Seq > 0:
		for _, l := range all {
			if l.err == nil && l.entry.Seq == h.Seq && l.entry.Hash != h.Hash {
				v.problem(l.number, fmt.Sprintf("entry %d is not the one that the head file recorded", h.Seq))
				return
			}
		}
	}
}

// missing returns the message about missing entries from first to last.
func missing(first, last uint64) string {
	if first == last {
		return fmt.Sprintf("entry %d is missing", first)
	}
	return fmt.Sprintf("entries %d to %d are missing", first, last)
}
