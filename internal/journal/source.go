package journal

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
)

// A Source provides the entries of sessions from a journal or a sink. It keeps nothing open, and can be read again.
type Source struct {
	path string // path of this machine's journal
	sink Sink   // sink to read instead of the journal, or nil
}

// LocalSource returns a source for this machine's journal at a path.
func LocalSource(path string) Source { return Source{path: path} }

// SinkSource returns a source for a sink, which contains the entries of all users and machines.
func SinkSource(s Sink) Source { return Source{sink: s} }

// Name returns the sink's name, or "" for this machine's journal.
func (s Source) Name() string {
	if s.sink == nil {
		return ""
	}
	return s.sink.Name()
}

// Sessions contains the sessions of a source.
type Sessions struct {
	List     []*Session // newest first
	Entries  int        // number of distinct entries read
	Journals int        // number of journals that contain the entries
	Problems []string   // reasons to distrust the entries: modified and missing entries
}

// Read reads all entries, verifies them and groups them into sessions. It calls progress with the number of entries at
// intervals; progress may be nil. If it returns an error, the result contains the sessions read before. Modified and
// missing entries are Problems instead of errors, so that callers can show the sessions with a warning.
func (s Source) Read(ctx context.Context, f Filter, progress func(entries int)) (Sessions, error) {
	var g grouping
	var r Sessions
	var err error
	add := func(e Entry, from SinkEntry) {
		if g.add(e, from); progress != nil && g.entries%1000 == 0 {
			progress(g.entries)
		}
	}
	if s.sink == nil {
		r, err = s.readJournal(ctx, add)
	} else {
		r, err = s.readCopies(ctx, add)
	}
	r.List, r.Entries = g.list(f), g.entries
	return r, err
}

func (s Source) readJournal(ctx context.Context, add func(Entry, SinkEntry)) (Sessions, error) {
	if _, err := os.Stat(s.path); errors.Is(err, fs.ErrNotExist) {
		return Sessions{}, nil
	}
	r := Sessions{Journals: 1}
	for e, err := range Read(s.path) {
		_, damaged := errors.AsType[*LineError](err)
		switch {
		case ctx.Err() != nil:
			return r, ctx.Err()
		case damaged: // VerifyChanged describes the damage.
		case err != nil:
			return r, err
		default:
			add(e, SinkEntry{Seq: e.Seq})
		}
	}
	verified, err := VerifyChanged(s.path)
	for _, p := range verified.Problems {
		r.Problems = append(r.Problems, p.String())
	}
	return r, err
}

func (s Source) readCopies(ctx context.Context, add func(Entry, SinkEntry)) (Sessions, error) {
	var c Checker
	var failed error
	for k, err := range s.sink.Copies(ctx, Part{}) {
		if d, damaged := errors.AsType[*DamagedCopy](err); damaged {
			c.AddDamaged(d)
			continue
		}
		if failed = errors.Join(err, ctx.Err()); failed != nil {
			break
		}
		if e, ok := c.Check(k); ok {
			add(e, k)
		}
	}
	r := Sessions{}
	if _, r.Journals = c.Entries(); failed == nil {
		r.Problems = c.Problems() // After an error, unread copies do not count as missing.
	}
	return r, failed
}

// Entries returns the entries of a session, oldest first. The session must come from Read on the same source. Entries
// omits entries that cannot be verified, because Read has reported them.
func (s Source) Entries(ctx context.Context, session *Session) (list []Entry, err error) {
	if s.sink == nil {
		list, err = s.journalEntries(ctx, session)
	} else {
		list, err = s.copiedEntries(ctx, session)
	}
	slices.SortStableFunc(list, func(a, b Entry) int { return a.Time.Compare(b.Time) })
	return list, err
}

func (s Source) journalEntries(ctx context.Context, session *Session) (list []Entry, err error) {
	for e, err := range Backward(s.path) {
		_, damaged := errors.AsType[*LineError](err)
		switch {
		case ctx.Err() != nil:
			return list, ctx.Err()
		case damaged: // Read has reported it.
		case err != nil:
			return list, err
		case e.Seq < session.parts[0].First:
			slices.Reverse(list)
			return list, nil
		case e.Kind != Review && sessionOf(e) == session.ID:
			list = append(list, e)
		}
	}
	slices.Reverse(list)
	return list, nil
}

func (s Source) copiedEntries(ctx context.Context, session *Session) (list []Entry, err error) {
	var c Checker
	previous := map[string]bool{}
	for _, part := range session.parts {
		for k, err := range s.sink.Copies(ctx, part) {
			if _, damaged := errors.AsType[*DamagedCopy](err); damaged {
				continue // Read has already reported it.
			}
			if err := errors.Join(err, ctx.Err()); err != nil {
				return list, err
			}
			if e, ok := c.Check(k); ok && e.Kind != Review && sessionOf(e) == session.ID && !previous[e.Hash] {
				previous[e.Hash] = true
				list = append(list, e)
			}
		}
	}
	return list, nil
}
