package change

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// A shop is a small schema with a database. It contains orders with a lifecycle and an index by status, the stock that
// an order reserves, and the audit entries of orders.
type shop struct {
	order, stock, entry *models.Entity
	cancel              *Action // sets an order to canceled and returns it to the stock
	items               map[string]models.Item
	now                 time.Time // time of the next plan
}

// These are the time of the order in a new shop, and the time of its change.
const placedAt = "2026-03-01T08:00:00Z"

var changedAt = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// newShop returns a shop with the order o1 for two pens.
func newShop() *shop {
	table := &models.Table{
		Name: "shop", PartitionKey: models.Key{Name: "PK", Type: models.TypeS}, SortKey: models.Key{Name: "SK", Type: models.TypeS},
		Indexes: []*models.Index{{
			Name: "byStatus", PartitionKeys: models.KeyList(models.Key{Name: "GSI1PK", Type: models.TypeS}),
			SortKeys: models.KeyList(models.Key{Name: "GSI1SK", Type: models.TypeS}),
		}},
	}
	text := func(name string) *models.Attribute {
		return &models.Attribute{Name: name, Path: name, Type: models.TypeS}
	}
	number := func(name string) *models.Attribute {
		return &models.Attribute{Name: name, Path: name, Type: models.TypeN}
	}
	keys := func(pairs ...string) map[string]models.Template {
		list := map[string]models.Template{}
		for i := 0; i < len(pairs); i += 2 {
			list[pairs[i]] = models.MustTemplate(pairs[i+1])
		}
		return list
	}
	updated, pin, email := text("updatedAt"), text("pin"), text("email")
	updated.Format = models.ISO8601
	pin.Sensitive, email.Sensitive = models.Secret, models.PII
	w := &shop{
		now: changedAt,
		order: &models.Entity{
			Name: "Order", Title: "Order", Table: table, Updated: "updatedAt",
			Keys:       keys("PK", "ORDER#{orderId}", "SK", "META", "GSI1PK", "STATUS#{status}", "GSI1SK", "{updatedAt}"),
			Attributes: []*models.Attribute{text("orderId"), text("status"), text("product"), number("count"), text("note"), email, pin, updated},
		},
		stock: &models.Entity{
			Name: "Stock", Title: "Stock", Table: table, Version: "version", Keys: keys("PK", "STOCK#{product}", "SK", "META"),
			Attributes: []*models.Attribute{text("product"), number("available"), number("version")},
		},
		entry: &models.Entity{
			Name: "Entry", Title: "Audit entry", Table: table, Keys: keys("PK", "ORDER#{orderId}", "SK", "AUDIT#{at}"),
			Attributes: []*models.Attribute{
				text("orderId"), text("at"), text("who"), text("what"),
				{Name: "before", Path: "before", Type: models.TypeM},
				{Name: "after", Path: "after", Type: models.TypeM},
			},
		},
	}
	w.entry.Attribute("at").Format = models.ISO8601
	lifecycle := &models.Lifecycle{
		Name: "status", Entity: w.order, Attribute: "status",
		States:      []*models.State{{Name: "open"}, {Name: "paid"}, {Name: "canceled", Kind: models.StateFinal}},
		Transitions: []*models.Transition{{Name: "cancel", From: []string{"open", "paid"}, To: "canceled"}},
	}
	w.order.Lifecycles = []*models.Lifecycle{lifecycle}
	for _, e := range []*models.Entity{w.order, w.stock, w.entry} {
		e.Seal()
	}
	sum, err := ParseFormula("{stock.available} + {count}", true, nil)
	if err != nil {
		panic(err)
	}
	w.cancel = &Action{
		ID: "cancel", Profile: "shop", Title: "Cancel order", Kind: KindUpdate, Entity: w.order,
		Lifecycle: lifecycle, Transitions: lifecycle.Transitions,
		Inputs: []*accesspatterns.Param{
			{Name: "orderId", Required: true}, {Name: "note"}, {Name: "pin", Sensitive: models.Secret},
		},
		Reads:      []Reading{{Alias: "stock", Entity: w.stock, Key: []Setting{{"product", mustParse("{product}")}}}},
		Set:        []Setting{{"note", mustParse("{note}")}, {"pin", mustParse("{pin}")}},
		Companions: []Companion{{Operation: Update, Entity: w.stock, Alias: "stock", Set: []Setting{{"available", sum}}}},
		Audits: []Entry{{
			Trail: &Trail{Entity: w.entry, Who: "who", What: "what", When: "at"},
			Set: []Setting{
				{"orderId", mustParse("{orderId}")},
				{"at", mustParse("{now}")},
				{"who", mustParse("{actor}")},
				{"what", mustParse("{action}")},
				{"before", mustParse("{before}")},
				{"after", mustParse("{after}")},
			},
		}},
	}
	w.items = map[string]models.Item{}
	w.put(models.Item{
		"PK": str("ORDER#o1"), "SK": str("META"), "GSI1PK": str("STATUS#open"), "GSI1SK": str(placedAt),
		"orderId": str("o1"), "status": str("open"), "product": str("pen"), "count": num("2"), "email": str("ana@example.com"),
		"updatedAt": str(placedAt),
	})
	w.put(models.Item{"PK": str("STOCK#pen"), "SK": str("META"), "product": str("pen"), "available": num("5"), "version": num("7")})
	return w
}

func itemKey(key models.Item) string {
	pk, _ := key.Text("PK")
	sk, _ := key.Text("SK")
	return pk + " " + sk
}

func (s *shop) put(it models.Item) { s.items[itemKey(it)] = it }

// set changes an attribute of an item, as another user would.
func (s *shop) set(key, path string, v types.AttributeValue) {
	it := s.items[key].Clone()
	it.SetNames(strings.Split(path, "."), v)
	s.items[key] = it
}

func (s *shop) get(_ context.Context, _ *models.Table, key models.Item) (models.Item, error) {
	return s.items[itemKey(key)], nil
}

func (s *shop) newInput(inputs map[string]string) UserInput {
	if inputs == nil {
		inputs = map[string]string{"orderId": "o1"}
	}
	return UserInput{Inputs: inputs, Actor: "kagiso", Token: "11111111-2222-4333-8444-555555555555", Now: s.now}
}

// plan plans an action. Without inputs, it uses those of order o1.
func (s *shop) plan(t *testing.T, a *Action, inputs map[string]string) (*Plan, error) {
	t.Helper()
	b, err := a.Gather(t.Context(), s.newInput(inputs), s.get)
	if err != nil {
		return nil, err
	}
	return a.Plan(b)
}

// apply checks the conditions of a plan and applies it.
func (s *shop) apply(t *testing.T, p *Plan, err error) *Plan {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, write := range p.Writes {
		for _, c := range write.Condition {
			if !c.Holds(s.items[itemKey(write.Key)]) {
				t.Fatalf("condition %s of %s does not hold", c, itemKey(write.Key))
			}
		}
	}
	for _, write := range p.Writes {
		if write.After == nil {
			delete(s.items, itemKey(write.Key))
		} else {
			s.put(write.After)
		}
	}
	return p
}

// wantConflict fails unless the error is a conflict with the given text.
func wantConflict(t *testing.T, err error, want string) {
	t.Helper()
	c, ok := errors.AsType[*Conflict](err)
	if !ok || c.Message != want {
		t.Errorf("got %v, want the conflict %q", err, want)
	}
}
