package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
)

// Archived is a segment that was moved to another folder, as the journal remembers it: with what the chain of the
// remaining files needs.
type Archived struct {
	Number int       `json:"number"` // of the segment, from 1
	First  uint64    `json:"first"`  // number of its first entry
	After  string    `json:"after"`  // hash of the entry before it, "" before the first
	End    chain     `json:"end"`
	Until  time.Time `json:"until"` // of its last entry
	Path   string    `json:"path"`  // where it is; absolute
}

// Last returns the number of the last entry of the segment.
func (a Archived) Last() uint64 { return a.End.Seq }

// Archiving says which segments Archive moves, and where to. The active file always stays. The
// journal only ever moves whole segments, from the oldest on, so what is left is one chain.
type Archiving struct {
	To     string    // the folder; Archive creates it
	Keep   int       // number of sealed segments that stay, the newest
	Before time.Time // segments with an entry from then on stay; the zero time limits nothing
	By     Entry     // who archives: the actor, the user, the identity and the role
}

// archivePath returns the path of the file beside the journal at path that lists the archived segments.
func archivePath(path string) string { return path + ".archived" }

// ReadArchived returns the segments of the journal at path that were archived, oldest first.
// Without an archive it returns nil. A list that cannot be read wraps ErrDamaged: without it,
// the chain has no beginning.
func ReadArchived(path string) ([]Archived, error) {
	text, err := appdir.ReadFile(archivePath(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the list of archived segments: %w", err)
	}
	var list []Archived
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("%w: %s is not a list of archived segments", ErrDamaged, archivePath(path))
	}
	return list, nil
}

// startOf returns the position before the first file that is left: that of the archived segment before it, or the
// beginning. Archived segments whose files are still there were not removed yet; they count as left.
func startOf(left []segment, archived []Archived) chain {
	if len(archived) == 0 {
		return chain{}
	}
	number := archived[len(archived)-1].Number + 1
	if len(left) > 0 {
		number = left[0].number
	}
	i := slices.IndexFunc(archived, func(a Archived) bool { return a.Number == number-1 })
	if i < 0 {
		return chain{} // Verify reports what is missing.
	}
	return archived[i].End
}

// Archive copies the oldest sealed segments to a folder, remembers them, records that in the journal, and removes them
// here, in this order: whatever interrupts it, no entry is lost, and archiving again completes it. A segment with a change
// whose outcome is unknown stays, with all after it. It returns the segments that were moved. A
// journal with a problem is not archived; that error wraps ErrDamaged. Nothing to move is no
// error and returns nil. It holds the lock of the journal, so other writers wait for the
// copies.
func (j *Journal) Archive(ctx context.Context, o Archiving) (moved []Archived, err error) {
	err = j.alone(ctx, func() error {
		moved, err = j.archive(o)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("archive journal %s: %w", j.path, err)
	}
	return moved, nil
}

func (j *Journal) archive(o Archiving) ([]Archived, error) {
	to, err := filepath.Abs(o.To)
	if err != nil {
		return nil, err
	}
	if here, err := filepath.Abs(filepath.Dir(j.path)); err != nil || here == to {
		return nil, errors.Join(err, fmt.Errorf("%s is the folder of the journal; choose another folder", to))
	}
	r, err := examine(j.path, nil)
	if err != nil {
		return nil, err
	}
	if !r.OK() {
		return nil, fmt.Errorf("%w: %s; %s", ErrDamaged, r.Problems[0], Remedy(j.path))
	}
	list, err := j.archivable(o)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	if err := appdir.Make(to); err != nil {
		return nil, err
	}
	for i := range list {
		here := segmentPath(j.path, list[i].Number)
		list[i].Path = filepath.Join(to, filepath.Base(here))
		if err := j.copySegment(here, list[i].Path); err != nil {
			return nil, err
		}
	}
	if err := j.remember(list); err != nil {
		return nil, err
	}
	last := list[len(list)-1]
	by := o.By
	by.Kind, by.Subject = Archive, "journal archive"
	by.Detail = Detail{
		Archived: fmt.Sprintf("%d %s", last.End.Seq, last.End.Hash),
		Notes:    fmt.Sprintf("entries %d to %d moved to %s", list[0].First, last.End.Seq, to),
	}
	if _, err := j.appendAlone(by); err != nil {
		return nil, err
	}
	for _, a := range list {
		if err := j.fault("archive remove"); err != nil {
			return nil, err
		}
		if err := removeSegment(segmentPath(j.path, a.Number)); err != nil {
			return nil, err
		}
	}
	return list, appdir.SyncDir(filepath.Dir(j.path))
}

// archivable returns the segments that can be moved, oldest first, without their new paths.
func (j *Journal) archivable(o Archiving) ([]Archived, error) {
	files, err := openFiles(j.path)
	if err != nil {
		return nil, err
	}
	if err := closeFile(files.active); err != nil {
		return nil, err
	}
	open, err := Pending(j.path)
	if err != nil {
		return nil, err
	}
	c := newChainReader()
	c.chain = files.start
	var list []Archived
	for _, s := range files.segments[:max(len(files.segments)-o.Keep, 0)] {
		a := Archived{Number: s.number, First: c.Seq + 1, After: c.Hash}
		if _, ok, err := c.segment(s, nil); err != nil || !ok {
			return nil, errors.Join(err, fmt.Errorf("%w: the segment %s changed meanwhile", ErrDamaged, s.path))
		}
		a.End, a.Until = c.chain, lastTime(s)
		if !o.Before.IsZero() && !a.Until.Before(o.Before) {
			break
		}
		if len(open) > 0 && open[0].Seq <= a.End.Seq {
			if len(list) == 0 {
				return nil, fmt.Errorf("entry %d is a change without an outcome; resolve it first", open[0].Seq)
			}
			break
		}
		list = append(list, a)
	}
	return list, nil
}

// lastTime returns the time of the last entry of a segment.
func lastTime(s segment) (last time.Time) {
	new(backward).segment(s, func(e Entry, _ error) bool {
		last = e.Time
		return false
	})
	return last
}

// copySegment copies a segment durably. A copy that is there already, from an attempt that was interrupted, stays.
func (j *Journal) copySegment(from, to string) error {
	text, err := appdir.ReadFile(from)
	if err != nil {
		return err
	}
	if err := j.fault("archive copy"); err != nil {
		return err
	}
	err = appdir.Create(to, text)
	if errors.Is(err, fs.ErrExist) {
		there, rerr := appdir.ReadFile(to)
		if rerr != nil || !bytes.Equal(there, text) {
			return errors.Join(fmt.Errorf("%s exists and is another file; choose another folder", to), rerr)
		}
		return nil
	}
	if err != nil {
		return err
	}
	return os.Chmod(to, 0o400)
}

// remember adds segments to the list of archived ones. Those that an earlier attempt added are replaced.
func (j *Journal) remember(list []Archived) error {
	known, err := ReadArchived(j.path)
	if err != nil {
		return err
	}
	known = slices.DeleteFunc(known, func(a Archived) bool { return a.Number >= list[0].Number })
	text, err := json.MarshalIndent(append(known, list...), "", "  ")
	if err != nil {
		return err
	}
	if err := j.fault("archive list"); err != nil {
		return err
	}
	return appdir.Replace(archivePath(j.path), append(text, '\n'), 0o600)
}

// removeSegment removes a segment, which is read-only.
func removeSegment(path string) error {
	if err := os.Chmod(path, 0o600); err != nil { // Windows removes no read-only file.
		return err
	}
	return os.Remove(path)
}

// checkArchived verifies the archived segments that can be reached, and that the journal itself says that the entries
// before its first file were archived.
func (r *Report) checkArchived() error {
	files, err := openFiles(r.Path)
	if errors.Is(err, ErrDamaged) {
		r.Problems = append(r.Problems, Problem{What: err.Error()})
		return nil
	}
	if err != nil {
		return err
	}
	if err := closeFile(files.active); err != nil {
		return err
	}
	c := newChainReader()
	for _, a := range files.archived {
		part := ArchivedPart{Archived: a}
		if a.After != c.Hash || a.First != c.Seq+1 {
			r.Problems = append(r.Problems, Problem{What: fmt.Sprintf("the list of archived segments was changed at entry %d", a.First)})
			return nil
		}
		_, ok, err := c.segment(segment{a.Path, a.Number}, nil)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			part.Missing = true
		case err != nil:
			return err
		case !ok || c.chain != a.End:
			r.Problems = append(r.Problems, Problem{What: "the archived segment " + a.Path + " was changed"})
		}
		c.chain = a.End
		r.Archived = append(r.Archived, part)
	}
	if files.start != (chain{}) && !vouched(r.Path, files.start) {
		r.Problems = append(r.Problems, Problem{
			What: fmt.Sprintf("no entry of the journal says that entries 1 to %d were archived", files.start.Seq),
		})
	}
	return nil
}

// vouched reports whether the newest entry about an archive is about what came before the start.
func vouched(path string, start chain) bool {
	for e, err := range Backward(path) {
		if err != nil || e.Kind != Archive {
			continue
		}
		var seq uint64
		var hash string
		_, err := fmt.Sscanf(e.Detail.Archived, "%d %s", &seq, &hash)
		return err == nil && (seq > start.Seq || seq == start.Seq && hash == start.Hash)
	}
	return false
}
