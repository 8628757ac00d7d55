package change

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/models"
)

// mixedPlan returns a plan that changes an item, adds one and deletes one.
func mixedPlan(w *shop) *Plan {
	old := models.Item{
		"PK": str("ORDER#ana@example.com"), "SK": str("META"), "email": str("ana@example.com"), "count": num("2"), "status": str("open"),
	}
	changed := old.Clone()
	changed["email"] = str("ben@example.com")
	changed.Remove("count")
	changed["note"] = str("late")
	w.order.Keys["PK"] = models.MustTemplate("ORDER#{email}")
	w.order.Seal()
	key, _ := w.order.Table.PrimaryKey(old)
	write := func(o Operation, before, after models.Item) Write {
		return Write{
			Operation: o, Table: w.order.Table, Entity: w.order, Key: key, Before: before, After: after, Changes: models.Diff(before, after),
		}
	}
	p := &Plan{Action: w.cancel, Basis: &Basis{UserInput: w.newInput(nil)}, Writes: []Write{
		write(Update, old, changed), write(Put, nil, old), write(Delete, old, nil),
	}}
	p.Writes[2].Changes = nil
	return p
}

func TestRecordsContainItems(t *testing.T) {
	w := newShop()
	p := mixedPlan(w)
	data, err := p.Record()
	if err != nil {
		t.Fatal(err)
	}
	known := func(string, string) *Action { return w.cancel }
	read, err := ReadRecord(data, known, w.entity)
	if err != nil {
		t.Fatal(err)
	}
	json := func(it models.Item) string { return string(it.AppendDynamoDBJSON(nil)) }
	for i, got := range read.Writes {
		want := p.Writes[i]
		if i == 0 {
			want.Before, want.After = nil, nil // An update records only the changes.
		}
		if got.Operation != want.Operation || json(got.Key) != json(want.Key) {
			t.Errorf("got %s of %s, want %s of %s", got.Operation, json(got.Key), want.Operation, json(want.Key))
		}
		if json(got.Before) != json(want.Before) || json(got.After) != json(want.After) {
			t.Errorf("%s: %s / %s, want %s / %s", got.Operation, json(got.Before), json(got.After), json(want.Before), json(want.After))
		}
		if diff := cmp.Diff(paths(want.Changes), paths(got.Changes)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", got.Operation, diff)
		}
	}
	broken := strings.Replace(string(data), `"item":{"PK":{"S":`, `"item":{"PK":{"S":1,"N":`, 1)
	if _, err := ReadRecord([]byte(broken), known, w.entity); err == nil || broken == string(data) {
		t.Errorf("ReadRecord accepted a damaged item: %v", err)
	}
}

// paths returns the path and the values of each change.
func paths(list []models.Change) []string {
	var out []string
	for _, c := range list {
		out = append(out, c.Path+" "+ValueWords(c.Before)+" "+ValueWords(c.After))
	}
	return out
}

func TestWritesAreShownMasked(t *testing.T) {
	w := newShop()
	plan := mixedPlan(w)
	p := plan.Shown(models.NewMasker([]*models.Entity{w.order, w.stock, w.entry}, false))
	if text := p.Text(false); strings.Contains(text, "@example.com") || strings.Contains(text, "only if") ||
		!strings.Contains(text, "count   2 → –\n") || !strings.Contains(text, "note    – → late\n") {
		t.Errorf("want the changes of count and note, got:\n%s", text)
	}
	for i, want := range []struct{ before, after, change string }{
		{`"before":{"PK"`, `"after":{"PK"`, `{"path":"note","before":null,"after":"late","derived":false}`},
		{`"before":null`, `"after":{"PK"`, `{"path":"count","before":null,"after":2,"derived":false}`},
		{`"before":{"PK"`, `"after":null`, `"changes":[]`},
	} {
		data, err := p.Writes[i].MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{want.before, want.after, want.change} {
			if !strings.Contains(string(data), part) {
				t.Errorf("%s is missing in %s", part, data)
			}
		}
		if strings.Contains(string(data), "@example.com") {
			t.Errorf("the record shows an email address: %s", data)
		}
	}
}

func TestPlansForSupportHaveTitlesAndNoKeys(t *testing.T) {
	w := newShop()
	w.order.Attribute("note").Title = "Remark"
	plan := mixedPlan(w)
	plan.Writes = append(plan.Writes, plan.Writes[0])
	plan.Writes[3].Changes = []models.Change{{Path: "GSI1SK", Before: str("a"), After: str("b"), Derived: true}}
	text := plan.Text(true)
	for _, want := range []string{"~ change Order", "  Remark  – → late\n", "  index keys are corrected\n  only if  the item has not changed"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in:\n%s", want, text)
		}
	}
	for _, internal := range []string{"ORDER#", " / META", "in shop", "GSI1", "no item has this key"} {
		if strings.Contains(text, internal) {
			t.Errorf("%q is shown in:\n%s", internal, text)
		}
	}
}
