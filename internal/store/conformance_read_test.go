package store_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// own makes an index key that no other case uses.
func (e *env) own() string { return "x@" + e.partition }

var indexCases = []conformanceCase{
	{"index/sort order", func(t *testing.T, e *env) {
		e.put(t,
			attrs{"SK": "1", "A1": e.own(), "A2": "c"},
			attrs{"SK": "2", "A1": e.own(), "A2": "a"},
			attrs{"SK": "3", "A1": e.own(), "A2": "b"})
		r := request{index: "all", key: "A1 = :a", values: attrs{":a": e.own()}}
		wantTexts(t, e.fetch(t, e.query(r), nil, 0).Items, "A2", "a", "b", "c")
		r.descending = true
		wantTexts(t, e.fetch(t, e.query(r), nil, 0).Items, "A2", "c", "b", "a")
		r.key, r.values[":b"] = "A1 = :a AND A2 >= :b", "b"
		wantTexts(t, e.fetch(t, e.query(r), nil, 0).Items, "A2", "c", "b")
	}},
	{"index/projection KEYS_ONLY", func(t *testing.T, e *env) {
		e.put(t, attrs{"SK": "1", "K1": e.own(), "K2": 5, "note": "n", "more": 3})
		leg := e.query(request{index: "keys", key: "K1 = :a", values: attrs{":a": e.own()}})
		wantNames(t, e.fetch(t, leg, nil, 0).Items[0], "K1", "K2", "PK", "SK")
	}},
	{"index/number sort key", func(t *testing.T, e *env) {
		for _, n := range []num{"10", "9", "-1", "0.5", "1e3"} {
			e.put(t, attrs{"SK": string(n), "K1": e.own(), "K2": n})
		}
		leg := e.query(request{index: "keys", key: "K1 = :a", values: attrs{":a": e.own()}})
		wantTexts(t, e.fetch(t, leg, nil, 0).Items, "SK", "-1", "0.5", "9", "10", "1e3")
	}},
	{"index/the last key has the keys of both", func(t *testing.T, e *env) {
		e.put(t, attrs{"SK": "1", "A1": e.own(), "A2": "1"}, attrs{"SK": "2", "A1": e.own(), "A2": "2"})
		leg := e.query(request{index: "all", key: "A1 = :a", values: attrs{":a": e.own()}})
		wantNames(t, e.fetch(t, leg, nil, 1).LastKey, "A1", "A2", "PK", "SK")
	}},
}

func wantNames(t *testing.T, it models.Item, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, it.Names()); diff != "" {
		t.Errorf("attributes (-want +got):\n%s", diff)
	}
}

// scanItems are what the scanned table holds: six partitions of four items.
func scanItems() []models.Item {
	var items []models.Item
	for p := range 6 {
		for s := range 4 {
			items = append(items, item(attrs{"PK": fmt.Sprintf("p%d", p), "SK": fmt.Sprintf("%d-%d", p, s), "n": p*4 + s}))
		}
	}
	return items
}

func (e *env) scan() accesspatterns.Leg {
	return accesspatterns.Leg{Scan: &dynamodb.ScanInput{TableName: aws.String(e.scanned.Name)}}
}

func sortedTexts(rows []models.Item, attribute string) []string {
	out := texts(rows, attribute)
	slices.Sort(out)
	return out
}

var scanCases = []conformanceCase{
	{"scan/everything once", func(t *testing.T, e *env) {
		rows, _ := e.all(t, e.scan(), 0)
		if diff := cmp.Diff(sortedTexts(scanItems(), "SK"), sortedTexts(rows, "SK")); diff != "" {
			t.Errorf("SK (-want +got):\n%s", diff)
		}
	}},
	{"scan/paging with every limit", func(t *testing.T, e *env) {
		want, _ := e.all(t, e.scan(), 0)
		for limit := 1; limit <= len(want)+1; limit++ {
			rows, _ := e.all(t, e.scan(), limit)
			wantTexts(t, rows, "SK", texts(want, "SK")...)
		}
	}},
	{"scan/an item collection stays together and in order", func(t *testing.T, e *env) {
		rows, _ := e.all(t, e.scan(), 0)
		for i := 0; i < len(rows); i += 4 {
			first, _ := rows[i].Text("PK")
			p := first[1:]
			wantTexts(t, rows[i:i+4], "SK", p+"-0", p+"-1", p+"-2", p+"-3")
		}
	}},
	{"scan/filter and limit", func(t *testing.T, e *env) {
		leg := e.scan()
		leg.Scan.FilterExpression = aws.String("n >= :n")
		leg.Scan.ExpressionAttributeValues = values(attrs{":n": 20})
		for _, limit := range []int{0, 1, 5} {
			rows, _ := e.all(t, leg, limit)
			if diff := cmp.Diff([]string{"20", "21", "22", "23"}, sortedTexts(rows, "n")); diff != "" {
				t.Errorf("limit %d (-want +got):\n%s", limit, diff)
			}
		}
	}},
	{"scan/segments are disjoint and complete", func(t *testing.T, e *env) {
		var rows []models.Item
		for segment := range int32(4) {
			leg := e.scan()
			leg.Scan.Segment, leg.Scan.TotalSegments = aws.Int32(segment), aws.Int32(4)
			part, _ := e.all(t, leg, 2)
			rows = append(rows, part...)
		}
		if diff := cmp.Diff(sortedTexts(scanItems(), "SK"), sortedTexts(rows, "SK")); diff != "" {
			t.Errorf("SK (-want +got):\n%s", diff)
		}
	}},
	{"scan/count", func(t *testing.T, e *env) {
		leg := e.scan()
		leg.Scan.Select = types.SelectCount
		if page := e.fetch(t, leg, nil, 0); page.Count != 24 || page.Scanned != 24 || page.Items != nil {
			t.Errorf("got %+v", page)
		}
	}},
	{"scan/projection", func(t *testing.T, e *env) {
		leg := e.scan()
		leg.Scan.ProjectionExpression = aws.String("n")
		for _, row := range e.fetch(t, leg, nil, 0).Items {
			wantNames(t, row, "n")
		}
	}},
	{"scan/an empty table", func(t *testing.T, e *env) {
		leg := accesspatterns.Leg{Scan: &dynamodb.ScanInput{TableName: aws.String(e.binary.Name)}}
		leg.Scan.FilterExpression = aws.String("attribute_exists(nothing)")
		if page := e.fetch(t, leg, nil, 0); len(page.Items) != 0 || page.LastKey != nil {
			t.Errorf("got %+v", page)
		}
	}},
	{"scan/of an index", func(t *testing.T, e *env) {
		e.put(t, attrs{"SK": "1", "S1": e.own()}, attrs{"SK": "2"})
		leg := accesspatterns.Leg{Scan: &dynamodb.ScanInput{
			TableName: aws.String(e.main.Name), IndexName: aws.String("some"), FilterExpression: aws.String("PK = :pk"),
			ExpressionAttributeValues: values(attrs{":pk": e.partition}),
		}}
		rows, _ := e.all(t, leg, 0)
		wantTexts(t, rows, "SK", "1")
	}},
}

func (e *env) get(sortKey string) accesspatterns.Leg {
	return accesspatterns.Leg{Get: &dynamodb.GetItemInput{
		TableName: aws.String(e.main.Name), Key: values(attrs{"PK": e.partition, "SK": sortKey}),
	}}
}

func (e *env) keys(sortKeys ...string) []models.Item {
	var keys []models.Item
	for _, sk := range sortKeys {
		keys = append(keys, item(attrs{"PK": e.partition, "SK": sk}))
	}
	return keys
}

var getCases = []conformanceCase{
	{"get/found", func(t *testing.T, e *env) {
		e.put(t, attrs{"SK": "1", "note": "n"})
		page := e.fetch(t, e.get("1"), nil, 0)
		if len(page.Items) != 1 || page.Count != 1 || page.Scanned != 1 || page.Capacity == 0 || page.LastKey != nil {
			t.Fatalf("got %+v", page)
		}
		sameItem(t, item(attrs{"PK": e.partition, "SK": "1", "note": "n"}), page.Items[0])
	}},
	{"get/not found is an empty page", func(t *testing.T, e *env) {
		if page := e.fetch(t, e.get("nothing"), nil, 0); len(page.Items) != 0 || page.Count != 0 {
			t.Errorf("got %+v", page)
		}
	}},
	{"get/consistent costs twice", func(t *testing.T, e *env) {
		e.put(t, attrs{"SK": "1"})
		leg := e.get("1")
		leg.Get.ConsistentRead = aws.Bool(true)
		if page := e.fetch(t, leg, nil, 0); page.Capacity != 1 {
			t.Errorf("a consistent read cost %v, want 1", page.Capacity)
		}
		if page := e.fetch(t, e.get("1"), nil, 0); page.Capacity != 0.5 {
			t.Errorf("an eventually consistent read cost %v, want 0.5", page.Capacity)
		}
	}},
	{"get/projection", func(t *testing.T, e *env) {
		e.put(t, attrs{"SK": "1", "note": "n", "deep": attrs{"a": []any{1, 2}, "b": 3}})
		leg := e.get("1")
		leg.Get.ProjectionExpression = aws.String("deep.a[1], absent")
		sameItem(t, item(attrs{"deep": attrs{"a": []any{2}}}), e.fetch(t, leg, nil, 0).Items[0])
	}},
	{"batch get/in the order of the keys", func(t *testing.T, e *env) {
		e.put(t, sorted(5)...)
		got, err := batchGet(t.Context(), e.reader, e.main.Name, e.keys("03", "00", "missing", "03", "01"))
		if err != nil {
			t.Fatal(err)
		}
		wantTexts(t, got, "SK", "03", "00", "01")
	}},
	{"batch get/more than one request holds", func(t *testing.T, e *env) {
		var items []attrs
		var wanted []string
		for i := range 230 {
			sk := fmt.Sprintf("%03d", i)
			items, wanted = append(items, attrs{"SK": sk}), append(wanted, sk)
		}
		e.put(t, items...)
		got, err := batchGet(t.Context(), e.reader, e.main.Name, e.keys(wanted...))
		if err != nil {
			t.Fatal(err)
		}
		wantTexts(t, got, "SK", wanted...)
	}},
	{"batch get/nothing asked", func(t *testing.T, e *env) {
		if got, err := batchGet(t.Context(), e.reader, e.main.Name, nil); err != nil || len(got) != 0 {
			t.Errorf("got %v, %v", got, err)
		}
	}},
	{"batch get/more than 16 MB is asked again", func(t *testing.T, e *env) {
		var wanted []string
		for i := range 46 {
			wanted = append(wanted, fmt.Sprintf("%02d", i))
			e.put(t, attrs{"SK": wanted[i], "text": big(390_000)})
		}
		got, err := batchGet(t.Context(), e.reader, e.main.Name, e.keys(wanted...))
		if err != nil {
			t.Fatal(err)
		}
		wantTexts(t, got, "SK", wanted...)
	}},
	{"read/many at once", func(t *testing.T, e *env) {
		e.put(t, sorted(20)...)
		var wait sync.WaitGroup
		for range 8 {
			wait.Go(func() {
				for range 5 {
					page, err := e.reader.Fetch(t.Context(), e.query(request{}), nil, 0)
					if err != nil || page.Count != 20 {
						t.Errorf("got %d, %v", page.Count, err)
					}
				}
			})
		}
		wait.Wait()
	}},
}

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
	reading("query/between is inclusive", orders,
		request{key: "SK BETWEEN :a AND :b", values: attrs{":a": "ORDER#2026-01-02", ":b": "ORDER#2026-02-01"}},
		"ORDER#2026-01-02", "ORDER#2026-02-01"),
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
	filtering("exact decimals", "price = :v", attrs{":v": num("10.5")}, "ORDER#2026-01-01"),
	filtering("nested path", "address.city = :v", attrs{":v": "Ulm"}, "ORDER#2026-02-01"),
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
