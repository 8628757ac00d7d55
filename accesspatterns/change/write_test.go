package change

import (
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

func TestRequirementsCompareInTypeOfAttribute(t *testing.T) {
	w := newShop()
	w.order.Attributes = append(w.order.Attributes, &models.Attribute{Name: "sizes", Path: "sizes", Type: models.TypeNS})
	w.order.Seal()
	w.set("ORDER#o1 META", "sizes", &types.AttributeValueMemberNS{Value: []string{"36", "40"}})
	for _, tt := range []struct {
		r    Requirement
		want string // the conflict, or ""
	}{
		{Requirement{Attribute: "count", Compare: accesspatterns.Equal, Value: mustParse("2.0")}, ""},
		{Requirement{Attribute: "count", Compare: accesspatterns.Greater, Value: mustParse("10")}, "count of Order is 2; required: count > 10"},
		{Requirement{Attribute: "sizes", Compare: accesspatterns.Contains, Value: mustParse("40.0")}, ""},
		{
			Requirement{Attribute: "sizes", Compare: accesspatterns.Contains, Value: mustParse("38")},
			"sizes of Order is something else; required: contains(sizes, 38)",
		},
	} {
		w.cancel.Require = []Requirement{tt.r}
		_, err := w.plan(t, w.cancel, nil)
		if tt.want != "" {
			wantConflict(t, err, tt.want)
		} else if err != nil {
			t.Error(err)
		}
	}
}

// Removing the last element removes the set, because DynamoDB stores no empty set. An empty list remains.
func TestElementsAreAddedAndRemoved(t *testing.T) {
	for _, tt := range []struct {
		typ           models.Type
		formula, want string // want is typed JSON, "" for no value
	}{
		{models.TypeSS, "{tags} + {a}", `{"SS":["a"]}`},
		{models.TypeSS, "{tags} + {b}", `{"SS":["a","b"]}`},
		{models.TypeSS, "{tags} - {a}", ""},
		{models.TypeL, "{tags} + {a}", `{"L":[{"S":"a"},{"S":"a"}]}`},
		{models.TypeL, "{tags} - {a}", `{"L":[]}`},
		{models.TypeSS, "{tags} + 5", `{"SS":["a","5"]}`},
		{models.TypeL, "{tags} + 5", `{"L":[{"S":"a"},{"S":"5"}]}`},
	} {
		w := newShop()
		w.order.Attributes = append(w.order.Attributes, &models.Attribute{Name: "tags", Path: "tags", Type: tt.typ, Items: models.TypeS})
		w.order.Seal()
		v := types.AttributeValue(&types.AttributeValueMemberSS{Value: []string{"a"}})
		if tt.typ == models.TypeL {
			v = &types.AttributeValueMemberL{Value: []types.AttributeValue{str("a")}}
		}
		w.set("ORDER#o1 META", "tags", v)
		f, err := ParseFormula(tt.formula, true, nil)
		if err != nil {
			t.Fatal(err)
		}
		w.cancel.Let = []Setting{{"a", mustParse("a")}, {"b", mustParse("b")}}
		w.cancel.Set = []Setting{{"tags", f.AsCollection()}}
		w.order.Attribute("tags").Required = true
		if _, err := w.plan(t, w.cancel, nil); tt.want == "" {
			wantConflict(t, err, "tags of Order would be empty, and DynamoDB stores no empty set")
		} else if err != nil {
			t.Error(err)
		}
		w.order.Attribute("tags").Required = false
		got := ""
		if tags, ok := w.cancelPlan(t).Writes[0].After["tags"]; ok {
			got = string(models.AppendTypedJSON(nil, tags))
		}
		if got != tt.want {
			t.Errorf("%s of type %s: got %s, want %s", tt.formula, tt.typ, got, tt.want)
		}
	}
}

func TestReadErrorsEndGathering(t *testing.T) {
	failed := errors.New("throttled")
	for failing := 1; ; failing++ { // reads of the subject, the stock and the trail of each audit entry
		w := newShop()
		for _, alias := range []string{"first", "second"} {
			entry := w.cancel.Audits[0]
			trail := *entry.Trail
			trail.Reads = []Reading{{Alias: alias, Entity: w.stock, Key: w.cancel.Reads[0].Key}}
			entry.Trail = &trail
			w.cancel.Audits = append(w.cancel.Audits, entry)
		}
		reads := 0
		get := func(ctx context.Context, table *models.Table, key models.Item) (models.Item, error) {
			if reads++; reads == failing {
				return nil, failed
			}
			return w.get(ctx, table, key)
		}
		b, err := w.cancel.Gather(t.Context(), w.newInput(nil), get)
		if failing > 4 {
			if err != nil || reads != 4 || len(b.Items) != 4 {
				t.Errorf("got %d items of %d reads, want 4 of 4: %v", len(b.Items), reads, err)
			}
			break
		}
		if !errors.Is(err, failed) {
			t.Errorf("read %d: got %v, want its error", failing, err)
		}
	}
}

// An input selects the next state. The form offers every state, because the item determines the possible transitions.
func TestInputSelectsState(t *testing.T) {
	w := newShop()
	w.cancel.Target = "to"
	to := &accesspatterns.Param{Name: "to", Type: accesspatterns.Enum, Enum: []string{"canceled", "paid"}}
	w.cancel.Inputs = append(w.cancel.Inputs, to)
	w.cancel.Transitions = append(w.cancel.Transitions, &models.Transition{From: []string{"open"}, To: "paid"})
	for _, to := range []string{"paid", "canceled"} {
		p, err := w.plan(t, w.cancel, map[string]string{"orderId": "o1", "to": to})
		if err != nil || p.To != to {
			t.Errorf("change to %s: %v", to, err)
		}
	}
	_, err := w.plan(t, w.cancel, map[string]string{"orderId": "o1", "to": "open"})
	wantConflict(t, err, "status is open: it can become canceled or paid, not open")
	if _, err := w.plan(t, w.cancel, map[string]string{"orderId": "o1", "to": "lost"}); !errors.Is(err, accesspatterns.ErrParam) {
		t.Errorf("an unknown state: got %v, want a parameter error", err)
	}
}
