package models_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/models"
)

// pairTable returns a table with a partition key, a sort key and two indexes.
func pairTable() *models.Table {
	return &models.Table{
		ID: "t", Name: "t", PartitionKey: key("PK"), SortKey: key("SK"),
		Indexes: []*models.Index{
			{Name: "GSI1", PartitionKeys: models.KeyList(key("GSI1PK")), SortKeys: models.KeyList(key("GSI1SK"))},
			{Name: "byOwner", PartitionKeys: models.KeyList(key("owner"))},
		},
	}
}

// caseEntities returns entities that share a partition. Draft has the keys of Case and lacks an owner.
func caseEntities(table *models.Table) []*models.Entity {
	file := entity(table, "Case", map[string]string{
		"PK": "CASE#{id}", "SK": "META", "GSI1PK": "DAY#{createdAt:date}", "GSI1SK": "{status}#{createdAt}",
	}, attr("id", required), attr("status", required), attr("createdAt", format(models.ISO8601)), attr("owner"), attr("inKey", required, keyOnly))
	file.Has = []string{"owner"}
	draft := entity(table, "Draft", map[string]string{"PK": "CASE#{id}", "SK": "META"}, attr("id"))
	draft.Lacks = []string{"owner"}
	note := entity(table, "Note", map[string]string{"PK": "CASE#{id}", "SK": "NOTE#{id}#{seq:03d}"}, attr("id"), attr("seq"))
	anything := entity(table, "Other", map[string]string{"PK": "{kind}#{id}", "SK": "{rest}"}, attr("kind"), attr("id"), attr("rest"))
	return []*models.Entity{anything, draft, file, note}
}

func TestRecognize(t *testing.T) {
	table := pairTable()
	entities := caseEntities(table)
	tests := []struct {
		name, want string
		item       models.Item
		values     map[string]string
	}{
		{
			"a present attribute distinguishes the entity", "Case",
			models.Item{"PK": s("CASE#1"), "SK": s("META"), "owner": s("o")},
			map[string]string{"id": "1", "owner": "o"},
		},
		{"a missing attribute distinguishes the entity", "Draft", models.Item{"PK": s("CASE#1"), "SK": s("META")}, map[string]string{"id": "1"}},
		{"index keys add their own placeholders", "Case", models.Item{
			"PK": s("CASE#1"), "SK": s("META"), "owner": s("o"), "GSI1PK": s("DAY#2026-01-14"), "GSI1SK": s("open#2026-01-14T10:00:00Z"),
		}, map[string]string{"id": "1", "owner": "o", "status": "open", "createdAt": "2026-01-14T10:00:00Z"}},
		{"an index key that does not match is ignored", "Case", models.Item{
			"PK": s("CASE#1"), "SK": s("META"), "owner": s("o"), "GSI1PK": s("DAY#soon"), "GSI1SK": s("open"),
		}, map[string]string{"id": "1", "owner": "o"}},
		{"both keys contain the ID", "Note", models.Item{"PK": s("CASE#1"), "SK": s("NOTE#1#007")}, map[string]string{"id": "1", "seq": "7"}},
		{
			"different IDs match another entity", "Other",
			models.Item{"PK": s("CASE#1"), "SK": s("NOTE#2#007")},
			map[string]string{"kind": "CASE", "id": "1", "rest": "NOTE#2#007"},
		},
		{"literal text takes precedence over free text", "Draft", models.Item{"PK": s("CASE#META"), "SK": s("META")}, map[string]string{"id": "META"}},
		{"no match", "", models.Item{"PK": s("CASE"), "SK": s("META")}, nil},
		{"no sort key", "", models.Item{"PK": s("CASE#1")}, nil},
		{"a key that is not a text", "", models.Item{"PK": s("CASE#1"), "SK": null()}, nil},
		{"empty", "", models.Item{}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, ok := models.Recognize(entities, table, tt.item)
			if ok != (tt.want != "") || ok && r.Entity.Name != tt.want {
				t.Fatalf("recognized as %+v, want %q", r.Entity, tt.want)
			}
			if diff := cmp.Diff(tt.values, r.Values); diff != "" {
				t.Errorf("values (-want +got)\n%s", diff)
			}
		})
	}
	if _, ok := models.Recognize(entities, pairTable(), tests[0].item); ok {
		t.Error("Recognize accepted an item of another table")
	}
	if r, ok := models.Recognize(
		[]*models.Entity{entity(table, "Fixed", map[string]string{"PK": "A", "SK": "B"})}, table,
		models.Item{"PK": s("A"), "SK": s("B")},
	); !ok || r.Values == nil {
		t.Errorf("an entity without placeholders: got %+v", r)
	}
}

// A longer literal takes precedence over a condition. Among equal matches, Recognize prefers the first entity.
func TestRecognizePrefersLiteralText(t *testing.T) {
	table := &models.Table{PartitionKey: key("PK")}
	a := entity(table, "Conditional", map[string]string{"PK": "A{id}"}, attr("id"), attr("owner"))
	a.Has = []string{"owner"}
	first, second := entity(table, "First", map[string]string{"PK": "A#{id}"}, attr("id")), entity(
		table, "Second", map[string]string{"PK": "A#{id}"}, attr("id"),
	)
	it := models.Item{"PK": s("A#1"), "owner": s("o")}
	r, _ := models.Recognize([]*models.Entity{a, first, second}, table, it)
	if r.Entity != first {
		t.Errorf("recognized as %s, want %s", r.Entity.Name, first.Name)
	}
	for name, condition := range map[string]func(*models.Entity){
		"has":    func(e *models.Entity) { e.Has = []string{"owner"} },
		"lacks":  func(e *models.Entity) { e.Lacks = []string{"deletedAt"} },
		"equals": func(e *models.Entity) { e.Is = []models.Equality{{Path: "owner", Values: []string{"o"}}} },
	} {
		conditional := entity(table, "Conditional", map[string]string{"PK": "A#{id}"}, attr("id"), attr("owner"), attr("deletedAt"))
		condition(conditional)
		if r, _ := models.Recognize([]*models.Entity{first, conditional}, table, it); r.Entity != conditional {
			t.Errorf("with equal keys and a condition (%s), recognized as %s", name, r.Entity.Name)
		}
	}
}

// A placeholder in both keys must have the same value, even if the keys contain nothing else.
func TestRecognizeRequiresEqualValuesInBothKeys(t *testing.T) {
	table := pairTable()
	entities := []*models.Entity{entity(table, "Self", map[string]string{"PK": "{id}", "SK": "{id}"}, attr("id"))}
	for sort, want := range map[string]bool{"7": true, "8": false} {
		if _, ok := models.Recognize(entities, table, models.Item{"PK": s("7"), "SK": s(sort)}); ok != want {
			t.Errorf("sort key %s: recognized = %t, want %t", sort, ok, want)
		}
	}
}

// The day in one key and the full time in the other belong to the same placeholder.
func TestRecognizeAcceptsDayAndTime(t *testing.T) {
	for _, keys := range []map[string]string{{"PK": "D#{at:date}", "SK": "{at}"}, {"PK": "{at}", "SK": "D#{at:date}"}} {
		table := pairTable()
		e := entity(table, "Event", keys, attr("at", format(models.ISO8601)))
		it, err := e.Build(models.Item{"at": s("2026-01-14T10:00:00Z")}, nil)
		if err != nil {
			t.Fatal(err)
		}
		delete(it, "at")
		r, ok := models.Recognize([]*models.Entity{e}, table, it)
		if !ok || r.Values["at"] != "2026-01-14T10:00:00Z" {
			t.Errorf("%v: got values %v", keys, r.Values)
		}
	}
}

func TestExplainReturnsReasonForMismatch(t *testing.T) {
	table := pairTable()
	all := caseEntities(table)
	draft, file, note := all[1], all[2], all[3]
	loose := entity(table, "Loose", map[string]string{"PK": "L#{id}"}, attr("id"))
	tests := []struct {
		entity  *models.Entity
		item    models.Item
		message string
	}{
		{file, models.Item{"PK": s("CASE#1"), "SK": s("META"), "owner": s("o")}, ""},
		{file, models.Item{"PK": s("CASE#1"), "SK": s("META")}, "item has no owner"},
		{draft, models.Item{"PK": s("CASE#1"), "SK": s("META"), "owner": s("o")}, "item has owner"},
		{file, models.Item{"PK": s("CASE#1")}, "item has no SK"},
		{file, models.Item{"PK": s("CASE:1"), "SK": s("META")}, `CASE#{id}: differs from "CASE#" at character 5`},
		{note, models.Item{"PK": s("CASE#1"), "SK": s("NOTE#2#007")}, `{id} is "1" in one key but "2" in another at character 6`},
		{loose, models.Item{"PK": s("L#1"), "SK": s("x")}, "Loose has no template for SK"},
	}
	for _, tt := range tests {
		err := tt.entity.Explain(tt.item)
		var m *models.Mismatch
		if (err == nil) != (tt.message == "") || err != nil && (!errors.As(err, &m) || !strings.Contains(err.Error(), tt.message)) {
			t.Errorf("%s: got %v, want %q", tt.entity.Name, err, tt.message)
		}
	}
}

// A built item matches its entity or one with more specific templates. Masking treats sealed and unsealed entities
// alike.
func TestRecognizeBuiltItems(t *testing.T) {
	table := pairTable()
	sealed := caseEntities(table)
	rapid.Check(t, func(t *rapid.T) {
		var open []*models.Entity
		for _, e := range sealed {
			open = append(
				open,
				&models.Entity{Name: e.Name, Table: table, Keys: e.Keys, Has: e.Has, Lacks: e.Lacks, Attributes: e.Attributes},
			)
		}
		i := rapid.IntRange(0, len(sealed)-1).Draw(t, "entity")
		part := rapid.StringMatching(`[A-Z1#]{1,4}`)
		given := models.Item{"id": s(part.Draw(t, "id")), "kind": s(part.Draw(t, "kind")), "rest": s(part.Draw(t, "rest")), "seq": n("7")}
		if sealed[i].Name == "Case" {
			given["owner"] = s("o")
		}
		it, err := sealed[i].Build(given, nil)
		if err != nil {
			return
		}
		r, ok := models.Recognize(sealed, table, it)
		if !ok {
			t.Fatalf("Recognize rejected the %s %s", sealed[i].Name, it.AppendJSON(nil))
		}
		if err := sealed[i].Explain(it); err != nil {
			t.Fatalf("Explain of a built %s: %v", sealed[i].Name, err)
		}
		second, _ := models.Recognize(open, table, it)
		if second.Entity.Name != r.Entity.Name || cmp.Diff(r.Values, second.Values) != "" {
			t.Fatalf("got %+v sealed, but %+v unsealed", r, second)
		}
	})
}
