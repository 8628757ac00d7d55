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

// An Exporter exports items for one session. It is safe for concurrent use. It does not check the role, because users
// can copy the screen anyway, and masked values stay masked.
type Exporter struct {
	s *session.Session
}

// NewExporter returns an exporter for a session.
func NewExporter(s *session.Session) *Exporter { return &Exporter{s: s} }

// An Export selects the items to write and the file.
type Export struct {
	// Subject names the exported data in the journal: the full ID of a pattern. For a single item, the journal contains
	// its key instead.
	Subject  string
	Table    *models.Table
	Entities []*models.Entity // entities that the items may have
	Items    []models.Item    // unmasked items
	// Pages replaces Items for results that do not fit into memory. Export may iterate over it more than once.
	Pages  iter.Seq[[]models.Item]
	Count  int          // number of items in Pages
	Rest   *reading.Run // a run to read to its end after the items, or nil
	Single bool         // the export is one item, which forms the whole JSON document

	Format  *Format
	Path    string // see NewFilePath
	Replace bool   // replace an existing file
}

// An ExportProgress is the progress of an export, and finally its result.
type ExportProgress struct {
	Path     string
	Items    int
	Pages    int     // number of requests
	Capacity float64 // RCU consumed
	Bytes    int64
	Omitted  []string // attributes without a column
	Changed  int      // number of values that the format cannot represent exactly
	Part     string   // path of the partial file after an error, or ""
}

// NewFilePath returns the absolute path for a file name that a user entered. The error explains why ddbdesk cannot
// create the file. It wraps [ErrExists] if the file exists.
func NewFilePath(name string) (string, error) {
	path, err := Path(name)
	if err != nil {
		return "", err
	}
	return path, CheckPath(path)
}

// Export writes the items to a file that only its owner can read. It calls report after each page, on the same
// goroutine; report may be called very often, so it must return quickly. The file gets its name once it is complete. If
// reading fails or ctx ends, Part contains the earlier items, and its JSON document stays unclosed. After a file or
// journal error, no file remains. Export records revealed personal data in the journal before it writes. Errors wrap
// ErrExists, or come from the file, the journal, ctx or a read.
func (x *Exporter) Export(ctx context.Context, e Export, report func(ExportProgress)) (done ExportProgress, err error) {
	masker, reason := x.s.Revealed()
	if !masker.Hides(models.PII) {
		if err := x.recordExport(ctx, e, reason); err != nil {
			return ExportProgress{}, err
		}
	}
	file, err := Create(e.Path, e.Replace)
	if err != nil {
		return ExportProgress{}, err
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
	if journalErr := x.s.RecordExport(context.WithoutCancel(ctx), journal.Export, x.subject(e), detail); journalErr != nil {
		return done, errors.Join(err, journalErr)
	}
	if err != nil {
		whole = true // Keep deletes a file that it cannot complete.
		var statErr error
		if done.Part, statErr = file.Keep(); statErr != nil {
			return done, errors.Join(err, statErr)
		}
		return done, fmt.Errorf("%w; the rows read before are in %s", err, printablePath(done.Part))
	}
	whole = true // Commit deletes a file that it cannot complete.
	return done, file.Commit()
}

// errPart is the prefix of errors after which Export keeps the partial file.
var errPart = errors.New("stopped after")

func (x *Exporter) writeItems(ctx context.Context, e Export, w *Writer, done *ExportProgress, report func()) error {
	if err := x.writeRead(ctx, e, w, done, report); err != nil {
		return err
	}
	if e.Rest != nil {
		var writeErr error // error of the file, not of a read
		err := e.Rest.All(ctx, func(page reading.Page) error {
			if writeErr = w.Write(page.Items); writeErr != nil {
				return writeErr
			}
			done.Pages += page.Requests
			done.Capacity += page.Capacity
			done.Items += len(page.Items)
			report()
			return nil
		})
		switch {
		case writeErr != nil:
			return writeErr
		case err != nil:
			return fmt.Errorf("%w %d items: %w", errPart, done.Items, err)
		}
	}
	done.Omitted, done.Changed = w.Omitted(), w.Changed()
	return w.Close(Tail{Count: done.Items})
}

func (x *Exporter) writeRead(ctx context.Context, e Export, w *Writer, done *ExportProgress, report func()) error {
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
	w.ChooseColumns(pages)
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
	return Shape{Table: t, Entities: entities, WithEntity: f.HasColumns() && len(entities) > 1, Masker: masker}
}

func (x *Exporter) recordExport(ctx context.Context, e Export, reason change.Reason) error {
	items := strconv.Itoa(len(e.Items) + e.Count)
	if e.Rest != nil {
		items += " and all that follow"
	}
	return x.recordFile(ctx, x.subject(e), journal.Detail{
		Reason: reason.WithPrefix("exported to " + e.Path), Items: items,
		Format: e.Format.Name,
	})
}

// subject never contains personal data, even if the screen reveals it.
func (x *Exporter) subject(e Export) string {
	if !e.Single {
		return e.Subject
	}
	return e.Table.Name + " " + models.Printable(e.Table.KeyText(x.s.FullMasker().Item(e.Table, e.Items[0])))
}

// recordFile records an export of revealed data in the journal. After an error, the caller must not export anything.
func (x *Exporter) recordFile(ctx context.Context, subject string, detail journal.Detail) error {
	if err := x.s.Record(ctx, journal.Reveal, subject, detail); err != nil {
		return fmt.Errorf("exporting revealed data needs the journal: %w", err)
	}
	return nil
}

// Text returns items as text for the clipboard, masked like the screen. columns contains attribute paths; nil uses the
// columns of a file. Text keeps everything in memory, so use it for marked rows instead of whole results.
func (x *Exporter) Text(
	f *Format, t *models.Table, entities []*models.Entity, items []models.Item, columns ...string,
) (string, error) {
	var out strings.Builder
	itemShape := shape(f, t, entities, x.s.Masker())
	itemShape.Columns = columns
	w := NewWriter(&out, f, itemShape)
	if err := w.Write(items); err != nil {
		return "", err
	}
	if err := w.Close(Tail{Count: len(items)}); err != nil {
		return "", err
	}
	return out.String(), nil
}

// RecordCopy records in the journal, if it records reads, that the user copies the data named by subject. After an
// error, the caller must not copy anything.
func (x *Exporter) RecordCopy(ctx context.Context, subject string) error {
	return x.s.RecordExport(ctx, journal.Copy, subject, journal.Detail{})
}

// SaveText writes the result of text to a file that only its owner can read; see Export. While personal data is
// revealed, it first records the export in the journal and names the text with subject. It returns errors of text
// unchanged.
func (x *Exporter) SaveText(ctx context.Context, subject, path string, replace bool, text func() (string, error)) (size int64, err error) {
	if masker, reason := x.s.Revealed(); !masker.Hides(models.PII) {
		if err := x.recordFile(ctx, subject, journal.Detail{Reason: reason.WithPrefix("saved to " + path)}); err != nil {
			return 0, err
		}
	}
	content, err := text()
	if err == nil {
		err = x.s.RecordExport(ctx, journal.Export, subject, journal.Detail{Notes: "to " + path})
	}
	if err != nil {
		return 0, err
	}
	return int64(len(content)), Save(path, []byte(content), replace)
}
