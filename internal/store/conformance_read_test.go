package store_test

import (
	"fmt"
	"strings"
	"testing"
)

// reading is a case that puts items and expects sort keys in their order.
func reading(name string, items []attrs, r request, want ...string) conformanceCase {
	return conformanceCase{name, func(t *testing.T, e *env) {
		e.put(t, items...)
		page := e.fetch(t, e.query(r), nil, r.limit)
		wantTexts(t, page.Items, "SK", want...)
		if page.Count != len(want) {
			t.Errorf("count is %d, want %d", page.Count, len(want))
		}
	}}
}

// orders are two kinds of items in one item collection.
var orders = []attrs{
	{"SK": "META", "status": "open"},
	{"SK": "ORDER#2026-01-01", "price": num("10.50"), "status": "paid"},
	{"SK": "ORDER#2026-01-02", "price": 7, "status": "open", "tags": []string{"gift", "fast"}},
	{"SK": "ORDER#2026-02-01", "price": 7, "status": "open", "address": attrs{"city": "Ulm", "zip": "89073"}},
	{"SK": "ORDERS", "status": "none"},
}

var queryCases = []conformanceCase{
	reading("query/whole partition in order", orders, request{},
		"META", "ORDER#2026-01-01", "ORDER#2026-01-02", "ORDER#2026-02-01", "ORDERS"),
	reading("query/descending", orders, request{descending: true},
		"ORDERS", "ORDER#2026-02-01", "ORDER#2026-01-02", "ORDER#2026-01-01", "META"),
	reading("query/sort key equal", orders, request{key: "SK = :s", values: attrs{":s": "META"}}, "META"),
	reading("query/begins_with", orders, request{key: "begins_with(SK, :s)", values: attrs{":s": "ORDER#2026-01"}},
		"ORDER#2026-01-01", "ORDER#2026-01-02"),
	reading("query/begins_with descending", orders,
		request{key: "begins_with(SK, :s)", values: attrs{":s": "ORDER#"}, descending: true},
		"ORDER#2026-02-01", "ORDER#2026-01-02", "ORDER#2026-01-01"),
	reading("query/begins_with the whole key", orders, request{key: "begins_with(SK, :s)", values: attrs{":s": "ORDERS"}}, "ORDERS"),
	reading("query/begins_with nothing there", orders, request{key: "begins_with(SK, :s)", values: attrs{":s": "Z"}}),
	reading("query/between is inclusive", orders,
		request{key: "SK BETWEEN :a AND :b", values: attrs{":a": "ORDER#2026-01-02", ":b": "ORDER#2026-02-01"}},
		"ORDER#2026-01-02", "ORDER#2026-02-01"),
	reading("query/between one key", orders,
		request{key: "SK BETWEEN :a AND :a", values: attrs{":a": "META"}}, "META"),
	reading("query/between descending", orders,
		request{key: "SK BETWEEN :a AND :b", values: attrs{":a": "A", ":b": "N"}, descending: true}, "META"),
	reading("query/less", sorted(4), request{key: "SK < :s", values: attrs{":s": "02"}}, "00", "01"),
	reading("query/at most", sorted(4), request{key: "SK <= :s", values: attrs{":s": "02"}}, "00", "01", "02"),
	reading("query/greater", sorted(4), request{key: "SK > :s", values: attrs{":s": "02"}}, "03"),
	reading("query/at least", sorted(4), request{key: "SK >= :s", values: attrs{":s": "02"}}, "02", "03"),
	reading("query/limit", sorted(5), request{limit: 3}, "00", "01", "02"),
	reading("query/limit descending", sorted(5), request{limit: 2, descending: true}, "04", "03"),
	reading("query/empty partition", nil, request{}),
	reading("query/strings sort by bytes", []attrs{
		{"SK": "a"},
		{"SK": "B"},
		{"SK": "ä"},
		{"SK": "Z"},
		{"SK": "~"},
		{"SK": "😀"},
		{"SK": "\uffee"},
	},
		request{}, "B", "Z", "a", "~", "ä", "\uffee", "😀"),
	reading("query/a key is a prefix of another", []attrs{{"SK": "ab"}, {"SK": "a"}, {"SK": "abc"}, {"SK": "a#"}},
		request{}, "a", "a#", "ab", "abc"),
	reading("query/reserved words by placeholder", []attrs{{"SK": "1", "status": "x"}},
		request{filter: "#s = :x", names: map[string]string{"#s": "status"}, values: attrs{":x": "x"}}, "1"),
	{"query/count", func(t *testing.T, e *env) {
		e.put(t, sorted(7)...)
		page := e.fetch(t, e.query(request{count: true}), nil, 0)
		if page.Count != 7 || page.Scanned != 7 || len(page.Items) != 0 {
			t.Errorf("got count %d, scanned %d, %d items", page.Count, page.Scanned, len(page.Items))
		}
	}},
	{"query/count with filter", func(t *testing.T, e *env) {
		e.put(t, sorted(7)...)
		page := e.fetch(t, e.query(request{count: true, filter: "n >= :n", values: attrs{":n": 5}}), nil, 0)
		if page.Count != 2 || page.Scanned != 7 {
			t.Errorf("got count %d, scanned %d", page.Count, page.Scanned)
		}
	}},
	{"query/capacity is reported", func(t *testing.T, e *env) {
		e.put(t, sorted(3)...)
		if page := e.fetch(t, e.query(request{}), nil, 0); page.Capacity != 0.5 {
			t.Errorf("three small items cost %v read units, want 0.5", page.Capacity)
		}
	}},
	{"query/the leg stays as it is", func(t *testing.T, e *env) {
		e.put(t, sorted(3)...)
		leg := e.query(request{})
		first := e.fetch(t, leg, nil, 1)
		e.fetch(t, leg, first.LastKey, 1)
		if in := leg.Query; in.ExclusiveStartKey != nil || in.Limit != nil || in.ReturnConsumedCapacity != "" {
			t.Errorf("the leg was changed: %+v", in)
		}
	}},
}

// filtering is a reading case on orders.
func filtering(name, filter string, given attrs, want ...string) conformanceCase {
	return reading("filter/"+name, orders, request{
		filter: filter, values: given, names: namesIn(filter, "#st", "status"),
	}, want...)
}

func namesIn(filter, placeholder, name string) map[string]string {
	if strings.Contains(filter, placeholder) {
		return map[string]string{placeholder: name}
	}
	return nil
}

var filterCases = []conformanceCase{
	filtering("equal", "#st = :v", attrs{":v": "paid"}, "ORDER#2026-01-01"),
	filtering("not equal", "#st <> :v", attrs{":v": "open"}, "ORDER#2026-01-01", "ORDERS"),
	filtering("less", "price < :v", attrs{":v": 10}, "ORDER#2026-01-02", "ORDER#2026-02-01"),
	filtering("exact decimals", "price = :v", attrs{":v": num("10.5")}, "ORDER#2026-01-01"),
	filtering("between", "price BETWEEN :a AND :b", attrs{":a": 10, ":b": 11}, "ORDER#2026-01-01"),
	filtering("in", "#st IN (:a, :b)", attrs{":a": "none", ":b": "paid"}, "ORDER#2026-01-01", "ORDERS"),
	filtering("attribute_exists", "attribute_exists(price)", nil,
		"ORDER#2026-01-01", "ORDER#2026-01-02", "ORDER#2026-02-01"),
	filtering("attribute_not_exists", "attribute_not_exists(price)", nil, "META", "ORDERS"),
	filtering("attribute_type", "attribute_type(tags, :v)", attrs{":v": "SS"}, "ORDER#2026-01-02"),
	filtering("begins_with", "begins_with(#st, :v)", attrs{":v": "o"}, "META", "ORDER#2026-01-02", "ORDER#2026-02-01"),
	filtering("contains in a string", "contains(#st, :v)", attrs{":v": "ai"}, "ORDER#2026-01-01"),
	filtering("contains in a set", "contains(tags, :v)", attrs{":v": "gift"}, "ORDER#2026-01-02"),
	filtering("size", "size(tags) = :v", attrs{":v": 2}, "ORDER#2026-01-02"),
	filtering("nested path", "address.city = :v", attrs{":v": "Ulm"}, "ORDER#2026-02-01"),
	filtering("and", "#st = :v AND price = :n", attrs{":v": "open", ":n": 7}, "ORDER#2026-01-02", "ORDER#2026-02-01"),
	filtering("or", "#st = :v OR price > :n", attrs{":v": "none", ":n": 8}, "ORDER#2026-01-01", "ORDERS"),
	filtering("not", "NOT #st = :v", attrs{":v": "open"}, "ORDER#2026-01-01", "ORDERS"),
	filtering("parentheses", "(#st = :a OR #st = :b) AND attribute_exists(price)", attrs{":a": "open", ":b": "none"},
		"ORDER#2026-01-02", "ORDER#2026-02-01"),
	filtering("types never compare", "price = :v", attrs{":v": "7"}),
	filtering("nothing passes", "#st = :v", attrs{":v": "nowhere"}),
	{"filter/limit counts before the filter", func(t *testing.T, e *env) {
		e.put(t, sorted(10)...)
		page := e.fetch(t, e.query(request{filter: "n >= :n", values: attrs{":n": 2}}), nil, 3)
		wantTexts(t, page.Items, "SK", "02")
		if page.Scanned != 3 || page.LastKey == nil {
			t.Errorf("scanned %d, last key %v", page.Scanned, page.LastKey)
		}
	}},
	{"filter/an empty page that is not the last", func(t *testing.T, e *env) {
		e.put(t, sorted(6)...)
		page := e.fetch(t, e.query(request{filter: "n = :n", values: attrs{":n": 5}}), nil, 2)
		if len(page.Items) != 0 || page.Scanned != 2 || page.LastKey == nil {
			t.Errorf("got %d items, scanned %d, last key %v", len(page.Items), page.Scanned, page.LastKey)
		}
	}},
}

// paging is a case that reads a request in pages of every size and expects the
// same rows each time.
func paging(name string, items []attrs, r request) conformanceCase {
	return conformanceCase{"paging/" + name, func(t *testing.T, e *env) {
		own := make([]attrs, len(items))
		for i, m := range items {
			own[i] = attrs{}
			for name, v := range m {
				own[i][name] = v
			}
			if a1, ok := own[i]["A1"]; ok {
				own[i]["A1"] = fmt.Sprint(a1, e.partition)
			}
		}
		e.put(t, own...)
		if r.index != "" {
			r.values = attrs{":a": "one" + e.partition}
		}
		leg := e.query(r)
		want, _ := e.all(t, leg, 0)
		if len(want) == 0 {
			t.Fatal("nothing to page through")
		}
		for limit := 1; limit <= len(items)+1; limit++ {
			rows, pages := e.all(t, leg, limit)
			wantTexts(t, rows, "SK", texts(want, "SK")...)
			if least := (len(want) + limit - 1) / limit; pages < least {
				t.Errorf("limit %d: %d pages, want at least %d", limit, pages, least)
			}
		}
	}}
}

// indexed returns n items of one index partition; every third shares its index
// sort key with its neighbours.
func indexed(n int) []attrs {
	items := sorted(n)
	for i := range items {
		items[i]["A1"], items[i]["A2"] = "one", fmt.Sprintf("%02d", i/3)
	}
	return items
}

var pagingCases = []conformanceCase{
	paging("ascending", sorted(9), request{}),
	paging("descending", sorted(9), request{descending: true}),
	paging("part of the partition", sorted(9), request{key: "SK BETWEEN :a AND :b", values: attrs{":a": "02", ":b": "06"}}),
	paging("part of the partition, descending", sorted(9),
		request{key: "begins_with(SK, :a)", values: attrs{":a": "0"}, descending: true}),
	paging("filter", sorted(9), request{filter: "n > :n", values: attrs{":n": 5}}),
	paging("index with equal keys", indexed(10), request{index: "all", key: "A1 = :a"}),
	paging("index with equal keys, descending", indexed(10), request{index: "all", key: "A1 = :a", descending: true}),
	{"paging/ends exactly at the limit", func(t *testing.T, e *env) {
		e.put(t, sorted(4)...)
		page := e.fetch(t, e.query(request{}), nil, 4)
		if len(page.Items) != 4 {
			t.Fatalf("%d items", len(page.Items))
		}
		if page.LastKey == nil {
			return // allowed: the store looked ahead
		}
		if rest := e.fetch(t, e.query(request{}), page.LastKey, 4); len(rest.Items) != 0 || rest.LastKey != nil {
			t.Errorf("after the last row: %d items, last key %v", len(rest.Items), rest.LastKey)
		}
	}},
	{"paging/a start key that no item has", func(t *testing.T, e *env) {
		e.put(t, sorted(4)...)
		start := item(attrs{"PK": e.partition, "SK": "01x"})
		wantTexts(t, e.fetch(t, e.query(request{}), start, 0).Items, "SK", "02", "03")
		wantTexts(t, e.fetch(t, e.query(request{descending: true}), start, 0).Items, "SK", "01", "00")
	}},
	{"paging/a page ends at 1 MB", func(t *testing.T, e *env) {
		items := sorted(5)
		for i := range items {
			items[i]["text"] = strings.Repeat("x", 300_000)
		}
		for _, one := range items {
			e.put(t, one)
		}
		page := e.fetch(t, e.query(request{}), nil, 0)
		if len(page.Items) >= 5 || len(page.Items) < 3 || page.LastKey == nil {
			t.Errorf("%d items of 300 KB on the first page, last key %v", len(page.Items), page.LastKey)
		}
		rows, _ := e.all(t, e.query(request{}), 0)
		wantTexts(t, rows, "SK", "00", "01", "02", "03", "04")
	}},
}
