package requests_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/lint"
)

const shop = `
name: shop
title: Shop
requests: REQUESTS
variables: {environment: {default: dev}}
tables:
  orders: {name: "orders-{environment}", partition_key: id, sort_key: part}
  counts: {name: counts, partition_key: id}
  numbers: {name: numbers, partition_key: id, sort_key: {name: n, type: N}}
entities:
  Order: {title: Order, table: orders, keys: {id: "ORDER#{orderId}", part: META}, attributes: {orderId: {type: S, required: true}}}
`

func TestPlaceForPrefersContext(t *testing.T) {
	for _, c := range []struct {
		profile, context string
		want             requests.Place
		fault            string
	}{
		{profile: "req-{environment}", want: requests.Place{Table: "req-dev", PartitionKey: "PK", SortKey: "SK"}},
		{profile: "orders", want: requests.Place{Table: "orders-dev", PartitionKey: "id", SortKey: "part"}},
		{profile: "orders", context: "other", want: requests.Place{Table: "other", PartitionKey: "PK", SortKey: "SK"}},
		{profile: "other", context: "orders-dev", want: requests.Place{Table: "orders-dev", PartitionKey: "id", SortKey: "part"}},
		{profile: "counts", fault: "needs a partition key and a sort key of type S"},
		{profile: "numbers", fault: "needs a partition key and a sort key of type S"},
		{profile: "", fault: "no requests table is configured"},
	} {
		text := strings.Replace(shop, "REQUESTS", c.profile, 1)
		if c.profile == "" {
			text = strings.Replace(shop, "requests: REQUESTS\n", "", 1)
		}
		p, err := profiles.Load("shop.yaml", []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := requests.PlaceFor(p, c.context)
		if got != c.want || (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%q, %q: got %+v, %v", c.profile, c.context, got, err)
		}
	}
	if _, err := requests.PlaceFor(nil, "a: b"); err == nil {
		t.Error("PlaceFor accepted an invalid table name")
	}
	if _, err := profiles.Load("shop.yaml", []byte(strings.Replace(shop, "REQUESTS", `"a b"`, 1)), nil); err == nil {
		t.Error("Load accepted an invalid requests table")
	}
}

// The schema for requests is valid with any key names. Lint reports only issues that do not matter for few requests
// whose IDs begin with the time.
func TestRequestsSchemaHasNoUnexpectedIssues(t *testing.T) {
	expected := []string{"patterns.list-requests.filter", "patterns.list-requests.order", "guardrails.production", "entities"}
	for _, at := range []requests.Place{
		{Table: "ddbdesk-requests", PartitionKey: "PK", SortKey: "SK"}, {Table: "orders-dev", PartitionKey: "a.b: {c}", SortKey: "#part"},
	} {
		p, err := requests.NewProfile(at)
		if err != nil {
			t.Fatal(err)
		}
		found, err := lint.Run(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			if f.Severity == profiles.Error || !slices.Contains(expected, f.Path) {
				t.Errorf("%+v: unexpected issue %+v", at, f)
			}
		}
	}
}
