package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
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
	// File is the name of the sealed segment, "" for the active file.
	File string
	// Line is the number of the line in its file, from 1. For missing entries it is the line in their place, for the head
	// file 0.
	Line int
	What string // describes the problem
}

// OK reports whether the journal is valid. A torn last line is not a problem.
func (r Report) OK() bool { return len(r.Problems) == 0 }

// String returns "file line N: description", without the file for the active one, or only the description for a problem
// of the head file.
func (p Problem) String() string {
	switch {
	case p.Line == 0:
		return p.What
	case p.File != "":
		return fmt.Sprintf("%s line %d: %s", p.File, p.Line, p.What)
	default:
		return fmt.Sprintf("line %d: %s", p.Line, p.What)
	}
}

// Verify reads the whole journal at path and its head, and reports lines that were changed, removed, inserted or moved,
// and a truncated end. The error is one of reading the files; problems of the journal are in the report. It may run
// while other processes append. A missing journal without a head is valid and has no entries.
func Verify(path string) (Report, error) { return examine(path, nil) }

// VerifyChanged is Verify without the sealed segments that were verified before and did not change since, as their size
// and their time of change show. It remembers the segments that it verifies. It is for the
// start of a session, where reading all segments would take too long. It does not find a
// segment that was changed with its time and size kept; Verify does.
func VerifyChanged(path string) (Report, error) { return examine(path, readVerified(path)) }

func examine(path string, known verified) (Report, error) {
	r, now, err := walk(path, known)
	if err != nil {
		return Report{}, err
	}
	if r.OK() {
		if len(now) > 0 && !slices.EqualFunc(now, known, verifiedSegment.same) {
			_ = now.remember(path) // Without it, the next verification takes longer.
		}
		return r, nil
	}
	if r, err = inspect(path); err == nil && !r.OK() {
		// Another process may have started the journal between the reads of its head and of its lines. Real damage
		// is still there in a second look.
		return inspect(path)
	}
	return r, err
}

// walk keeps no lines. If it is not certain that the journal is valid, the report has one Problem, which does not
// describe it.
func walk(path string, known verified) (Report, verified, error) {
	uncertain := Report{Problems: []Problem{{}}}
	// Read the head first: an entry that another process appends now is ahead of it, which is valid, as after a crash.
	h, err := readHead(path)
	if errors.Is(err, ErrDamaged) {
		return uncertain, nil, nil
	}
	if err != nil {
		return Report{}, nil, err
	}
	files, err := openFiles(path)
	if err != nil {
		return Report{}, nil, err
	}
	defer closeFile(files.active) //nolint:errcheck // The file is only read.
	c, now := newChainReader(), verified(nil)
	for _, s := range files.segments {
		after := c.chain
		info, ok, err := c.segment(s, known)
		if err != nil || !ok {
			return uncertain, nil, err
		}
		now = now.add(s, info, after, c)
	}
	r := Report{Path: path}
	if files.active != nil {
		lines, rest, ok, err := c.file(files.active)
		if err != nil {
			return Report{}, nil, fmt.Errorf("reading the journal: %w", err)
		}
		if !ok || len(rest) > 0 && !isTorn(rest, c.Seq+1) {
			return uncertain, nil, nil
		}
		if len(rest) > 0 {
			r.Torn = lines + 1
		}
	}
	if !c.endsAt(h) {
		return uncertain, nil, nil
	}
	r.Entries, r.Last = int(c.Seq), c.Hash
	return r, now, nil
}

func (c *chainReader) segment(s segment, known verified) (info fs.FileInfo, ok bool, err error) {
	f, err := appdir.OpenRegular(s.path, os.O_RDONLY)
	if err == nil {
		defer f.Close() //nolint:errcheck // The file is only read.
		info, err = f.Stat()
	}
	if err != nil {
		return nil, false, fmt.Errorf("reading the journal: %w", err)
	}
	if k, ok := known.find(s, info, c.chain); ok {
		c.chain, c.balance = k.End, *k.Balance
		return info, true, nil
	}
	c.balance = balance{}
	_, rest, ok, err := c.file(f)
	if err != nil {
		return nil, false, fmt.Errorf("reading the journal: %w", err)
	}
	return info, ok && len(rest) == 0, nil
}

func inspect(path string) (Report, error) {
	// The head comes first, as in walk.
	h, err := readHead(path)
	v := verifier{report: Report{Path: path}, seen: map[uint64]bool{}}
	switch {
	case errors.Is(err, ErrDamaged):
		v.problem(line{}, "the head file "+headPath(path)+" was changed")
	case err != nil:
		return Report{}, err
	}
	headLost := errors.Is(err, ErrDamaged)
	files, err := openFiles(path)
	if err = errors.Join(err, closeFile(files.active)); err != nil {
		return Report{}, err
	}
	var all []line
	for l, err := range lines(path) {
		if err != nil {
			return Report{}, err
		}
		l.entry = Entry{Seq: l.entry.Seq, Prev: l.entry.Prev, Hash: l.entry.Hash}
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
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) && h.Seq > v.seq {
		what := fmt.Sprintf("the journal is missing; according to its head file it had %d entries", h.Seq)
		v.report.Problems = []Problem{{Line: 1, What: what}}
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
	line    line // without its entry; its number is 0 before the first
	unknown bool // its hash is unknown, because the line is damaged
}

func (v *verifier) problem(at line, what string) {
	p := Problem{Line: at.number, What: what}
	if at.sealed {
		p.File = filepath.Base(at.path)
	}
	v.report.Problems = append(v.report.Problems, p)
}

func (v *verifier) check(l line) {
	switch {
	case l.torn:
		v.report.Torn = l.number
		return
	case l.err != nil:
		v.problem(l, l.err.Error())
		v.lose(l)
		return
	}
	v.report.Entries++
	v.report.Last = l.entry.Hash
	want := v.seq + 1
	switch e := l.entry; {
	case !l.intact:
		v.problem(l, fmt.Sprintf("entry %d was changed", want))
		v.lose(l)
		return
	case e.Seq < want && !v.unknown:
		// The next line is compared with the entry before this one.
		v.problem(l, fmt.Sprintf("entry %d does not belong here: it was inserted or moved", e.Seq))
		return
	case e.Seq > want && v.seen[want]:
		v.problem(l, fmt.Sprintf("entry %d comes before entry %d: lines were moved", e.Seq, want))
	case e.Seq > want:
		v.problem(l, missing(want, e.Seq-1)+" before it")
	case !v.unknown && e.Prev != v.hash:
		// Hash and number of this line are correct, so the line before it was replaced.
		v.problem(v.line.orFirst(), fmt.Sprintf("entry %d and its hash were replaced", max(v.seq, 1)))
	}
	v.line, v.seq, v.hash, v.unknown = l, l.entry.Seq, l.entry.Hash, false
}

// lose counts a damaged line as the expected entry; if the next line is that entry, the damaged one was inserted.
func (v *verifier) lose(l line) {
	v.line, v.seq, v.hash, v.unknown = l, v.seq+1, "", true
}

// checkEnd allows only the first entry without a head, after a crash.
func (v *verifier) checkEnd(h head, all []line) {
	switch {
	case h.Seq == 0 && v.seq > 1:
		v.problem(line{}, "the head file "+headPath(v.report.Path)+" is missing: a truncated end cannot be detected")
	case h.Seq > v.seq:
		v.problem(v.line.next(), missing(v.seq+1, h.Seq)+" at the end")
	case h.Seq == v.seq && h.Hash != v.hash && !v.unknown:
		v.problem(v.line, fmt.Sprintf("entry %d differs from the one that was written", h.Seq))
	case h.Seq < v.seq && h.Seq > 0:
		for _, l := range all {
			if l.err == nil && l.entry.Seq == h.Seq && l.entry.Hash != h.Hash {
				v.problem(l, fmt.Sprintf("entry %d differs from the one in the head file", h.Seq))
				return
			}
		}
	}
}

func (l line) orFirst() line {
	l.number = max(l.number, 1)
	return l
}

func (l line) next() line {
	l.number++
	return l
}

func missing(first, last uint64) string {
	if first == last {
		return fmt.Sprintf("entry %d is missing", first)
	}
	return fmt.Sprintf("entries %d to %d are missing", first, last)
}
