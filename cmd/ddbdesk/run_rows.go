// This file writes the rows of a run as they come: a page, or all of them.

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// A rowRun is the rows of one run on their way to the output.
type rowRun struct {
	app     *app
	session *session.Session
	run     *session.Run
	flags   runFlags

	buffer *bufio.Writer
	out    *export.Writer
	stale  staleKeys
	broken error // of the output
}

// outputBuffer is how much is written at once.
const outputBuffer = 64 << 10

// writeRun reads a page, or all of them, and writes them.
func (a *app) writeRun(ctx context.Context, s *session.Session, r *session.Run, f runFlags) error {
	w := &rowRun{app: a, session: s, run: r, flags: f, stale: staleKeys{run: r, session: s}}
	w.buffer = bufio.NewWriterSize(a.stdout, outputBuffer)
	w.out = newRowWriter(w.buffer, export.Named(f.output), r.Request())
	more, err := w.read(ctx)
	switch total := r.Totals(); {
	case w.broken != nil:
		return w.broken
	case err != nil && (total.Count == 0 || r.Request().IsCount()):
		return w.without(err) // nothing is written: an error is not an empty result
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
	a.noteLeftOut(w.out)
	if text := w.stale.String(); text != "" {
		a.note(text)
	}
	return a.outcome(r, r.Totals(), token, f)
}

// read reads what is asked for; more says that there may be more.
func (w *rowRun) read(ctx context.Context) (more bool, err error) {
	if w.flags.all {
		progress := &session.Progress{}
		defer w.app.showProgress(progress, w.flags.output)()
		return false, w.run.All(progress.Watch(ctx), w.write)
	}
	page, err := w.run.Next(ctx)
	if err != nil && (page.Count == 0 || w.run.Request().IsCount()) {
		return false, err // Half a count is none.
	}
	if werr := w.write(page); werr != nil {
		return false, werr
	}
	return page.More, err
}

// write writes the rows of a page, masked. What was written is out when it
// returns.
func (w *rowRun) write(page session.Page) error {
	masker, table := w.session.Masker(), w.run.Request().Pattern.Table
	masked := make([]models.Item, len(page.Items))
	for i, it := range page.Items {
		masked[i] = masker.Item(table, it)
	}
	w.stale.add(page.Items, masked)
	w.broken = w.out.Write(masked)
	if w.broken == nil {
		w.broken = w.buffer.Flush()
	}
	return w.broken
}

// close ends the output in good form.
func (w *rowRun) close(token string) error {
	if err := w.out.Close(runTail(w.run.Request(), w.run.Totals(), token)); err != nil {
		return err
	}
	return w.buffer.Flush()
}

// without is the error of a run that has written nothing. What was read for it
// need not be read again.
func (w *rowRun) without(cause error) error {
	total := w.run.Totals()
	if !w.flags.all || total.Scanned == 0 || w.run.Request().IsCount() {
		return cause
	}
	token, err := w.run.Token()
	if err != nil {
		return errors.Join(cause, err)
	}
	return fmt.Errorf("%w\nread %d items and no row of them before; go on with --next %s", cause, total.Scanned, token)
}

// interrupted ends the output in good form, with the token to go on from.
func (w *rowRun) interrupted(cause error) error {
	token, err := w.run.Token()
	if err != nil {
		return errors.Join(cause, err)
	}
	if err := w.close(token); err != nil {
		return errors.Join(cause, err)
	}
	return fmt.Errorf("%w\nread %d rows before; go on with --next %s", cause, w.run.Totals().Count, token)
}

// staleKeys counts the rows that an index returned under a key which their
// attributes contradict: an index is only as right as the last write made it.
type staleKeys struct {
	run     *session.Run
	session *session.Session
	rows    int
	first   string
}

func (k *staleKeys) add(rows, masked []models.Item) {
	for i, it := range rows {
		names := k.session.Stale(k.run, it)
		if len(names) == 0 {
			continue
		}
		if k.rows == 0 {
			k.first = fmt.Sprintf("%s of %s", strings.Join(names, ", "), k.run.Request().Pattern.Table.KeyText(masked[i]))
		}
		k.rows++
	}
}

func (k *staleKeys) String() string {
	switch k.rows {
	case 0:
		return ""
	case 1:
		return "stale index key: " + k.first + " disagrees with the item's attributes, which are right"
	}
	return fmt.Sprintf("stale index keys: %d rows; %s disagrees with the item's attributes, which are right", k.rows, k.first)
}
