package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/documents"
	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// A rowWriter writes the items of one run as they arrive, masked.
type rowWriter struct {
	app     *app
	session *workspace.Workspace
	run     *reading.Run
	options runOptions

	buffer *bufio.Writer
	out    rowOutput
	stale  staleKeys
	broken error // of the output
}

// outputBuffer is how many bytes are written at once.
const outputBuffer = 64 << 10

// writeRun reads a page, or all pages with --all, and writes the items.
func writeRun(ctx context.Context, a *app, s *workspace.Workspace, r *reading.Run, o runOptions) error {
	w := &rowWriter{app: a, session: s, run: r, options: o, stale: staleKeys{run: r, session: s}}
	w.buffer = bufio.NewWriterSize(a.Stdout, outputBuffer)
	w.out = export.NewWriter(w.buffer, export.Named(o.output), o.shape(s, r.Request()))
	if table := newScreenTable(a, s, r.Request().Pattern); table != nil && o.output == export.Text.Name && !o.withEntity &&
		!r.Request().IsCount() {
		w.out = table
	}
	more, err := w.read(ctx)
	switch total := r.Totals(); {
	case w.broken != nil:
		return w.broken
	case err != nil && (total.Count == 0 || r.Request().IsCount()):
		return w.emptyError(err) // nothing is written, because an error is not an empty result
	case err != nil:
		return w.interrupted(err)
	}
	token := ""
	if more {
		if token, err = r.Token(); err != nil {
			return err
		}
	}
	if err := w.close(token); err != nil {
		return err
	}
	w.noteOmittedColumns()
	if text := w.stale.String(); text != "" {
		a.Note(text)
	}
	return runOutcome(a.Streams, r, r.Totals(), token, o)
}

// shape describes the items of a request to the writer, which masks them. A table for reading names the entity of each
// row where rows can be of several; other formats have the name only with --with-entity.
func (o runOptions) shape(s *workspace.Workspace, r *accesspatterns.Request) export.Shape {
	p := r.Pattern
	several := len(p.Returns) > 1 || len(p.Returns) == 0 && len(s.Session.Profile().EntitiesOf(p.Table)) > 1
	return export.Shape{
		Table: p.Table, Entities: p.Returns, Count: r.IsCount(), Masker: s.Session.Masker().Knowing(r.GivenKeys(nil)),
		Kind: o.withEntity || several && o.output == export.Text.Name,
	}
}

// read reads one page or all of them, and reports whether more may follow.
func (w *rowWriter) read(ctx context.Context) (more bool, err error) {
	if w.options.all {
		progress := &reading.Progress{}
		defer showProgress(w.app, progress, w.options.output)()
		return false, w.run.All(progress.Watch(ctx), w.write)
	}
	page, err := w.run.Next(ctx)
	if err != nil && (page.Count == 0 || w.run.Request().IsCount()) {
		return false, err // part of a count is not a count
	}
	if writeErr := w.write(page); writeErr != nil {
		return false, writeErr
	}
	return page.More, err
}

// write writes the items of a page and flushes them.
func (w *rowWriter) write(page reading.Page) error {
	w.stale.add(page.Items)
	w.broken = w.out.Write(page.Items)
	if w.broken == nil {
		w.broken = w.buffer.Flush()
	}
	return w.broken
}

// close completes the document.
func (w *rowWriter) close(token string) error {
	if err := w.out.Close(documents.OfRun(w.run.Request(), w.run.Totals(), token)); err != nil {
		return err
	}
	return w.buffer.Flush()
}

// emptyError returns the error of a run that has written nothing. After a long scan
// without matches it names the token that continues it.
func (w *rowWriter) emptyError(cause error) error {
	total := w.run.Totals()
	if !w.options.all || total.Scanned == 0 || w.run.Request().IsCount() {
		return cause
	}
	token, err := w.run.Token()
	if err != nil {
		return errors.Join(cause, err)
	}
	return fmt.Errorf("%w\nscanned %d items without a match; to continue, run %s", cause, total.Scanned, w.run.Continue(token))
}

// interrupted completes the document and returns the cause with the token that
// continues the run.
func (w *rowWriter) interrupted(cause error) error {
	token, err := w.run.Token()
	if err != nil {
		return errors.Join(cause, err)
	}
	if err := w.close(token); err != nil {
		return errors.Join(cause, err)
	}
	return fmt.Errorf("%w\nwrote %d rows; to continue, run %s", cause, w.run.Totals().Count, w.run.Continue(token))
}

// maxOmitted is how many omitted columns a note names.
const maxOmitted = 5

// noteOmittedColumns names the attributes without a column: columns are those of
// the first page.
func (w *rowWriter) noteOmittedColumns() {
	names := w.out.LeftOut()
	if n := len(names); n > maxOmitted {
		names = append(names[:maxOmitted], fmt.Sprintf("%d more", n-maxOmitted))
	}
	if len(names) > 0 {
		w.app.Notef("no column for %s, which the first page does not have; -o jsonl includes all attributes", strings.Join(names, ", "))
	}
}

// staleKeys counts the items that an index returned under a key which their
// attributes contradict, as after a write that did not update the index key.
type staleKeys struct {
	run     *reading.Run
	session *workspace.Workspace
	rows    int
	first   string
}

// add checks the items of a page.
func (k *staleKeys) add(rows []models.Item) {
	table := k.run.Request().Pattern.Table
	for _, it := range rows {
		names := k.session.Reading.StaleKeys(k.run, it)
		if len(names) == 0 {
			continue
		}
		if k.rows == 0 {
			k.first = fmt.Sprintf("%s of %s", strings.Join(names, ", "), table.KeyText(k.session.Session.Masker().Item(table, it)))
		}
		k.rows++
	}
}

// String returns the note about stale keys, "" without any.
func (k *staleKeys) String() string {
	switch k.rows {
	case 0:
		return ""
	case 1:
		return "stale index key: " + k.first + " does not match the item's attributes, which are correct"
	}
	return fmt.Sprintf("stale index keys in %d rows: %s does not match the item's attributes, which are correct", k.rows, k.first)
}
