package results

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// verifications returns n rows of a pattern that returns cases.
func verifications(t testing.TB, n int) *Rows {
	t.Helper()
	env := screentest.BenchEnv(t, "authbridge")
	r := NewRows(env, env.Session.Profile().Pattern("list-verifications-by-date"))
	r.Add(screentest.Cases(0, n))
	return r
}

// finish runs all steps of an arrangement.
func finish(t testing.TB, r *Rows, cmd tea.Cmd) {
	t.Helper()
	for cmd != nil {
		msg, ok := cmd().(ArrangedMsg)
		if !ok {
			t.Fatal("the step returned another message")
		}
		cmd = r.ApplyStep(msg)
	}
}

func filterBy(t testing.TB, r *Rows, text string) {
	t.Helper()
	changed := r.SetFilter(text)
	if r.Typed.Problem != nil {
		t.Fatal(r.Typed.Problem)
	}
	if changed {
		finish(t, r, r.Arrange())
	}
}

func sortRows(t testing.TB, r *Rows, key string, order widget.Order) {
	t.Helper()
	r.SortOrder = SortBy{Key: key, Order: order}
	finish(t, r, r.Arrange())
}

// ids returns the first n IDs on the screen.
func ids(r *Rows, n int) []string {
	var out []string
	for i := range min(n, r.Len()) {
		id, _ := r.Row(i).Item.Text("verificationId")
		out = append(out, strings.TrimPrefix(id, "ver_"))
	}
	return out
}

// A user cannot confirm a guess of a masked value with a filter or a sort order.
func TestFilterAndOrderDoNotConfirmMaskedValues(t *testing.T) {
	r := verifications(t, 3)
	for _, text := range []string{
		"kagiso", "customerMetadata:kagiso", "customerMetadata>a", `.customerMetadata | tostring | test("kagiso")`,
	} {
		filterBy(t, r, text)
		if r.Len() != 0 {
			t.Errorf("the filter %s finds a masked value", text)
		}
	}
	filterBy(t, r, "VER_00001")
	if r.Len() != 1 {
		t.Error("the filter does not find a visible value")
	}
	filterBy(t, r, "")
	r.Items.Set(0, models.Item{
		"PK": models.StringValue("CASE#ver_00000"), "SK": models.StringValue("META"), "verificationId": models.StringValue("ver_00000"),
		"customerMetadata": models.StringValue("zz"),
	})
	sortRows(t, r, "customerMetadata", widget.Descending)
	if got := ids(r, 3); !slices.IsSorted(got) {
		t.Errorf("the order depends on masked values: %v", got)
	}
}

// Rows that arrive later are also sorted, and equal rows keep their order.
func TestRowsArriveInOrder(t *testing.T) {
	r := verifications(t, 5000)
	sortRows(t, r, "n", widget.Ascending)
	check := func() {
		t.Helper()
		last, lastAt := -1, -1
		for i := range r.Len() {
			text, _ := r.Items.At(r.At(i)).Text("n")
			n, err := strconv.Atoi(text)
			if err != nil || n < last || n == last && r.At(i) < lastAt {
				t.Fatalf("row %d contains %s after %d", i, text, last)
			}
			last, lastAt = n, r.At(i)
		}
	}
	check()
	r.Add(screentest.Cases(5000, 5100))
	finish(t, r, r.Continue())
	if r.Len() != 5100 {
		t.Errorf("got %d rows, want 5100", r.Len())
	}
	check()
	filterBy(t, r, "status:approved")
	if want := 5100 / 3; r.Len() != want {
		t.Errorf("%d rows are approved, want %d", r.Len(), want)
	}
	check()
	r.Add(screentest.Cases(5100, 5200))
	finish(t, r, r.Continue())
	check()
	if got := r.Describe(true); got != "1,733 with status:approved · sorted by n ↑ · of the 5,200 rows read" {
		t.Errorf("Describe() = %q", got)
	}
}

// If the filter changes, results for its earlier text are ignored. The old rows stay until the first new result.
func TestStaleSearchStepsAreDropped(t *testing.T) {
	r := verifications(t, 10_000)
	r.SetFilter("status:created")
	old := r.Arrange()
	r.SetFilter("status:approved")
	cmd := r.Arrange()
	if next := r.ApplyStep(old().(ArrangedMsg)); next != nil || r.Visible != nil {
		t.Error("a step of an earlier filter changed the rows")
	}
	first := cmd().(ArrangedMsg)
	cmd = r.ApplyStep(first)
	if r.Len() == 0 || r.Len() > rows.FirstStep || cmd == nil {
		t.Errorf("got %d rows after the first step", r.Len())
	}
	finish(t, r, cmd)
	if r.Len() != 3333 {
		t.Errorf("got %d rows at the end, want 3333", r.Len())
	}
}

// A reveal does not make the arrangement outdated if the user entered the key of the rows.
func TestRowsWithGivenKeyAreArrangedOnce(t *testing.T) {
	r := verifications(t, 30)
	r.GivenKeys = map[string][]string{"GSI1PK": {"CLIENT#client_1"}}
	sortRows(t, r, "status", widget.Ascending)
	if r.Stale() {
		t.Error("sorted rows are stale after a reveal")
	}
}

func TestFuzzyFilterFindsLettersInOrder(t *testing.T) {
	r := verifications(t, 30)
	filterBy(t, r, "pndng")
	if r.Len() != 10 || !strings.HasPrefix(r.Describe(false), "no row contains pndng; showing 10 rows with these letters") {
		t.Errorf("got %d rows with the text %s", r.Len(), r.Describe(false))
	}
	filterBy(t, r, "pending")
	if r.Len() != 10 || strings.Contains(r.Describe(false), "letters") {
		t.Errorf("got %d rows with the text %s", r.Len(), r.Describe(false))
	}
}

// If the filter contains an invalid term, its valid terms still apply.
func TestFilterMistakesKeepRows(t *testing.T) {
	r := verifications(t, 30)
	filterBy(t, r, "status:approved")
	for text, want := range map[string]int{
		"status:approved statu:x": 10, "status:approved clientId:": 10, "status:approved status:": 10, "statu:x": 30,
		"statu:x clientId:": 30,
	} {
		if r.SetFilter(text) {
			finish(t, r, r.Arrange())
		}
		if r.Typed.Problem == nil || r.Len() != want {
			t.Errorf("%s: got problem %v and %d rows", text, r.Typed.Problem, r.Len())
		}
	}
	filterBy(t, r, "status:approved")
	if r.SetFilter("status:approved clientId:") || r.Typed.Problem == nil || r.Len() != 10 {
		t.Errorf("incomplete condition: got problem %v and %d rows", r.Typed.Problem, r.Len())
	}
	if r.SetFilter("status:approved") || r.Typed.Problem != nil {
		t.Error("restoring the active filter left a problem or started a search")
	}
}

// Columns keep their layout even after a change of the schema.
func TestLayoutIsKept(t *testing.T) {
	env := screentest.BenchEnv(t, "authbridge")
	p := env.Session.Profile().Pattern("list-verifications-by-date")
	cols := DefaultColumns(p)
	toggleColumn(cols, 1)
	at := pinColumn(cols, 3)
	cols[0].Width = 50
	moveColumn(cols, at, -1)
	saved := make([]Column, 0, len(cols)+2)
	saved = append(saved, cols...)
	saved = append(saved, Column{Key: "gone"}, saved[0])
	if got := RestoreColumns(saved, DefaultColumns(p)); !slices.Equal(got, cols) {
		t.Errorf("restored %v, want %v", got, cols)
	}
	short := saved[:2]
	if got := RestoreColumns(short, DefaultColumns(p)); len(got) != len(cols) {
		t.Errorf("new columns are missing in %v", got)
	}
	for i := range saved {
		saved[i].Hidden = true
	}
	if got := RestoreColumns(saved, DefaultColumns(p)); !slices.Equal(got, DefaultColumns(p)) {
		t.Error("RestoreColumns accepted a layout without visible columns")
	}
	for range 3 * len(cols) {
		toggleColumn(cols, 0)
		toggleColumn(cols, 1)
		for i := range cols {
			if !cols[i].Hidden {
				toggleColumn(cols, i)
			}
		}
	}
	if !slices.ContainsFunc(cols, func(c Column) bool { return !c.Hidden }) {
		t.Error("every column can be hidden")
	}
}

// A mark belongs to its item, wherever the item moves.
func TestMarksBelongToItems(t *testing.T) {
	r := verifications(t, 30)
	m := r
	m.SetMarked(4, true)
	m.SetMarked(2, true)
	sortRows(t, r, "n", widget.Descending)
	filterBy(t, r, "status:pending_review")
	if m.MarkCount() != 2 {
		t.Errorf("got %d marks, want 2", m.MarkCount())
	}
	var got []string
	for _, it := range r.MarkedItems().Items() {
		id, _ := it.Text("verificationId")
		got = append(got, id)
	}
	if want := []string{"ver_00004", "ver_00002"}; !slices.Equal(got, want) {
		t.Errorf("got marked items %v, want %v", got, want)
	}
	r.Clear()
	if m.MarkCount() != 0 || r.MarkedItems().Len() > 0 {
		t.Error("the marks remain after their items are removed")
	}
	r.Add(screentest.Cases(1, 4))
	if m.MarkCount() != 1 || !m.Marked(r.Find(1)) && r.Requested == nil {
		t.Errorf("got %d marks after a reload, want 1", m.MarkCount())
	}
}

// A selection contains the visible marked rows in screen order, then the marked rows that a filter hides. No row occurs
// twice.
func TestSelectionContainsEachRowOnce(t *testing.T) {
	r := verifications(t, 5)
	r.Visible = []int32{2, 0}
	if got := slices.Collect(r.FilteredItems().Numbers()); !slices.Equal(got, []int{2, 0}) || r.FilteredItems().Len() != 2 {
		t.Errorf("got filtered items %v, want 2, 0", got)
	}
	for _, at := range []int{4, 2, 1, 0} {
		r.Marks.Set(at, true)
	}
	r.Marks.Set(1, false)
	r.Marks.Set(3, false)
	marked := r.MarkedItems()
	r.Marks.Set(3, true) // The selection does not change.
	if got := slices.Collect(marked.Numbers()); !slices.Equal(got, []int{2, 0, 4}) || marked.Len() != 3 {
		t.Errorf("got marked items %v, want 2, 0, 4", got)
	}
	if got := marked.First(2); got.Len() != 2 || len(got.Items()) != 2 {
		t.Errorf("First(2) returned %d items", got.Len())
	}
	if got := slices.Collect(r.LoadedItems().Numbers()); len(got) != 5 || r.LoadedItems().Len() != 5 {
		t.Errorf("got loaded items %v, want 5", got)
	}
}

// Columns with the same value in every row come last. The sort column comes early.
func TestDistinguishingColumnsComeFirst(t *testing.T) {
	env := screentest.BenchEnv(t, "authbridge")
	paths := NewRows(env, env.Session.Profile().Pattern("list-client-verifications")).Layout.Paths
	want := []string{"verificationId", "status", "createdAt"}
	for i, path := range want {
		if paths[i] != path {
			t.Errorf("got columns %v, want %v first", paths, want)
			break
		}
	}
	if last := paths[len(paths)-1]; last != "clientId" {
		t.Errorf("the last column is %s, want clientId", last)
	}
}

// Rows of several kinds show their kind, and one column for their other attributes.
func TestColumnsForSeveralKinds(t *testing.T) {
	env := screentest.BenchEnv(t, "authbridge")
	r := NewRows(env, env.Session.Profile().Pattern("get-case-file"))
	r.Add([]models.Item{
		{
			"PK": models.StringValue("CASE#ver_1"), "SK": models.StringValue("META"),
			"verificationId": models.StringValue("ver_1"), "status": models.StringValue("created"),
			"documentType": models.StringValue("omang"),
		},
		{
			"PK": models.StringValue("CASE#ver_1"), "SK": models.StringValue("DOC#doc_1"),
			"documentType": models.StringValue("selfie"), "status": models.StringValue("uploaded"),
			"mimeType": models.StringValue("image/png"),
		},
		{"PK": models.StringValue("CASE#ver_1"), "SK": models.StringValue("?"), "note": models.StringValue("hello")},
	})
	var got []string
	for i := range r.Len() {
		var cells []string
		for col := range r.Columns() {
			cells = append(cells, r.Cell(i, col).Text)
		}
		got = append(got, strings.Join(cells, " | "))
	}
	want := []string{
		"Verification | ver_1 | ◐ created | documentType omang",
		"Document | selfie | ◐ uploaded | mimeType image/png",
		"? unknown | CASE#••• / ? | – | note •••",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows -want +got\n%s", diff)
	}
}

// A key attribute without a template has one column, although it is an attribute and a key. An item has a title only if
// it has all parts.
func TestDefaultColumnsNameEachAttributeOnce(t *testing.T) {
	table := &models.Table{Name: "t", PartitionKey: models.Key{Name: "id", Type: models.TypeS}, SortKey: models.Key{Name: "SK", Type: models.TypeS}}
	e := &models.Entity{
		Name: "Thing", Table: table, Keys: map[string]models.Template{"SK": models.MustTemplate("META")},
		Attributes: []*models.Attribute{{Name: "id", Path: "id", Type: models.TypeS}, {Name: "name", Path: "name", Type: models.TypeS}},
		ItemTitle:  models.MustTemplate("{name} ({id})"),
	}
	e.Seal()
	var keys []string
	for _, c := range DefaultColumns(&accesspatterns.Pattern{Table: table, Returns: []*models.Entity{e}}) {
		keys = append(keys, c.Key)
	}
	if !slices.Equal(keys, []string{"id", "name", "SK"}) {
		t.Errorf("got columns %q", keys)
	}
	it := models.Item{"id": models.StringValue("7"), "name": models.StringValue("Pen")}
	if title, ok := itemTitle(e, it); !ok || title != "Pen (7)" {
		t.Errorf("got title %q, want Pen (7)", title)
	}
	it["name"] = models.HiddenValue()
	if title, ok := itemTitle(e, it); ok {
		t.Errorf("got title %q with a masked part, want none", title)
	}
}

// Different keys can look equal on the screen, but must not count as equal.
func TestKeyIsExact(t *testing.T) {
	table := newTable(t, 1).Pattern.Table
	key := func(pk, sk string) models.Item {
		return models.Item{table.PartitionKey.Name: models.StringValue(pk), table.SortKey.Name: models.StringValue(sk)}
	}
	a, b := key("x / y", "z"), key("x", "y / z")
	if table.KeyText(a) != table.KeyText(b) {
		t.Fatal("the test needs two keys with the same text")
	}
	if Key(table, a) == Key(table, b) {
		t.Errorf("two items have the key %s", Key(table, a))
	}
}

// If items of a delayed action are missing or have changed, a message names them.
func TestTargetsNameRemovedAndChangedItems(t *testing.T) {
	table := newTable(t, 3)
	for i := range 3 {
		table.SetMarked(i, true)
	}
	targets := table.Targets(table.MarkedItems().Items(), true)
	table.Marks.Clear()
	now := map[string]models.Item{}
	for i, it := range targets.Items.Items() {
		if i == 1 {
			it = maps.Clone(it)
			it["status"] = models.StringValue("expired")
		}
		if i != 2 {
			now[Key(table.Pattern.Table, it)] = it
		}
	}
	got := targets.Problem(func(key string) (models.Item, bool) { it, ok := now[key]; return it, ok })
	want := "nothing was done; no longer here: Verification case · ver_00002; changed: Verification case · ver_00001"
	if got != want || !targets.Marked {
		t.Errorf("got %q, want %q", got, want)
	}
}
