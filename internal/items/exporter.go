package items

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// An Exporter exports for one session. It is safe for concurrent use. Whether a role may export
// is not asked: a user can copy what the screen shows, and masked values stay masked.
type Exporter struct {
	s *session.Session
}

// NewExporter returns the exporter of the session.
func NewExporter(s *session.Session) *Exporter { return &Exporter{s: s} }

// An Export selects which items to write, and where.
type Export struct {
	// Subject names the exported data in the journal: the full ID of a pattern. It is not used for a single item.
	Subject  string
	Table    *models.Table
	Entities []*models.Entity // possible entities of the items
	Items    []models.Item    // as stored
	// Pages are used instead of Items when these are too many for memory. They are read more than once.
	Pages  iter.Seq[[]models.Item]
	Count  int          // number of items in Pages
	Rest   *reading.Run // read to its end after the items, nil for none
	Single bool         // one item, whose JSON is the document

	Format  *Format
	Path    string // see NewFilePath
	Replace bool   // replace an existing file
}

// An Exported is the progress of an export, and in the end its result.
type Exported struct {
	Path     string
	Items    int
	Pages    int     // requests sent
	Capacity float64 // read units consumed
	Bytes    int64
	LeftOut  []string // attributes without a column
	Changed  int      // values that the format cannot hold as they are
	Part     string   // path of the file with what was written before an error, "" for none
}

// NewFilePath returns the absolute path of a file name as a user enters it. The error explains why no file can be
// written there, and wraps [ErrExists] for an existing file.
func NewFilePath(name string) (string, error) {
	path, err := Path(name)
	if err != nil {
		return "", err
	}
	return path, CheckPath(path)
}

// Export writes the items to a file that only its owner can read, and calls report after each page from the same
// goroutine. The file appears under its name when it is complete. If reading fails or ctx ends, the items before that are in
// Part; the document of a part stays open. After an error of the file or the journal nothing is left. An export of revealed
// personal data is recorded in the journal first. report may be called very often and must return quickly. Errors wrap
// ErrExists, or are those of the file, of the journal, of ctx, or of a read.
func (x *Exporter) Export(ctx context.Context, e Export, report func(Exported)) (done Exported, err error) {
	masker, reason := x.s.Revealed()
	if !masker.Hides(models.PII) {
		if err := x.noteExport(ctx, e, reason); err != nil {
			return Exported{}, err
		}
	}
	file, err := Create(e.Path, e.Replace)
	if err != nil {
		return Exported{}, err
	}
	whole := false
	defer func() {
		if !whole {
			err = errors.Join(err, file.Discard())
		}
	}()
	done.Path = e.Path
	if e.Single {
		if _, err := file.Write([]byte(e.Format.Item(masker.Item(e.Table, e.Items[0])) + "\n")); err != nil {
			return done, err
		}
		done.Items = 1
	} else if err = x.writeItems(ctx, e, NewWriter(file, e.Format, shape(e.Format, e.Table, e.Entities, masker)), &done, func() {
		done.Bytes = file.Size()
		report(done)
	}); err != nil && (done.Items == 0 || !errors.Is(err, errPart)) {
		return done, err
	}
	done.Bytes = file.Size()
	detail := journal.Detail{Items: strconv.Itoa(done.Items), Format: e.Format.Name, Notes: "to " + e.Path}
	if journalErr := x.s.Take(context.WithoutCancel(ctx), journal.Export, x.subject(e), detail); journalErr != nil {
		return done, errors.Join(err, journalErr)
	}
	if err != nil {
		whole = true // Keep removes what it cannot finish.
		var statErr error
		if done.Part, statErr = file.Keep(); statErr != nil {
			return done, errors.Join(err, statErr)
		}
		return done, fmt.Errorf("%w; the rows read before are in %s", err, shown(done.Part))
	}
	whole = true // Commit removes what it cannot finish.
	return done, file.Commit()
}

// errPart begins the errors after which the items that were written are kept.
var errPart = errors.New("stopped after")

func (x *Exporter) writeItems(ctx context.Context, e Export, w *Writer, done *Exported, report func()) error {
	if err := x.writeRead(ctx, e, w, done, report); err != nil {
		return err
	}
	if e.Rest != nil {
		var failed error // of the file, not of a read
		err := e.Rest.All(ctx, func(page reading.Page) error {
			if failed = w.Write(page.Items); failed != nil {
				return failed
			}
			done.Pages += page.Requests
			done.Capacity += page.Capacity
			done.Items += len(page.Items)
			report()
			return nil
		})
		switch {
		case failed != nil:
			return failed
		case err != nil:
			return fmt.Errorf("%w %d items: %w", errPart, done.Items, err)
		}
	}
	done.LeftOut, done.Changed = w.LeftOut(), w.Changed()
	return w.Close(Tail{Count: done.Items})
}

func (x *Exporter) writeRead(ctx context.Context, e Export, w *Writer, done *Exported, report func()) error {
	all := e.Pages
	if all == nil {
		all = slices.Values([][]models.Item{e.Items})
	}
	pages := func(yield func([]models.Item) bool) {
		for page := range all {
			if ctx.Err() != nil || !yield(page) {
				return
			}
		}
	}
	w.Settle(pages)
	for page := range pages {
		if err := w.Write(page); err != nil {
			return err
		}
		done.Items += len(page)
		report()
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w %d items: %w", errPart, done.Items, err)
	}
	return w.Write(nil)
}

func shape(f *Format, t *models.Table, entities []*models.Entity, masker *models.Masker) Shape {
	return Shape{Table: t, Entities: entities, Kind: f.HasColumns() && len(entities) > 1, Masker: masker}
}

func (x *Exporter) noteExport(ctx context.Context, e Export, reason change.Reason) error {
	items := strconv.Itoa(len(e.Items) + e.Count)
	if e.Rest != nil {
		items += " and all that follow"
	}
	return x.noteFile(ctx, x.subject(e), journal.Detail{
		Reason: reason.For("exported to " + e.Path), Items: items,
		Format: e.Format.Name,
	})
}

// subject contains no personal data, whatever is revealed on the screen.
func (x *Exporter) subject(e Export) string {
	if !e.Single {
		return e.Subject
	}
	return e.Table.Name + " " + models.Printable(e.Table.KeyText(x.s.FullMasker().Item(e.Table, e.Items[0])))
}

// noteFile returns an error without a working journal, and then nothing is exported.
func (x *Exporter) noteFile(ctx context.Context, subject string, detail journal.Detail) error {
	if err := x.s.Record(ctx, journal.Reveal, subject, detail); err != nil {
		return fmt.Errorf("exporting revealed data needs the journal: %w", err)
	}
	return nil
}

// Spell returns items as text for the clipboard, masked like the screen. columns are attribute paths; without any,
// the columns are those of a file. It keeps everything in memory, so it is for marked rows and
// not for whole results.
func (x *Exporter) Spell(
	f *Format, t *models.Table, entities []*models.Entity, items []models.Item, columns ...string,
) (string, error) {
	var out strings.Builder
	form := shape(f, t, entities, x.s.Masker())
	form.Columns = columns
	w := NewWriter(&out, f, form)
	if err := w.Write(items); err != nil {
		return "", err
	}
	if err := w.Close(Tail{Count: len(items)}); err != nil {
		return "", err
	}
	return out.String(), nil
}

// Copied records in the journal, where reads are journaled, that what the user sees leaves the
// program. Its error means that nothing may be copied.
func (x *Exporter) Copied(ctx context.Context, what string) error {
	return x.s.Take(ctx, journal.Copy, what, journal.Detail{})
}

// SaveText calls text and writes the result to a file that only its owner can read; see Export. While personal data
// is revealed, it first records the export in the journal, where what names the text. The error
// of text is returned as it is.
func (x *Exporter) SaveText(ctx context.Context, what, path string, replace bool, text func() (string, error)) (size int64, err error) {
	if masker, reason := x.s.Revealed(); !masker.Hides(models.PII) {
		if err := x.noteFile(ctx, what, journal.Detail{Reason: reason.For("saved to " + path)}); err != nil {
			return 0, err
		}
	}
	content, err := text()
	if err == nil {
		err = x.s.Take(ctx, journal.Export, what, journal.Detail{Notes: "to " + path})
	}
	if err != nil {
		return 0, err
	}
	return int64(len(content)), Save(path, []byte(content), replace)
}
