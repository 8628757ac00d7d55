package models

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Of a document whose shape nobody gives, what is declared is shown and the
// rest is hidden.
func TestMaskUndocumentedDocuments(t *testing.T) {
	table := &Table{Name: "log", PartitionKey: Key{"PK", TypeS}}
	e := &Entity{
		Name: "Entry", Table: table, Keys: map[string]Template{"PK": MustTemplate("LOG#{id}")},
		Attributes: []*Attribute{
			{Name: "id", Path: "id", Type: TypeS, KeyOnly: true},
			{
				Name: "before", Path: "before", Type: TypeM, Undocumented: true,
				Attributes: []*Attribute{{Name: "status", Path: "before.status", Type: TypeS}},
			},
		},
	}
	e.Seal()
	it := Item{
		"PK":     StringValue("LOG#1"),
		"before": &types.AttributeValueMemberM{Value: Item{"status": StringValue("open"), "mail": StringValue("ann@example.com")}},
	}
	if got, want := string(NewMasker(
		[]*Entity{e}, false,
	).Item(table, it).AppendJSON(nil)), `{"PK":"LOG#1","before":{"mail":"•••","status":"open"}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := NewMasker([]*Entity{e}, true).Item(table, it); !EqualItems(got, it) {
		t.Errorf("revealed: %s", got.AppendJSON(nil))
	}
	odd := Item{"PK": StringValue("LOG#1"), "before": StringValue("ann@example.com")}
	if text, _ := NewMasker([]*Entity{e}, false).Item(table, odd).Text("before"); text != "•••" {
		t.Errorf("text in the place of the document is shown as %q", text)
	}
}
