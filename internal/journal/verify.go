package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Report is what Verify found.
type Report struct {
	Path    string
	Entries int    // Lines that are entries, whether or not they are sound.
	Last    string // Hash of the last entry: note it elsewhere, and the journal up to here cannot be forged.
	// Torn is the number of an unfinished last line, 0 when there is none. A crash leaves one; it was never
	// acknowledged, so it is no problem, and the next Append removes it.
	Torn     int
	Problems []Problem // In the order of lines; empty for a sound journal.
}

// Problem is one place where the journal is not what was written.
type Problem struct {
	Line int // From 1. For entries that are gone: the line that now stands in their place. 0: the head file.
	What string
}

// OK reports whether the journal is sound.
func (r Report) OK() bool { return len(r.Problems) == 0 }

// String returns "line N: what", or the words alone for a problem of the head file.
func (p Problem) String() string {
	if p.Line == 0 {
		return p.What
	}
	return fmt.Sprintf("line %d: %s", p.Line, p.What)
}

// Verify reads the journal at path and its head and reports every line that was changed, removed, inserted or
// moved, and an end that was cut off. The error is about reading; what is wrong with the journal is in the report.
func Verify(path string) (Report, error) {
	r, err := inspect(path)
	if err == nil && !r.OK() {
		// A journal that another console begins meanwhile has no head at first and lines at last. Damage stays.
		return inspect(path)
	}
	return r, err
}

// inspect is Verify, at one moment.
func inspect(path string) (Report, error) {
	// The head is read first: a line that another console appends meanwhile is then ahead of it, as after a crash.
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
		v.report.Problems = []Problem{{Line: 1, What: fmt.Sprintf("the journal is gone: its head remembers %d entries", h.Seq)}}
	}
	return v.report, nil
}

// verifier walks the lines once and knows what the next one has to be.
type verifier struct {
	report Report
	seen   map[uint64]bool // Sequence numbers that stand somewhere in the file.

	seq     uint64 // Of the last line in place.
	hash    string // Of the last line in place.
	line    int    // Its number, 0 before the first.
	unknown bool   // The line before cannot be trusted, so nobody knows its hash.
}

func (v *verifier) problem(line int, what string) {
	v.report.Problems = append(v.report.Problems, Problem{Line: line, What: what})
}

// check compares one line with what has to come after the lines before it.
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
		// What stands in the wrong place does not move the place that the next line is measured by.
		v.problem(l.number, fmt.Sprintf("entry %d does not belong here: it was inserted or moved", e.Seq))
		return
	case e.Seq > want && v.seen[want]:
		v.problem(l.number, fmt.Sprintf("entry %d comes before entry %d: lines were moved", e.Seq, want))
	case e.Seq > want:
		v.problem(l.number, missing(want, e.Seq-1)+" before it")
	case !v.unknown && e.Prev != v.hash:
		// The line has its own hash and the right number, so it is the one before that is not what it was.
		v.problem(max(v.line, 1), fmt.Sprintf("entry %d was replaced, and its hash with it", max(v.seq, 1)))
	}
	v.line, v.seq, v.hash, v.unknown = l.number, l.entry.Seq, l.entry.Hash, false
}

// lose goes on after a line that cannot be trusted: it counts as the entry that had to stand there, or as an
// inserted one when the next line says so.
func (v *verifier) lose(line int) {
	v.line, v.seq, v.hash, v.unknown = line, v.seq+1, "", true
}

// checkEnd compares the end of the file with the head.
func (v *verifier) checkEnd(h head, all []line) {
	switch {
	case h.Seq == 0 && v.seq > 1:
		// One entry without a head is what a crash after the first line leaves.
		v.problem(0, "the head file "+headPath(v.report.Path)+" is missing: nobody can tell whether the end was cut off")
	case h.Seq > v.seq:
		v.problem(v.line+1, missing(v.seq+1, h.Seq)+" at the end")
	case h.Seq == v.seq && h.Hash != v.hash && !v.unknown:
		v.problem(v.line, fmt.Sprintf("entry %d is not the one that was written last", h.Seq))
	case h.Seq < v.seq && h.Seq > 0:
		for _, l := range all {
			if l.err == nil && l.entry.Seq == h.Seq && l.entry.Hash != h.Hash {
				v.problem(l.number, fmt.Sprintf("entry %d is not the one that the head remembers", h.Seq))
				return
			}
		}
	}
}

// missing says that the entries from first to last are gone.
func missing(first, last uint64) string {
	if first == last {
		return fmt.Sprintf("entry %d is missing", first)
	}
	return fmt.Sprintf("entries %d to %d are missing", first, last)
}
