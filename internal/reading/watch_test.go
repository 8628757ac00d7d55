package reading_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/models"
)

// documents contains the uploaded documents of one case. The tests watch the query for them.
type documents struct {
	*fixture.Fixture
	t     *testing.T
	table *models.Table
	one   models.Item
	sent  *fixture.Recorder
}

func newDocuments(t *testing.T) *documents {
	r := &fixture.Recorder{Doer: fixture.Database(t)}
	p := fixture.New(t, "authbridge", session.Support).Profile
	d := &documents{Fixture: fixture.NewOn(t, p, fixture.Connect(t, r)), t: t, sent: r}
	d.Create(t)
	for _, s := range d.Samples(t) {
		if s.Entity.Name == "Document" {
			d.table, d.one = s.Table, s.Item.Clone()
		}
	}
	return d
}

// put writes a document with the given number and name.
func (d *documents) put(n int, name string) {
	d.t.Helper()
	it := d.one.Clone()
	it["PK"], it["verificationId"] = models.StringValue("CASE#ver_1"), models.StringValue("ver_1")
	it["SK"] = models.StringValue(fmt.Sprintf("DOC#doc_%02d", n))
	it["documentId"], it["fileName"] = models.StringValue(fmt.Sprintf("doc_%02d", n)), models.StringValue(name)
	d.Put(d.t, d.table, it)
}

func (d *documents) watch(o reading.WatchOptions) *reading.Watch {
	d.t.Helper()
	w := d.With(session.Support)
	request, err := w.Reading.Bind(d.query(), map[string]string{"verificationId": "ver_1"})
	if err != nil {
		d.t.Fatal(err)
	}
	return reading.NewWatch(w.Reading, request, o)
}

func (d *documents) query() *accesspatterns.Pattern {
	return d.Profile.Pattern("list-verification-documents")
}

// changesOf describes the changes of a round, such as "came doc_02".
func changesOf(r reading.WatchRound) []string {
	var list []string
	for _, c := range r.Changes {
		list = append(list, string(c.Kind)+" "+c.Key[strings.LastIndex(c.Key, "doc_"):])
	}
	return list
}

func round(t *testing.T, w *reading.Watch) reading.WatchRound {
	t.Helper()
	r, err := w.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestWatchReportsAddedChangedAndRemoved(t *testing.T) {
	d := newDocuments(t)
	d.put(1, "a")
	d.put(2, "b")
	w := d.watch(reading.WatchOptions{})
	if r := round(t, w); len(r.Items) != 2 || len(r.Changes) != 0 {
		t.Fatalf("first read: got %d items and changes %v", len(r.Items), changesOf(r))
	}
	if r := round(t, w); len(r.Changes) != 0 {
		t.Errorf("got changes %v, want none", changesOf(r))
	}
	d.put(2, "c")
	d.put(3, "d")
	r := round(t, w)
	if want := []string{"changed doc_02", "came doc_03"}; !slices.Equal(changesOf(r), want) {
		t.Errorf("got changes %v, want %v", changesOf(r), want)
	}
	if old, _ := r.Changes[0].Before.Text("fileName"); old != "b" {
		t.Errorf("Before has the file name %q, want b", old)
	}
	if !slices.Equal(r.Counts, []int{2, 2, 3}) {
		t.Errorf("got counts %v, want 2, 2, 3", r.Counts)
	}
}

// If both results are truncated, an item that is missing from the second one may still exist behind its end.
// Keys that look the same belong to different items.
func TestWatchDistinguishesKeysWithSameText(t *testing.T) {
	d := newDocuments(t)
	w := d.With(session.Support)
	request, err := w.Reading.Bind(&accesspatterns.Pattern{
		ID: "scan", Profile: d.Profile.Name, Table: d.table, Read: accesspatterns.Read{Operation: accesspatterns.Scan},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	watch := reading.NewWatch(w.Reading, request, reading.WatchOptions{AllowScan: true})
	for i, key := range [][2]string{{"a / b", "c"}, {"a", "b / c"}} {
		d.Put(t, d.table, models.Item{"PK": models.StringValue(key[0]), "SK": models.StringValue(key[1])})
		round, err := watch.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(round.Changes) != i || i > 0 && round.Changes[0].Kind != reading.Added {
			t.Errorf("round %d: got %+v, want %d added", i, round.Changes, i)
		}
	}
}

func TestTruncatedWatchReportsNoRemovals(t *testing.T) {
	d := newDocuments(t)
	for n := 2; n <= 9; n++ {
		d.put(n, "a")
	}
	w := d.watch(reading.WatchOptions{Rows: 4})
	if r := round(t, w); len(r.Items) != 4 || !r.More {
		t.Fatalf("got %d items, more: %v, want 4 and more", len(r.Items), r.More)
	}
	d.put(1, "new") // The new item displaces the last one from the result.
	r := round(t, w)
	if !slices.Equal(changesOf(r), []string{"came doc_01"}) {
		t.Errorf("got changes %v, want came doc_01", changesOf(r))
	}
	if page, err := r.Run.Next(t.Context()); err != nil || len(page.Items) != 5 || page.More {
		t.Errorf("the run continues with %d items and error %v, want the other 5", len(page.Items), err)
	}
}

func TestWatchStopsBeforeItsBudgetIsExceeded(t *testing.T) {
	d := newDocuments(t)
	for n := range 20 {
		d.put(n, strings.Repeat("x", 3000))
	}
	w := d.watch(reading.WatchOptions{Units: 50})
	rounds, spent := 0, 0.0
	for {
		r, err := w.Next(t.Context())
		if errors.Is(err, reading.ErrBudgetSpent) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		rounds, spent = rounds+1, r.Spent
	}
	if spent > 50 || rounds < 3 {
		t.Errorf("%d reads used %g of 50 units", rounds, spent)
	}
	d.sent.Reset()
	if _, err := w.Next(t.Context()); !errors.Is(err, reading.ErrBudgetSpent) || len(d.sent.Operations()) > 0 {
		t.Errorf("after the last unit, the watch sent %v and returned %v", d.sent.Operations(), err)
	}
}
