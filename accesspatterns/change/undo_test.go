package change

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

func TestUndoRestoresItems(t *testing.T) {
	w := newShop()
	w.cancel.UndoEntry = []Setting{{"state", mustParse("{item.status}")}}
	before := maps.Clone(w.items)
	p := w.apply(t, w.cancelPlan(t), nil)
	w.now = changedAt.Add(time.Hour)
	undo, err := p.Undo(t.Context(), w.newInput(nil), w.get)
	w.apply(t, undo, err)
	if undo.From != "canceled" || undo.To != "open" {
		t.Errorf("the undo changes %s to %s, want canceled to open", undo.From, undo.To)
	}
	want := `attribute_exists(PK) AND updatedAt = "2026-03-02T09:00:00Z" AND GSI1PK = "STATUS#canceled" AND ` +
		`GSI1SK = "2026-03-02T09:00:00Z" AND status = "canceled"`
	if got := undo.Writes[0].ConditionText(); got != want {
		t.Errorf("the undo's condition is %s, want %s", got, want)
	}
	entry := undo.Writes[len(undo.Writes)-1]
	if state, _ := entry.After.Text("state"); !entry.Entry || state != "canceled" {
		t.Errorf("state in the entry = %q, want canceled", state)
	}
	for key, it := range before {
		var paths []string
		for _, c := range models.Diff(it, w.items[key]) {
			paths = append(paths, c.Path)
		}
		want := map[string][]string{"ORDER#o1 META": {"GSI1SK", "updatedAt"}, "STOCK#pen META": {"version"}}[key]
		if !slices.Equal(paths, want) {
			t.Errorf("%s: paths %v differ, want %v", key, paths, want)
		}
	}
	_, err = undo.Undo(t.Context(), w.newInput(nil), w.get)
	wantConflict(t, err, "an undo cannot be undone; run cancel again")
}

// changeNote plans and applies an update of order o1 with this text.
func (s *shop) note(t *testing.T, text string) *Plan {
	t.Helper()
	s.now = s.now.Add(time.Hour)
	a := &Action{
		ID: "note", Profile: "shop", Title: "Note", Kind: KindUpdate, Entity: s.order, Inputs: []*accesspatterns.Param{{Name: "orderId", Required: true}},
		Set: []Setting{{"note", mustParse(text)}},
		Companions: []Companion{{
			Operation: Update, Entity: s.stock, Alias: "stock", Set: []Setting{{"available", s.cancel.Companions[0].Set[0].Formula}},
		}},
		Reads: s.cancel.Reads,
	}
	p, err := s.plan(t, a, map[string]string{"orderId": "o1"})
	return s.apply(t, p, err)
}

func TestChangesAreUndoneInSequence(t *testing.T) {
	w := newShop()
	var plans []*Plan
	first, second := w.note(t, "a"), w.note(t, "b")
	plans = append(plans, second, first)
	since := func(p *Plan) func(*models.Table, models.Item) []Write {
		return func(_ *models.Table, key models.Item) (list []Write) {
			for _, m := range plans {
				if m == p {
					break
				}
				for _, write := range m.Writes {
					if models.EqualItems(write.Key, key) {
						list = append(list, write)
					}
				}
			}
			return list
		}
	}
	g := w.newInput(nil)
	g.LaterWrites = since(first)
	_, err := first.Undo(t.Context(), g, w.get)
	wantConflict(t, err, "Order ORDER#o1 / META was changed since") // The second note is still in effect.
	for _, p := range []*Plan{second, first} {
		w.now = w.now.Add(time.Hour)
		g := w.newInput(nil)
		g.LaterWrites = since(p)
		undo, err := p.Undo(t.Context(), g, w.get)
		plans = append([]*Plan{w.apply(t, undo, err)}, plans...)
	}
	if note, ok := w.items["ORDER#o1 META"].Text("note"); ok {
		t.Errorf("note = %q after the undo, want none", note)
	}
	if n, _ := w.items["STOCK#pen META"].Text("available"); n != "5" {
		t.Errorf("available = %s, want 5", n)
	}

	// A version of another user still counts as a later change.
	third, fourth := w.note(t, "c"), w.note(t, "d")
	plans = append([]*Plan{fourth, third}, plans...)
	g = w.newInput(nil)
	g.LaterWrites = since(fourth)
	undo, err := fourth.Undo(t.Context(), g, w.get)
	plans = append([]*Plan{w.apply(t, undo, err)}, plans...)
	w.set("STOCK#pen META", "version", num("99"))
	g.LaterWrites = since(third)
	_, err = third.Undo(t.Context(), g, w.get)
	wantConflict(t, err, "Stock STOCK#pen / META was changed since")
}

// The key contains the time of change. An undo within the same second does not change that time, so the key must not
// change either.
func TestUndoInSameSecondKeepsTimeInKeys(t *testing.T) {
	w := newShop()
	p := w.apply(t, w.cancelPlan(t), nil)
	undo, err := p.Undo(t.Context(), w.newInput(nil), w.get)
	if err != nil {
		t.Fatal(err)
	}
	it := undo.Writes[0].After
	for path, want := range map[string]string{
		"status": "open", "GSI1PK": "STATUS#open", "updatedAt": "2026-03-02T09:00:00Z", "GSI1SK": "2026-03-02T09:00:00Z",
	} {
		if got, _ := it.Text(path); got != want {
			t.Errorf("%s = %q, want %q", path, got, want)
		}
	}
	if _, defects := (Drift{Entities: []*models.Entity{w.order}, Now: changedAt}).Defects(w.order.Table, it); len(defects) > 0 {
		t.Errorf("the undone item has defects: %+v", defects)
	}
}

// The original values matched no key template, so the item was not in the index. The undo restores that state.
func TestUndoRestoresItemsThatFitNoKey(t *testing.T) {
	w := newShop()
	w.order.Keys["GSI1PK"] = models.MustTemplate("STATUS#{note:05d}")
	w.cancel.Inputs[1].Type = accesspatterns.Integer
	w.set("ORDER#o1 META", "note", str("none"))
	delete(w.items["ORDER#o1 META"], "GSI1PK")
	before := w.items["ORDER#o1 META"]
	planned, err := w.plan(t, w.cancel, map[string]string{"orderId": "o1", "note": "7"})
	p := w.apply(t, planned, err)
	if key, _ := w.items["ORDER#o1 META"].Text("GSI1PK"); key != "STATUS#00007" {
		t.Errorf("GSI1PK = %q, want STATUS#00007", key)
	}
	w.now = changedAt.Add(time.Hour)
	undo, err := p.Undo(t.Context(), w.newInput(p.Basis.Inputs), w.get)
	w.apply(t, undo, err)
	if _, present := w.items["ORDER#o1 META"]["GSI1PK"]; present || !models.EqualValues(w.items["ORDER#o1 META"]["note"], before["note"]) {
		t.Errorf("want the former note and no GSI1PK after the undo, got %s", w.items["ORDER#o1 META"].AppendJSON(nil))
	}
}

func TestUndoRejectsChangedItems(t *testing.T) {
	tests := map[string]struct {
		kind   ActionKind
		change func(w *shop, p *Plan)
		want   string
	}{
		"changed since": {
			KindUpdate, func(w *shop, _ *Plan) { w.set("ORDER#o1 META", "status", str("paid")) }, "Order ORDER#o1 / META was changed since",
		},
		"deleted since": {
			KindUpdate, func(w *shop, _ *Plan) { delete(w.items, "ORDER#o1 META") }, "Order ORDER#o1 / META no longer exists",
		},
		"created since": {
			KindDelete, func(w *shop, p *Plan) { w.put(p.Writes[0].Before) }, "Order ORDER#o1 / META exists again",
		},
		"cannot be undone": {
			KindUpdate, func(_ *shop, p *Plan) { p.Action.NoUndo = "the mail is sent" }, "this cannot be undone: the mail is sent",
		},
		"companion changed since": {
			KindUpdate, func(w *shop, _ *Plan) { w.set("STOCK#pen META", "available", num("1")) }, "Stock STOCK#pen / META was changed since",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newShop()
			w.cancel.Kind = test.kind
			if test.kind == KindDelete {
				w.cancel.Lifecycle, w.cancel.Transitions = nil, nil
			}
			p := w.apply(t, w.cancelPlan(t), nil)
			test.change(w, p)
			_, err := p.Undo(t.Context(), w.newInput(nil), w.get)
			wantConflict(t, err, test.want)
		})
	}
}
