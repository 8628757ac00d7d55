package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// A Report is the result of Verify.
type Report struct {
	Path    string
	Entries int    // number of entries, including damaged ones
	Last    string // hash of the last entry; a copy of it elsewhere protects all entries up to here against forgery
	// Torn is the line number of an incomplete last line, or 0. Such a line results from a crash and is not a problem:
	// Append never reported it as written, and the next Append removes it.
	Torn     int
	Problems []Problem // in line order; empty if the journal is valid
}

// A Problem is a place where someone modified the journal.
type Problem struct {
	// File is the name of a sealed segment, or "" for the active file.
	File string
	// Line is the line number within the file, from 1. For missing entries it is the line after the gap. It is 0 for
	// the head file.
	Line        int
	Description string // description of the problem
}

// OK reports whether the journal is valid. A torn last line is not a problem.
func (r Report) OK() bool { return len(r.Problems) == 0 }

// String returns "file line N: description". It omits the name of the active file, and the line for the head file.
func (p Problem) String() string {
	switch {
	case p.Line == 0:
		return p.Description
	case p.File != "":
		return fmt.Sprintf("%s line %d: %s", p.File, p.Line, p.Description)
	default:
		return fmt.Sprintf("line %d: %s", p.Line, p.Description)
	}
}

// Verify reads the whole journal at path and its head. It detects changed, removed, inserted and moved lines, and a
// truncated end. The error is a read error; the report contains the problems of the journal. Other processes may append
// during the call. A journal that never existed is valid and has no entries.
func Verify(path string) (Report, error) { return verifyJournal(path, nil) }

// VerifyChanged works like Verify, but skips the sealed segments that it has verified before if their size and
// modification time are the same. It stores which segments it verified. Use it at the start of a session, where reading
// all segments would take too long. Only Verify detects a change that keeps the size and the time.
func VerifyChanged(path string) (Report, error) { return verifyJournal(path, readVerified(path)) }

// verifyJournal reads the files again after a problem, because another process may have started the journal in between.
func verifyJournal(path string, known verifiedSegments) (Report, error) {
	r, now, err := verifyFiles(path, known, nil)
	if err != nil {
		return Report{}, err
	}
	if !r.OK() {
		seen := map[uint64]bool{}
		for l, err := range lines(path) {
			if err != nil {
				return Report{}, err
			}
			if k, err := headerOf(l.text); err == nil {
				seen[k.Seq] = true
			}
		}
		r, _, err = verifyFiles(path, nil, seen)
		return r, err
	}
	if len(now) > 0 && !slices.EqualFunc(now, known, verifiedSegment.isSame) {
		_ = now.save(path) // Without this file, the next verification only takes longer.
	}
	return r, nil
}

// verifyFiles reads all files except the known segments. If seen is nil, it stops at the first problem.
func verifyFiles(path string, known verifiedSegments, seen map[uint64]bool) (Report, verifiedSegments, error) {
	// Read the head first: if another process then appends an entry, that entry is ahead of the head, which is valid,
	// as after a crash.
	h, err := readHead(path)
	headDamaged := errors.Is(err, ErrDamaged)
	v := verifier{report: Report{Path: path}, seen: seen, head: h}
	switch {
	case headDamaged:
		v.addProblem(line{}, "the head file "+headPath(path)+" was changed")
	case err != nil:
		return Report{}, nil, err
	}
	list, err := openSegments(path)
	if err != nil {
		return Report{}, nil, err
	}
	defer list.close()
	var now verifiedSegments
	for _, s := range list {
		after := v.position
		info, err := v.segment(s, known)
		if err != nil {
			return Report{}, nil, err
		}
		if s.isSealed() && v.report.OK() {
			now = now.add(s, info, after, v.position, v.balance)
		}
	}
	if !headDamaged {
		v.checkEnd()
	}
	if list.active() == nil && h.Seq > v.Seq {
		problem := fmt.Sprintf("the journal is missing; according to its head file it had %d entries", h.Seq)
		v.report.Problems = []Problem{{Line: 1, Description: problem}}
	}
	if problem := MissingReason(path); problem != "" && v.report.Entries == 0 && v.report.OK() {
		v.report.Problems = []Problem{{Description: problem}}
	}
	return v.report, now, nil
}

// A verifier checks the lines in order.
type verifier struct {
	report  Report
	head    position
	seen    map[uint64]bool // numbers of all entries; nil if only the first problem matters
	balance balance         // balance of the current segment
	readErr error           // read error

	// These fields describe the last valid entry.
	position
	line        line // number 0 before the first entry
	hashUnknown bool // the hash is unknown, because the line is damaged

	headSeen  bool  // an entry has the number of the head
	differing *line // first entry with the number of the head and another hash
}

func (v *verifier) segment(s segment, known verifiedSegments) (fs.FileInfo, error) {
	f, release, err := s.open()
	if err != nil {
		return nil, err
	}
	defer release()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	if k, ok := known.find(s, info); ok && k.After == v.Hash && k.End.Seq > v.Seq {
		v.report.Entries += int(k.End.Seq - v.Seq)
		v.position, v.balance, v.report.Last = k.End, *k.Balance, k.End.Hash
		v.compareHead(line{}, k.End)
		return info, nil
	}
	v.balance = balance{}
	v.file(f, s)
	return info, v.readErr
}

func (v *verifier) file(f *os.File, s segment) {
	r := lineReader{next: v.Seq + 1, yield: func(l line, err error) bool {
		if v.readErr = err; err == nil {
			v.check(l)
		}
		return err == nil && (v.seen != nil || v.report.OK())
	}}
	if v.seen != nil || v.report.OK() {
		r.readFile(f, s.path, s.isSealed())
	}
}

func (v *verifier) compareHead(l line, at position) {
	if at.Seq != v.head.Seq || at.Seq == 0 {
		return
	}
	v.headSeen = true
	if at.Hash != v.head.Hash && v.differing == nil {
		v.differing = &l
	}
}

func (v *verifier) addProblem(at line, problem string) {
	p := Problem{Line: at.number, Description: problem}
	if at.sealed {
		p.File = filepath.Base(at.path)
	}
	v.report.Problems = append(v.report.Problems, p)
}

func (v *verifier) check(l line) {
	if l.torn {
		v.report.Torn = l.number
		return
	}
	var e header
	if l.err == nil {
		e, l.err = headerOf(l.text)
	}
	if l.text = nil; l.err != nil {
		v.addProblem(l, l.err.Error())
		v.skipDamaged(l)
		return
	}
	v.report.Entries++
	v.report.Last = e.Hash
	v.compareHead(l, e.position)
	expected := v.Seq + 1
	switch {
	case !e.intact:
		v.addProblem(l, fmt.Sprintf("entry %d was changed", expected))
		v.skipDamaged(l)
		return
	case e.Seq < expected && !v.hashUnknown:
		// The verifier compares the next line with the entry before this one.
		v.addProblem(l, fmt.Sprintf("entry %d does not belong here: it was inserted or moved", e.Seq))
		return
	case e.Seq > expected && v.seen[expected]:
		v.addProblem(l, fmt.Sprintf("entry %d comes before entry %d: lines were moved", e.Seq, expected))
	case e.Seq > expected:
		v.addProblem(l, missingText(expected, e.Seq-1)+" before it")
	case !v.hashUnknown && e.prev != v.Hash:
		// The hash and the number of this line are correct, so someone replaced the previous line.
		v.addProblem(v.line.withFirstNumber(), fmt.Sprintf("entry %d and its hash were replaced", max(v.Seq, 1)))
	}
	v.line, v.position, v.hashUnknown = l, e.position, false
	v.balance.add(e.id, e.kind)
}

// skipDamaged counts a damaged line as the expected entry. If the next line is that entry, the line was inserted.
func (v *verifier) skipDamaged(l line) {
	v.line, v.position, v.hashUnknown = l, position{Seq: v.Seq + 1}, true
}

// checkEnd compares the end with the head. Without a head, it accepts only one entry, as after a crash.
func (v *verifier) checkEnd() {
	switch h := v.head; {
	case h.Seq == 0 && v.Seq > 1:
		v.addProblem(line{}, "the head file "+headPath(v.report.Path)+" is missing: a truncated end cannot be detected")
	case h.Seq > v.Seq:
		v.addProblem(v.line.next(), missingText(v.Seq+1, h.Seq)+" at the end")
	case h.Seq == v.Seq && h.Hash != v.Hash && !v.hashUnknown:
		v.addProblem(v.line, fmt.Sprintf("entry %d differs from the one that was written", h.Seq))
	case h.Seq < v.Seq && v.differing != nil:
		v.addProblem(*v.differing, fmt.Sprintf("entry %d differs from the one in the head file", h.Seq))
	case 0 < h.Seq && h.Seq < v.Seq && !v.headSeen && v.seen == nil:
		v.addProblem(line{}, fmt.Sprintf("entry %d was not compared with the head file", h.Seq)) // Read again.
	}
}

func (l line) withFirstNumber() line {
	l.number = max(l.number, 1)
	return l
}

func (l line) next() line {
	l.number++
	return l
}

func missingText(first, last uint64) string {
	if first == last {
		return fmt.Sprintf("entry %d is missing", first)
	}
	return fmt.Sprintf("entries %d to %d are missing", first, last)
}
