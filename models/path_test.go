package models_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// A name with a dot that the schema declares is one name, the longest of those that fit; anything else is a path into documents.
func TestPathsKnowNamesWithDots(t *testing.T) {
	table := &models.Table{Name: "t", PartitionKey: key("p.k")}
	e := entity(table, "E", map[string]string{"p.k": "E#{id}"},
		attr("id"), attr("a", document(attr("b"), attr("c.d"))), attr("a.b", document(attr("x"))), attr("a.b.c"))
	for path, want := range map[string]string{
		"p.k": "p.k", "id": "id", "a.b": "a.b", "a.b.c": "a.b.c", "a.b.x": "a.b|x", "a.c.d": "a|c.d", "a.c.d.e": "a|c.d|e", "a.z.y": "a|z|y", "u.v": "u|v",
	} {
		if got := strings.Join(e.PathNames(path), "|"); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	it := models.Item{"a": m("b", s("old")), "own.dot": s("old")}
	for _, path := range []string{"a.b.x", "a.c.d", "own.dot", "u.v", "id"} {
		e.Set(it, path, s("new"))
		if v, _ := it.At(path); !models.EqualValues(v, s("new")) {
			t.Errorf("%s is %v", path, v)
		}
	}
	names := func() string {
		a, _ := it["a"].(*types.AttributeValueMemberM)
		return strings.Join(it.Names(), " ") + " | " + strings.Join(models.Item(a.Value).Names(), " ")
	}
	if got := names(); got != "a a.b id own.dot u | b c.d" {
		t.Errorf("after Set: %s", got)
	}
	for _, path := range []string{"a.b.x", "a.c.d", "own.dot", "id", "a.none", "none.at.all"} {
		e.Remove(it, path)
		if v, present := it.At(path); present {
			t.Errorf("%s is still %v", path, v)
		}
	}
	e.Remove(it, "a.b")
	e.Remove(it, "a.b") // A document that is called a has another b.
	if got := names(); got != "a u | b" {
		t.Errorf("after Remove: %s", got)
	}
}
