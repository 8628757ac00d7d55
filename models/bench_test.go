package models_test

import (
	"fmt"
	"testing"

	"github.com/ddbdesk/ddbdesk/models"
)

// benchTable has a dozen kinds of item in one table, as single-table schemas do.
func benchTable() (*models.Table, []*models.Entity, models.Item) {
	key := func(name string) models.Key { return models.Key{Name: name, Type: models.TypeS} }
	table := &models.Table{
		ID: "t", Name: "t", PartitionKey: key("PK"), SortKey: key("SK"),
		Indexes: []*models.Index{
			{Name: "GSI1", PartitionKeys: models.KeyList(key("GSI1PK")), SortKeys: models.KeyList(key("GSI1SK"))},
			{Name: "byStatus", PartitionKeys: models.KeyList(key("status")), SortKeys: models.KeyList(key("createdAt"))},
		},
	}
	var entities []*models.Entity
	for i := range 12 {
		entities = append(entities, &models.Entity{
			Name: fmt.Sprintf("Kind%d", i), Table: table,
			Keys: map[string]models.Template{
				"PK": models.MustTemplate("CASE#{id}"), "SK": models.MustTemplate(fmt.Sprintf("K%d#{sub}", i)),
				"GSI1PK": models.MustTemplate("PERSON#{email}"), "GSI1SK": models.MustTemplate("{status}#{createdAt}"),
			},
			Attributes: []*models.Attribute{
				attr("id"), attr("sub"), attr("status"), attr("createdAt", format(models.ISO8601)),
				attr("email", pii, format(models.Email)), attr("person", pii, document(attr("name"))), attr("note"),
			},
		})
	}
	for _, e := range entities {
		e.Seal()
	}
	it := models.Item{
		"PK": s("CASE#c_1"), "SK": s("K11#7"), "GSI1PK": s("PERSON#kago@example.bw"), "GSI1SK": s("open#2026-01-14T10:00:00Z"),
		"id": s("c_1"), "sub": s("7"), "status": s("open"), "createdAt": s("2026-01-14T10:00:00Z"),
		"email": s("kago@example.bw"), "person": m("name", s("Kago")), "note": s("as agreed"),
	}
	return table, entities, it
}

func BenchmarkMaskRow(b *testing.B) {
	table, entities, it := benchTable()
	mask := models.NewMasker(entities, false)
	b.ReportAllocs()
	for b.Loop() {
		mask.Item(table, it)
	}
}

func BenchmarkRecognizeRow(b *testing.B) {
	table, entities, it := benchTable()
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := models.Recognize(entities, table, it); !ok {
			b.Fatal("not recognised")
		}
	}
}
