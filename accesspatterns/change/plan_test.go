package change

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// keyEntity returns an entity with an attribute that other programs update constantly.
func keyEntity() *models.Entity {
	t := &models.Table{Name: "keys", PartitionKey: models.Key{Name: "PK", Type: models.TypeS}}
	e := &models.Entity{
		Name: "Key", Title: "API key", Table: t, Keys: map[string]models.Template{"PK": models.MustTemplate("KEY#{id}")},
		Attributes: []*models.Attribute{
			{Name: "id", Path: "id", Type: models.TypeS, KeyOnly: true},
			{Name: "site", Path: "site", Type: models.TypeS},
			{Name: "lastUsed", Path: "lastUsed", Type: models.TypeS, Volatile: true},
		},
	}
	e.Seal()
	return e
}

// Volatile attributes do not prevent an undo either.
func TestVolatileAttributesDoNotPreventDeletion(t *testing.T) {
	e := keyEntity()
	e.Attributes = append(e.Attributes, &models.Attribute{Name: "usage", Path: "usage", Type: models.TypeM, Attributes: []*models.Attribute{
		{Name: "plan", Path: "usage.plan", Type: models.TypeS}, {Name: "calls", Path: "usage.calls", Type: models.TypeN, Volatile: true},
	}})
	e.Seal()
	usage := func(plan, calls string) types.AttributeValue {
		return &types.AttributeValueMemberM{Value: models.Item{"plan": str(plan), "calls": &types.AttributeValueMemberN{Value: calls}}}
	}
	it := models.Item{"PK": str("KEY#k1"), "site": str("a"), "lastUsed": str("9:00"), "usage": usage("free", "1")}
	a := &Action{ID: "revoke", Kind: KindDelete, Entity: e, Inputs: []*accesspatterns.Param{{Name: "id", Required: true}}}
	b, err := a.Gather(t.Context(), UserInput{
		Inputs: map[string]string{"id": "k1"}, Actor: "kagiso", Token: "t", Now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC),
	}, func(context.Context, *models.Table, models.Item) (models.Item, error) { return it, nil })
	if err != nil {
		t.Fatal(err)
	}
	p, err := a.Plan(b)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(`attribute_exists(PK) AND site = "a"`, p.Writes[0].ConditionText()); d != "" {
		t.Error(d)
	}
	for plan, differs := range map[string]bool{"free": false, "paid": true} {
		now := models.Item{"PK": str("KEY#k1"), "site": str("a"), "lastUsed": str("9:30"), "usage": usage(plan, "2")}
		if w := p.Writes[0]; w.Differs(now) != differs || !slices.Equal(w.Unchecked, []string{"usage"}) {
			t.Errorf("%s: the item differs: %v, and %v is not in the condition", plan, w.Differs(now), w.Unchecked)
		}
	}
	put := Write{Operation: Put, Table: e.Table, Entity: e, After: it}
	if m := conflictingChanges(put, models.Item{"PK": str("KEY#k1"), "site": str("a"), "lastUsed": str("9:30"), "usage": usage("free", "2")}); len(m) > 0 {
		t.Errorf("a new lastUsed counts as a conflict: %v", m)
	}
	if m := conflictingChanges(put, models.Item{"PK": str("KEY#k1"), "site": str("b"), "lastUsed": str("9:30"), "usage": usage("free", "2")}); len(m) != 1 {
		t.Errorf("got conflicts %v, want 1 for site", m)
	}
}

func TestGatherRejectsOtherSubjects(t *testing.T) {
	e := keyEntity()
	change := &Action{
		ID: "move", Kind: KindUpdate, Entity: e, Inputs: []*accesspatterns.Param{{Name: "id", Required: true}},
		Set: []Setting{{"site", mustParse("b")}},
	}
	create := &Action{ID: "add", Kind: KindPut, Entity: e, Inputs: change.Inputs, Set: change.Set}
	tests := map[string]struct {
		action *Action
		item   models.Item
		want   string
	}{
		"missing subject":  {change, nil, "API key KEY#k1 does not exist"},
		"existing subject": {create, models.Item{"PK": str("KEY#k1")}, "already exists"},
		"another kind":     {change, models.Item{"PK": str("USER#k1")}, "is not of entity API key"},
	}
	for name, test := range tests {
		_, err := test.action.Gather(t.Context(), UserInput{Inputs: map[string]string{"id": "k1"}},
			func(context.Context, *models.Table, models.Item) (models.Item, error) { return test.item, nil })
		var conflict *Conflict
		if !errors.As(err, &conflict) || !strings.Contains(conflict.Message, test.want) {
			t.Errorf("%s: got %v, want %q", name, err, test.want)
		}
	}
}

func TestGatherRejectsInvalidInputs(t *testing.T) {
	e := keyEntity()
	a := &Action{
		ID: "move", Profile: "p", Kind: KindUpdate, Entity: e,
		Inputs: []*accesspatterns.Param{{Name: "id", Required: true}, {Name: "amount", Type: accesspatterns.Number}},
	}
	for want, inputs := range map[string]map[string]string{
		"missing parameter id": {},
		"parameter idd: p.move has no such input; did you mean \"id\"?":      {"idd": "1"},
		"parameter zzzz: p.move has no such input; it has id, amount":        {"zzzz": "1"},
		"parameter amount: \"a\" is not a number":                            {"id": "1", "amount": "a"},
		"parameter id: the value is empty":                                   {"id": ""},
		"parameter id: the key PK would be 2049 bytes; DynamoDB allows 2048": {"id": strings.Repeat("x", 2045)},
	} {
		wasRead := false
		_, err := a.Gather(t.Context(), UserInput{Inputs: inputs}, func(context.Context, *models.Table, models.Item) (models.Item, error) {
			wasRead = true
			return nil, nil
		})
		if err == nil || !strings.HasPrefix(err.Error(), want) || !errors.Is(err, accesspatterns.ErrParam) {
			t.Errorf("%v: got %v, want %q", inputs, err, want)
		}
		if wasRead {
			t.Errorf("%v: the plan read an item before it rejected the input", inputs)
		}
	}
}

// DynamoDB would reject the whole transaction because of one key that is too long.
func TestPlanRejectsKeysThatAreTooLongForIndex(t *testing.T) {
	e := keyEntity()
	gsi := &models.Index{
		Name: "GSI1", PartitionKeys: models.KeyList(models.Key{Name: "GSI1PK", Type: models.TypeS}),
		SortKeys: models.KeyList(models.Key{Name: "GSI1SK", Type: models.TypeS}),
	}
	e.Table.Indexes = []*models.Index{gsi}
	e.Keys["GSI1PK"], e.Keys["GSI1SK"] = models.MustTemplate("SITE#{site}"), models.MustTemplate("KEY")
	e.Seal()
	site := mustParse("{where}")
	input := func(length int) UserInput {
		return UserInput{
			Inputs: map[string]string{"id": "k1", "where": strings.Repeat("x", length)}, Now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC),
		}
	}
	inputs := []*accesspatterns.Param{{Name: "id", Required: true}, {Name: "where", Required: true}}
	for kind, stored := range map[ActionKind]models.Item{
		KindPut: nil, KindUpdate: {"PK": str("KEY#k1"), "site": str("a"), "GSI1PK": str("SITE#a"), "GSI1SK": str("KEY")},
	} {
		a := &Action{ID: "move", Kind: kind, Entity: e, Inputs: inputs, Set: []Setting{{"site", site}}}
		for length, want := range map[int]string{2043: "", 2044: "parameter site: the key GSI1PK would be 2049 bytes; " +
			"DynamoDB allows 2048"} {
			b, err := a.Gather(
				t.Context(), input(length),
				func(context.Context, *models.Table, models.Item) (models.Item, error) { return stored, nil },
			)
			if err != nil {
				t.Fatal(err)
			}
			if _, err = a.Plan(b); want == "" && err != nil || want != "" && (!errors.Is(
				err, accesspatterns.ErrParam,
			) || err.Error() != want) {
				t.Errorf("%s, %d bytes: got %v", kind, length, err)
			}
		}
	}
}

// An attribute with a dot in its name has one alias. A nested attribute has an alias for each part of its path.
func TestUpdateExpressionAliasesPaths(t *testing.T) {
	e := keyEntity()
	before := models.Item{
		"PK": str("KEY#k1"), "a.b": str("x"),
		"m": &types.AttributeValueMemberM{Value: models.Item{"n": str("y"), "o": str("z")}},
	}
	after := before.Clone()
	after["a.b"] = str("x2")
	after.SetNames([]string{"m", "n"}, str("y2"))
	after.Remove("m.o")
	w := Write{
		Operation: Update, Table: e.Table, Entity: e, Key: models.Item{"PK": str("KEY#k1")}, Before: before, After: after,
		Changes: models.Diff(before, after),
	}
	in := w.compile().Update
	if got, want := *in.UpdateExpression, "SET #a_b = :a_b, #m.#n = :m_n REMOVE #m.#o"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if d := cmp.Diff(map[string]string{"#a_b": "a.b", "#m": "m", "#n": "n", "#o": "o"}, in.ExpressionAttributeNames); d != "" {
		t.Error(d)
	}
	for want, changes := range map[string][]models.Change{
		"SET #a_b = :a_b": {{Path: "a.b", After: str("x2")}}, "REMOVE #m.#o": {{Path: "m.o", Before: str("z")}},
	} {
		w.Changes = changes
		if got := *w.compile().Update.UpdateExpression; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// DynamoDB allows expressions of up to 4096 bytes. Aliases are readable unless the expression would be too long.
func TestExpressionsUseDynamoDBsMaximumLength(t *testing.T) {
	exists := func(name string) accesspatterns.Condition {
		return accesspatterns.Condition{Attribute: name, Compare: accesspatterns.Exists}
	}
	for _, more := range []int{0, 1} {
		condition, update := strings.Repeat("a", 4096-len("attribute_exists(#)")+more), strings.Repeat("a", 4096-len("REMOVE #")+more)
		for name, w := range map[string]Write{
			"condition": {Entity: keyEntity(), Condition: []accesspatterns.Condition{exists(condition)}},
			"update":    {Entity: keyEntity(), Operation: Update, Changes: []models.Change{{Path: update}}},
		} {
			e, condition, update := w.expressions()
			if got := max(len(condition), len(update)); e.Short != (more == 1) || !e.Short && got != 4096 {
				t.Errorf("%s, %d more: Short = %v with %d bytes", name, more, e.Short, got)
			}
		}
	}
	// The short aliases are 36 names with one letter and 123 names with two letters.
	w := Write{Entity: keyEntity()}
	for i := range 159 {
		w.Condition = append(w.Condition, exists(fmt.Sprintf("a name that makes the readable expression too long %d", i)))
	}
	w.Condition[0].Compare, w.Condition[0].Values = accesspatterns.Equal, []types.AttributeValue{str("x")}
	for i := 1; i <= 4; i++ {
		w.Condition[i].Compare = accesspatterns.NotExists
	}
	if _, condition, _ := w.expressions(); len(condition) != 4096 || w.isTooLong() {
		t.Errorf("got %d bytes, want 4096 to be accepted", len(condition))
	}
	if err := w.checkExpressions(); err == nil || !strings.Contains(err.Error(), "317 operators; DynamoDB allows 300") {
		t.Errorf("317 operators: got %v, want an error", err)
	}
	w.Condition[5].Compare = accesspatterns.NotExists
	if err := w.checkExpressions(); !w.isTooLong() || err == nil || !strings.Contains(err.Error(), "4100 bytes") {
		t.Errorf("4100 bytes: got %v, want an error", err)
	}
}

// Without a version and a time of change, the condition of a delete compares every attribute, up to 300 operators, and
// requires that no other declared attribute exists.
func TestLongConditionsHaveShortAliases(t *testing.T) {
	e := keyEntity()
	remove := &Action{ID: "revoke", Kind: KindDelete, Entity: e, Inputs: []*accesspatterns.Param{{Name: "id", Required: true}}}
	plan := func(attributes int) (*Plan, error) {
		it := models.Item{"PK": str("KEY#k1")}
		for i := range attributes {
			it[fmt.Sprintf("attribute-%03d", i)] = str("x")
		}
		b, err := remove.Gather(t.Context(), UserInput{Inputs: map[string]string{"id": "k1"}},
			func(context.Context, *models.Table, models.Item) (models.Item, error) { return it, nil })
		if err != nil {
			t.Fatal(err)
		}
		return remove.Plan(b)
	}
	for n, names := range map[int]int{1: 3, 150: 150, 1000: 150} {
		p, err := plan(n)
		if err != nil {
			t.Fatal(err)
		}
		in := p.Batch().Writes[0].Delete
		if len(*in.ConditionExpression) > 4096 || len(in.ExpressionAttributeNames) != names ||
			len(in.ExpressionAttributeValues) != min(n, 150) || len(p.Writes[0].Unchecked) != max(n-150, 0) {
			t.Errorf("%d attributes: got %d bytes and %d names, want at most 4096 bytes and %d names", n, len(*in.ConditionExpression),
				len(in.ExpressionAttributeNames), names)
		}
		if readable := strings.Contains(*in.ConditionExpression, "#attribute_000"); readable != (n == 1) {
			t.Errorf("%d attributes: the condition begins with %.60s", n, *in.ConditionExpression)
		}
	}
}
