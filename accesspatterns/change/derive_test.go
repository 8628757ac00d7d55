package change

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/models"
)

// The keys of a live table may have different names, and some keys may be missing.
func TestKeysUseNamesOfLiveTable(t *testing.T) {
	list := func(names ...string) (keys []models.Key) {
		for _, name := range names {
			keys = append(keys, models.Key{Name: name, Type: models.TypeS})
		}
		return keys
	}
	table := &models.Table{Name: "t", Indexes: []*models.Index{
		{Name: "gone", PartitionKeys: list("x")}, {Name: "one", PartitionKeys: list("a", "b"), SortKeys: list("c", "d")},
	}}
	live := LiveTables(func(*models.Table) *models.Table {
		return &models.Table{Name: "t", Indexes: []*models.Index{{Name: "one", PartitionKeys: list("A"), SortKeys: list("C")}}}
	})
	for name, want := range map[string]string{"a": "A", "b": "b", "c": "C", "d": "d", "x": "x", "other": "other"} {
		if got := live.keyName(table, name); got != want {
			t.Errorf("keyName(%s) = %s, want %s", name, got, want)
		}
	}
	for name, want := range map[string]bool{"A": true, "a": false, "b": true, "C": true, "other": false} {
		if got := live.isKey(table, name); got != want {
			t.Errorf("isKey(%s) = %v, want %v", name, got, want)
		}
	}
}

func TestRepeatedTimesFollowTheirSource(t *testing.T) {
	e := &models.Entity{
		Name: "Visit", Table: &models.Table{Name: "v", PartitionKey: models.Key{Name: "PK", Type: models.TypeS}},
		Attributes: []*models.Attribute{
			{Name: "end", Path: "end", Type: models.TypeS, Format: models.ISO8601},
			{Name: "ttl", Path: "ttl", Type: models.TypeN, Format: models.EpochSeconds, Equals: "end"},
		},
	}
	e.Seal()
	const repaired = `{"end":"2026-01-20T12:00:00Z","ttl":1768910400}`
	for name, tt := range map[string]struct {
		item models.Item
		want string
	}{
		"missing":      {models.Item{"end": str("2026-01-20T12:00:00Z")}, repaired},
		"another time": {models.Item{"end": str("2026-01-20T12:00:00Z"), "ttl": num("5")}, repaired},
		"another type": {models.Item{"end": str("2026-01-20T12:00:00Z"), "ttl": str("5")}, repaired},
		"not a time":   {models.Item{"end": str("soon"), "ttl": num("5")}, `{"end":"soon","ttl":5}`},
		"no source":    {models.Item{"ttl": num("5")}, `{}`},
		"neither":      {models.Item{}, `{}`},
	} {
		derived := deriver{now: changedAt}.deriveAll(e, tt.item)
		if got := string(tt.item.AppendJSON(nil)); got != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
		if changes := name != "not a time" && name != "neither"; derived["ttl"] != changes {
			t.Errorf("%s: derived %v, want ttl %t", name, derived, changes)
		}
	}
}

// If ParseTime cannot read a time, the attribute's layout does.
func TestRepeatedTimesFollowSourcesInLayouts(t *testing.T) {
	e := &models.Entity{
		Name: "Visit", Table: &models.Table{Name: "v", PartitionKey: models.Key{Name: "PK", Type: models.TypeS}},
		Attributes: []*models.Attribute{
			{Name: "end", Path: "end", Type: models.TypeS, Format: "%d.%m.%Y"},
			{Name: "ttl", Path: "ttl", Type: models.TypeN, Format: models.EpochSeconds, Equals: "end"},
		},
	}
	e.Seal()
	before, after := models.Item{"end": str("19.01.2026"), "ttl": num("1768780800")}, models.Item{"end": str("20.01.2026"), "ttl": num("1768780800")}
	if _, err := (deriver{now: changedAt}).derive(e, before, after); err != nil {
		t.Fatal(err)
	}
	if got, want := string(after.AppendJSON(nil)), `{"end":"20.01.2026","ttl":1768867200}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
