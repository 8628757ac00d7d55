package change

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

func TestPlanContainsSubjectCompanionAndAuditEntry(t *testing.T) {
	w := newShop()
	p := w.apply(t, w.cancelPlan(t), nil)
	if p.From != "open" || p.To != "canceled" {
		t.Errorf("the plan changes %s to %s, want open to canceled", p.From, p.To)
	}
	var got []string
	for _, write := range p.Writes {
		got = append(got, string(write.Operation)+" "+itemKey(write.Key)+" if "+write.ConditionText())
	}
	want := []string{
		`Update ORDER#o1 META if attribute_exists(PK) AND status = "open" AND updatedAt = "2026-03-01T08:00:00Z" AND ` +
			`GSI1PK = "STATUS#open" AND GSI1SK = "2026-03-01T08:00:00Z"`,
		`Update STOCK#pen META if attribute_exists(PK) AND version = 7 AND available = 5`,
		`Put ORDER#o1 AUDIT#2026-03-02T09:00:00Z if attribute_not_exists(PK)`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for key, attributes := range map[string]map[string]string{
		"ORDER#o1 META": {
			"status": "canceled", "GSI1PK": "STATUS#canceled", "GSI1SK": "2026-03-02T09:00:00Z", "updatedAt": "2026-03-02T09:00:00Z",
		},
		"STOCK#pen META":                      {"available": "7", "version": "8"},
		"ORDER#o1 AUDIT#2026-03-02T09:00:00Z": {"who": "kagiso", "what": "cancel", "before.status": "open", "after.status": "canceled"},
	} {
		for path, want := range attributes {
			if got, _ := w.items[key].Text(path); got != want {
				t.Errorf("%s of %s is %q, want %q", path, key, got, want)
			}
		}
	}
}

// Other programs, such as the AWS console, change items without increasing the version.
func TestChangedValuesWithTheSameVersionAreKept(t *testing.T) {
	w := newShop()
	p := w.cancelPlan(t)
	w.set("STOCK#pen META", "available", num("3"))
	for _, write := range p.Writes {
		if write.Entity != w.stock {
			continue
		}
		if !slices.ContainsFunc(write.Condition, func(c accesspatterns.Condition) bool { return !c.Holds(w.items["STOCK#pen META"]) }) {
			t.Errorf("the condition does not protect the attribute available: %s", write.ConditionText())
		}
	}
}

// cancelPlan returns the plan that cancels order o1.
func (s *shop) cancelPlan(t *testing.T) *Plan {
	t.Helper()
	p, err := s.plan(t, s.cancel, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPlanIsDeterministic(t *testing.T) {
	p := newShop().cancelPlan(t)
	replanned, err := p.At(*p.Basis)
	if err != nil || string(replanned.Batch().Explain().Input) != string(p.Batch().Explain().Input) {
		t.Errorf("planning again returned %v and\n%s\nwant\n%s", err, replanned.Batch().CLI(), p.Batch().CLI())
	}
}

func TestPlanRejectsUnmetRequirements(t *testing.T) {
	tests := map[string]struct {
		change func(w *shop)
		want   string
	}{
		"final state": {
			func(w *shop) { w.set("ORDER#o1 META", "status", str("canceled")) }, "status is canceled: cancel needs status open or paid",
		},
		"no state": {func(w *shop) { w.items["ORDER#o1 META"].Remove("status") }, "status is not set: cancel needs status open or paid"},
		"final state with a target": {func(w *shop) {
			w.cancel.Target = "note"
			w.set("ORDER#o1 META", "status", str("canceled"))
		}, "status is canceled: no transition leaves this state"},
		"another target": {func(w *shop) { w.cancel.Target = "note" }, "status is open: it can become canceled, not "},
		"no reference": {
			func(w *shop) { w.items["ORDER#o1 META"].Remove("product") },
			"Cancel order needs an item of entity Stock, but none is referenced",
		},
		"missing reference": {
			func(w *shop) { delete(w.items, "STOCK#pen META") },
			"Cancel order needs an item of entity Stock, but the referenced one does not exist",
		},
		"unmet requirement": {func(w *shop) {
			w.cancel.Require = []Requirement{{Attribute: "count", Compare: accesspatterns.Less, Value: mustParse("2")}}
		}, "count of Order is 2; required: count < 2"},
		"unmet requirement with a reason": {func(w *shop) {
			w.cancel.Require = []Requirement{{Attribute: "note", Compare: accesspatterns.Exists, Message: "the order has no note"}}
		}, "the order has no note"},
		"unmet requirement on personal data": {func(w *shop) {
			w.cancel.Require = []Requirement{{Attribute: "email", Compare: accesspatterns.NotExists}}
		}, "email of Order is something else; required: email is not set"},
		"value outside of the enum": {func(w *shop) {
			w.order.Attribute("note").Enum = []string{"a", "b"}
			w.cancel.Set = []Setting{{"note", mustParse("c")}}
		}, `note of Order: "c" is not one of a, b`},
		"two writes to one item": {func(w *shop) {
			w.cancel.Companions = append(w.cancel.Companions, w.cancel.Companions[0])
		}, "cancel writes Stock STOCK#pen / META twice in one transaction, which DynamoDB does not allow"},
		"companion in another state": {func(w *shop) {
			w.cancel.Companions[0].Lifecycle = &models.Lifecycle{Entity: w.stock, Attribute: "product"}
			w.cancel.Companions[0].Transition = &models.Transition{From: []string{"ink"}, To: "pen"}
		}, "product of Stock is pen; it must be ink"},
		"no change": {func(w *shop) {
			w.cancel.Lifecycle, w.cancel.Transitions, w.cancel.Set = nil, nil, nil
		}, "Order: nothing would change"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newShop()
			test.change(w)
			_, err := w.plan(t, w.cancel, nil)
			wantConflict(t, err, test.want)
		})
	}
}

// A plan must not reveal whether a guessed sensitive value equals the stored value.
func TestPlanDoesNotConfirmGuessedValues(t *testing.T) {
	var shown []string
	for _, stored := range []string{"ana@example.com", "bob@example.com"} {
		w := newShop()
		w.set("ORDER#o1 META", "email", str(stored))
		w.cancel.Lifecycle, w.cancel.Transitions = nil, nil
		w.cancel.Set = []Setting{{"email", mustParse("ana@example.com")}}
		w.cancel.Require = []Requirement{{Attribute: "email", Compare: accesspatterns.Equal, Value: mustParse("ana@example.com")}}
		p, err := w.plan(t, w.cancel, nil)
		if err != nil {
			t.Fatal(err)
		}
		if p.Writes[0].After["email"] == nil || !slices.ContainsFunc(p.Writes[0].Changes, func(c models.Change) bool {
			return c.Path == "email" && models.EqualValues(c.Before, str(stored))
		}) {
			t.Errorf("the plan that replaces %s does not change email: %v", stored, p.Writes[0].Changes)
		}
		shown = append(shown, p.Shown(models.NewMasker([]*models.Entity{w.order, w.stock}, false)).Text(false))
	}
	if shown[0] != shown[1] {
		t.Errorf("the text depends on the stored value:\n%s\nor\n%s", shown[0], shown[1])
	}
}

func TestPlanRejectsMoreWritesThanTransactionHas(t *testing.T) {
	w := newShop()
	for range MaxWrites {
		w.cancel.Audits = append(w.cancel.Audits, w.cancel.Audits[0])
	}
	_, err := w.plan(t, w.cancel, nil)
	if want := "shop.cancel needs 103 writes; a transaction has at most 100"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestCompanionsDependOnConditions(t *testing.T) {
	for name, test := range map[string]struct {
		change func(c *Companion)
		writes int
	}{
		"if with a value":        {func(c *Companion) { c.If = "product" }, 3},
		"if without a value":     {func(c *Companion) { c.If = "note" }, 2},
		"unless with a value":    {func(c *Companion) { c.Unless = "product" }, 2},
		"unless without a value": {func(c *Companion) { c.Unless = "note" }, 3},
		"if with an item":        {func(c *Companion) { c.If = "stock" }, 3},
		"check":                  {func(c *Companion) { c.Operation = Check }, 3},
		"delete":                 {func(c *Companion) { c.Operation = Delete }, 3},
		"optional item":          {func(c *Companion) { c.Alias = "other" }, 2},
	} {
		w := newShop()
		test.change(&w.cancel.Companions[0])
		if p := w.cancelPlan(t); len(p.Writes) != test.writes {
			t.Errorf("%s: got %d writes, want %d", name, len(p.Writes), test.writes)
		}
	}
}

// An action omits a companion that needs no change, and still changes the subject.
func TestUnneededCompanionsAreOmitted(t *testing.T) {
	w := newShop()
	w.cancel.Companions[0].Set = []Setting{{"available", mustParse("5")}}
	if p := w.cancelPlan(t); len(p.Writes) != 2 || p.Writes[0].Entity != w.order || !p.Writes[1].Entry {
		t.Errorf("want only the order and its audit entry, got:\n%s", p.Text(false))
	}
	w.cancel.Companions[0].Require = []Requirement{{Attribute: "available", Compare: accesspatterns.Greater, Value: mustParse("1")}}
	p := w.apply(t, w.cancelPlan(t), nil)
	if len(p.Writes) != 3 || p.Writes[1].Operation != Check || p.Writes[1].ConditionText() != "attribute_exists(PK) AND available > 1" {
		t.Errorf("want a check of the requirement, got:\n%s", p.Text(false))
	}
	if version, _ := w.items["STOCK#pen META"].Text("version"); version != "7" {
		t.Errorf("version = %s, want the unchanged 7", version)
	}
	for _, allowed := range []accesspatterns.Permission{
		accesspatterns.PermissionFor("ConditionCheckItem", w.stock.Table, nil), accesspatterns.PermissionFor("UpdateItem", w.stock.Table, nil),
	} {
		if !slices.Contains(w.cancel.CommitPermissions(), allowed) {
			t.Errorf("CommitPermissions() lacks %v", allowed)
		}
	}
	more, err := ParseFormula("{stock.available} + 1", true, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.cancel.Companions[0].Set = []Setting{{"available", more}}
	if slices.Contains(w.cancel.CommitPermissions(), accesspatterns.PermissionFor("ConditionCheckItem", w.stock.Table, nil)) {
		t.Error("CommitPermissions() includes a check for an item that is always updated")
	}
	w.now = changedAt.Add(time.Hour)
	undo, err := p.Undo(t.Context(), w.newInput(nil), w.get)
	w.apply(t, undo, err)
}

func TestRecordsKeepPlansWithoutSecrets(t *testing.T) {
	for name, inputs := range map[string]map[string]string{
		"without a secret": {"orderId": "o1", "note": "late"},
		"with a secret":    {"orderId": "o1", "pin": "1234"},
	} {
		w := newShop()
		planned, err := w.plan(t, w.cancel, inputs)
		p := w.apply(t, planned, err)
		data, err := p.Record()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), "1234") {
			t.Errorf("%s: the record contains the secret: %s", name, data)
		}
		read, err := ReadRecord(data, func(string, string) *Action { return w.cancel }, w.entity)
		if err != nil {
			t.Fatal(err)
		}
		if secret := inputs["pin"] != ""; secret != (read.Action.NoUndo != "") {
			t.Errorf("%s: NoUndo = %q, want a text only for a plan with a secret", name, read.Action.NoUndo)
		} else if secret {
			continue
		}
		w.now = changedAt.Add(time.Hour)
		undo, err := read.Undo(t.Context(), w.newInput(nil), w.get)
		w.apply(t, undo, err)
		if status, _ := w.items["ORDER#o1 META"].Text("status"); status != "open" {
			t.Errorf("%s: status after the undo = %s, want open", name, status)
		}
	}
}

func (s *shop) entity(name string) *models.Entity {
	for _, e := range []*models.Entity{s.order, s.stock, s.entry} {
		if e.Name == name {
			return e
		}
	}
	return nil
}

func TestOtherSchemasRecordsAreRejected(t *testing.T) {
	w := newShop()
	data, err := w.cancelPlan(t).Record()
	if err != nil {
		t.Fatal(err)
	}
	known := func(string, string) *Action { return w.cancel }
	for _, test := range []struct {
		data   string
		action func(id, entity string) *Action
		entity func(string) *models.Entity
		want   string
	}{
		{"{", known, w.entity, "read the record of a change: unexpected end of JSON input"},
		{"{}", known, w.entity, "the record of a change has no writes"},
		{string(data), func(string, string) *Action { return nil }, w.entity, `the schema no longer has action "cancel"`},
		{string(data), known, func(string) *models.Entity { return nil }, `the schema no longer has entity "Order"`},
		{
			string(data), func(string, string) *Action { return nil }, func(string) *models.Entity { return nil },
			`the schema no longer has entity "Order"`,
		},
	} {
		if _, err := ReadRecord([]byte(test.data), test.action, test.entity); err == nil || err.Error() != test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}

func TestOutcomeComparesPlanWithItems(t *testing.T) {
	tests := map[State]func(w *shop, now []models.Item){
		Written: func(*shop, []models.Item) {},
		NotWritten: func(w *shop, now []models.Item) {
			now[0], now[1], now[2] = w.items["ORDER#o1 META"], w.items["STOCK#pen META"], nil
		},
		Overtaken: func(_ *shop, now []models.Item) { now[0] = nil },
		Unclear: func(_ *shop, now []models.Item) {
			now[0], now[2] = nil, now[2].Clone()
			now[2]["who"] = str("another user")
		},
	}
	for want, change := range tests {
		w := newShop()
		p := w.cancelPlan(t)
		var now []models.Item
		for _, write := range p.Writes {
			now = append(now, write.After)
		}
		change(w, now)
		if got := p.Outcome(now); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestObstacleChecksOnlyItem(t *testing.T) {
	needs := func(attribute, value string) func(*shop) {
		return func(w *shop) {
			w.cancel.Require = []Requirement{{Attribute: attribute, Compare: accesspatterns.Equal, Value: mustParse(value)}}
		}
	}
	tests := map[string]struct {
		change func(w *shop)
		want   string // "" if nothing prevents the action
	}{
		"allowed": {func(*shop) {}, ""},
		"final state": {
			func(w *shop) { w.set("ORDER#o1 META", "status", str("canceled")) }, "status is canceled: cancel needs status open or paid",
		},
		"requirement":            {needs("product", "ink"), "product of Order is pen; required: product = ink"},
		"depends on a read item": {needs("product", "{stock.name}"), ""},
		"depends on an input":    {needs("product", "{note|ink}"), ""},
		"depends on a reason":    {needs("product", "{reason|ink}"), ""},
		"depends on the key":     {needs("product", "{orderId}"), "product of Order is pen; required: product = o1"},
		"depends on the item":    {needs("product", "{status}"), "product of Order is pen; required: product = open"},
		"depends on a read item through a name": {func(w *shop) {
			w.cancel.Let = []Setting{{"other", mustParse("{stock.name|ink}")}}
			needs("product", "{other}")(w)
		}, ""},
		"depends on the item through a name": {func(w *shop) {
			w.cancel.Let = []Setting{{"other", mustParse("{status}")}}
			needs("product", "{other}")(w)
		}, "product of Order is pen; required: product = open"},
		"another entity": {
			func(w *shop) { w.items["ORDER#o1 META"] = w.items["STOCK#pen META"] },
			`the item with key STOCK#pen / META is not of entity Order: `,
		},
		"new item": {func(w *shop) { w.cancel.Kind = KindPut }, ""},
	}
	for name, test := range tests {
		w := newShop()
		test.change(w)
		err := w.cancel.Obstacle(w.items["ORDER#o1 META"], changedAt, "kagiso")
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.HasPrefix(err.Error(), test.want)) {
			t.Errorf("%s: got %v, want %q", name, err, test.want)
		}
	}
}

func TestArgsComeFromPrimaryKey(t *testing.T) {
	w := newShop()
	w.set("ORDER#o1 META", "orderId", str("another")) // The key takes precedence.
	if diff := cmp.Diff(map[string]string{"orderId": "o1"}, w.cancel.Args(w.items["ORDER#o1 META"])); diff != "" {
		t.Error(diff)
	}
	w.cancel.Kind = KindPut // A new order has its own key.
	if args := w.cancel.Args(w.items["ORDER#o1 META"]); len(args) > 0 {
		t.Errorf("Args() of a new item = %v, want none", args)
	}
}

func TestChangePermissions(t *testing.T) {
	w := newShop()
	actions := func(list []accesspatterns.Permission) string {
		var names []string
		for _, p := range list {
			names = append(names, strings.TrimPrefix(p.Action, "dynamodb:"))
		}
		return strings.Join(names, " ")
	}
	w.cancel.Companions = append(w.cancel.Companions, Companion{Operation: Delete, Entity: w.stock})
	for subject, test := range map[string]struct{ got, want string }{
		"plan":   {actions(w.cancel.PlanPermissions()), "GetItem"},
		"commit": {actions(w.cancel.CommitPermissions()), "UpdateItem DeleteItem PutItem"},
		"undo":   {actions(w.cancel.UndoPermissions()), "UpdateItem PutItem"},
		"batch":  {actions(newShop().cancelPlan(t).Batch().Permissions()), "UpdateItem PutItem"},
	} {
		if test.got != test.want {
			t.Errorf("%s: got %s, want %s", subject, test.got, test.want)
		}
	}
	w.cancel.NoUndo = "final"
	if list := w.cancel.UndoPermissions(); list != nil {
		t.Errorf("UndoPermissions() of an action without undo = %v, want none", list)
	}
}

func TestShownPlansMaskSensitiveValues(t *testing.T) {
	w := newShop()
	planned, err := w.plan(t, w.cancel, map[string]string{"orderId": "o1", "note": "late", "pin": "1234"})
	if err != nil {
		t.Fatal(err)
	}
	p := planned.Shown(models.NewMasker([]*models.Entity{w.order, w.stock, w.entry}, false))
	json, err := p.Writes[0].MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{p.Text(false), string(json)} {
		if strings.Contains(text, "1234") || strings.Contains(text, "ana@example.com") || !strings.Contains(text, "late") {
			t.Errorf("want masked values and a visible note, got:\n%s", text)
		}
	}
	for _, want := range []string{
		"~ change Order  ORDER#o1 / META  in shop\n", "  status     open → canceled\n",
		"  GSI1PK     STATUS#open → STATUS#canceled   derived\n",
		"  only if  the item exists and version = 7", "+ new Audit entry", "no item has this key",
	} {
		if !strings.Contains(p.Text(false), want) {
			t.Errorf("%q is missing in:\n%s", want, p.Text(false))
		}
	}
	if !p.Batch().Masked() || planned.Batch().Masked() {
		t.Error("Masked() must be true only for the displayed batch")
	}
}

func TestComputedInputDefaults(t *testing.T) {
	w := newShop()
	w.cancel.Defaults = map[string]Formula{"note": mustParse("canceled by {actor}")}
	p := w.cancelPlan(t)
	if note, _ := p.Writes[0].After.Text("note"); note != "canceled by kagiso" {
		t.Errorf("note = %q, want \"canceled by kagiso\"", note)
	}
}

func TestConflictsNameSubject(t *testing.T) {
	w := newShop()
	b := *w.cancelPlan(t).Basis
	b.Items = nil // The item was deleted after it was read.
	_, err := w.cancel.Plan(&b)
	wantConflict(t, err, "Order ORDER#o1 / META does not exist")
}
