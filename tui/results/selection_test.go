package results

import (
	"maps"
	"testing"

	"github.com/ddbdesk/ddbdesk/models"
)

// Two items whose keys look the same on the screen are two items.
func TestKeyIsExact(t *testing.T) {
	table := newTable(t, 1).Pattern.Table
	key := func(pk, sk string) models.Item {
		return models.Item{table.PartitionKey.Name: models.StringValue(pk), table.SortKey.Name: models.StringValue(sk)}
	}
	a, b := key("x / y", "z"), key("x", "y / z")
	if table.KeyText(a) != table.KeyText(b) {
		t.Fatal("the keys look different: the test proves nothing")
	}
	if Key(table, a) == Key(table, b) {
		t.Errorf("both keys are %s", Key(table, a))
	}
}

// An action that was offered says which of its items are gone or changed.
func TestTargetsNameWhatIsGoneOrChanged(t *testing.T) {
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
		t.Errorf("said %q, want %q", got, want)
	}
}
