package session

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Lookup describes a read and its client. The journal contains Subject in clear text, so Subject must not contain
// values; Arguments may.
type Lookup struct {
	Subject   string  // the pattern, or the purpose of the read
	Arguments any     // arguments of the read; the journal contains only a digest of their JSON
	Client    string  // program that started the read, or "" for the user
	Always    bool    // record the read even if the connection does not journal reads
	Viewer    *Viewer // viewer of the schema to read; nil for the receiver of BeginLookup
}

// JournalsReads reports whether the journal records reads: as the context declares, or by default on production.
func (o Options) JournalsReads() bool {
	if o.JournalReads != nil {
		return *o.JournalReads
	}
	return o.Production()
}

// JournalsReads reports whether the journal records the session's reads; see Options.
func (s *settings) JournalsReads() bool { return s.o.JournalsReads() }

// entryItems is the maximum number of items per entry, so that the journal contains entries of a long read before its
// end.
const entryItems = 10_000

// An activeLookup is a lookup in progress. It is safe for concurrent use.
type activeLookup struct {
	v *Viewer
	*Lookup

	mu         sync.Mutex
	startedAt  time.Time
	entities   map[string]int
	items      int
	units      float64
	journalErr error // error of the journal
}

type activeLookupKey struct{}

// BeginLookup begins a read, whose requests must use the returned context. end writes the journal entry: the subject,
// the number of items per entity, the cost, and whether personal data was revealed, but no values. Its error joins err
// with the journal's error; after a journal error, the caller must not show the result. A read within another one has
// no entry. BeginLookup itself writes nothing: if the program ends first, only the entries for each 10,000 items exist.
func (v *Viewer) BeginLookup(ctx context.Context, lookup *Lookup) (lookupCtx context.Context, end func(err error) error) {
	return v.begin(store.WithTrace(ctx, store.Trace{Purpose: lookup.Subject}), lookup)
}

func (v *Viewer) begin(ctx context.Context, lookup *Lookup) (lookupCtx context.Context, end func(err error) error) {
	if !v.o.JournalsReads() && !lookup.Always || activeLookupOf(ctx) != nil {
		return ctx, func(err error) error { return err }
	}
	l := v.newActiveLookup(lookup)
	ctx = store.WithTrace(context.WithValue(ctx, activeLookupKey{}, l), store.Trace{Called: l.addCall})
	return ctx, func(err error) error { return l.end(ctx, err) }
}

func (v *Viewer) newActiveLookup(lookup *Lookup) *activeLookup {
	return &activeLookup{v: v, Lookup: lookup, startedAt: v.Now(), entities: map[string]int{}}
}

func activeLookupOf(ctx context.Context) *activeLookup {
	l, _ := ctx.Value(activeLookupKey{}).(*activeLookup)
	return l
}

func (l *activeLookup) addCall(c store.Call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.units += c.Capacity
}

// countPage counts the items. If it returns an error of the journal, the caller must not show the items.
func (l *activeLookup) countPage(ctx context.Context, v *Viewer, table string, page accesspatterns.Page) error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	t := v.table(table)
	for i, it := range page.Items {
		name := "other"
		if page.Tables != nil {
			t = v.table(page.Tables[i])
		}
		if r, ok := v.Recognize(t, it); t != nil && ok {
			name = r.Entity.Name
		}
		l.entities[name]++
	}
	if l.items += len(page.Items); l.items >= entryItems && l.journalErr == nil {
		l.journalErr = l.record(ctx, nil, "continues")
	}
	return l.journalErr
}

func (v *Viewer) table(name string) *models.Table {
	return models.First(v.o.Profile.Tables, func(t *models.Table) bool { return t.Name == name })
}

func (l *activeLookup) end(ctx context.Context, err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.journalErr == nil {
		l.journalErr = l.record(ctx, err, "")
	}
	if l.journalErr != nil && !errors.Is(err, l.journalErr) {
		return errors.Join(err, l.journalErr)
	}
	return err
}

func (l *activeLookup) record(ctx context.Context, failure error, note string) error {
	detail := journal.Detail{
		Client: l.Client, Items: strconv.Itoa(l.items), Notes: note, Entities: journal.Counts(l.entities), Shown: "masked",
		Capacity: strconv.FormatFloat(l.units, 'g', 6, 64), Duration: l.v.Now().Sub(l.startedAt).Round(time.Millisecond).String(),
	}
	if !l.v.Masker().Hides(models.PII) {
		detail.Shown = "revealed"
	}
	if failure != nil {
		detail.Why = "failed"
	}
	err := l.digest(&detail)
	if err == nil {
		err = cmp.Or(l.Viewer, l.v).Record(context.WithoutCancel(ctx), journal.Lookup, l.Subject, detail)
	}
	if err != nil {
		return fmt.Errorf("cannot record the read in the journal: %w", err)
	}
	l.startedAt, l.entities, l.items, l.units = l.v.Now(), map[string]int{}, 0, 0
	return nil
}

// lookupPurpose separates the digest of arguments from other uses of the machine's key.
const lookupPurpose = "lookup"

// digest sets the digest of the arguments. Only this machine can compare digests.
func (l *activeLookup) digest(d *journal.Detail) error {
	text, err := json.Marshal(l.Arguments)
	if err != nil || l.Arguments == nil {
		return err
	}
	sum, err := l.v.Sealer().MAC(text, lookupPurpose)
	if err == nil {
		d.Arguments = hex.EncodeToString(sum)[:32]
	}
	return err
}

// RecordExport records in the journal that a copy or an export takes data out of the program, if the journal records
// reads. Call it once the number of items is known, before writing the file or the clipboard. After an error, no data
// may leave the program.
func (v *Viewer) RecordExport(ctx context.Context, kind journal.Kind, subject string, detail journal.Detail) error {
	if !v.o.JournalsReads() {
		return nil
	}
	if detail.Shown = "masked"; !v.Masker().Hides(models.PII) {
		detail.Shown = "revealed"
	}
	if err := v.Record(ctx, kind, subject, detail); err != nil {
		return fmt.Errorf("cannot record the %s in the journal: %w", kind, err)
	}
	return nil
}

// A guardedReader is the only reader of a session. It sends nothing while the session's purpose is missing. It records
// denied permissions, and journals each request outside of a lookup.
type guardedReader struct {
	store.Reader
	watch
	v *Viewer
}

// Fetch implements store.Reader.
func (r guardedReader) Fetch(
	ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int,
) (page accesspatterns.Page, err error) {
	err = r.read(ctx, leg.Permissions(), func(ctx context.Context) (accesspatterns.Page, error) {
		page, err = r.Reader.Fetch(ctx, leg, start, limit)
		return page, err
	})
	if isUnrecorded(err) {
		page = accesspatterns.Page{}
	}
	return page, err
}

// errUnrecorded means that the result of a read must not be shown.
var errUnrecorded = errors.New("nothing is shown")

func isUnrecorded(err error) bool { return errors.Is(err, errUnrecorded) }

func (r guardedReader) read(
	ctx context.Context, needed []accesspatterns.Permission, send func(context.Context) (accesspatterns.Page, error),
) error {
	if r.refusal != nil {
		return r.refusal
	}
	var action, table string
	var tables []string // a BatchGetItem may have several
	for _, p := range needed {
		tables = models.AppendOnce(tables, p.Table)
	}
	if len(needed) > 0 {
		action, table = strings.TrimPrefix(needed[0].Action, "dynamodb:"), needed[0].Table
	}
	ctx, end := r.v.begin(ctx, &Lookup{Subject: action + " " + strings.Join(tables, ", ")})
	page, err := send(ctx)
	err = r.recordResult(needed, err)
	countErr := activeLookupOf(ctx).countPage(ctx, r.v, table, page)
	if endErr := end(countErr); endErr != nil {
		return errors.Join(err, fmt.Errorf("%w: %w", errUnrecorded, endErr))
	}
	return err
}
