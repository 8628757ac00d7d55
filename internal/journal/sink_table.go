package journal

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"sync"
	"unicode/utf8"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// These are the attribute names of an item. The sort key contains the entry's number, so that DynamoDB rejects a second
// entry with the same number.
const (
	partitionKey = "PK"
	sortKey      = "SK"
	entryText    = "entry"
	entryHash    = "hash"
)

// A TableSink puts each entry as a new item, or a long one as several items. It needs the DynamoDB permission PutItem to
// send, Query and BatchGetItem to compare, and Scan to read the entries of all machines. It is safe for concurrent use.
type TableSink struct {
	// Budget limits the RCU per second for all machines' entries; 0 is the default, and negative means no limit.
	Budget float64

	table *models.Table
	open  func(context.Context) (*store.Connection, error)

	mu   sync.Mutex
	conn *store.Connection // nil before the first use
}

// defaultBudget is a small part of the 12,000 RCU per second of a new on-demand table.
const defaultBudget = 500

// NewTableSink returns a sink for a table. It connects on first use. It does not create the table; Send fails if the
// table does not exist.
func NewTableSink(name string, open func(context.Context) (*store.Connection, error)) *TableSink {
	return &TableSink{open: open, table: &models.Table{
		ID: name, Name: name, PartitionKey: models.Key{Name: partitionKey, Type: models.TypeS},
		SortKey: models.Key{Name: sortKey, Type: models.TypeS},
	}}
}

// Model returns the model for creating the table. The keys are PK and SK of type S; there are no indexes.
func (t *TableSink) Model() *models.Table { return t.table }

// Name implements Sink.
func (t *TableSink) Name() string { return "table " + t.table.Name }

func (t *TableSink) connection(ctx context.Context) (*store.Connection, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var err error
	if t.conn == nil {
		t.conn, err = t.open(ctx)
	}
	return t.conn, err
}

func sortText(journalID string, seq uint64) string { return fmt.Sprintf("%s#%020d", journalID, seq) }

// maxEntryText is the maximum number of bytes of an entry in one item, whose size DynamoDB limits to 400 KB. The record of
// a change may be longer.
const maxEntryText = 300 << 10

// itemsOf splits the text of a long entry. The sort keys of the further items end with their number.
func itemsOf(e SinkEntry) (list []models.Item) {
	for text := string(e.Entry); len(list) == 0 || text != ""; {
		size, sort := min(len(text), maxEntryText), sortText(e.Journal, e.Seq)
		for size < len(text) && !utf8.RuneStart(text[size]) {
			size--
		}
		if len(list) > 0 {
			sort += fmt.Sprintf("#%02d", len(list)+1) // in the order of the sort key
		}
		list = append(list, models.Item{
			partitionKey: models.StringValue(e.Origin), sortKey: models.StringValue(sort),
			entryText: models.StringValue(text[:size]), entryHash: models.StringValue(e.Hash),
		})
		text = text[size:]
	}
	return list
}

// Send implements Sink.
func (t *TableSink) Send(ctx context.Context, entries []SinkEntry) error {
	conn, err := t.connection(ctx)
	if err != nil {
		return err
	}
	var items, keys []models.Item
	for _, e := range entries {
		items = append(items, itemsOf(e)...)
	}
	for _, it := range items {
		keys = append(keys, models.Item{partitionKey: it[partitionKey], sortKey: it[sortKey]})
	}
	n, _, err := conn.Admin().PutNew(ctx, t.table, items)
	if err != nil || n == len(items) {
		return err
	}
	// A lost response may have hidden that some entries were stored.
	page, err := conn.Reader().Fetch(ctx, accesspatterns.BatchLeg(t.table, keys), nil, 0)
	if err != nil {
		return err
	}
	existing := map[string]models.Item{}
	for _, it := range page.Items {
		existing[t.table.KeyText(it)] = it
	}
	for _, it := range items {
		if !models.EqualItems(existing[t.table.KeyText(it)], it) {
			return fmt.Errorf("%s has a different entry %s: the journal was rewritten", t.Name(), t.table.KeyText(it))
		}
	}
	return nil
}

// Copies implements Sink. It reads the journals of all machines within the budget.
func (t *TableSink) Copies(ctx context.Context, part Part) iter.Seq2[SinkEntry, error] {
	return func(yield func(SinkEntry, error) bool) {
		conn, err := t.connection(ctx)
		if err != nil {
			yield(SinkEntry{}, err)
			return
		}
		from, leg := conn.Reader(), t.leg(part)
		if leg.Scan != nil {
			from = store.NewPacer(from, max(cmp.Or(t.Budget, defaultBudget), 0))
		}
		var start models.Item
		var whole SinkEntry // the entry whose items are being read
		for {
			page, err := from.Fetch(ctx, leg, start, 0)
			if err != nil {
				yield(SinkEntry{}, err)
				return
			}
			for _, it := range page.Items {
				e, isRest, ok := sinkEntryOf(it)
				switch {
				case !ok:
				case isRest && e.Origin == whole.Origin && e.Journal == whole.Journal && e.Seq == whole.Seq:
					whole.Entry = append(whole.Entry, e.Entry...)
				case whole.Seq > 0 && part.Has(whole) && !yield(whole, nil):
					return
				default:
					whole = e
				}
			}
			if start = page.LastKey; start == nil {
				if whole.Seq > 0 && part.Has(whole) {
					yield(whole, nil)
				}
				return
			}
		}
	}
}

func (t *TableSink) leg(part Part) accesspatterns.Leg {
	switch {
	case part.Origin == "":
		return accesspatterns.ConsistentScanLeg(t.table)
	case part.Journal == "" || part.Last == 0:
		return accesspatterns.PartitionLeg(t.table, models.StringValue(part.Origin))
	}
	first, last := models.StringValue(sortText(part.Journal, part.First)), models.StringValue(sortText(part.Journal, part.Last+1))
	return accesspatterns.RangeLeg(t.table, models.StringValue(part.Origin), first, last)
}

// sinkEntryOf also reports whether the item contains the rest of an entry.
func sinkEntryOf(it models.Item) (e SinkEntry, isRest, ok bool) {
	sort, _ := it.Text(sortKey)
	text, _ := it.Text(entryText)
	e.Entry = json.RawMessage(text)
	e.Origin, _ = it.Text(partitionKey)
	e.Hash, _ = it.Text(entryHash)
	n, err := fmt.Sscanf(sort, "%16s#%d", &e.Journal, &e.Seq)
	return e, sort != sortText(e.Journal, e.Seq), err == nil && n == 2
}
