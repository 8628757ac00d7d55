package schema

import (
	"context"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// fixedTable is a table with the keys pk and sk, and a fixed list of items.
type fixedTable struct {
	store.Reader
	items []models.Item
}

func (t fixedTable) DescribeTable(context.Context, string) (store.TableInfo, error) {
	return store.TableInfo{
		PartitionKey: models.Key{Name: "pk", Type: models.TypeS}, SortKey: models.Key{Name: "sk", Type: models.TypeS},
	}, nil
}

func (t fixedTable) DescribeTTL(context.Context, string) (string, bool, error) { return "", false, nil }

func (t fixedTable) Fetch(_ context.Context, l accesspatterns.Leg, _ models.Item, _ int) (accesspatterns.Page, error) {
	var page accesspatterns.Page
	for _, it := range t.items {
		if l.Get != nil && models.EqualItems(models.Item{"pk": it["pk"], "sk": it["sk"]}, l.Get.Key) ||
			l.Scan != nil && aws.ToInt32(l.Scan.Segment) == 0 {
			page.Items = append(page.Items, it)
		}
	}
	return page, nil
}

// item returns an item with string attributes, from pairs of a name and a value.
func item(pairs ...string) models.Item {
	it := models.Item{}
	for i := 0; i < len(pairs); i += 2 {
		it[pairs[i]] = &types.AttributeValueMemberS{Value: pairs[i+1]}
	}
	return it
}

// schemaItem returns the item in which OneTable stores a schema with one model.
func schemaItem(model string) models.Item {
	s := func(text string) types.AttributeValue { return &types.AttributeValueMemberS{Value: text} }
	m := func(value map[string]types.AttributeValue) types.AttributeValue {
		return &types.AttributeValueMemberM{Value: value}
	}
	it := item("pk", "_schema", "sk", "_schema:Current", "_type", "_Schema", "format", "onetable:1.1.0", "name", "Current", "version", "0.1.0")
	it["indexes"] = m(map[string]types.AttributeValue{"primary": m(map[string]types.AttributeValue{"hash": s("pk"), "sort": s("sk")})})
	it["params"] = m(map[string]types.AttributeValue{"typeField": s("_type")})
	it["models"] = m(map[string]types.AttributeValue{model: m(map[string]types.AttributeValue{
		"pk": m(map[string]types.AttributeValue{"type": s("string"), "value": s("${_type}#${mail}")}),
		"sk": m(map[string]types.AttributeValue{"type": s("string"), "value": s("${_type}#")}),
		"mail": m(map[string]types.AttributeValue{
			"type": s("string"), "required": &types.AttributeValueMemberBOOL{Value: true},
		}),
		"plan": m(map[string]types.AttributeValue{"type": s("string"), "enum": &types.AttributeValueMemberL{Value: []types.AttributeValue{s("free")}}}),
	})})
	return it
}

// The draft takes the models of the schema that OneTable stores in the table, and infers the other entities from items.
func TestDraftHasSchemaThatTableStores(t *testing.T) {
	items := []models.Item{
		schemaItem("User"), item("pk", "User#a@example.com", "sk", "User#", "_type", "User", "mail", "a@example.com"),
		item("pk", "TEAM#1", "sk", "META", "_type", "Team", "teamId", "1"), item("pk", "TEAM#2", "sk", "META", "_type", "Team", "teamId", "2"),
	}
	d, err := FromTables(t.Context(), fixedTable{items: items}, []string{"shop-dev"}, DraftOptions{Sample: 100})
	if err != nil {
		t.Fatal(err)
	}
	p, err := profiles.Load("draft.yaml", d.Profile.Text(), nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, d.Profile.Text())
	}
	for i, want := range []string{"", "User", "Team", "Team"} {
		if r, ok := models.Recognize(p.Entities, p.Tables[0], items[i]); want != "" && (!ok || r.Entity.Name != want) {
			t.Errorf("item %d: got %+v, want %s", i, r, want)
		}
	}
	if a := p.Entity("User").Attribute("plan"); a == nil || strings.Join(a.Enum, " ") != "free" {
		t.Errorf("the draft does not use the stored schema:\n%s", d.Profile.Text())
	}
	if len(d.Profile.Tables) != 1 || d.Profile.Tables[0].Name != "shop-dev" {
		t.Errorf("got tables %+v, want shop-dev", d.Profile.Tables)
	}
}

// A stored OneTable schema may contain defaults that declare dates as numbers and disable timestamps. If the items
// contradict them, the draft follows the items.
func TestItemsDetermineTimesOfStoredSchema(t *testing.T) {
	schema := schemaItem("User")
	fields := schema["models"].(*types.AttributeValueMemberM).Value["User"].(*types.AttributeValueMemberM).Value
	fields["joined"] = &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"type": &types.AttributeValueMemberS{Value: "date"}}}
	user := func(mail string) models.Item {
		return item("pk", "User#"+mail, "sk", "User#", "_type", "User", "mail", mail, "joined", "2026-01-02T03:04:05.000Z",
			"created", "2026-01-02T03:04:05.000Z")
	}
	d, err := FromTables(t.Context(), fixedTable{items: []models.Item{schema, user("a@example.com"), user("b@example.com")}}, []string{"shop"},
		DraftOptions{Sample: 100})
	if err != nil {
		t.Fatal(err)
	}
	p, err := profiles.LoadFile("draft.yaml", d.Profile.Text())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"joined", "created"} {
		if a := p.Entity("User").Attribute(name); a == nil || a.Type != models.TypeS || a.Format != models.ISO8601Millis {
			t.Errorf("%s: got %+v", name, a)
		}
	}
	if text := string(d.Profile.Text()); !strings.Contains(text, "CHECK: the stored schema has type N") {
		t.Errorf("the draft lacks the note about type N:\n%s", text)
	}
}
