package explore

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

func newRowWriter(ctx context.Context, w *workspace.Workspace, r *reading.Run, in *readInput) *rowWriter {
	return &rowWriter{ctx: ctx, workspace: w, run: r, in: in, stale: staleKeys{run: r, workspace: w}}
}

// A rowWriter is the result of a pattern. It writes the masked items of one run as they arrive, in any export format.
type rowWriter struct {
	ctx       context.Context // used to read the items while the result is written
	to        op.Output
	workspace *workspace.Workspace
	run       *reading.Run
	in        *readInput
	format    *items.Format

	buffer    *bufio.Writer
	out       op.Items
	stale     staleKeys
	expired   int      // number of expired items, for a terminal
	stateless []string // masked IDs of the expired items without a state, which would show the expiry
	outputErr error    // error of the output
}

// outputBuffer is the size of the output buffer in bytes.
const outputBuffer = 64 << 10

// JSON returns nil, because the items may not fit into memory.
func (*rowWriter) JSON() any { return nil }

// Text writes a table.
func (w *rowWriter) Text(to op.Output) error { return w.Write(to, items.Text.Name) }

// Write writes the items in an export format.
func (w *rowWriter) Write(to op.Output, format string) error {
	w.to, w.format = to, items.FormatNamed(format)
	request := w.run.Request()
	w.buffer = bufio.NewWriterSize(w.to.Writer, outputBuffer)
	w.out = items.NewWriter(w.buffer, w.format, w.shape())
	if w.to.Grid != nil && w.format == items.Text && !w.in.withEntity && !request.IsCount() {
		w.out = w.to.Grid(w.workspace, request)
	}
	more, err := w.read()
	switch total := w.run.Totals(); {
	case w.outputErr != nil:
		return w.outputErr
	case err != nil && (total.Count == 0 || request.IsCount()):
		return w.emptyError(err) // write nothing, because an error is not an empty result
	case err != nil:
		return w.interruptedError(err)
	}
	token, next := "", ""
	if more {
		if token, next, err = storeToken(w.workspace.Session.StateDir(), w.run); err != nil {
			return err
		}
	} else {
		deleteToken(w.workspace.Session.StateDir(), request.Pattern.FullID())
	}
	if err := w.close(token, false); err != nil {
		return err
	}
	w.noteOmittedColumns()
	if text := w.stale.String(); text != "" {
		w.to.Note(text)
	}
	if w.expired > 0 {
		ids := models.Printable(strings.Join(models.Limited(w.stateless, maxOmitted), ", "))
		w.to.Note(strings.TrimSuffix(fmt.Sprintf("%s expired, and DynamoDB deletes expired items within days: %s",
			english.Plural(w.expired, "item has", "items have"), ids), ": "))
	}
	w.noteDays()
	return w.outcome(next)
}

// shape adds the entity of each row if a text table contains several entities. Other formats need --with-entity.
func (w *rowWriter) shape() items.Shape {
	r, s := w.run.Request(), w.workspace.Session
	p := r.Pattern
	several := len(p.Returns) > 1 || len(p.Returns) == 0 && len(s.Profile().EntitiesOf(p.Table)) > 1
	hasColumns := func(e *models.Entity) bool {
		return len(e.Columns) == 0 || slices.ContainsFunc(e.Columns, p.ReadsAttribute)
	}
	var columns []string
	if w.format == items.Text && !slices.ContainsFunc(p.Returns, hasColumns) {
		columns = p.Projected(r.Read) // The entities' own columns would all be empty.
	}
	return items.Shape{
		Columns: columns, Table: p.Table, Entities: p.Returns, Count: r.IsCount(), Masker: s.Masker().WithGivenKeys(r.GivenKeys(nil)),
		WithEntity: w.in.withEntity || several && w.format == items.Text, Plain: w.to.Plain,
	}
}

func (w *rowWriter) read() (more bool, err error) {
	if w.in.all {
		progress := &reading.Progress{}
		if w.to.Progress != nil {
			defer w.to.Progress(func() string { return progress.Figures().Text(w.to.Plain) })()
		}
		return false, w.run.All(progress.Watch(w.ctx), w.write)
	}
	page, err := w.run.Next(w.ctx)
	if err != nil && (page.Count == 0 || w.run.Request().IsCount()) {
		return false, err // a partial count is not a count
	}
	if writeErr := w.write(page); writeErr != nil {
		return false, writeErr
	}
	return page.More, err
}

func (w *rowWriter) write(page reading.Page) error {
	w.stale.add(page.Items)
	if w.to.Draws() {
		w.addExpired(page.Items)
	}
	w.outputErr = w.out.Write(page.Items)
	if w.outputErr == nil {
		w.outputErr = w.buffer.Flush()
	}
	return w.outputErr
}

func (w *rowWriter) addExpired(list []models.Item) {
	t, s := w.run.Request().Pattern.Table, w.workspace.Session
	for _, it := range list {
		if at, ok := t.Expires(it); ok && !at.After(s.Now()) {
			w.expired++
			m, ok := s.Recognize(t, it)
			readsState := func(l *models.Lifecycle) bool { return w.run.Request().Pattern.ReadsAttribute(l.Attribute) }
			if ok && slices.ContainsFunc(m.Entity.Lifecycles, readsState) {
				continue
			}
			shown, id := s.Masker().Item(t, it), ""
			if ok {
				id, _ = m.Entity.Values(shown)(m.Entity.IDName())
			}
			w.stateless = append(w.stateless, cmp.Or(id, t.KeyText(shown)))
		}
	}
}

// noteDays notes on a terminal when the days of parameters begin, because the printed times are in the user's zone.
func (w *rowWriter) noteDays() {
	request := w.run.Request()
	for _, q := range request.Pattern.Params {
		at := request.Values[q.Name].Time
		_, offset := at.In(w.workspace.Session.Now().Location()).Zone()
		if q.Type == accesspatterns.Day && !at.IsZero() && offset != 0 && w.to.Draws() {
			w.to.Notef("%s is a UTC day, from %s to %s here", q.Name, w.to.At(at.Time), w.to.At(at.AddDate(0, 0, 1)))
		}
	}
}

// close always writes the fields after the items, so that scripts can compare next with null. Capacity is in RCU.
func (w *rowWriter) close(token string, truncated bool) error {
	total := w.run.Totals()
	err := w.out.Close(items.Tail{Count: total.Count, Truncated: truncated, Fields: []items.Field{
		{Name: "scannedCount", Value: total.Scanned},
		{Name: "consumedCapacity", Value: reading.Round(total.Capacity)},
		{Name: "requests", Value: total.Requests},
		{Name: "next", Value: op.OrNull(token)},
		{Name: "finding", Value: w.run.Request().Pattern.Defect()},
	}})
	if err != nil {
		return err
	}
	return w.buffer.Flush()
}

// emptyError adds the token that continues a long scan without matches.
func (w *rowWriter) emptyError(cause error) error {
	total := w.run.Totals()
	if !w.in.all || total.Scanned == 0 || w.run.Request().IsCount() {
		return cause
	}
	_, next, err := storeToken(w.workspace.Session.StateDir(), w.run)
	if err != nil {
		return errors.Join(cause, err)
	}
	return fmt.Errorf("%w\nscanned %d items without a match; to continue, run %s", cause, total.Scanned, w.run.ContinueCommand(next))
}

func (w *rowWriter) interruptedError(cause error) error {
	token, next, err := storeToken(w.workspace.Session.StateDir(), w.run)
	if err != nil {
		return errors.Join(cause, err)
	}
	if err := w.close(token, true); err != nil {
		return errors.Join(cause, err)
	}
	return fmt.Errorf("%w\nwrote %d rows; to continue, run %s", cause, w.run.Totals().Count, w.run.ContinueCommand(next))
}

// outcome returns exit code 1 if a GetItem found nothing.
func (w *rowWriter) outcome(next string) error {
	request, total := w.run.Request(), w.run.Totals()
	q := request.Pattern
	isGet := request.Read.Operation == accesspatterns.Get
	if next != "" && w.format != items.JSON {
		w.to.Note("more results follow; to continue, run " + w.run.ContinueCommand(next))
	}
	if w.format == items.Text || total.Count == 0 && !isGet {
		w.noteIssue(q)
	}
	if q.ExpectOne && total.Count > 1 {
		name := q.ID
		if w.to.Plain {
			name = q.Short().Plain()
		}
		w.to.Notef("%s expects one item and found %d; DynamoDB does not enforce unique index keys", name, total.Count)
	}
	if keys := request.KeyCount(); keys > 1 && total.Count > 0 && total.Count < keys && next == "" && w.in.next == "" {
		w.to.Notef("%d of %d keys not found", keys-total.Count, keys)
	}
	switch {
	case total.Count > 0:
	case isGet:
		w.to.Note("no results" + w.emptyAdvice())
		return op.NotFound
	case w.format == items.Text && !request.IsCount():
		w.to.Notef("no results; %s scanned%s", english.Plural(total.Scanned, "item", ""), w.defaultValues()+w.emptyAdvice())
	}
	return nil
}

func (w *rowWriter) noteIssue(q *accesspatterns.Pattern) {
	d := q.Defect()
	if w.to.Plain && w.to.Draws() { // Role support reads only issues that affect the rows.
		d = models.First(q.Findings, func(f *accesspatterns.Finding) bool {
			return f.DecidesPattern(q.ID) && f.Kind != accesspatterns.Gap && f.Kind != accesspatterns.Cost
		})
	}
	if d == nil {
		return
	}
	text := cmp.Or(q.Safe, d.Workaround)
	if q.Safe != "" && !strings.HasPrefix(q.Safe, "ddbdesk ") {
		text = "What ddbdesk does: " + q.Safe
	}
	name := cmp.Or(d.Title, "This pattern has a known issue") + ". "
	switch {
	case !w.to.Plain:
		name = "known issue " + d.String() + ": " + name
	case w.to.Draws(): // Role support cannot change the schema.
		name, text = "known issue: "+cmp.Or(d.Title, "the schema describes it"), ""
	case d.Title != "":
		name = "known issue of the documented request: " + name
	}
	w.to.Note(name + strings.TrimSpace(text))
}

// emptyAdvice returns the next step after an empty result on a terminal: another time, or a search for the first value.
func (w *rowWriter) emptyAdvice() string {
	r, s := w.run.Request(), w.workspace.Session
	if !w.to.Draws() || s.Profile().IsSchemaless() {
		return ""
	}
	for _, q := range r.DefaultedParams() {
		switch isPast := r.Values[q.Name].Time.Before(r.Now); { // A default of now is an upper bound.
		case q.Type == accesspatterns.Day:
			return "; for another day, add " + q.Name + "=yesterday"
		case q.Type == accesspatterns.Timestamp && isPast:
			return "; for an earlier time, add " + q.Name + "=now-30d"
		}
	}
	for _, q := range r.Pattern.Params {
		if text := r.Given[q.Name]; q.Type == accesspatterns.String && len(q.Enum) == 0 && text != "" {
			return "; to search for " + op.Short(text) + " elsewhere, run " + s.Command("find", session.SchemaName(s.Profile()), text)
		}
	}
	return ""
}

func (w *rowWriter) defaultValues() string {
	list := w.run.Request().DefaultedParams()
	texts := models.MapSlice(list, func(q *accesspatterns.Param) string {
		switch v := w.run.Request().Values[q.Name]; {
		case !w.to.Draws():
			return q.Name + " " + v.Text
		case q.Type == accesspatterns.Timestamp && v.IsTime:
			return q.Name + " is " + w.to.At(v.Time.Time)
		default:
			return q.Name + " is " + v.Text
		}
	})
	lead := "; the defaults are "
	switch {
	case len(list) == 0:
		return ""
	case w.to.Draws():
		lead = "; by default, "
	case len(list) == 1:
		lead = "; the default is "
	}
	return lead + models.Printable(strings.Join(texts, ", "))
}

// maxOmitted is the maximum number of omitted columns to list in a note.
const maxOmitted = 5

// noteOmittedColumns lists attributes without a column, because the first page determines the columns.
func (w *rowWriter) noteOmittedColumns() {
	names := models.Limited(w.out.Omitted(), maxOmitted)
	if len(names) > 0 {
		w.to.Notef("omitted %s, which no item on the first page has; to print all attributes, use -o jsonl", strings.Join(names, ", "))
	}
	if n := w.out.Changed(); n > 0 {
		w.to.Notef("%s changes %d of the values: %s; to keep them exact, use -o dynamodb", w.format.Title, n, w.format.Losses())
	}
}

// staleKeys counts items that an index returned under a key that contradicts their attributes. This happens if a write
// did not update the index key.
type staleKeys struct {
	run       *reading.Run
	workspace *workspace.Workspace
	rows      int
	first     string
}

func (k *staleKeys) add(rows []models.Item) {
	table := k.run.Request().Pattern.Table
	for _, it := range rows {
		names := k.workspace.Reading.StaleKeys(k.run.Request(), it)
		if len(names) == 0 {
			continue
		}
		if k.rows == 0 {
			k.first = table.KeyText(k.workspace.Session.Masker().Item(table, it))
			if !k.workspace.Session.Plain() {
				k.first = strings.Join(names, ", ") + " of " + k.first
			}
		}
		k.rows++
	}
}

// String returns the note about stale keys, or "".
func (k *staleKeys) String() string {
	switch k.rows {
	case 0:
		return ""
	case 1:
		return "stale index key: " + k.first + " does not match the item's attributes, which are correct"
	}
	return fmt.Sprintf("stale index keys in %d rows: %s does not match the item's attributes, which are correct", k.rows, k.first)
}
