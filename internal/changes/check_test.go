package changes_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// people is a schema with personal data in its keys.
const people = `
name: people
title: People
tables:
  people: {name: people, partition_key: PK}
entities:
  Person:
    table: people
    keys: {PK: "PERSON#{phone}"}
    attributes:
      phone: {type: S, required: true, prefix: "+267", sensitive: pii}
      name: {type: S, sensitive: pii}
      visits: {type: N}
      home:
        type: M
        attributes:
          street: {type: S, sensitive: pii}
actions:
  add:
    entity: Person
    kind: put
    inputs: {name: {}, visits: {type: integer, required: false}, street: {required: false}}
    set: {name: "{name}", visits: "{visits}", home: {street: "{street}"}}
`

func peopleFixture(t *testing.T) *fixture.Fixture {
	t.Helper()
	p, err := profiles.Load("people.yaml", []byte(people), nil)
	if err != nil {
		t.Fatal(err)
	}
	return fixtureAs(t, "ana", p, fixture.Connect(t, fixture.Database(t)))
}

func TestSubjectKeyNeedsNoDatabase(t *testing.T) {
	p, err := profiles.Load("people.yaml", []byte(people), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := workspace.New(session.Options{Profile: p})
	for _, tt := range []struct {
		inputs map[string]string
		param  string // name of the wrong parameter
	}{
		{map[string]string{"phone": "+26771234567", "name": "Kago"}, ""},
		{map[string]string{"phone": "71234567", "name": "Kago"}, ""},
		{map[string]string{"phone": "+26771234567"}, "name"},
		{map[string]string{"name": "Kago"}, "phone"},
		{map[string]string{"phone": "+26771234567", "name": "Kago", "visits": "2.5"}, "visits"},
		{map[string]string{"phone": "+26771234567", "name": "Kago", "visit": "2"}, "visit"},
		{map[string]string{"phone": strings.Repeat("7", 2048), "name": "Kago"}, "phone"},
		{map[string]string{"phone": "a\x00b", "name": "Kago"}, "phone"},
	} {
		_, err := s.Planner.SubjectKey(p.Action("add"), tt.inputs)
		param := ""
		if bad, ok := errors.AsType[*accesspatterns.ParamError](err); ok {
			param = bad.Param
		}
		if param != tt.param || (err == nil) != (tt.param == "") {
			t.Errorf("%v: got %v", tt.inputs, err)
		}
	}
}

func TestWarningsContainNoValues(t *testing.T) {
	add := peopleFixture(t).Profile.Action("add")
	for phone, warns := range map[string]bool{"+26771234567": false, "71234567": true} {
		if list := add.Warnings(map[string]string{"phone": phone, "name": "Kago"}, fixture.Now); len(list) > 0 != warns || strings.Contains(strings.Join(list, ""), "71234567") {
			t.Errorf("%s: got warnings %v", phone, list)
		}
	}
}

// The conflict shows the item's key without personal data. Its differences are masked, including values in documents
// and attributes that the schema does not declare.
func TestUndoConflictsAreMasked(t *testing.T) {
	w := peopleFixture(t)
	add := w.Profile.Action("add")
	p, err := w.Workspace.Planner.Plan(t.Context(), add, map[string]string{"phone": "+26771234567", "name": "Kago", "street": "Main Mall 1"}, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Workspace.Committer.Commit(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	w.Put(t, w.Profile.Tables[0], models.Item{
		"PK": models.StringValue("PERSON#+26771234567"), "phone": models.StringValue("+26771234567"),
		"name": models.StringValue("Neo"), "visits": fixture.Number(t, "1"), "undocumented": models.StringValue("kago@example.com"),
		"home": &types.AttributeValueMemberM{Value: models.Item{"street": models.StringValue("Main Mall 2")}},
	})
	s := w.As("ben")
	undo, err := s.Journal.Undoable(changesIn(t, s)[0])
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Planner.PlanUndo(t.Context(), undo, "")
	var conflict *change.Conflict
	if !errors.As(err, &conflict) {
		t.Fatalf("got %v, want a conflict", err)
	}
	if conflict.Message != "Person PERSON#••• was changed since" || len(conflict.Differences) != 4 {
		t.Errorf("got conflict %+v, want 4 masked differences", conflict)
	}
	for _, c := range conflict.Differences {
		before, after := change.ValueWords(c.Before), change.ValueWords(c.After)
		want := map[string]string{
			"name": "••• •••", "visits": "– 1", "home.street": "••• •••", "undocumented": "– •••",
		}[c.Path]
		if before+" "+after != want {
			t.Errorf("%s was %s and is %s", c.Path, before, after)
		}
	}
}

// orders is a schema with an action that changes items in two tables. Only the second table declares stock.
const orders = `
name: orders
title: Orders
tables:
  orders: {name: orders, partition_key: PK}
  stock: {name: stock, partition_key: PK}
entities:
  Order:
    table: orders
    keys: {PK: "ORDER#{orderId}"}
    attributes:
      orderId: {type: S, required: true}
      productId: {type: S, required: true}
      amount: {type: N}
      note: {type: S, sensitive: pii}
  Stock:
    table: stock
    keys: {PK: "PRODUCT#{productId}"}
    attributes:
      productId: {type: S, required: true}
      stock: {type: N}
      shelf:
        type: M
        attributes:
          row: {type: S}
          clerk: {type: S, sensitive: pii}
actions:
  close: {entity: Order, kind: update, set: {amount: 0}}
  cancel:
    entity: Order
    kind: update
    reads: {goods: {entity: Stock}}
    set: {amount: 0}
    also:
      - update: goods
        set: {stock: 9, shelf: {row: "A", clerk: "Kago"}}
`

// orderFixture returns a fixture of orders with one order, and the goods of the order.
func orderFixture(t *testing.T, conn *store.Connection) (*fixture.Fixture, models.Item) {
	t.Helper()
	p, err := profiles.Load("orders.yaml", []byte(orders), nil)
	if err != nil {
		t.Fatal(err)
	}
	w := fixtureAs(t, "ana", p, conn)
	w.Put(t, p.Tables[0], models.Item{
		"PK": models.StringValue("ORDER#1"), "orderId": models.StringValue("1"), "productId": models.StringValue("p"),
		"amount": fixture.Number(t, "2"), "note": models.StringValue("private"),
	})
	stock := models.Item{
		"PK": models.StringValue("PRODUCT#p"), "productId": models.StringValue("p"), "stock": fixture.Number(t, "7"),
		"shelf": &types.AttributeValueMemberM{Value: models.Item{"row": models.StringValue("B"), "clerk": models.StringValue("Neo")}},
	}
	w.Put(t, p.Tables[1], stock)
	return w, stock
}

// Masked output that comes back as an item would replace the real values with dots.
func TestRawItemsWithMaskedValuesAreRefused(t *testing.T) {
	w, _ := orderFixture(t, fixture.Connect(t, fixture.Database(t)))
	for _, text := range []string{
		`{"PK":{"S":"ORDER#2"},"note":{"S":"•••"}}`, `{"PK":{"S":"ORDER#2"},"note":{"SS":["a","•••"]}}`,
		`{"PK":{"S":"ORDER#2"},"doc":{"M":{"token":{"S":"[secret]"}}}}`, `{"PK":{"S":"ORDER#•••"}}`,
	} {
		for kind, inputs := range map[string]map[string]string{
			change.RawPut: {change.RawItem: text}, change.RawEdit: {change.RawKey: `["PK=ORDER#1"]`, change.RawItem: text},
		} {
			_, err := w.Workspace.Planner.Plan(t.Context(), w.Profile.Action(kind+w.Profile.Tables[0].Name), inputs, "ticket 7")
			if !errors.Is(err, accesspatterns.ErrParam) || !strings.Contains(err.Error(), "the value is masked") {
				t.Errorf("%s %s: got %v, want a parameter error", kind, text, err)
			}
		}
	}
}

// A conflict masks values of the second table according to that table's entity. It masks a document with sensitive
// parts as a whole.
func TestUndoConflictsNameTheirTable(t *testing.T) {
	w, stock := orderFixture(t, fixture.Connect(t, fixture.Database(t)))
	p, err := w.Workspace.Planner.Plan(t.Context(), w.Profile.Action("cancel"), map[string]string{"orderId": "1"}, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Workspace.Committer.Commit(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	w.Put(t, w.Profile.Tables[1], stock)
	_, err = w.Workspace.Planner.PlanUndo(t.Context(), p, "")
	var conflict *change.Conflict
	if !errors.As(err, &conflict) {
		t.Fatalf("got %v, want a conflict", err)
	}
	got := map[string]string{}
	for _, c := range conflict.Differences {
		got[c.Path] = change.ValueWords(c.Before) + " " + change.ValueWords(c.After)
	}
	if diff := cmp.Diff(map[string]string{"stock": "9 7", "shelf.row": "••• •••", "shelf.clerk": "••• •••"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
