package schema

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"github.com/ddbdesk/ddbdesk/profiles"
)

// shop contains texts with Markdown and HTML markup.
const shop = `name: shop
title: A <b>shop</b> | with *stars*
tables:
  data: {name: shop-data, partition_key: PK, sort_key: SK, ttl: expires, indexes: {GSI1: {partition_key: status, projection: KEYS_ONLY}}}
entities:
  Order:
    table: data
    keys: {PK: "ORDER#{id}|x", SK: META}
    attributes:
      id: {type: S, required: true, description: "The <ID>"}
      status: {type: S, required: true, enum: [open, done]}
      email: {type: S, sensitive: pii}
      expires: {type: N, format: epoch-seconds}
lifecycles:
  OrderStatus:
    entity: Order
    attribute: status
    states: {open: {initial: true}, done: {kind: good}}
    transitions: [{name: finish, from: [open], to: done}, {name: reopen, from: [done], to: open}]
patterns:
  get-order: {title: Order, operation: get, key: {PK: "ORDER#{id}|x", SK: META}, returns: [Order]}
  by-status: {title: By status, operation: query, index: GSI1, key: {status: "{status}"}, returns: [Order]}
`

func TestDocumentGolden(t *testing.T) {
	p, err := profiles.Load("shop.yaml", []byte(shop), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range documentFormats() {
		t.Run(format, func(t *testing.T) {
			golden.RequireEqual(t, documentText(t, p, format, "Written by `ddbdesk schema docs "+p.Name+"`. Edit the schema instead."))
		})
	}
}

// The Markdown of every built-in schema is reproducible, and its HTML closes every element.
func TestBuiltinSchemaDocumentsAreReproducible(t *testing.T) {
	for _, name := range profiles.Names() {
		p, err := profiles.Open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, format := range documentFormats() {
			first := string(documentText(t, p, format, ""))
			if first != string(documentText(t, p, format, "")) {
				t.Errorf("%s: the %s document is not deterministic", name, format)
			}
			for _, e := range p.Entities {
				if !strings.Contains(first, e.Name) {
					t.Errorf("%s: the %s document lacks entity %s", name, format, e.Name)
				}
			}
		}
		d := xml.NewDecoder(strings.NewReader(string(documentText(t, p, "html", ""))))
		d.Strict = false
		d.AutoClose = []string{"meta"}
		d.Entity = xml.HTMLEntity
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if strings.Contains(string(documentText(t, p, "html", "")), "<script") {
			t.Errorf("%s: the HTML document contains a script", name)
		}
	}
}

// The document escapes markup in the texts of a schema, so that a browser does not run it.
func TestMarkdownInTextsIsEscaped(t *testing.T) {
	p, err := profiles.Load("shop.yaml", []byte(`
name: shop
title: Shop <script>x</script>
description: "See [x](javascript:alert(1)) and <img src=x> with `+"`code <b>` and ` <i>"+`"
tables: {shop: {name: shop, partition_key: PK, description: "<iframe src=a> `+"`PK`"+`"}}
entities: {Order: {table: shop, keys: {PK: "ORDER#{id}"}, attributes: {id: {type: S, required: true, description: "[l](javascript:x) <i>"}}}}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	text := string(documentText(t, p, "markdown", ""))
	for _, unwanted := range []string{"<script", "<img", "<iframe", "<i>", " [x]"} {
		if strings.Contains(text, unwanted) {
			t.Errorf("%s occurs in the document:\n%.600s", unwanted, text)
		}
	}
	for _, code := range []string{"`code <b>`", "`PK`"} {
		if !strings.Contains(text, code) {
			t.Errorf("%s is missing", code)
		}
	}
}

func documentText(t *testing.T, p *profiles.Profile, format, origin string) []byte {
	t.Helper()
	text, err := WriteDocument(t.Context(), p, format, origin)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
