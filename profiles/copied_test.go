package profiles_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// If an action copies a sensitive value, the target attribute is sensitive, and so are its keys and further copies.
func TestSensitiveCopiesAreSensitive(t *testing.T) {
	p, err := profiles.Load("shop.yaml", []byte(`
name: shop
tables:
  shop:
    partition_key: PK
    indexes: {ByNote: {partition_key: GPK, projection: ALL}}
entities:
  Order:
    table: shop
    keys: {PK: "ORDER#{orderId}", GPK: "NOTE#{note}"}
    attributes:
      orderId: {type: S, required: true}
      email: {type: S, sensitive: pii}
      code: {type: S, sensitive: secret}
      note: {type: S}
      twice: {type: S}
      tag: {type: S}
      plain: {type: S}
  Log:
    table: shop
    keys: {PK: "LOG#{orderId}"}
    attributes:
      orderId: {type: S, required: true}
      text: {type: S}
actions:
  copy:
    entity: Order
    let: {about: "about {email}"}
    set: {note: "{about}", twice: "{note}", plain: "{orderId}"}
    also: [{put: Log, set: {text: "{twice}"}}]
    audit: none
  leak: {entity: Order, set: {tag: "{code}"}, audit: none}
patterns:
  by-note: {title: By note, operation: query, index: ByNote, key: {GPK: "NOTE#{note}"}, returns: [Order]}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	order := p.Entity("Order")
	it := models.Item{}
	for name, text := range map[string]string{
		"PK": "ORDER#1", "GPK": "NOTE#canary", "orderId": "1", "note": "canary", "twice": "canary", "tag": "canary", "plain": "1",
	} {
		it[name] = models.StringValue(text)
	}
	shown := models.NewMasker(p.Entities, false).Item(order.Table, it)
	for name, want := range map[string]string{
		"PK": "ORDER#1", "GPK": "NOTE#•••", "note": "•••", "twice": "•••", "tag": "[secret]", "plain": "1",
	} {
		if got, _ := shown.Text(name); got != want {
			t.Errorf("%s = %s, want %s", name, got, want)
		}
	}
	if s := p.Entity("Log").Attribute("text").Sensitive; s != models.PII {
		t.Errorf("sensitivity of the second copy = %q, want pii", s)
	}
	if s := p.Pattern("by-note").Param("note").Sensitive; s != models.PII {
		t.Errorf("sensitivity of the parameter = %q, want pii", s)
	}
}

// An attribute inside a map or a list is sensitive if it refers to a sensitive attribute.
func TestNestedReferencesAreSensitive(t *testing.T) {
	p, err := profiles.Load("shop.yaml", []byte(`
name: shop
tables: {shop: {partition_key: PK}}
entities:
  User:
    table: shop
    keys: {PK: "USER#{userId}"}
    attributes: {userId: {type: S, required: true}, email: {type: S, sensitive: pii}}
  Order:
    table: shop
    keys: {PK: "ORDER#{orderId}"}
    attributes:
      orderId: {type: S, required: true}
      contact: {type: M, attributes: {mail: {type: S, refers: User.email}, city: {type: S}}}
      lines: {type: L, items: M, attributes: {mail: {type: S, refers: Order.contact.mail}}}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	mail := models.Item{"mail": models.StringValue("canary"), "city": models.StringValue("Bonn")}
	shown := models.NewMasker(p.Entities, false).Item(p.Tables[0], models.Item{
		"PK": models.StringValue("ORDER#1"), "orderId": models.StringValue("1"), "contact": &types.AttributeValueMemberM{Value: mail},
		"lines": &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberM{Value: mail}}},
	})
	const want = `{"PK":"ORDER#1","contact":{"city":"Bonn","mail":"•••"},"lines":[{"city":"•••","mail":"•••"}],"orderId":"1"}`
	if got := string(shown.AppendJSON(nil)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
