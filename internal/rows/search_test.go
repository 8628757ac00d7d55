package rows_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/models"
)

// numbered returns a store of n items with the attributes n, half and name.
func numbered(n int) *rows.Store {
	var s rows.Store
	items := make([]models.Item, n)
	for i := range items {
		items[i] = models.Item{
			"n": number(fmt.Sprint(n - i)), "half": number(fmt.Sprint(i / 2)),
			"name": models.StringValue(fmt.Sprintf("row %d", i)),
		}
	}
	s.Add(items)
	return &s
}

func asRow(it models.Item) rows.Row { return tableRow{item: it} }

// run runs all steps of a search, including its fallbacks.
func run(s rows.Search, store *rows.Store) rows.Search {
	for {
		s = s.Step(context.Background(), store.Reader())
		if s.Examined() >= store.Len() && !s.FallBack() {
			return s
		}
	}
}

func TestSearchSortsAndFilters(t *testing.T) {
	store := numbered(1200)
	for _, c := range []struct {
		name, filter string
		order        rows.Order
		found        int
		first        []int32
	}{
		{"sorted", "", rows.Order{Column: "n"}, 1200, []int32{1199, 1198, 1197}},
		{
			"descending, equal keys in the order of the store", "",
			rows.Order{Column: "half", Descending: true},
			1200,
			[]int32{1198, 1199, 1196},
		},
		{"filtered", "half>=598", rows.Order{}, 4, []int32{1196, 1197, 1198}},
		{"filtered and sorted", "half>=598", rows.Order{Column: "n"}, 4, []int32{1199, 1198, 1197}},
		{"word", `"row 77"`, rows.Order{}, 11, []int32{77, 770, 771}},
		{"letters if no row contains the word", "rw1199", rows.Order{}, 1, []int32{1199}},
		{"no row", "half>9999", rows.Order{}, 0, nil},
	} {
		f, err := rows.Parse(c.filter, rows.NewFields(nil, nil, "n", "half", "name"), now)
		if err != nil {
			t.Fatal(c.name, err)
		}
		s := run(rows.NewSearch(f, c.order, asRow), store)
		hits, changed := s.Hits()
		if s.Found() != c.found || !slices.Equal(hits[:min(len(hits), 3)], c.first) || !changed && c.found > 0 {
			t.Errorf("%s: found %d rows, first %v, changed %v", c.name, s.Found(), hits[:min(len(hits), 3)], changed)
		}
		if _, second := s.Hits(); second {
			t.Errorf("%s: the second call of Hits reports a change", c.name)
		}
	}
}

// A step returns a new search and does not change the old one. It ends with its context.
func TestSearchStepKeepsPreviousSearch(t *testing.T) {
	store := numbered(3000)
	first := rows.NewSearch(nil, rows.Order{Column: "n"}, asRow).Step(context.Background(), store.Reader())
	if first.Examined() == 0 || first.Examined() > rows.FirstStep {
		t.Errorf("the first step examined %d rows", first.Examined())
	}
	examined := first.Examined()
	whole := run(first, store)
	if hits, _ := whole.Hits(); first.Examined() != examined || len(hits) != 3000 {
		t.Errorf("examined %d rows and found %d, want 3000 hits", first.Examined(), len(hits))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if s := first.Step(ctx, store.Reader()); s.Examined() != examined {
		t.Errorf("the canceled step examined %d rows", s.Examined()-examined)
	}
}

// The number of processors does not affect the hits.
func TestSearchOnManyProcessors(t *testing.T) {
	store := numbered(20_011)
	for _, c := range []struct {
		filter string
		order  rows.Order
	}{
		{"", rows.Order{Column: "name", Descending: true}}, {"half>=5000", rows.Order{}}, {"rw119", rows.Order{}},
	} {
		f, err := rows.Parse(c.filter, rows.NewFields(nil, nil, "n", "half", "name"), now)
		if err != nil {
			t.Fatal(err)
		}
		found := func(processors int) []int32 {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
			s := run(rows.NewSearch(f, c.order, asRow), store)
			hits, _ := s.Hits()
			return hits
		}
		if one, many := found(1), found(4); len(one) == 0 || !slices.Equal(one, many) {
			t.Errorf("%q, %+v: %d rows on one processor, %d on four, or in another order", c.filter, c.order, len(one), len(many))
		}
	}
}

// A selection contains the shown items in their order, then the marked ones that a filter hides. No item occurs twice.
func TestSelectionContainsEachItemOnce(t *testing.T) {
	store := numbered(600)
	var marks rows.Marks
	for _, at := range []int{4, 2, 1, 0} {
		marks.Set(at, true)
	}
	marks.Set(1, false)
	marked := rows.SelectMarked(*store, []int32{2, 0, 1}, &marks)
	marks.Set(3, true) // the selection has a copy of the marks
	for name, c := range map[string]struct {
		selection rows.Selection
		want      []int
	}{
		"shown":        {rows.SelectShown(*store, []int32{2, 0}), []int{2, 0}},
		"marked":       {marked, []int{2, 0, 4}},
		"first marked": {marked.First(2), []int{2, 0}},
	} {
		if got := slices.Collect(c.selection.Numbers()); !slices.Equal(got, c.want) || c.selection.Len() != len(c.want) ||
			len(c.selection.Items()) != len(c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
	list, pages, n := rows.SelectShown(*store, nil).Parts()
	read := 0
	for page := range pages {
		read += len(page)
	}
	if list != nil || n != 600 || read != 600 {
		t.Errorf("all rows: got %d items, %d in pages", read, n)
	}
	if list, pages, n := rows.Select(make([]models.Item, 3)).First(2).Parts(); len(list) != 3 || pages != nil || n != 0 {
		t.Errorf("a list: got %d items, %d in pages", len(list), n)
	}
}

func TestMarksToggle(t *testing.T) {
	for _, n := range []int{1, 64, 130} {
		var m rows.Marks
		m.Set(0, true)
		m.Toggle(n)
		if n > 1 && (m.Len() != n || m.Has(n) || len(slices.Collect(m.All())) != n) || n == 1 && m.Len() != 0 {
			t.Errorf("got %d of %d marks", m.Len(), n)
		}
		if m.Toggle(m.Len()); m.Len() != 0 || m.Has(0) {
			t.Errorf("got %d marks, want none", m.Len())
		}
	}
}
